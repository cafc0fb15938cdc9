/* SPDX-License-Identifier: Apache-2.0
 * io/image/bad_list.c - see bad_list.h. */
#include <stdlib.h>
#include <string.h>

#include "io/image/bad_list.h"

#include "base/bisect.h"

enum { BAD_LIST_FIRST = 16 }; /* ranges allocated at first; doubled when full */

/* Whether b goes on where a ends, for the same reason. */
static bool bad_list_goes_on(const struct io_bad_range *a, const struct io_bad_range *b)
{
    return a->offset + a->len == b->offset && a->cause == b->cause && a->source == b->source &&
           a->status == b->status;
}

/* Makes room for one more range. */
static bool bad_list_grow(struct io_bad_list *list)
{
    if (list->count < list->room)
        return true;
    const uint32_t room = list->room == 0 ? BAD_LIST_FIRST : list->room * 2;
    struct io_bad_range *grown = realloc(list->items, room * sizeof *grown);

    list->failed |= grown == NULL;
    if (grown == NULL)
        return false;
    list->items = grown;
    list->room = room;
    return true;
}

void io_bad_list_add(struct io_bad_list *list, const struct io_bad_range *range)
{
    if (list->count > 0 && bad_list_goes_on(&list->items[list->count - 1], range))
        list->items[list->count - 1].len += range->len;
    else if (bad_list_grow(list))
        list->items[list->count++] = *range;
}

static bool bad_list_ends(const void *range, uint64_t at)
{
    const struct io_bad_range *bad = range;

    return bad->offset + bad->len <= at;
}

/* Index of the first range that ends behind offset. */
static uint32_t bad_list_at(const struct io_bad_list *list, uint64_t offset)
{
    return (uint32_t)bisect(list->items, list->count, sizeof *list->items, bad_list_ends, offset);
}

const struct io_bad_range *io_bad_list_find(const struct io_bad_list *list, uint64_t offset)
{
    const uint32_t at = bad_list_at(list, offset);

    return at < list->count ? &list->items[at] : NULL;
}

void io_bad_list_insert(struct io_bad_list *list, const struct io_bad_range *range)
{
    const uint32_t at = bad_list_at(list, range->offset), behind = list->count - at;

    if (behind > 0 && list->items[at].offset <= range->offset)
        return;
    if (!bad_list_grow(list))
        return;
    memmove(list->items + at + 1, list->items + at, behind * sizeof *list->items);
    list->items[at] = *range;
    list->count++;
}

void io_bad_list_remember(struct io_bad_list *list, const struct io_bad_range *range)
{
    const uint32_t at = bad_list_at(list, range->offset);
    struct io_bad_range part = *range;

    if (at < list->count) {
        const uint64_t next = list->items[at].offset;

        if (next <= part.offset)
            return;
        if (next - part.offset < part.len)
            part.len = next - part.offset;
    }
    if (at > 0 && bad_list_goes_on(&list->items[at - 1], &part))
        list->items[at - 1].len += part.len;
    else
        io_bad_list_insert(list, &part);
}

static int bad_list_compare(const void *a, const void *b)
{
    const struct io_bad_range *x = a, *y = b;

    return (x->offset > y->offset) - (x->offset < y->offset);
}

void io_bad_list_take(struct io_bad_list *list, struct io_bad_list *from)
{
    if (from->count > 1)
        qsort(from->items, from->count, sizeof *from->items, bad_list_compare);
    for (uint32_t i = 0; i < from->count; i++)
        io_bad_list_add(list, &from->items[i]);
    list->failed |= from->failed;
}

void io_bad_list_settle(struct io_bad_list *list)
{
    uint32_t kept = 0;

    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, bad_list_compare);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct io_bad_range *range = &list->items[i];
        struct io_bad_range *last = kept > 0 ? &list->items[kept - 1] : NULL;
        const uint64_t end = range->offset + range->len;

        if (last == NULL || last->offset + last->len < range->offset)
            list->items[kept++] = *range;
        else if (end > last->offset + last->len)
            last->len = end - last->offset;
    }
    list->count = kept;
}

void io_bad_list_release(struct io_bad_list *list)
{
    free(list->items);
}
