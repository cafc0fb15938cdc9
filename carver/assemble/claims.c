/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/claims.c - see claims.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/limits.h"
#include "base/memory.h"
#include "carver/assemble/claims.h"

struct claims_load {
    struct claims *claims;
    const struct starts *starts;
    claims_map_fn map_of;
    void *map_arg;
    const struct io_fsmap *map; /* NULL: nobody has asked for it yet */
    struct io_range area;       /* of the last claim, */
    bool mapped; /* and whether so much of it is in use that the file system knows it */
};

/*
 * Whether the file system of the area says what is in use. One whose tables are lost, or that was
 * made anew over an older one, does not, and what it calls free belongs to files all the same.
 */
static bool claims_mapped(struct claims_load *load, struct io_range area)
{
    uint32_t count;
    const struct io_range *owned = io_fsmap_owned(load->map, &count);
    const uint64_t end = area.offset + area.len;
    uint64_t sum = 0;

    if (area.offset == load->area.offset && area.len == load->area.len)
        return load->mapped;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t from = owned[i].offset > area.offset ? owned[i].offset : area.offset;
        const uint64_t to =
            owned[i].offset + owned[i].len < end ? owned[i].offset + owned[i].len : end;

        sum += to > from ? to - from : 0;
    }
    load->area = area;
    load->mapped = sum >= area.len / CLAIMS_MAPPED;
    return load->mapped;
}

static enum err_code claims_room(struct claims *claims, uint32_t runs, struct err *err)
{
    if (claims->count == claims->room) {
        const size_t room = claims->room == 0 ? 256 : 2 * claims->room;
        struct claim *items = realloc(claims->items, room * sizeof *items);

        if (items == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *items);
        claims->items = items;
        claims->room = room;
    }
    if (claims->run_count + runs > claims->run_room) {
        const size_t room = 2 * (claims->run_count + runs);
        struct io_range *all = realloc(claims->runs, room * sizeof *all);

        if (all == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *all);
        claims->runs = all;
        claims->run_room = room;
    }
    return ERR_OK;
}

static uint32_t *claims_slot(const struct claims *claims, uint64_t offset)
{
    return &claims->slots[offset / LIMIT_SECTOR % CLAIMS_SLOTS];
}

/* Whether a file in use lies like this: its last piece may end in the middle of a block. */
static bool claims_lives(const struct claims *claims, const struct io_layout *layout)
{
    const uint32_t count = layout->run_count;

    for (uint32_t n = *claims_slot(claims, layout->runs[0].offset); n != 0;
         n = claims->items[n - 1].same) {
        const struct claim *claim = &claims->items[n - 1];
        const struct io_range *runs = &claims->runs[claim->first_run];
        bool same = claim->in_use && claim->run_count == count && !layout->in_use;

        for (uint32_t i = 0; same && i < count; i++)
            same = runs[i].offset == layout->runs[i].offset &&
                   (i + 1 == count || runs[i].len == layout->runs[i].len);
        if (same)
            return true;
    }
    return false;
}

static enum err_code claims_folder(void *arg, struct io_range cluster, struct err *err)
{
    struct claims *claims = ((struct claims_load *)arg)->claims;

    if (claims->folder_count == CLAIMS_MAX ||
        (claims->folder_count > 0 &&
         claims->folders[claims->folder_count - 1].offset == cluster.offset))
        return ERR_OK;
    const enum err_code rc = grow_items(&claims->folders, claims->folder_count,
                                        &claims->folder_room, sizeof *claims->folders, err);
    if (rc == ERR_OK)
        claims->folders[claims->folder_count++] = cluster;
    return rc;
}

static enum err_code claims_take(void *arg, const struct io_layout *layout, struct err *err)
{
    struct claims_load *load = arg;
    struct claims *claims = load->claims;
    const struct start *starts[STARTS_OF_RUNS];

    if (layout->lead == 0 &&
        (starts_of_runs(load->starts, layout->runs, layout->run_count, starts) == 0 ||
         (layout->run_count < 2 && !layout->open_end) || claims_lives(claims, layout)))
        return ERR_OK;
    if (claims->count == CLAIMS_MAX || layout->run_count > CLAIMS_RUNS_MAX - claims->run_count) {
        claims->more = true;
        return ERR_OK;
    }
    const enum err_code rc = claims_room(claims, layout->run_count, err);
    if (rc != ERR_OK)
        return rc;
    uint32_t *slot = claims_slot(claims, layout->runs[0].offset);
    struct claim *claim = &claims->items[claims->count++];
    *claim = (struct claim){ .source = layout->source,
                             .first_run = claims->run_count,
                             .run_count = layout->run_count,
                             .open_end = layout->open_end,
                             .in_use = layout->in_use,
                             .lead = layout->lead,
                             .listed = layout->at,
                             .mapped = layout->open_end && claims_mapped(load, layout->area),
                             .same = *slot,
                             .unit = layout->unit,
                             .size = layout->size,
                             .area = layout->area };
    *slot = (uint32_t)claims->count;
    snprintf(claim->text, sizeof claim->text, "%s", layout->text);
    memcpy(claims->runs + claims->run_count, layout->runs,
           layout->run_count * sizeof *layout->runs);
    claims->run_count += layout->run_count;
    return ERR_OK;
}

