/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/edges.h - whether the bytes behind a seam go on where those before it end.
 *
 * A sample of sound or a point of a picture differs little from the one before it, and words and
 * tags go on over a seam. How little, and how often strings come again, is learnt from the piece
 * itself: how often a difference occurs between neighbours, against how often between bytes that
 * lie far apart; how many strings of EDGES_GRAM bytes stood in the piece before, against those that
 * are put together from bytes that lie apart. What tells more of the two counts.
 *
 * Results are integers, in 256ths of a bit: they are the same on every machine.
 *
 * Threads: one thread uses edges.
 */
#ifndef BURIN_CARVER_ASSEMBLE_EDGES_H
#define BURIN_CARVER_ASSEMBLE_EDGES_H

#include <stdint.h>

enum {
    EDGES_BYTES = 8,    /* on each side of a seam that are looked at */
    EDGES_STEP_MAX = 6, /* bytes from a sample to the next one, at most */
    EDGES_STEPS = 5,    /* numbers of them that are tried: 1, 2, 3, 4, 6 */
    EDGES_PLACES = 12,  /* a multiple of each: what is learnt depends on the place modulo this */
    EDGES_CLASSES = 9,  /* of differences: 0, 1, 2, up to 4, 8, 16, 32, 64, 128 */
    EDGES_GRAM = 4,
    EDGES_SET_BITS = 16,
};

/* What was learnt from a piece. Zeroed: nothing. */
struct edges {
    uint32_t step; /* bytes from a sample to the next one; 0: there is nothing like that */
    int32_t differ[EDGES_STEP_MAX][EDGES_CLASSES]; /* what a difference says, by its byte's place */
    int32_t known[EDGES_GRAM], unknown[EDGES_GRAM]; /* what a string says, by bytes before a seam */
    uint64_t set[(1u << EDGES_SET_BITS) / 64];
};

/* Learns from the bytes of a piece; at: their object offset. */
void edges_learn(struct edges *edges, const uint8_t *bytes, uint32_t len, uint64_t at);

/*
 * How much likelier than by chance the bytes in front of a seam are followed by those behind it, as
 * its logarithm to the base 2, in 256ths. at: object offset of the seam.
 */
int64_t edges_go_on(const struct edges *edges, const uint8_t before[EDGES_BYTES],
                    const uint8_t behind[EDGES_BYTES], uint64_t at);

#endif
