/*
 * io/filesystem/areas.c - see areas.h. What comes through the pipe is believed as far as it fits:
 * the process at its other end has read a file system that somebody may have made to harm it.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "io/areas.h"
#include "io/filesystem/areas_pipe.h"
#include "io/fsmap_walk.h"

enum {
    AREAS_RUNS_MAX = 1 << 24, /* 64 bytes each */
    AREAS_TEXT_MAX = 1 << 30, /* bytes of paths */
    AREAS_BACK =
        64, /* runs looked back for one that covers a place: deleted files lie over each other */
    AREAS_ROOM = 1024,
};

struct areas_run {
    uint64_t offset, end, file_offset;
    uint64_t inode;
    const char *path, *file_system;
    uint32_t partition;
    enum io_area_kind kind;
};

/* Runs by what a place is asked for in turn: whose it is, whose it was, in what state it is. */
struct areas_list {
    struct areas_run *runs; /* by offset */
    uint32_t count, room;
};

struct io_areas {
    struct areas_list owned, lost, states;
    struct arena text;
    char note[AREAS_NOTE_MAX];
};

const char *io_area_kind_name(enum io_area_kind kind)
{
    static const char *const names[] = { "-",           "file",      "slack",    "deleted",
                                         "unallocated", "allocated", "metadata", "unpartitioned" };

    return names[kind];
}

static struct areas_list *areas_list(struct io_areas *areas, enum io_area_kind kind)
{
    return kind == IO_AREA_FILE || kind == IO_AREA_SLACK ? &areas->owned
           : kind == IO_AREA_DELETED                     ? &areas->lost
                                                         : &areas->states;
}

static enum err_code areas_add(struct areas_list *list, const struct areas_run *run,
                               struct err *err)
{
    if (list->count == list->room) {
        const uint32_t room = list->room == 0 ? AREAS_ROOM : list->room * 2;
        struct areas_run *runs = realloc(list->runs, room * sizeof *runs);

        if (runs == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *runs);
        list->runs = runs;
        list->room = room;
    }
    list->runs[list->count++] = *run;
    return ERR_OK;
}

static void areas_note(struct io_areas *areas, const char *text)
{
    if (areas->note[0] == '\0')
        snprintf(areas->note, sizeof areas->note, "%s", text);
}

/* The end of an owned run is cut off where its slack begins. */
static void areas_cut_slack(struct areas_list *list, uint64_t offset)
{
    struct areas_run *last = list->count > 0 ? &list->runs[list->count - 1] : NULL;

    if (last != NULL && last->kind == IO_AREA_FILE && last->offset < offset && offset < last->end)
        last->end = offset;
}

struct areas_reading {
    struct io_areas *areas;
    struct areas_run now; /* the file and the file system that runs belong to */
    uint32_t runs;
    bool whole; /* the other process said that it was through */
    struct areas_pipe pipe;
};

static enum err_code areas_take_run(struct areas_reading *reading,
                                    const struct areas_record *record, struct err *err)
{
    struct io_areas *areas = reading->areas;
    struct areas_run run = reading->now;

    if (record->kind > IO_AREA_UNPARTITIONED || record->len == 0 ||
        record->len > UINT64_MAX - record->offset)
        return ERR_OK;
    run.kind = (enum io_area_kind)record->kind;
    run.offset = record->offset;
    run.end = record->offset + record->len;
    run.file_offset = record->file_offset;
    if (run.kind > IO_AREA_DELETED) {
        run.inode = 0;
        run.path = "";
    }
    if (run.kind == IO_AREA_UNPARTITIONED) {
        run.file_system = "";
        run.partition = 0;
    }
    if (reading->runs == AREAS_RUNS_MAX) {
        areas_note(areas, "the file systems have too many pieces of files");
        return ERR_OK;
    }
    reading->runs++;
    if (run.kind == IO_AREA_SLACK)
        areas_cut_slack(&areas->owned, run.offset);
    return areas_add(areas_list(areas, run.kind), &run, err);
}

static enum err_code areas_take(struct areas_reading *reading, const struct areas_record *record,
                                const char *text, struct err *err)
{
    const char *copy = NULL;

    if (record->word == AREAS_FILE || record->word == AREAS_VOLUME) {
        copy = arena_copy(&reading->areas->text, text, strlen(text));
        if (copy == NULL)
            return ERR_NO_MEMORY(err, strlen(text));
    }
    switch (record->word) {
    case AREAS_VOLUME:
        reading->now =
            (struct areas_run){ .path = "", .file_system = copy, .partition = record->partition };
        return ERR_OK;
    case AREAS_FILE:
        reading->now.path = copy;
        reading->now.inode = record->offset;
        return ERR_OK;
    case AREAS_NOTE:
        areas_note(reading->areas, text);
        return ERR_OK;
    case AREAS_RUN:
        return areas_take_run(reading, record, err);
    default:
        reading->whole = record->word == AREAS_END;
        return ERR_OK;
    }
}

