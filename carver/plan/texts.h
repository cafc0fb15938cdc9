/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/texts.h - texts that are read from a file and said again and again: each is kept
 * once, and stays where it is as long as the table.
 *
 * Threads: one at a time.
 */
#ifndef BURIN_CARVER_PLAN_TEXTS_H
#define BURIN_CARVER_PLAN_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum {
    TEXTS_MAX = 1 << 14,   /* texts; a table of a power of two entries */
    TEXTS_BYTES = 4 << 20, /* of all texts together */
    TEXTS_LEN = 256,       /* bytes of one, its NUL included */
};

struct texts {
    struct arena arena;
    const char **slots; /* [2 * TEXTS_MAX]; owned */
    uint32_t count;
};

/* Zeroed is empty. Release with texts_release. */
void texts_release(struct texts *texts);

/* The text that stays; NULL: there are too many, it is too long, or there is no memory. text: len
 * bytes, none of them NUL. */
const char *texts_keep(struct texts *texts, const char *text, size_t len);

#endif
