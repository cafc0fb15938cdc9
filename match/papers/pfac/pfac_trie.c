/* SPDX-License-Identifier: Apache-2.0
 * match/papers/pfac/pfac_trie.c - see pfac_trie.h.
 *
 * A pattern without a mask is in the tree from its first byte to its last, as in the paper. One
 * with a mask is there by the run that is likely to be rarest (anchor.h), and compared where that
 * is found.
 */
#include <stdlib.h>
#include <string.h>

#include "match/papers/pfac/pfac_trie.h"
#include "match/pattern/literals.h"

enum {
    PFAC_TRIE_NODES_MAX =
        1 << 26, /* more than LIMIT_PAPER_PATTERNS patterns of LIMIT_PATTERN_LEN bytes need */
};

/* Strings that the run of a masked pattern may stand for; fewer when the tree would become too
 * large. */
static const uint32_t pfac_trie_variants[] = { 32, 4, 1 };

static enum err_code pfac_trie_add_whole(struct pfac_trie *trie,
                                         const struct match_pattern *pattern, uint32_t index,
                                         struct err *err)
{
    struct anchor whole = { .at = 0, .len = (uint8_t)pattern->len, .exact = true };
    enum err_code rc = ERR_OK;
    uint32_t node = 0;

    for (uint32_t i = 0; i < pattern->len && rc == ERR_OK; i++) {
        const uint8_t byte = pattern->bytes[i];

        if (trie->folds && !pattern->fold_case && match_other_case(byte) != byte)
            whole.exact = false;
        rc = trie_step(&trie->tree, &node, trie->fold[byte], err);
    }
    return rc == ERR_OK ? trie_enter(&trie->tree, node, index, whole, err) : rc;
}

static enum err_code pfac_trie_fill(struct pfac_trie *trie, uint32_t variants, uint32_t *groups,
                                    struct err *err)
{
    const struct anchor_limits limits = { .len = ANCHOR_LEN, .variants = variants };
    enum err_code rc = trie_init(&trie->tree, PFAC_TRIE_NODES_MAX, err);

    memset(groups, 0, ANCHOR_GROUPS * sizeof *groups);
    for (uint32_t i = 0; i < match_dictionary_count(trie->dictionary) && rc == ERR_OK; i++) {
        const struct match_pattern *pattern = match_dictionary_get(trie->dictionary, i);

        if (pattern->kind != MATCH_LITERAL)
            continue;
        rc = pattern->mask == NULL
                 ? pfac_trie_add_whole(trie, pattern, i, err)
                 : trie_add(&trie->tree, pattern, i,
                            anchor_choose(pattern, trie->fold, &limits, groups), trie->fold, err);
    }
    return rc;
}

enum err_code pfac_trie_build(struct pfac_trie *trie, const struct match_dictionary *dictionary,
                              struct err *err)
{
    uint32_t *groups = malloc(ANCHOR_GROUPS * sizeof *groups);
    enum err_code rc = ERR_FULL;

    *trie = (struct pfac_trie){ .dictionary = dictionary };
    if (groups == NULL)
        return ERR_NO_MEMORY(err, ANCHOR_GROUPS * sizeof *groups);
    for (uint32_t i = 0;
         i < sizeof pfac_trie_variants / sizeof pfac_trie_variants[0] && rc == ERR_FULL; i++) {
        pfac_trie_release(trie);
        *trie = (struct pfac_trie){ .dictionary = dictionary };
        trie->folds = match_literals_fold(dictionary, trie->fold);
        rc = pfac_trie_fill(trie, pfac_trie_variants[i], groups, err);
    }
    free(groups);
    return rc != ERR_FULL
               ? rc
               : ERR_RAISE(err, ERR_FULL,
                           "the tree of %u patterns has more than %d states; split the dictionary",
                           match_dictionary_count(dictionary), (int)PFAC_TRIE_NODES_MAX);
}

void pfac_trie_release(struct pfac_trie *trie)
{
    trie_release(&trie->tree);
    *trie = (struct pfac_trie){ 0 };
}
