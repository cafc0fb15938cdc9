/* carver/plan/lookback.c - see lookback.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "carver/plan/lookback.h"

static const struct window_segment *window_at(const struct window *window, uint32_t i)
{
    return &window->segments[(window->first + i) % LIMIT_SLOTS];
}

/* The segment in memory that holds image offset at, newest first, since that is where checkers
 * read. */
static const struct window_segment *window_find(const struct window *window, uint64_t at)
{
    for (uint32_t i = window->count; i-- > 0;) {
        const struct window_segment *segment = window_at(window, i);

        if (at >= segment->offset)
            return at - segment->offset < segment->len ? segment : NULL;
    }
    return NULL;
}

/* The block of the image that holds image offset at, read now if it is not kept. Unreadable bytes
 * are zeros. */
static const struct window_block *window_block(struct window_view *view, uint64_t at)
{
    struct io_image *image = view->window->image;
    const uint64_t offset = at / WINDOW_BLOCK * WINDOW_BLOCK;
    const uint64_t left = io_image_size(image) - offset;
    const uint32_t len = left < WINDOW_BLOCK ? (uint32_t)left : WINDOW_BLOCK;
    struct window_block *oldest = &view->blocks[0];

    view->clock++;
    for (uint32_t i = 0; i < WINDOW_BLOCKS; i++) {
        struct window_block *block = &view->blocks[i];

        if (block->len != 0 && block->offset == offset) {
            block->used = view->clock;
            return block;
        }
        if (block->used < oldest->used)
            oldest = block;
    }
    oldest->len = 0;
    if (view->rc == ERR_OK)
        view->rc = io_salvage_read(image, offset, oldest->bytes, len, NULL, NULL, &view->err);
    if (view->rc != ERR_OK)
        return NULL;
    *oldest = (struct window_block){
        .offset = offset, .len = len, .used = view->clock, .bytes = oldest->bytes
    };
    view->reread += len;
    return oldest;
}

const uint8_t *window_memory(const struct window *window, uint64_t at, uint64_t *len)
{
    const struct window_segment *segment = window_find(window, at);

    if (segment == NULL)
        return NULL;
    *len = segment->len - (at - segment->offset);
    return segment->bytes + (at - segment->offset);
}

/* Bytes that lie together at image offset at, wherever they are; at is below the limit. */
static const uint8_t *window_run(struct window_view *view, uint64_t at, uint32_t *have)
{
    const struct window *window = view->window;
    uint64_t len = 0;
    const uint8_t *bytes = window_memory(window, at, &len);

    if (bytes == NULL) {
        const struct window_block *block = window_block(view, at);

        if (block == NULL)
            return NULL;
        bytes = block->bytes + (at - block->offset);
        len = block->len - (at - block->offset);
    }
    if (len > window->limit - at)
        len = window->limit - at;
    *have = (uint32_t)len;
    return bytes;
}

static const uint8_t *window_look(struct sig_source *source, uint64_t at, uint32_t want,
                                  uint32_t *have)
{
    struct window_view *view = (struct window_view *)source;
    const struct window *window = view->window;
    uint32_t run = 0;

    assert(want >= 1 && want <= SIG_BYTES_MAX);
    if (at >= window->limit || want > window->limit - at)
        return NULL;
    const uint8_t *bytes = window_run(view, at, &run);
    if (bytes == NULL || run >= want) {
        *have = run;
        return bytes;
    }

    const struct window_segment *next = window_find(window, at + run);
    if (next != NULL && run <= next->carry && at + run == next->offset && want - run <= next->len) {
        *have = want;
        return next->bytes - run;
    }
    for (uint32_t done = 0; done < want;) {
        bytes = window_run(view, at + done, &run);
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

enum err_code window_view_open(const struct window *window, struct window_view *out,
                               struct err *err)
{
    *out = (struct window_view){ .source = { window_look }, .window = window };
    out->joint = malloc(SIG_BYTES_MAX);
    bool missing = out->joint == NULL;
    for (uint32_t i = 0; i < WINDOW_BLOCKS; i++) {
        out->blocks[i].bytes = malloc(WINDOW_BLOCK);
        missing = missing || out->blocks[i].bytes == NULL;
    }
    if (!missing)
        return ERR_OK;
    window_view_close(out);
    return ERR_NO_MEMORY(err, WINDOW_BLOCKS * WINDOW_BLOCK);
}

void window_view_close(struct window_view *view)
{
    for (uint32_t i = 0; i < WINDOW_BLOCKS; i++)
        free(view->blocks[i].bytes);
    free(view->joint);
    *view = (struct window_view){ 0 };
}

enum err_code window_view_error(const struct window_view *view, struct err *err)
{
    if (view->rc != ERR_OK)
        *err = view->err;
    return view->rc;
}

void window_push(struct window *window, const struct window_segment *segment)
{
    assert(window->count < LIMIT_SLOTS);
    window->segments[(window->first + window->count++) % LIMIT_SLOTS] = *segment;
}

void window_pop(struct window *window)
{
    assert(window->count > 0);
    window->first = (window->first + 1) % LIMIT_SLOTS;
    window->count--;
}

uint64_t window_oldest_end(const struct window *window)
{
    const struct window_segment *oldest = window_at(window, 0);

    assert(window->count > 0);
    return oldest->offset + oldest->len;
}