static enum err_code claims_map(void *arg, const struct io_fsmap **map, struct err *err)
{
    struct claims_load *load = arg;
    const enum err_code rc = load->map_of(load->map_arg, &load->map, err);

    *map = load->map;
    return rc;
}

enum err_code claims_load(struct io_image *image, claims_map_fn map, void *map_arg,
                          const struct io_leftover_spots *spots, const struct starts *starts,
                          uint32_t threads, bool (*stop)(void), struct claims *out, struct err *err)
{
    struct claims_load load = {
        .claims = out, .starts = starts, .map_of = map, .map_arg = map_arg
    };
    uint64_t *offsets = malloc((starts->count + 1) * sizeof *offsets);
    size_t count = 0;

    *out = (struct claims){ 0 };
    out->slots = memory_sparse(CLAIMS_SLOTS * sizeof *out->slots);
    if (offsets == NULL || out->slots == NULL) {
        free(offsets);
        claims_release(out);
        return ERR_NO_MEMORY(err, starts->count * sizeof *offsets);
    }
    for (size_t i = 0; i < starts->count; i++)
        if (count == 0 || offsets[count - 1] != starts->items[i].offset)
            offsets[count++] = starts->items[i].offset;
    const struct io_leftover_hint hint = { .starts = offsets,
                                           .start_count = count,
                                           .map_of = claims_map,
                                           .map_arg = &load,
                                           .folder = claims_folder,
                                           .folder_arg = &load,
                                           .spots = spots,
                                           .threads = threads,
                                           .stop = stop };
    const enum err_code rc = io_leftover_walk(image, &hint, claims_take, &load, err);
    free(offsets);
    if (rc != ERR_OK)
        claims_release(out);
    return rc;
}

void claims_release(struct claims *claims)
{
    free(claims->items);
    free(claims->runs);
    memory_sparse_free(claims->slots, CLAIMS_SLOTS * sizeof *claims->slots);
    free(claims->folders);
    *claims = (struct claims){ 0 };
}

uint64_t claim_bytes(const struct io_range *runs, uint32_t count)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += runs[i].len;
    return sum;
}

bool claim_agrees(const struct claim *claim, const struct sig_result *result, uint64_t all)
{
    if (result->verdict != SIG_COMPLETE)
        return false;
    return claim->size != 0 ? result->len == claim->size
                            : result->len <= all && all - result->len < claim->unit;
}

/* Bits of proof: of a validator that checks all bytes; of one that checks places; of the layout
 * alone, whose end the validator has met. */
static uint32_t claim_bits(const struct whole *whole)
{
    const enum sig_seam seam = whole->start->sig->seam;

    if (whole->proven && (seam == SIG_SEAM_EXACT || seam == SIG_SEAM_UNIT))
        return WHOLE_EXACT_BITS;
    return whole->proven && seam == SIG_SEAM_PLACES ? 20 : 8;
}

enum err_code claim_try(const struct claims *claims, size_t number, const struct starts *starts,
                        struct trial *trial, struct whole *out, struct err *err)
{
    static const char *const kinds[] = {
        [IO_LAYOUT_FILE] = "file",         [IO_LAYOUT_MFT_RECORD] = "record",
        [IO_LAYOUT_INDIRECT] = "indirect", [IO_LAYOUT_EXTENTS] = "extents",
        [IO_LAYOUT_JOURNAL] = "journal",   [IO_LAYOUT_FAT_ENTRY] = "chain",
        [IO_LAYOUT_EXFAT_ENTRY] = "chain",
    };
    const struct claim *claim = &claims->items[number];
    const struct io_range *runs = &claims->runs[claim->first_run];
    const uint64_t all = claim_bytes(runs, claim->run_count);
    uint32_t best = 0;
    const struct start *found_starts[STARTS_OF_RUNS];
    const uint32_t count = starts_of_runs(starts, runs, claim->run_count, found_starts);
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        const struct start *start = found_starts[i];
        struct sig_result result;
        uint32_t fixed = 0;
        bool found = false;

        rc = trial_header(trial, start->sig, runs, claim->run_count, &found, &fixed, err);
        if (rc != ERR_OK || !found)
            continue;
        rc = trial_all(trial, start->sig, runs, claim->run_count, &result, err);
        if (rc != ERR_OK || !claim_agrees(claim, &result, all))
            continue;
        const uint32_t rank = 1 + fixed + (result.proven ? 1u << 16 : 0);
        if (rank <= best)
            continue;
        best = rank;
        out->start = start;
        out->type = trial_type(trial);
        out->proven = result.proven;
        out->living = claim->in_use;
        out->kind = kinds[claim->source];
        out->why = result.why;
        out->tried = 1;
        out->bits = claim_bits(out);
        snprintf(out->text, sizeof out->text, "%s; the validator reads to its end", claim->text);
        rc = whole_keep(out, runs, claim->run_count, result.len, err);
    }
    return rc;
}
