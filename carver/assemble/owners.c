/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/owners.c - see owners.h. */
#include <stdlib.h>

#include "base/bisect.h"
#include "base/limits.h"
#include "carver/assemble/owners.h"

static enum err_code owners_add(void *arg, const struct db_owner *row, struct err *err)
{
    struct owners *owners = arg;

    if (owners->count == owners->room) {
        const size_t room = owners->room == 0 ? 1024 : 2 * owners->room;
        struct owner *items = realloc(owners->items, room * sizeof *items);

        if (items == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *items);
        owners->items = items;
        owners->room = room;
    }
    owners->items[owners->count++] = (struct owner){ .id = row->id,
                                                     .parent_id = row->parent_id,
                                                     .offset = row->offset,
                                                     .len = row->len,
                                                     .complete = row->complete || row->in_pieces,
                                                     .proven = row->proven,
                                                     .in_pieces = row->in_pieces,
                                                     .ends_in_zeros = row->ends_in_zeros };
    return ERR_OK;
}

/* Whether what it lies on is its own: whole files that lie in no other one. */
static bool owners_owns(const struct owner *owner)
{
    /* where no file begins, it lies in one, if nobody has seen in which */
    return owner->parent_id == 0 && owner->complete && owner->offset % LIMIT_SECTOR == 0;
}

/* The pieces of an object in several: its first one is what the owner is, from now on. */
static enum err_code owners_pieces(struct db_object_cursor *cursor, struct owner *owner,
                                   struct ground *ground, struct seams *seams, struct err *err)
{
    struct db_object object;
    bool found = false;
    enum err_code rc = db_objects_find(cursor, owner->id, &found, &object, err);

    if (rc != ERR_OK || !found)
        return rc;
    owner->offset = object.extents[0].offset;
    owner->len = object.extents[0].len;
    for (uint32_t i = 0; rc == ERR_OK && i < object.extent_count && owners_owns(owner); i++)
        if (object.extents[i].len > 0)
            rc = ground_add_piece(ground, object.extents[i].offset,
                                  object.extents[i].offset + object.extents[i].len, owner->offset,
                                  owner->id, err);
    for (uint32_t i = 1; rc == ERR_OK && seams != NULL && i < object.extent_count; i++) {
        const struct db_extent *before = &object.extents[i - 1];
        const struct seam seam = { object.extents[0].offset, before->offset + before->len,
                                   object.extents[i].offset };

        rc = seams_add(seams, &seam, err);
    }
    return rc;
}

enum err_code owners_load(struct db_case *db, int64_t image_id, struct owners *out,
                          struct ground *ground, struct seams *seams, struct err *err)
{
    struct db_object_cursor *cursor = NULL;

    *out = (struct owners){ 0 };
    enum err_code rc = db_owners_walk(db, image_id, owners_add, out, err);
    if (rc == ERR_OK)
        rc = db_objects_open_any(db, &cursor, err);
    for (size_t i = 0; rc == ERR_OK && i < out->count; i++) {
        struct owner *owner = &out->items[i];

        if (owner->in_pieces)
            rc = owners_pieces(cursor, owner, ground, seams, err);
        else if (owner->len > 0 && owners_owns(owner))
            rc = ground_add(ground, owner->offset, owner->offset + owner->len, owner->id, err);
    }
    db_objects_close(cursor);
    if (rc != ERR_OK)
        owners_release(out);
    return rc;
}

/* As db_owners_walk tells of the object. */
static struct owner owners_one(const struct db_place *place, const struct db_nested *nested)
{
    struct owner owner = { .id = place->id,
                           .offset = place->offset,
                           .len = place->len,
                           .complete = place->complete,
                           .proven = place->proven,
                           .ends_in_zeros = place->slack == DB_SLACK_ZEROS };

    if (nested == NULL)
        return owner;
    owner.parent_id = nested->parent_id;
    owner.complete = place->complete && nested->state == NULL;
    owner.proven = place->proven && nested->reason == NULL && !nested->cut;
    if (nested->cut)
        owner.len = nested->len;
    return owner;
}

enum err_code owners_take(const struct owners_seen *seen, struct owners *out, struct ground *ground,
                          struct err *err)
{
    const size_t room = seen->place_count > 0 ? seen->place_count : 1;
    enum err_code rc = ERR_OK;

    *out = (struct owners){ .items = malloc(room * sizeof *out->items), .room = room };
    if (out->items == NULL)
        return ERR_NO_MEMORY(err, room * sizeof *out->items);
    for (uint32_t i = 0; rc == ERR_OK && i < seen->place_count; i++) {
        const struct db_place *place = &seen->places[i];
        const struct owner owner =
            owners_one(place, containment_rows_find(seen->nested, place->id));

        out->items[out->count++] = owner;
        if (owner.len > 0 && owners_owns(&owner))
            rc = ground_add(ground, owner.offset, owner.offset + owner.len, owner.id, err);
    }
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

const struct owner *owners_find_from(const struct owners *owners, size_t from, uint64_t offset,
                                     int64_t id)
{
    for (size_t i = from; i < owners->count && owners->items[i].offset == offset; i++)
        if (owners->items[i].id == id)
            return &owners->items[i];
    return NULL;
}

const struct owner *owners_find(const struct owners *owners, uint64_t offset, int64_t id)
{
    return owners_find_from(owners, owners_from(owners, offset), offset, id);
}
