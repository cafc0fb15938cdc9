/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/id_set.c - see id_set.h. */
#include <stdlib.h>

#include "base/grow.h"
#include "carver/audit/id_set.h"
#include "carver/cli/interrupt.h"

static enum err_code id_set_add(void *arg, int64_t id, struct err *err)
{
    struct id_set *set = arg;

    const enum err_code rc = grow_items(&set->ids, set->count, &set->room, sizeof *set->ids, err);

    if (rc == ERR_OK)
        set->ids[set->count++] = id;
    return rc;
}

static bool id_set_stop(void *arg)
{
    (void)arg;
    return interrupt_requested();
}

static int id_set_order(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

/* Each once. */
static void id_set_settle(struct id_set *set)
{
    size_t kept = 0;

    if (set->count == 0)
        return;
    qsort(set->ids, set->count, sizeof *set->ids, id_set_order);
    for (size_t i = 1; i < set->count; i++)
        if (set->ids[i] != set->ids[kept])
            set->ids[++kept] = set->ids[i];
    set->count = kept + 1;
}

enum err_code id_set_where(struct db_case *db, const char *expression, struct id_set *set,
                           struct err *err)
{
    const enum err_code rc = db_where(db, expression, id_set_stop, NULL, id_set_add, set, err);

    id_set_settle(set);
    return rc;
}

bool id_set_has(const struct id_set *set, int64_t id)
{
    return set->count > 0 &&
           bsearch(&id, set->ids, set->count, sizeof *set->ids, id_set_order) != NULL;
}

void id_set_release(struct id_set *set)
{
    free(set->ids);
    *set = (struct id_set){ 0 };
}
