/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/rk_pass.c - see rk_pass.h. */
#include <stdlib.h>
#include <string.h>

#include "match/offload/offload.h"
#include "match/papers/rabin_karp/match_str.h"
#include "match/papers/rabin_karp/rk_pass.h"
#include "match/papers/rabin_karp/rk_program.h"

enum { RK_PASS_ALIGN = 256 };

static size_t rk_pass_place(size_t *size, size_t more)
{
    const size_t at = *size;

    *size = (at + more + RK_PASS_ALIGN - 1) / RK_PASS_ALIGN * RK_PASS_ALIGN;
    return at;
}

static void rk_pass_fill(const struct rk *rk, const struct rk_pass_head *head, uint8_t *memory)
{
    struct rk_pass_group *groups = (struct rk_pass_group *)(void *)(memory + head->groups_at);
    struct rk_pass_entry *entries = (struct rk_pass_entry *)(void *)(memory + head->entries_at);
    uint32_t *masked = (uint32_t *)(void *)(memory + head->masked_at);

    for (uint32_t g = 0; g < rk->group_count; g++)
        groups[g] = (struct rk_pass_group){ .first = rk->groups[g].first,
                                            .count = rk->groups[g].count,
                                            .len = rk->groups[g].len,
                                            .folded = g >= rk->plain_count };
    memcpy(memory + head->powers_at, rk->powers, sizeof rk->powers);
    for (uint32_t i = 0; i < rk->literals.count; i++) {
        const struct match_literal *literal = &rk->literals.items[rk->entries[i].literal];
        const uint32_t what = literal->index << 8 | literal->len;

        if (i < rk->masked)
            entries[i] = (struct rk_pass_entry){ .what = what, .at = rk->entries[i].at };
        else
            masked[i - rk->masked] = what;
    }
}

enum err_code rk_pass_build(const struct match_dictionary *dictionary, uint32_t base,
                            uint32_t steps, void **out, size_t *size, struct err *err)
{
    struct rk *rk = NULL;
    enum err_code rc = rk_build(dictionary, base, 1, &rk, err);

    *out = NULL;
    if (rc != ERR_OK)
        return rc;
    struct rk_pass_head head = { .base = base,
                                 .steps = steps,
                                 .group_count = rk->group_count,
                                 .plain_count = rk->plain_count,
                                 .entry_count = rk->masked,
                                 .masked_count = rk->literals.count - rk->masked };
    size_t at = 0;
    (void)rk_pass_place(&at, sizeof head);
    head.groups_at = (uint32_t)rk_pass_place(&at, rk->group_count * sizeof(struct rk_pass_group));
    head.powers_at = (uint32_t)rk_pass_place(&at, sizeof rk->powers);
    head.entries_at = (uint32_t)rk_pass_place(&at, rk->masked * sizeof(struct rk_pass_entry));
    head.masked_at = (uint32_t)rk_pass_place(&at, head.masked_count * sizeof(uint32_t));
    uint8_t *memory = calloc(1, at);
    if (memory == NULL) {
        rc = ERR_NO_MEMORY(err, at);
    } else {
        memcpy(memory, &head, sizeof head);
        rk_pass_fill(rk, &head, memory);
    }
    *out = memory;
    *size = at;
    rk_destroy(rk);
    return rc;
}

static size_t rk_pass_temporary(uint32_t n)
{
#ifdef BURIN_HAVE_CUDA
    return rk_scan_temporary_cuda(n);
#else
    (void)n;
    return 0;
#endif
}

/* In this order: sums, control, table, hashes, and what the scan needs. */
static void rk_pass_layout(uint32_t n, struct rk_pass *p, uint8_t *memory, size_t *size)
{
    size_t at = 0;
    const size_t sums = rk_pass_place(&at, n * sizeof *p->sums);
    const size_t control = rk_pass_place(&at, RK_Q * sizeof *p->control);
    const size_t table = rk_pass_place(&at, RK_Q * sizeof *p->table);
    const size_t hashes = rk_pass_place(&at, RK_GROUP * sizeof *p->hashes);
    const size_t temporary = at;

    p->temporary_size = rk_pass_temporary(n);
    *size = temporary + p->temporary_size;
    if (memory == NULL)
        return;
    p->sums = (uint32_t *)(void *)(memory + sums);
    p->control = (uint32_t *)(void *)(memory + control);
    p->table = (uint32_t *)(void *)(memory + table);
    p->hashes = (uint32_t *)(void *)(memory + hashes);
    p->temporary = memory + temporary;
}

size_t rk_pass_scratch(uint32_t text_max)
{
    struct rk_pass p = { 0 };
    size_t size = 0;

    rk_pass_layout(text_max, &p, NULL, &size);
    return size;
}

const struct rk_pass_group *rk_pass_groups(const struct offload_extra *extra)
{
    const struct rk_pass_head *head = extra->host;

    return (const struct rk_pass_group *)(const void *)((const uint8_t *)extra->host +
                                                        head->groups_at);
}

struct rk_pass rk_pass_of(const struct tables *tables, const struct offload_extra *extra,
                          const struct ring_view *view, uint32_t g)
{
    const struct rk_pass_head *head = extra->host;
    const struct rk_pass_group *group = &rk_pass_groups(extra)[g];
    const uint8_t *there = extra->device;
    struct rk_pass p = {
        .search = { .tables = *tables, .view = *view },
        .powers = (const uint16_t *)(const void *)(there + head->powers_at),
        .entries =
            (const struct rk_pass_entry *)(const void *)(there + head->entries_at) + group->first,
        .count = group->count,
        .len = group->len,
        .folded = group->folded,
        .base = head->base,
    };
    size_t size = 0;

    rk_pass_layout(view->len, &p, view->scratch, &size);
    return p;
}

enum err_code rk_pass_masked(const struct tables *tables, const struct offload_extra *extra,
                             const struct ring_view *view, struct device_stream *stream,
                             struct err *err)
{
    const struct rk_pass_head *head = extra->host;
    const uint8_t *there = extra->device;

    return match_str_enqueue(tables, view,
                             (const uint32_t *)(const void *)(there + head->masked_at),
                             head->masked_count, stream, err);
}
