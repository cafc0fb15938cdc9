/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_ride.h - a group of few fingerprints rides: the step that looks for a large
 * group looks for it, too, and a text goes through one step less. Ten words of four letters beside
 * 2,000 longer ones took a third of the time by themselves.
 */
#ifndef BURIN_MATCH_WORDS_WORDS_RIDE_H
#define BURIN_MATCH_WORDS_WORDS_RIDE_H

#include "match/words/words.h"

enum {
    WORDS_RIDE_MAX = 32,  /* fingerprints: of more, six bits of three bytes let too much through, */
    WORDS_RIDE_LEAST = 4, /* or of those of fewer bytes */
};

/* Of a program whose groups are filled: chooses such a group, where there is one and the form can
 * do it. */
void words_ride(struct words_program *program);

#endif
