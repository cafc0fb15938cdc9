/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_teller.h - asks the validator about the texts of a part while its bytes are in
 * memory, so that the last stage (text.h) need not read them again.
 *
 * It follows the front of the scan, one text after another. Of what it does not come to (a text
 * that goes on behind the part; one inside of another) nothing is said, and the last stage looks.
 *
 * Threads: one uses a teller.
 */
#ifndef BURIN_CARVER_TEXT_TEXT_TELLER_H
#define BURIN_CARVER_TEXT_TEXT_TELLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/plan/lookback.h"
#include "carver/text/text_ask.h"
#include "carver/text/text_spots.h"
#include "signatures/sig.h"

/* Zeroed is closed. */
struct text_teller {
    const struct sig *sig;
    const struct lookback *lookback;
    struct lookback_view view;
    void *state; /* of the validator */

    /* The part under way. */
    struct text_starts *starts;
    uint64_t begin, end; /* image offsets of its range */
    size_t next;         /* of starts: the first that nothing was asked about */
    uint64_t from;       /* image offset: where no text lies that was told */
    bool asking;         /* about the text before `next` */
    struct text_ask ask;
};

/* sig, lookback stay the caller's and must outlive it; it must not be moved. Errors: ERR_ENV, no
 * memory; text_teller_close may follow. */
ERR_MUST_CHECK enum err_code text_teller_open(struct text_teller *teller, const struct sig *sig,
                                              const struct lookback *lookback, struct err *err);
void text_teller_close(struct text_teller *teller);

/* A part of the range from begin to end begins; starts: of the part. */
void text_teller_begin(struct text_teller *teller, struct text_starts *starts, uint64_t begin,
                       uint64_t end);

/*
 * Adds to the starts what the bytes before the lookback's limit say of their texts. Errors: those
 * of the image; ERR_ENV, no memory.
 */
ERR_MUST_CHECK enum err_code text_teller_on(struct text_teller *teller, struct err *err);

/* The bytes that were looked at for the part; false: none were. */
bool text_teller_looked(const struct text_teller *teller, struct io_range *out);

#endif
