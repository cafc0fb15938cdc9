/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/flac.h - between the two parts of the FLAC validator: the walk over a file, and
 * the inside of one frame.
 */
#ifndef BURIN_SIGNATURES_SOUND_FLAC_H
#define BURIN_SIGNATURES_SOUND_FLAC_H

#include "signatures/lib/step.h"
#include "signatures/sig.h"

struct flac_frame {
    uint32_t head;     /* bytes of its header, the CRC-8 included */
    uint32_t samples;  /* of each channel */
    uint32_t channels; /* 1..8 */
    uint32_t bits;     /* of a sample; 0: as STREAMINFO says */
    uint32_t rate;     /* samples a second; 0: as STREAMINFO says */
    uint32_t side;     /* index of the channel that is a difference and has a bit more; 8: none */
    uint64_t number;   /* of the frame or, where frames differ in length, of its first sample */
    bool by_sample;    /* which of the two it is */
};

/* Reads the header of the frame at object offset at. */
enum step flac_frame_head(struct sig_input *in, uint64_t at, struct flac_frame *frame);

/* Reads the subframes of the frame at object offset at: *end is where its CRC-16 stands. bits: of a
 * sample. */
enum step flac_frame_end(struct sig_input *in, uint64_t at, const struct flac_frame *frame,
                         uint32_t bits, uint64_t *end);

/* Bytes of a frame at most, of samples of so many bits. */
uint64_t flac_frame_most(const struct flac_frame *frame, uint32_t bits);

/* The frame that begins with these SIG_LEAD bytes: see struct sig. */
bool flac_unit(const uint8_t *head, struct sig_unit *unit);

#endif
