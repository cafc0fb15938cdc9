/* SPDX-License-Identifier: Apache-2.0
 * base/arena.h - blocks of memory that are all released by one call.
 *
 * An arena hands out zeroed, 16-byte aligned blocks and keeps them until arena_release. The blocks
 * of an arena together never exceed its cap, so a hostile input cannot make it grow without bound.
 * An arena has one owner. Threads: one at a time.
 */
#ifndef BURIN_BASE_ARENA_H
#define BURIN_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *head; /* newest block */
    size_t used;              /* bytes handed out so far */
    size_t cap;               /* bytes it may hand out in all */
};

void arena_init(struct arena *arena, size_t cap);

/* Returns size zeroed bytes, or NULL when the cap is reached or there is no memory. */
void *arena_alloc(struct arena *arena, size_t size);

/* Returns a copy of len bytes with a NUL behind them, or NULL as arena_alloc does. */
char *arena_copy(struct arena *arena, const void *bytes, size_t len);

/*
 * Takes back all that was handed out. The newest block is kept for what comes next, so that a loop
 * that fills an arena again and again asks for memory once.
 */
void arena_clear(struct arena *arena);

/* Frees all blocks. */
void arena_release(struct arena *arena);

#endif
