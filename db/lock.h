/* SPDX-License-Identifier: Apache-2.0
 * db/lock.h - one writer of a case file at a time, for as long as it works.
 *
 * The lock is one of the kernel's on the file CASE.lock (fcntl(2), open file description locks). It
 * ends with the process that holds it, whatever ends that one, so that a dead holder is in nobody's
 * way. The file says in words who holds it, and is removed with the lock. Readers take no lock.
 */
#ifndef BURIN_DB_LOCK_H
#define BURIN_DB_LOCK_H

#include <stdbool.h>

#include "base/err.h"

#define DB_LOCK_HEAD                                                                               \
    "burin case lock\n" /* the first line of the file; the second names the holder */

enum { DB_LOCK_HOLDER_MAX = 512 }; /* bytes of what names a holder, the NUL included */

struct db_lock; /* owned by the caller of db_lock_take; any thread may release it */

/* Asked about every tenth of a second while another program holds the lock; false: wait no longer.
 */
struct db_wait {
    bool (*go_on)(void *arg, const char *holder);
    void *arg;
};

/*
 * Takes the lock of the case file at path, which need not exist. ERR_INPUT: another program holds
 * it and wait is NULL (the text names the holder), or a file of the lock's name is no lock;
 * ERR_INTERRUPTED: wait ended the waiting; ERR_ENV: the folder may not be written. The rest as
 * db_file_absolute.
 */
ERR_MUST_CHECK enum err_code db_lock_take(const char *path, const struct db_wait *wait,
                                          struct db_lock **out, struct err *err);
void db_lock_release(struct db_lock *lock); /* NULL is a no-op */

/* The absolute path of the case file that the lock is for. */
const char *db_lock_path(const struct db_lock *lock);

/*
 * Whether a program holds the lock of the case file at path; holder (NULL, or DB_LOCK_HOLDER_MAX
 * bytes) says which: "burin scan, process 1234 on HOST, since 2026-01-31T12:34:56.789Z".
 */
bool db_lock_held(const char *path, char *holder);

#endif
