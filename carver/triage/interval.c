/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/interval.c - see interval.h. */
#include <math.h>

#include "carver/triage/interval.h"

enum {
    INTERVAL_STEPS = 100000, /* of a continued fraction or a series; it takes about sqrt(a) */
    INTERVAL_HALVINGS = 200, /* of a bracket: more than a double has bits */
};
#define INTERVAL_TINY 1e-300
#define INTERVAL_ENOUGH 1e-15

static double interval_log_gamma(double x)
{
    int sign;

    return lgamma_r(x, &sign);
}

/* One step of Lentz's evaluation of a continued fraction: the factor by which its value changes. */
static double interval_step(double above, double below, double *c, double *d)
{
    *d = below + above * *d;
    *d = 1 / (fabs(*d) < INTERVAL_TINY ? INTERVAL_TINY : *d);
    *c = below + above / *c;
    if (fabs(*c) < INTERVAL_TINY)
        *c = INTERVAL_TINY;
    return *c * *d;
}

/* DLMF 8.17.22, which converges quickly for x < (a + 1) / (a + b + 2). */
static double interval_beta_fraction(double a, double b, double x)
{
    double c = 1, d = 0, value = 1;

    for (int k = 0; k < INTERVAL_STEPS; k++) {
        const int half = k / 2;
        const double m = half;
        const double above = k == 0 ? -(a + b) * x / (a + 1)
                             : k % 2 == 1
                                 ? (m + 1) * (b - m - 1) * x / ((a + 2 * m + 1) * (a + 2 * m + 2))
                                 : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        const double factor = interval_step(above, 1, &c, &d);

        value *= factor;
        if (fabs(factor - 1) < INTERVAL_ENOUGH)
            break;
    }
    return 1 / value;
}

double interval_beta(double a, double b, double x)
{
    if (x <= 0)
        return 0;
    if (x >= 1)
        return 1;
    const double front = exp(interval_log_gamma(a + b) - interval_log_gamma(a) -
                             interval_log_gamma(b) + a * log(x) + b * log1p(-x));

    if (x < (a + 1) / (a + b + 2))
        return front * interval_beta_fraction(a, b, x) / a;
    return 1 - front * interval_beta_fraction(b, a, 1 - x) / b;
}

/* DLMF 8.7.1 below a + 1, 8.9.2 above. */
double interval_gamma(double a, double x)
{
    if (x <= 0)
        return 0;
    const double front = exp(a * log(x) - x - interval_log_gamma(a));
    double sum = 1 / a, term = sum, c = INTERVAL_TINY, d = 0, value = INTERVAL_TINY;

    for (int k = 1; x < a + 1 && k < INTERVAL_STEPS; k++) {
        term *= x / (a + k);
        sum += term;
        if (term < sum * INTERVAL_ENOUGH)
            break;
    }
    if (x < a + 1)
        return front * sum;
    for (int k = 0; k < INTERVAL_STEPS; k++) {
        const double above = k == 0 ? 1 : -(double)k * (k - a);
        const double factor = interval_step(above, x + 2 * k + 1 - a, &c, &d);

        value *= factor;
        if (fabs(factor - 1) < INTERVAL_ENOUGH)
            break;
    }
    return 1 - front * value;
}

/* Where a function that rises from 0 at `low` reaches `want`. */
struct interval_curve {
    double (*at)(double a, double b, double x);
    double a, b;
};

static double interval_solve(const struct interval_curve *curve, double low, double high,
                             double want)
{
    for (int i = 0; i < INTERVAL_HALVINGS && low < high; i++) {
        const double middle = low + (high - low) / 2;

        if (middle <= low || middle >= high)
            break;
        if (curve->at(curve->a, curve->b, middle) < want)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}

struct interval interval_share(uint64_t hits, uint64_t trials, double confidence)
{
    const double x = (double)hits, n = (double)trials, tail = (1 - confidence) / 2;
    const struct interval_curve below = { interval_beta, x, n - x + 1 };
    const struct interval_curve above = { interval_beta, x + 1, n - x };

    return (struct interval){ hits == 0 ? 0 : interval_solve(&below, 0, 1, tail),
                              hits == trials ? 1 : interval_solve(&above, 0, 1, 1 - tail) };
}

static double interval_gamma_curve(double a, double b, double x)
{
    (void)b;
    return interval_gamma(a, x);
}

struct interval interval_count(double count, double confidence)
{
    const double tail = (1 - confidence) / 2;
    const struct interval_curve below = { interval_gamma_curve, count, 0 };
    const struct interval_curve above = { interval_gamma_curve, count + 1, 0 };
    /* A bracket that holds the mean for any tail that a double can tell from 0. */
    const double most = count + 100 * sqrt(count + 1) + 1000;

    return (struct interval){ count <= 0 ? 0 : interval_solve(&below, 0, most, tail),
                              interval_solve(&above, 0, most, 1 - tail) };
}

/* The chance, as a logarithm, that none of `units` units, spread as evenly as can be, is met. */
static double interval_log_missed(uint64_t strata, uint64_t size, uint64_t units)
{
    const uint64_t each = units / strata, more = units % strata;
    const double few = log1p(-(double)each / (double)size);

    if (more == 0)
        return (double)strata * few;
    if (each + 1 >= size)
        return -HUGE_VAL;
    return (double)(strata - more) * few + (double)more * log1p(-(double)(each + 1) / (double)size);
}

uint64_t interval_unseen(uint64_t strata, uint64_t size, double confidence)
{
    const double doubt = log1p(-confidence);
    uint64_t low = 0, high = strata * (size - 1);

    while (low < high) {
        const uint64_t middle = low + (high - low + 1) / 2;

        if (interval_log_missed(strata, size, middle) > doubt)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}
