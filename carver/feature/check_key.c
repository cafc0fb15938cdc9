/* SPDX-License-Identifier: Apache-2.0
 * carver/feature/check_key.c - tokens and keys in text: see check.h. */
#include <math.h>
#include <string.h>

#include "carver/feature/check.h"
#include "carver/feature/letter.h"

enum { KEY_HEADER = 512 /* characters of the first part of a web token that are looked at */ };

double check_entropy(const char *text, size_t len)
{
    uint32_t counts[256] = { 0 };
    double bits = 0;

    for (size_t i = 0; i < len; i++)
        counts[(uint8_t)text[i]]++;
    for (size_t i = 0; i < 256; i++)
        if (counts[i] > 0)
            bits -= counts[i] / (double)len * log2(counts[i] / (double)len);
    return bits;
}

static int key_base64url(char c)
{
    if (letter_upper(c))
        return c - 'A';
    if (letter_lower(c))
        return c - 'a' + 26;
    if (letter_digit(c))
        return c - '0' + 52;
    return c == '-' ? 62 : c == '_' ? 63 : -1;
}

bool check_jwt(const char *text, size_t len)
{
    char header[KEY_HEADER];
    size_t parts = 0, part = 0, used = 0;
    uint32_t bits = 0, have = 0;

    for (size_t i = 0; i < len; i++) {
        const int value = key_base64url(text[i]);

        if (text[i] == '.' && part > 0 && parts < 2) {
            parts++;
            part = 0;
            continue;
        }
        if (value < 0)
            return false;
        part++;
        bits = bits << 6 | (uint32_t)value;
        have += 6;
        if (parts == 0 && have >= 8 && used < sizeof header - 1)
            header[used++] = (char)(bits >> (have - 8));
        have %= 8;
    }
    header[used] = '\0';
    return parts == 2 && part > 0 && header[0] == '{' && strstr(header, "\"alg\"") != NULL;
}

/* CRC-32 of ISO/IEC 3309, as zip has it; of texts so short that a table does not pay. */
static uint32_t key_crc32(const char *text, size_t len)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < len; i++) {
        crc ^= (uint8_t)text[i];
        for (uint32_t k = 0; k < 8; k++)
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
    }
    return ~crc;
}

bool check_crc62(const char *body, size_t len)
{
    static const char letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    enum { SUM = 6 };
    uint32_t crc = len > SUM ? key_crc32(body, len - SUM) : 0;

    for (size_t i = 0; i < len; i++)
        if (!letter_alnum(body[i]))
            return false;
    for (size_t i = 0; i < SUM && i < len; i++, crc /= 62)
        if (body[len - 1 - i] != letters[crc % 62])
            return false;
    return len > SUM;
}

bool check_aws_key(const char *text, size_t len)
{
    static const char kinds[][5] = { "AKIA", "ASIA", "ABIA", "ACCA" };
    uint32_t seen = 0;
    bool known = false;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        known = known || (len == 20 && memcmp(text, kinds[i], 4) == 0);
    for (size_t i = 4; i < len && known; i++) {
        const char c = text[i];

        known = letter_upper(c) || (c >= '2' && c <= '7');
        if (known)
            seen |= 1u << (letter_upper(c) ? c - 'A' : c - '2' + 26);
    }
    return known && __builtin_popcount(seen) >= 6;
}

/* What stands before the line's end and what its body may begin with, by the words of the line. */
static const struct key_pem {
    const char *label;
    const char *body[4];
} key_pems[] = {
    { "RSA PRIVATE KEY-----", { "MI", "Proc-Type: 4,ENCRYPTED" } },
    { "DSA PRIVATE KEY-----", { "MI", "Proc-Type: 4,ENCRYPTED" } },
    { "EC PRIVATE KEY-----", { "M", "Proc-Type: 4,ENCRYPTED" } },
    { "PRIVATE KEY-----", { "M" } },
    { "ENCRYPTED PRIVATE KEY-----", { "M" } },
    { "OPENSSH PRIVATE KEY-----", { "b3BlbnNzaC1rZXktdjEA" } },
    /* A packet of a secret key, or the headers and the empty line before it. */
    { "PGP PRIVATE KEY BLOCK-----", { "l", "x", "Version:", "Comment:" } },
};

static const char *key_line_end(const char *at, const char *end)
{
    if (end - at >= 4 && memcmp(at, "\\r\\n", 4) == 0)
        return at + 4;
    if (end - at >= 2 && (memcmp(at, "\\n", 2) == 0 || memcmp(at, "\r\n", 2) == 0))
        return at + 2;
    return end - at >= 1 && *at == '\n' ? at + 1 : NULL;
}

static bool key_begins(const char *at, const char *end, const char *with)
{
    const size_t len = strlen(with);

    return (size_t)(end - at) >= len && memcmp(at, with, len) == 0;
}

size_t check_pem(const char *text, size_t len)
{
    static const char begin[] = "-----BEGIN ";
    enum { BODY_MIN = 16, BODY_MAX = 76 };
    const char *const end = text + len, *at = text, *body = NULL;
    bool right = false;

    if (!key_begins(at, end, begin))
        return 0;
    at += strlen(begin);
    for (size_t i = 0; i < sizeof key_pems / sizeof key_pems[0] && body == NULL; i++) {
        const struct key_pem *pem = &key_pems[i];

        if (!key_begins(at, end, pem->label))
            continue;
        body = key_line_end(at + strlen(pem->label), end);
        if (body != NULL && strncmp(pem->label, "PGP", 3) == 0 && key_line_end(body, end) != NULL)
            body = key_line_end(body, end);
        for (size_t k = 0; body != NULL && k < 4 && pem->body[k] != NULL; k++)
            right = right || key_begins(body, end, pem->body[k]);
        if (!right)
            return 0;
    }
    if (body == NULL)
        return 0;
    for (at = body; at < end && at - body < BODY_MAX && *at >= ' ' && *at < 0x7f && *at != '\\';)
        at++;
    return at - body >= BODY_MIN ? (size_t)(at - text) : 0;
}
