/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/fork_slide.c - see fork_impl.h. */
#include <string.h>

#include "base/limits.h"
#include "carver/assemble/fork_impl.h"

enum { FORK_SLIDES = 4 /* clusters before the cut, and behind it */ };

/* Whether so many bytes of the image, a multiple of a sector, are the same in both places. */
static bool fork_same(struct splice *splice, uint64_t a, uint64_t b, uint64_t len)
{
    uint8_t one[LIMIT_SECTOR], other[LIMIT_SECTOR];
    bool same = true;

    for (uint64_t at = 0; same && at < len; at += LIMIT_SECTOR) {
        splice_copy(splice, a + at, one, sizeof one);
        splice_copy(splice, b + at, other, sizeof other);
        same = memcmp(one, other, sizeof one) == 0;
    }
    return same;
}

enum err_code fork_slides(struct fork *fork, struct fork_ends *ends, struct err *err)
{
    const struct io_range last = fork->runs[fork->count - 1];
    const uint64_t len = splice_len(&fork->trial->splice), sum = len - last.len;
    const uint64_t unit = fork->job->islands->unit;
    const struct fork_way way = ends->way;
    const uint64_t cut_at = last.offset + (way.cut - sum);
    struct fork_ends others = *ends;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && others.count == 1 && i < 2 * FORK_SLIDES; i++) {
        const uint64_t by = (i / 2 + 1) * unit;
        const bool up = i % 2 == 0;
        const uint64_t low = up ? 0 : by; /* what changes sides begins so far before the cut */

        if (up ? way.cut + by > len : way.cut <= sum + by || way.begin < by)
            continue;
        if (fork_same(&fork->trial->splice, cut_at - low, way.begin - low, by) ||
            !fork_to_cut(fork, up ? way.cut + by : way.cut - by))
            continue;
        fork->result.verdict = SIG_MORE;
        rc = fork_way(fork, up ? way.cut + by : way.cut - by, up ? way.begin + by : way.begin - by,
                      &others, err);
        /* One that is whole, and proves nothing, is another end all the same. */
        if (fork->result.verdict == SIG_COMPLETE && fork->result.len == ends->result.len)
            others.count = 2;
    }
    ends->count = others.count;
    return rc;
}
