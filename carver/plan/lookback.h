/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/lookback.h - gives validators the bytes behind the scan front. Bytes of segments that
 * are still in memory come from there; other bytes are read from the image again.
 *
 * A lookback shows no byte at or beyond its limit, so what a validator sees depends only on the
 * position of the scan.
 *
 * Threads: one thread changes a lookback. While it does not, several threads may read it, each
 * through a view of its own.
 */
#ifndef BURIN_CARVER_PLAN_LOOKBACK_H
#define BURIN_CARVER_PLAN_LOOKBACK_H

#include <stdint.h>

#include "base/err.h"
#include "base/limits.h"
#include "io/image.h"
#include "signatures/sig.h"

enum {
    LOOKBACK_BLOCK = 256 * 1024, /* bytes of one read from the image, as a rule */
    LOOKBACK_BLOCKS = 4,         /* blocks that a view keeps */
};

struct lookback_segment {
    uint64_t offset; /* image offset of bytes[0] */
    uint32_t len;    /* bytes */
    uint32_t carry;  /* bytes in front of bytes[0] that belong to the segment before */
    const uint8_t *bytes;
};

/* A block that was read from the image again. */
struct lookback_block {
    uint64_t offset; /* image offset of bytes[0] */
    uint32_t len;    /* bytes; 0: the block is empty */
    uint64_t used;   /* the view's clock at its last use; the block with the least is replaced */
    uint8_t *bytes;
};

struct lookback {
    struct io_image *image;
    struct lookback_segment segments[LIMIT_SLOTS]; /* a ring, ascending from index first on */
    uint32_t first, count;
    uint64_t turn;  /* counts changes of the segments */
    uint64_t limit; /* image offset; bytes at or behind it are not shown */
    uint32_t block; /* bytes of one read from the image; 0: LOOKBACK_BLOCK, the most */
    /* Called before bytes from this image offset on are read from the image again. Or NULL. */
    void (*wait)(void *arg, uint64_t offset);
    void *wait_arg;
};

/* One thread's access to a lookback. */
struct lookback_view {
    struct sig_source source; /* what validators get; it must be the first field */
    const struct lookback *lookback;
    struct lookback_block blocks[LOOKBACK_BLOCKS];
    uint64_t clock; /* counts uses of blocks */
    /* The run that was looked at last, at that turn of the lookback: most looks are near the one
     * before. */
    uint64_t near, near_len, near_turn; /* image offset, bytes */
    const uint8_t *near_bytes;
    uint64_t reread; /* bytes that were read from the image again */
    /* Image offsets: all that was looked at lies in between. low > high: nothing was */
    uint64_t low, high;
    uint8_t
        *joint; /* [SIG_BYTES_MAX], for a request that spans two segments; NULL: not needed yet */
    enum err_code rc; /* ERR_OK, or why the image can no longer be read: see lookback_view_error */
    struct err err;
};

/*
 * Opens a view, which allocates its memory when it needs it. lookback stays the caller's and must
 * outlive the view.
 */
void lookback_view_open(const struct lookback *lookback, struct lookback_view *out);
void lookback_view_close(struct lookback_view *view); /* of a zeroed view: a no-op */

/* Nothing was looked at so far. */
void lookback_view_forget(struct lookback_view *view);

/* Bytes [from, to) of the image were looked at otherwise. */
void lookback_view_saw(struct lookback_view *view, uint64_t from, uint64_t to);

/*
 * Returns ERR_ENV when a read of the view has failed for good (the image's device is gone, or
 * memory is). A
 * validator cannot see this: it got NULL, as for bytes that are not there yet. So its verdict must
 * not be used. err may be NULL.
 */
ERR_MUST_CHECK enum err_code lookback_view_error(const struct lookback_view *view, struct err *err);

/*
 * Adds the next segment; segments ascend. Its bytes stay the caller's, unchanged until
 * lookback_pop.
 */
void lookback_push(struct lookback *lookback, const struct lookback_segment *segment);
void lookback_pop(struct lookback *lookback); /* forgets the oldest segment */
/* The image offset at which the oldest segment ends. The lookback must have a segment. */
uint64_t lookback_oldest_end(const struct lookback *lookback);

/*
 * The bytes in memory at image offset at; the limit does not count. *len becomes the number of
 * bytes that lie together. NULL: no segment has this byte.
 */
const uint8_t *lookback_memory(const struct lookback *lookback, uint64_t at, uint64_t *len);

#endif
