/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_sort.c - see known_sort.h.
 *
 * In memory: radix sort from the first byte on, in place (McIlroy, Bostic, McIlroy, Engineering
 * Radix Sort, 1993: "American flag"), and by insertion where few records are left. Hashes are as
 * random as can be, so few of their bytes are looked at.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "carver/cli/interrupt.h"
#include "carver/hashset/known_sort.h"

enum { KNOWN_FEW = 24, KNOWN_RUN_BUFFER_MIN = 1 << 14 };

struct known_run {
    off_t at, end;     /* in the temporary file: what has not been read */
    uint8_t *buffer;   /* a part of the sort's memory */
    size_t next, have; /* in buffer, bytes */
};

struct known_sort {
    size_t record_len, key_len;
    size_t room, used; /* bytes of memory */
    uint8_t *memory;
    const char *folder;
    int fd; /* -1: everything fits in memory */
    off_t written;
    uint64_t count;
    struct known_run *runs;
    uint32_t run_count;
    uint32_t *heap; /* runs that have records, that with the least one first */
    uint32_t heap_count;
    uint8_t last[KNOWN_RECORD_MAX];
    bool any; /* last has been given */
};

enum err_code known_temporary(const char *folder, int *fd, struct err *err)
{
    char path[LIMIT_PATH + 32];
    const char *other = getenv("TMPDIR");

    *fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    for (int i = 0; *fd < 0 && i < 2; i++) {
        snprintf(path, sizeof path, "%s/.burin-XXXXXX",
                 i == 0          ? folder
                 : other != NULL ? other
                                 : "/tmp");
        *fd = mkostemp(path, O_CLOEXEC);
        if (*fd >= 0)
            unlink(path);
    }
    if (*fd < 0)
        return ERR_RAISE(err, ERR_ENV, "%s: cannot make a temporary file: %s", folder,
                         strerror(errno));
    return ERR_OK;
}

enum err_code known_write_all(int fd, const void *bytes, size_t len, const char *path,
                              struct err *err)
{
    const uint8_t *at = bytes;

    while (len > 0) {
        const ssize_t wrote = write(fd, at, len);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return ERR_RAISE(err, ERR_ENV, "%s: cannot write: %s%s", path, strerror(errno),
                             errno == ENOSPC || errno == EDQUOT
                                 ? "; make room, or name a set on another disk"
                                 : "");
        at += wrote;
        len -= (size_t)wrote;
    }
    return ERR_OK;
}

static void known_swap(uint8_t *a, uint8_t *b, size_t len)
{
    uint8_t hold[KNOWN_RECORD_MAX];

    memcpy(hold, a, len);
    memcpy(a, b, len);
    memcpy(b, hold, len);
}

static void known_insertion(uint8_t *records, size_t count, size_t len)
{
    uint8_t hold[KNOWN_RECORD_MAX];

    for (size_t i = 1; i < count; i++) {
        size_t to = i;

        memcpy(hold, records + i * len, len);
        while (to > 0 && memcmp(records + (to - 1) * len, hold, len) > 0) {
            memcpy(records + to * len, records + (to - 1) * len, len);
            to--;
        }
        memcpy(records + to * len, hold, len);
    }
}

/* Sorts by the bytes from `byte` on, those before being equal. As deep as records are long. */
static void known_flag(uint8_t *records, size_t count, size_t len,
                       size_t byte) /* NOLINT(misc-no-recursion) */
{
    size_t ends[256] = { 0 }, next[256];

    if (count < KNOWN_FEW) {
        known_insertion(records, count, len);
        return;
    }
    if (byte == len)
        return;
    for (size_t i = 0; i < count; i++)
        ends[records[i * len + byte]]++;
    for (size_t i = 0, sum = 0; i < 256; i++) {
        next[i] = sum;
        sum += ends[i];
        ends[i] = sum;
    }
    for (size_t i = 0; i < 256; i++)
        while (next[i] < ends[i]) {
            uint8_t *record = records + next[i] * len;
            const uint8_t to = record[byte];

            if (to == i)
                next[i]++;
            else
                known_swap(record, records + next[to]++ * len, len);
        }
    for (size_t i = 0, from = 0; i < 256; from = ends[i++])
        if (ends[i] > from + 1)
            known_flag(records + from * len, ends[i] - from, len, byte + 1);
}

void known_sort_records(uint8_t *records, size_t count, size_t record_len)
{
    known_flag(records, count, record_len, 0);
}

enum err_code known_sort_open(size_t record_len, size_t key_len, size_t memory, const char *folder,
                              struct known_sort **out, struct err *err)
{
    struct known_sort *sort = calloc(1, sizeof *sort);

    *out = NULL;
    assert(key_len <= record_len && record_len <= KNOWN_RECORD_MAX);
    if (sort == NULL)
        return ERR_NO_MEMORY(err, sizeof *sort);
    *sort = (struct known_sort){
        .record_len = record_len, .key_len = key_len, .folder = folder, .fd = -1
    };
    sort->room = memory / record_len * record_len;
    sort->memory = malloc(sort->room);
    sort->runs = calloc(KNOWN_SORT_RUNS_MAX, sizeof *sort->runs);
    sort->heap = calloc(KNOWN_SORT_RUNS_MAX, sizeof *sort->heap);
    if (sort->memory == NULL || sort->runs == NULL || sort->heap == NULL) {
        known_sort_close(sort);
        return ERR_NO_MEMORY(err, memory);
    }
    *out = sort;
    return ERR_OK;
}

void known_sort_close(struct known_sort *sort)
{
    if (sort == NULL)
        return;
    if (sort->fd >= 0)
        close(sort->fd);
    free(sort->memory);
    free(sort->runs);
    free(sort->heap);
    free(sort);
}

