/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_said.h - what the validator says of text that begins at a sector, as whoever
 * scanned the sector keeps it for the last stage (text.h).
 *
 * It is said without regard to objects and file systems: it counts where no object reaches into the
 * bytes that it was told by.
 *
 * Threads: any; nothing is changed here but what the caller hands over.
 */
#ifndef BURIN_CARVER_TEXT_TEXT_SAID_H
#define BURIN_CARVER_TEXT_TEXT_SAID_H

#include <stdbool.h>
#include <stdint.h>

#include "carver/text/text_rows.h"
#include "signatures/sig.h"

enum text_said_kind {
    TEXT_SAID_NONE, /* no text begins there */
    TEXT_SAID_ALL,  /* a text, and zeros behind it */
    TEXT_SAID_CUT,  /* one that goes to the end of a sector */
    TEXT_SAID_PART, /* one that ends in a sector with something else */
    TEXT_SAID_KINDS
};

struct text_said {
    uint64_t at;    /* image offset: the beginning of a sector */
    uint64_t crc64; /* of the text */
    uint32_t len;   /* bytes of the text; of none: no other begins in them */
    uint16_t over;  /* bytes behind these that it was told by */
    uint8_t kind;   /* enum text_said_kind */
    uint8_t type;   /* the index in the types of the signature */
    bool zeros;     /* stand before it: no text lies across (text_cut.h) */
};

/*
 * row: what the validator says (text_ask.h). reach: the image offset of the first byte that it does
 * not hang on. False: it cannot be kept.
 */
bool text_said_of(const struct sig *sig, const struct text_row *row, uint64_t reach,
                  struct text_said *out);

/* The row again; as of no text, if what was kept is none of the signature. */
void text_said_row(const struct sig *sig, const struct text_said *said, struct text_row *out);

/* The image offset of the first byte that it does not hang on. */
static inline uint64_t text_said_reach(const struct text_said *said)
{
    return said->at + said->len + said->over;
}

#endif
