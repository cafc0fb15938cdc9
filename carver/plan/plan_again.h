/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/plan_again.h - whether a part that was planned by itself was planned right, and the
 * planning of it once more where it was not.
 *
 * A planner that has come to the beginning of a part from the beginning of the range is called the
 * true one. It knows the open objects of all parts before. The planner that scanned the part began
 * with nothing open, and noted what its decisions rested on (found.h). Where nothing that is open
 * in the true one reaches into them, the true one follows: it takes over what was open at the end
 * of the part. Else it meets headers of the part itself, of one signature in step or of all
 * signatures, until both are in the same state.
 *
 * The checks, for each signature:
 *   claims      no header of the part lies where something open before it claims or covers
 *   room        with what is open before, never more objects are open than may be
 *   beginnings  the part's first object is not the one begun last before it
 *   unpacking   each object that unpacks would have done the same with the further sharers
 *
 * Threads: as for a planner.
 */
#ifndef BURIN_CARVER_PLAN_PLAN_AGAIN_H
#define BURIN_CARVER_PLAN_PLAN_AGAIN_H

#include "base/pack.h"
#include "carver/plan/plan.h"

/* What has been planned for a part by the planner that scanned it. */
struct plan_done {
    struct plan_part part;
    const struct found *found;
    const struct plan *exit; /* copied at its end, and told of the tail */
    const int64_t *ids;      /* by index of a hit: its id */
};

enum plan_trouble {
    PLAN_RIGHT, /* nothing is to be done */
    PLAN_ONE,   /* the signature is to be planned again */
    PLAN_ALL,   /* all signatures are */
};

/* The true planner comes to the beginning of the part: it forgets what has ended. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code plan_again_enter(struct plan *truth, const struct plan_part *part,
                                              struct err *err);

/* The next signature from this number on that plan_again_check can have anything against; their
 * count: there is none. */
uint32_t plan_again_next(const struct plan *truth, const struct plan_done *done, uint32_t sig);
/* What is to be done for one signature, by the first three checks. */
enum plan_trouble plan_again_check(const struct plan *truth, const struct plan_done *done,
                                   uint32_t sig);

/*
 * Of objects that unpack and were put off (plan_tail), forgets the notes in *found on those that
 * the true planner does not have, after single signatures were planned again. found, until: those
 * of plan_again_check_unpacking.
 */
void plan_again_forget_put_off(const struct plan *truth, struct found *found,
                               const uint32_t *until);

/*
 * The last check, after single signatures were planned again. again: what was found then. until, by
 * signature: what plan_again_one said; 0: it was not planned again. An object that might come out
 * otherwise is run once more, by itself: in trial, with spare for what is found. *alike false: all
 * signatures are to be planned again.
 */
ERR_MUST_CHECK enum err_code plan_again_check_unpacking(const struct plan *truth,
                                                        struct plan *trial,
                                                        const struct plan_done *done,
                                                        const struct found *again,
                                                        const uint32_t *until, struct found *spare,
                                                        bool *alike, struct err *err);

/*
 * Plans one signature in step again. What is found goes to *again, emptied by the caller. *until
 * becomes the index of the hit at which both were in the same state: objects of the signature are
 * right in the part that begin at that hit or behind it, or are open there; the hit count, when
 * they never were.
 */
ERR_MUST_CHECK enum err_code plan_again_one(struct plan *truth, const struct plan_done *done,
                                            uint32_t sig, struct found *again, uint32_t *until,
                                            struct err *err);

/* From the place on at which both were in the same state, the true planner has what the part's own
 * one has: it forgets what it had itself. */
void plan_again_met(struct plan *truth, uint32_t sig);

/* Plans all signatures again. */
ERR_MUST_CHECK enum err_code plan_again_all(struct plan *truth, const struct plan_done *done,
                                            struct found *again, struct err *err);

/*
 * Runs to their verdicts the open objects of the true planner, which is at the end of the part:
 * those that were planned again, and those that plan_tail put off. They are copies, in scratch, so
 * that the true planner keeps them. What is found goes to *again. Those of which it is known by
 * where they end are left out, as all are that began in parts before: an archive may go through a
 * thousand parts.
 */
ERR_MUST_CHECK enum err_code plan_again_tail(struct plan *truth, struct plan *scratch,
                                             struct found *again, struct err *err);

/*
 * Writes down the state of a true planner at the end of a part; and, after plan_begin of the same
 * part, which may be empty, gives it that state again. What is open is run to its verdict once more
 * then, with scratch, as plan_again_tail does: what is found goes to *again. What is wrong with the
 * bytes is in in->failed. Errors: those of reading the image, ERR_ENV.
 */
void plan_again_save(const struct plan *truth, struct pack *out);
ERR_MUST_CHECK enum err_code plan_again_restore(struct plan *truth, struct plan *scratch,
                                                struct unpack *in, struct found *again,
                                                struct err *err);

/*
 * Writes down what was open at the end of a part (plan_done.exit); and brings it back, of a part
 * whose hits are in *found. Nothing is read from the image: see objects_restore_exit. What is wrong
 * with the bytes is in in->failed. Errors: ERR_ENV.
 */
void plan_exit_save(const struct plan *exit, struct pack *out);
ERR_MUST_CHECK enum err_code plan_exit_restore(struct plan *exit, const struct plan_part *part,
                                               struct found *found, struct unpack *in,
                                               struct err *err);

/* Gives each open object the id of its header, by the index of its hit. */
void plan_retag(struct plan *plan, const int64_t *ids);

/* Whether an object of the signature is open that begins at image offset start. */
bool plan_again_is_open(const struct plan *truth, uint32_t sig, uint64_t start);

/*
 * The true planner follows to the end of the part, after single signatures were planned again: see
 * plan_again_check_unpacking. (After plan_again_all it is there.) What the part has put off is open
 * in it then, without a verdict: plan_again_tail comes next.
 */
ERR_MUST_CHECK enum err_code plan_again_follow(struct plan *truth, const struct plan_done *done,
                                               const struct found *again, const uint32_t *until,
                                               struct err *err);

#endif
