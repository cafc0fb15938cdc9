/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/crew.h - objects that several threads write at a time, handed in and given back in
 * one order.
 *
 *   submit ──► queue ──► threads: read, hash, compare, write, rename ──► take, in the order of
 * submit
 *
 * One thread, which has the case file, submits and takes. Threads begin with objects in the order
 * in which they were submitted, so that an image is read nearly from its beginning to its end.
 */
#ifndef BURIN_CARVER_CARVE_CREW_H
#define BURIN_CARVER_CARVE_CREW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/carve/extract.h"

enum {
    /*
     * Objects in hand, besides one for each thread. They are given back in order: so many are
     * written behind a large one before the threads have to wait for it.
     */
    CREW_AHEAD = 1024,
    CREW_EXTENTS = 1 << 20, /* of all objects in hand; one object may have more */
};

struct crew; /* owned by the caller of crew_open */

/* An object that was taken; valid until the next call of crew_submit, crew_take or crew_close. */
struct crew_done {
    struct db_object object;
    int64_t date;     /* that the file was to get, */
    enum err_code rc; /* of extract_write, */
    struct err why;   /* and what it said */
    struct extract_result result;
};

/*
 * threads: how many objects are written at a time, 1..LIMIT_THREADS. 1 starts no thread: crew_take
 * does the work. back is told what is written, as long as objects are in hand; it may be NULL.
 * Errors: ERR_ENV no memory, no thread.
 */
ERR_MUST_CHECK enum err_code crew_open(struct outdir *dir, uint32_t threads,
                                       struct write_back *back, struct crew **out, struct err *err);
void crew_close(struct crew *crew); /* NULL is a no-op; stops the crew first */

bool crew_is_full(const struct crew *crew); /* one must be taken before one can be submitted */

/*
 * what says how to write object; its extents and its sums are those of object, which is copied.
 * what->image and what->unread stay where they are until the object was taken.
 */
ERR_MUST_CHECK enum err_code crew_submit(struct crew *crew, const struct extract_object *what,
                                         const struct db_object *object, struct err *err);

/* Whether this, of an object, ends the work: it stops the crew. Other errors are the object's own.
 */
bool crew_ends(enum err_code rc);

/* Waits for the object that was submitted first of those not taken. NULL: all were taken. */
const struct crew_done *crew_take(struct crew *crew);

/*
 * The work cannot go on, for this reason: objects that are not written yet end with it. When this
 * returns, no thread writes any more.
 */
void crew_give_up(struct crew *crew, enum err_code rc, const struct err *why);

/* Objects that are not written yet end with ERR_INTERRUPTED, and leave nothing behind. */
void crew_stop(struct crew *crew);

#endif
