/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/guess_fit.c - see guess_impl.h. */
#include "base/limits.h"
#include "carver/assemble/guess_impl.h"

enum { GUESS_SLACK = 8 /* zeros behind the end, and other bytes before it, that are no chance */ };

/* Whether the bytes hold one that is not zero. */
static bool guess_any(const uint8_t *bytes, uint32_t len)
{
    uint32_t any = 0;

    for (uint32_t i = 0; i < len; i++)
        any |= bytes[i];
    return any != 0;
}

/* Whether the scan made an object of what begins at this image offset. */
static bool guess_begins(const struct starts *starts, uint64_t at)
{
    size_t count;
    const size_t first = starts_at(starts, at, &count);
    bool object = false;

    for (size_t i = first; i < first + count; i++)
        object = object || starts->items[i].object;
    return object;
}

uint32_t guess_fit(struct guess *guess, uint64_t end)
{
    const uint32_t in = end % LIMIT_SECTOR, slack = in > 0 ? LIMIT_SECTOR - in : 0;
    uint32_t have = 0;

    if (in < GUESS_SLACK || slack < GUESS_SLACK)
        return 0;
    const uint8_t *bytes = splice_image(&guess->trial->splice, end - in, &have);
    if (bytes == NULL || have < LIMIT_SECTOR)
        return 0;
    const uint32_t next = guess_begins(guess->job->starts, end + slack) ? GUESS_FIT_NEXT : 0;
    if (guess_any(bytes + in, slack))
        return GUESS_FIT_KNOWN | next;
    if (guess_any(bytes + in - GUESS_SLACK, GUESS_SLACK))
        return GUESS_FIT_KNOWN | GUESS_FIT_SLACK | next;
    return next != 0 ? GUESS_FIT_KNOWN | next : 0; /* the file may end with such zeros */
}
