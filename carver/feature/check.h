/* SPDX-License-Identifier: Apache-2.0
 * carver/feature/check.h - whether a text is what it looks like: check digits, checksums, ranges.
 *
 * Each function takes len characters that need no NUL behind them, in the form that it names, and
 * reads no others. None of them keeps state or allocates; any number of threads may call them.
 */
#ifndef BURIN_CARVER_FEATURE_CHECK_H
#define BURIN_CARVER_FEATURE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CHECK_CARD_MIN = 13, /* digits of a card's number */
    CHECK_CARD_MAX = 19,
    CHECK_IBAN_MIN = 15, /* characters of an IBAN */
    CHECK_IBAN_MAX = 33,
    CHECK_PHONE_MIN = 8, /* digits of a telephone number with its country */
    CHECK_PHONE_MAX = 15,
    CHECK_DOMAIN_MAX = 253,
    CHECK_LABEL_MAX = 63,
    CHECK_BASE58_MAX = 128, /* characters that check_base58 takes */
    CHECK_PAYLOAD_MAX = 96, /* bytes that they may stand for */
};

/* Digits alone; the last one is Luhn's check digit (ISO/IEC 7812-1, annex B). */
bool check_luhn(const char *digits, size_t len);

/*
 * Digits alone: the beginning is one of an issuer of payment cards, the length one that its cards
 * have, the check digit right, and there are two digits at least. Issuers: American Express,
 * Diners Club, Discover, JCB, Maestro, Mastercard, Mir, UnionPay, Visa.
 */
bool check_card(const char *digits, size_t len);

/* Characters of an IBAN of the country (two capital letters); 0: it has none. */
size_t check_iban_len(const char country[2]);
/* Capital letters and digits without spaces: a country, its length, and ISO 7064's MOD 97-10. */
bool check_iban(const char *text, size_t len);

/*
 * Digits of a telephone number that begins with the code of a country, without "+": ITU-T E.164
 * (codes, 15 digits at most), and for code 1 the form of the North American numbering plan.
 */
bool check_phone(const char *digits, size_t len);
/* Ten digits: a number of the North American numbering plan (area, exchange, no service codes). */
bool check_nanp(const char *digits, size_t len);

/* A top-level domain, in small or in capital letters alone, or one that begins with xn--. */
bool check_tld(const char *text, size_t len);
/* Two labels at least, the last of them a top-level domain. */
bool check_domain(const char *text, size_t len);

/* "a.b.c.d", no leading zeros, of a network that hosts have: 1.0.0.0 to 239.255.255.255. */
bool check_ipv4(const char *text, size_t len);
/* As RFC 4291 writes them, of 2000::/3, fc00::/7, fe80::/10 and ff00::/8. */
bool check_ipv6(const char *text, size_t len);

/*
 * Base58 with a checksum of four bytes, the beginning of SHA-256 of SHA-256. What it stands for
 * goes to payload without the checksum; *payload_len bytes. len up to CHECK_BASE58_MAX.
 */
bool check_base58(const char *text, size_t len, uint8_t payload[CHECK_PAYLOAD_MAX],
                  size_t *payload_len);
/* A Bitcoin address of base58: P2PKH or P2SH of the main network. */
bool check_bitcoin_base58(const char *text, size_t len);
/* A Bitcoin address of the main network in bech32 or bech32m (BIP 173, BIP 350). */
bool check_bitcoin_bech32(const char *text, size_t len);
/* Any bech32 (BIP 173) in one case whose part before the last '1' is `prefix`, in small letters. */
bool check_bech32(const char *text, size_t len, const char *prefix);
/* A private key of Bitcoin (wallet import format), or an extended one (xprv, BIP 32). */
bool check_bitcoin_key(const char *text, size_t len);

/*
 * A JSON web token (RFC 7519): three parts of base64url with dots between; the first one is an
 * object with "alg".
 */
bool check_jwt(const char *text, size_t len);
/*
 * A token of GitHub or npm: `body` without what stands before its "_"; the last six characters are
 * a CRC-32 of those before them, in base 62.
 */
bool check_crc62(const char *body, size_t len);
/* Bits of entropy a character by Shannon's formula, 0 to 8; 0 for an empty text. */
double check_entropy(const char *text, size_t len);
/* An access key of AWS: AKIA, ASIA and their kin, then 16 of base32, six different ones at least.*/
bool check_aws_key(const char *text, size_t len);
/*
 * A private key in PEM (RFC 7468, RFC 4880): the line "-----BEGIN ... PRIVATE KEY ...-----", and a
 * body whose beginning is that of such a key: DER of a SEQUENCE, OpenSSH's, PGP's, or headers that
 * say that it is encrypted. The line may end as text or as the "\n" of a program. Returns the
 * characters of that line and of the first one of the body; 0: none.
 */
size_t check_pem(const char *text, size_t len);

#endif
