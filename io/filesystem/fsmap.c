/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/fsmap.c - see fsmap.h. What comes through the pipe is believed as far as it fits:
 * the process at its other end has read a file system that somebody may have made to harm it.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bisect.h"
#include "base/grow.h"
#include "io/filesystem/fsmap_files.h"
#include "io/filesystem/fsmap_pipe.h"
#include "io/filesystem/ranges.h"
#include "io/fsmap.h"
#include "io/fsmap_walk.h"

enum {
    FSMAP_RUNS_MAX = 1 << 24, /* 64 bytes each */
    FSMAP_TEXT_MAX = 1 << 30, /* bytes of paths and what else is told of files */
    FSMAP_BACK =
        64, /* runs looked back for one that covers a place: deleted files lie over each other */
};

/* A file whose runs these are. */
struct fsmap_owner {
    const char *path;
    uint64_t inode;
    struct io_file_times times;
};

struct fsmap_run {
    uint64_t offset, end, file_offset;
    const struct fsmap_owner *owner;
    const char *file_system;
    uint32_t partition;
    enum io_area_kind kind;
};

/* Runs by what a place is asked for in turn: whose it is, whose it was, in what state it is. */
struct fsmap_list {
    struct fsmap_run *runs; /* by offset */
    uint32_t count;
    size_t room;
};

struct io_fsmap {
    struct fsmap_list owned, lost, states;
    struct fsmap_files files;
    struct ranges in_use; /* sorted */
    struct arena text;
    char note[FSMAP_NOTE_MAX];
};

const char *io_area_kind_name(enum io_area_kind kind)
{
    static const char *const names[] = { "-",           "file",      "slack",    "deleted",
                                         "unallocated", "allocated", "metadata", "unpartitioned" };

    return names[kind];
}

static const struct fsmap_owner fsmap_nobody = {
    .path = "", .times = { INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN }
};

static struct fsmap_list *fsmap_list(struct io_fsmap *map, enum io_area_kind kind)
{
    return kind == IO_AREA_FILE || kind == IO_AREA_SLACK ? &map->owned
           : kind == IO_AREA_DELETED                     ? &map->lost
                                                         : &map->states;
}

static enum err_code fsmap_add(struct fsmap_list *list, const struct fsmap_run *run,
                               struct err *err)
{
    const enum err_code rc =
        grow_items(&list->runs, list->count, &list->room, sizeof *list->runs, err);

    if (rc == ERR_OK)
        list->runs[list->count++] = *run;
    return rc;
}

static void fsmap_note(struct io_fsmap *map, const char *text)
{
    if (map->note[0] == '\0')
        snprintf(map->note, sizeof map->note, "%s", text);
}

struct fsmap_reading {
    struct io_fsmap *map;
    struct fsmap_run now;      /* the file and the file system that runs belong to */
    struct fsmap_owner *owner; /* of now; NULL: no file */
    uint32_t partition;        /* that what follows is about */
    uint32_t runs;
    bool whole; /* the other process said that it was through */
    struct fsmap_pipe pipe;
};

/* A note on the volume under way. */
static void fsmap_note_of(struct fsmap_reading *reading, const char *text)
{
    char note[FSMAP_NOTE_MAX];

    if (reading->partition == 0)
        snprintf(note, sizeof note, "%.*s", FSMAP_NOTE_MAX - 1, text);
    else
        snprintf(note, sizeof note, "partition %" PRIu32 ": %.*s", reading->partition,
                 FSMAP_NOTE_MAX - 32, text);
    fsmap_note(reading->map, note);
}

static enum err_code fsmap_take_use(struct io_fsmap *map, const struct fsmap_record *record,
                                    struct err *err)
{
    const enum io_area_kind kind = (enum io_area_kind)record->kind;
    bool full = false;

    if (kind != IO_AREA_FILE && kind != IO_AREA_SLACK && kind != IO_AREA_ALLOCATED &&
        kind != IO_AREA_META)
        return ERR_OK;
    const enum err_code rc = ranges_add(&map->in_use, record->offset, record->len, &full, err);
    if (rc == ERR_OK && full) {
        ranges_sort(&map->in_use);
        fsmap_note(map, "the file systems have too many pieces of files");
    }
    return rc;
}

