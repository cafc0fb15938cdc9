/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/words.h - words that many objects share (folders, extensions), each kept once and
 * known by a number.
 */
#ifndef BURIN_CARVER_MOUNT_WORDS_H
#define BURIN_CARVER_MOUNT_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

enum { WORDS_TEXT_MAX = 1 << 30 /* bytes of all words of a set */ };

struct words {
    const char **items; /* by their numbers, from 0; texts are the arena's */
    uint32_t *slots;    /* a hash table with open addresses: number + 1, or 0 where one is free */
    uint32_t count, slot_count;
    struct arena text;
};

void words_init(struct words *words);
void words_close(struct words *words); /* more than once is a no-op */

/* The number of a word, which is copied if it is new. ERR_ENV: no memory; ERR_FULL: too many. */
ERR_MUST_CHECK enum err_code words_add(struct words *words, const char *text, uint32_t *number,
                                       struct err *err);

#endif
