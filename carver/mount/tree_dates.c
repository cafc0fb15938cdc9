/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/tree_dates.c - the dates that files say are their own: see tree.h. Few have one, so
 * these stand beside the objects. */
#include <stdlib.h>

#include "base/bisect.h"
#include "carver/mount/tree_parts.h"

enum err_code tree_date(struct tree *tree, int64_t id, int64_t seconds, struct err *err)
{
    const enum err_code rc =
        tree_grow(&tree->dates, tree->date_count, &tree->date_room, sizeof *tree->dates, err);

    if (rc == ERR_OK)
        tree->dates[tree->date_count++] = (struct tree_date){ id, seconds };
    return rc;
}

static int dates_compare(const void *a, const void *b)
{
    const struct tree_date *one = a, *other = b;

    return (one->object > other->object) - (one->object < other->object);
}

void tree_dates_settle(struct tree *tree)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < tree->date_count; i++) {
        const uint32_t index = tree_find(tree, tree->dates[i].object);

        if (index != TREE_NONE)
            tree->dates[kept++] = (struct tree_date){ index, tree->dates[i].seconds };
    }
    tree->date_count = kept;
    if (kept > 0)
        qsort(tree->dates, kept, sizeof *tree->dates, dates_compare);
}

static bool dates_before(const void *item, uint64_t object)
{
    const struct tree_date *date = item;

    return (uint64_t)date->object < object;
}

bool tree_date_of(const struct tree *tree, uint32_t object, int64_t *seconds)
{
    const size_t i =
        bisect(tree->dates, tree->date_count, sizeof *tree->dates, dates_before, object);

    if (i == tree->date_count || tree->dates[i].object != object)
        return false;
    *seconds = tree->dates[i].seconds;
    return true;
}
