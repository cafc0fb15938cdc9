/* SPDX-License-Identifier: Apache-2.0
 * io/image/aff4_map.c - see aff4_map.h. */
#include "io/image/aff4_map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/bytes.h"
#include "base/grow.h"
#include "base/hex.h"

enum { MAP_ENTRY_LEN = 28 };

/* An entry as it stands in the segment. */
struct map_row {
    uint64_t offset, len, at;
    uint32_t target;
};

static enum err_code map_damaged(const char *path, const char *what, uint64_t value,
                                 struct err *err)
{
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: the map of this AFF4 is damaged: %s %" PRIu64
                     "; copy it again from its source",
                     path, what, value);
}

/* What the IRI of a target stands for. */
static struct aff4_target map_target(const char *iri)
{
    static const char symbol[] = AFF4 "SymbolicStream";
    const size_t len = sizeof symbol - 1;

    if (strcmp(iri, AFF4 "Zero") == 0)
        return (struct aff4_target){ .kind = AFF4_FILL };
    if (strcmp(iri, AFF4 "FFDevice") == 0)
        return (struct aff4_target){ .kind = AFF4_FILL, .fill = UINT8_MAX };
    if (strcmp(iri, AFF4 "UnknownData") == 0)
        return (struct aff4_target){ .kind = AFF4_UNKNOWN };
    if (strcmp(iri, AFF4 "UnreadableData") == 0)
        return (struct aff4_target){ .kind = AFF4_UNREADABLE };
    if (strncmp(iri, symbol, len) == 0 && strlen(iri) == len + 2) {
        const int high = hex_digit(iri[len]), low = hex_digit(iri[len + 1]);

        if (high >= 0 && low >= 0)
            return (struct aff4_target){ .kind = AFF4_FILL, .fill = (uint8_t)(high * 16 + low) };
    }
    return (struct aff4_target){ .kind = AFF4_STREAM, .iri = iri };
}

static enum err_code map_targets(const char *path, struct aff4_map *out, size_t len,
                                 const char *gap, struct err *err)
{
    char *line = out->lines;
    const char *const end = line + len;
    uint32_t lines = 0;

    if (memchr(line, 0, len) != NULL)
        return map_damaged(path, "its list of targets has a byte", 0, err);
    for (const char *at = line; at < end; at++)
        lines += *at == '\n';
    if (lines >= AFF4_TARGETS_MAX)
        return map_damaged(path, "targets:", lines, err);
    /* A line may stand behind the last end of a line; the last target is that of gaps. */
    out->targets = calloc(lines + 2, sizeof *out->targets);
    if (out->targets == NULL)
        return ERR_NO_MEMORY(err, (lines + 2) * sizeof *out->targets);
    while (line < end) {
        char *const next = line + strcspn(line, "\n");

        line[next - line] = '\0';
        if (next > line && next[-1] == '\r')
            next[-1] = '\0';
        out->targets[out->target_count++] = map_target(line);
        line = next + 1;
    }
    out->targets[out->target_count] = map_target(gap);
    if (out->targets[out->target_count].kind == AFF4_STREAM)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: gaps of the map of this AFF4 are filled by %s, which is not known "
                         "here; export it as E01 or raw with the tool that made it",
                         path, gap);
    return ERR_OK;
}

/* Adds an entry, joined with the one before where it goes on with it. */
static enum err_code map_add(struct aff4_map *map, const struct aff4_entry *entry, struct err *err)
{
    const struct aff4_entry *last = map->count > 0 ? &map->items[map->count - 1] : NULL;

    if (last != NULL && last->target == entry->target &&
        (map->targets[entry->target].kind != AFF4_STREAM ||
         last->at + (entry->offset - last->offset) == entry->at))
        return ERR_OK;
    if (map->count >= IO_PIECES_MAX)
        return ERR_RAISE(err, ERR_INPUT, "the image has more than %d pieces", IO_PIECES_MAX);
    const enum err_code rc =
        grow_items(&map->items, map->count, &map->room, sizeof *map->items, err);

    if (rc == ERR_OK)
        map->items[map->count++] = *entry;
    return rc;
}

