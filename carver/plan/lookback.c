/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/lookback.c - see lookback.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "carver/plan/lookback.h"

static const struct lookback_segment *lookback_at(const struct lookback *lookback, uint32_t i)
{
    return &lookback->segments[(lookback->first + i) % LIMIT_SLOTS];
}

/* The segment in memory that holds image offset at, newest first, since that is where validators
 * read. */
static const struct lookback_segment *lookback_find(const struct lookback *lookback, uint64_t at)
{
    for (uint32_t i = lookback->count; i-- > 0;) {
        const struct lookback_segment *segment = lookback_at(lookback, i);

        if (at >= segment->offset)
            return at - segment->offset < segment->len ? segment : NULL;
    }
    return NULL;
}

/* The block of the image that holds image offset at, read now if it is not kept. Unreadable bytes
 * are zeros. */
static const struct lookback_block *lookback_block(struct lookback_view *view, uint64_t at)
{
    struct io_image *image = view->lookback->image;
    const uint32_t most = view->lookback->block != 0 ? view->lookback->block : LOOKBACK_BLOCK;
    const uint64_t offset = at / most * most;
    const uint64_t left = io_image_size(image) - offset;
    const uint32_t len = left < most ? (uint32_t)left : most;
    struct lookback_block *oldest = &view->blocks[0];

    view->clock++;
    for (uint32_t i = 0; i < LOOKBACK_BLOCKS; i++) {
        struct lookback_block *block = &view->blocks[i];

        if (block->len != 0 && block->offset == offset) {
            block->used = view->clock;
            return block;
        }
        if (block->used < oldest->used)
            oldest = block;
    }
    oldest->len = 0;
    view->near_len = 0; /* it may lie in this block */
    if (oldest->bytes == NULL)
        oldest->bytes = malloc(most);
    if (oldest->bytes == NULL && view->rc == ERR_OK)
        view->rc = ERR_NO_MEMORY(&view->err, most);
    if (view->rc == ERR_OK && view->lookback->wait != NULL)
        view->lookback->wait(view->lookback->wait_arg, offset);
    if (view->rc == ERR_OK)
        view->rc = io_salvage_read(image, offset, oldest->bytes, len, NULL, NULL, &view->err);
    if (view->rc != ERR_OK)
        return NULL;
    *oldest = (struct lookback_block){
        .offset = offset, .len = len, .used = view->clock, .bytes = oldest->bytes
    };
    view->reread += len;
    return oldest;
}

const uint8_t *lookback_memory(const struct lookback *lookback, uint64_t at, uint64_t *len)
{
    const struct lookback_segment *segment = lookback_find(lookback, at);

    if (segment == NULL)
        return NULL;
    *len = segment->len - (at - segment->offset);
    return segment->bytes + (at - segment->offset);
}

/* Finds the run that has image offset at, wherever it is. False: it cannot be read. */
static bool lookback_near(struct lookback_view *view, uint64_t at)
{
    const struct lookback_segment *segment = lookback_find(view->lookback, at);
    const struct lookback_block *block = segment == NULL ? lookback_block(view, at) : NULL;

    if (segment == NULL && block == NULL)
        return false;
    view->near = segment != NULL ? segment->offset : block->offset;
    view->near_len = segment != NULL ? segment->len : block->len;
    view->near_bytes = segment != NULL ? segment->bytes : block->bytes;
    view->near_turn = view->lookback->turn;
    return true;
}

/* Bytes that lie together at image offset at, which is below the limit. */
static const uint8_t *lookback_run(struct lookback_view *view, uint64_t at, uint32_t *have)
{
    const struct lookback *lookback = view->lookback;

    if ((view->near_turn != lookback->turn || at - view->near >= view->near_len) &&
        !lookback_near(view, at))
        return NULL;
    const uint64_t into = at - view->near, len = view->near_len - into;
    const uint64_t shown = lookback->limit - at;

    *have = (uint32_t)(len < shown ? len : shown);
    return view->near_bytes + into;
}

static const uint8_t *lookback_bytes(struct lookback_view *view, uint64_t at, uint32_t want,
                                     uint32_t *have)
{
    const struct lookback *lookback = view->lookback;
    uint32_t run = 0;

    assert(want >= 1 && want <= SIG_BYTES_MAX);
    if (at >= lookback->limit || want > lookback->limit - at)
        return NULL;
    const uint8_t *bytes = lookback_run(view, at, &run);
    if (bytes == NULL || run >= want) {
        *have = run;
        return bytes;
    }

    const struct lookback_segment *next = lookback_find(lookback, at + run);
    if (next != NULL && run <= next->carry && at + run == next->offset && want - run <= next->len) {
        *have = want;
        return next->bytes - run;
    }
    if (view->joint == NULL)
        view->joint = malloc(SIG_BYTES_MAX);
    if (view->joint == NULL && view->rc == ERR_OK)
        view->rc = ERR_NO_MEMORY(&view->err, SIG_BYTES_MAX);
    if (view->joint == NULL)
        return NULL;
    for (uint32_t done = 0; done < want;) {
        bytes = lookback_run(view, at + done, &run);
        if (bytes == NULL)
            return NULL;
        if (run > want - done)
            run = want - done;
        memcpy(view->joint + done, bytes, run);
        done += run;
    }
    *have = want;
    return view->joint;
}

static const uint8_t *lookback_look(struct sig_source *source, uint64_t at, uint32_t want,
                                    uint32_t *have)
{
    struct lookback_view *view = (struct lookback_view *)source;
    const uint8_t *bytes = lookback_bytes(view, at, want, have);

    if (bytes != NULL)
        lookback_view_saw(view, at, at + *have);
    return bytes;
}

void lookback_view_forget(struct lookback_view *view)
{
    view->low = UINT64_MAX;
    view->high = 0;
}

void lookback_view_saw(struct lookback_view *view, uint64_t from, uint64_t to)
{
    view->low = from < view->low ? from : view->low;
    view->high = to > view->high ? to : view->high;
}

void lookback_view_open(const struct lookback *lookback, struct lookback_view *out)
{
    *out = (struct lookback_view){ .source = { lookback_look }, .lookback = lookback };
    lookback_view_forget(out);
}

void lookback_view_close(struct lookback_view *view)
{
    for (uint32_t i = 0; i < LOOKBACK_BLOCKS; i++)
        free(view->blocks[i].bytes);
    free(view->joint);
    *view = (struct lookback_view){ 0 };
}

enum err_code lookback_view_error(const struct lookback_view *view, struct err *err)
{
    if (view->rc != ERR_OK && err != NULL)
        *err = view->err;
    return view->rc;
}

void lookback_push(struct lookback *lookback, const struct lookback_segment *segment)
{
    assert(lookback->count < LIMIT_SLOTS);
    lookback->segments[(lookback->first + lookback->count++) % LIMIT_SLOTS] = *segment;
    lookback->turn++;
}

void lookback_pop(struct lookback *lookback)
{
    assert(lookback->count > 0);
    lookback->first = (lookback->first + 1) % LIMIT_SLOTS;
    lookback->count--;
    lookback->turn++;
}

uint64_t lookback_oldest_end(const struct lookback *lookback)
{
    const struct lookback_segment *oldest = lookback_at(lookback, 0);

    assert(lookback->count > 0);
    return oldest->offset + oldest->len;
}
