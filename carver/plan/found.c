/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/found.c - see found.h. */
#include <stdlib.h>
#include <string.h>

#include "carver/plan/found.h"

enum { FOUND_ROOM = 256 /* rows for a beginning */ };

enum err_code found_open(uint32_t sig_count, struct found *out, struct err *err)
{
    *out = (struct found){ .sig_count = sig_count };
    out->sigs = calloc(sig_count + 1u, sizeof *out->sigs);
    const bool room = sig_set_open(&out->some, sig_count) && out->sigs != NULL;
    return room ? ERR_OK : ERR_NO_MEMORY(err, sig_count * sizeof *out->sigs);
}

void found_release(struct found *found)
{
    free(found->hits);
    free(found->objects);
    free(found->unpacks);
    free(found->begins);
    free(found->steps);
    free(found->sums);
    free(found->sigs);
    sig_set_close(&found->some);
    pack_release(&found->facts);
    *found = (struct found){ 0 };
}

void found_clear(struct found *found)
{
    found->hit_count = found->object_count = found->unpack_count = found->begin_count =
        found->step_count = found->sum_count = 0;
    pack_clear(&found->facts);
    for (uint32_t i = 0; (i = sig_set_next(&found->some, i)) < found->sig_count; i++)
        found->sigs[i] = (struct found_sig){ 0 };
    sig_set_clear(&found->some);
}

uint64_t found_bytes(const struct found *found)
{
    return (uint64_t)found->hit_count * sizeof *found->hits +
           (uint64_t)found->object_count * sizeof *found->objects +
           (uint64_t)found->unpack_count * sizeof *found->unpacks +
           (uint64_t)found->begin_count * sizeof *found->begins +
           (uint64_t)found->step_count * sizeof *found->steps +
           (uint64_t)found->sum_count * sizeof *found->sums + found->facts.len;
}

/* Room for one more row of `size` bytes: the array, grown where it is full; NULL: no memory. */
static void *found_grow(void *rows, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return rows;
    const uint32_t more = *room == 0 ? FOUND_ROOM : 2 * *room;
    void *grown = realloc(rows, more * size);

    if (grown != NULL)
        *room = more;
    return grown;
}

/* Appends *row to the array of that name. */
#define FOUND_ADD(found, rows, count, room, row, err)                                              \
    do {                                                                                           \
        void *grown =                                                                              \
            found_grow((found)->rows, (found)->count, &(found)->room, sizeof *(found)->rows);      \
                                                                                                   \
        if (grown == NULL)                                                                         \
            return ERR_NO_MEMORY(err, 2 * (found)->room * sizeof *(found)->rows);                  \
        (found)->rows = grown;                                                                     \
        (found)->rows[(found)->count++] = *(row);                                                  \
        return ERR_OK;                                                                             \
    } while (0)

enum err_code found_add_hit(struct found *found, const struct hit *hit, struct err *err)
{
    FOUND_ADD(found, hits, hit_count, hit_room, hit, err);
}

enum err_code found_room_hits(struct found *found, uint32_t count, struct err *err)
{
    const uint32_t all = found->hit_count + count;

    if (all <= found->hit_room)
        return ERR_OK;
    struct hit *grown = realloc(found->hits, all * sizeof *grown);
    if (grown == NULL)
        return ERR_NO_MEMORY(err, all * sizeof *grown);
    found->hits = grown;
    found->hit_room = all;
    return ERR_OK;
}

enum err_code found_add_object(struct found *found, const struct found_object *object,
                               struct err *err)
{
    FOUND_ADD(found, objects, object_count, object_room, object, err);
}

enum err_code found_add_unpack(struct found *found, const struct found_unpack *unpack,
                               struct err *err)
{
    FOUND_ADD(found, unpacks, unpack_count, unpack_room, unpack, err);
}

enum err_code found_add_begin(struct found *found, const struct found_begin *begin, struct err *err)
{
    FOUND_ADD(found, begins, begin_count, begin_room, begin, err);
}

enum err_code found_add_step(struct found *found, const struct found_step *step, struct err *err)
{
    FOUND_ADD(found, steps, step_count, step_room, step, err);
}

enum err_code found_add_sum(struct found *found, const struct found_sum *sum, struct err *err)
{
    FOUND_ADD(found, sums, sum_count, sum_room, sum, err);
}

enum err_code found_take_object(struct found *found, const struct found_object *object,
                                const struct found *from, struct err *err)
{
    struct found_object taken = *object;

    taken.facts = fact_pack_copy(&found->facts, &from->facts, object->facts);
    return found->facts.failed ? ERR_NO_MEMORY(err, object->facts.len)
                               : found_add_object(found, &taken, err);
}

void found_settle(struct found *found)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < found->object_count; i++) {
        struct fact_place *place = &found->objects[i].facts;

        if (place->len > 0 && place->at != at)
            memmove(found->facts.bytes + at, found->facts.bytes + place->at, place->len);
        place->at = at;
        at += place->len;
    }
    found->facts.len = at;
}

static int found_by_place(const void *a, const void *b)
{
    const struct found_sum *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

void found_sort_sums(struct found *found)
{
    if (found->sum_count > 1)
        qsort(found->sums, found->sum_count, sizeof *found->sums, found_by_place);
}

const struct found_sum *found_sum_at(const struct found_sum *sums, uint32_t count, uint64_t at)
{
    const struct found_sum place = { .at = at };

    return count == 0 ? NULL : bsearch(&place, sums, count, sizeof *sums, found_by_place);
}
