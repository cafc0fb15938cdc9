/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/diff.c - see diff.h.
 *
 * Both sides are sorted by content, and gone over together: what has the same offset is the same,
 * what is left over is paired in order. What has no partner then is sorted by place.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "carver/audit/diff.h"
#include "carver/hashset/known_set.h"

/* Items of one side that are looked at together: those not yet paired have the change DIFF_CHANGES.
 */
struct diff_group {
    struct diff_item *items;
    size_t count;
};

static void diff_pair(struct diff_item *old, struct diff_item *now, enum diff_change change)
{
    old->change = now->change = change;
    now->before = old->offset;
    old->before = old->offset;
    old->partner = now->id;
    now->partner = old->id;
}

void diff_key(const void *bytes, size_t len, uint8_t out[DIFF_KEY_LEN])
{
    uint8_t digest[KNOWN_SHA256];

    known_sha256(bytes, len, digest);
    memcpy(out, digest, DIFF_KEY_LEN);
}

enum err_code diff_add(struct diff_side *side, const struct diff_item *item, struct err *err)
{
    const enum err_code rc =
        grow_items(&side->items, side->count, &side->room, sizeof *side->items, err);

    if (rc == ERR_OK)
        side->items[side->count++] = *item;
    return rc;
}

void diff_side_release(struct diff_side *side)
{
    free(side->items);
    *side = (struct diff_side){ 0 };
}

static int diff_by_number(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int diff_by_content(const void *left, const void *right)
{
    const struct diff_item *a = left, *b = right;
    int order = diff_by_number(a->image, b->image);

    if (order == 0)
        order = memcmp(a->key, b->key, DIFF_KEY_LEN);
    if (order == 0)
        order = diff_by_number(a->offset, b->offset);
    return order != 0 ? order : diff_by_number((uint64_t)a->id, (uint64_t)b->id);
}

static int diff_by_place(const void *left, const void *right)
{
    const struct diff_item *a = left, *b = right;
    int order = diff_by_number(a->image, b->image);

    if (order == 0)
        order = diff_by_number(a->offset, b->offset);
    if (order == 0)
        order = diff_by_number(a->type, b->type);
    return order != 0 ? order : diff_by_number((uint64_t)a->id, (uint64_t)b->id);
}

static bool diff_same_content(const struct diff_item *a, const struct diff_item *b)
{
    return a->image == b->image && memcmp(a->key, b->key, DIFF_KEY_LEN) == 0;
}

/* The items from `at` on that have its content. */
static struct diff_group diff_group_at(const struct diff_side *side, size_t at,
                                       const struct diff_item *content)
{
    size_t end = at;

    while (end < side->count && diff_same_content(&side->items[end], content))
        end++;
    return (struct diff_group){ side->items + at, end - at };
}

/* Pairs items of one content. */
static void diff_contents(struct diff_group old, struct diff_group now)
{
    for (size_t i = 0, k = 0; i < old.count && k < now.count;) {
        const int order = diff_by_number(old.items[i].offset, now.items[k].offset);

        if (order == 0)
            diff_pair(&old.items[i], &now.items[k], DIFF_SAME);
        i += order <= 0;
        k += order >= 0;
    }
    for (size_t i = 0, k = 0; i < old.count && k < now.count;) {
        if (old.items[i].change != DIFF_CHANGES)
            i++;
        else if (now.items[k].change != DIFF_CHANGES)
            k++;
        else
            diff_pair(&old.items[i++], &now.items[k++], DIFF_MOVED);
    }
}

/* Pairs what has the same place and type, of what is left. */
static void diff_places(const struct diff_side *old, const struct diff_side *now)
{
    for (size_t i = 0, k = 0; i < old->count && k < now->count;) {
        struct diff_item *a = &old->items[i], *b = &now->items[k];
        int order = diff_by_number(a->image, b->image);

        if (a->change != DIFF_CHANGES || b->change != DIFF_CHANGES) {
            i += a->change != DIFF_CHANGES;
            k += b->change != DIFF_CHANGES;
            continue;
        }
        if (order == 0)
            order = diff_by_number(a->offset, b->offset);
        if (order == 0)
            order = diff_by_number(a->type, b->type);
        if (order == 0)
            diff_pair(a, b, DIFF_CHANGED);
        i += order <= 0;
        k += order >= 0;
    }
}

static void diff_reset(struct diff_side *side, int (*by)(const void *left, const void *right))
{
    for (size_t i = 0; i < side->count; i++)
        side->items[i].change = DIFF_CHANGES;
    if (side->count > 0)
        qsort(side->items, side->count, sizeof *side->items, by);
}

void diff_sides(struct diff_side *old, struct diff_side *now, diff_read_fn read, void *arg)
{
    diff_reset(old, diff_by_content);
    diff_reset(now, diff_by_content);
    for (size_t i = 0, k = 0; i < old->count && k < now->count;) {
        const struct diff_item *a = &old->items[i], *b = &now->items[k];
        int order = diff_by_number(a->image, b->image);

        if (order == 0)
            order = memcmp(a->key, b->key, DIFF_KEY_LEN);
        const struct diff_group olds = diff_group_at(old, i, order <= 0 ? a : b);
        const struct diff_group nows = diff_group_at(now, k, order >= 0 ? b : a);
        diff_contents(olds, nows);
        i += olds.count;
        k += nows.count;
    }
    if (old->count > 0)
        qsort(old->items, old->count, sizeof *old->items, diff_by_place);
    if (now->count > 0)
        qsort(now->items, now->count, sizeof *now->items, diff_by_place);
    diff_places(old, now);
    for (size_t i = 0; i < now->count; i++)
        if (now->items[i].change == DIFF_CHANGES)
            now->items[i].change = DIFF_NEW;
    for (size_t i = 0; i < old->count; i++)
        if (old->items[i].change == DIFF_CHANGES)
            old->items[i].change = read(arg, &old->items[i]) ? DIFF_GONE : DIFF_UNKNOWN;
}

void diff_count(const struct diff_side *old, const struct diff_side *now,
                uint64_t counts[DIFF_CHANGES])
{
    memset(counts, 0, DIFF_CHANGES * sizeof counts[0]);
    for (size_t i = 0; i < now->count; i++)
        counts[now->items[i].change]++;
    for (size_t i = 0; i < old->count; i++)
        if (old->items[i].change == DIFF_GONE || old->items[i].change == DIFF_UNKNOWN)
            counts[old->items[i].change]++;
}

const char *diff_word(enum diff_change change)
{
    static const char *const words[DIFF_CHANGES] = { "new",  "moved", "changed",
                                                     "same", "gone",  "unknown" };

    return words[change];
}
