/* SPDX-License-Identifier: Apache-2.0
 * signatures/font/sfnt.h - reads TrueType and OpenType fonts, wherever in a file they lie (EOT
 * wraps one).
 *
 *   u32 kind | u16be tables | 3 x u16be for searching | tables x (tag | u32be sum | u32be offset |
 * u32be length) | tables "ttcf" | u32be version | u32be fonts | fonts x u32be offset of such a
 * directory | ...
 */
#ifndef BURIN_SIGNATURES_FONT_SFNT_H
#define BURIN_SIGNATURES_FONT_SFNT_H

#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum { SFNT_TABLES_MAX = 4096 }; /* different tables of all fonts of a collection */

struct sfnt_table {
    uint32_t offset, length, sum; /* offset from the start of the font */
    bool head;                    /* "head": holds a sum that its own sum leaves out */
};

/* Kept between calls; zeroed before the first, up to its tables. */
struct sfnt_state {
    uint32_t count; /* of tables */
    bool read;      /* every directory was */
    uint32_t fonts; /* directories read */
    uint32_t table; /* being summed */
    uint32_t done;  /* bytes of it that are */
    uint32_t sum;
    bool tolerant;  /* set by the validator: some sums may be wrong in the file itself */
    uint32_t wrong; /* tables whose sum is wrong; the last of all is none of them */
    struct sfnt_table tables[SFNT_TABLES_MAX]; /* by offset, none twice */
};

/*
 * Checks the font at object offset base: its directories, and the sum of every table. STEP_DONE:
 * *end is the object offset behind its last table. STEP_BAD: *why says what is wrong; whatever was
 * right is noted with sig_valid. Where state->tolerant is set, a quarter of the sums may be wrong,
 * but not that of the last table: bytes that are missing would make it wrong.
 */
enum step sfnt_walk(struct sig_input *in, struct sfnt_state *state, uint64_t base, uint64_t *end,
                    const char **why);

#endif
