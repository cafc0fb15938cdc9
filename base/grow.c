/* SPDX-License-Identifier: Apache-2.0
 * base/grow.c - see grow.h. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { GROW_FIRST = 64 };

enum err_code grow_items(void *items, size_t count, size_t *room, size_t bytes, struct err *err)
{
    const size_t more = count == 0 ? GROW_FIRST : 2 * count;
    void *array;

    if (count < *room)
        return ERR_OK;
    memcpy(&array, items, sizeof array); /* the caller's pointer is of another type */
    array = reallocarray(array, more, bytes);
    if (array == NULL)
        return ERR_NO_MEMORY(err, more * bytes);
    memcpy(items, &array, sizeof array);
    *room = more;
    return ERR_OK;
}
