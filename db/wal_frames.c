/* SPDX-License-Identifier: Apache-2.0
 * db/wal_frames.c - see wal_frames.h.
 *
 * SQLite's file has a table of functions (https://www.sqlite.org/c3ref/io_methods.html). In its
 * place stands a copy here, in which some of them are ours; the file below is as it was. The format
 * of the -wal file is https://www.sqlite.org/fileformat2.html#walformat.
 *
 * What is kept back is only what is appended: a frame's head, and the page right behind it. Where a
 * page is written over another one in the same transaction, or the head of an older frame is
 * written again, that goes to the file at once, behind what was kept. A frame that ends a
 * transaction, which the second number of its head says, is written with all before it. A rollback
 * forgets what was kept, for then another program may write to the same place.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "db/wal_frames.h"

enum {
    WAL_HEAD = 32,         /* bytes of the file's own head */
    WAL_FRAME_HEAD = 24,   /* and of a frame's */
    WAL_KEPT = 120 * 1024, /* SQLite writes 2^17 - 1 bytes at a time, at most, and says no word */
};

struct wal_frames {
    sqlite3_file *file;              /* NULL: SQLite has closed it */
    sqlite3_io_methods methods;      /* that the file has now */
    const sqlite3_io_methods *below; /* that it had */
    int64_t end;                     /* the next frame is appended here; -1: not known */
    int64_t head;                    /* a head without its page was written here; -1: none */
    bool commits;                    /* that head is of the last frame of a transaction */
    int failed;                      /* not SQLITE_OK: kept bytes of the transaction were lost */
    int len;                         /* bytes that are kept: those before end */
    uint8_t bytes[WAL_KEPT];
};

static struct wal_frames *wal_of(sqlite3_file *file)
{
    return (struct wal_frames *)((char *)(uintptr_t)file->pMethods -
                                 offsetof(struct wal_frames, methods));
}

/* What is lost fails every call until the transaction is rolled back: it must not be committed. */
static int wal_flush(struct wal_frames *frames)
{
    const int len = frames->len;

    frames->len = 0;
    if (len > 0 && frames->failed == SQLITE_OK)
        frames->failed = frames->below->xWrite(frames->file, frames->bytes, len, frames->end - len);
    return frames->failed;
}

/* Keeps the bytes, which go on at the end, back. */
static int wal_keep(struct wal_frames *frames, const void *bytes, int len)
{
    const int rc = len > WAL_KEPT - frames->len ? wal_flush(frames) : SQLITE_OK;

    if (rc != SQLITE_OK)
        return rc;
    memcpy(frames->bytes + frames->len, bytes, (size_t)len);
    frames->len += len;
    frames->end += len;
    return SQLITE_OK;
}

/* Writes at once, and learns where frames are appended. */
static int wal_pass(struct wal_frames *frames, const void *bytes, int len, int64_t at)
{
    const bool page = frames->head >= 0 && at == frames->head + WAL_FRAME_HEAD;
    const int kept = wal_flush(frames);
    const int rc = kept == SQLITE_OK ? frames->below->xWrite(frames->file, bytes, len, at) : kept;

    if (page || (at == 0 && len == WAL_HEAD))
        frames->end = at + len;
    return rc;
}

static int wal_write(sqlite3_file *file, const void *bytes, int len, sqlite3_int64 at)
{
    struct wal_frames *frames = wal_of(file);
    const bool head = len == WAL_FRAME_HEAD, follows = at == frames->end;
    const bool page = frames->head >= 0 && at == frames->head + WAL_FRAME_HEAD;
    const bool keep = follows && (head || page) && len <= WAL_KEPT;
    int rc = keep ? wal_keep(frames, bytes, len) : wal_pass(frames, bytes, len, at);

    if (rc == SQLITE_OK && page && frames->commits)
        rc = wal_flush(frames);
    if (head) {
        const uint8_t *pages = (const uint8_t *)bytes + 4; /* of the file, behind a transaction */

        frames->commits = (pages[0] | pages[1] | pages[2] | pages[3]) != 0;
    }
    frames->head = head ? at : -1;
    return rc;
}

static int wal_read(sqlite3_file *file, void *bytes, int len, sqlite3_int64 at)
{
    struct wal_frames *frames = wal_of(file);
    const int rc = wal_flush(frames);

    return rc == SQLITE_OK ? frames->below->xRead(file, bytes, len, at) : rc;
}

static int wal_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    struct wal_frames *frames = wal_of(file);
    const int rc = wal_flush(frames);

    return rc == SQLITE_OK ? frames->below->xTruncate(file, size) : rc;
}

static int wal_sync(sqlite3_file *file, int flags)
{
    struct wal_frames *frames = wal_of(file);
    const int rc = wal_flush(frames);

    return rc == SQLITE_OK ? frames->below->xSync(file, flags) : rc;
}

static int wal_size(sqlite3_file *file, sqlite3_int64 *size)
{
    struct wal_frames *frames = wal_of(file);
    const int rc = wal_flush(frames);

    return rc == SQLITE_OK ? frames->below->xFileSize(file, size) : rc;
}

static int wal_close(sqlite3_file *file)
{
    struct wal_frames *frames = wal_of(file);

    file->pMethods = frames->below;
    frames->file = NULL;
    return frames->below->xClose(file);
}

static void wal_forget(void *arg)
{
    struct wal_frames *frames = arg;

    frames->len = 0;
    frames->failed = SQLITE_OK;
    frames->end = frames->head = -1;
}

/* The -wal file of the connection; NULL: it has none. */
static sqlite3_file *wal_file(struct db_case *db)
{
    sqlite3_file *file = NULL;
    sqlite3_stmt *stmt = NULL;
    bool wal = false, row = false;

    if (db_prepare_once(db, "PRAGMA main.journal_mode", &stmt, NULL) == ERR_OK &&
        db_step(db, stmt, &row, "looking for its -wal file", NULL) == ERR_OK && row) {
        const char *mode = (const char *)sqlite3_column_text(stmt, 0);

        wal = mode != NULL && strcmp(mode, "wal") == 0;
    }
    sqlite3_finalize(stmt);
    if (!wal || sqlite3_file_control(db->sqlite, "main", SQLITE_FCNTL_JOURNAL_POINTER,
                                     (void *)&file) != SQLITE_OK)
        return NULL;
    return file != NULL && file->pMethods != NULL && file->pMethods->iVersion >= 3 ? file : NULL;
}

struct wal_frames *wal_frames_begin(struct db_case *db)
{
    sqlite3_file *file = wal_file(db);
    struct wal_frames *frames = file != NULL ? malloc(sizeof *frames) : NULL;

    if (frames == NULL)
        return NULL;
    frames->file = file;
    frames->below = file->pMethods;
    frames->methods = *file->pMethods;
    frames->methods.iVersion = 3;
    frames->methods.xWrite = wal_write;
    frames->methods.xRead = wal_read;
    frames->methods.xTruncate = wal_truncate;
    frames->methods.xSync = wal_sync;
    frames->methods.xFileSize = wal_size;
    frames->methods.xClose = wal_close;
    frames->commits = false;
    wal_forget(frames);
    file->pMethods = &frames->methods;
    sqlite3_rollback_hook(db->sqlite, wal_forget, frames);
    return frames;
}

void wal_frames_end(struct wal_frames *frames)
{
    if (frames != NULL && frames->file != NULL)
        frames->file->pMethods = frames->below;
    free(frames);
}
