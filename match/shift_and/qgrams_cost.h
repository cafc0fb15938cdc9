/* match/shift_and/qgrams_cost.h - what a search by windows is likely to cost. Of windows_build.c
 * alone. */
#ifndef BURIN_MATCH_SHIFT_AND_QGRAMS_COST_H
#define BURIN_MATCH_SHIFT_AND_QGRAMS_COST_H

#include "match/shift_and/qgrams.h"

/* Microseconds for a MiB of a disk on the device that it was measured on: to compare windows of the
 * same words with each other. */
double windows_cost(const struct windows *windows, const struct windows_slot *slots);

#endif
