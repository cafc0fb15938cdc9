/* carver/carve/carve_choice.c - see carve_choice.h. */
#include <string.h>

#include "carver/carve/carve_choice.h"

void carve_choice_restart(struct carve_choice *choice)
{
    choice->open_count = 0;
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

enum carve_answer carve_choice_ask(struct carve_choice *choice, const struct db_object *object)
{
    const bool top = carve_choice_orphan(choice, object) || object->parent_id == 0;
    const bool chosen = selection_has(&choice->selection, object);

    if (!top && !choice->embedded)
        return CARVE_EMBEDDED;
    if (!choice->truncated && object->validated && strcmp(object->state, "truncated") == 0) {
        if (top && choice->open_count < CARVE_CHOICE_DEPTH) {
            choice->open[choice->open_count].id = object->id;
            choice->open[choice->open_count].image_id = object->image_id;
            choice->open[choice->open_count++].end = object->offset + object->len;
        }
        return CARVE_TRUNCATED;
    }
    return chosen ? CARVE_WRITE : CARVE_OTHER;
}
