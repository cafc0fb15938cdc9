/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/volumes.c - see io/volumes.h. What comes through the pipe is believed as far as it
 * fits: see fsmap.c.
 *
 * The runs of a volume count when the other process has said that they are all there, and not
 * before. Whoever cannot be read has runs of no kind: what lies there is not proved to be in use,
 * whatever others say of it.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/grow.h"
#include "io/filesystem/fsmap_pipe.h"
#include "io/filesystem/ranges.h"
#include "io/volumes.h"

enum {
    VOLUMES_MAX = 1 << 16,
    VOLUMES_TEXT_MAX = 64 << 20, /* bytes of all texts */
};

/* What volumes say of bytes. */
enum volumes_set {
    VOLUMES_TAKEN, /* in use */
    VOLUMES_META,  /* of the file system itself */
    VOLUMES_OWNED, /* a file has them */
    VOLUMES_DOUBT, /* not in use, or behind the end of a file, or nobody knows */
    VOLUMES_SETS
};

struct io_volumes {
    struct io_volume *items;
    uint32_t count;
    size_t room;
    struct arena text;
    char note[FSMAP_NOTE_MAX];
    struct ranges used;
};

struct volumes_reading {
    struct io_volumes *volumes;
    uint32_t wants;
    uint64_t image_size;
    struct ranges now[VOLUMES_SETS]; /* of the volume under way */
    struct ranges all[VOLUMES_SETS];
    bool open; /* a volume is under way that has runs, and was not said to be whole */
    bool whole;
    struct fsmap_pipe pipe;
};

static void volumes_note(struct io_volumes *volumes, const char *text)
{
    if (volumes->note[0] == '\0')
        snprintf(volumes->note, sizeof volumes->note, "%s", text);
}

static enum err_code volumes_why(struct volumes_reading *reading, const char *text, struct err *err)
{
    struct io_volumes *volumes = reading->volumes;

    if (volumes->count == 0) {
        volumes_note(volumes, text);
        return ERR_OK;
    }
    volumes->items[volumes->count - 1].why = arena_copy(&volumes->text, text, strlen(text));
    return volumes->items[volumes->count - 1].why != NULL ? ERR_OK
                                                          : ERR_NO_MEMORY(err, strlen(text));
}

static enum err_code volumes_grow(struct io_volumes *volumes, struct err *err)
{
    if (volumes->count >= VOLUMES_MAX)
        return ERR_RAISE(err, ERR_ENV, "the image has too many volumes");
    return grow_items(&volumes->items, volumes->count, &volumes->room, sizeof *volumes->items, err);
}

/* What is between two volumes and was not said to be whole counts for nothing. */
static enum err_code volumes_drop(struct volumes_reading *reading, struct err *err)
{
    bool full = false;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < VOLUMES_DOUBT; i++)
        reading->now[i].count = 0;
    for (uint32_t i = 0; rc == ERR_OK && i < reading->now[VOLUMES_DOUBT].count; i++) {
        const struct io_range *range = &reading->now[VOLUMES_DOUBT].items[i];

        rc = ranges_add(&reading->all[VOLUMES_DOUBT], range->offset, range->len, &full, err);
    }
    reading->now[VOLUMES_DOUBT].count = 0;
    reading->open = false;
    return rc == ERR_OK && full
               ? ERR_RAISE(err, ERR_ENV, "the file systems have too many runs of blocks")
               : rc;
}

/* All runs of the volume are there. */
static enum err_code volumes_keep(struct volumes_reading *reading, struct err *err)
{
    enum err_code rc = ERR_OK;
    bool full = false;

    for (uint32_t i = 0; i < VOLUMES_SETS; i++) {
        for (uint32_t k = 0; rc == ERR_OK && !full && k < reading->now[i].count; k++)
            rc = ranges_add(&reading->all[i], reading->now[i].items[k].offset,
                            reading->now[i].items[k].len, &full, err);
        reading->now[i].count = 0;
    }
    reading->open = false;
    return rc == ERR_OK && full
               ? ERR_RAISE(err, ERR_ENV, "the file systems have too many runs of blocks")
               : rc;
}