static enum err_code fsmap_take_run(struct fsmap_reading *reading,
                                    const struct fsmap_record *record, struct err *err)
{
    struct io_fsmap *map = reading->map;
    struct fsmap_run run = reading->now;

    if (record->kind == IO_AREA_NONE || record->kind > IO_AREA_UNPARTITIONED || record->len == 0 ||
        record->len > UINT64_MAX - record->offset)
        return ERR_OK;
    run.kind = (enum io_area_kind)record->kind;
    run.offset = record->offset;
    run.end = record->offset + record->len;
    run.file_offset = record->file_offset;
    if (run.kind > IO_AREA_DELETED)
        run.owner = &fsmap_nobody;
    if (run.kind == IO_AREA_UNPARTITIONED) {
        run.file_system = "";
        run.partition = 0;
    }
    if (reading->runs == FSMAP_RUNS_MAX) {
        fsmap_note(map, "the file systems have too many pieces of files");
        return ERR_OK;
    }
    reading->runs++;
    enum err_code rc = fsmap_add(fsmap_list(map, run.kind), &run, err);
    if (rc == ERR_OK)
        rc = fsmap_files_run(&map->files, record, err);
    return rc == ERR_OK ? fsmap_take_use(map, record, err) : rc;
}

static enum err_code fsmap_take_file(struct fsmap_reading *reading,
                                     const struct fsmap_record *record, const char *path,
                                     struct err *err)
{
    struct fsmap_owner *owner = arena_alloc(&reading->map->text, sizeof *owner);

    if (owner == NULL)
        return ERR_NO_MEMORY(err, sizeof *owner);
    *owner = fsmap_nobody;
    owner->path = path;
    owner->inode = record->offset;
    owner->times.modified = (int64_t)record->file_offset;
    reading->owner = owner;
    reading->now.owner = owner;
    return fsmap_files_begin(&reading->map->files, record, path, err);
}

static void fsmap_take_times(struct fsmap_reading *reading, const struct fsmap_record *record)
{
    if (reading->owner == NULL)
        return;
    reading->owner->times.accessed = (int64_t)record->offset;
    reading->owner->times.changed = (int64_t)record->len;
    reading->owner->times.created = (int64_t)record->file_offset;
}

static enum err_code fsmap_take(struct fsmap_reading *reading, const struct fsmap_record *record,
                                const char *text, struct err *err)
{
    const char *copy = NULL;

    if (record->word == FSMAP_FILE || record->word == FSMAP_VOLUME) {
        copy = arena_copy(&reading->map->text, text, strlen(text));
        if (copy == NULL)
            return ERR_NO_MEMORY(err, strlen(text));
    }
    switch (record->word) {
    case FSMAP_VOLUME:
        reading->now = (struct fsmap_run){ .owner = &fsmap_nobody,
                                           .file_system = copy,
                                           .partition = record->partition };
        reading->owner = NULL;
        return ERR_OK;
    case FSMAP_FILE:
        return fsmap_take_file(reading, record, copy, err);
    case FSMAP_TIMES:
        fsmap_take_times(reading, record);
        return ERR_OK;
    case FSMAP_SLOT:
        reading->partition = record->partition;
        return ERR_OK;
    case FSMAP_NOTE:
        fsmap_note_of(reading, text);
        return ERR_OK;
    case FSMAP_RUN:
        return fsmap_take_run(reading, record, err);
    default:
        reading->whole = record->word == FSMAP_END;
        return ERR_OK;
    }
}

/* All that the other process says, up to its end. */
static enum err_code fsmap_read(struct fsmap_reading *reading, struct err *err)
{
    struct fsmap_record record;
    char text[FSMAP_PATH_MAX + 1];
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && !reading->whole && fsmap_pipe_next(&reading->pipe, &record, text))
        rc = fsmap_take(reading, &record, text, err);
    if (rc == ERR_OK)
        rc = fsmap_files_end(&reading->map->files, err);
    if (rc == ERR_OK && reading->pipe.end == FSMAP_PIPE_STOPPED)
        rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted while file systems were read");
    return rc;
}

