/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/tracker.h - between the parts of the validator of tracker modules: each measures
 * one format. */
#ifndef BURIN_SIGNATURES_SOUND_TRACKER_H
#define BURIN_SIGNATURES_SOUND_TRACKER_H

#include "signatures/lib/step.h"
#include "signatures/sig.h"

/* Kept between calls; zeroed before the first. */
struct tracker {
    uint64_t at;    /* object offset of what is read next; 0: not begun */
    uint64_t end;   /* largest end of anything so far */
    uint32_t index; /* of the pattern, instrument or sample being read */
    uint32_t part;  /* which of these */
    uint32_t count;
    uint64_t samples; /* bytes of the samples behind */
};

static inline void tracker_reach(struct tracker *state, uint64_t end)
{
    if (end > state->end)
        state->end = end;
}

/* STEP_DONE: the module ends at state->end. */
enum step tracker_mod(struct sig_input *in, struct tracker *state, const char **why);
enum step tracker_xm(struct sig_input *in, struct tracker *state, const char **why);
enum step tracker_s3m(struct sig_input *in, struct tracker *state, const char **why);
enum step tracker_it(struct sig_input *in, struct tracker *state, const char **why);

#endif
