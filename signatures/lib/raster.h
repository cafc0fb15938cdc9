/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/raster.h - uncompressed pixels in a file whose header gives only its length: does
 * every sector belong to the picture?
 *
 * plausible.h finds sectors of text. This file finds two more kinds of foreign sectors. Noise: it
 * has more different byte values than a rough picture has. Flat sectors: all their bytes have one
 * value, and they begin and end sharply at the edges of sectors, as a formatted or overwritten part
 * of a disk does.
 */
#ifndef BURIN_SIGNATURES_LIB_RASTER_H
#define BURIN_SIGNATURES_LIB_RASTER_H

#include "signatures/lib/plausible.h"

enum { RASTER_STEP_MAX = 16 }; /* most bytes of a pixel */

/* A validator keeps it in its state between calls. It is zeroed before the first call. */
struct raster {
    struct plausible plausible;
    uint64_t at; /* object offset of the next sector; 0: not begun */
    /* Object offset of the flat sectors right before it; 0: there are none */
    uint64_t flat_at;
    uint8_t flat;                    /* the byte of these flat sectors */
    uint8_t before[RASTER_STEP_MAX]; /* the last pixel before the flat sectors, or before `at` */
    uint32_t before_len;             /* bytes in before */
    uint32_t noisy;                  /* number of sectors of noise right before `at` */
};

/*
 * Looks at the whole sectors between object offsets from and to. step: bytes of a pixel. After
 * STEP_BAD, other data begins at object offset raster->at.
 */
enum step raster_check(struct sig_input *in, struct raster *raster, uint32_t step, uint64_t from,
                       uint64_t to);

/*
 * The object offset up to which the picture is right, whatever follows; 0: not begun. For
 * sig_valid.
 */
uint64_t raster_right(const struct raster *raster);

#endif
