/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/path_heap.c - see path_heap.h. */
#include "carver/assemble/path_heap.h"

static bool path_heap_before(const struct path_heap *heap, uint32_t a, uint32_t b)
{
    const struct path *x = &heap->items[a], *y = &heap->items[b];

    return x->cost != y->cost ? x->cost < y->cost : a < b;
}

static void path_heap_swap(struct path_heap *heap, uint32_t a, uint32_t b)
{
    const uint32_t kept = heap->heap[a];

    heap->heap[a] = heap->heap[b];
    heap->heap[b] = kept;
}

void path_heap_push(struct path_heap *heap, const struct path *path)
{
    if (heap->count == PATHS_MAX)
        return;
    uint32_t at = heap->open++;
    heap->items[heap->count] = *path;
    heap->heap[at] = heap->count++;
    for (; at > 0 && path_heap_before(heap, heap->heap[at], heap->heap[(at - 1) / 2]);
         at = (at - 1) / 2)
        path_heap_swap(heap, at, (at - 1) / 2);
}

uint32_t path_heap_pop(struct path_heap *heap)
{
    const uint32_t top = heap->heap[0];
    uint32_t at = 0;

    heap->heap[0] = heap->heap[--heap->open];
    for (;;) {
        uint32_t first = at;

        for (uint32_t k = 2 * at + 1; k <= 2 * at + 2 && k < heap->open; k++)
            first = path_heap_before(heap, heap->heap[k], heap->heap[first]) ? k : first;
        if (first == at)
            return top;
        path_heap_swap(heap, at, first);
        at = first;
    }
}