uint64_t known_sort_count(const struct known_sort *sort)
{
    return sort->count;
}

/* Leaves out what is the same as the record before it. */
static size_t known_unique(const struct known_sort *sort)
{
    const size_t len = sort->record_len;
    size_t kept = 0;

    for (size_t at = 0; at < sort->used; at += len)
        if (kept == 0 || memcmp(sort->memory + kept - len, sort->memory + at, sort->key_len) != 0) {
            memmove(sort->memory + kept, sort->memory + at, len);
            kept += len;
        }
    return kept;
}

static enum err_code known_spill(struct known_sort *sort, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (sort->run_count == KNOWN_SORT_RUNS_MAX ||
        sort->room / (sort->run_count + 1) < KNOWN_RUN_BUFFER_MIN)
        return ERR_RAISE(err, ERR_FULL,
                         "more hashes than %zu bytes of memory can sort; give more with --memory",
                         sort->room);
    if (sort->fd < 0)
        rc = known_temporary(sort->folder, &sort->fd, err);
    if (rc != ERR_OK)
        return rc;
    known_sort_records(sort->memory, sort->used / sort->record_len, sort->record_len);
    const size_t kept = known_unique(sort);
    rc = known_write_all(sort->fd, sort->memory, kept, sort->folder, err);
    sort->runs[sort->run_count++] =
        (struct known_run){ .at = sort->written, .end = sort->written + (off_t)kept };
    sort->written += (off_t)kept;
    sort->used = 0;
    return rc;
}

enum err_code known_sort_add(struct known_sort *sort, const uint8_t *record, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (sort->used + sort->record_len > sort->room)
        rc = known_spill(sort, err);
    if (rc != ERR_OK)
        return rc;
    memcpy(sort->memory + sort->used, record, sort->record_len);
    sort->used += sort->record_len;
    sort->count++;
    return ERR_OK;
}

/* Reads on in a run whose buffer is used up. */
static enum err_code known_run_fill(const struct known_sort *sort, struct known_run *run,
                                    size_t room, struct err *err)
{
    const size_t left = (size_t)(run->end - run->at), want = left < room ? left : room;

    run->next = 0;
    run->have = 0;
    while (run->have < want) {
        const ssize_t got = pread(sort->fd, run->buffer + run->have, want - run->have, run->at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return ERR_RAISE(err, ERR_ENV, "%s: the temporary file cannot be read: %s",
                             sort->folder, got < 0 ? strerror(errno) : "it is cut short");
        run->have += (size_t)got;
        run->at += got;
    }
    return ERR_OK;
}

static size_t known_run_room(const struct known_sort *sort)
{
    return sort->room / sort->run_count / sort->record_len * sort->record_len;
}

static const uint8_t *known_run_record(const struct known_sort *sort, uint32_t heap_at)
{
    const struct known_run *run = &sort->runs[sort->heap[heap_at]];

    return run->buffer + run->next;
}

/* The record at the top may be greater than those below it. */
static void known_heap_sink(struct known_sort *sort, uint32_t at)
{
    for (;;) {
        uint32_t least = at;

        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < sort->heap_count; child++)
            if (memcmp(known_run_record(sort, child), known_run_record(sort, least),
                       sort->record_len) < 0)
                least = child;
        if (least == at)
            return;
        const uint32_t hold = sort->heap[at];
        sort->heap[at] = sort->heap[least];
        sort->heap[least] = hold;
        at = least;
    }
}

enum err_code known_sort_begin(struct known_sort *sort, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (sort->fd < 0) {
        known_sort_records(sort->memory, sort->used / sort->record_len, sort->record_len);
        sort->runs[0] = (struct known_run){ .buffer = sort->memory, .have = sort->used };
        sort->run_count = 1;
    } else {
        if (sort->used > 0)
            rc = known_spill(sort, err);
        for (uint32_t i = 0; rc == ERR_OK && i < sort->run_count; i++) {
            sort->runs[i].buffer = sort->memory + i * known_run_room(sort);
            rc = known_run_fill(sort, &sort->runs[i], known_run_room(sort), err);
        }
    }
    for (uint32_t i = 0; i < sort->run_count; i++)
        if (sort->runs[i].have > 0)
            sort->heap[sort->heap_count++] = i;
    for (uint32_t i = sort->heap_count / 2; i-- > 0;)
        known_heap_sink(sort, i);
    return rc;
}

/* Takes the least record of all. */
static enum err_code known_sort_take(struct known_sort *sort, uint8_t record[KNOWN_RECORD_MAX],
                                     struct err *err)
{
    struct known_run *run = &sort->runs[sort->heap[0]];
    enum err_code rc = ERR_OK;

    memcpy(record, run->buffer + run->next, sort->record_len);
    run->next += sort->record_len;
    if (run->next == run->have && run->at < run->end)
        rc = known_run_fill(sort, run, known_run_room(sort), err);
    if (run->next == run->have)
        sort->heap[0] = sort->heap[--sort->heap_count];
    known_heap_sink(sort, 0);
    return rc;
}

enum err_code known_sort_next(struct known_sort *sort, const uint8_t **record, struct err *err)
{
    uint8_t taken[KNOWN_RECORD_MAX];
    bool fresh = false;

    *record = NULL;
    if (interrupt_requested())
        return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
    while (!fresh && sort->heap_count > 0) {
        const enum err_code rc = known_sort_take(sort, taken, err);

        if (rc != ERR_OK)
            return rc;
        fresh = !sort->any || memcmp(taken, sort->last, sort->key_len) != 0;
    }
    if (fresh) {
        memcpy(sort->last, taken, sort->record_len);
        sort->any = true;
        *record = sort->last;
    }
    return ERR_OK;
}
