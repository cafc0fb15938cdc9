/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/leftover.c - see leftover.h: the way of a walk. */
#include "io/leftover.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "io/leftover/leftover_impl.h"

enum {
    LEFTOVER_PIECE = 1 << 20, /* bytes that are read at a time */
};

const char *io_layout_source_name(enum io_layout_source source)
{
    static const char *const names[] = { "file",    "mft-record", "indirect",   "extents",
                                         "journal", "fat-entry",  "exfat-entry" };

    return names[source];
}

static bool leftover_asked(struct leftover *walk)
{
    if (walk->rc == ERR_OK && walk->hint->stop != NULL && walk->hint->stop())
        walk->rc = ERR_RAISE(walk->err, ERR_INTERRUPTED,
                             "interrupted while what file systems left behind was looked for");
    return walk->rc != ERR_OK;
}

bool leftover_ended(struct leftover *walk, uint32_t index)
{
    return walk->rc != ERR_OK || (index % LEFTOVER_ASK == 0 && leftover_asked(walk));
}

/* Asks for the next spots of the kind; their blocks are those that leftover_slot will read. */
static void leftover_soon(struct leftover *walk, enum leftover_spot kind)
{
    const struct leftover_spots *spots = &walk->spots[kind];
    const uint32_t from = walk->soon[kind], left = spots->count - from;
    const uint32_t to = from + (left < LEFTOVER_SOON ? left : LEFTOVER_SOON);
    uint64_t begin = 0, end = 0; /* of blocks that follow each other */

    for (uint32_t i = from; i < to; i++) {
        const uint64_t block = spots->at[i] / LEFTOVER_CACHE_LEAST * LEFTOVER_CACHE_LEAST;

        if (block > end || end == 0) {
            io_image_soon(walk->image, begin, end - begin);
            begin = block;
        }
        end = block + LEFTOVER_CACHE_LEAST;
    }
    io_image_soon(walk->image, begin, end - begin);
    walk->soon[kind] = to;
}

bool leftover_has_spot(struct leftover *walk, enum leftover_spot kind, uint32_t index)
{
    const uint32_t count = walk->spots[kind].count;

    if (index < count && walk->soon[kind] < count && walk->soon[kind] <= index + LEFTOVER_SOON / 2)
        leftover_soon(walk, kind);
    return index < count && !leftover_ended(walk, index);
}

/* The slot of the cache with the byte at offset `at`; NULL: the walk has ended. What is read at a
 * time grows where reads follow each other. */
static const struct leftover_slot *leftover_slot(struct leftover *walk, uint64_t at)
{
    const uint64_t offset = at / LEFTOVER_CACHE_LEAST * LEFTOVER_CACHE_LEAST;
    const size_t twice =
        2 * walk->read_len < LEFTOVER_CACHE_BYTES ? 2 * walk->read_len : LEFTOVER_CACHE_BYTES;
    const size_t most = offset == walk->read_to && twice > 0 ? twice : LEFTOVER_CACHE_LEAST;
    struct leftover_slot *oldest = &walk->slots[0];

    for (uint32_t i = 0; i < LEFTOVER_CACHE_SLOTS; i++) {
        struct leftover_slot *slot = &walk->slots[i];

        if (slot->used != 0 && slot->offset <= at && at - slot->offset < slot->len) {
            slot->used = ++walk->turn;
            return slot;
        }
        if (slot->used < oldest->used)
            oldest = slot;
    }
    oldest->used = ++walk->turn;
    oldest->offset = offset;
    oldest->len = walk->size - offset < most ? (size_t)(walk->size - offset) : most;
    walk->read_to = offset + oldest->len;
    walk->read_len = most;
    walk->rc =
        io_salvage_read(walk->image, offset, oldest->bytes, oldest->len, NULL, NULL, walk->err);
    return walk->rc == ERR_OK ? oldest : NULL;
}

bool leftover_read(struct leftover *walk, uint64_t at, void *out, size_t len)
{
    uint8_t *to = out;

    if (walk->rc != ERR_OK || at > walk->size || len > walk->size - at)
        return false;
    while (len > 0) {
        const struct leftover_slot *slot = leftover_slot(walk, at);

        if (slot == NULL)
            return false;
        const size_t from = (size_t)(at - slot->offset), have = slot->len - from;
        const size_t step = have < len ? have : len;
        memcpy(to, slot->bytes + from, step);
        to += step;
        at += step;
        len -= step;
    }
    return true;
}

/* Bytes from image offset `at` on that are known to be zeros, none behind the end: whole sectors. A
 * sector of zeros holds no record. */
static uint64_t leftover_hole(const struct leftover *walk, uint64_t at, uint64_t end)
{
    struct io_span span;

    if (!io_image_map(walk->image, at, &span) || span.how != IO_SPAN_ZERO)
        return 0;
    return span.len < end - at ? span.len / LIMIT_SECTOR * LIMIT_SECTOR : end - at;
}

