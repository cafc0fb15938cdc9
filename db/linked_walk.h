/* SPDX-License-Identifier: Apache-2.0
 * db/linked_walk.h - a walk over the objects of the file and those in shards, or their extents or
 * facts, as over one table. Not for other folders.
 *
 *   main.objects, by a statement ─┐
 *   spans of shards, held ────────┴─► the row that comes first ──► linked_walk_next
 *
 * By ids one span is held at a time. By places a span is held from the first place on that it could
 * have to its last object: the next one may have files that begin before the last hits of this one.
 */
#ifndef BURIN_DB_LINKED_WALK_H
#define BURIN_DB_LINKED_WALK_H

#include "db/linked.h"

enum linked_rows { LINKED_OBJECTS, LINKED_EXTENTS, LINKED_FACTS, LINKED_ROWS };

/* Columns of an object that a walk by places goes by, as the table has them. */
enum { LINKED_AT_ID = 0, LINKED_AT_IMAGE = 1, LINKED_AT_OFFSET = 10 };

struct linked_walk_span {
    struct linked_hits *hits; /* held */
    uint32_t at;              /* the number of its next object, by id or by place */
};

struct linked_walk {
    struct linked *linked;
    enum linked_rows rows;
    bool by_place;
    int64_t from, to;                   /* ids */
    sqlite3_stmt *by_id, *in_places;    /* of the file's own rows; NULL: not needed yet */
    sqlite3_stmt *own;                  /* one of the two, on a row; NULL: there is none any more */
    struct linked_walk_span *spans;     /* [span_count] */
    size_t span_count, span_room, next; /* next: of linked.spans */
    uint64_t lower;                     /* image offset: objects of the next span begin there */
    size_t first;                       /* of spans: it has the object */
    const struct linked_object *object; /* of a shard, that comes next; NULL: there is none */
    uint32_t fact;                      /* of the object */
    bool is_own;                        /* the walk stands on a row of the file */
    bool end;                           /* on none */
};

/* Begins again, with the rows of ids from .. to; by_place: all rows, by image, offset and id.
 * Zeroed but for linked and rows the walk is new. */
ERR_MUST_CHECK enum err_code linked_walk_begin(struct linked_walk *walk, bool by_place,
                                               int64_t from, int64_t to, struct err *err);
ERR_MUST_CHECK enum err_code linked_walk_next(struct linked_walk *walk, struct err *err);
void linked_walk_close(struct linked_walk *walk);

#endif
