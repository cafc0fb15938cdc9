/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_walk.h - finds the texts of a stretch of an image, one behind another.
 *
 * A walk remembers nothing of where it came from: from a place on that no text lies across, it
 * finds what it would have found on its way from the beginning of the image.
 *
 * Threads: one uses a struct text_walk; those of an image may run beside each other.
 */
#ifndef BURIN_CARVER_TEXT_TEXT_WALK_H
#define BURIN_CARVER_TEXT_TEXT_WALK_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/plan/lookback.h"
#include "carver/text/occupied.h"
#include "carver/text/text.h"
#include "carver/text/text_rows.h"

enum { TEXT_WALK_ROWS = 4096 /* texts that a walk keeps: then it waits for them to be taken */ };

struct text_walk {
    const struct text_image *job;
    const struct occupied *occupied;
    struct lookback lookback;
    struct lookback_view view;
    void *state;           /* of the validator */
    struct text_row *rows; /* [count]: found, ascending; who takes them sets count to 0 */
    size_t count, room;
    uint64_t asked; /* image offset at which the caller was asked last whether to stop */
};

/*
 * job and occupied stay the caller's and must outlive the walk, which must not be moved. Memory:
 * 100 KiB, and 56 bytes a text that is kept. Errors: ERR_ENV, no memory. text_walk_close may follow
 * in any case.
 */
ERR_MUST_CHECK enum err_code text_walk_open(const struct text_image *job,
                                            const struct occupied *occupied, struct text_walk *out,
                                            struct err *err);
void text_walk_close(struct text_walk *walk); /* of a zeroed one: a no-op */

/* The first cluster from `at` on that has to be looked at: it begins with a sector that was noted,
 * or that nobody has looked at, or right behind an object; or an object has it. */
uint64_t text_walk_next(const struct text_walk *walk, uint64_t at);

/* The bytes of the image; NULL: they lie behind its end, or cannot be read (walk->view.rc). */
const uint8_t *text_walk_bytes(struct text_walk *walk, uint64_t at, uint32_t len);

/*
 * Goes on at image offset *at with texts that begin before `to`. Where there is no room for more of
 * them, *at becomes where to go on. Errors: ERR_INTERRUPTED; those of the image.
 */
ERR_MUST_CHECK enum err_code text_walk_on(struct text_walk *walk, uint64_t *at, uint64_t to,
                                          struct err *err);

#endif
