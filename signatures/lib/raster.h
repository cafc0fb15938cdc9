/*
 * signatures/lib/raster.h - pixels as they are, in files whose length is all that their headers tell: does every sector belong to the
 * picture?
 *
 * Beside what texture.h sees of text, this tells noise from rough textures by how many different bytes there are, and sees sectors of one and the same byte that begin and end at the very edges of sectors, and
 * not softly: what a formatted or an overwritten stretch of a disk looks like.
 */
#ifndef BURIN_SIGNATURES_LIB_RASTER_H
#define BURIN_SIGNATURES_LIB_RASTER_H

#include "signatures/lib/texture.h"

enum { RASTER_STEP_MAX = 16 }; /* bytes of a pixel */

/* Kept between calls; zeroed before the first. */
struct raster {
    struct texture texture;
    uint64_t at;                     /* object offset of the next sector; 0: not begun */
    uint64_t flat_at;                /* where the flat sectors just before it began; 0: none */
    uint8_t flat;                    /* the byte that they are made of */
    uint8_t before[RASTER_STEP_MAX]; /* the last pixel before them, or just before the next sector */
    uint32_t before_len;
    uint32_t noisy; /* sectors of noise just before the next one */
};

/*
 * Looks at the whole sectors between object offsets from and to; step: bytes of a pixel. FOREIGN: raster->at is where other data
 * begins.
 */
enum texture_step raster_check(struct sig_input *in, struct raster *raster, uint32_t step, uint64_t from, uint64_t to);

/* Up to which object offset the picture is right, whatever comes; 0: not begun. Pass it to sig_valid. */
uint64_t raster_right(const struct raster *raster);

#endif
