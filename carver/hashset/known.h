/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known.h - hash sets: what their readers, their file and their users share.
 *
 *   a list, a database, files ──known_read──► entries ──known_sort──► sorted, once each
 * ──known_write──► a set ──known_set──► lookups
 */
#ifndef BURIN_CARVER_HASHSET_KNOWN_H
#define BURIN_CARVER_HASHSET_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "match/digest.h"

enum {
    KNOWN_NAME_MAX = 4096,   /* longest name of a hash, bytes; the rest is cut off */
    KNOWN_LABEL_MAX = 256,   /* with the NUL */
    KNOWN_BLOCK_MIN = 512,   /* bytes of a block whose hash is known: powers of two */
    KNOWN_BLOCK_MAX = 65536, /* the smallest segment of a scan */
};

/* What being in a set says about a file. */
enum known_verdict { KNOWN_LISTED, KNOWN_GOOD, KNOWN_BAD };

struct known_entry {
    const uint8_t *digest; /* of the length of the set's hash */
    const char *name;      /* not terminated; NULL: none */
    size_t name_len;
    uint64_t block; /* number of the block in the file of that name, from 0; 0 for whole files */
};

/* Takes one entry; its first error ends the reading and is handed on. */
typedef enum err_code (*known_entry_fn)(void *arg, const struct known_entry *entry,
                                        struct err *err);

const char *known_hash_name(enum digest_kind hash); /* "md5" */
bool known_hash_named(const char *name, enum digest_kind *out);
bool known_hash_of_length(size_t hex_digits, enum digest_kind *out);
const char *known_verdict_name(enum known_verdict verdict); /* "good", "bad", "known" */

/* Digits of hex that are hexadecimal, at most most; all of them are turned into bytes when there
 * are exactly that many. */
size_t known_parse_hex(const char *hex, size_t len, size_t most, uint8_t *out);
void known_hex(const uint8_t *digest, uint32_t len, char out[2 * DIGEST_MAX + 1]);

#endif
