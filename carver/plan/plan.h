/*
 * carver/plan/plan.h - the planner: decides which hits become objects.
 *
 *   hits ──► header of a signature with a validator ──► open object, whose validator reads on
 *       │                                             as the scan front moves ──► object
 *       └──► header or footer of a rule ──► pair ──► range ──► (label) ──► object
 *
 * The planner's decisions depend only on the bytes and the options, not on how the image is cut
 * into segments. For this, a header at offset h is judged only when the open objects of its
 * signature have been run with exactly the bytes below h + PLAN_LOOKAHEAD.
 *
 * Work is near-linear in the number of hits, because few objects of a signature are open at a time.
 * With every PLAN_ROUND-th header of a signature its open objects are run. If more than
 * PLAN_OPEN_MAX (or sig->open_max, when it is set) are open then, the oldest are ended as
 * truncated. This is not done with every header, because a validator that is run again reads much
 * of its object again.
 *
 * Threads: one thread at a time calls the planner; the validators run in threads of its own.
 */
#ifndef BURIN_CARVER_PLAN_PLAN_H
#define BURIN_CARVER_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hit.h"
#include "carver/case/record.h"
#include "carver/plan/lookback.h"
#include "carver/plan/patterns.h"
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
    bool all_hits;    /* record all footers, even those that end no object */
    bool hits_only;   /* record headers and all footers, but make no objects */
    bool label;       /* let validators label the objects of a configuration file's rules */
    uint32_t threads; /* threads for validators, 1..LIMIT_THREADS */
    uint32_t keep;    /* segments behind the front that the caller keeps in memory */
    uint32_t align;   /* files begin at multiples of this many bytes; 1: anywhere */
    /* Whether objects of this type are wanted. NULL: all are. */
    bool (*wanted)(void *arg, const struct sig *sig, const struct sig_type *type);
    void *wanted_arg;
    /* Checks a hit once more: bytes are those that matched the pattern. NULL: every hit counts. */
    bool (*confirm)(void *arg, uint32_t pattern, const uint8_t *bytes);
    void *confirm_arg;
    /* CRCs of the lookback's segments, for the objects' CRC-64. NULL: they get none */
    struct sums *sums;
};

struct plan_totals {
    uint64_t headers;    /* headers that a validator read */
    uint64_t claimed;    /* headers that belong to an object that was found before */
    uint64_t rejected;   /* headers that a validator rejected */
    uint64_t evicted;    /* objects that were ended because too many of the signature were open */
    uint64_t cut;        /* recorded objects that were evicted or spent (sig_unpacked) */
    uint64_t unpacked;   /* bytes that validators unpacked (sig_unpacked) */
    uint64_t crowded;    /* headers of rules that were not recorded because of PLAN_CROWD_MAX */
    uint64_t crowd_at;   /* image offset of the first of these */
    uint64_t unlabelled; /* objects of rules that no validator was asked about */
};

struct plan; /* owned by the caller of plan_open */

/*
 * Bytes by which the scan front moves on before the validators read up to it: enough to give
 * several threads work. If the caller keeps this many bytes behind the front, the validators read
 * from memory.
 */
enum { PLAN_BATCH = 2 << 20 };

/*
 * Makes a planner. lookback, record and all that options points to stay the caller's and must
 * outlive the plan. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code plan_open(const struct plan_options *options,
                                       struct lookback *lookback, struct record *record,
                                       struct plan **out, struct err *err);
void plan_close(struct plan *plan); /* NULL is a no-op */

/* Begins the range [offset, end) of the image. */
ERR_MUST_CHECK enum err_code plan_begin_range(struct plan *plan, uint64_t offset, uint64_t end,
                                              struct err *err);

/* The caller has added the segment that ends at the front to the sums, and not yet its hits. */
ERR_MUST_CHECK enum err_code plan_summed(struct plan *plan, struct err *err);

/*
 * Takes hits of the segment that ends at front. They ascend, except that a hit may begin up to the
 * carry before one of the segment before. The bytes below front are in the lookback. known: image
 * offset below which all hits have been handed in with this call; front, for the last hits of a
 * segment.
 */
ERR_MUST_CHECK enum err_code plan_hits(struct plan *plan, const struct hit *hits, uint32_t count,
                                       uint64_t known, uint64_t front, struct err *err);

/*
 * The caller has handed in all hits of the segment: the open objects may be run up to front. They
 * are run now or, when there is too little to read yet, later.
 */
ERR_MUST_CHECK enum err_code plan_front(struct plan *plan, uint64_t front, struct err *err);

/* Ends the range: all open objects get their verdict. */
ERR_MUST_CHECK enum err_code plan_end_range(struct plan *plan, struct err *err);

/*
 * Validators may still read the segments of the lookback that begin at or behind the image offset
 * that plan_held returns; UINT64_MAX: none. Before the caller takes such a segment away it calls
 * plan_wait, which waits for the validators.
 */
uint64_t plan_held(const struct plan *plan);
ERR_MUST_CHECK enum err_code plan_wait(struct plan *plan, struct err *err);

/* The caller is about to take the bytes below this image offset out of the lookback. */
ERR_MUST_CHECK enum err_code plan_leave(struct plan *plan, uint64_t below, struct err *err);

/* Bytes that validators had to read from the image again, because they had left the lookback. */
uint64_t plan_reread(const struct plan *plan);
const struct plan_totals *plan_totals(const struct plan *plan);

#endif
