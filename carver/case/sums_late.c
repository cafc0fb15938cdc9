/* SPDX-License-Identifier: Apache-2.0
 * carver/case/sums_late.c - see sums_late.h. */
#include <stdlib.h>

#include "carver/case/sums_late.h"

enum { LATE_FIRST = 64, LATE_SWEEP = 1024 };

static void late_up(struct sums_late *late, uint32_t at)
{
    const struct sums_late_one one = late->heap[at];

    for (; at > 0 && one.end < late->heap[(at - 1) / 2].end; at = (at - 1) / 2)
        late->heap[at] = late->heap[(at - 1) / 2];
    late->heap[at] = one;
}

static void late_down(struct sums_late *late)
{
    const struct sums_late_one one = late->heap[0];
    uint32_t at = 0;

    for (uint32_t child = 1; child < late->count; child = 2 * at + 1) {
        if (child + 1 < late->count && late->heap[child + 1].end < late->heap[child].end)
            child++;
        if (late->heap[child].end >= one.end)
            break;
        late->heap[at] = late->heap[child];
        at = child;
    }
    late->heap[at] = one;
}

static int late_by_place(const void *a, const void *b)
{
    const struct sums_late_one *x = a, *y = b;

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static int late_by_end(const void *a, const void *b)
{
    const struct sums_late_one *x = a, *y = b;

    return (x->end > y->end) - (x->end < y->end);
}

static enum err_code late_grow(struct sums_late *late, struct err *err)
{
    const uint32_t room = late->room == 0 ? LATE_FIRST : 2 * late->room;
    struct sums_late_one *heap = realloc(late->heap, room * sizeof *heap);

    if (heap == NULL)
        return ERR_NO_MEMORY(err, room * sizeof *heap);
    late->heap = heap;
    late->room = room;
    return ERR_OK;
}

static enum err_code late_push(struct sums_late *late, const struct sums_late_one *one,
                               struct err *err)
{
    enum err_code rc = ERR_OK;

    if (late->count == late->room)
        rc = late_grow(late, err);
    if (rc != ERR_OK)
        return rc;
    late->heap[late->count] = *one;
    late_up(late, late->count++);
    return ERR_OK;
}

/* In twice as many as are kept half are dropped at a time, so that each costs a few comparisons. */
enum err_code sums_late_add(struct sums_late *late, const struct sums_late_one *one, uint32_t most,
                            struct err *err)
{
    if (late->count >= 2 * most) {
        qsort(late->heap, late->count, sizeof *late->heap, late_by_place);
        late->count = most;
        qsort(late->heap, late->count, sizeof *late->heap, late_by_end); /* which is a heap */
    }
    return late_push(late, one, err);
}

bool sums_late_take(struct sums_late *late, uint64_t front, struct sums_late_one *out)
{
    if (late->count == 0 || late->heap[0].end > front)
        return false;
    *out = late->heap[0];
    late->heap[0] = late->heap[--late->count];
    if (late->count > 0)
        late_down(late);
    return true;
}

void sums_late_release(struct sums_late *late)
{
    free(late->heap);
    *late = (struct sums_late){ 0 };
}

/* Forgets those that end at or before `front`. */
static void late_sweep(struct sums_late *late, uint64_t front)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < late->count; i++) {
        if (late->heap[i].end <= front)
            continue;
        late->heap[kept] = late->heap[i];
        late_up(late, kept++);
    }
    late->count = kept;
}

/*
 * Of more than `most` ends the first is not needed: when it is passed, there are fewer than `most`
 * no sooner. While there are fewer, those that were passed do no harm, and go all at once, when
 * half of those that are there may be such: to take each from the heap costs several times more.
 */
enum err_code sums_depth_next(struct sums_late *depth, uint64_t offset, uint64_t end, uint32_t most,
                              bool *deep, struct err *err)
{
    struct sums_late_one passed;
    enum err_code rc;

    if (depth->count >= most) {
        while (sums_late_take(depth, offset, &passed))
            ;
    } else if (depth->count >= depth->sweep) {
        late_sweep(depth, offset);
        depth->sweep = depth->count < LATE_SWEEP / 2 ? LATE_SWEEP : 2 * depth->count;
    }
    *deep = depth->count >= most;
    rc = late_push(depth, &(struct sums_late_one){ .end = end }, err);
    if (rc == ERR_OK && depth->count > most)
        (void)sums_late_take(depth, UINT64_MAX, &passed);
    return rc;
}
