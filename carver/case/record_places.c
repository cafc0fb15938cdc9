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

enum err_code record_places_open(struct db_case *db, int64_t image_id, bool merges,
                                 struct record_places *out, struct err *err)
{
    *out = (struct record_places){ .most = merges ? RECORD_MERGED_MAX : RECORD_PLACES_MAX,
                                   .sorted = true };
    return db_places_any(db, image_id, &out->lost, err);
}

void record_places_release(struct record_places *places)
{
    free(places->items);
    *places = (struct record_places){ .lost = true };
}

/* Makes room for one more of `size` bytes, as far as there may be: `most` of them, a power of two.
 */
static bool places_room(void **items, uint32_t count, uint32_t *room, uint32_t most, size_t size)
{
    const uint32_t more = *room == 0 ? PLACES_FIRST : 2 * *room;

    if (count < *room)
        return true;
    void *grown = more <= most ? realloc(*items, more * size) : NULL;
    if (grown == NULL)
        return false;
    *items = grown;
    *room = more;
    return true;
}

void record_heads_add(struct record_heads *heads, const struct record_header *header)
{
    void *items = heads->items;

    if (heads->lost)
        return;
    if (!places_room(&items, heads->count, &heads->room, RECORD_PLACES_MAX, sizeof *header)) {
        record_heads_release(heads);
        return;
    }
    heads->items = items;
    heads->items[heads->count++] = *header;
}

void record_heads_release(struct record_heads *heads)
{
    free(heads->items);
    *heads = (struct record_heads){ .lost = true };
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

    void *items = places->items;

    if (places->lost)
        return;
    if (!places_room(&items, places->count, &places->room, places->most, sizeof place)) {
        record_places_release(places);
        return;
    }
    places->items = items;
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
