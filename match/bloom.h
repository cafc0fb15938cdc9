/* SPDX-License-Identifier: Apache-2.0
 * match/bloom.h - Bloom filters: tables of bits that tell which keys are not in a set.
 *
 * The answer "not in the set" is certain. The answer "perhaps in the set" is wrong with a small
 * probability, so callers look such a key up in the set itself.
 *
 * BLOOM_SALTED is the filter of Ong Wen Mei, String Algorithm on GPGPU (Multimedia University,
 * 2013): chapter 2.5 has the formulas, 3.2 the serial form, 4.1 the form for OpenMP. BLOOM_STANDARD
 * hashes a key once instead of k times and chooses k, which chapter 8.3 leaves open. BLOOM_BLOCKED
 * keeps the bits of a key in one cache line (Putze, Sanders, Singler, Cache-, Hash- and
 * Space-Efficient Bloom Filters, 2007). One thread, OpenMP and a device (match/bloom/bloom_parts.h)
 * all make the same table, bit for bit.
 */
#ifndef BURIN_MATCH_BLOOM_H
#define BURIN_MATCH_BLOOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "match/bloom_key.h"

enum {
    BLOOM_K_MAX = 1024,        /* most bits of a key; the thesis uses 500 */
    BLOOM_K_BLOCKED_MAX = 20,  /* more bits in one cache line make the answers no better */
    BLOOM_ALIGN = 64,          /* bytes; alignment of a table in memory and in a file */
    BLOOM_SALTED_BITS_LOG = 32 /* log 2 of the most bits of a table: its hashes have 32 bits */
};

struct bloom; /* owned by the caller of bloom_open */

/*
 * Computes the shape of the smallest table that lets a key outside of a set of n keys through with
 * probability rate, 0 < rate < 1. k is the number of bits of a key, for which equation 3-1 of the
 * thesis gives the size; 0: the best number is chosen, 1 to 64.
 * Errors: ERR_ARG when the values make no sense or the table would be too large.
 */
ERR_MUST_CHECK enum err_code bloom_plan(enum bloom_kind kind, uint64_t n, double rate, uint32_t k,
                                        struct bloom_shape *out, struct err *err);

/*
 * The probability that a filter with n keys lets another key through: equation 2-5 of the thesis.
 */
double bloom_rate(const struct bloom_shape *shape, uint64_t n);

size_t bloom_size(const struct bloom_shape *shape); /* bytes of its table */

/* Makes an empty filter. The salts follow from seed. Errors: ERR_ENV for no memory. */
ERR_MUST_CHECK enum err_code bloom_open(const struct bloom_shape *shape, uint64_t seed,
                                        struct bloom **out, struct err *err);
void bloom_close(struct bloom *bloom); /* NULL is a no-op */
struct bloom_view bloom_view(const struct bloom *bloom);

/* Inserts the keys. threads 1: the serial form; more: the OpenMP form, if this build has it. */
void bloom_insert(const struct bloom_view *view, const struct bloom_keys *keys, uint32_t threads);
/* Asks about the keys: answers[i] is 0 when key i is not in the set, 1 when it may be. */
void bloom_query(const struct bloom_view *view, const struct bloom_keys *keys, uint8_t *answers,
                 uint32_t threads);

/* Asks about one key: false when it is not in the set. Not for BLOOM_SALTED. */
bool bloom_has(const struct bloom_view *view, const uint8_t *key, uint32_t len);

bool bloom_threads(void); /* whether this build has OpenMP */

#endif
