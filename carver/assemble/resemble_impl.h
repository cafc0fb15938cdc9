/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/resemble_impl.h - what windows and samples of resemble.h share; nobody else
 * includes it. */
#ifndef BURIN_CARVER_ASSEMBLE_RESEMBLE_IMPL_H
#define BURIN_CARVER_ASSEMBLE_RESEMBLE_IMPL_H

#include "carver/assemble/resemble.h"

enum {
    RESEMBLE_VALUES = 256,
    RESEMBLE_NO_GRAMS = GRAMS_MAX + 1, /* as a count: the sector was not asked for its strings */
};

/* The logarithm to the base 2 of a value of 1 to 2^20, in 256ths, rounded down. */
uint32_t resemble_log2(uint32_t value);

/* Counts a sector, if it is not all of one value. */
void resemble_add_sector(const uint8_t *bytes, uint16_t counts[RESEMBLE_VALUES]);

/* What bytes with these counts cost in a code of their own. */
uint64_t resemble_cost(const struct resemble_table *table, const uint16_t counts[RESEMBLE_VALUES]);

/* Adds how often each value occurs in sectors of the window. */
void resemble_counts(const struct resemble *window, struct resemble_range range,
                     uint16_t counts[RESEMBLE_VALUES]);

/* The strings of a sector of the window. */
const struct grams *resemble_grams(const struct resemble *window, uint32_t sector);

#endif
