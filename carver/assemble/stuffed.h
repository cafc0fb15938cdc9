/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/stuffed.h - far places where the scan of a JPEG may go on.
 *
 * Each ff of a scan has 00 or a restart marker behind it. Of other packed data one sector in seven
 * has no other one, and of four in a row one in two thousand. So where such a run begins in the
 * image, a piece of a picture mostly begins: few places, however far one looks.
 *
 * Threads: one thread uses places and stuffed.
 */
#ifndef BURIN_CARVER_ASSEMBLE_STUFFED_H
#define BURIN_CARVER_ASSEMBLE_STUFFED_H

#include "carver/assemble/places.h"

enum {
    STUFFED_REACH = 8 << 20, /* bytes of the image, on each side, that are looked at */
    STUFFED_SIDE = 64,       /* places on each side, the nearest ones */
    STUFFED_RUN = 4,         /* sectors of a run, at least */
};

struct stuffed {
    uint64_t begins[2 * STUFFED_SIDE]; /* image offsets: those behind and before by turns, as long
                                          as there are both */
    uint32_t count;
    uint64_t read; /* bytes of the image that were looked at */
};

/* Finds them around image offset at. Errors: those of the image stay in the splice. */
void stuffed_find(struct places *places, uint64_t at, struct stuffed *out);

/*
 * The place of this number, as places_begin: all beginnings, and then the sectors next to them. The
 * first one of a piece may hold a table, and the last one before it may look like a scan by chance.
 */
bool stuffed_begin(const struct stuffed *stuffed, uint32_t number, uint64_t *begin);

#endif