static int fsmap_compare(const void *a, const void *b)
{
    const struct fsmap_run *x = a, *y = b;

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

static void fsmap_sort(struct fsmap_list *list)
{
    if (list->count > 0)
        qsort(list->runs, list->count, sizeof *list->runs, fsmap_compare);
}

static enum err_code fsmap_ask(struct io_fsmap *map, const struct io_image *image,
                               bool (*stop)(void), const atomic_bool *given_up, struct err *err)
{
    struct fsmap_reading reading = { .map = map,
                                     .now = { .owner = &fsmap_nobody, .file_system = "" } };
    char why[FSMAP_NOTE_MAX];
    enum err_code rc = fsmap_pipe_open(&reading.pipe, image, FSMAP_WANT_STATES | FSMAP_WANT_FILES,
                                       stop, given_up, err);

    if (rc != ERR_OK)
        return rc;
    rc = fsmap_read(&reading, err);
    fsmap_pipe_close(&reading.pipe);
    if (rc == ERR_OK && !reading.whole) {
        fsmap_pipe_why(&reading.pipe, why);
        fsmap_note(map, why);
    }
    return rc;
}

enum err_code io_fsmap_open(const struct io_image *image, bool (*stop)(void),
                            const atomic_bool *given_up, struct io_fsmap **out, struct err *err)
{
    struct io_fsmap *map = calloc(1, sizeof *map);

    *out = NULL;
    if (map == NULL)
        return ERR_NO_MEMORY(err, sizeof *map);
    arena_init(&map->text, FSMAP_TEXT_MAX);
    assert(io_image_part_count(image) > 0);
    const enum err_code rc = fsmap_ask(map, image, stop, given_up, err);
    if (rc != ERR_OK) {
        io_fsmap_close(map);
        return rc;
    }
    fsmap_sort(&map->owned);
    fsmap_sort(&map->lost);
    fsmap_sort(&map->states);
    ranges_sort(&map->in_use);
    *out = map;
    return ERR_OK;
}

void io_fsmap_close(struct io_fsmap *map)
{
    if (map == NULL)
        return;
    free(map->owned.runs);
    free(map->lost.runs);
    free(map->states.runs);
    fsmap_files_release(&map->files);
    ranges_release(&map->in_use);
    arena_release(&map->text);
    free(map);
}

static bool fsmap_begins(const void *run, uint64_t at)
{
    return ((const struct fsmap_run *)run)->offset <= at;
}

/* The run with the byte at offset that begins last; NULL: none, or it lies under too many others.
 */
static const struct fsmap_run *fsmap_covering(const struct fsmap_list *list, uint64_t offset)
{
    size_t begun = bisect(list->runs, list->count, sizeof *list->runs, fsmap_begins, offset);

    for (uint32_t back = 0; back < FSMAP_BACK && begun > 0; back++)
        if (list->runs[--begun].end > offset)
            return &list->runs[begun];
    return NULL;
}

bool io_fsmap_knows(const struct io_fsmap *map)
{
    return map->owned.count + map->lost.count + map->states.count > 0;
}

struct io_area io_fsmap_find(const struct io_fsmap *map, uint64_t offset)
{
    const struct fsmap_run *run = fsmap_covering(&map->owned, offset);
    const struct fsmap_run *state = fsmap_covering(&map->states, offset);

    if (run == NULL && (state == NULL || state->kind == IO_AREA_UNALLOCATED))
        run = fsmap_covering(&map->lost, offset);
    if (run == NULL)
        run = state;
    if (run == NULL)
        return (struct io_area){
            .kind = IO_AREA_NONE, .file_system = "", .path = "", .times = fsmap_nobody.times
        };
    return (struct io_area){ .kind = run->kind,
                             .partition = run->partition,
                             .file_system = run->file_system,
                             .path = run->owner->path,
                             .inode = run->owner->inode,
                             .times = run->owner->times,
                             .file_offset = run->file_offset + (offset - run->offset) };
}

const struct io_range *io_fsmap_owned(const struct io_fsmap *map, uint32_t *count)
{
    *count = map->in_use.count;
    return map->in_use.items;
}

uint32_t io_fsmap_file_count(const struct io_fsmap *map)
{
    return map->files.count;
}

struct io_fsmap_file io_fsmap_file_get(const struct io_fsmap *map, uint32_t index)
{
    const struct fsmap_file *file = &map->files.files[index];

    return (struct io_fsmap_file){ .path = file->path,
                                   .inode = file->inode,
                                   .size = file->size,
                                   .modified = file->modified,
                                   .runs = map->files.pieces + file->first,
                                   .run_count = file->count,
                                   .deleted = file->deleted };
}

const char *io_fsmap_note(const struct io_fsmap *map)
{
    return map->note;
}
