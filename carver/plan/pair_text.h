/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/pair_text.h - the text around a keyword: what an ASCII rule of a foremost.conf
 * carves.
 *
 * A file is the header's bytes and, both ways from there, every printable ASCII byte, tab, line
 * feed and carriage return, up to size_max bytes (and PAIR_TEXT_MAX) each way. foremost knows no
 * bound here; ours keeps work and memory bounded.
 */
#ifndef BURIN_CARVER_PLAN_PAIR_TEXT_H
#define BURIN_CARVER_PLAN_PAIR_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/plan/pair.h"

enum { PAIR_TEXT_MAX = 16 << 20 }; /* bytes each way: the longest log anyone keeps in one piece */

/* The last text of one rule; zeroed where a range of the image begins. */
struct pair_text {
    uint64_t begin, end;
};

/* len bytes (1..4096) of the image at offset into dst; they lie inside the range. */
typedef enum err_code (*pair_text_read_fn)(void *arg, uint64_t offset, uint8_t *dst, uint32_t len,
                                           struct err *err);

/*
 * Widens range, which pair emitted as PAIR_TEXT, to the text around it, inside [range_offset,
 * range_end). Called for the ranges of one rule in the order in which they came. *fresh false: the
 * header lies in the text of the one before it, and there is no file of its own. Besides a block of
 * 4096 bytes each way per call, no byte is read twice over all calls for one rule.
 */
ERR_MUST_CHECK enum err_code pair_text_expand(struct pair_text *last, uint64_t range_offset,
                                              uint64_t range_end, uint64_t size_max,
                                              pair_text_read_fn read, void *arg,
                                              struct pair_range *range, bool *fresh,
                                              struct err *err);

#endif
