/* SPDX-License-Identifier: Apache-2.0
 * carver/case/seal.c - see seal.h. */
#include "carver/case/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "carver/cli/cpus.h"
#include "carver/cli/interrupt.h"
#include "db/files.h"

#define SEAL_STOP_NS UINT64_C(1000000000) /* that it takes yet where a stop was asked for */

void seal_text(const struct db_seal *seal, char out[SEAL_LINE_MAX])
{
    snprintf(out, SEAL_LINE_MAX, "tables: sha256 %s, %" PRIu64 " rows", seal->sha256, seal->rows);
}

void seal_line(const struct db_log_entry *entry, char out[SEAL_LINE_MAX])
{
    snprintf(out, SEAL_LINE_MAX,
             DB_SEAL_HEAD DB_SEAL_WAY " log entry %" PRId64 ", hash %s; %.120s\n", entry->id,
             entry->hash, entry->text);
}

/* The name of the seal of the case file at path. */
static enum err_code seal_name(const char *path, char out[DB_FILE_NAME_MAX], struct err *err)
{
    char absolute[PATH_MAX];
    const enum err_code rc = db_file_absolute(path, absolute, err);

    if (rc == ERR_OK)
        db_file_name(absolute, DB_FILE_SEAL, out);
    return rc;
}

void seal_read(const char *path, char out[SEAL_LINE_MAX])
{
    char name[DB_FILE_NAME_MAX];
    ssize_t got = 0;

    out[0] = '\0';
    if (seal_name(path, name, NULL) != ERR_OK)
        return;
    const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return;
    got = read(fd, out, SEAL_LINE_MAX - 1);
    out[got > 0 ? got : 0] = '\0';
    close(fd);
}

static enum err_code seal_write(const char *name, const char *line, struct err *err)
{
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    const ssize_t len = (ssize_t)strlen(line);
    bool ok = fd >= 0 && write(fd, line, (size_t)len) == len && fsync(fd) == 0;
    const int cause = errno;

    if (fd >= 0 && close(fd) != 0)
        ok = false;
    return ok ? ERR_OK
              : ERR_RAISE(err, ERR_ENV,
                          "%s: the seal of the case file cannot be written: %s; all rows are in "
                          "the case file, and its log has the seal",
                          name, strerror(cause));
}

static bool seal_stop(void *arg)
{
    uint64_t *since_ns = arg;

    if (!interrupt_requested())
        return false;
    if (*since_ns == 0)
        *since_ns = clock_now(CLOCK_MONOTONIC);
    return clock_now(CLOCK_MONOTONIC) - *since_ns > SEAL_STOP_NS;
}

/* The entry of the log. *done false: a stop came first. */
static enum err_code seal_log(struct db_case *db, struct db_seal_readers *ready, bool *done,
                              struct err *err)
{
    char text[SEAL_LINE_MAX];
    uint64_t since_ns = 0;
    struct db_seal seal;
    enum err_code rc = db_begin(db, err);

    *done = false;
    if (rc != ERR_OK)
        return rc;
    rc = db_seal(db, ready, cpus_count(), seal_stop, &since_ns, &seal, err);
    if (rc == ERR_OK) {
        seal_text(&seal, text);
        rc = db_log(db, 0, "seal", text, err);
    }
    *done = rc == ERR_OK;
    if (rc == ERR_OK)
        return db_commit(db, err);
    db_rollback(db);
    return rc == ERR_INTERRUPTED ? ERR_OK : rc;
}

struct db_seal_readers *seal_soon(const char *path, uint64_t rows, uint64_t hits, uint64_t most)
{
    const uint32_t cpus = cpus_count(), count = most < cpus ? (uint32_t)most : cpus;
    struct db_seal_readers *ready = NULL;
    const bool reads = rows >= DB_SEAL_MANY && count > 1, folds = hits >= DB_SEAL_MANY && cpus > 1;

    return (reads || folds) && db_seal_readers_open(path, reads ? count : 0, &ready, NULL) == ERR_OK
               ? ready
               : NULL;
}

enum err_code seal_case(struct db_case *db, const char *path, struct db_seal_readers *ready,
                        struct seal_signer *signer, struct err *err)
{
    char name[DB_FILE_NAME_MAX], line[SEAL_LINE_MAX];
    struct db_log_entry entry;
    bool done = false;
    enum err_code rc = seal_log(db, ready, &done, err);

    if (rc != ERR_OK || !done)
        return rc;
    rc = db_log_find(db, "seal", &entry, err);
    if (rc == ERR_OK)
        rc = seal_name(path, name, err);
    if (rc == ERR_OK) {
        seal_line(&entry, line);
        interrupt_hold();
        rc = seal_write(name, line, err);
        interrupt_release();
    }
    return rc == ERR_OK ? seal_sign(signer, name, err) : rc;
}
