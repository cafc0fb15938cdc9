/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/fit.c - see fit.h. */
#include "carver/assemble/fit.h"
#include "base/limits.h"

enum { FIT_LEAST = 8 /* zeros behind the end, and other bytes before it, that are no chance */ };

/* Whether the scan made an object of what begins at this image offset. */
static bool fit_begins(const struct starts *starts, uint64_t at)
{
    size_t count;
    const size_t first = starts_at(starts, at, &count);
    bool object = false;

    for (size_t i = first; i < first + count; i++)
        object = object || starts->items[i].object;
    return object;
}

uint32_t fit_behind(struct splice *splice, const struct starts *starts, uint64_t end)
{
    const uint32_t in = end % LIMIT_SECTOR, slack = in > 0 ? LIMIT_SECTOR - in : 0;
    uint32_t have = 0;

    if (in < FIT_LEAST || slack < FIT_LEAST || end + slack > io_image_size(splice->image))
        return 0;
    const uint8_t *bytes = splice_image(splice, end - in, &have);
    if (bytes == NULL || have < LIMIT_SECTOR)
        return 0;
    const uint32_t next = fit_begins(starts, end + slack) ? FIT_NEXT : 0;
    if (!splice_image_zeros(splice, end, slack))
        return FIT_KNOWN | next;
    if (!splice_image_zeros(splice, end - FIT_LEAST, FIT_LEAST))
        return FIT_KNOWN | FIT_SLACK | next;
    return next != 0 ? FIT_KNOWN | next : 0; /* the file may end with such zeros */
}
