/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/seams.c - see seams.h. */
#include <stdlib.h>

#include "base/bisect.h"
#include "base/grow.h"
#include "carver/assemble/seams.h"

enum err_code seams_add(struct seams *seams, const struct seam *seam, struct err *err)
{
    const enum err_code rc =
        grow_items(&seams->items, seams->count, &seams->room, sizeof *seams->items, err);

    if (rc == ERR_OK)
        seams->items[seams->count++] = *seam;
    return rc;
}

static int seams_compare(const void *a, const void *b)
{
    const struct seam *x = a, *y = b;

    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

void seams_settle(struct seams *seams)
{
    if (seams->count > 0)
        qsort(seams->items, seams->count, sizeof *seams->items, seams_compare);
}

void seams_release(struct seams *seams)
{
    free(seams->items);
    *seams = (struct seams){ 0 };
}

static bool seams_ends_before(const void *seam, uint64_t offset)
{
    return ((const struct seam *)seam)->end <= offset;
}

const struct seam *seams_behind(const struct seams *seams, uint64_t offset)
{
    const size_t at =
        bisect(seams->items, seams->count, sizeof *seams->items, seams_ends_before, offset);

    return at < seams->count ? &seams->items[at] : NULL;
}
