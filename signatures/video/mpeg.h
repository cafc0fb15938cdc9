/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/mpeg.h - what the parts of the MPEG-1 and MPEG-2 validator share; nobody else
 * includes it.
 *
 *   mpeg.c         program streams: packs and packets
 *   mpeg_video.c   video alone: sequences, pictures, slices
 */
#ifndef BURIN_SIGNATURES_VIDEO_MPEG_H
#define BURIN_SIGNATURES_VIDEO_MPEG_H

#include "signatures/sig.h"

enum mpeg_type { MPEG_MPG, MPEG_VOB, MPEG_M1V, MPEG_M2V };

extern const struct sig_type mpeg_types[];

struct mpeg_state {
    uint64_t at; /* the next start code */
    /* program streams */
    uint64_t padded; /* end of the last padding packet */
    uint64_t clock;  /* of the last pack */
    uint32_t packs, packets;
    bool second, navigation; /* MPEG-2; DVD */
    bool off_grid, off_vcd;  /* packs that do not begin on multiples of 2048, of 2324 bytes */
    /* video */
    uint32_t pictures, slices, row, rows; /* of the picture; rows of every picture, 0: not known */
    uint8_t last;                         /* start code before */
    bool by_row;                          /* every row of a picture has a slice */
};

struct sig_result mpeg_video(struct sig_input *in, struct mpeg_state *state);

#endif
