/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/path_heap.h - paths through the holes of a volume, the likeliest first.
 *
 * A path is the first pieces of a file. All that were added stay; of those that were not taken yet
 * the likeliest one is taken next, the first one that was added where several are.
 *
 * Threads: one thread uses a heap.
 */
#ifndef BURIN_CARVER_ASSEMBLE_PATH_HEAP_H
#define BURIN_CARVER_ASSEMBLE_PATH_HEAP_H

#include <stdbool.h>
#include <stdint.h>

enum { PATHS_MAX = 1 << 14 /* of one file */ };

struct path {
    uint32_t parent;     /* the path without its last piece */
    uint32_t pieces;     /* with its last one */
    uint32_t cost;       /* how unlikely it is, in 256ths of a bit */
    bool part;           /* its last piece does not fill its hole */
    uint64_t begin, end; /* of that piece: image offsets */
};

/* Zeroed is empty. */
struct path_heap {
    struct path items[PATHS_MAX]; /* [count]: as they were added */
    uint32_t count;
    uint32_t heap[PATHS_MAX]; /* [open]: those that were not taken, as a binary heap */
    uint32_t open;
};

/* Adds a path; one more than PATHS_MAX is left out. */
void path_heap_push(struct path_heap *heap, const struct path *path);

/* Takes the likeliest one, of which there is one: open is not 0. Returns its number in items. */
uint32_t path_heap_pop(struct path_heap *heap);

#endif
