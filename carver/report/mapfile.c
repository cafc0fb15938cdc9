/* SPDX-License-Identifier: Apache-2.0
 * carver/report/mapfile.c - the map of GNU ddrescue. Every byte of the image is in one block: a bad
 * range has the letter that is on record; else what the scan has gone over is '+', and the rest
 * '?'.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "carver/cli/about.h"
#include "carver/cli/print_safe.h"
#include "carver/report/report.h"

enum { MAPFILE_ROOM = 64 };

/* Bytes of one letter. */
struct mapfile_block {
    uint64_t offset, len;
    char letter;
};

struct mapfile_blocks {
    struct mapfile_block *items; /* by ascending offset; owned */
    size_t count, room;
};

struct mapfile {
    struct mapfile_blocks read, bad;
};

/* Adds a block; it is joined with the last one where they touch and have one letter. */
static enum err_code mapfile_add(struct mapfile_blocks *blocks, uint64_t offset, uint64_t len,
                                 char letter, struct err *err)
{
    struct mapfile_block *last = blocks->count > 0 ? &blocks->items[blocks->count - 1] : NULL;

    if (last != NULL && last->letter == letter && offset <= last->offset + last->len) {
        if (offset + len > last->offset + last->len)
            last->len = offset + len - last->offset;
        return ERR_OK;
    }
    if (blocks->count == blocks->room) {
        const size_t room = blocks->room == 0 ? MAPFILE_ROOM : blocks->room * 2;
        struct mapfile_block *items = realloc(blocks->items, room * sizeof *items);

        if (items == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *items);
        blocks->items = items;
        blocks->room = room;
    }
    blocks->items[blocks->count++] = (struct mapfile_block){ offset, len, letter };
    return ERR_OK;
}

static enum err_code mapfile_add_part(void *arg, const struct db_part *part, struct err *err)
{
    return mapfile_add(&((struct mapfile *)arg)->read, part->offset, part->len, '+', err);
}

static enum err_code mapfile_add_bad(void *arg, const struct db_bad_range *range, struct err *err)
{
    return mapfile_add(&((struct mapfile *)arg)->bad, range->offset, range->len, range->status,
                       err);
}

/* The first block, from *at on, that ends behind offset; NULL: none. */
static const struct mapfile_block *mapfile_next(const struct mapfile_blocks *blocks, size_t *at,
                                                uint64_t offset)
{
    while (*at < blocks->count && blocks->items[*at].offset + blocks->items[*at].len <= offset)
        ++*at;
    return *at < blocks->count ? &blocks->items[*at] : NULL;
}

/* Cuts the image into blocks. */
static enum err_code mapfile_cut(const struct mapfile *map, uint64_t size,
                                 struct mapfile_blocks *out, struct err *err)
{
    size_t next_read = 0, next_bad = 0;
    enum err_code rc = ERR_OK;

    for (uint64_t at = 0, end; rc == ERR_OK && at < size; at = end) {
        const struct mapfile_block *bad = mapfile_next(&map->bad, &next_bad, at);
        const struct mapfile_block *read = mapfile_next(&map->read, &next_read, at);
        const struct mapfile_block *here = bad != NULL && bad->offset <= at     ? bad
                                           : read != NULL && read->offset <= at ? read
                                                                                : NULL;

        end = here != NULL ? here->offset + here->len : size;
        if (here != bad && bad != NULL && bad->offset < end)
            end = bad->offset;
        if (here == NULL && read != NULL && read->offset < end)
            end = read->offset;
        if (end > size)
            end = size;
        rc = mapfile_add(out, at, end - at, here != NULL ? here->letter : '?', err);
    }
    return rc;
}

static void mapfile_print(const struct report *report, const struct db_image *image,
                          const struct mapfile_blocks *blocks)
{
    FILE *const out = report->out;
    const bool all = blocks->count == 1 && blocks->items[0].letter == '+';

    fprintf(out, "# Mapfile. Created by burin %s from the case file ", about_version());
    print_safe(out, report->case_path);
    fprintf(out, "\n# of image %" PRId64 ", ", image->id);
    print_safe(out, image->path);
    fprintf(
        out,
        "\n# + means: read by burin. It does not mean: copied. ddrescue must not go on with this "
        "map.\n"
        "# current_pos  current_status  current_pass\n"
        "0x%08" PRIX64 "     %c               1\n"
        "#      pos        size  status\n",
        UINT64_C(0), all ? '+' : '?');
    for (size_t i = 0; i < blocks->count; i++)
        fprintf(out, "0x%08" PRIX64 "  0x%08" PRIX64 "  %c\n", blocks->items[i].offset,
                blocks->items[i].len, blocks->items[i].letter);
}

/* Which image is meant. */
static enum err_code mapfile_image(const struct report *report, struct db_image *out,
                                   struct err *err)
{
    uint32_t count = 0;
    enum err_code rc = db_image_count(report->db, &count, err);

    if (rc == ERR_OK && report->image == 0 && count > 1)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: it has %" PRIu32 " images; say which with --image N",
                       report->case_path, count);
    return rc == ERR_OK
               ? db_image_get(report->db, report->image == 0 ? 1 : (int64_t)report->image, out, err)
               : rc;
}

enum err_code report_mapfile(struct report *report, struct err *err)
{
    struct mapfile map = { 0 };
    struct mapfile_blocks blocks = { 0 };
    struct db_image image;
    struct db_run run;
    int64_t scan = 0;
    bool done = false;

    enum err_code rc = mapfile_image(report, &image, err);
    if (rc == ERR_OK)
        rc = db_run_latest(report->db, image.id, &run, err);
    if (rc == ERR_OK) {
        scan = run.resumes != 0 ? run.resumes : run.id;
        done = strcmp(run.status, "done") == 0;
        rc = db_parts_walk(report->db, scan, 0, mapfile_add_part, &map, err);
    }
    if (rc == ERR_OK && map.read.count == 0 && done)
        rc =
            ERR_RAISE(err, ERR_INPUT,
                      "%s: it names no bytes that were scanned; those of an older burin do not, so "
                      "scan the image again",
                      report->case_path);
    if (rc == ERR_OK)
        rc = db_bad_ranges_walk(report->db, image.id, scan, mapfile_add_bad, &map, err);
    if (rc == ERR_OK)
        rc = mapfile_cut(&map, image.size, &blocks, err);
    if (rc == ERR_OK)
        mapfile_print(report, &image, &blocks);
    free(blocks.items);
    free(map.read.items);
    free(map.bad.items);
    return rc;
}
