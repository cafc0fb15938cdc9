/*
 * match/bloom.h - Bloom filters: a table of bits that says "not in the set" for certain and "in the set" nearly so.
 *
 * From Ong Wen Mei, String Algorithm on GPGPU (Multimedia University, 2013): chapter 2.5 for the formulas, 3.2 for the serial form,
 * 4.1 for OpenMP. That is BLOOM_SALTED. BLOOM_STANDARD hashes a key once instead of k times and chooses k (chapter 8.3 leaves that
 * open); BLOOM_BLOCKED keeps a key's bits in one cache line (Putze, Sanders, Singler, Cache-, Hash- and Space-Efficient Bloom Filters, 2007).
 * The table is the same bit for bit whatever made it: one thread, OpenMP, or a device (match/bloom/bloom.h).
 *
 * Who asks a filter always looks the key up for certain behind a "yes".
 */
#ifndef BURIN_MATCH_BLOOM_H
#define BURIN_MATCH_BLOOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "match/bloom_key.h"

enum {
    BLOOM_K_MAX = 1024,        /* the thesis uses 500 */
    BLOOM_K_BLOCKED_MAX = 20,  /* more bits of one cache line tell nothing more */
    BLOOM_ALIGN = 64,          /* of a table in memory and in a file */
    BLOOM_SALTED_BITS_LOG = 32 /* hashes of 32 bits reach no further */
};

struct bloom; /* owned by the caller of bloom_open */

/*
 * The smallest table that n keys fill so far that a key outside of the set is let through with probability rate, 0 < rate < 1.
 * k 0: the best number of bits, 1 to 64; else k bits, by the thesis' equation 3-1. Errors: ERR_ARG, the values make no sense or the table
 * would be too large.
 */
ERR_MUST_CHECK enum err_code bloom_plan(enum bloom_kind kind, uint64_t n, double rate, uint32_t k,
                                        struct bloom_shape *out, struct err *err);

/* The probability, by formula, that a filter with n keys lets another one through (the thesis' equation 2-5). */
double bloom_rate(const struct bloom_shape *shape, uint64_t n);

size_t bloom_size(const struct bloom_shape *shape); /* bytes of its table */

/* An empty filter. seed: of the salts. */
ERR_MUST_CHECK enum err_code bloom_open(const struct bloom_shape *shape, uint64_t seed, struct bloom **out,
                                        struct err *err);
void bloom_close(struct bloom *bloom); /* NULL is a no-op */
struct bloom_view bloom_view(const struct bloom *bloom);

/* threads 1: the serial form; more: OpenMP's, if this build has it. */
void bloom_insert(const struct bloom_view *view, const struct bloom_keys *keys, uint32_t threads);
/* answers[i]: 0 not in the set, 1 perhaps. */
void bloom_query(const struct bloom_view *view, const struct bloom_keys *keys, uint8_t *answers, uint32_t threads);

/* One key: false when it is not in the set. Not for BLOOM_SALTED. */
bool bloom_has(const struct bloom_view *view, const uint8_t *key, uint32_t len);

bool bloom_threads(void); /* whether this build has OpenMP */

#endif
