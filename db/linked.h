/* SPDX-License-Identifier: Apache-2.0
 * db/linked.h - hits and objects that stay in shards, as rows of the tables hits, objects, extents
 * and facts. Not for other folders.
 *
 *   table link     whose hits, and what their patterns are      ─┐
 *   table linked   where each run of ids stands in which shard  ─┼─► linked_hits.c: a run's rows
 *   CASE.shards    a line with the folder of the shards         ─┘
 *                  linked_table.c: TEMP table hits = these and those of the file, by id
 *                  linked_objects.c: TEMP tables objects, extents, facts, in the same way
 *                  linked_nested.c: TEMP table nested = main.nested and the table linked_nested
 *
 * Statements that say hits, objects, extents, facts or nested see all; those that say main.objects
 * and so on see what the file itself has. An object stands in one of the two. linked_own puts one
 * into the file, where it can be changed.
 *
 * Neither the case file nor a shard is believed: what is read of a shard must have the SHA-256 that
 * the case file has of it, and be hits and objects.
 */
#ifndef BURIN_DB_LINKED_H
#define BURIN_DB_LINKED_H

#include <limits.h>

#include "base/object_name.h"
#include "base/object_saved.h"
#include "db/connection.h"

enum {
    LINKED_LEN_MAX = 1 << 29,  /* most bytes of hits that stand behind one another */
    LINKED_HITS_MAX = 1 << 27, /* most of them */
    LINKED_SIGNATURES_MAX = 1 << 20,
    LINKED_IDLE = 8, /* spans that stay in memory when nobody reads them */
};

struct linked_span {
    int64_t first_id;
    uint32_t hits;
};

/* A pattern of the shards. */
struct linked_use {
    int64_t signature_id;
    bool footer;
    uint32_t kind; /* of linked.kinds */
    uint32_t at;   /* where it is in a file that it begins */
};

/* What the objects of a signature are. */
struct linked_kind {
    uint32_t type, type_count; /* the first one of linked.types, and how many are its own */
    bool container;
};

struct linked_type {
    char name[OBJECT_NAME_WORD], extension[OBJECT_NAME_WORD];
};

struct linked {
    struct db_case *db;
    char folder[PATH_MAX]; /* where the shards are; "": CASE.shards does not say */
    int64_t run_id, image_id;
    struct linked_use *uses;     /* [use_count] */
    uint32_t use_count, at_most; /* at_most: of their `at` */
    bool objects;                /* objects stay in the shards, too */
    struct linked_kind *kinds;   /* [kind_count] */
    struct linked_type *types;   /* [type_count] */
    struct linked_type *keys;    /* [key_count]: names of facts */
    uint32_t kind_count, type_count, key_count;
    struct linked_span *spans; /* [span_count], by id, none in another; where !stale */
    size_t span_count, span_room;
    uint64_t bytes;                        /* of the shards, that the spans stand in */
    bool stale;                            /* the table linked was written, or rolled back */
    struct linked_hits *idle[LINKED_IDLE]; /* that were read, whoever holds them; NULL: none */
    uint64_t held;                         /* calls of linked_hold */
    uint64_t nested_writes;                /* of rows of nested, and rollbacks */
    /* Why a statement failed that SQLite says no more of. */
    enum err_code rc;
    struct err err;
};

/* The header of an object, by the number of its hit in the shard. */
struct linked_head {
    int64_t id; /* 0: it is no hit of the case */
    uint64_t offset;
    uint32_t pattern;
};

struct linked_object {
    int64_t id;
    uint64_t offset; /* in the image */
    uint32_t index;  /* in the shard */
    uint32_t pattern;
    const struct linked_type *type;
    struct object_saved saved;
    uint32_t fact, fact_count; /* the first one of linked_hits.facts, sorted by their keys' names */
};

/* Hits and objects of a span that were read; zeroed there are none. */
struct linked_hits {
    struct linked_span span;
    struct db_hit *items; /* [span.hits] */
    uint32_t room;
    uint64_t last_offset;      /* of a hit in the shard */
    struct linked_head *heads; /* [head_count] */
    uint32_t head_count;
    size_t head_room;
    struct linked_object *objects; /* [object_count], by id */
    uint32_t *by_place;            /* [object_count]: of them, by offset and id */
    uint32_t object_count;
    size_t object_room, place_room;
    struct fact_saved *facts; /* [fact_count] */
    uint32_t fact_count;
    size_t fact_room;
    uint8_t *bytes; /* of the shard: texts stand there */
    size_t bytes_room;
    uint8_t *left_out;
    size_t left_out_len, left_out_room;

    uint32_t holders;
    uint64_t used; /* linked.held, when it was held last */
    bool dead;     /* it goes with the last one who holds it */
};

/* Finds out whether the case has such hits, and lets statements see them if so. */
ERR_MUST_CHECK enum err_code linked_open(struct db_case *db, struct err *err);
void linked_close(struct linked *linked); /* NULL is a no-op */

/* Reads the spans again, where they may be others. */
ERR_MUST_CHECK enum err_code linked_refresh(struct linked *linked, struct err *err);

/* Reads the hits and objects of the span; those that were read before are gone. Errors: as of
 * linked_hold. */
ERR_MUST_CHECK enum err_code linked_read(struct linked *linked, const struct linked_span *span,
                                         struct linked_hits *out, struct err *err);
void linked_hits_release(struct linked_hits *hits); /* of a zeroed one: a no-op */

/*
 * Reads the hits and objects of the span, or has them from before. They stay as they are until
 * linked_let_go. Errors: ERR_INPUT: the shard is missing, or another than it was.
 */
ERR_MUST_CHECK enum err_code linked_hold(struct linked *linked, const struct linked_span *span,
                                         struct linked_hits **out, struct err *err);
void linked_let_go(struct linked_hits *hits); /* NULL is a no-op */

/* What was read is read again when it is needed. */
void linked_forget(struct linked *linked);

/* The first span that ends behind the id; the number of spans, where there is none. */
size_t linked_span_at(const struct linked *linked, int64_t id);
/* The number of the first object with this id or a greater one; their number, where there is none.
 */
uint32_t linked_object_at(const struct linked_hits *hits, int64_t id);

/*
 * What the patterns of shards are: reads it of the table link, whose bytes these are. ids: [count]
 * of signatures, by number; 0: there is none.
 */
ERR_MUST_CHECK enum err_code linked_kinds_read(struct linked *linked, const uint8_t *bytes,
                                               size_t len, const int64_t *ids, uint32_t count,
                                               struct err *err);

/* Makes rows of the objects behind the hits. What is wrong with the bytes is in in->failed. */
ERR_MUST_CHECK enum err_code linked_objects_read(const struct linked *linked, struct unpack *in,
                                                 struct unpack *left_out, struct linked_hits *out,
                                                 struct err *err);

/*
 * Part of an atom. The object, if it stays in a shard, becomes one of the file, with its extent and
 * facts. *took: it did.
 */
ERR_MUST_CHECK enum err_code linked_own(struct db_case *db, int64_t id, bool *took,
                                        struct err *err);

/* Makes the TEMP tables objects, extents and facts. */
ERR_MUST_CHECK enum err_code linked_objects_make(struct linked *linked, struct err *err);
/* Makes the TEMP table hits. */
ERR_MUST_CHECK enum err_code linked_table_make(struct linked *linked, struct err *err);

#endif
