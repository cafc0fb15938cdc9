/*
 * carver/pair.h - which header goes with which footer: the semantics of header/footer rules. Pure: hits in, ranges out.
 *
 * Hits of all rules are fed in ascending order of offset; ranges come out through a callback as soon as they are certain, in
 * an order that depends on the hits alone, never on how they were cut into calls. Work and memory stay near-linear in the
 * number of hits, also for an image made of nothing but headers.
 */
#ifndef BURIN_CARVER_PAIR_H
#define BURIN_CARVER_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "signatures/conf.h"
#include "signatures/sig.h"

struct pair; /* owned by the caller of pair_open */

enum pair_how {
    PAIR_FOOTER, /* header and footer matched under the rule */
    PAIR_CUT,    /* no footer, or none within the maximum: cut at the maximum or at the end of the range */
};

struct pair_range {
    uint32_t      rule;   /* index into the rules given to pair_open */
    uint64_t      tag;    /* what was fed with the header */
    uint64_t      offset, len; /* bytes of the image */
    enum pair_how how;
};

typedef enum err_code (*pair_emit_fn)(void *arg, const struct pair_range *range, struct err *err);

/* rules[i] are signatures without a checker; they stay the caller's and must outlive the pair. */
ERR_MUST_CHECK enum err_code pair_open(const struct sig *const *rules, uint32_t rule_count, enum sig_compat compat,
                                       pair_emit_fn emit, void *arg, struct pair **out, struct err *err);
void pair_close(struct pair *pair); /* NULL is a no-op */

/* A range of the image begins: nothing before it can be paired with anything in it. */
ERR_MUST_CHECK enum err_code pair_begin(struct pair *pair, uint64_t range_offset, uint64_t range_end, struct err *err);

ERR_MUST_CHECK enum err_code pair_header(struct pair *pair, uint32_t rule, uint64_t offset, uint32_t len, uint64_t tag,
                                         struct err *err);

/* *useful: the footer can end a header that is open (or that the rule counts as such), and so is worth recording. */
ERR_MUST_CHECK enum err_code pair_footer(struct pair *pair, uint32_t rule, uint64_t offset, uint32_t len, bool *useful,
                                         struct err *err);

/* Every hit below front has been fed. Emits what has become certain. */
ERR_MUST_CHECK enum err_code pair_advance(struct pair *pair, uint64_t front, struct err *err);

/* The range has ended: emits or drops all that is open. */
ERR_MUST_CHECK enum err_code pair_end(struct pair *pair, struct err *err);

#endif
