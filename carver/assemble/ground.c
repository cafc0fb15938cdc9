/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/ground.c - see ground.h. */
#include <stdlib.h>

#include "base/bisect.h"
#include "carver/assemble/ground.h"

enum err_code ground_add(struct ground *ground, uint64_t begin, uint64_t end, int64_t owner,
                         struct err *err)
{
    return ground_add_piece(ground, begin, end, begin, owner, err);
}

enum err_code ground_add_piece(struct ground *ground, uint64_t begin, uint64_t end, uint64_t first,
                               int64_t owner, struct err *err)
{
    if (ground->count == ground->room) {
        const size_t room = ground->room == 0 ? 1024 : 2 * ground->room;
        struct ground_owned *items = realloc(ground->items, room * sizeof *items);

        if (items == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *items);
        ground->items = items;
        ground->room = room;
    }
    ground->items[ground->count++] = (struct ground_owned){
        .begin = begin, .end = end, .first = first, .owner = owner, .behind = end
    };
    return ERR_OK;
}

static int ground_compare(const void *a, const void *b)
{
    const struct ground_owned *x = a, *y = b;

    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return x->owner < y->owner ? -1 : x->owner > y->owner;
}

void ground_settle(struct ground *ground)
{
    uint64_t behind = 0, firm = 0;

    if (ground->count > 0)
        qsort(ground->items, ground->count, sizeof *ground->items, ground_compare);
    for (size_t i = 0; i < ground->count; i++) {
        struct ground_owned *item = &ground->items[i];

        behind = item->end > behind ? item->end : behind;
        firm = item->owner <= GROUND_FILE_SYSTEM && item->end > firm ? item->end : firm;
        item->behind = behind;
        item->firm = firm;
    }
}

void ground_release(struct ground *ground)
{
    free(ground->items);
    *ground = (struct ground){ 0 };
}

static bool ground_ends_before(const void *item, uint64_t at)
{
    return ((const struct ground_owned *)item)->behind <= at;
}

static bool ground_is(int64_t owner, const int64_t *list, uint32_t count)
{
    bool is = false;

    for (uint32_t i = 0; i < count; i++)
        is = is || list[i] == owner;
    return is;
}

size_t ground_from(const struct ground *ground, uint64_t offset)
{
    return bisect(ground->items, ground->count, sizeof *ground->items, ground_ends_before, offset);
}

const struct ground_owned *ground_owner(const struct ground *ground, uint64_t begin, uint64_t end,
                                        const int64_t *except, uint32_t except_count)
{
    for (size_t i = ground_from(ground, begin); i < ground->count && ground->items[i].begin < end;
         i++)
        if (ground->items[i].end > begin &&
            !ground_is(ground->items[i].owner, except, except_count))
            return &ground->items[i];
    return NULL;
}

static bool ground_firm_before(const void *item, uint64_t at)
{
    return ((const struct ground_owned *)item)->firm <= at;
}

const struct ground_owned *ground_firm(const struct ground *ground, uint64_t offset)
{
    const size_t i =
        bisect(ground->items, ground->count, sizeof *ground->items, ground_firm_before, offset);

    return i < ground->count ? &ground->items[i] : NULL;
}

bool ground_is_told(const struct ground *ground, uint64_t offset)
{
    bool told = false;

    for (size_t i = ground_from(ground, offset);
         !told && i < ground->count && ground->items[i].begin <= offset; i++)
        told = ground->items[i].owner < 0 && ground->items[i].end > offset;
    return told;
}

enum err_code ground_take(struct ground *ground, struct ground *other, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < other->count; i++)
        rc = ground_add_piece(ground, other->items[i].begin, other->items[i].end,
                              other->items[i].first, other->items[i].owner, err);
    other->count = 0;
    ground_settle(ground);
    return rc;
}
