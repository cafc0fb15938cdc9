/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/undecided.c - see undecided.h. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "carver/audit/undecided.h"

static int undecided_by_value(const void *left, const void *right)
{
    const struct undecided_object *a = left, *b = right;
    const int order = strcmp(a->value, b->value);

    return order != 0 ? order : (a->id > b->id) - (a->id < b->id);
}

static int undecided_has_value(const void *value, const void *item)
{
    return strcmp(value, ((const struct undecided_object *)item)->value);
}

enum err_code undecided_add(struct undecided *undecided, const struct undecided_object *object,
                            struct err *err)
{
    if (undecided->count == UNDECIDED_MAX) {
        undecided->many = true;
        return ERR_OK;
    }
    const enum err_code rc = grow_items(&undecided->items, undecided->count, &undecided->room,
                                        sizeof *undecided->items, err);
    if (rc == ERR_OK)
        undecided->items[undecided->count++] = *object;
    return rc;
}

void undecided_settle(struct undecided *undecided)
{
    if (undecided->count > 0)
        qsort(undecided->items, undecided->count, sizeof *undecided->items, undecided_by_value);
}

void undecided_release(struct undecided *undecided)
{
    free(undecided->items);
    *undecided = (struct undecided){ 0 };
}

int64_t undecided_as(const struct undecided *undecided, const char *value)
{
    const struct undecided_object *found =
        undecided->count > 0 ? bsearch(value, undecided->items, undecided->count,
                                       sizeof *undecided->items, undecided_has_value)
                             : NULL;

    return found != NULL ? found->id : 0;
}

int64_t undecided_at(const struct undecided *undecided, int64_t image_id, uint64_t offset)
{
    for (size_t i = 0; i < undecided->count; i++)
        if (undecided->items[i].image_id == image_id && undecided->items[i].offset == offset)
            return undecided->items[i].id;
    return 0;
}
