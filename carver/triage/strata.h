/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/strata.h - which units of an image a sample looks at: one of each stratum, at a
 * place that follows from the seed, in sweeps that halve the strata.
 *
 *   sweep 0   |   x            |           x    |     up to 1,024 strata, one unit of each
 *   sweep 1   |   x    |    o  |  o    |   x    |     each in two: the unit of the half that has
 * none sweep 2   ...                                     up to strata of one unit: all was looked
 * at
 *
 * After each sweep one unit of every stratum has been looked at; it lies anywhere in its stratum
 * with the same chance, independent of the other strata. A run of units that is as long as two
 * strata holds one of them whole: it is met for certain. The order is that of van der Corput's
 * sequence in base 2, scrambled at random as by Owen (Randomly Permuted (t,m,s)-Nets, 1995).
 *
 * Strata are whole numbers of units. The last one may reach behind the end of the image: where its
 * unit lies there, it is a trial in which nothing is met.
 *
 * Any thread may call any function.
 */
#ifndef BURIN_CARVER_TRIAGE_STRATA_H
#define BURIN_CARVER_TRIAGE_STRATA_H

#include <stdbool.h>
#include <stdint.h>

enum { STRATA_FIRST = 1024 /* most strata of sweep 0 */ };

struct strata {
    uint64_t units;  /* of the image, at least 1 */
    uint32_t sweeps; /* all of them; behind the last one every unit has been looked at */
    uint64_t seed;
};

/* units: at least 1. */
struct strata strata_of(uint64_t units, uint64_t seed);

/* Units of a stratum once this sweep, counted from 0, is done: a power of two. */
uint64_t strata_size(const struct strata *strata, uint32_t sweep);

/* The number of strata once this sweep is done. */
uint64_t strata_count(const struct strata *strata, uint32_t sweep);

/* The unit of this stratum that has been looked at once this sweep is done; strata->units or more:
 * it lies behind the end. */
uint64_t strata_unit(const struct strata *strata, uint32_t sweep, uint64_t stratum);

/* Whether this sweep is the one that looks at it. */
bool strata_is_new(const struct strata *strata, uint32_t sweep, uint64_t stratum);

#endif
