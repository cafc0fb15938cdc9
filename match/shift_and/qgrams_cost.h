/* SPDX-License-Identifier: Apache-2.0
 * match/shift_and/qgrams_cost.h - what a search by qgrams is likely to cost. Of qgrams_build.c
 * alone. */
#ifndef BURIN_MATCH_SHIFT_AND_QGRAMS_COST_H
#define BURIN_MATCH_SHIFT_AND_QGRAMS_COST_H

#include "match/shift_and/qgrams.h"

/* Microseconds for a MiB of a disk on the device that it was measured on: to compare qgrams of the
 * same words with each other. */
double qgrams_cost(const struct qgrams *qgrams, const struct qgrams_slot *slots);

#endif
