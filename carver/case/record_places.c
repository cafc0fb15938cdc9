/* SPDX-License-Identifier: Apache-2.0
 * carver/case/record_places.c - see record_places.h. */
#include <stdlib.h>
#include <string.h>

#include "carver/case/record_places.h"

enum { PLACES_FIRST = 4096 };

static int places_compare(const void *a, const void *b)
{
    const struct db_place *x = a, *y = b;

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

enum err_code record_places_open(struct db_case *db, int64_t image_id, struct record_places *out,
                                 struct err *err)
{
    *out = (struct record_places){ .sorted = true };
    return db_places_any(db, image_id, &out->lost, err);
}

void record_places_release(struct record_places *places)
{
    free(places->items);
    *places = (struct record_places){ .lost = true };
}

/* Makes room for one more, as far as there may be; else they are lost. */
static bool places_room(struct record_places *places)
{
    const uint32_t room = places->room == 0 ? PLACES_FIRST : 2 * places->room;

    if (places->count < places->room)
        return true;
    struct db_place *grown =
        room <= RECORD_PLACES_MAX ? realloc(places->items, room * sizeof *grown) : NULL;
    if (grown == NULL) {
        record_places_release(places);
        return false;
    }
    places->items = grown;
    places->room = room;
    return true;
}

void record_places_add(struct record_places *places, const struct record_object *object,
                       int64_t signature_id)
{
    const struct db_place place = { .id = object->hit_id,
                                    .signature_id = signature_id,
                                    .offset = object->offset,
                                    .len = object->len,
                                    .validated = object->validated,
                                    .proven = object->proven,
                                    .container = object->container,
                                    .complete = strcmp(object->state, "complete") == 0,
                                    .slack = object->slack };

    if (places->lost || !places_room(places))
        return;
    if (places->count > 0 && places_compare(&places->items[places->count - 1], &place) > 0)
        places->sorted = false;
    places->items[places->count++] = place;
}

const struct db_place *record_places_sorted(struct record_places *places, uint32_t *count)
{
    if (!places->sorted && !places->lost)
        qsort(places->items, places->count, sizeof *places->items, places_compare);
    places->sorted = true;
    *count = places->count;
    return places->lost ? NULL : places->items;
}
