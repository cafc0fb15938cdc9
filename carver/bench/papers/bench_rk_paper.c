/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/papers/bench_rk_paper.c - the figures of the paper that bench_rk.h names:
 * milliseconds for 2^27 bytes, on one and on 128 threads of four Intel Xeon E7-8870 v4, and on an
 * NVIDIA V100 (tables 2 and 3).
 */
#include "carver/bench/papers/bench_rk.h"

const uint32_t bench_rk_counts[BENCH_RK_COUNTS] = { 1, 4, 16, 64, 256 };
const uint32_t bench_rk_lengths[BENCH_RK_LENGTHS] = { 10, 20, 30 };

static const double paper_table_2[6][BENCH_RK_COUNTS][BENCH_RK_LENGTHS] = {
    [BENCH_RK_DIRECT] = { { 712.96, 725.56, 720.58 },
                          { 726.25, 734.86, 729.99 },
                          { 1925.76, 1860.33, 1844.50 },
                          { 4679.32, 4343.91, 4607.87 },
                          { 17505.80, 17130.00, 17085.70 } },
    [BENCH_RK_DIRECT_OPENMP] = { { 13.90, 12.95, 12.79 },
                                 { 22.48, 16.95, 18.38 },
                                 { 35.57, 29.30, 29.84 },
                                 { 105.59, 102.05, 101.58 },
                                 { 419.69, 361.19, 359.35 } },
    [BENCH_RK_DIRECT_CUDA] = { { 9.13, 10.05, 10.83 },
                               { 10.37, 11.48, 12.32 },
                               { 11.37, 12.32, 13.44 },
                               { 18.05, 15.28, 15.97 },
                               { 52.56, 44.54, 46.42 } },
    [BENCH_RK_SCAN] = { { 1685.71, 1868.27, 1871.96 },
                        { 1704.31, 1874.91, 1854.88 },
                        { 1711.93, 1893.02, 1881.48 },
                        { 1845.50, 1883.84, 1869.63 },
                        { 2441.45, 1968.87, 1931.52 } },
    [BENCH_RK_SCAN_OPENMP] = { { 50.50, 53.97, 54.00 },
                               { 52.55, 54.45, 54.39 },
                               { 59.11, 53.72, 53.58 },
                               { 65.70, 54.70, 54.03 },
                               { 78.31, 65.89, 65.26 } },
    [BENCH_RK_SCAN_CUDA] = { { 3.54, 5.06, 5.04 },
                             { 3.73, 5.07, 5.08 },
                             { 4.27, 5.12, 5.08 },
                             { 4.90, 5.14, 5.12 },
                             { 5.43, 5.22, 5.18 } },
};

static const double paper_match_str[BENCH_RK_COUNTS] = { 5.69, 5.90, 12.60, 49.16, 193.46 };

static const double paper_steps[BENCH_RK_COUNTS][4] = { { 0.08, 1.17, 1.17, 2.62 },
                                                        { 0.08, 1.18, 1.17, 2.65 },
                                                        { 0.08, 1.18, 1.16, 2.66 },
                                                        { 0.08, 1.17, 1.16, 2.71 },
                                                        { 0.08, 1.17, 1.16, 2.77 } };

double bench_rk_paper(enum bench_rk_form form, uint32_t count, uint32_t length)
{
    if (form <= BENCH_RK_SCAN_CUDA)
        return paper_table_2[form][count][length];
    return form == BENCH_RK_MATCH_STR_CUDA && bench_rk_lengths[length] == 30
               ? paper_match_str[count]
               : 0;
}

double bench_rk_paper_step(uint32_t step, uint32_t count)
{
    return paper_steps[count][step - 2];
}
