/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/plan.h - the planner: decides which headers of signatures with a validator become
 * objects. (Rules without a validator: rules.h.)
 *
 *   hits ──► header of a signature ──► open object, whose validator reads on as the scan front
 *                                      moves ──► verdict ──► object
 *
 * It works on one part of a range of the image at a time, [from, to): the part owns the hits that
 * begin in it. It begins with nothing open. What is open at the end of the part can be copied for
 * whoever has to know it, and is then run to its verdict, as far behind the part as that may be.
 *
 * The planner's decisions depend only on the bytes and the options, not on how the part is cut
 * into segments. For this, a header at offset h is judged only when the open objects of its
 * signature have been run with exactly the bytes below h + PLAN_LOOKAHEAD.
 *
 * Work is near-linear in the number of hits, because few objects of a signature are open at a time.
 * With every PLAN_ROUND-th header of a signature its open objects are run. If more than
 * PLAN_OPEN_MAX (or sig->open_max, when it is set) are open then, the oldest are ended as
 * truncated. This is not done with every header, because a validator that is run again reads much
 * of its object again.
 *
 * Threads: one thread at a time calls a planner, and its validators run in that thread.
 */
#ifndef BURIN_CARVER_PLAN_PLAN_H
#define BURIN_CARVER_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hit.h"
#include "base/pack.h"
#include "carver/plan/found.h"
#include "carver/plan/lookback.h"
#include "carver/plan/patterns.h"
#include "carver/plan/runs.h"
#include "carver/plan/sums.h"
#include "signatures/conf.h"

enum {
    /*
     * Bytes from a header on that are read before the header is judged; more than any carry.
     */
    PLAN_LOOKAHEAD = 4096,
    PLAN_OPEN_MAX = 64, /* most open objects of one signature; real files are not nested deeper */
    PLAN_ROUND = 32,    /* headers of a signature between two checks of that limit */
    PLAN_SHARE = 4096,  /* bytes of the image in which what unpacks is counted once */
    /* Bytes by which the scan front moves on before the validators read up to it. */
    PLAN_BATCH = 2 << 20,
    PLAN_FAR = 4 << 20, /* bytes behind a part in which what is open in step has its verdict, or is
                           put off: see plan_tail */
};

/* Limits of rules.h. */
enum {
    /*
     * Of the headers of rules in each PLAN_CROWD bytes of the image, PLAN_CROWD_MAX are recorded:
     * one in 32 bytes. (A rule of one byte finds 4096 in as many bytes of noise.) Behind that limit
     * each rule may still have its equal part of PLAN_CROWD_MAX.
     */
    PLAN_CROWD = 1 << 20,
    PLAN_CROWD_MAX = PLAN_CROWD / 32,
    /*
     * Labelling reads at most PLAN_LABEL_SHARE times the bytes of the image, and PLAN_LABEL_FREE
     * bytes more.
     */
    PLAN_LABEL_SHARE = 2,
    PLAN_LABEL_FREE = 64 << 20,
};

struct plan_options {
    const struct sig *const *sigs; /* all signatures, with and without validators */
    uint32_t sig_count;
    const struct patterns *patterns;
    enum sig_compat compat;
    bool all_hits;           /* record all footers, even those that end no object */
    bool hits_only;          /* record headers and all footers, but make no objects */
    bool label;              /* let validators label the objects of a configuration file's rules */
    uint32_t align;          /* files begin at multiples of this many bytes; 1: anywhere */
    const struct runs *runs; /* where hits count; NULL: everywhere */
    /* Whether objects of this type are wanted. NULL: all are. */
    bool (*wanted)(void *arg, const struct sig *sig, const struct sig_type *type);
    void *wanted_arg;
    /* Checks a hit once more: bytes are those that matched the pattern. NULL: every hit counts. */
    bool (*confirm)(void *arg, uint32_t pattern, const uint8_t *bytes);
    void *confirm_arg;
};

/* Whether objects of this type of signature number sig are wanted. */
bool plan_wants(const struct plan_options *options, uint32_t sig, const struct sig_type *type);

