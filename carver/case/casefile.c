/* SPDX-License-Identifier: Apache-2.0
 * carver/case/casefile.c - see casefile.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "carver/case/casefile.h"
#include "carver/case/evidence.h"
#include "carver/cli/interrupt.h"
#include "carver/cli/print_safe.h"
#include "db/files.h"

enum { CASEFILE_BRIEF_MAX = 100 /* times that a mount is asked for, ten in a second */ };

struct casefile_waiting {
    const char *command, *path;
    bool wait; /* for whoever it is; else for a mount, which has the case file for a moment */
    bool told;
    uint32_t asked;
};

static bool casefile_go_on(void *arg, const char *holder)
{
    static const char brief[] = "burin mount,";
    struct casefile_waiting *waiting = arg;

    if (!waiting->wait)
        return strncmp(holder, brief, sizeof brief - 1) == 0 &&
               waiting->asked++ < CASEFILE_BRIEF_MAX && !interrupt_requested();
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

/* Whether it was given up for another program, which the caller is to be told of. */
static bool casefile_is_held(const struct casefile_waiting *waiting, enum err_code rc)
{
    return rc == ERR_INTERRUPTED && !waiting->wait && !interrupt_requested();
}

enum err_code casefile_lock(const char *command, const char *path, bool wait, struct db_lock **out,
                            struct err *err)
{
    struct casefile_waiting waiting = { .command = command, .path = path, .wait = wait };
    const struct db_wait how = { casefile_go_on, &waiting };
    const enum err_code rc = db_lock_take(path, &how, out, err);

    return casefile_is_held(&waiting, rc) ? db_lock_take(path, NULL, out, err) : rc;
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
    struct casefile_waiting waiting = { .command = command, .path = path, .wait = wait };
    const struct db_wait how = { casefile_go_on, &waiting };
    enum err_code rc = db_case_open_wait(path, &how, out, err);

    if (casefile_is_held(&waiting, rc))
        rc = db_case_open_wait(path, NULL, out, err);
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
