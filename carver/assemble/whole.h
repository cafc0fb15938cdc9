/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/whole.h - an object that was put together, and whether it may be told.
 *
 * Several ways of putting objects together run one after the other and in threads; each gives such
 * objects. They are told one by one, in an order that depends on the image alone. One whose bytes
 * belong to another one by a better right is not told.
 */
#ifndef BURIN_CARVER_ASSEMBLE_WHOLE_H
#define BURIN_CARVER_ASSEMBLE_WHOLE_H

#include "carver/assemble/ground.h"
#include "carver/assemble/owners.h"
#include "carver/assemble/seams.h"
#include "carver/assemble/starts.h"
#include "carver/assemble/told.h"
#include "carver/assemble/trial.h"
#include "signatures/fact.h"

enum { WHOLE_TEXT = 128, WHOLE_EXACT_BITS = 32 };

struct whole {
    const struct start *start; /* NULL: nothing was put together */
    const struct sig_type *type;
    struct io_range *runs; /* owned: of the object's bytes and no others */
    uint32_t run_count;
    bool proven;            /* the validator checked its content */
    bool living;            /* a living file lies so */
    const char *kind, *why; /* static texts: of its seams; of the validator */
    uint32_t bits;          /* see struct db_join */
    uint64_t tried;
    uint32_t wrong;        /* of what is likely: the chance that it is wrong, of 10^6 */
    char text[WHOLE_TEXT]; /* the proof, for people */
};

void whole_release(struct whole *whole); /* of a zeroed one: a no-op */

/*
 * Keeps the first len bytes of the runs, of which there are at least so many. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code whole_keep(struct whole *whole, const struct io_range *runs,
                                        uint32_t count, uint64_t len, struct err *err);

/* The CRC-64 of all of its bytes. Errors: those of the image. */
ERR_MUST_CHECK enum err_code whole_sum(struct splice *splice, const struct whole *whole,
                                       uint64_t *sum, struct err *err);

/* Everything that telling needs. */
struct whole_tell {
    struct told *rows; /* what is to be stored */
    int64_t image_id;
    const struct owners *owners;
    const struct ground *ground;
    const struct unread *unread;
    struct splice *splice;
    struct sig_facts *facts; /* of the object that is told; owned by the caller */
    /* What was told and is not in the ground yet: with the ids of the objects, negated. */
    struct ground told;
    struct seams seams; /* of all that were told; settled by who asks */
    uint64_t count;     /* objects told */
};

/* Whether nobody has a better right to its bytes. */
bool whole_may(const struct whole_tell *tell, const struct whole *whole);

/*
 * Adds rows for the object, and for what it says of the objects in its pieces, unless others have
 * a better right to its bytes. Errors: those of the image; ERR_ENV.
 */
ERR_MUST_CHECK enum err_code whole_tell(struct whole_tell *tell, const struct whole *whole,
                                        struct err *err);

#endif
