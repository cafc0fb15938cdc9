/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_tables.h - the hashed fingerprints of a group into the tables of words.h. Of
 * words_build.c and words_dense.c alone. */
#ifndef BURIN_MATCH_WORDS_WORDS_TABLES_H
#define BURIN_MATCH_WORDS_WORDS_TABLES_H

#include "match/words/words.h"

/* Most fingerprints of patterns that have no byte without a mask. Each may be in any
 * text, so with more of them other engines are faster. */
enum { WORDS_MASKED_MAX = 1 << 21 };

struct words_item {
    uint64_t hash;    /* of a fingerprint */
    uint32_t pattern; /* its number among those of the caller */
};

/* Fingerprints of a group, equal ones too. */
struct words_items {
    struct words_item *items;
    uint64_t
        *starts; /* the bytes that the sets look at, folded, the first one on top of the others */
    uint32_t count, max;
};

/* Room for so many. */
ERR_MUST_CHECK enum err_code words_items_open(uint32_t max, struct words_items *out,
                                              struct err *err);
void words_items_free(struct words_items *items);
void words_items_add(struct words_items *items, struct words_item item, uint64_t start);

/* An empty group for fingerprints of so many bytes, of which some may be letters of either case. */
void words_group_init(struct words_group *group, uint32_t fingerprint, bool folds);

/* The bytes of a fingerprint that the sets look at; bytes: a word of them can be read. */
static inline uint64_t words_start(const struct words_group *group, const uint8_t *bytes)
{
    uint64_t start = 0;

    for (uint32_t i = 0; i < group->depth; i++)
        start = start << 8 | words_fold(bytes[i], group->fold);
    return start;
}

/* Whether so many fingerprints are neither too few nor too many for a sieve. */
bool words_sieve_suits(const struct words_form *form, const struct words_group *group,
                       uint32_t count);

/* Makes the entry of the caller's pattern of that number; `ends` stays false. */
typedef void (*words_entry_fn)(const void *arg, uint32_t pattern, struct words_entry *out);

/* Bitmap, heads, entries, and the map if the form has a use for it. */
ERR_MUST_CHECK enum err_code words_tables_fill(const struct words_form *form,
                                               struct words_group *group,
                                               const struct words_items *items,
                                               words_entry_fn entry, const void *arg,
                                               struct err *err);

void words_group_free(struct words_group *group);

#endif
