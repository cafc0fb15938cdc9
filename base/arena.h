/*
 * base/arena.h - memory that is released in one go: one owner, one release.
 *
 * An arena hands out zeroed, 16-byte aligned blocks and keeps them until arena_release. It never gives out more than
 * its cap in all, so that a hostile input cannot make it grow without bound. Not thread-safe.
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

/* size zeroed bytes, or NULL when the cap is reached or memory is out. */
void *arena_alloc(struct arena *arena, size_t size);

/* A copy of len bytes with a NUL behind them, or NULL. */
char *arena_copy(struct arena *arena, const void *bytes, size_t len);

void arena_release(struct arena *arena);

#endif
