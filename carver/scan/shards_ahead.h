/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shards_ahead.h - parts of shards that are read ahead: threads make rows of their
 * bytes while those before them are stitched (shards*.c only).
 *
 *   shards.c: the bytes of a part ──► shards_ahead_add ──► a thread: part_restore ──►
 * shards_ahead_take, in the order in which they were added
 *
 * Threads: one calls these functions; those that restore are its own.
 */
#ifndef BURIN_CARVER_SCAN_SHARDS_AHEAD_H
#define BURIN_CARVER_SCAN_SHARDS_AHEAD_H

#include "base/pool.h"
#include "carver/scan/part_saved.h"
#include "db/sha256.h"

enum {
    SHARDS_AHEAD_THREADS = 6,     /* most of them: one stitches as fast as so many restore */
    SHARDS_AHEAD_SLOTS = 16,      /* parts */
    SHARDS_AHEAD_BYTES = 8 << 20, /* of them, as shards have them; but one part more */
};

/* A part, or an error, or a line for the log, in its turn. */
struct shards_slot {
    struct pool_job job;
    struct part_reader reader;
    struct texts texts;
    struct sig_facts *facts;
    struct part *part;
    uint8_t *bytes; /* [len]: of the part as it stands in the shard */
    size_t len, room;
    uint64_t at;    /* bytes of the shard before them */
    uint32_t shard; /* its number */
    bool link;      /* its rows are hashed: they will stay in the shard */
    bool is_part;   /* else an error or a line */
    bool right;     /* the bytes are a part's */
    char *line;     /* for the log; or NULL */
    enum err_code rc;
    struct err err;
};

struct shards_ahead {
    struct pool *pool;
    struct shards_slot slots[SHARDS_AHEAD_SLOTS];
    uint32_t slot_count;   /* that were opened */
    uint32_t first, count; /* of a ring: what was added and not taken */
    size_t bytes;          /* of these */
};

/* The parts are of such a reader, whose texts and facts are not used. lookback: see part_open. */
ERR_MUST_CHECK enum err_code shards_ahead_open(struct shards_ahead *ahead,
                                               const struct part_reader *reader,
                                               struct lookback *lookback, bool link,
                                               uint32_t threads, struct err *err);
void shards_ahead_close(struct shards_ahead *ahead); /* of a zeroed one: a no-op */

bool shards_ahead_has_room(const struct shards_ahead *ahead);
/*
 * The slot that is added next, emptied, where there is room: fill it, and call shards_ahead_add;
 * restore: its bytes are to be made a part. It is not the one that shards_ahead_take gave last.
 */
struct shards_slot *shards_ahead_next(struct shards_ahead *ahead);
void shards_ahead_add(struct shards_ahead *ahead, bool restore);

/* The first one that was added, done, and valid until the next call; NULL: there is none. */
struct shards_slot *shards_ahead_take(struct shards_ahead *ahead);

#endif
