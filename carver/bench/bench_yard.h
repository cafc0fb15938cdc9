/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/bench_yard.h - the yardstick of reading: the same file read by cat, by dd in
 * requests of several sizes, and by fio where it is installed. From the disk dd and fio go past the
 * page cache, with O_DIRECT. The best of them is what this machine can read.
 */
#ifndef BURIN_CARVER_BENCH_BENCH_YARD_H
#define BURIN_CARVER_BENCH_BENCH_YARD_H

#include "base/limits.h"
#include "carver/bench/bench.h"

enum { BENCH_YARD_ROWS = 5 };

struct bench_yard {
    char in[LIMIT_PATH + 8], file[2 * LIMIT_PATH + 16]; /* words with the image's name */
    const struct bench_row *first, *cat;                /* of BENCH_YARD_ROWS; NULL: not run */
};

/* Adds the rows. The yard and the image's name must outlive them. */
void bench_yard_add(struct bench_yard *yard, const char *image, bool cold, struct bench_row *rows,
                    uint32_t *count);

/* The row of the least median time, of those that read the image; NULL: none did. */
const struct bench_row *bench_yard_best(const struct bench_yard *yard);

/*
 * Has the page cache hold the image, or drops it.
 * Errors: ERR_INPUT when it cannot be opened; ERR_ENV when the page cache still has some of it.
 */
ERR_MUST_CHECK enum err_code bench_yard_cache(const char *image, bool cold, struct err *err);

/* Time by time, so that a slow moment of the machine weighs on both sides. Both have been run. */
struct bench_figure bench_yard_ratio(const struct bench_row *row, const struct bench_row *base);

/* The same as text, 24 columns wide; base NULL: as a dash. */
void bench_yard_print_ratio(const struct bench_row *row, const struct bench_row *base);

#endif
