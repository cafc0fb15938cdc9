/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_files.c - see known_files.h. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/pool.h"
#include "carver/cli/interrupt.h"
#include "carver/hashset/known_block.h"
#include "carver/hashset/known_files.h"
#include "carver/hashset/known_hash.h"

enum {
    FILES_BATCH = 256,      /* files that are hashed together */
    FILES_BUFFER = 1 << 20, /* bytes read at a time; a multiple of every block */
    FILES_BLOCKS = FILES_BUFFER / KNOWN_BLOCK_MIN,
};

struct files_task {
    char *path;
    uint64_t bytes;
    enum err_code rc;
    struct err err;
    uint8_t digests[DIGEST_KINDS][DIGEST_MAX];
};

struct files;

struct files_worker {
    struct files *files;
    struct known_hasher hasher;
    uint8_t *buffer;
    struct pool_job job;
};

struct files {
    const struct known_files_options *options;
    known_entry_fn each;
    void *arg;
    struct known_files_totals *totals;
    struct pool *pool;
    struct files_worker workers[LIMIT_THREADS];
    struct files_task tasks[FILES_BATCH];
    uint32_t task_count;
    _Atomic uint32_t next;
    const uint8_t *blocks[FILES_BLOCKS];
    uint64_t numbers[FILES_BLOCKS];
    uint8_t digests[FILES_BLOCKS * DIGEST_MAX];
};

