/* match/words/words_tables.h - the hashed fingerprints of a group into the tables of words.h. Of
 * words_build.c and words_dense.c alone. */
#ifndef BURIN_MATCH_WORDS_WORDS_TABLES_H
#define BURIN_MATCH_WORDS_WORDS_TABLES_H

#include <assert.h>

#include "match/words/words.h"

enum { WORDS_ENTRIES_MAX = 1 << 24 }; /* a GiB */
static_assert((int)LIMIT_PATTERN_COUNT <= (int)WORDS_ENTRIES_MAX,
              "patterns without masks always fit");

struct words_item {
    uint64_t hash;    /* of a fingerprint */
    uint32_t pattern; /* in the templates */
};

/* Fingerprints of a group, equal ones too. */
struct words_items {
    struct words_item *items;
    uint64_t
        *starts; /* the bytes that the sets look at, folded, the first one on top of the others */
    uint32_t count, max;
};

void words_items_free(struct words_items *items);
ERR_MUST_CHECK enum err_code words_items_add(struct words_items *items, struct words_item item,
                                             uint64_t start, struct err *err);

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

/*
 * Bitmap, heads, entries, and the map if the form has a use for it. Entries are those of the
 * templates: where fingerprints lie in patterns is said there.
 */
ERR_MUST_CHECK enum err_code words_tables_fill(const struct words_form *form,
                                               struct words_group *group,
                                               const struct words_items *items,
                                               const struct words_entry *templates,
                                               struct err *err);

void words_group_free(struct words_group *group);

#endif