/* All that the other process says, up to its end. */
static enum err_code areas_read(struct areas_reading *reading, struct err *err)
{
    struct areas_record record;
    char text[AREAS_PATH_MAX + 1];
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && !reading->whole &&
           areas_pipe_take(&reading->pipe, &record, sizeof record)) {
        if (record.text_len > AREAS_PATH_MAX ||
            !areas_pipe_take(&reading->pipe, text, record.text_len))
            break;
        text[record.text_len] = '\0';
        rc = areas_take(reading, &record, text, err);
    }
    if (rc == ERR_OK && reading->pipe.end == AREAS_PIPE_STOPPED)
        rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted while file systems were read");
    return rc;
}

static int areas_compare(const void *a, const void *b)
{
    const struct areas_run *x = a, *y = b;

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

static void areas_sort(struct areas_list *list)
{
    if (list->count > 0)
        qsort(list->runs, list->count, sizeof *list->runs, areas_compare);
}

/* Why the other process did not say all. */
static void areas_note_end(struct io_areas *areas, const struct areas_pipe *pipe)
{
    char note[AREAS_NOTE_MAX];

    if (pipe->end == AREAS_PIPE_LATE)
        snprintf(note, sizeof note,
                 "reading the file systems was ended after %" PRIu64
                 " seconds: they may be damaged",
                 pipe->seconds);
    else
        snprintf(note, sizeof note,
                 "reading the file systems did not come to its end: they may be damaged");
    areas_note(areas, note);
}

static enum err_code areas_ask(struct io_areas *areas, const struct io_image *image,
                               bool (*stop)(void), struct err *err)
{
    struct areas_reading reading = { .areas = areas, .now = { .path = "", .file_system = "" } };
    enum err_code rc = areas_pipe_open(&reading.pipe, image, stop, err);

    if (rc != ERR_OK)
        return rc;
    rc = areas_read(&reading, err);
    areas_pipe_close(&reading.pipe);
    if (rc == ERR_OK && !reading.whole)
        areas_note_end(areas, &reading.pipe);
    return rc;
}

enum err_code io_areas_open(const struct io_image *image, bool (*stop)(void), struct io_areas **out,
                            struct err *err)
{
    struct io_areas *areas = calloc(1, sizeof *areas);

    *out = NULL;
    if (areas == NULL)
        return ERR_NO_MEMORY(err, sizeof *areas);
    arena_init(&areas->text, AREAS_TEXT_MAX);
    assert(io_image_part_count(image) > 0);
    const enum err_code rc = areas_ask(areas, image, stop, err);
    if (rc != ERR_OK) {
        io_areas_close(areas);
        return rc;
    }
    areas_sort(&areas->owned);
    areas_sort(&areas->lost);
    areas_sort(&areas->states);
    *out = areas;
    return ERR_OK;
}

void io_areas_close(struct io_areas *areas)
{
    if (areas == NULL)
        return;
    free(areas->owned.runs);
    free(areas->lost.runs);
    free(areas->states.runs);
    arena_release(&areas->text);
    free(areas);
}

/* The run with the byte at offset that begins last; NULL: none, or it lies under too many others.
 */
static const struct areas_run *areas_covering(const struct areas_list *list, uint64_t offset)
{
    uint32_t low = 0, high = list->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (list->runs[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t back = 0; back < AREAS_BACK && low > 0; back++)
        if (list->runs[--low].end > offset)
            return &list->runs[low];
    return NULL;
}

struct io_area io_areas_find(const struct io_areas *areas, uint64_t offset)
{
    const struct areas_run *run = areas_covering(&areas->owned, offset);
    const struct areas_run *state = areas_covering(&areas->states, offset);

    if (run == NULL && (state == NULL || state->kind == IO_AREA_UNALLOCATED))
        run = areas_covering(&areas->lost, offset);
    if (run == NULL)
        run = state;
    if (run == NULL)
        return (struct io_area){ .kind = IO_AREA_NONE, .file_system = "", .path = "" };
    return (struct io_area){ .kind = run->kind,
                             .partition = run->partition,
                             .file_system = run->file_system,
                             .path = run->path,
                             .inode = run->inode,
                             .file_offset = run->file_offset + (offset - run->offset) };
}

const char *io_areas_note(const struct io_areas *areas)
{
    return areas->note;
}
