/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/fork.h - where a file goes on behind the place where it breaks.
 *
 * The validator reads the file cluster by cluster. Its state is kept at each cluster, so that it
 * can be set back to any of the last ones and go on with other bytes behind it. Where it breaks,
 * the cut is there or some clusters before; each of them is tried with each place where a piece may
 * begin, nearest first: the beginnings of free islands, then small gaps. Wrong bytes fail soon, so
 * a try costs a cluster mostly. Those that do not fail are read on, and a file that breaks again is
 * cut again, at most FORK_PIECES times.
 *
 * Where the format has a record that says where in the file it stands (tail.h), that tells where
 * the last piece lies: then each cut has one place behind it, which is tried before all others.
 *
 * What comes to its end counts only if its validator has checked every byte, or each unit of the
 * file: a wrong sector is seen then. Where two ways come to an end with other bytes, none counts.
 *
 * Work is bounded by bytes shown to the validator, and never by time.
 */
#ifndef BURIN_CARVER_ASSEMBLE_FORK_H
#define BURIN_CARVER_ASSEMBLE_FORK_H

#include "carver/assemble/memo.h"
#include "carver/assemble/places.h"
#include "carver/assemble/units.h"
#include "carver/assemble/whole.h"

enum {
    FORK_PIECES = 16,           /* of one file */
    FORK_CUTS = 128,            /* clusters before the break that are tried, */
    FORK_CUT_BYTES = 64 * 1024, /* and not farther away than this, but four of them */
    FORK_RACE = 4096,           /* bytes that the first race is over */
    FORK_BITS_EXACT = 56,       /* every byte was checked, by structure and by a sum of 32 bits */
    FORK_BITS_UNIT = 48,        /* each unit was */
};

struct fork_job {
    const struct start *start;
    const struct islands *islands;
    const struct ground *ground;
    const struct starts *starts; /* of the image */
    uint64_t image_len;
    uint64_t budget; /* bytes that the validator may be shown */
    uint64_t
        known;     /* bytes of the file that the scan has taken for right; 0: it took it for none */
    bool believed; /* all of them, though nothing has proven it */
    struct memo *memo; /* of the image, for all files; or NULL */
    /*
     * What the codes of a unit have told, which takes long to ask. The file's own from one try to
     * the next, to be freed; *followed is NULL: nothing was asked. NULL: it is not kept.
     */
    struct fork_followed **followed;
};

/* Codes that were followed from a unit on, and where they lead, in the round in which it was asked:
 * what others own now is no way, and what is free now is seldom one. */
struct fork_followed {
    uint64_t sure; /* object offset of the unit */
    struct units units;
};

/* Whether a file of the format tells where it goes on, by its end or by the codes that break. */
static inline bool fork_tells(const struct sig *sig)
{
    return sig->tail.len != 0 || sig->joint != NULL || sig->flow != NULL;
}

/* Image offset at which a piece that begins here ends at the latest: where others own. A container
 * holds whole files, which end it nowhere. */
uint64_t fork_piece_end(const struct fork_job *job, uint64_t begin);

/*
 * Puts the file together, if it can. out->start stays NULL if not; *spent: the budget was too small
 * to try everything, and more is worth it: not for a header alone, behind which nothing was right.
 * Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code fork_try(const struct fork_job *job, struct trial *trial,
                                      struct whole *out, bool *spent, struct err *err);

#endif