struct plan_totals {
    uint64_t headers;    /* headers that a validator read */
    uint64_t claimed;    /* headers that belong to an object that was found before */
    uint64_t rejected;   /* headers that a validator rejected */
    uint64_t evicted;    /* objects that were ended because too many of the signature were open */
    uint64_t cut;        /* objects that were evicted or spent (sig_unpacked) */
    uint64_t unpacked;   /* bytes that validators unpacked (sig_unpacked) */
    uint64_t crowded;    /* headers of rules that were not recorded because of PLAN_CROWD_MAX */
    uint64_t crowd_at;   /* image offset of the first of these */
    uint64_t unlabelled; /* objects of rules that no validator was asked about */
};

void plan_totals_add(struct plan_totals *totals, const struct plan_totals *more);
void plan_totals_save(const struct plan_totals *totals, struct pack *out);
void plan_totals_restore(struct plan_totals *totals, struct unpack *in);

/* A part of a range of the image; all are image offsets. Validators may read the whole range. */
struct plan_part {
    uint64_t range_begin, range_end;
    uint64_t from, to; /* in the range: the hits that begin here are the part's */
};

struct plan; /* owned by the caller of plan_open */

/*
 * Makes a planner. lookback and all that options points to stay the caller's and must outlive the
 * plan. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code plan_open(const struct plan_options *options,
                                       struct lookback *lookback, struct plan **out,
                                       struct err *err);
void plan_close(struct plan *plan); /* NULL is a no-op */

/*
 * Begins a part: nothing is open. What is found goes to *found. sums: CRCs of the part's bytes, for
 * those of the objects; NULL: they get none. Both stay the caller's.
 */
void plan_begin(struct plan *plan, const struct plan_part *part, struct found *found,
                struct sums *sums);

/* The caller has added the segment that ends at the front to the sums, and not yet its hits. */
ERR_MUST_CHECK enum err_code plan_summed(struct plan *plan, struct err *err);

/*
 * Takes hits of the segment that ends at front. They ascend, except that a hit may begin up to the
 * carry before one of the segment before. Those that begin outside of the part are left out. The
 * bytes below front are in the lookback. known: image offset below which all hits have been handed
 * in with this call; front, for the last hits of a segment.
 */
ERR_MUST_CHECK enum err_code plan_hits(struct plan *plan, const struct hit *hits, uint32_t count,
                                       uint64_t known, uint64_t front, struct err *err);

/*
 * The caller has handed in all hits of the segment: the open objects may be run up to front. They
 * are run now or, when there is too little to read yet, later.
 */
ERR_MUST_CHECK enum err_code plan_front(struct plan *plan, uint64_t front, struct err *err);

/* The caller is about to take the bytes below this image offset out of the lookback. */
ERR_MUST_CHECK enum err_code plan_leave(struct plan *plan, uint64_t below, struct err *err);

/*
 * All hits of the part have been handed in; it ends at image offset to, at or before the end given
 * to plan_begin. Hits that begin behind that are forgotten.
 */
void plan_end(struct plan *plan, uint64_t to);

/*
 * Makes `to`, opened with the same options, a planner at the same place with the same open objects.
 * What `to` finds goes on to where it went before.
 */
ERR_MUST_CHECK enum err_code plan_copy(struct plan *to, const struct plan *from, struct err *err);

/*
 * Runs the open objects to their verdicts, as if the part went on to the end of the range without a
 * header. *at, opened with the same options and a copy of this planner, learns by where they end
 * and what they claim.
 *
 * far: bytes that are gone on by; behind them an object of a signature in step is put off, unless
 * it has its verdict: it is forgotten here, and *at does not learn by where it ends. UINT64_MAX:
 * none is put off.
 */
ERR_MUST_CHECK enum err_code plan_tail(struct plan *plan, struct plan *at, uint64_t far,
                                       struct err *err);

/* All that validators have looked at since plan_begin lies in *out; false: they did not. */
bool plan_looked(const struct plan *plan, struct io_range *out);

/* Bytes that validators had to read from the image again, because they had left the lookback. */
uint64_t plan_reread(const struct plan *plan);
const struct plan_totals *plan_totals(const struct plan *plan);

#endif
