/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_ask.h - asks the validator of plain text, in as many steps as its bytes come in.
 *
 * Threads: one uses a struct text_ask.
 */
#ifndef BURIN_CARVER_TEXT_TEXT_ASK_H
#define BURIN_CARVER_TEXT_TEXT_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "carver/text/text_rows.h"
#include "carver/text/text_summed.h"
#include "signatures/sig.h"

struct text_ask {
    struct text_summed summed;
    struct sig_input in;
    void *state;   /* of the validator; the caller's */
    uint64_t left; /* bytes to where nothing is read any more */
};

/*
 * About a text that begins at image offset `at`, whatever lies before. source, and state, which has
 * sig->state_size bytes, must outlive it. limit: image offset that no text goes behind.
 */
void text_ask_begin(struct text_ask *ask, const struct sig *sig, void *state,
                    struct sig_source *source, uint64_t at, uint64_t limit);

/*
 * False: the source has too few bytes; to be called again when it has more. Else row is what the
 * validator says; of no text its type is NULL, and its len, at least 1, are bytes in which none
 * begins.
 */
bool text_ask_on(struct text_ask *ask, struct text_row *row);

/* The image offset of the first byte that the answer does not hang on, if it lies at or below
 * limit. */
uint64_t text_ask_reach(const struct text_ask *ask);

#endif
