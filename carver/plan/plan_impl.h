/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/plan_impl.h - what plan.c and plan_again.c share: a planner's state. */
#ifndef BURIN_CARVER_PLAN_PLAN_IMPL_H
#define BURIN_CARVER_PLAN_PLAN_IMPL_H

#include "carver/plan/objects.h"
#include "carver/plan/plan.h"
#include "carver/plan/plan_queue.h"
#include "carver/plan/plan_sums.h"

/* Image offsets, ascending. */
struct plan_places {
    uint64_t *items;
    uint32_t count, room;
};

struct plan {
    struct plan_options options;
    struct lookback *lookback;
    struct lookback_view look; /* for options.confirm */
    struct found *found;       /* the caller's */
    struct objects *objects;
    /* Of which signatures there may be objects, claims or a reach; and what began since plan_begin,
     * or of a true planner since it has entered the part. It is objects_some of the objects. */
    struct sig_set *some;
    uint64_t *last_start; /* by signature: start of the object begun last, + 1 */
    uint32_t *begun;      /* by signature: objects so far, modulo plan_round */
    /* By signature, of a planner that another one's tail was told to: what its open objects claim,
     * and the image offset up to which those of a stream cover. */
    struct plan_places *claims;
    uint64_t *reach;
    struct plan_queue queue;
    struct plan_sums sums;
    struct sig_facts *facts; /* owned: of the object with the last verdict */
    struct plan_totals totals;
    uint64_t
        share_page;   /* number + 1 of the PLAN_SHARE bytes with the last header of what unpacks */
    uint32_t sharers; /* that unpack: open when these bytes began, or begun in those before */
    uint32_t mates;   /* and begun in these */
    struct plan_part part;
    uint64_t read_to;  /* image offset: the open objects have been run up to here */
    struct plan *told; /* during plan_tail: its `at` */
    bool alone; /* one signature is planned: objects share with none, and others stay as they are */

    /* Of a true planner (plan_again.h): what there was when it entered the part. */
    uint64_t entry_page;
    uint32_t entry_mates;
    struct plan_places entry_ends; /* of open objects that unpack; in no order */
};

/* Most open objects of the signature, and headers between two checks of that. */
uint32_t plan_open_most(const struct sig *sig);
uint32_t plan_round(const struct sig *sig);

/* How many bytes of the image a validator may see that is asked about a header here. */
uint64_t plan_shown(const struct plan *plan, uint64_t header);

/*
 * A header of a signature with a validator; the lookback's limit is plan_shown. hit: its index, for
 * the note on it; tag: of its object. expected: the state of a signature in step in which it was
 * met before, or NULL; *met: it is the same now, and the header was left alone.
 */
ERR_MUST_CHECK enum err_code plan_header(struct plan *plan, uint32_t sig, uint64_t start,
                                         uint32_t hit, uint64_t tag, const uint64_t *expected,
                                         bool *met, struct err *err);

/* Adds those that are not there yet. */
ERR_MUST_CHECK enum err_code plan_places_add(struct plan_places *places, const uint64_t *items,
                                             uint32_t count, struct err *err);

#endif
