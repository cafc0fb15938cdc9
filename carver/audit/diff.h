/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/diff.h - what has changed between two sets of things that lie in images.
 *
 *   same      the same content at the same offset
 *   moved     the same content at another offset of the image
 *   changed   other content of the same type at the same offset
 *   new       in the later one alone
 *   gone      in the earlier one alone; or
 *   unknown   likewise, but its place was not read, or could not be, the later time
 *
 * A content that is there several times is as many things: where one copy is gone, one is gone.
 */
#ifndef BURIN_CARVER_AUDIT_DIFF_H
#define BURIN_CARVER_AUDIT_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum diff_change {
    DIFF_NEW,
    DIFF_MOVED,
    DIFF_CHANGED,
    DIFF_SAME,
    DIFF_GONE,
    DIFF_UNKNOWN,
    DIFF_CHANGES
};

enum { DIFF_KEY_LEN = 16 };

struct diff_item {
    uint8_t key[DIFF_KEY_LEN]; /* of its content: equal for equal ones */
    uint32_t image, type;      /* numbers that both sides have alike */
    uint64_t offset, len;
    int64_t id;              /* the caller's */
    enum diff_change change; /* set by diff_sides */
    uint64_t before;         /* of one that has a partner on the other side: where it was, */
    int64_t partner;         /* and the partner's id */
};

/* Zeroed: empty. Release with diff_side_release. */
struct diff_side {
    struct diff_item *items; /* in any order; diff_sides puts them into another one */
    size_t count, room;
};

/* The key of the content that the bytes stand for. */
void diff_key(const void *bytes, size_t len, uint8_t out[DIFF_KEY_LEN]);

ERR_MUST_CHECK enum err_code diff_add(struct diff_side *side, const struct diff_item *item,
                                      struct err *err);
void diff_side_release(struct diff_side *side);

/* Whether the bytes at which a thing of the earlier set lies were read the later time. */
typedef bool (*diff_read_fn)(void *arg, const struct diff_item *item);

/* Sets the change of every item. Those of `old` are gone, unknown, moved, changed or same. */
void diff_sides(struct diff_side *old, struct diff_side *now, diff_read_fn read, void *arg);

/* How often each change is there: of old, what is gone and unknown; of now, the others. */
void diff_count(const struct diff_side *old, const struct diff_side *now,
                uint64_t counts[DIFF_CHANGES]);

/* "new", "moved", ... */
const char *diff_word(enum diff_change change);

#endif
