/* SPDX-License-Identifier: Apache-2.0
 * db/linked_walk.c - see linked_walk.h. */
#include "db/linked_walk.h"

#include <stdlib.h>

#include "base/grow.h"
#include "db/bind.h"

static const struct {
    const char *by_id, *in_places;
} walk_statements[LINKED_ROWS] = {
#define WALK_OBJECTS                                                                               \
    "SELECT id, image_id, signature_id, type, extension, state, reason, validated, proven, "       \
    "container, offset, len, name, slack, crc64 FROM main.objects "
    [LINKED_OBJECTS] = { WALK_OBJECTS "WHERE id BETWEEN ? AND ? ORDER BY id",
                         WALK_OBJECTS DB_BY_PLACE "ORDER BY image_id, offset, id" },
    [LINKED_EXTENTS] = { "SELECT object_id, number, offset, len FROM main.extents "
                         "WHERE object_id BETWEEN ? AND ? ORDER BY object_id, number",
                         NULL },
    [LINKED_FACTS] = { "SELECT object_id, key, value, number, reach FROM main.facts "
                       "WHERE object_id BETWEEN ? AND ? ORDER BY object_id, key",
                       NULL },
};

/* ---- the file's own rows ---- */

static enum err_code walk_step(struct linked_walk *walk, struct err *err)
{
    bool found = false;
    const enum err_code rc = db_step(walk->linked->db, walk->own, &found, "reading objects", err);

    if (rc != ERR_OK || !found) {
        sqlite3_reset(walk->own);
        walk->own = NULL;
    }
    return rc;
}

static enum err_code walk_begin_own(struct linked_walk *walk, struct err *err)
{
    struct db_case *db = walk->linked->db;
    sqlite3_stmt **stmt = walk->by_place ? &walk->in_places : &walk->by_id;
    const char *sql =
        walk->by_place ? walk_statements[walk->rows].in_places : walk_statements[walk->rows].by_id;
    const uint64_t ticks = db->ticks;
    enum err_code rc = ERR_OK;

    if (*stmt == NULL)
        rc = db_prepare_once(db, sql, stmt, err);
    db->ticks = ticks; /* of the statement that asks */
    if (rc != ERR_OK)
        return rc;
    sqlite3_reset(*stmt);
    walk->own = *stmt;
    if (!walk->by_place) {
        struct bind bind = bind_init(db, *stmt, err);

        bind_int(&bind, walk->from);
        bind_int(&bind, walk->to);
        rc = bind.rc;
    }
    return rc == ERR_OK ? walk_step(walk, err) : rc;
}

/* ---- those of shards ---- */

static const struct linked_object *walk_at(const struct linked_walk *walk,
                                           const struct linked_walk_span *span)
{
    const struct linked_hits *hits = span->hits;

    if (span->at == hits->object_count)
        return NULL;
    return &hits->objects[walk->by_place ? hits->by_place[span->at] : span->at];
}

/* Whether the next span may have the object that comes next. */
static bool walk_needs_span(const struct linked_walk *walk)
{
    const struct linked *linked = walk->linked;

    if (walk->next == linked->span_count)
        return false;
    if (!walk->by_place)
        return walk->span_count == 0 && linked->spans[walk->next].first_id <= walk->to;
    return walk->object == NULL || walk->object->offset >= walk->lower;
}

static enum err_code walk_open(struct linked_walk *walk, struct err *err)
{
    struct linked *linked = walk->linked;
    struct linked_walk_span span = { 0 };
    enum err_code rc =
        grow_items(&walk->spans, walk->span_count, &walk->span_room, sizeof *walk->spans, err);

    if (rc == ERR_OK)
        rc = linked_hold(linked, &linked->spans[walk->next], &span.hits, err);
    if (rc != ERR_OK)
        return rc;
    const uint64_t last = span.hits->last_offset;
    walk->lower = last > linked->at_most ? last - linked->at_most : 0;
    if (!walk->by_place)
        span.at = linked_object_at(span.hits, walk->from);
    walk->spans[walk->span_count++] = span;
    walk->next++;
    return ERR_OK;
}

