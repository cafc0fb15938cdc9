/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/interval.h - what a sample says of the whole: intervals and bounds, exact for the
 * sample that was taken and not approximated by a normal distribution.
 *
 * The sample has one unit of each of n strata of equal size (strata.h). The number of strata in
 * which a unit of some kind is met is then a sum of independent trials with unlike chances. Its
 * tails are no heavier than those of the binomial distribution with the mean chance (Hoeffding, On
 * the Distribution of the Number of Successes in Independent Trials, Annals of Mathematical
 * Statistics 27, 1956, theorem 5). So the interval of Clopper and Pearson (Biometrika 26, 1934)
 * holds for it, and is too wide rather than too narrow.
 *
 * Any thread may call any function.
 */
#ifndef BURIN_CARVER_TRIAGE_INTERVAL_H
#define BURIN_CARVER_TRIAGE_INTERVAL_H

#include <stdint.h>

struct interval {
    double low, high;
};

/*
 * The chance of which `hits` of `trials` trials came out, two-sided: Clopper and Pearson. trials:
 * at least 1; hits: at most trials. confidence: 0.95 for 95 %; above 0 and below 1.
 */
struct interval interval_share(uint64_t hits, uint64_t trials, double confidence);

/*
 * The mean of a Poisson distribution that gave this count, two-sided: Garwood (Biometrika 28,
 * 1936). count need not be whole: counts that come in clumps are divided by their clumps before.
 */
struct interval interval_count(double count, double confidence);

/*
 * The greatest number of units of some kind that the strata may hold together when one unit of each
 * was looked at, at random, and none was of that kind: were there more, one would have been met
 * with at least this confidence, however they lie. Each stratum has `size` units. A number of units
 * spread evenly is the hardest to meet, because log(1 - x) is concave. 0 where size is 1: all were
 * looked at.
 */
uint64_t interval_unseen(uint64_t strata, uint64_t size, double confidence);

/* The regularized incomplete functions that they stand on: I_x(a, b) and P(a, x), 0 to 1; a, b
 * above 0. NIST Digital Library of Mathematical Functions, 8.17 and 8.2. */
double interval_beta(double a, double b, double x);
double interval_gamma(double a, double x);

#endif
