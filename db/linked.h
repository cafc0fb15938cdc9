/* SPDX-License-Identifier: Apache-2.0
 * db/linked.h - hits that stay in shards, as rows of the table hits. Not for other folders.
 *
 *   table link     whose hits, and what their patterns are      ─┐
 *   table linked   where each run of ids stands in which shard  ─┼─► linked_hits.c: a run's hits
 *   CASE.shards    a line with the folder of the shards         ─┘
 *                  linked_table.c: TEMP table hits = these and those of main.hits, by id
 *
 * Statements that say hits see all; those that say main.hits see what the file itself has.
 *
 * Neither the case file nor a shard is believed: what is read of a shard must have the SHA-256 that
 * the case file has of it, and be hits.
 */
#ifndef BURIN_DB_LINKED_H
#define BURIN_DB_LINKED_H

#include <limits.h>

#include "db/connection.h"

enum {
    LINKED_LEN_MAX = 1 << 29,  /* most bytes of hits that stand behind one another */
    LINKED_HITS_MAX = 1 << 27, /* most of them */
    LINKED_HIT_LEAST = 3,      /* bytes of one, at least */
};

struct linked_span {
    int64_t first_id;
    uint32_t hits;
};

/* A pattern of the shards. */
struct linked_use {
    int64_t signature_id;
    bool footer;
};

struct linked {
    struct db_case *db;
    char folder[PATH_MAX]; /* where the shards are; "": CASE.shards does not say */
    int64_t run_id, image_id;
    struct linked_use *uses; /* [use_count] */
    uint32_t use_count;
    struct linked_span *spans; /* [span_count], by id, none in another; where !stale */
    size_t span_count, span_room;
    bool stale; /* the table linked was written, or rolled back */
    /* Why a statement failed that SQLite says no more of. */
    enum err_code rc;
    struct err err;
};

/* Hits of a span that were read; zeroed there are none. */
struct linked_hits {
    struct linked_span span;
    struct db_hit *items; /* [span.hits] */
    uint32_t room;
    uint8_t *bytes; /* of the shard */
    size_t bytes_room;
    uint8_t *left_out;
    size_t left_out_len, left_out_room;
};

/* Finds out whether the case has such hits, and lets statements see them if so. */
ERR_MUST_CHECK enum err_code linked_open(struct db_case *db, struct err *err);
void linked_close(struct linked *linked); /* NULL is a no-op */

/* Reads the spans again, where they may be others. */
ERR_MUST_CHECK enum err_code linked_refresh(struct linked *linked, struct err *err);

/* Reads the hits of the span; those that were read before are gone. Errors: ERR_INPUT: the shard is
 * missing, or another than it was. */
ERR_MUST_CHECK enum err_code linked_read(struct linked *linked, const struct linked_span *span,
                                         struct linked_hits *out, struct err *err);
void linked_hits_release(struct linked_hits *hits); /* of a zeroed one: a no-op */

/* Makes the TEMP table hits. */
ERR_MUST_CHECK enum err_code linked_table_make(struct linked *linked, struct err *err);

#endif
