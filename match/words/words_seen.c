/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_seen.c - see words_seen.h. */
#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/uninitialized.h"
#include "match/model/words_model.h"
#include "match/words/words_seen.h"

enum {
    SEEN_BITS_LEAST = 20, /* of the table, log 2, at least, */
    SEEN_BITS_MOST = 23,  /* and at most: four places for a pattern */
    SEEN_HUGE_PAGE = 2 << 20,
};

uint32_t words_fingerprints(const struct match_pattern *pattern, uint32_t fingerprint,
                            struct words_phase phase, uint8_t at[WORDS_OFFERS])
{
    uint32_t all = 0, count = 0;

    assert(fingerprint > 0);
    if (pattern->mask == NULL && pattern->len - fingerprint < WORDS_OFFERS) {
        for (uint32_t i = phase.phase; i + fingerprint <= pattern->len; i += phase.every)
            at[count++] = (uint8_t)i;
        return count;
    }
    for (uint32_t pass = 0; pass < 2; pass++) { /* counts them, then takes every so manieth */
        const uint32_t step = all / WORDS_OFFERS + 1;
        uint32_t whole = 0, seen = 0;

        for (uint32_t i = 0; i < pattern->len; i++) {
            whole = pattern->mask == NULL || pattern->mask[i] == 0xff ? whole + 1 : 0;
            if (whole < fingerprint || (i + 1 - fingerprint) % phase.every != phase.phase)
                continue;
            if (pass == 0)
                all++;
            else if (seen++ % step == 0)
                at[count++] = (uint8_t)(i + 1 - fingerprint);
        }
    }
    return count;
}

/* The index of the fingerprint at bytes, folded ones, in a table. */
static uint64_t seen_hash(const uint8_t *bytes, uint32_t fingerprint, uint32_t table_bits)
{
    assert(fingerprint > 0 && fingerprint <= 2 * WORDS_WORD); /* no shift is by 64 or more */
    const uint32_t lacks = fingerprint < WORDS_WORD ? WORDS_WORD - fingerprint : 0;
    uint64_t hash = (words_load(bytes) << 8 * lacks) * 0x9e3779b97f4a7c15u + fingerprint * 7919u;

    if (fingerprint > WORDS_WORD)
        hash += (words_load(bytes + WORDS_WORD) << 8 * (2 * WORDS_WORD - fingerprint)) *
                0xc2b2ae3d27d4eb4fu;
    return hash * WORDS_SECOND >> (64 - table_bits);
}

void words_offer(const struct words_seen *seen, const struct match_pattern *pattern,
                 uint32_t fingerprint, struct words_phase phase, struct words_offer *out)
{
    uint8_t small[LIMIT_PATTERN_LEN + 2 * WORDS_WORD] UNINITIALIZED;

    out->pattern = pattern;
    out->count = fingerprint == 0 ? 0 : words_fingerprints(pattern, fingerprint, phase, out->at);
    if (out->count == 0)
        return;
    for (uint32_t i = 0; i < pattern->len; i++)
        small[i] = words_small(pattern->bytes[i]);
    memset(small + pattern->len, 0, 2 * WORDS_WORD);
    for (uint32_t k = 0; k < out->count; k++) {
        out->its[k] = &seen->table[seen_hash(small + out->at[k], fingerprint, seen->bits)];
        __builtin_prefetch(out->its[k], 1);
    }
}

enum err_code words_seen_open(uint32_t patterns, struct words_seen *out, struct err *err)
{
    uint32_t bits = SEEN_BITS_LEAST;

    while (bits < SEEN_BITS_MOST && 1u << bits < 4 * patterns)
        bits++;
    const size_t size = sizeof *out->table << bits;
    *out = (struct words_seen){ .table = aligned_alloc(SEEN_HUGE_PAGE, size), .bits = bits };
    if (out->table == NULL)
        return ERR_NO_MEMORY(err, size);
    (void)madvise(out->table, size, MADV_HUGEPAGE); /* it is looked up all over */
    memset(out->table, 0, size);
    return ERR_OK;
}

void words_seen_close(struct words_seen *seen)
{
    free(seen->table);
    *seen = (struct words_seen){ 0 };
}
