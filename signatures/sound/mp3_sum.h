/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/mp3_sum.h - the CRC-16 of the sound of an MP3 file, as LAME and others write it
 * into the first frame.
 */
#ifndef BURIN_SIGNATURES_SOUND_MP3_SUM_H
#define BURIN_SIGNATURES_SOUND_MP3_SUM_H

#include "signatures/lib/step.h"
#include "signatures/sig.h"

struct mp3_sum {
    uint64_t at; /* object offset up to which it was taken; 0: there is none */
    uint16_t sum, want;
};

/*
 * Reads what the first frame, [first, first + len), says: its "Xing" or "Info" stands at object
 * offset mark, and the sound has so many bytes, that frame included. Errors: STEP_WAIT.
 */
enum step mp3_sum_begin(struct sig_input *in, uint64_t first, uint32_t len, uint64_t mark,
                        uint32_t bytes, struct mp3_sum *out);

/* Takes it up to here. STEP_WAIT: return sig_short(in). */
enum step mp3_sum_to(struct sig_input *in, uint64_t to, struct mp3_sum *sum);

#endif
