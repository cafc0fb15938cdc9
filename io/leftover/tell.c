/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/tell.c - see tell.h. */
#include "io/leftover/tell.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    TELL_BUDGET_LEAST = 1 << 16, /* runs, whatever the image's size */
    TELL_BUDGET_BYTES = 64,      /* of the image for each run besides */
    TELL_ROOM = 1 << 10,
};

enum err_code tell_open(struct tell *tell, uint64_t image_size, io_layout_fn each, void *arg,
                        struct err *err)
{
    const size_t bytes = IO_LAYOUT_RUNS_MAX * sizeof *tell->runs;

    *tell = (struct tell){ .image_size = image_size, .each = each, .arg = arg };
    tell->runs = malloc(bytes);
    tell->sorted = malloc(bytes);
    tell->told = calloc(TELL_ROOM, sizeof *tell->told);
    tell->told_room = TELL_ROOM;
    return tell->runs == NULL || tell->sorted == NULL || tell->told == NULL
               ? ERR_NO_MEMORY(err, 2 * bytes)
               : ERR_OK;
}

void tell_release(struct tell *tell)
{
    free(tell->runs);
    free(tell->sorted);
    free(tell->told);
}

void tell_source(struct tell *tell)
{
    tell->budget = TELL_BUDGET_LEAST + tell->image_size / TELL_BUDGET_BYTES;
}

void tell_begin(struct tell *tell)
{
    tell->count = 0;
    tell->bytes = 0;
    tell->broken = false;
}

void tell_add(struct tell *tell, uint64_t offset, uint64_t len)
{
    struct io_range *last = tell->count > 0 ? &tell->runs[tell->count - 1] : NULL;

    if (offset > tell->image_size || len > tell->image_size - offset || len == 0 ||
        tell->budget == 0)
        tell->broken = true;
    if (tell->broken)
        return;
    assert(tell->runs != NULL);
    tell->budget--;
    tell->bytes += len; /* a sum beyond the image is found below: runs lie over each other */
    if (tell->bytes > tell->image_size) {
        tell->broken = true;
    } else if (last != NULL && last->offset + last->len == offset) {
        last->len += len;
    } else if (tell->count == IO_LAYOUT_RUNS_MAX) {
        tell->broken = true;
    } else {
        tell->runs[tell->count++] = (struct io_range){ offset, len };
    }
}

void tell_clusters(struct tell *tell, const struct geometry *volume, uint64_t cluster,
                   uint64_t count)
{
    uint64_t offset = 0;

    if (geometry_place(volume, cluster, count, &offset))
        tell_add(tell, offset, count * volume->unit);
    else
        tell->broken = true;
}

static int tell_compare(const void *a, const void *b)
{
    const struct io_range *x = a, *y = b;

    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static bool tell_apart(struct tell *tell)
{
    memcpy(tell->sorted, tell->runs, tell->count * sizeof *tell->runs);
    qsort(tell->sorted, tell->count, sizeof *tell->sorted, tell_compare);
    for (uint32_t i = 1; i < tell->count; i++)
        if (tell->sorted[i].offset - tell->sorted[i - 1].offset < tell->sorted[i - 1].len)
            return false;
    return true;
}

/* Cuts what lies behind the size off; false: the runs are shorter than it. */
static bool tell_cut(struct tell *tell, uint64_t size)
{
    if (size > tell->bytes)
        return false;
    for (uint64_t more = tell->bytes - size; more > 0;) {
        struct io_range *last = &tell->runs[tell->count - 1];

        if (last->len > more) {
            last->len -= more;
            break;
        }
        more -= last->len;
        tell->count--;
    }
    tell->bytes = size;
    return true;
}

/* A hash of the clusters that the runs have; FNV-1a over words, never 0. */
static uint64_t tell_hash(const struct tell *tell, uint32_t unit)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (uint32_t i = 0; i < tell->count; i++) {
        const struct io_range *run = &tell->runs[i];
        const uint64_t len = (run->len + unit - 1) / unit;

        hash = (hash ^ run->offset) * UINT64_C(0x100000001b3);
        hash = (hash ^ hash >> 32 ^ len) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return hash | 1;
}

static uint64_t *tell_slot(uint64_t *table, uint32_t room, uint64_t hash)
{
    uint32_t i = (uint32_t)(hash >> 20) & (room - 1);

    while (table[i] != 0 && table[i] != hash)
        i = (i + 1) & (room - 1);
    return &table[i];
}

/* *before: it was told. The first TELL_TOLD_MAX layouts are remembered. */
static enum err_code tell_remember(struct tell *tell, uint64_t hash, bool *before, struct err *err)
{
    uint64_t *slot = tell_slot(tell->told, tell->told_room, hash);

    *before = *slot == hash;
    if (*before || tell->told_count == TELL_TOLD_MAX)
        return ERR_OK;
    *slot = hash;
    if (++tell->told_count < tell->told_room / 2)
        return ERR_OK;
    const uint32_t room = tell->told_room * 2;
    uint64_t *table = calloc(room, sizeof *table);
    if (table == NULL)
        return ERR_NO_MEMORY(err, room * sizeof *table);
    for (uint32_t i = 0; i < tell->told_room; i++)
        if (tell->told[i] != 0)
            *tell_slot(table, room, tell->told[i]) = tell->told[i];
    free(tell->told);
    tell->told = table;
    tell->told_room = room;
    return ERR_OK;
}

enum err_code tell_layout(struct tell *tell, const struct io_layout *as,
                          const struct geometry *volume, struct err *err)
{
    struct io_layout layout = *as;
    bool before = false;

    if (tell->broken || tell->count == 0)
        return ERR_OK;
    if (as->open_end ? as->size != 0 && as->size < tell->bytes && !tell_cut(tell, as->size)
                     : as->size != 0 && !tell_cut(tell, as->size))
        return ERR_OK;
    if ((tell->count == 1 && !as->open_end && as->lead == 0) || !tell_apart(tell))
        return ERR_OK;
    if (volume != NULL) {
        layout.unit = volume->unit;
        layout.unit_at = volume->unit_at;
        layout.area = volume->area;
    }
    const enum err_code rc = tell_remember(
        tell, tell_hash(tell, layout.unit) ^ (as->open_end ? as->size << 1 : 0), &before, err);
    if (rc != ERR_OK || before)
        return rc;
    layout.runs = tell->runs;
    layout.run_count = tell->count;
    return tell->each(tell->arg, &layout, err);
}
