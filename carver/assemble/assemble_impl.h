/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/assemble_impl.h - what the parts of assemble.h share; nobody else includes it.
 *
 *   assemble.c        the story: what is loaded, the rounds
 *   assemble_all.c    tasks of one kind, within a share of work; what they gave is told
 *   assemble_tries.c  files of which nothing says where they go on: proof, search, members,
 *                     resemblance
 *   assemble_fill.c   those whose pieces fill holes
 *   assemble_doubt.c  files that are whole only as far as the scan has looked
 */
#ifndef BURIN_CARVER_ASSEMBLE_ASSEMBLE_IMPL_H
#define BURIN_CARVER_ASSEMBLE_ASSEMBLE_IMPL_H

#include "carver/assemble/assemble.h"
#include "carver/assemble/claims.h"
#include "carver/assemble/filled.h"
#include "carver/assemble/guess.h"
#include "carver/assemble/holes.h"
#include "carver/assemble/likely.h"
#include "carver/assemble/tasks.h"
#include "carver/assemble/whole.h"

enum { ASSEMBLE_AT_ONCE = 4096 /* tasks that are done before what they gave is told */ };

struct assemble {
    const struct assemble_image *job;
    struct assemble_totals *totals;
    const struct io_fsmap *map; /* the job's, or of what is ahead */
    struct starts starts;
    uint64_t reach; /* bytes, by starts_reach: work goes by them */
    struct owners owners;
    struct ground ground;
    struct claims claims;
    struct told own; /* rows of one object, where they are stored at once */
    struct whole_tell tell;
    struct likely_tell likely;
    /* [threads]: see tasks.h. Between tasks the first one's splice is that of telling, too: what is
     * told was read by a validator, mostly that of this thread. */
    struct trial *trials;
    struct islands islands;
    struct holes holes;
    struct filled order; /* in which holes were filled, of the files that are told */
    struct resemble_table *table;
    struct resemble_sample *sample;
    struct memo *memo; /* of forks */
    /* [open_count]: numbers of starts that are no proven file's, nor lie in one; NULL: not made */
    uint32_t *open;
    size_t open_count;
    size_t *forks; /* [fork_count]: numbers of starts of files that may go on elsewhere */
    size_t fork_count;
    uint64_t fork_budget; /* of each */
    uint64_t guess_budget, lead_budget;
    uint64_t *had; /* [starts.count]: the budget that a start has spent; 0: not all of one */
    bool *done;    /* [starts.count]: tried, and more is not worth it, */
    bool *within;  /* and it was tried within its budget */
    struct fork_followed **followed; /* [starts.count]: see struct fork_job */
    bool *asks;           /* [fork_count], while that is asked: there is something to compare */
    size_t first;         /* the claim, or fork, of task 0 */
    bool open_end;        /* the claims without an end are tried, */
    bool believed;        /* files whose length is believed are: what is read first is their end */
    bool free_members;    /* what members of archives own is free: archives are looked for */
    bool fill_likely;     /* of files whose pieces fill holes, likely ones are told, too */
    bool unmapped;        /* and told where nobody says what is in use */
    struct whole *wholes; /* [ASSEMBLE_AT_ONCE]: what the tasks gave */
};

/* Tasks of the image, each of which is given arg. */
struct tasks assemble_tasks(const struct assemble *a, task_fn run, void *arg);

/* Runs all tasks, some at a time, and tells what they gave, which is owned then. They may spend a
 * share of work together; those that come later are left out then. */
ERR_MUST_CHECK enum err_code assemble_all(struct assemble *a, task_fn run, size_t count,
                                          struct err *err);

/* Whether a file may go on elsewhere that begins here. owner: the object there; or NULL. */
typedef bool (*assemble_from_fn)(const struct assemble *a, const struct start *start,
                                 const struct owner *owner);

/* Whether the file that begins here may go on elsewhere, and its validator could prove it. */
bool assemble_forks_from(const struct assemble *a, const struct start *start,
                         const struct owner *owner);
/* Whether a file that no validator has proven may begin here, and go on elsewhere. */
bool assemble_guesses_from(const struct assemble *a, const struct start *start,
                           const struct owner *owner);

/* The free places, and the starts, of those that `from` takes, of files that may go on there.
 * again: also of those that had been tried to the end, as the free places are others now. */
ERR_MUST_CHECK enum err_code assemble_choose(struct assemble *a, assemble_from_fn from, bool again,
                                             struct err *err);

/*
 * An image of headers has too many starts: of those that were chosen, the ones that the scan made
 * no object of are left out then, and the last ones.
 */
void assemble_not_too_many(struct assemble *a);

/* Takes the sample of the image. */
ERR_MUST_CHECK enum err_code assemble_sample(struct assemble *a, struct err *err);

/* Files whose pieces fill holes: those that are proven, each of which tells more of where holes
 * begin and end; or those that are likely, too. */
ERR_MUST_CHECK enum err_code assemble_fills(struct assemble *a, bool likely, struct err *err);

/* Takes back what files own that may have the end of another one. Before the ground is settled. */
ERR_MUST_CHECK enum err_code assemble_doubts(struct assemble *a, struct err *err);

/* What can be proven, and what is likely, of files that nothing has put together so far. */
ERR_MUST_CHECK enum err_code assemble_tries(struct assemble *a, struct err *err);

#endif
