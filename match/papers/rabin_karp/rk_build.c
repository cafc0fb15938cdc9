/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/rk_build.c - powers, groups and hash tables of the Rabin-Karp engine:
 * steps 1 and 2 of the paper's algorithm. See rk.c. */
#include <stdlib.h>

#include "match/papers/rabin_karp/rk_program.h"

/* Kinds of literals: by the length of the run, in plain and in folded text. Those without a run
 * come last. */
enum { RK_LENS = LIMIT_PATTERN_LEN + 1, RK_KINDS = 2 * RK_LENS };

static uint32_t rk_kind(struct match_run run)
{
    if (run.len == 0)
        return RK_KINDS;
    return run.letters ? RK_LENS + run.len : run.len;
}

/* Entries sorted by kind; starts[kind] is the first of a kind, starts[kind + 1] the end. */
static void rk_sort(struct rk *rk, uint32_t starts[RK_KINDS + 2])
{
    uint32_t next[RK_KINDS + 2];

    memset(starts, 0, (RK_KINDS + 2) * sizeof *starts);
    for (uint32_t i = 0; i < rk->literals.count; i++)
        starts[rk_kind(match_literal_run(&rk->literals.items[i], LIMIT_PATTERN_LEN)) + 1]++;
    for (uint32_t kind = 1; kind < RK_KINDS + 2; kind++)
        starts[kind] += starts[kind - 1];
    memcpy(next, starts, sizeof next);
    for (uint32_t i = 0; i < rk->literals.count; i++) {
        const struct match_run run = match_literal_run(&rk->literals.items[i], LIMIT_PATTERN_LEN);

        rk->entries[next[rk_kind(run)]++] = (struct rk_entry){ .literal = i, .at = run.at };
    }
    rk->masked = starts[RK_KINDS];
}

/* Opens the group of `count` entries from `first` on. */
static enum err_code rk_add_group(struct rk *rk, uint32_t kind, uint32_t first, uint32_t count,
                                  struct err *err)
{
    struct rk_group *group = &rk->groups[rk->group_count++];
    const bool folded = kind >= RK_LENS;

    group->control = calloc(RK_Q, sizeof *group->control);
    group->table = calloc(RK_Q, sizeof *group->table);
    if (group->control == NULL || group->table == NULL)
        return ERR_NO_MEMORY(err, RK_Q * (sizeof *group->control + sizeof *group->table));
    group->first = first;
    group->count = count;
    group->len = folded ? kind - RK_LENS : kind;
    if (group->len > rk->longest)
        rk->longest = group->len;
    if (!folded)
        rk->plain_count++;
    for (uint32_t i = 0; i < count; i++) {
        struct rk_entry *entry = &rk->entries[first + i];
        const uint8_t *bytes = rk->literals.items[entry->literal].bytes + entry->at;
        uint8_t run[LIMIT_PATTERN_LEN];

        for (uint32_t k = 0; k < group->len; k++)
            run[k] = folded ? rk->fold[bytes[k]] : bytes[k];
        entry->hash = (uint16_t)rk_hash(run, group->len, rk->base, RK_Q);
        rk->hashes[first + i] = entry->hash;
        rk_insert(group->control, group->table, RK_Q, entry->hash, (uint16_t)i);
    }
    return ERR_OK;
}

enum err_code rk_build(const struct match_dictionary *dictionary, uint32_t base, uint32_t threads,
                       struct rk **out, struct err *err)
{
    struct rk *rk = calloc(1, sizeof *rk);
    uint32_t starts[RK_KINDS + 2];

    *out = NULL;
    if (rk == NULL)
        return ERR_NO_MEMORY(err, sizeof *rk);
    rk->threads = threads;
    rk->base = base;
    rk->longest = 1;
    rk_powers(base, RK_Q, rk->powers);
    match_literal_fold(rk->fold);
    enum err_code rc = match_literals_open(dictionary, &rk->literals, err);
    const uint32_t groups_max = RK_KINDS + rk->literals.count / RK_GROUP;
    if (rc == ERR_OK) {
        rk->entries = calloc(rk->literals.count + 1u, sizeof *rk->entries);
        rk->hashes = calloc(rk->literals.count + 1u, sizeof *rk->hashes);
        rk->groups = calloc(groups_max, sizeof *rk->groups);
        if (rk->entries == NULL || rk->hashes == NULL || rk->groups == NULL)
            rc = ERR_NO_MEMORY(err, rk->literals.count * sizeof *rk->entries +
                                        groups_max * sizeof *rk->groups);
    }
    if (rc == ERR_OK)
        rk_sort(rk, starts);
    for (uint32_t kind = 0; rc == ERR_OK && kind < RK_KINDS; kind++)
        for (uint32_t i = starts[kind]; rc == ERR_OK && i < starts[kind + 1]; i += RK_GROUP)
            rc = rk_add_group(rk, kind, i,
                              starts[kind + 1] - i < RK_GROUP ? starts[kind + 1] - i : RK_GROUP,
                              err);
    if (rc == ERR_OK)
        *out = rk;
    else
        rk_destroy(rk);
    return rc;
}

void rk_destroy(struct rk *rk)
{
    if (rk == NULL)
        return;
    for (uint32_t i = 0; rk->groups != NULL && i < rk->group_count; i++) {
        free(rk->groups[i].control);
        free(rk->groups[i].table);
    }
    match_literals_close(&rk->literals);
    free(rk->entries);
    free(rk->hashes);
    free(rk->groups);
    free(rk);
}