static int map_compare(const void *a, const void *b)
{
    const struct map_row *x = a, *y = b;

    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* The rows, ascending, as entries with the gaps between them. */
static enum err_code map_entries(const char *path, struct aff4_map *out, const struct map_row *rows,
                                 uint32_t count, struct err *err)
{
    uint64_t end = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i <= count; i++) {
        const struct map_row *row = i < count ? &rows[i] : NULL;
        const uint64_t next = row == NULL ? out->size : row->offset;
        const struct aff4_entry gap = { .offset = end, .target = out->target_count };

        if (row != NULL && row->len == 0)
            continue;
        if (next < end)
            return map_damaged(path, "two of its entries are of byte", next, err);
        if (next > end)
            rc = map_add(out, &gap, err);
        if (rc != ERR_OK || row == NULL)
            continue;
        if (row->offset > out->size || row->len > out->size - row->offset ||
            row->len > UINT64_MAX - row->at)
            return map_damaged(path, "an entry leads out of the image, at byte", row->offset, err);
        if (row->target >= out->target_count)
            return map_damaged(path, "there is no target of number", row->target, err);
        const struct aff4_entry entry = { row->offset, row->at, row->target };
        rc = map_add(out, &entry, err);
        end = row->offset + row->len;
    }
    return rc;
}

static enum err_code map_rows(const char *path, struct aff4_map *out, const uint8_t *bytes,
                              uint64_t len, struct err *err)
{
    const uint32_t count = (uint32_t)(len / MAP_ENTRY_LEN);
    struct map_row *rows;

    if (len % MAP_ENTRY_LEN != 0)
        return map_damaged(path, "its bytes are no whole entries:", len, err);
    rows = malloc(count * sizeof *rows + 1);
    if (rows == NULL)
        return ERR_NO_MEMORY(err, count * sizeof *rows + 1);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *row = bytes + (size_t)i * MAP_ENTRY_LEN;

        rows[i] = (struct map_row){ bytes_u64le(row), bytes_u64le(row + 8), bytes_u64le(row + 16),
                                    bytes_u32le(row + 24) };
    }
    qsort(rows, count, sizeof *rows, map_compare);
    const enum err_code rc = map_entries(path, out, rows, count, err);
    free(rows);
    return rc;
}

enum err_code io_aff4_map_open(const struct aff4_volume *volume, const char *iri,
                               struct aff4_map *out, struct err *err)
{
    const char *path = volume->zip.path, *gap = io_aff4_text(volume, iri, "mapGapDefaultStream");
    const struct io_zip_member *rows = io_aff4_segment(volume, iri, "/map"),
                               *lines = io_aff4_segment(volume, iri, "/idx");
    uint8_t *bytes = NULL;

    if (rows == NULL || lines == NULL || !io_aff4_number(volume, iri, "size", &out->size))
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: this AFF4 is damaged: its map %s, or its size, is missing; copy it "
                         "again from its source",
                         path, iri);
    enum err_code rc = io_zip_load(&volume->zip, lines, (uint8_t **)&out->lines, err);
    if (rc == ERR_OK)
        rc = map_targets(path, out, (size_t)lines->len, gap == NULL ? AFF4 "Zero" : gap, err);
    if (rc == ERR_OK)
        rc = io_zip_load(&volume->zip, rows, &bytes, err);
    if (rc == ERR_OK)
        rc = map_rows(path, out, bytes, rows->len, err);
    free(bytes);
    return rc;
}

enum err_code io_aff4_map_whole(const char *iri, uint64_t size, struct aff4_map *out,
                                struct err *err)
{
    static const struct aff4_entry all = { 0 };

    out->size = size;
    out->lines = strdup(iri);
    out->targets = calloc(1, sizeof *out->targets);
    if (out->lines == NULL || out->targets == NULL)
        return ERR_NO_MEMORY(err, strlen(iri) + 1);
    out->targets[0] = (struct aff4_target){ .kind = AFF4_STREAM, .iri = out->lines };
    out->target_count = 1;
    return map_add(out, &all, err);
}

static bool map_begins(const void *item, uint64_t at)
{
    return ((const struct aff4_entry *)item)->offset <= at;
}

uint32_t io_aff4_map_find(const struct aff4_map *map, uint64_t offset, uint64_t *end)
{
    const size_t i = bisect_last(map->items, map->count, sizeof *map->items, map_begins, offset);

    *end = i + 1 < map->count ? map->items[i + 1].offset : map->size;
    return (uint32_t)i;
}

void io_aff4_map_release(struct aff4_map *map)
{
    free(map->items);
    free(map->targets);
    free(map->lines);
    *map = (struct aff4_map){ 0 };
}
