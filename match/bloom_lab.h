/* SPDX-License-Identifier: Apache-2.0
 * match/bloom_lab.h - for benchmarks and tests: a Bloom filter on the first GPU of the machine,
 * timed.
 */
#ifndef BURIN_MATCH_BLOOM_LAB_H
#define BURIN_MATCH_BLOOM_LAB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "match/bloom.h"

struct bloom_lab; /* owned by the caller of bloom_lab_open; used by one thread */

/* NULL: there is a GPU; else the reason why none can be used. */
const char *bloom_lab_missing(void);

/*
 * Makes an empty filter of the shape of `like` on the GPU, with room for the keys. keys and answers
 * ([keys->count]) stay the caller's. They are locked in memory until bloom_lab_close and must not
 * be freed before it.
 */
ERR_MUST_CHECK enum err_code bloom_lab_open(const struct bloom_view *like,
                                            const struct bloom_keys *keys, uint8_t *answers,
                                            struct bloom_lab **out, struct err *err);
void bloom_lab_close(struct bloom_lab *lab); /* NULL is a no-op */

const char *bloom_lab_device(const struct bloom_lab *lab); /* "NVIDIA H200" */

/* Copies keys to the GPU: those of bloom_lab_open, or as many other keys of the same length. */
ERR_MUST_CHECK enum err_code bloom_lab_send(struct bloom_lab *lab, const struct bloom_keys *keys,
                                            struct err *err);

/*
 * Empties the filter, inserts the keys and asks about them: seconds[0] is the time of the
 * insertion, seconds[1] that of the questions. With moves, each time includes a copy of the keys to
 * the GPU, and the second one the copy of the answers to the host.
 */
ERR_MUST_CHECK enum err_code bloom_lab_round(struct bloom_lab *lab, bool moves, double seconds[2],
                                             struct err *err);

/*
 * Copies the filter's table (bloom_size bytes) and its answers, one byte for each key, to the host.
 */
ERR_MUST_CHECK enum err_code bloom_lab_read(struct bloom_lab *lab, uint32_t *words,
                                            uint8_t *answers, struct err *err);

#endif
