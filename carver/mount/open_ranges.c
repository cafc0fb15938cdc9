/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/open_ranges.c - see open_ranges.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "carver/mount/open_ranges.h"

enum err_code open_ranges_open(struct open_ranges *open, struct err *err)
{
    *open = (struct open_ranges){ .next = 1 };
    open->items = calloc(OPEN_RANGES_MAX, sizeof *open->items);
    pthread_mutex_init(&open->lock, NULL);
    return open->items != NULL ? ERR_OK : ERR_NO_MEMORY(err, OPEN_RANGES_MAX * sizeof *open->items);
}

static void open_ranges_drop(struct open_range *item)
{
    free(item->ranges);
    free(item->name);
    *item = (struct open_range){ 0 };
}

void open_ranges_close(struct open_ranges *open)
{
    if (open->items == NULL)
        return;
    for (uint32_t i = 0; i < OPEN_RANGES_MAX; i++)
        open_ranges_drop(&open->items[i]);
    free(open->items);
    pthread_mutex_destroy(&open->lock);
    *open = (struct open_ranges){ 0 };
}

static struct open_range *open_ranges_find(struct open_ranges *open, uint64_t number)
{
    for (uint32_t i = 0; i < OPEN_RANGES_MAX; i++)
        if (open->items[i].ranges != NULL && open->items[i].number == number)
            return &open->items[i];
    return NULL;
}

static struct open_range *open_ranges_find_name(struct open_ranges *open, uint32_t image,
                                                const char *name)
{
    for (uint32_t i = 0; i < OPEN_RANGES_MAX; i++)
        if (open->items[i].ranges != NULL && open->items[i].image == image &&
            strcmp(open->items[i].name, name) == 0)
            return &open->items[i];
    return NULL;
}

/* A place for others: a free one, or the one that was used longest ago. NULL: all are open. */
static struct open_range *open_ranges_room(struct open_ranges *open)
{
    struct open_range *best = NULL;

    for (uint32_t i = 0; i < OPEN_RANGES_MAX; i++) {
        struct open_range *item = &open->items[i];

        if (item->ranges == NULL)
            return item;
        if (item->opens == 0 && (best == NULL || item->used < best->used))
            best = item;
    }
    return best;
}

static int open_ranges_make(struct open_ranges *open, uint32_t image, const char *name,
                            const struct ranges *ranges, struct open_range **out)
{
    struct open_range *item = open_ranges_room(open);
    struct ranges *copy = malloc(sizeof *copy);
    char *text = strdup(name);

    if (item == NULL || copy == NULL || text == NULL) {
        free(copy);
        free(text);
        return item == NULL ? ENFILE : ENOMEM;
    }
    open_ranges_drop(item);
    *copy = *ranges;
    *item =
        (struct open_range){ .ranges = copy, .name = text, .image = image, .number = open->next++ };
    *out = item;
    return 0;
}

int open_ranges_add(struct open_ranges *open, uint32_t image, const char *name,
                    const struct ranges *ranges, uint64_t *number)
{
    int failed = 0;

    pthread_mutex_lock(&open->lock);
    struct open_range *item = open_ranges_find_name(open, image, name);
    if (item == NULL)
        failed = open_ranges_make(open, image, name, ranges, &item);
    if (failed == 0) {
        item->used = ++open->uses;
        *number = item->number;
    }
    pthread_mutex_unlock(&open->lock);
    return failed;
}

bool open_ranges_get(struct open_ranges *open, uint64_t number, uint32_t *image, struct ranges *out)
{
    pthread_mutex_lock(&open->lock);
    struct open_range *item = open_ranges_find(open, number);
    const bool found = item != NULL;
    if (found) {
        item->used = ++open->uses;
        *image = item->image;
        *out = *item->ranges;
    }
    pthread_mutex_unlock(&open->lock);
    return found;
}

bool open_ranges_hold(struct open_ranges *open, uint64_t number, int by)
{
    pthread_mutex_lock(&open->lock);
    struct open_range *item = open_ranges_find(open, number);
    const bool found = item != NULL;
    if (found && by > 0)
        item->opens++;
    else if (found && item->opens > 0)
        item->opens--;
    pthread_mutex_unlock(&open->lock);
    return found;
}
