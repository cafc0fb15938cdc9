/* SPDX-License-Identifier: Apache-2.0
 * carver/feature/check_coin.c - addresses and keys of Bitcoin: see check.h. */
#include <string.h>

#include <openssl/sha.h>

#include "carver/feature/check.h"
#include "carver/feature/letter.h"

enum {
    COIN_SUM = 4, /* bytes of the checksum of base58 */
    COIN_SIZE = CHECK_PAYLOAD_MAX + COIN_SUM,
    COIN_BECH32 = 90, /* characters (BIP 173), but for prefixes of their own */
    COIN_TAIL = 6,    /* characters of the checksum of bech32 */
    COIN_PREFIX = 20,
};

/* The value of a character; -1: it is none of base58. */
static int coin_base58(char c)
{
    static const char letters[] = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    const char *at = c != '\0' ? strchr(letters, c) : NULL;

    return at != NULL ? (int)(at - letters) : -1;
}

/* The number that the text is, big-endian, in all of `size` bytes. */
static bool coin_number(const char *text, size_t len, uint8_t number[COIN_SIZE], size_t size)
{
    memset(number, 0, size);
    for (size_t i = 0; i < len; i++) {
        const int value = coin_base58(text[i]);
        uint32_t carry = (uint32_t)value;

        if (value < 0)
            return false;
        for (size_t k = size; k-- > 0;) {
            carry += 58u * number[k];
            number[k] = (uint8_t)carry;
            carry >>= 8;
        }
        if (carry != 0)
            return false;
    }
    return true;
}

bool check_base58(const char *text, size_t len, uint8_t payload[CHECK_PAYLOAD_MAX],
                  size_t *payload_len)
{
    uint8_t number[COIN_SIZE], once[SHA256_DIGEST_LENGTH], twice[SHA256_DIGEST_LENGTH];
    size_t ones = 0, first = 0;

    if (len > CHECK_BASE58_MAX || !coin_number(text, len, number, sizeof number))
        return false;
    while (ones < len && text[ones] == '1')
        ones++;
    while (first < sizeof number && number[first] == 0)
        first++;
    const size_t bytes = ones + sizeof number - first; /* each leading 1 is a zero */
    if (bytes <= COIN_SUM || bytes > sizeof number)
        return false;
    *payload_len = bytes - COIN_SUM;
    memcpy(payload, number + sizeof number - bytes, *payload_len);
    SHA256(payload, *payload_len, once);
    SHA256(once, sizeof once, twice);
    return memcmp(twice, number + sizeof number - COIN_SUM, COIN_SUM) == 0;
}

bool check_bitcoin_base58(const char *text, size_t len)
{
    uint8_t payload[CHECK_PAYLOAD_MAX];
    size_t bytes;

    return len >= 26 && len <= 35 && check_base58(text, len, payload, &bytes) && bytes == 21 &&
           (payload[0] == 0 || payload[0] == 5);
}

bool check_bitcoin_key(const char *text, size_t len)
{
    static const uint8_t extended[] = { 0x04, 0x88, 0xad, 0xe4 };
    uint8_t payload[CHECK_PAYLOAD_MAX];
    size_t bytes;

    if ((len != 51 && len != 52 && len != 111) || !check_base58(text, len, payload, &bytes))
        return false;
    if (len == 111)
        return bytes == 78 && memcmp(payload, extended, sizeof extended) == 0;
    return payload[0] == 0x80 && (bytes == 33 || (bytes == 34 && payload[33] == 1));
}

/*
 * The checksum that bech32 ends with: 1, or 0x2bc830a3 of bech32m; 0: it is neither. values: of the
 * characters behind the last '1', *count of them, with the checksum.
 */
static uint32_t coin_bech32(const char *text, size_t len, const char *prefix,
                            uint8_t values[CHECK_BASE58_MAX], size_t *count)
{
    static const char letters[] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    static const uint32_t generators[] = { 0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd,
                                           0x2a1462b3 };
    const size_t prefix_len = strlen(prefix);
    uint8_t all[2 * COIN_PREFIX + 1 + CHECK_BASE58_MAX];
    size_t used = 0, small = 0, large = 0;
    uint32_t sum = 1;

    if (len < prefix_len + 1 + COIN_TAIL || len > CHECK_BASE58_MAX || prefix_len > COIN_PREFIX)
        return 0;
    for (size_t i = 0; i < prefix_len; i++)
        all[used++] = (uint8_t)prefix[i] >> 5;
    all[used++] = 0;
    for (size_t i = 0; i < prefix_len; i++)
        all[used++] = (uint8_t)prefix[i] & 31;
    *count = 0;
    for (size_t i = 0; i < len; i++) {
        const char c = letter_small(text[i]);
        const char *at = c != '\0' ? strchr(letters, c) : NULL;

        small += letter_lower(text[i]);
        large += letter_upper(text[i]);
        if (i <= prefix_len) {
            if (c != (i < prefix_len ? prefix[i] : '1'))
                return 0;
            continue;
        }
        if (at == NULL)
            return 0;
        values[*count] = all[used++] = (uint8_t)(at - letters);
        ++*count;
    }
    for (size_t i = 0; i < used; i++) {
        const uint32_t top = sum >> 25;

        sum = (sum & 0x1ffffff) << 5 ^ all[i];
        for (uint32_t k = 0; k < 5; k++)
            sum ^= (top >> k & 1) != 0 ? generators[k] : 0;
    }
    return small == 0 || large == 0 ? sum : 0;
}

bool check_bech32(const char *text, size_t len, const char *prefix)
{
    uint8_t values[CHECK_BASE58_MAX];
    size_t count;

    return coin_bech32(text, len, prefix, values, &count) == 1;
}

bool check_bitcoin_bech32(const char *text, size_t len)
{
    uint8_t values[CHECK_BASE58_MAX];
    size_t count;
    const uint32_t sum = len <= COIN_BECH32 ? coin_bech32(text, len, "bc", values, &count) : 0;

    if ((sum != 1 && sum != 0x2bc830a3) || count < COIN_TAIL + 1 || values[0] > 16)
        return false;
    /* The witness version 0 has the older checksum, all others the newer one. */
    const size_t bits = (count - COIN_TAIL - 1) * 5, bytes = bits / 8;
    if ((values[0] == 0) != (sum == 1) || bits % 8 > 4 || bytes < 2 || bytes > 40)
        return false;
    if ((values[count - COIN_TAIL - 1] & ((1u << bits % 8) - 1)) != 0)
        return false; /* what fills the last byte is zero */
    return values[0] != 0 || bytes == 20 || bytes == 32;
}
