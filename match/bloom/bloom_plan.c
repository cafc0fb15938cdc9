/* SPDX-License-Identifier: Apache-2.0
 * match/bloom/bloom_plan.c - how large a Bloom filter has to be, and how often it errs. See
 * bloom_parts.h.
 *
 * The thesis' equations 2-5 and 3-1; for filters in cache lines the sum of Putze et al., section 3:
 * as many keys fall into a line as a Poisson distribution says, and a line with i keys errs like a
 * filter of 512 bits. So small a filter errs a little more often than (1 - (1 - 1/m)^(ki))^k, for
 * its number of set bits scatters; the second term of the series at the mean takes that in.
 */
#include <math.h>

#include "match/bloom.h"

enum { BLOOM_K_CHOICE = 64, BLOOM_BISECTIONS = 60 };

static const double bloom_bits_max = 1099511627776.0; /* 2^40: 128 GiB */

/* A line of B bits in which bits were set t times, at random: the probability that k bits, at
 * random, are all set. */
static double bloom_line_rate(double t, double k)
{
    const double b = BLOOM_LINE_BITS;
    const double empty = pow(1 - 1 / b, t), both = pow(1 - 2 / b, t);
    const double full = 1 - empty;
    const double variance = (1 - 1 / b) * both + empty / b - empty * empty;

    if (full <= 0)
        return 0;
    return pow(full, k) * (1 + k * (k - 1) / 2 * variance / (full * full));
}

static double bloom_blocked_rate(double lines, double n, double k)
{
    const double mean = n / lines, width = 12 * sqrt(mean) + 40;
    const uint64_t first = mean > width ? (uint64_t)(mean - width) : 0,
                   end = (uint64_t)(mean + width);
    double sum = 0;

    for (uint64_t n_line = first; n_line < end; n_line++) {
        const double i = (double)n_line;

        sum += exp(i * log(mean) - mean - lgamma(i + 1)) * bloom_line_rate(i * k, k);
    }
    return sum;
}

double bloom_rate(const struct bloom_shape *shape, uint64_t n)
{
    const double k = shape->k, bits = (double)shape->bits;

    if (n == 0)
        return 0;
    if (shape->kind == BLOOM_BLOCKED)
        return bloom_blocked_rate(bits / BLOOM_LINE_BITS, (double)n, k);
    return pow(-expm1(-k * (double)n / bits), k);
}

/* Equation 3-1. */
static double bloom_bits(double n, double rate, double k)
{
    return -k * n / log1p(-pow(rate, 1 / k));
}

/* The same for cache lines, for which there is no closed form. */
static double bloom_blocked_bits(double n, double rate, double k)
{
    double low = n / BLOOM_LINE_BITS, high = low * 256; /* lines: a bit and 256 bits a key */

    if (low < 1)
        high = 256;
    for (int i = 0; i < BLOOM_BISECTIONS && high - low > 0.5; i++) {
        const double middle = (low + high) / 2;

        if (bloom_blocked_rate(middle, n, k) > rate)
            low = middle;
        else
            high = middle;
    }
    return ceil(high) * BLOOM_LINE_BITS;
}

static double bloom_bits_for(enum bloom_kind kind, double n, double rate, double k)
{
    return kind == BLOOM_BLOCKED ? bloom_blocked_bits(n, rate, k) : bloom_bits(n, rate, k);
}

enum err_code bloom_plan(enum bloom_kind kind, uint64_t n, double rate, uint32_t k,
                         struct bloom_shape *out, struct err *err)
{
    const uint32_t k_max = kind == BLOOM_BLOCKED ? BLOOM_K_BLOCKED_MAX
                           : k == 0              ? BLOOM_K_CHOICE
                                                 : BLOOM_K_MAX;
    const double keys = n > 0 ? (double)n : 1;
    double best = INFINITY;

    *out = (struct bloom_shape){ .kind = kind };
    if (!(rate > 1e-18 && rate < 1) || k > k_max)
        return ERR_RAISE(
            err, ERR_ARG,
            "a Bloom filter with rate %g and %u bits a key: the rate must lie between 0 and 1, "
            "and the bits be at most %u",
            rate, k, k_max);
    for (uint32_t choice = k == 0 ? 1 : k; choice <= (k == 0 ? k_max : k); choice++) {
        const double bits = bloom_bits_for(kind, keys, rate, choice);

        if (bits < best) {
            best = bits;
            out->k = choice;
        }
    }
    const double most = kind == BLOOM_SALTED ? ldexp(1, BLOOM_SALTED_BITS_LOG) : bloom_bits_max;
    if (best > most || (kind == BLOOM_BLOCKED &&
                        bloom_blocked_rate(best / BLOOM_LINE_BITS, keys, out->k) > rate * 1.01))
        return ERR_RAISE(
            err, ERR_ARG,
            "a Bloom filter for %llu keys at rate %g would be too large; choose a higher rate",
            (unsigned long long)n, rate);
    out->bits = ((uint64_t)ceil(best / BLOOM_LINE_BITS) + (best < 1)) * BLOOM_LINE_BITS;
    return ERR_OK;
}

size_t bloom_size(const struct bloom_shape *shape)
{
    return (size_t)(shape->bits / 8);
}
