/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/resemble_impl.h - what windows and samples of resemble.h share; nobody else
 * includes it. */
#ifndef BURIN_CARVER_ASSEMBLE_RESEMBLE_IMPL_H
#define BURIN_CARVER_ASSEMBLE_RESEMBLE_IMPL_H

#include "carver/assemble/resemble.h"

enum { RESEMBLE_VALUES = 256 };

/* The logarithm to the base 2 of a value of 1 to 2^20, in 256ths, rounded down. */
uint32_t resemble_log2(uint32_t value);

/* Counts a sector, if it is not all of one value. */
void resemble_add_sector(const uint8_t *bytes, uint32_t counts[RESEMBLE_VALUES]);

/* What bytes with these counts cost in a code of their own. */
uint64_t resemble_cost(const struct resemble_table *table, const uint32_t counts[RESEMBLE_VALUES]);

#endif