static int files_open(const char *path, uint64_t *size, struct err *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat info;

    if (fd < 0 || fstat(fd, &info) != 0) {
        (void)ERR_RAISE(err, ERR_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    } else if (!S_ISREG(info.st_mode)) {
        (void)ERR_RAISE(err, ERR_INPUT, "%s: not a file", path);
    } else {
        *size = (uint64_t)info.st_size;
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

static void files_hash(struct files_worker *worker, struct files_task *task)
{
    const int fd = files_open(task->path, &task->bytes, &task->err);

    task->rc = ERR_INPUT;
    if (fd < 0)
        return;
    task->rc = known_hasher_file(&worker->hasher, task->path, fd, worker->buffer, FILES_BUFFER,
                                 task->digests, &task->err);
    close(fd);
}

static void files_work(void *arg)
{
    struct files_worker *worker = arg;
    struct files *files = worker->files;

    for (uint32_t i = files->next++; i < files->task_count; i = files->next++)
        files_hash(worker, &files->tasks[i]);
}

static void files_trouble(struct files *files, const char *text)
{
    files->totals->unread++;
    files->options->trouble(files->options->trouble_arg, text);
}

/* Hands out the blocks in buffer[0, len). */
static enum err_code files_give_blocks(struct files *files, const char *path, const uint8_t *buffer,
                                       size_t len, uint64_t first, struct err *err)
{
    const uint32_t block_len = files->options->block_len, digest = digest_len(files->options->hash);
    uint32_t count = 0;
    enum err_code rc = ERR_OK;

    for (size_t at = 0; at + block_len <= len; at += block_len) {
        if (known_block_nonprobative(buffer + at, block_len) != NULL) {
            files->totals->nonprobative++;
            continue;
        }
        files->blocks[count] = buffer + at;
        files->numbers[count++] = first + at / block_len;
    }
    digest_blocks(files->options->hash, files->blocks, count, block_len, files->digests);
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        const struct known_entry entry = { .digest = files->digests + (size_t)i * digest,
                                           .name = path,
                                           .name_len = strlen(path),
                                           .block = files->numbers[i] };

        files->totals->blocks++;
        rc = files->each(files->arg, &entry, err);
    }
    return rc;
}

/* The last part of a file that is no whole block is left out: what follows it on a disk is not
 * known. */
static enum err_code files_blocks(struct files *files, struct files_task *task, struct err *err)
{
    uint8_t *buffer = files->workers[0].buffer;
    const int fd = files_open(task->path, &task->bytes, &task->err);
    enum err_code rc = ERR_OK;
    uint64_t done = 0;
    size_t have = 0;
    ssize_t got = 1;

    task->rc = fd < 0 ? ERR_INPUT : ERR_OK;
    while (fd >= 0 && rc == ERR_OK && got != 0) {
        got = read(fd, buffer + have, FILES_BUFFER - have);
        if (interrupt_requested())
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            task->rc =
                ERR_RAISE(&task->err, ERR_INPUT, "%s: cannot be read at offset %" PRIu64 ": %s",
                          task->path, done + have, strerror(errno));
            break;
        }
        have += (size_t)got;
        if (rc == ERR_OK && (have == FILES_BUFFER || got == 0)) {
            rc = files_give_blocks(files, task->path, buffer, have,
                                   done / files->options->block_len, err);
            done += have;
            have = 0;
        }
    }
    if (fd >= 0)
        close(fd);
    return rc;
}

/* Hashes what was collected, and hands it out in order. */
static enum err_code files_flush(struct files *files, struct err *err)
{
    const struct known_files_options *o = files->options;
    const uint32_t helpers = files->pool == NULL ? 0 : o->threads - 1;
    enum err_code rc = ERR_OK;

    files->next = 0;
    if (o->block_len == 0) {
        for (uint32_t i = 1; i <= helpers; i++)
            pool_submit(files->pool, &files->workers[i].job);
        files_work(&files->workers[0]);
        for (uint32_t i = 1; i <= helpers; i++)
            pool_wait(files->pool, &files->workers[i].job);
    }
    for (uint32_t i = 0; i < files->task_count; i++) {
        struct files_task *task = &files->tasks[i];
        const struct known_entry entry = { .digest = task->digests[o->hash],
                                           .name = task->path,
                                           .name_len = strlen(task->path) };

        if (rc == ERR_OK && o->block_len != 0)
            rc = files_blocks(files, task, err);
        if (rc == ERR_OK && task->rc == ERR_INTERRUPTED)
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
        else if (rc == ERR_OK && task->rc == ERR_ENV)
            rc = ERR_RAISE(err, ERR_ENV, "%s", task->err.text);
        else if (rc == ERR_OK && task->rc != ERR_OK)
            files_trouble(files, task->err.text);
        else if (rc == ERR_OK) {
            files->totals->files++;
            files->totals->bytes += task->bytes;
            if (o->block_len == 0)
                rc = files->each(files->arg, &entry, err);
        }
        free(task->path);
    }
    files->task_count = 0;
    return rc;
}

static enum err_code files_take(struct files *files, const char *path, struct err *err)
{
    char *copy = strdup(path);

    if (copy == NULL)
        return ERR_NO_MEMORY(err, strlen(path));
    files->tasks[files->task_count++] = (struct files_task){ .path = copy };
    return files->task_count == FILES_BATCH ? files_flush(files, err) : ERR_OK;
}

static int files_order(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static enum err_code files_walk(struct files *files, char *path, struct err *err)
{
    char *const roots[] = { path, NULL };
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, files_order);
    enum err_code rc = ERR_OK;
    const FTSENT *entry;

    if (walk == NULL)
        return ERR_NO_MEMORY(err, sizeof *walk);
    while (rc == ERR_OK && (entry = fts_read(walk)) != NULL) {
        char text[ERR_TEXT_MAX];

        if (interrupt_requested()) {
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
        } else if (entry->fts_info == FTS_F) {
            rc = files_take(files, entry->fts_path, err);
        } else if (entry->fts_info == FTS_ERR || entry->fts_info == FTS_DNR ||
                   entry->fts_info == FTS_NS) {
            snprintf(text, sizeof text, "%s: cannot be read: %s", entry->fts_path,
                     strerror(entry->fts_errno));
            files_trouble(files, text);
        }
    }
    fts_close(walk);
    return rc;
}

static enum err_code files_begin(struct files *files, struct err *err)
{
    const struct known_files_options *o = files->options;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < o->threads; i++) {
        struct files_worker *worker = &files->workers[i];

        *worker =
            (struct files_worker){ .files = files, .job = { .run = files_work, .arg = worker } };
        worker->buffer = malloc(FILES_BUFFER);
        rc = worker->buffer != NULL ? known_hasher_init(&worker->hasher, 1u << o->hash, err)
                                    : ERR_NO_MEMORY(err, FILES_BUFFER);
    }
    if (rc == ERR_OK && o->threads > 1 && o->block_len == 0)
        rc = pool_open(o->threads - 1, &files->pool, err);
    return rc;
}

enum err_code known_files_read(char *const *paths, int count,
                               const struct known_files_options *options, known_entry_fn each,
                               void *arg, struct known_files_totals *totals, struct err *err)
{
    struct files *files = calloc(1, sizeof *files);

    assert(options->threads >= 1);
    *totals = (struct known_files_totals){ 0 };
    if (files == NULL)
        return ERR_NO_MEMORY(err, sizeof *files);
    files->options = options;
    files->each = each;
    files->arg = arg;
    files->totals = totals;
    enum err_code rc = files_begin(files, err);
    for (int i = 0; rc == ERR_OK && i < count; i++)
        rc = files_walk(files, paths[i], err);
    if (rc == ERR_OK)
        rc = files_flush(files, err);
    pool_close(files->pool);
    for (uint32_t i = 0; i < files->task_count; i++)
        free(files->tasks[i].path);
    for (uint32_t i = 0; i < options->threads; i++) {
        known_hasher_release(&files->workers[i].hasher);
        free(files->workers[i].buffer);
    }
    free(files);
    return rc;
}
