/*
 * carver/plan/plan.h - the planner: which hits become objects.
 *
 *   hits in ascending order ──► header of a signature with a checker ──► open object, checked as the scan front moves on ──► object
 *                          └──► header or footer of a rule ──► pair ──► range ──► (label) ──► object
 *
 * What the planner decides depends on the bytes and the options alone. To that end a header at offset h is looked at when, and only
 * when, every object of its signature that is still open has been shown exactly the bytes below h + PLAN_LOOKAHEAD.
 *
 * Work is near-linear in the number of hits, because few objects of a signature are open at a time:
 * with every PLAN_ROUND-th header those that are open are shown what there is, and of more than
 * PLAN_OPEN_MAX (or sig->open_max, where that is less) the oldest ones are ended as truncated. Not with every header: to be shown a little
 * more costs a checker as much as all that it reads again.
 */
#ifndef BURIN_CARVER_PLAN_PLAN_H
#define BURIN_CARVER_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hit.h"
#include "carver/case/record.h"
#include "carver/plan/patterns.h"
#include "carver/plan/sums.h"
#include "carver/plan/window.h"
#include "signatures/conf.h"

enum {
    PLAN_LOOKAHEAD = 4096, /* bytes behind a header that are read before it is judged; more than any carry */
    PLAN_OPEN_MAX = 64,    /* open objects of one signature; deeper nesting of one type in itself is not real */
    PLAN_ROUND = 32,       /* headers of a signature between two looks at that */
    PLAN_SHARE = 4096,     /* bytes of the image in which what unpacks is counted once */
    /*
     * Headers of rules that are recorded of each PLAN_CROWD bytes of the image: one in 32 bytes. A
     * rule of one byte finds 4096 in as much noise. And of each rule its part of as many.
     */
    PLAN_CROWD = 1 << 20,
    PLAN_CROWD_MAX = PLAN_CROWD / 32,
    PLAN_LABEL_SHARE = 2,       /* times that the bytes of the image are labelled, at most, */
    PLAN_LABEL_FREE = 64 << 20, /* and so many bytes more */
};

struct plan_options {
    const struct sig *const *sigs; /* all signatures; rules and checkers mixed */
    uint32_t sig_count;
    const struct patterns *patterns;
    enum sig_compat compat;
    bool all_hits;    /* record footers that end nothing too */
    bool hits_only;   /* record headers and all footers, and make no objects of them */
    bool label;       /* let checkers label what rules of a configuration file found */
    uint32_t threads; /* for checkers, 1..LIMIT_THREADS */
    uint32_t keep;    /* segments behind the front that the caller keeps in memory */
    uint32_t align;   /* files begin at multiples of this many bytes; 1: anywhere */
    /* Whether objects of this type are wanted; NULL: all. */
    bool (*wanted)(void *arg, const struct sig *sig, const struct sig_type *type);
    void *wanted_arg;
    /* Whether a hit on this pattern is one, seen from near: bytes are those that matched. NULL: all are. */
    bool (*confirm)(void *arg, uint32_t pattern, const uint8_t *bytes);
    void *confirm_arg;
    struct sums *sums; /* of the window's segments: objects get their CRC-64. NULL: they get none */
};

struct plan_totals {
    uint64_t headers;    /* looked at by a checker */
    uint64_t claimed;    /* belonged to an object found before */
    uint64_t rejected;   /* refused by a checker */
    uint64_t evicted;    /* ended because too many of the signature were open */
    uint64_t cut;        /* recorded, and not read to its end: evicted, or spent (sig_unpacked) */
    uint64_t unpacked;   /* bytes that checkers unpacked (sig_unpacked) */
    uint64_t crowded;    /* headers of rules that were not recorded: too many in PLAN_CROWD bytes */
    uint64_t crowd_at;   /* image offset of the first of them */
    uint64_t unlabelled; /* objects of rules that no checker was asked about */
};

struct plan; /* owned by the caller of plan_open */

/*
 * How far the scan front goes on before the checkers read up to it: enough for several threads to have work. What they read then is still in
 * memory if the caller keeps that many bytes behind the front.
 */
enum { PLAN_BATCH = 2 << 20 };

/* window, record and all that options points to stay the caller's and must outlive the plan. */
ERR_MUST_CHECK enum err_code plan_open(const struct plan_options *options, struct window *window, struct record *record,
                                       struct plan **out, struct err *err);
void plan_close(struct plan *plan); /* NULL is a no-op */

ERR_MUST_CHECK enum err_code plan_begin_range(struct plan *plan, uint64_t offset, uint64_t end, struct err *err);

/* The segment that ends at the front has been collected in the sums: before its hits are handed in. */
ERR_MUST_CHECK enum err_code plan_summed(struct plan *plan, struct err *err);

/*
 * Hits of the segment that ends at front, ascending but for those that begin less than the carry before another; the bytes below front are in the
 * window. known: every hit that begins below it has been handed in (front for the last hits of a segment).
 */
ERR_MUST_CHECK enum err_code plan_hits(struct plan *plan, const struct hit *hits, uint32_t count, uint64_t known,
                                       uint64_t front, struct err *err);

/* All hits of the segment have been handed in: lets the open objects read up to front, now or when there is more to read. */
ERR_MUST_CHECK enum err_code plan_front(struct plan *plan, uint64_t front, struct err *err);

/* The range has ended: decides all that is open. */
ERR_MUST_CHECK enum err_code plan_end_range(struct plan *plan, struct err *err);

/*
 * Checkers go on reading the segments of the window that begin at this image offset or behind it: before the caller takes one of them away
 * it calls plan_wait. UINT64_MAX: none.
 */
uint64_t plan_held(const struct plan *plan);
ERR_MUST_CHECK enum err_code plan_wait(struct plan *plan, struct err *err);

/* Bytes before image offset below are about to be taken out of the window. */
ERR_MUST_CHECK enum err_code plan_leave(struct plan *plan, uint64_t below, struct err *err);

uint64_t plan_reread(const struct plan *plan); /* bytes of the image that checkers had to read again */
const struct plan_totals *plan_totals(const struct plan *plan);

#endif
