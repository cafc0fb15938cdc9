/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/pair.h - which header goes with which footer: the semantics of header/footer rules.
 * Pure: hits in, ranges out.
 *
 * Hits of all rules are fed in ascending order of offset; ranges come out through a callback as
 * soon as they are certain, in an order that depends on the hits alone, never on how they were cut
 * into calls. Work and memory stay near-linear in the number of hits, also for an image made of
 * nothing but headers.
 *
 * With header start h, footer start f, footer length L, and the rule's min and max, and footers
 * with f > h alone (a footer may lie inside of the header):
 *
 *   no footer  [h, h + max), PAIR_CUT
 *   FORWARD    the first f: [h, f + L) when f + L - h <= max, else nothing
 *   NEXT       the first f: [h, f) when f - h <= max, else [h, h + max), PAIR_CUT
 *   REVERSE    the last f with f - h <= max: [h, f + L), which may be longer than max; else nothing
 *   ASCII      the text around h: PAIR_TEXT, see pair_text.h
 *
 * Every range ends with the range of the image at the latest, and is dropped when it is then
 * shorter than min, or empty. Rules are independent of each other: two of them may give the same
 * bytes twice.
 *
 * SIG_COMPAT_SCALPEL (2.x): a footer that is a regular expression counts as long as its text with
 * both slashes, not as its match. SIG_COMPAT_FOREMOST: a header inside of the one before it (of the
 * same rule) is skipped; FORWARD takes f >= h, and carves [h, h + max) when there is none in reach;
 * NEXT takes f >= h + header length; REVERSE gives nothing. Not reproduced, being defects:
 * Scalpel 1.60's byte too many at the end of an image, and that it carves nothing where a file
 * would be byte 0 of the image alone; foremost's cut at chunks of 100 MB, and what its NEXT and
 * REVERSE still find by accident where header and footer end in the same byte or the header reads
 * the same both ways.
 *
 * Order of the ranges: by the offset at which they became certain (the header's for a rule without
 * footer and ASCII, the footer's for FORWARD and NEXT, else the last one a footer could have had),
 * in the order of the hits fed there, after what became certain for lack of a footer before (that
 * by rule); within one rule by header offset.
 */
#ifndef BURIN_CARVER_PLAN_PAIR_H
#define BURIN_CARVER_PLAN_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pack.h"
#include "signatures/conf.h"
#include "signatures/sig.h"

enum {
    PAIR_MEMORY_MAX = 128 << 20
}; /* bytes of open headers; at two bytes each 64 million of them */

struct pair; /* owned by the caller of pair_open */

enum pair_how {
    PAIR_FOOTER, /* header and footer matched under the rule */
    PAIR_CUT,    /* no footer, or none within the maximum: cut at the maximum or at the end of the
                    range */
    PAIR_TEXT,   /* ASCII rule: offset and len are the header's own; the file is the text around it
                    (pair_text_expand) */
};

struct pair_range {
    uint32_t rule;        /* index into the rules given to pair_open */
    uint64_t tag;         /* what was fed with the header */
    uint64_t offset, len; /* bytes of the image */
    enum pair_how how;
};

typedef enum err_code (*pair_emit_fn)(void *arg, const struct pair_range *range, struct err *err);

/*
 * rules[i] are signatures without a validator; they stay the caller's and must outlive the pair.
 * Threads: one at a time.
 */
ERR_MUST_CHECK enum err_code pair_open(const struct sig *const *rules, uint32_t rule_count,
                                       enum sig_compat compat, pair_emit_fn emit, void *arg,
                                       struct pair **out, struct err *err);
void pair_close(struct pair *pair); /* NULL is a no-op */

/*
 * A range of the image begins: nothing before it can be paired with anything in it. What was open
 * is forgotten (pair_end has emitted it). range_end is at most 2^63 - 1. Errors: ERR_ARG for a
 * range that is none.
 */
ERR_MUST_CHECK enum err_code pair_begin(struct pair *pair, uint64_t range_offset,
                                        uint64_t range_end, struct err *err);

/*
 * A header hit at offset, len bytes long. A second one of the same rule at the same offset is
 * ignored. The caller feeds headers and footers of all rules in ascending order of offset, none
 * below the last front, all inside of the range. Errors: what emit returned; ERR_FULL when
 * PAIR_MEMORY_MAX is reached.
 */
ERR_MUST_CHECK enum err_code pair_header(struct pair *pair, uint32_t rule, uint64_t offset,
                                         uint32_t len, uint64_t tag, struct err *err);

/*
 * *useful: true when a header of the rule in this range has the footer in its reach, by the rule's
 * maximum, and (FORWARD, NEXT) has not been ended by an earlier footer: the footer is worth
 * recording. It depends on the hits alone.
 */
ERR_MUST_CHECK enum err_code pair_footer(struct pair *pair, uint32_t rule, uint64_t offset,
                                         uint32_t len, bool *useful, struct err *err);

/* Every hit below front has been fed. Emits what has become certain. */
ERR_MUST_CHECK enum err_code pair_advance(struct pair *pair, uint64_t front, struct err *err);

/* Writes down what is open and what decides about further hits; and, after pair_begin with the same
 * rules and range, goes on from there, at this front in the range. Errors: in->failed. */
void pair_save(const struct pair *pair, struct pack *out);
void pair_restore(struct pair *pair, uint64_t front, struct unpack *in);

/* The range has ended: emits or drops all that is open. */
ERR_MUST_CHECK enum err_code pair_end(struct pair *pair, struct err *err);

#endif