static enum err_code volumes_slot(struct volumes_reading *reading,
                                  const struct fsmap_record *record, const char *text,
                                  struct err *err)
{
    struct io_volumes *volumes = reading->volumes;
    const char *texts[FSMAP_SLOT_TEXTS];
    const char *copy = arena_copy(&volumes->text, text, record->text_len);
    enum err_code rc =
        copy == NULL ? ERR_NO_MEMORY(err, record->text_len) : volumes_drop(reading, err);

    if (rc == ERR_OK)
        rc = volumes_grow(volumes, err);
    if (rc != ERR_OK)
        return rc;
    for (uint32_t i = 0; i < FSMAP_SLOT_TEXTS; i++) {
        const char *end = copy + strlen(copy);

        texts[i] = copy;
        copy = end < texts[0] + record->text_len ? end + 1 : end;
    }
    const uint64_t size = reading->image_size;
    const uint64_t offset = record->offset < size ? record->offset : size;
    const bool logical = record->kind == IO_VOLUME_LOGICAL;
    volumes->items[volumes->count++] = (struct io_volume){
        .kind =
            record->kind <= IO_VOLUME_LOGICAL ? (enum io_volume_kind)record->kind : IO_VOLUME_GAP,
        .number = record->partition,
        .offset = offset,
        .len = logical || record->len < size - offset ? record->len : size - offset,
        .sector_size = record->sector == 0 ? 512 : record->sector,
        .table = texts[FSMAP_SLOT_TABLE],
        .description = texts[FSMAP_SLOT_DESCRIPTION],
        .content = texts[FSMAP_SLOT_CONTENT],
        .label = texts[FSMAP_SLOT_LABEL],
        .content_len = record->file_offset,
        .block_size = record->unit,
        .why = texts[FSMAP_SLOT_WHY],
    };
    return ERR_OK;
}

static enum volumes_set volumes_set(enum io_area_kind kind, bool slack)
{
    switch (kind) {
    case IO_AREA_ALLOCATED:
        return VOLUMES_TAKEN;
    case IO_AREA_META:
        return VOLUMES_META;
    case IO_AREA_FILE:
        return slack ? VOLUMES_OWNED : VOLUMES_SETS;
    case IO_AREA_SLACK:
        return slack ? VOLUMES_DOUBT : VOLUMES_SETS;
    case IO_AREA_NONE:
    case IO_AREA_UNALLOCATED:
        return VOLUMES_DOUBT;
    default:
        return VOLUMES_SETS;
    }
}

static enum err_code volumes_run(struct volumes_reading *reading, const struct fsmap_record *record,
                                 struct err *err)
{
    const uint64_t size = reading->image_size;
    bool full = false;

    if (record->kind > IO_AREA_UNPARTITIONED || record->offset >= size)
        return ERR_OK;
    const enum volumes_set set =
        volumes_set((enum io_area_kind)record->kind, (reading->wants & IO_VOLUMES_SLACK) != 0);
    if (set == VOLUMES_SETS)
        return ERR_OK;
    const uint64_t left = size - record->offset, len = record->len < left ? record->len : left;
    const enum err_code rc = ranges_add(&reading->now[set], record->offset, len, &full, err);
    reading->open = true;
    return rc == ERR_OK && full
               ? ERR_RAISE(err, ERR_ENV, "the file systems have too many runs of blocks")
               : rc;
}

static enum err_code volumes_take(struct volumes_reading *reading,
                                  const struct fsmap_record *record, const char *text,
                                  struct err *err)
{
    switch (record->word) {
    case FSMAP_SLOT:
        return volumes_slot(reading, record, text, err);
    case FSMAP_NOTE:
        return volumes_why(reading, text, err);
    case FSMAP_RUN:
        return volumes_run(reading, record, err);
    case FSMAP_WHOLE:
        return volumes_keep(reading, err);
    default:
        reading->whole = record->word == FSMAP_END;
        return ERR_OK;
    }
}

/* All that the other process says, up to its end. */
static enum err_code volumes_read(struct volumes_reading *reading, struct err *err)
{
    struct fsmap_record record;
    char text[FSMAP_PATH_MAX + 1], why[FSMAP_NOTE_MAX];
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && !reading->whole && fsmap_pipe_next(&reading->pipe, &record, text))
        rc = volumes_take(reading, &record, text, err);
    if (rc == ERR_OK && reading->pipe.end == FSMAP_PIPE_STOPPED)
        rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted while file systems were read");
    const bool open = reading->open;
    if (rc == ERR_OK)
        rc = volumes_drop(reading, err);
    fsmap_pipe_close(&reading->pipe);
    if (rc != ERR_OK || reading->whole)
        return rc;
    fsmap_pipe_why(&reading->pipe, why);
    volumes_note(reading->volumes, why);
    return open ? volumes_why(reading, why, err) : ERR_OK;
}