/* Lets go of spans that have no object any more, and finds the first object of the others. */
static void walk_look(struct linked_walk *walk)
{
    size_t kept = 0;

    walk->object = NULL;
    for (size_t i = 0; i < walk->span_count; i++) {
        const struct linked_walk_span span = walk->spans[i];
        const struct linked_object *object = walk_at(walk, &span);

        if (object == NULL) {
            linked_let_go(span.hits);
            continue;
        }
        if (walk->object == NULL || object->offset < walk->object->offset ||
            (object->offset == walk->object->offset && object->id < walk->object->id)) {
            walk->object = object;
            walk->first = kept;
        }
        walk->spans[kept++] = span;
    }
    walk->span_count = kept;
    if (walk->object != NULL && !walk->by_place && walk->object->id > walk->to)
        walk->object = NULL;
}

/* The object that comes next, of those that have such rows. */
static enum err_code walk_find(struct linked_walk *walk, struct err *err)
{
    enum err_code rc = ERR_OK;

    walk->fact = 0;
    walk_look(walk);
    for (;;) {
        while (rc == ERR_OK && walk_needs_span(walk)) {
            rc = walk_open(walk, err);
            walk_look(walk);
        }
        if (rc != ERR_OK || walk->object == NULL || walk->rows != LINKED_FACTS ||
            walk->object->fact_count > 0)
            return rc;
        walk->spans[walk->first].at++;
        walk_look(walk);
    }
}

static enum err_code walk_pass(struct linked_walk *walk, struct err *err)
{
    if (walk->rows == LINKED_FACTS && walk->fact + 1 < walk->object->fact_count) {
        walk->fact++;
        return ERR_OK;
    }
    walk->spans[walk->first].at++;
    return walk_find(walk, err);
}

/* ---- both ---- */

/* Whether the file's own row comes before the object. */
static bool walk_is_before(const struct linked_walk *walk)
{
    const int64_t id = sqlite3_column_int64(walk->own, LINKED_AT_ID);

    if (!walk->by_place)
        return id < walk->object->id;
    const int64_t image = sqlite3_column_int64(walk->own, LINKED_AT_IMAGE);
    const int64_t offset = sqlite3_column_int64(walk->own, LINKED_AT_OFFSET);
    const int64_t place = (int64_t)walk->object->offset;

    if (image != walk->linked->image_id)
        return image < walk->linked->image_id;
    return offset != place ? offset < place : id < walk->object->id;
}

static void walk_choose(struct linked_walk *walk)
{
    walk->end = walk->own == NULL && walk->object == NULL;
    walk->is_own = walk->own != NULL && (walk->object == NULL || walk_is_before(walk));
}

static void walk_let_go(struct linked_walk *walk)
{
    for (size_t i = 0; i < walk->span_count; i++)
        linked_let_go(walk->spans[i].hits);
    walk->span_count = 0;
    walk->object = NULL;
    if (walk->own != NULL)
        sqlite3_reset(walk->own);
    walk->own = NULL;
}

enum err_code linked_walk_begin(struct linked_walk *walk, bool by_place, int64_t from, int64_t to,
                                struct err *err)
{
    enum err_code rc;

    walk_let_go(walk);
    walk->by_place = by_place;
    walk->from = from;
    walk->to = to;
    walk->end = from > to;
    if (walk->end)
        return ERR_OK;
    rc = linked_refresh(walk->linked, err);
    walk->next = by_place ? 0 : linked_span_at(walk->linked, from);
    walk->lower = 0;
    if (rc == ERR_OK)
        rc = walk_begin_own(walk, err);
    if (rc == ERR_OK)
        rc = walk_find(walk, err);
    walk_choose(walk);
    return rc;
}

enum err_code linked_walk_next(struct linked_walk *walk, struct err *err)
{
    const enum err_code rc = walk->is_own ? walk_step(walk, err) : walk_pass(walk, err);

    walk_choose(walk);
    return rc;
}

void linked_walk_close(struct linked_walk *walk)
{
    walk_let_go(walk);
    sqlite3_finalize(walk->by_id);
    sqlite3_finalize(walk->in_places);
    free(walk->spans);
}
