/* SPDX-License-Identifier: Apache-2.0
 * carver/case/casefile.c - see casefile.h. */
#include <inttypes.h>
#include <stdio.h>

#include "carver/case/casefile.h"
#include "carver/case/evidence.h"
#include "carver/cli/interrupt.h"
#include "carver/cli/print_safe.h"
#include "db/files.h"

struct casefile_waiting {
    const char *command, *path;
    bool told;
};

static bool casefile_go_on(void *arg, const char *holder)
{
    struct casefile_waiting *waiting = arg;

    if (!waiting->told) {
        fprintf(stderr, "burin: %s: ", waiting->command);
        print_safe(stderr, waiting->path);
        fputs(": waiting for another program that writes to it: ", stderr);
        print_safe(stderr, holder);
        putc('\n', stderr);
    }
    waiting->told = true;
    return !interrupt_requested();
}

enum err_code casefile_lock(const char *command, const char *path, bool wait, struct db_lock **out,
                            struct err *err)
{
    struct casefile_waiting waiting = { .command = command, .path = path };
    const struct db_wait how = { casefile_go_on, &waiting };

    return db_lock_take(path, wait ? &how : NULL, out, err);
}

void casefile_tell_log(const char *command, const char *path, const struct db_case *db)
{
    if (db_log_broken(db) == 0)
        return;
    fprintf(stderr, "burin: %s: ", command);
    print_safe(stderr, path);
    fprintf(stderr,
            ": the chain of its log is broken at entry %" PRId64
            ": this entry or one before it was changed or removed (see burin verify)\n",
            db_log_broken(db));
}

enum err_code casefile_tell_last(const char *path, struct db_case *db, struct err *err)
{
    char hash[DB_SHA256_HEX + 1];
    int64_t last = 0;
    const enum err_code rc = db_log_last(db, &last, hash, err);

    if (rc == ERR_OK)
        print_safe_line(stderr, "%s: the log ends with entry %" PRId64 ", hash %s", path, last,
                        hash);
    return rc;
}

enum err_code casefile_open(const char *command, const char *path, bool wait, struct db_case **out,
                            struct err *err)
{
    struct casefile_waiting waiting = { .command = command, .path = path };
    const struct db_wait how = { casefile_go_on, &waiting };

    const enum err_code rc = db_case_open_wait(path, wait ? &how : NULL, out, err);

    if (rc == ERR_OK)
        casefile_tell_log(command, path, *out);
    return rc;
}

enum err_code casefile_refuse_evidence(const struct io_image *image, const char *path,
                                       struct err *err)
{
    char absolute[PATH_MAX], name[DB_FILE_NAME_MAX];
    enum err_code rc = evidence_refuse_output(image, path, "the case file", err);

    if (rc != ERR_OK || db_file_absolute(path, absolute, NULL) != ERR_OK)
        return rc; /* making it will say what is wrong */
    for (int i = DB_FILE_WAL; rc == ERR_OK && i < DB_FILES_COUNT; i++) {
        db_file_name(absolute, (enum db_file)i, name);
        rc = evidence_refuse_output(image, name, "a part of the case file", err);
    }
    return rc;
}