/* Bytes that are proved to be in use: those in use, with slack only as far as a file has them, and
 * those of the file systems themselves; without all that is in doubt. */
static enum err_code volumes_used(struct volumes_reading *reading, struct ranges *out,
                                  struct err *err)
{
    struct ranges *all = reading->all, taken = { 0 };
    struct ranges *used = &all[VOLUMES_TAKEN];
    enum err_code rc = ERR_OK;
    bool full = false;

    for (uint32_t i = 0; i < VOLUMES_SETS; i++)
        ranges_sort(&all[i]);
    if ((reading->wants & IO_VOLUMES_SLACK) != 0) {
        rc = ranges_both(&all[VOLUMES_TAKEN], &all[VOLUMES_OWNED], &taken, err);
        used = &taken;
    }
    for (uint32_t i = 0; rc == ERR_OK && !full && i < all[VOLUMES_META].count; i++)
        rc = ranges_add(used, all[VOLUMES_META].items[i].offset, all[VOLUMES_META].items[i].len,
                        &full, err);
    if (rc == ERR_OK && full)
        rc = ERR_RAISE(err, ERR_ENV, "the file systems have too many runs of blocks");
    ranges_sort(used);
    if (rc == ERR_OK)
        rc = ranges_without(used, &all[VOLUMES_DOUBT], out, err);
    ranges_release(&taken);
    return rc;
}

enum err_code io_volumes_open(const struct io_image *image, uint32_t wants, bool (*stop)(void),
                              struct io_volumes **out, struct err *err)
{
    struct io_volumes *volumes = calloc(1, sizeof *volumes);
    struct volumes_reading reading = { .volumes = volumes,
                                       .wants = wants,
                                       .image_size = io_image_size(image) };
    const uint32_t ask = ((wants & IO_VOLUMES_USED) != 0 ? FSMAP_WANT_STATES : 0) |
                         ((wants & IO_VOLUMES_SLACK) != 0 ? FSMAP_WANT_FILES : 0) |
                         ((wants & IO_VOLUMES_SOON) != 0 ? FSMAP_WANT_SOON : 0);

    *out = NULL;
    if (volumes == NULL)
        return ERR_NO_MEMORY(err, sizeof *volumes);
    arena_init(&volumes->text, VOLUMES_TEXT_MAX);
    enum err_code rc = fsmap_pipe_open(&reading.pipe, image, ask, stop, NULL, err);
    if (rc == ERR_OK)
        rc = volumes_read(&reading, err);
    if (rc == ERR_OK)
        rc = volumes_used(&reading, &volumes->used, err);
    for (uint32_t i = 0; i < VOLUMES_SETS; i++) {
        ranges_release(&reading.now[i]);
        ranges_release(&reading.all[i]);
    }
    if (rc == ERR_OK)
        *out = volumes;
    else
        io_volumes_close(volumes);
    return rc;
}

void io_volumes_close(struct io_volumes *volumes)
{
    if (volumes == NULL)
        return;
    ranges_release(&volumes->used);
    arena_release(&volumes->text);
    free(volumes->items);
    free(volumes);
}

const char *io_volume_kind_name(enum io_volume_kind kind)
{
    static const char *const names[] = { [IO_VOLUME_TABLE] = "table",
                                         [IO_VOLUME_GAP] = "gap",
                                         [IO_VOLUME_PARTITION] = "partition",
                                         [IO_VOLUME_ALL] = "all",
                                         [IO_VOLUME_LOGICAL] = "logical" };

    return names[kind];
}

uint32_t io_volumes_count(const struct io_volumes *volumes)
{
    return volumes->count;
}

struct io_volume io_volumes_get(const struct io_volumes *volumes, uint32_t index)
{
    assert(index < volumes->count);
    return volumes->items[index];
}

const struct io_range *io_volumes_used(const struct io_volumes *volumes, uint32_t *count)
{
    *count = volumes->used.count;
    return volumes->used.items;
}

const char *io_volumes_note(const struct io_volumes *volumes)
{
    return volumes->note;
}
