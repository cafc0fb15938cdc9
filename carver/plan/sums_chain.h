/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/sums_chain.h - the CRC-64 of any stretch of a range of the image whose parts were
 * gone over one by one, each with sums of its own.
 *
 * Parts are added in their order. Of the last ones the sums are kept, of all others the running CRC
 * at their beginning: a place there is read again from the beginning of its part on.
 *
 * An object that ends behind the last part gets its CRC when the part comes in which it ends.
 */
#ifndef BURIN_CARVER_PLAN_SUMS_CHAIN_H
#define BURIN_CARVER_PLAN_SUMS_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pack.h"
#include "carver/case/record.h"
#include "carver/plan/found.h"
#include "carver/plan/sums.h"

struct sums_chain; /* owned by the caller of sums_chain_open; used by one thread */

/* image and record stay the caller's and must outlive it. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code sums_chain_open(struct io_image *image, struct record *record,
                                             struct sums_chain **out, struct err *err);
void sums_chain_close(struct sums_chain *chain); /* NULL is a no-op */

/* A range of the image begins at the offset; or goes on there, and what lies between was not gone
 * over: objects that begin or end before it get no CRC any more. */
void sums_chain_begin(struct sums_chain *chain, uint64_t offset);

/*
 * Adds the part [from, to), from the end of the part before on; both are image offsets. *sums,
 * which began at from and has gone to `to` at least, becomes the chain's; the caller gets another
 * one for it, or NULL while the chain has none to give away. sums NULL: nobody asks for CRCs.
 * found: of the part; where its sums are, which are sorted, nothing has to be read.
 */
ERR_MUST_CHECK enum err_code sums_chain_add(struct sums_chain *chain, struct sums **sums,
                                            uint64_t from, uint64_t to, const struct found *found,
                                            struct err *err);

/* The CRC of the range up to the end of the last part. */
uint64_t sums_chain_value(const struct sums_chain *chain);

/* The CRC of the range's bytes before image offset at, not behind the end of the last part. */
ERR_MUST_CHECK enum err_code sums_chain_at(struct sums_chain *chain, uint64_t at, uint64_t *value,
                                           struct err *err);

/* The CRC-64 of the image bytes [from, to), which are read for it. */
ERR_MUST_CHECK enum err_code sums_chain_read(struct sums_chain *chain, uint64_t from, uint64_t to,
                                             uint64_t *value, struct err *err);

/* Whether sums_chain_at knows this image offset, at or before the end of the last part. */
bool sums_chain_has(const struct sums_chain *chain, uint64_t at);

/* A part that was added in an earlier run: the running CRC of the range at its beginning. */
struct sums_chain_part {
    uint64_t from, value; /* from: image offset */
};

/*
 * Writes down what is needed to go on; and, after sums_chain_begin of the same range, goes on at
 * image offset front, behind `count` parts, which are copied. What is wrong with the bytes is in
 * in->failed.
 */
void sums_chain_save(const struct sums_chain *chain, struct pack *out);
ERR_MUST_CHECK enum err_code sums_chain_restore(struct sums_chain *chain, uint64_t front,
                                                const struct sums_chain_part *parts, uint32_t count,
                                                struct unpack *in, struct err *err);

/*
 * Records the object with its CRC-64, or so that it gets it later. before: sums_chain_at its
 * beginning, or NULL. facts: as for record_object.
 */
ERR_MUST_CHECK enum err_code sums_chain_record(struct sums_chain *chain,
                                               struct record_object *object, const uint64_t *before,
                                               const struct pack *facts, struct err *err);

#endif
