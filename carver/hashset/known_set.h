/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_set.h - a hash set as a file: sorted hashes, a Bloom filter in front of
 * them, names where wanted; read in place.
 *
 * Version 1, all integers little-endian, every part beginning at a multiple of 4096 bytes:
 *
 *   header   4096 bytes, below; its last 32 are the SHA-256 of those before them
 *   hashes   count * 16, 20 or 32 bytes, ascending as bytes, none twice
 *   index    2^index_bits + 1 positions of 64 bits: hashes whose first index_bits bits are i stand
 *            from position i to position i + 1
 *   filter   a Bloom filter of the hashes in cache lines of 64 bytes (match/bloom.h, BLOOM_BLOCKED)
 *   refs     count pairs of 64 bits: where in names the name begins, and the number of the block;
 *            only with names
 *   names    texts, each with a NUL behind it; only with names
 *
 * docs/reference/known.md says the same to those who write readers. Nothing that a file holds is
 * believed before it is checked, except the order of the hashes, on which only what is found
 * depends; known_set_check looks at everything.
 */
#ifndef BURIN_CARVER_HASHSET_KNOWN_SET_H
#define BURIN_CARVER_HASHSET_KNOWN_SET_H

#include "carver/hashset/known.h"
#include "match/bloom.h"

enum {
    KNOWN_SET_VERSION = 1,
    KNOWN_PAGE = 4096,
    KNOWN_INDEX_BITS_MAX = 28,
    KNOWN_INDEX_SHARE = 64, /* hashes that an entry of the index stands for, about */
    KNOWN_SHA256 = 32,
};

struct known_part {
    uint64_t at, len; /* bytes of the file */
};

/* The header, and what describes a set to a user. */
struct known_about {
    enum digest_kind hash;
    enum known_verdict verdict;
    uint32_t block_len; /* bytes; 0: hashes of whole files */
    uint64_t count;
    struct bloom_shape filter;
    double rate; /* wanted: false positives of the filter */
    uint32_t index_bits;
    bool has_names;
    struct known_part hashes, index, bloom, refs, names;
    uint64_t size;
    uint8_t body_sha256[KNOWN_SHA256]; /* of all behind the header, */
    uint64_t body_crc64;               /* and its CRC-64 (signatures/crc64.h), */
    bool has_crc64;                    /* which sets of older programs lack */
    char label[KNOWN_LABEL_MAX];
    char created[40], writer[64];
};

struct known_set {
    struct known_about about;
    const char *path;     /* the caller's */
    const uint8_t *bytes; /* the whole file, mapped */
    uint32_t digest_len;
    struct bloom_view filter;
};

/* What a hash that was found says. */
struct known_found {
    const char *name; /* NULL: none */
    uint64_t block;
};

/* Errors: ERR_INPUT: missing, not a set, damaged, of a newer version. */
ERR_MUST_CHECK enum err_code known_set_open(const char *path, struct known_set *out,
                                            struct err *err);
void known_set_close(struct known_set *set); /* of a zeroed one: a no-op */

/* Asks the filter alone about digests of the set's kind, one behind the other: answers[i] is 0
 * where digest i is not in the set, 1 where it may be. Any number of threads. */
void known_set_filter(const struct known_set *set, const uint8_t *digests, uint32_t count,
                      uint8_t *answers);

/* Any number of threads. digest: of the set's kind. */
bool known_set_find(const struct known_set *set, const uint8_t *digest, struct known_found *out);

/* Reads all of it, and compares its CRC-64, or the SHA-256 of a set that has none. ERR_INPUT:
 * damaged. */
ERR_MUST_CHECK enum err_code known_set_verify(const struct known_set *set, struct err *err);

/* Reads all of it, and compares its SHA-256. ERR_INPUT: damaged. */
ERR_MUST_CHECK enum err_code known_set_sha256(const struct known_set *set, struct err *err);

/* Looks at everything: its SHA-256, the order of the hashes, that filter and index have each of
 * them. ERR_INPUT: damaged. */
ERR_MUST_CHECK enum err_code known_set_check(const struct known_set *set, struct err *err);

/* Record number index as it was added. */
void known_set_entry(const struct known_set *set, uint64_t index, struct known_entry *out);

/* Whether the file begins as a hash set does, whole or damaged. */
bool known_about_begins(const char *path);

/* To and from the first page of a file. */
void known_about_store(const struct known_about *about, uint8_t page[KNOWN_PAGE]);
ERR_MUST_CHECK enum err_code known_about_load(const char *path, const uint8_t page[KNOWN_PAGE],
                                              uint64_t size, struct known_about *out,
                                              struct err *err);
void known_sha256(const void *bytes, size_t len, uint8_t out[KNOWN_SHA256]);

#endif
