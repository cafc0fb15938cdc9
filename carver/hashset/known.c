/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known.c - see known.h: names and digits. */
#include <string.h>

#include "base/hex.h"
#include "carver/hashset/known.h"

static const char *const known_hashes[DIGEST_KINDS] = { "md5", "sha1", "sha256" };

const char *known_hash_name(enum digest_kind hash)
{
    return known_hashes[hash];
}

bool known_hash_named(const char *name, enum digest_kind *out)
{
    for (int i = 0; i < DIGEST_KINDS; i++)
        if (strcmp(name, known_hashes[i]) == 0) {
            *out = (enum digest_kind)i;
            return true;
        }
    return false;
}

bool known_hash_of_length(size_t hex_digits, enum digest_kind *out)
{
    for (int i = 0; i < DIGEST_KINDS; i++)
        if (hex_digits == 2 * digest_len((enum digest_kind)i)) {
            *out = (enum digest_kind)i;
            return true;
        }
    return false;
}

const char *known_verdict_name(enum known_verdict verdict)
{
    return verdict == KNOWN_GOOD ? "good" : verdict == KNOWN_BAD ? "bad" : "known";
}

size_t known_parse_hex(const char *hex, size_t len, size_t most, uint8_t *out)
{
    size_t digits = 0;

    while (digits < len && digits <= most && hex_digit(hex[digits]) >= 0)
        digits++;
    for (size_t i = 0; digits == most && i < most / 2; i++)
        out[i] = (uint8_t)(hex_digit(hex[2 * i]) << 4 | hex_digit(hex[2 * i + 1]));
    return digits;
}

void known_hex(const uint8_t *digest, uint32_t len, char out[2 * DIGEST_MAX + 1])
{
    hex_bytes(digest, len, out);
    out[2 * len] = '\0';
}