/* Finds the spots of [at, end) in the image. */
static void leftover_look(struct leftover *walk, uint64_t at, uint64_t end, uint8_t *bytes)
{
    uint8_t marks[LEFTOVER_PIECE / LIMIT_SECTOR];

    while (at < end && !leftover_asked(walk)) {
        const size_t len = end - at < LEFTOVER_PIECE ? (size_t)(end - at) : LEFTOVER_PIECE;
        const uint64_t zeros = leftover_hole(walk, at, end);

        if (zeros > 0) {
            at += zeros;
            continue;
        }
        walk->rc = io_salvage_read(walk->image, at, bytes, len, NULL, NULL, walk->err);
        if (walk->rc != ERR_OK)
            return;
        io_leftover_sieve(bytes, len, walk->size, marks);
        walk->rc = leftover_spots_marked(walk->spots, at, marks, len / LIMIT_SECTOR, walk->err);
        at += len;
    }
}

/* Takes those of the caller's spots that lie before the end; next[kind] are the first to take. */
static void leftover_take(struct leftover *walk, uint64_t end, uint32_t next[LEFTOVER_SPOT_KINDS])
{
    for (uint32_t kind = 0; kind < LEFTOVER_SPOT_KINDS; kind++) {
        const struct leftover_spots *from = &walk->hint->spots->kinds[kind];

        for (; walk->rc == ERR_OK && next[kind] < from->count && from->at[next[kind]] < end;
             next[kind]++)
            walk->rc = leftover_spots_put(&walk->spots[kind], from->at[next[kind]], walk->err);
    }
}

/* Finds all spots: what the caller has not looked at is read. */
static void leftover_pass(struct leftover *walk)
{
    const struct io_leftover_spots *known = walk->hint->spots;
    uint32_t next[LEFTOVER_SPOT_KINDS] = { 0 };
    uint8_t *bytes = malloc(LEFTOVER_PIECE);
    uint64_t at = 0;

    if (bytes == NULL) {
        walk->rc = ERR_NO_MEMORY(walk->err, LEFTOVER_PIECE);
        return;
    }
    for (uint32_t i = 0; known != NULL && i < known->seen_count && walk->rc == ERR_OK; i++) {
        const uint64_t end = known->seen[i].offset + known->seen[i].len;

        leftover_look(walk, at, known->seen[i].offset, bytes);
        leftover_take(walk, end, next);
        at = end;
    }
    leftover_look(walk, at, walk->size, bytes);
    free(bytes);
}

enum err_code leftover_cache_open(struct leftover *walk, struct err *err)
{
    for (uint32_t i = 0; i < LEFTOVER_CACHE_SLOTS; i++) {
        walk->slots[i].bytes = malloc(LEFTOVER_CACHE_BYTES);
        if (walk->slots[i].bytes == NULL)
            return ERR_NO_MEMORY(err, LEFTOVER_CACHE_BYTES);
    }
    return ERR_OK;
}

void leftover_cache_close(struct leftover *walk)
{
    for (uint32_t i = 0; i < LEFTOVER_CACHE_SLOTS; i++)
        free(walk->slots[i].bytes);
}

static enum err_code leftover_open(struct leftover *walk, io_layout_fn each, void *arg)
{
    const size_t volumes = LEFTOVER_VOLUMES_MAX * sizeof *walk->volumes;
    const enum err_code rc = tell_open(&walk->tell, walk->size, each, arg, walk->err);

    if (rc != ERR_OK)
        return rc;
    walk->volumes = malloc(volumes);
    if (walk->volumes == NULL)
        return ERR_NO_MEMORY(walk->err, volumes);
    return leftover_cache_open(walk, walk->err);
}

static void leftover_close(struct leftover *walk)
{
    leftover_spots_release(walk->spots);
    leftover_cache_close(walk);
    free(walk->volumes);
    tell_release(&walk->tell);
}

/* Files of the map that the caller has, or of one that is read here. */
static void leftover_map(struct leftover *walk)
{
    const struct io_leftover_hint *hint = walk->hint;
    const struct io_fsmap *use = hint->map;
    struct io_fsmap *map = NULL;

    if (walk->rc == ERR_OK && use == NULL && hint->map_of != NULL)
        walk->rc = hint->map_of(hint->map_arg, &use, walk->err);
    else if (walk->rc == ERR_OK && use == NULL && io_image_part_count(walk->image) > 0) {
        walk->rc = io_fsmap_open(walk->image, hint->stop, NULL, &map, walk->err);
        use = map;
    }
    if (walk->rc == ERR_OK && use != NULL)
        leftover_files(walk, use);
    io_fsmap_close(map);
}

enum err_code io_leftover_walk(struct io_image *image, const struct io_leftover_hint *hint,
                               io_layout_fn each, void *arg, struct err *err)
{
    static void (*const sources[])(struct leftover * walk) = { leftover_map, leftover_mft,
                                                               leftover_indirect, leftover_extents,
                                                               leftover_fat };
    struct leftover walk = {
        .image = image, .size = io_image_size(image), .hint = hint, .err = err
    };

    walk.rc = leftover_open(&walk, each, arg);
    if (walk.rc == ERR_OK)
        leftover_pass(&walk);
    if (walk.rc == ERR_OK)
        leftover_volumes(&walk);
    if (walk.rc == ERR_OK)
        leftover_guess(&walk);
    for (uint32_t i = 0; i < sizeof sources / sizeof *sources && walk.rc == ERR_OK; i++) {
        tell_source(&walk.tell);
        sources[i](&walk);
    }
    leftover_close(&walk);
    return walk.rc;
}
