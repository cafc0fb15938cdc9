/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/stitch_impl.h - what stitch.c and stitch_saved.c share (stitch*.c only). */
#ifndef BURIN_CARVER_SCAN_STITCH_IMPL_H
#define BURIN_CARVER_SCAN_STITCH_IMPL_H

#include "carver/plan/lookback.h"
#include "carver/plan/plan_again.h"
#include "carver/plan/rules.h"
#include "carver/scan/stitch.h"

struct stitch {
    struct stitch_options options;
    struct lookback lookback; /* of the image, without a segment */
    struct plan *truth;       /* the true planner: see plan_again.h */
    struct plan *scratch, *trial;
    struct rules *rules;
    struct sums_chain *chain;
    struct known_runs runs;
    bool in_range;
    uint64_t front;             /* image offset: the end of the last part */
    const struct io_range *run; /* that rules are in; NULL: in none */

    int64_t *ids; /* [id_room], by index of a hit of the part: 0 where it is not recorded */
    uint32_t id_room;
    bool plain;         /* hits that stay in shards need no look but to be numbered */
    uint64_t *past;     /* by pattern: the end of the last hit that was recorded; NULL: not asked */
    uint32_t *until;    /* by signature: see plan_again_check_unpacking */
    struct found spare; /* of trial */
    struct found again; /* what was found when the part was planned again */
    uint32_t again_own; /* objects of it that ended in the part */
    struct found pending; /* objects that may still change: their tags are ids */
    struct stitch_totals totals;
    struct pack left_out; /* objects of the part that do not stay in its shard, with options.link */
    uint32_t left_out_count, left_out_next; /* numbers; the one behind the last */
};

/*
 * The object as far as it may go: one that is not sure to be a file up to its end ends where the
 * bytes end that are looked at.
 */
void stitch_cut(const struct stitch *s, struct found_object *object);

/*
 * Holds an object of `found` back: it may still change. The CRC up to its beginning is taken now,
 * while the sums of its part are there.
 */
ERR_MUST_CHECK enum err_code stitch_hold(struct stitch *s, const struct found *found,
                                         const struct found_object *object, struct err *err);

/*
 * With options.link: whether the object of the part stays in its shard as it is: stitch_keep. Else,
 * and where it is dropped, stitch_leave_out is to be told.
 */
bool stitch_stays(const struct stitch *s, const struct found_object *object);
/* The object of the part stays in its shard, and is the one of the hit with this id. */
void stitch_keep(struct stitch *s, const struct found_object *object, int64_t id);
/* The object with this number in the part is none that stays. Numbers ascend. */
void stitch_leave_out(struct stitch *s, uint32_t number);

/* With options.link: records where the hits and objects of the part are, whose ids were given. */
ERR_MUST_CHECK enum err_code stitch_link(struct stitch *s, const struct part *part,
                                         struct err *err);

#endif
