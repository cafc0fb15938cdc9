/* SPDX-License-Identifier: Apache-2.0
 * carver/select/chosen.c - see chosen.h. */
#include "carver/select/chosen.h"
#include "carver/case/object_names.h"
#include "carver/cli/interrupt.h"
#include "carver/select/order.h"

struct chosen {
    struct db_case *db;
    struct selection *selection;
    FILE *out;
    chosen_fn each;
    void *arg;
    struct order order; /* where the order is not that of the case */
    uint64_t count;
};

static bool chosen_failed(const struct chosen *chosen)
{
    return chosen->out != NULL && ferror(chosen->out) != 0;
}

/* An object of the walk, with its name: gives it, or keeps it for later. */
static enum err_code chosen_take(struct chosen *chosen, const struct db_object *object,
                                 const struct object_path *path, struct err *err)
{
    char name[OBJECT_PATH_MAX];

    if (!selection_has(chosen->selection, object))
        return ERR_OK;
    object_path_text(path, name);
    chosen->count++;
    return chosen->selection->sort != SELECTION_BY_OFFSET
               ? order_add(&chosen->order, object, name, err)
               : chosen->each(chosen->arg, object, name, err);
}

/* All objects in the order of the case: what is the name of one depends on those before it. */
static enum err_code chosen_all(struct chosen *chosen, struct err *err)
{
    const struct selection *selection = chosen->selection;
    const uint64_t enough = selection->sort == SELECTION_BY_OFFSET ? selection->limit : UINT64_MAX;
    struct db_object_cursor *cursor = NULL;
    struct object_names *names = NULL;
    struct object_path path;
    struct db_object object;
    bool found = false;
    enum err_code rc = db_objects_open(chosen->db, 0, &cursor, err);

    if (rc == ERR_OK)
        rc = object_names_open(chosen->db, &names, err);
    while (rc == ERR_OK && chosen->count < enough && !chosen_failed(chosen) &&
           (rc = db_objects_next(cursor, &found, &object, err)) == ERR_OK && found) {
        if (interrupt_requested())
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
        else
            rc = object_names_next(names, &object, &path, err);
        if (rc == ERR_OK)
            rc = chosen_take(chosen, &object, &path, err);
    }
    object_names_close(names);
    db_objects_close(cursor);
    return rc;
}

/* Those that were kept, in their order. */
static enum err_code chosen_ordered(struct chosen *chosen, struct err *err)
{
    struct db_object_cursor *cursor = NULL;
    enum err_code rc = db_objects_open_any(chosen->db, &cursor, err);

    order_settle(&chosen->order, chosen->selection);
    for (size_t i = 0; rc == ERR_OK && i < chosen->order.count && !chosen_failed(chosen); i++) {
        const struct order_item *item = &chosen->order.items[i];
        struct db_object object;
        bool found = false;

        if (interrupt_requested())
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
        else
            rc = db_objects_find(cursor, item->id, &found, &object, err);
        if (rc == ERR_OK && found)
            rc = chosen->each(chosen->arg, &object, item->name, err);
    }
    db_objects_close(cursor);
    return rc;
}

enum err_code chosen_walk(struct db_case *db, struct selection *selection, FILE *out,
                          chosen_fn each, void *arg, uint64_t *count, struct err *err)
{
    struct chosen chosen = { db, selection, out, each, arg, { 0 }, 0 };

    order_init(&chosen.order);
    selection_restart(selection);
    enum err_code rc = chosen_all(&chosen, err);
    if (rc == ERR_OK && selection->sort != SELECTION_BY_OFFSET)
        rc = chosen_ordered(&chosen, err);
    order_close(&chosen.order);
    *count = chosen.count;
    return rc;
}
