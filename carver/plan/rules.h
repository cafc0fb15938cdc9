/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/rules.h - rules with a header and a footer instead of a validator: which of their
 * hits are recorded, and which objects they give.
 *
 *   hits, in the order of the image ──► pair ──► range ──► (label) ──► object
 *
 * What a rule does with a hit depends on all hits before it. So the hits of all parts of a range
 * come here one by one, whoever has found them.
 *
 * Threads: one thread at a time.
 */
#ifndef BURIN_CARVER_PLAN_RULES_H
#define BURIN_CARVER_PLAN_RULES_H

#include "base/err.h"
#include "base/hit.h"
#include "base/pack.h"
#include "carver/case/record.h"
#include "carver/plan/plan.h"
#include "carver/plan/sums_chain.h"

struct rules; /* owned by the caller of rules_open */

/* All that is given stays the caller's and must outlive it. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code rules_open(const struct plan_options *options, struct io_image *image,
                                        struct record *record, struct sums_chain *chain,
                                        struct rules **out, struct err *err);
void rules_close(struct rules *rules); /* NULL is a no-op */

/* The range [begin, end) of the image begins. */
ERR_MUST_CHECK enum err_code rules_begin(struct rules *rules, uint64_t begin, uint64_t end,
                                         struct err *err);

/* Ends the run of the range that is under way, if one is, and goes on with the run [begin, end)
 * behind it: files of rules lie in one run. */
ERR_MUST_CHECK enum err_code rules_next(struct rules *rules, uint64_t begin, uint64_t end,
                                        struct err *err);

/* Takes the next hit of a rule, and records it if it is worth that: *id, else 0. */
ERR_MUST_CHECK enum err_code rules_hit(struct rules *rules, const struct hit *hit, int64_t *id,
                                       struct err *err);

/* All hits that begin before image offset front have been taken. */
ERR_MUST_CHECK enum err_code rules_front(struct rules *rules, uint64_t front, struct err *err);

/*
 * Writes down what decides about further hits; and, after rules_begin of the same range, goes on
 * from there at this front. What is wrong with the bytes is in in->failed.
 */
void rules_save(const struct rules *rules, struct pack *out);
void rules_restore(struct rules *rules, uint64_t front, struct unpack *in);

/* The range ends. */
ERR_MUST_CHECK enum err_code rules_end(struct rules *rules, struct err *err);

const struct plan_totals *rules_totals(const struct rules *rules);

#endif
