/* SPDX-License-Identifier: Apache-2.0
 * match/shift_and/qgrams_cost.c - see qgrams_cost.h: the cost of rows, and that of places that
 * are looked up.
 *
 * A row costs the same whatever stands in it, half as much and a little with a stride of two. How
 * many places a disk has for so many different qgrams of five and of six bytes is a power of their
 * number, and so for longer ones; words of English, 2,000 to 100,000 of them, on files of a Linux
 * system. Places are looked up 32 at a time, and compared with all words behind the one of them
 * that has most: a qgram that many words share is also more common in text. The figures are of one
 * H200, fitted to ten searches from 0.44 to 3.2 microseconds; they hold within 10 %, where lists
 * that share much within 20.
 */
#include <math.h>

#include "match/shift_and/qgrams_cost.h"

enum {
    COST_LANES = 32,
    COST_SHARED_MOST = 255, /* words behind a qgram that are told apart */
    COST_FIVE = 5,          /* bytes of the shorter qgrams that were measured */
};

/* Microseconds for a MiB of rows, by stride; for a place; for a word that all places of a batch
 * wait for. */
static const double cost_rows[QGRAMS_STRIDE + 1] = { 0, 0.60, 0.39 };
static const double cost_place = 22e-6, cost_word = 4e-6;

/* Words behind the one of 32 places that has most of them, on average. */
static double cost_rounds(const double *weights, double all)
{
    double below = 0, rounds = 0;

    for (uint32_t k = 1; k <= COST_SHARED_MOST && below < all; k++) {
        rounds += 1 - pow(below / all, COST_LANES);
        below += weights[k];
    }
    return rounds;
}

/* Places of a MiB, were all of them looked at, that have one of so many qgrams. */
static double cost_places(double qgrams, uint32_t qgram)
{
    const double five = 8.2 * pow(qgrams, 0.78), six = pow(qgrams, 0.937);

    return five * pow(six < five ? six / five : 1, (double)qgram - COST_FIVE);
}

double qgrams_cost(const struct qgrams *qgrams, const struct qgrams_slot *slots)
{
    double weights[COST_SHARED_MOST + 1] = { 0 }, all = 0, different = 0;

    for (uint32_t i = 0; i < 1u << qgrams->slot_bits; i++) {
        const uint32_t words =
            slots[i].count < COST_SHARED_MOST ? slots[i].count : COST_SHARED_MOST;
        const double weight = words * sqrt(words);

        weights[words] += weight;
        all += weight;
        different += words > 0;
    }
    const double places = cost_places(different, qgrams->qgram) / qgrams->stride;
    return cost_rows[qgrams->stride] +
           places * (cost_place + cost_word * cost_rounds(weights, all));
}
