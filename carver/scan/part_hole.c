/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/part_hole.c - see part_hole.h. */
#include "carver/scan/part_hole.h"

#include "carver/scan/part.h"

/* Whether the image is known to be zeros at image offset `at`. *end: up to where it is, or is not,
 * but not further than `limit`. */
static bool hole_run(const struct part_holes *holes, uint64_t at, uint64_t limit, uint64_t *end)
{
    struct io_span span;
    bool zero = false;

    for (*end = at; *end < limit; *end += span.len) {
        if (!io_image_map(holes->image, *end, &span) || span.len == 0) {
            *end = *end == at ? limit : *end;
            return zero;
        }
        if (*end > at && zero != (span.how == IO_SPAN_ZERO))
            return zero;
        zero = span.how == IO_SPAN_ZERO;
    }
    *end = limit;
    return zero;
}

/* The place at or behind image offset `at` where a part may begin. */
static uint64_t hole_align(const struct part_holes *holes, uint64_t at)
{
    const uint64_t over = (at - holes->whole.offset) % PART_ALIGN;

    return over == 0 ? at : at + (PART_ALIGN - over);
}

/* The end of a part of zeros that begins at `at`, where zeros go on up to `zeros`; 0: it is too
 * short. */
static uint64_t hole_end(const struct part_holes *holes, uint64_t at, uint64_t zeros, uint64_t end)
{
    const uint64_t whole_end = holes->whole.offset + holes->whole.len;
    uint64_t to = zeros;

    if (zeros < whole_end)
        to = zeros - at < PLAN_LOOKAHEAD ? at : zeros - PLAN_LOOKAHEAD;
    to = to < end ? to - (to - holes->whole.offset) % PART_ALIGN : end;
    return to >= at && to - at >= PART_HOLE_MIN ? to : 0;
}

/* How far zeros are looked for that a part from `at` on needs. */
static uint64_t hole_limit(const struct part_holes *holes, uint64_t at)
{
    const uint64_t left = holes->whole.offset + holes->whole.len - at;
    const uint64_t most = PART_HOLE_MAX + PLAN_LOOKAHEAD;

    return at + (left < most ? left : most);
}

bool part_hole_at(const struct part_holes *holes, uint64_t at, uint64_t end, uint64_t *to)
{
    uint64_t zeros;

    if (holes->image == NULL)
        return false;
    const uint64_t inside = at - holes->whole.offset;
    const uint64_t from = at - (inside < holes->before ? inside : holes->before);

    *to = 0;
    if (hole_run(holes, from, hole_limit(holes, at), &zeros) && zeros > at)
        *to = hole_end(holes, at, zeros, end);
    return *to != 0;
}

uint64_t part_hole_next(const struct part_holes *holes, uint64_t at, uint64_t to, uint64_t end)
{
    const uint64_t whole_end = holes->whole.offset + holes->whole.len;
    uint64_t run;

    if (holes->image == NULL)
        return to;
    for (uint64_t from = at; from < to; from = run) {
        const uint64_t most = from + holes->before + PART_ALIGN + PART_HOLE_MIN + PLAN_LOOKAHEAD;
        const uint64_t far = most < whole_end ? most : whole_end;

        if (!hole_run(holes, from, far > to ? far : to, &run))
            continue;
        const uint64_t begin = hole_align(holes, from + holes->before);
        if (begin > at && begin < to && begin < run && hole_end(holes, begin, run, end) != 0)
            return begin;
    }
    return to;
}
