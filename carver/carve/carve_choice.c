/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/carve_choice.c - see carve_choice.h. */
#include <string.h>

#include "carver/carve/carve_choice.h"
#include "carver/case/cut_short.h"
#include "carver/cli/interrupt.h"
#include "carver/select/names.h"
#include "carver/select/order.h"

void carve_choice_restart(struct carve_choice *choice)
{
    choice->open_count = 0;
    choice->chosen = 0;
    selection_restart(&choice->selection);
}

/* Whether the object's parent was left out as broken and stands in nothing written. */
static bool carve_choice_orphan(struct carve_choice *choice, const struct db_object *object)
{
    while (choice->open_count > 0 &&
           (choice->open[choice->open_count - 1].image_id != object->image_id ||
            choice->open[choice->open_count - 1].end <= object->offset))
        choice->open_count--;
    for (uint32_t i = 0; i < choice->open_count; i++)
        if (choice->open[i].id == object->parent_id)
            return true;
    return false;
}

/* Whether an object that is wanted is among those that --limit leaves. */
static bool carve_choice_within(struct carve_choice *choice, const struct db_object *object)
{
    const bool within = choice->sorted ? ids_has(&choice->first, object->id)
                                       : choice->chosen < choice->selection.limit;

    choice->chosen += within;
    return within;
}

/* Runs of numbers go to the parts in turns: each has as much of every place of the image. */
static bool carve_choice_part(const struct carve_choice *choice, const struct db_object *object)
{
    return choice->part_count == 0 ||
           (uint64_t)object->id / CARVE_CHOICE_RUN % choice->part_count == choice->part_number;
}

enum carve_answer carve_choice_ask(struct carve_choice *choice, const struct db_object *object)
{
    const bool top = carve_choice_orphan(choice, object) || object->parent_id == 0;
    const bool chosen = selection_has(&choice->selection, object);

    if (!top && !choice->embedded)
        return CARVE_EMBEDDED;
    if (!choice->truncated && cut_short_is(object)) {
        if (top && choice->open_count < CARVE_CHOICE_DEPTH) {
            choice->open[choice->open_count].id = object->id;
            choice->open[choice->open_count].image_id = object->image_id;
            choice->open[choice->open_count++].end = object->offset + object->len;
        }
        return CARVE_TRUNCATED;
    }
    return chosen && carve_choice_within(choice, object) && carve_choice_part(choice, object)
               ? CARVE_WRITE
               : CARVE_OTHER;
}

enum err_code carve_choice_check(const struct carve_choice *choice, struct err *err)
{
    const struct selection *selection = &choice->selection;

    if (selection->sort_word != NULL && selection->limit == UINT64_MAX)
        return ERR_RAISE(err, ERR_ARG,
                         "--sort %s: files are written in the order of the image; say with --limit "
                         "how many of the first ones are wanted",
                         selection->sort_word);
    if (!choice->truncated && selection->states != NULL &&
        names_equal(selection->states, strlen(selection->states), "truncated"))
        return ERR_RAISE(err, ERR_ARG,
                         "--state truncated: broken objects are not written without --truncated");
    return selection_check(selection, err);
}

/* Walks over all objects for those that would be written, and keeps the first ones of the order. */
static enum err_code carve_choice_sort(struct carve_choice *choice, struct db_case *db,
                                       struct err *err)
{
    const uint64_t limit = choice->selection.limit;
    const uint32_t part_count = choice->part_count;
    struct db_object_cursor *cursor = NULL;
    struct db_object object;
    struct order order;
    bool found = false;
    enum err_code rc = db_objects_open(db, 0, &cursor, err);

    order_init(&order);
    carve_choice_restart(choice);
    choice->selection.limit = UINT64_MAX;
    choice->part_count = 0; /* the first ones of all */
    while (rc == ERR_OK && (rc = db_objects_next(cursor, &found, &object, err)) == ERR_OK &&
           found) {
        if (interrupt_requested())
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted; nothing was written");
        else if (carve_choice_ask(choice, &object) == CARVE_WRITE)
            rc = order_add(&order, &object, NULL, err);
    }
    choice->selection.limit = limit;
    choice->part_count = part_count;
    order_settle(&order, &choice->selection);
    for (size_t i = 0; rc == ERR_OK && i < order.count; i++)
        rc = ids_add(&choice->first, order.items[i].id, err);
    ids_settle(&choice->first);
    choice->sorted = true;
    order_close(&order);
    db_objects_close(cursor);
    return rc;
}

enum err_code carve_choice_open(struct carve_choice *choice, struct db_case *db, struct err *err)
{
    const enum err_code rc = selection_open(&choice->selection, db, err);

    return rc == ERR_OK && choice->selection.sort != SELECTION_BY_OFFSET
               ? carve_choice_sort(choice, db, err)
               : rc;
}

void carve_choice_close(struct carve_choice *choice)
{
    selection_close(&choice->selection);
    ids_close(&choice->first);
}
