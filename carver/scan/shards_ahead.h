/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shards_ahead.h - parts of shards that are read ahead: threads make rows of their
 * bytes while those before them are stitched (shards*.c only).
 *
 *   shards.c: the bytes of a part ──► ahead_add ──► a thread: part_restore ──► ahead_take, in the
 *   order in which they were added
 *
 * Threads: one calls these functions; those that restore are its own.
 */
#ifndef BURIN_CARVER_SCAN_SHARDS_AHEAD_H
#define BURIN_CARVER_SCAN_SHARDS_AHEAD_H

#include "base/pool.h"
#include "carver/scan/part_saved.h"
#include "db/sha256.h"

enum {
    AHEAD_THREADS = 6,     /* most of them: one stitches as fast as so many restore */
    AHEAD_SLOTS = 16,      /* parts */
    AHEAD_BYTES = 8 << 20, /* of them, as shards have them; but one part more */
};

/* A part, or an error, or a line for the log, in its turn. */
struct ahead_slot {
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

struct ahead {
    struct pool *pool;
    struct ahead_slot slots[AHEAD_SLOTS];
    uint32_t slot_count;   /* that were opened */
    uint32_t first, count; /* of a ring: what was added and not taken */
    size_t bytes;          /* of these */
};

/* The parts are of such a reader, whose texts and facts are not used. lookback: see part_open. */
ERR_MUST_CHECK enum err_code ahead_open(struct ahead *ahead, const struct part_reader *reader,
                                        struct lookback *lookback, bool link, uint32_t threads,
                                        struct err *err);
void ahead_close(struct ahead *ahead); /* of a zeroed one: a no-op */

bool ahead_has_room(const struct ahead *ahead);
/*
 * The slot that is added next, emptied, where there is room: fill it, and call ahead_add; restore:
 * its bytes are to be made a part. It is not the one that ahead_take gave last.
 */
struct ahead_slot *ahead_next(struct ahead *ahead);
void ahead_add(struct ahead *ahead, bool restore);

/* The first one that was added, done, and valid until the next call; NULL: there is none. */
struct ahead_slot *ahead_take(struct ahead *ahead);

#endif
