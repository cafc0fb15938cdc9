/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/png_walk.h - the chunks of PNG and its kin (MNG, JNG), and of PNG files that
 * lie inside of others: length, type, data, CRC-32, one behind the other.
 */
#ifndef BURIN_SIGNATURES_PICTURE_PNG_WALK_H
#define BURIN_SIGNATURES_PICTURE_PNG_WALK_H

#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    PNG_WALK_HEAD = 8,      /* length and type of a chunk */
    PNG_WALK_SIGNATURE = 8, /* in front of the first one */
};

/* Kept between calls; zeroed before the first. */
struct png_walk {
    uint64_t chunk;  /* object offset of the chunk being read */
    uint64_t summed; /* object offset up to which crc goes; 0: the chunk's head has not been read */
    uint32_t crc;
};

/*
 * Sums the chunk at walk->chunk, which must end at `end` or before. STEP_DONE: its CRC is right,
 * and walk->chunk is behind it. STEP_BAD: walk->chunk stays.
 */
enum step png_walk_chunk(struct sig_input *in, struct png_walk *walk, uint64_t end);

/* A whole PNG file at object offsets from .. end, with at most `pad` bytes behind it. walk->chunk
 * 0: not begun. */
enum step png_walk_file(struct sig_input *in, struct png_walk *walk, uint64_t from, uint64_t end,
                        uint32_t pad);

#endif
