/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/owners.c - see owners.h. */
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/limits.h"
#include "carver/assemble/owners.h"

static enum err_code owners_add(struct owners *owners, const struct db_object *object,
                                struct err *err)
{
    if (owners->count == owners->room) {
        const size_t room = owners->room == 0 ? 1024 : 2 * owners->room;
        struct owner *items = realloc(owners->items, room * sizeof *items);

        if (items == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *items);
        owners->items = items;
        owners->room = room;
    }
    owners->items[owners->count++] = (struct owner){
        .id = object->id,
        .parent_id = object->parent_id,
        .offset = object->extents[0].offset,
        .len = object->extents[0].len,
        .complete = strcmp(object->state, "complete") == 0 || object->extent_count > 1,
        .proven = object->proven,
        .in_pieces = object->extent_count > 1,
    };
    return ERR_OK;
}

enum err_code owners_load(struct db_case *db, int64_t image_id, struct owners *out,
                          struct ground *ground, struct err *err)
{
    struct db_object_cursor *cursor = NULL;
    struct db_object object;
    bool found = false;

    *out = (struct owners){ 0 };
    enum err_code rc = db_objects_open(db, image_id, &cursor, err);
    while (rc == ERR_OK && (rc = db_objects_next(cursor, &found, &object, err)) == ERR_OK &&
           found) {
        rc = owners_add(out, &object, err);
        if (rc != ERR_OK || object.parent_id != 0 || !out->items[out->count - 1].complete ||
            object.offset % LIMIT_SECTOR != 0)
            continue; /* where no file begins, it lies in one, if nobody has seen in which */
        for (uint32_t i = 0; rc == ERR_OK && i < object.extent_count; i++)
            if (object.extents[i].len > 0)
                rc = ground_add(ground, object.extents[i].offset,
                                object.extents[i].offset + object.extents[i].len, object.id, err);
    }
    db_objects_close(cursor);
    if (rc != ERR_OK)
        owners_release(out);
    return rc;
}

void owners_release(struct owners *owners)
{
    free(owners->items);
    *owners = (struct owners){ 0 };
}

static bool owners_before(const void *owner, uint64_t at)
{
    return ((const struct owner *)owner)->offset < at;
}

size_t owners_from(const struct owners *owners, uint64_t offset)
{
    return bisect(owners->items, owners->count, sizeof *owners->items, owners_before, offset);
}

uint64_t owners_proven_to(const struct owners *owners, uint64_t offset, size_t *next, uint64_t to)
{
    for (; *next < owners->count && owners->items[*next].offset < offset; ++*next) {
        const struct owner *owner = &owners->items[*next];

        if (owner->complete && owner->proven && owner->offset + owner->len > to)
            to = owner->offset + owner->len;
    }
    return to;
}

const struct owner *owners_find(const struct owners *owners, uint64_t offset, int64_t id)
{
    for (size_t i = owners_from(owners, offset);
         i < owners->count && owners->items[i].offset == offset; i++)
        if (owners->items[i].id == id)
            return &owners->items[i];
    return NULL;
}
