/*
 * carver/plan/window.h - the bytes behind the scan front, for checkers: segments that are still in memory, and the image itself for
 * what has left it.
 *
 * A window shows nothing at or beyond its limit, so that what a checker can see depends on the position of the scan alone. One
 * thread changes it; several may look at it meanwhile, each through a view of its own, while it does not change.
 */
#ifndef BURIN_CARVER_PLAN_WINDOW_H
#define BURIN_CARVER_PLAN_WINDOW_H

#include <stdint.h>

#include "base/err.h"
#include "base/limits.h"
#include "io/image.h"
#include "signatures/sig.h"

enum {
    WINDOW_BLOCK = 256 * 1024, /* bytes of one read of what has left memory */
    WINDOW_BLOCKS = 4,
};

struct window_segment {
    uint64_t offset; /* image offset of bytes[0] */
    uint32_t len;
    uint32_t carry; /* bytes in front of bytes[0] that belong to the segment before */
    const uint8_t *bytes;
};

struct window_block {
    uint64_t offset;
    uint32_t len;  /* 0: empty */
    uint64_t used; /* when it was used last, for replacement */
    uint8_t *bytes;
};

struct window {
    struct io_image *image;
    struct window_segment segments[LIMIT_LANES]; /* ascending; a ring beginning at first */
    uint32_t first, count;
    uint64_t limit; /* image offset: nothing from here on is shown */
};

/* What one thread sees a window through, and what it keeps for that. */
struct window_view {
    struct sig_source source; /* first: what checkers get */
    const struct window *window;
    struct window_block blocks[WINDOW_BLOCKS];
    uint64_t clock;
    uint64_t reread;  /* bytes that had to be read again */
    uint8_t *joint;   /* SIG_BYTES_MAX bytes, for requests across two segments */
    enum err_code rc; /* ERR_OK, or why the image can no longer be read: see window_view_error */
    struct err err;
};

/* window stays the caller's and must outlive the view. */
ERR_MUST_CHECK enum err_code window_view_open(const struct window *window, struct window_view *out, struct err *err);
void window_view_close(struct window_view *view); /* of a zeroed view: a no-op */

/*
 * ERR_ENV when the image could no longer be read (its device is gone). A checker cannot be told: it
 * heard that bytes are not there yet, and its verdict is worth nothing.
 */
ERR_MUST_CHECK enum err_code window_view_error(const struct window_view *view, struct err *err);

/* Segments come in ascending order; their bytes stay the caller's and must stay until window_pop. */
void window_push(struct window *window, const struct window_segment *segment);
void window_pop(struct window *window);                  /* forgets the oldest segment */
uint64_t window_oldest_end(const struct window *window); /* image offset; there is a segment */

/*
 * Bytes of a segment at image offset at, whatever the limit is; *len says how many lie together. NULL:
 * no segment holds it.
 */
const uint8_t *window_memory(const struct window *window, uint64_t at, uint64_t *len);

#endif
