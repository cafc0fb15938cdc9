/* SPDX-License-Identifier: Apache-2.0
 * carver/case/object_places.c - see object_places.h.
 *
 * A sweep: pieces by their offsets come in as the asked offset passes their first byte and go out
 * when it has passed their last one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "carver/case/object_places.h"

enum { PLACES_ARENA = 1 << 30, PLACES_ROOM = 256 };

struct places_piece {
    uint64_t offset, end, object_len;
    struct object_place object;
};

struct object_places {
    struct arena names;
    struct places_piece *pieces; /* by offset */
    uint32_t *open;              /* indices of pieces that the sweep is in */
    uint32_t count, room, next, open_count;
};

static enum err_code places_add(void *arg, const struct db_piece *piece, struct err *err)
{
    struct object_places *p = arg;

    if (p->count == p->room) {
        const uint32_t room = p->room == 0 ? PLACES_ROOM : p->room * 2;
        struct places_piece *pieces = realloc(p->pieces, room * sizeof *pieces);

        if (pieces == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *pieces);
        p->pieces = pieces;
        p->room = room;
    }
    const char *name = arena_copy(&p->names, piece->name, strlen(piece->name));
    if (name == NULL)
        return ERR_NO_MEMORY(err, strlen(piece->name));
    p->pieces[p->count++] =
        (struct places_piece){ .offset = piece->offset,
                               .end = piece->offset + piece->len,
                               .object_len = piece->object_len,
                               .object = { .id = piece->object_id, .name = name } };
    return ERR_OK;
}

enum err_code object_places_open(struct db_case *db, int64_t image_id, struct object_places **out,
                                 struct err *err)
{
    struct object_places *p = calloc(1, sizeof *p);

    *out = NULL;
    if (p == NULL)
        return ERR_NO_MEMORY(err, sizeof *p);
    arena_init(&p->names, PLACES_ARENA);
    enum err_code rc = db_pieces_walk(db, image_id, places_add, p, err);
    if (rc == ERR_OK) {
        p->open = calloc(p->count + 1u, sizeof *p->open);
        if (p->open == NULL)
            rc = ERR_NO_MEMORY(err, p->count * sizeof *p->open);
    }
    if (rc == ERR_OK)
        *out = p;
    else
        object_places_close(p);
    return rc;
}

void object_places_close(struct object_places *places)
{
    if (places == NULL)
        return;
    arena_release(&places->names);
    free(places->pieces);
    free(places->open);
    free(places);
}

const struct object_place *object_places_at(struct object_places *places, uint64_t offset)
{
    const struct places_piece *best = NULL;
    uint32_t kept = 0;

    for (; places->next < places->count && places->pieces[places->next].offset <= offset;
         places->next++)
        places->open[places->open_count++] = places->next;
    for (uint32_t i = 0; i < places->open_count; i++) {
        const struct places_piece *piece = &places->pieces[places->open[i]];

        if (piece->end <= offset)
            continue;
        places->open[kept++] = places->open[i];
        if (best == NULL || piece->object_len < best->object_len)
            best = piece;
    }
    places->open_count = kept;
    return best != NULL ? &best->object : NULL;
}

void object_place_json(const struct object_place *object, struct json *json)
{
    if (object == NULL) {
        json_null(json, "object");
        return;
    }
    json_open_object(json, "object");
    json_int(json, "id", object->id);
    json_string(json, "name", object->name);
    json_close_object(json);
}
