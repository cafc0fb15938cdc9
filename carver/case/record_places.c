/* SPDX-License-Identifier: Apache-2.0
 * carver/case/record_places.c - see record_places.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/late.h"
#include "carver/case/record_places.h"

enum {
    PLACES_FIRST = 4096,
    PLACES_LATE = 1 << 16, /* most of them that are put in order apart */
    PLACES_PAGE = 2 << 20, /* bytes of a huge page */
};

static int places_compare(const void *a, const void *b)
{
    const struct db_place *x = a, *y = b;

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Has the kernel clear the memory: that takes longer than to fill it. By pages, for as long as it
 * does so no other thread gets memory of the kernel, and a new thread wants some. */
static void places_touch(void *arg)
{
    const struct record_touch *touch = arg;

    for (size_t at = 0; at < touch->len; at += PLACES_PAGE)
        (void)madvise((uint8_t *)touch->memory + at, PLACES_PAGE, MADV_POPULATE_WRITE);
}

/* Room for so many at once, in huge pages, which a thread gets ahead. Where there is none it
 * grows. */
static void places_expect(struct record_places *places, uint64_t count)
{
    const uint32_t room = count < places->most ? (uint32_t)count : places->most;
    const size_t size = room * sizeof *places->items, pages = size / PLACES_PAGE + 1;

    if (size < PLACES_PAGE)
        return;
    places->items = aligned_alloc(PLACES_PAGE, pages * PLACES_PAGE);
    if (places->items == NULL)
        return;
    (void)madvise(places->items, pages * PLACES_PAGE, MADV_HUGEPAGE);
    places->room = room;
    places->touch.memory = places->items;
    places->touch.len = size;
    const enum err_code rc =
        thread_start(&places->touch.thread, "places", places_touch, &places->touch, NULL);
    (void)rc; /* without a thread they come one by one */
}

enum err_code record_places_open(struct db_case *db, const struct record_rows *rows,
                                 struct record_places *out, struct err *err)
{
    *out = (struct record_places){ .most = rows->merges ? RECORD_MERGED_MAX : RECORD_PLACES_MAX,
                                   .sorted = true };
    const enum err_code rc = db_places_any(db, rows->image_id, &out->lost, err);
    if (rc == ERR_OK && !out->lost)
        places_expect(out, rows->objects);
    return rc;
}

void record_places_release(struct record_places *places)
{
    thread_join(&places->touch.thread);
    free(places->items);
    free(places->late);
    *places = (struct record_places){ .lost = true };
}

/* Makes room for one more of `size` bytes, as far as there may be: `most` of them, a power of two.
 */
static bool places_room(void **items, uint32_t count, uint32_t *room, uint32_t most, size_t size)
{
    const uint32_t twice = *room == 0 ? PLACES_FIRST : 2 * *room;
    const uint32_t more = twice < most ? twice : most;

    if (count < *room)
        return true;
    void *grown = more > *room ? realloc(*items, more * size) : NULL;
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

/* Nearly all come in their order. False: it is none of the others, or there are too many of these.
 */
static bool places_add_late(struct record_places *places, const struct db_place *place)
{
    void *late = places->late;

    if (places->count == 0 || places_compare(&places->items[places->count - 1], place) <= 0)
        return false;
    if (!places_room(&late, places->late_count, &places->late_room, PLACES_LATE, sizeof *place))
        return false;
    places->late = late;
    places->late[places->late_count++] = *place;
    return true;
}

void record_places_add(struct record_places *places, const struct db_place *place)
{
    void *items = places->items;

    if (places->lost)
        return;
    if (places->count + places->late_count >= places->most) {
        record_places_release(places);
        return;
    }
    if (places_add_late(places, place))
        return;
    if (places->count == places->room)
        thread_join(&places->touch.thread);
    if (!places_room(&items, places->count, &places->room, places->most, sizeof *place)) {
        record_places_release(places);
        return;
    }
    places->items = items;
    if (places->count > 0 && places_compare(&places->items[places->count - 1], place) > 0)
        places->sorted = false;
    places->items[places->count++] = *place;
}

static void places_sort(struct record_places *places)
{
    const uint32_t all = places->count + places->late_count;

    if (all > places->room) {
        thread_join(&places->touch.thread);
        struct db_place *items = realloc(places->items, all * sizeof *items);

        if (items == NULL) {
            record_places_release(places);
            return;
        }
        places->items = items;
        places->room = all;
    }
    if (places->late_count > 0 && places->sorted)
        late_put_back(places->items, places->count, places->late, places->late_count,
                      sizeof *places->items, places_compare);
    else if (places->late_count > 0)
        memcpy(places->items + places->count, places->late,
               places->late_count * sizeof *places->late);
    if (!places->sorted)
        qsort(places->items, all, sizeof *places->items, places_compare);
    places->count = all;
    places->late_count = 0;
    places->sorted = true;
}

const struct db_place *record_places_sorted(struct record_places *places, uint32_t *count)
{
    if (!places->lost)
        places_sort(places);
    *count = places->count;
    return places->lost ? NULL : places->items;
}
