/* io/bad_list.c - see bad_list.h. */
#include <stdlib.h>

#include "io/bad_list.h"

enum { BAD_LIST_FIRST = 16 }; /* ranges allocated at first; doubled when full */

void io_bad_list_add(struct io_bad_list *list, const struct io_bad_range *range)
{
    if (list->count > 0) {
        struct io_bad_range *last = &list->items[list->count - 1];
        if (last->offset + last->len == range->offset && last->cause == range->cause) {
            last->len += range->len;
            return;
        }
    }
    if (list->count == list->room) {
        const uint32_t room = list->room == 0 ? BAD_LIST_FIRST : list->room * 2;
        struct io_bad_range *grown = realloc(list->items, room * sizeof *grown);

        if (grown == NULL) {
            list->failed = true;
            return;
        }
        list->items = grown;
        list->room = room;
    }
    list->items[list->count++] = *range;
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

void io_bad_list_release(struct io_bad_list *list)
{
    free(list->items);
}
