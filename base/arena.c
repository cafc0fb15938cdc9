/* SPDX-License-Identifier: Apache-2.0
 * base/arena.c - see arena.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { ARENA_BLOCK_SIZE = 64 * 1024, ARENA_ALIGN = 16 };

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    _Alignas(16) unsigned char bytes[];
};

void arena_init(struct arena *arena, size_t cap)
{
    *arena = (struct arena){ .cap = cap };
}

void *arena_alloc(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX - ARENA_ALIGN)
        return NULL;
    size = (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    if (size > arena->cap - arena->used)
        return NULL;

    struct arena_block *block = arena->head;
    if (block == NULL || block->size - block->used < size) {
        const size_t block_size = size > ARENA_BLOCK_SIZE ? size : ARENA_BLOCK_SIZE;

        block = calloc(1, sizeof *block + block_size);
        if (block == NULL)
            return NULL;
        block->size = block_size;
        block->next = arena->head;
        arena->head = block;
    }
    void *out = block->bytes + block->used;
    block->used += size;
    arena->used += size;
    return out;
}

char *arena_copy(struct arena *arena, const void *bytes, size_t len)
{
    char *out = len < SIZE_MAX ? arena_alloc(arena, len + 1) : NULL;

    if (out != NULL && len > 0)
        memcpy(out, bytes, len);
    return out;
}

void arena_clear(struct arena *arena)
{
    struct arena_block *kept = arena->head, *older = kept != NULL ? kept->next : NULL;

    while (older != NULL) {
        struct arena_block *next = older->next;
        free(older);
        older = next;
    }
    if (kept != NULL) {
        memset(kept->bytes, 0, kept->used);
        kept->used = 0;
        kept->next = NULL;
    }
    arena->used = 0;
}

void arena_release(struct arena *arena)
{
    struct arena_block *block = arena->head;

    while (block != NULL) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
    *arena = (struct arena){ 0 };
}
