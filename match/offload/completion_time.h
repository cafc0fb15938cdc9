/* SPDX-License-Identifier: Apache-2.0
 * match/offload/completion_time.h - how long a host-to-host search takes, from the times of one
 * segment.
 *
 * Each of s segments is written to the device (t_w), processed there (t_p), and its results are
 * read back (t_r). Strategy A keeps all segments on the device at once, strategy B two; with one
 * I/O channel writes and reads share it, with two they do not. Zha and Sahni, "GPU-to-GPU and
 * Host-to-Host Multipattern String Matching on a GPU", section 4: Theorems 2 to 6 are about one
 * channel, 7 to 12 about two.
 */
#ifndef BURIN_MATCH_OFFLOAD_COMPLETION_TIME_H
#define BURIN_MATCH_OFFLOAD_COMPLETION_TIME_H

#include <stdint.h>

struct completion_time_job {
    uint32_t segments; /* s, at least 1 */
    uint32_t channels; /* 1 or 2 */
    double write, process,
        read; /* t_w, t_p, t_r, not negative, all in the same unit; the answers are in it too */
};

double completion_time_a(const struct completion_time_job *job); /* Theorems 2 and 7 */
double completion_time_b(const struct completion_time_job *job); /* Theorems 4 and 10 */

/* No strategy is faster; A is as fast: Theorems 3 and 8. */
double completion_time_least(const struct completion_time_job *job);

/*
 * (T_B - T_A) / T_A is less than this, or 0 where this is 0, and reaches it only when t_p is 0:
 * Theorems 6 and 12. Theorems 5 and 11: it is not always 0.
 */
double completion_time_b_excess(uint32_t segments, uint32_t channels);

/* Theorem 9: one channel takes at most so many times as long as two. */
enum { COMPLETION_TIME_CHANNELS_GAIN = 2 };

/*
 * The strategy between the two: `buffers` input and as many output buffers, each used again as soon
 * as its last user is done with it. On one channel what can begin first goes first, a write before
 * a read unless all buffers are taken. Strategy A with a buffer for every segment; not slower than
 * B with two. Takes time in proportion to segments.
 */
double completion_time_ring(const struct completion_time_job *job, uint32_t buffers);

#endif
