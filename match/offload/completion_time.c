/* SPDX-License-Identifier: Apache-2.0
 * match/offload/completion_time.c - see completion_time.h. The names in comments are those of the
 * paper's Figure 6; T_w, T_p and T_r are s times t_w, t_p and t_r.
 */
#include <assert.h>
#include <stdbool.h>

#include "match/offload/completion_time.h"

static double completion_time_max(double a, double b)
{
    return a > b ? a : b;
}

static double completion_time_max3(double a, double b, double c)
{
    return completion_time_max(completion_time_max(a, b), c);
}

static void completion_time_check(const struct completion_time_job *job)
{
    assert(job->segments >= 1);
    assert(job->channels == 1 || job->channels == 2);
    assert(job->write >= 0 && job->process >= 0 && job->read >= 0);
}

/*
 * Theorem 2. In the subcases 1c and 4b the question is whether some segment i is still being
 * processed when the reads before it are done, t_w + (i + 1) t_p > T_w + i t_r. There t_p > t_r, so
 * the last segment says it for all.
 */
static double completion_time_a_shared(const struct completion_time_job *job)
{
    const double s = job->segments, w = job->write, p = job->process, r = job->read;
    const double transfers = s * w + s * r;

    if (w >= p)
        return p <= s * r - r ? transfers : s * w + p + r; /* 1a, 2 */
    if (s * w - w <= p)
        return r > p ? w + p + s * r : w + s * p + r; /* 3, 4a */
    if (r >= p)
        return transfers;                                               /* 1b */
    return w + s * p > s * w + (s - 1) * r ? w + s * p + r : transfers; /* 4b, 1c */
}

/* Theorem 7. */
static double completion_time_a_apart(const struct completion_time_job *job)
{
    const double s = job->segments, w = job->write, p = job->process, r = job->read;

    if (w >= p && w >= r)
        return s * w + p + r;
    if (w < p && p >= r)
        return w + s * p + r;
    return w + p + s * r;
}

double completion_time_a(const struct completion_time_job *job)
{
    completion_time_check(job);
    if (job->segments == 1)
        return job->write + job->process + job->read;
    return job->channels == 1 ? completion_time_a_shared(job) : completion_time_a_apart(job);
}

/* Theorems 4 and 10 differ in what a turn of the loop waits for: with one channel its write and its
 * read take turns. */
double completion_time_b(const struct completion_time_job *job)
{
    const double w = job->write, p = job->process, r = job->read;

    completion_time_check(job);
    if (job->segments == 1)
        return w + p + r;
    const double turn =
        completion_time_max(job->channels == 1 ? w + r : completion_time_max(w, r), p);
    return w + completion_time_max(w, p) + (job->segments - 2) * turn + completion_time_max(p, r) +
           r;
}

double completion_time_least(const struct completion_time_job *job)
{
    const double s = job->segments, w = job->write, p = job->process, r = job->read;

    completion_time_check(job);
    const double least = completion_time_max3(s * w + p + r, w + p + s * r, w + s * p + r);
    return job->channels == 1 ? completion_time_max(least, s * w + s * r) : least;
}

double completion_time_b_excess(uint32_t segments, uint32_t channels)
{
    const double s = segments;

    assert(segments >= 1 && (channels == 1 || channels == 2));
    if (channels == 1)
        return segments <= 2 ? 0 : (s - 2) / (s * s - 1);
    return segments == 1 ? 0 : 1 / (s + 1);
}

enum { COMPLETION_TIME_BUFFERS = 64 }; /* more change nothing that is worth predicting */

/* A ring at work. Times of the last segments stand at their number modulo buffers. */
struct completion_time_ring {
    const struct completion_time_job *job;
    uint32_t buffers;
    uint32_t written, processed, done; /* segments whose write, processing, read has its time */
    double write_end[COMPLETION_TIME_BUFFERS], process_end[COMPLETION_TIME_BUFFERS],
        read_end[COMPLETION_TIME_BUFFERS];
    double write_free, device_free, read_free; /* when each is idle */
};

/* Processing begins when the segment is there, the device idle, and the output buffer read. */
static void completion_time_ring_process(struct completion_time_ring *ring)
{
    while (ring->processed < ring->written && ring->processed - ring->done < ring->buffers) {
        const uint32_t buffer = ring->processed % ring->buffers;

        ring->device_free =
            completion_time_max3(ring->device_free, ring->write_end[buffer],
                                 ring->processed < ring->buffers ? 0 : ring->read_end[buffer]) +
            ring->job->process;
        ring->process_end[buffer] = ring->device_free;
        ring->processed++;
    }
}

double completion_time_ring(const struct completion_time_job *job, uint32_t buffers)
{
    struct completion_time_ring ring = { .job = job, .buffers = buffers };

    completion_time_check(job);
    assert(buffers >= 1);
    if (buffers >= job->segments)
        return completion_time_a(job);
    if (buffers > COMPLETION_TIME_BUFFERS)
        ring.buffers = COMPLETION_TIME_BUFFERS;
    while (ring.done < job->segments) {
        completion_time_ring_process(&ring);
        const uint32_t in = ring.written % ring.buffers, out = ring.done % ring.buffers;
        const bool writes =
            ring.written < job->segments && ring.written - ring.processed < ring.buffers;
        const bool reads = ring.done < ring.processed;
        const bool full = ring.written - ring.done >=
                          ring.buffers; /* what is written next waits for a read anyway */
        const double write_at = completion_time_max(
            ring.write_free, ring.written < ring.buffers ? 0 : ring.process_end[in]);
        const double read_at = completion_time_max(ring.read_free, ring.process_end[out]);

        if (writes && (!reads || write_at < read_at || (write_at == read_at && !full))) {
            ring.write_free = ring.write_end[in] = write_at + job->write;
            ring.written++;
        } else {
            ring.read_free = ring.read_end[out] = read_at + job->read;
            ring.done++;
        }
        if (job->channels == 1)
            ring.write_free = ring.read_free = completion_time_max(ring.write_free, ring.read_free);
    }
    return ring.read_free;
}
