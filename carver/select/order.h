/* SPDX-License-Identifier: Apache-2.0
 * carver/select/order.h - the objects that were chosen, in the order of --sort, and the first of
 * them as --limit says.
 *
 * Objects are added in the order of a cursor, which is that of offsets; objects that are alike keep
 * it. Memory: some 100 bytes an object.
 */
#ifndef BURIN_CARVER_SELECT_ORDER_H
#define BURIN_CARVER_SELECT_ORDER_H

#include "base/arena.h"
#include "carver/select/selection.h"

struct order_item {
    int64_t id;
    uint64_t size, place;    /* place: how many were added before it */
    const char *type, *name; /* of the order; name NULL: none was given */
};

struct order {
    struct order_item *items; /* owned */
    size_t count, room;
    struct arena text;
    void *types; /* each once, for tsearch */
};

void order_init(struct order *order);
/* ERR_ENV: no memory. name: kept as a copy; or NULL. */
ERR_MUST_CHECK enum err_code order_add(struct order *order, const struct db_object *object,
                                       const char *name, struct err *err);
/* Sorts them, and forgets those behind the limit. */
void order_settle(struct order *order, const struct selection *selection);
void order_close(struct order *order); /* more than once is a no-op */

#endif
