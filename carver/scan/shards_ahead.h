/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shards_ahead.h - parts of shards that are read ahead: one thread brings their bytes,
 * others make rows of them, while those before them are stitched (shards*.c only).
 *
 *   shards_read.c: the bytes of a part ──► shards_ahead_add ──► a thread: part_restore ──►
 * shards_ahead_take, in the order in which they were added
 *
 * Nobody waits for a single part, unless it is the next one to be stitched: who brings them goes on
 * until all slots are full, and then sleeps until half of them are empty.
 *
 * Threads: one opens, takes and closes, another one brings (shards_ahead_next to
 * shards_ahead_end); those that restore are its own.
 */
#ifndef BURIN_CARVER_SCAN_SHARDS_AHEAD_H
#define BURIN_CARVER_SCAN_SHARDS_AHEAD_H

#include <pthread.h>

#include "base/pool.h"
#include "carver/scan/part_saved.h"
#include "db/sha256.h"

enum {
    SHARDS_AHEAD_THREADS = 6, /* most of them: one stitches as fast as so many restore */
    SHARDS_AHEAD_EACH = 4,    /* parts for each of them: all touch memory of their own, */
    SHARDS_AHEAD_SLOTS = SHARDS_AHEAD_EACH * SHARDS_AHEAD_THREADS,
    SHARDS_AHEAD_LEAST = 3,       /* and where one thread does all */
    SHARDS_AHEAD_BYTES = 8 << 20, /* of them, as shards have them; but one part more */
};

/* A part, an error, or a line, in its turn. */
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
    bool is_part;   /* of these bytes */
    bool right;     /* they are a part's */
    bool is_blank;  /* nobody has scanned this range */
    struct io_range range;
    char *line; /* for the log; or NULL */
    bool say;   /* it is for who looks on, too */
    enum err_code rc;
    struct err err;
};

struct shards_ahead {
    bool open;
    struct pool *pool;
    struct shards_slot slots[SHARDS_AHEAD_SLOTS];
    uint32_t slot_count; /* that were opened */
    uint32_t first;      /* slots form a ring: the one that is taken next, */
    uint32_t last;       /* and the one that is added next; each is of one thread alone */

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t more;  /* there is one to take, or no more will be */
    pthread_cond_t room;  /* half of the slots are empty, or it was stopped */
    uint32_t count;       /* were added and not taken */
    size_t bytes;         /* of these */
    bool ended, stopped;
};

/* The parts are of such a reader, whose texts and facts are not used. lookback: see part_open. */
ERR_MUST_CHECK enum err_code shards_ahead_open(struct shards_ahead *ahead,
                                               const struct part_reader *reader,
                                               struct lookback *lookback, bool link,
                                               uint32_t threads, struct err *err);
void shards_ahead_close(struct shards_ahead *ahead); /* of a zeroed one: a no-op */

/*
 * Waits for room, and returns the slot that is added next, emptied: fill it, and call
 * shards_ahead_add. It is not the one that shards_ahead_take gave last. NULL: it was stopped.
 */
struct shards_slot *shards_ahead_next(struct shards_ahead *ahead);
void shards_ahead_add(struct shards_ahead *ahead);
void shards_ahead_end(struct shards_ahead *ahead); /* nothing more will be added */
bool shards_ahead_is_stopped(struct shards_ahead *ahead);

/*
 * The first one that was added, done, and valid until the next call. NULL: none will be any more;
 * or, with patience that has an end (milliseconds, 0: it has none), none was added so long.
 */
struct shards_slot *shards_ahead_take(struct shards_ahead *ahead, uint32_t patience);
/* All that was added was taken, and no more will be. */
bool shards_ahead_is_done(struct shards_ahead *ahead);
void shards_ahead_stop(struct shards_ahead *ahead); /* who brings parts ends soon */

#endif
