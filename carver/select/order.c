/* SPDX-License-Identifier: Apache-2.0
 * carver/select/order.c - see order.h. */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "carver/select/order.h"

static const size_t ORDER_TEXT_MAX = (size_t)1 << 36; /* as many names as memory has room for */

void order_init(struct order *order)
{
    *order = (struct order){ 0 };
    arena_init(&order->text, ORDER_TEXT_MAX);
}

static int order_compare_types(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* The type, kept once. NULL: no memory. */
static const char *order_type(struct order *order, const char *type)
{
    if (order->count > 0 && strcmp(order->items[order->count - 1].type, type) == 0)
        return order->items[order->count - 1].type; /* objects of one type often stand together */
    const char *const *found = tfind(type, &order->types, order_compare_types);
    if (found != NULL)
        return *found;
    const char *copy = arena_copy(&order->text, type, strlen(type));
    return copy != NULL && tsearch(copy, &order->types, order_compare_types) != NULL ? copy : NULL;
}

enum err_code order_add(struct order *order, const struct db_object *object, const char *name,
                        struct err *err)
{
    const enum err_code rc =
        grow_items(&order->items, order->count, &order->room, sizeof *order->items, err);

    if (rc != ERR_OK)
        return rc;
    struct order_item item = { .id = object->id, .size = object->len, .place = order->count };
    item.type = order_type(order, object->type);
    if (name != NULL)
        item.name = arena_copy(&order->text, name, strlen(name));
    if (item.type == NULL || (name != NULL && item.name == NULL))
        return ERR_NO_MEMORY(err, strlen(object->type));
    order->items[order->count++] = item;
    return ERR_OK;
}

static int order_by_place(const struct order_item *x, const struct order_item *y)
{
    return (x->place > y->place) - (x->place < y->place);
}

static int order_by_size(const void *a, const void *b)
{
    const struct order_item *x = a, *y = b;

    return x->size != y->size ? (x->size < y->size ? 1 : -1) : order_by_place(x, y);
}

static int order_by_type(const void *a, const void *b)
{
    const struct order_item *x = a, *y = b;
    const int types = x->type == y->type ? 0 : strcmp(x->type, y->type);

    return types != 0 ? types : order_by_place(x, y);
}

void order_settle(struct order *order, const struct selection *selection)
{
    if (order->count > 0 && selection->sort != SELECTION_BY_OFFSET)
        qsort(order->items, order->count, sizeof *order->items,
              selection->sort == SELECTION_BY_SIZE ? order_by_size : order_by_type);
    if (order->count > selection->limit)
        order->count = (size_t)selection->limit;
}

static void order_keep(void *type)
{
    (void)type; /* it lies in the arena */
}

void order_close(struct order *order)
{
    tdestroy(order->types, order_keep);
    arena_release(&order->text);
    free(order->items);
    *order = (struct order){ 0 };
}
