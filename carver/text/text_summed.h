/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_summed.h - takes the CRC-64 of a file while its validator reads it from the
 * beginning on, so that a long one is not read twice.
 *
 * Threads: one uses a struct text_summed.
 */
#ifndef BURIN_CARVER_TEXT_TEXT_SUMMED_H
#define BURIN_CARVER_TEXT_TEXT_SUMMED_H

#include <stdint.h>

#include "signatures/sig.h"

enum { TEXT_MARKS = 8 /* places, each a KiB behind the one before, whose CRC is remembered */ };

/* The CRC of the bytes before image offset at. */
struct text_mark {
    uint64_t at, sum;
};

struct text_summed {
    struct sig_source source;           /* what the validator gets; it must be the first field */
    struct sig_source *bytes;           /* the caller's */
    struct text_mark first;             /* where the file begins */
    struct text_mark now;               /* as far as was read in order */
    struct text_mark marks[TEXT_MARKS]; /* the last ones before that; a ring */
    uint32_t count;                     /* that were put into it */
    /* The last look: what the validator leaves behind is summed, and no more. */
    const uint8_t *last;
    uint64_t last_at, last_end; /* image offsets */
    uint64_t wanted;            /* image offset: the end of what was asked for */
};

/* The file begins at image offset at. bytes: must outlive it. */
void text_summed_open(struct text_summed *summed, struct sig_source *bytes, uint64_t at);

/* The CRC of the file's bytes before image offset end; reads again what lies behind the last place
 * before it. Of bytes that cannot be read, nothing: as the view says then. */
uint64_t text_summed_to(struct text_summed *summed, uint64_t end);

/* The bytes of the last look go, and the validator has asked for what lies behind them. */
void text_summed_pause(struct text_summed *summed);

#endif
