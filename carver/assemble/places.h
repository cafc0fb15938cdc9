/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/places.h - where the next piece of a file may begin, and which places come first.
 *
 * Behind a cut these are the beginnings of free islands, nearest first and both ways, and small
 * gaps; where no clusters are known, the gaps come first. Of all of them those come first that look
 * like what is before the cut: packed data mostly go on as packed data. This is an order and
 * nothing more, as the last sector of a file need not look like the one before.
 *
 * Threads: one thread uses them.
 */
#ifndef BURIN_CARVER_ASSEMBLE_PLACES_H
#define BURIN_CARVER_ASSEMBLE_PLACES_H

#include "carver/assemble/islands.h"
#include "carver/assemble/looks.h"
#include "carver/assemble/splice.h"

enum {
    PLACES_GAPS = 64,        /* clusters behind the cut that a piece may begin at */
    PLACES_ISLANDS = 256,    /* islands that it may begin at, on each side, */
    PLACES_ISLANDS_FEW = 16, /* and where no clusters are known */
    PLACES_BREAKS = 2,       /* broken objects on each side, */
    PLACES_BACK = 40,        /* and so many clusters before where one is seen to break, */
    PLACES_ON = 1,           /* and behind that */
};

struct places {
    const struct islands *islands;
    struct splice *splice; /* to read the image by */
    uint64_t image_len;
    struct looks *looks; /* of the image; NULL: they are not kept */
};

/*
 * The place of this number behind the cut at image offset cut_at: *begin, an image offset in an
 * island, or UINT64_MAX where none is. False: there is no such number, nor a higher one.
 */
bool places_begin(const struct places *places, uint64_t cut_at, uint32_t number, uint64_t *begin);

/* The same of the beginnings of islands: those behind the cut and before it by turns. */
bool places_island(const struct places *places, uint64_t cut_at, uint32_t number, uint64_t *begin);

/*
 * The same of the places around those where other objects break: behind a piece of one, a piece of
 * another may lie. Where its bytes may pass for a while, it began before the break.
 */
bool places_break(const struct places *places, uint64_t cut_at, uint32_t number, uint64_t *begin);

/* What the sectors of the piece that begins at image offset from look like, right before cut_at. */
uint8_t places_before(struct places *places, uint64_t from, uint64_t cut_at);

/* Whether the sector at image offset begin has all of these looks: LOOK_DENSE, LOOK_STUFFED. */
bool places_alike(struct places *places, uint64_t begin, uint8_t looks);

#endif
