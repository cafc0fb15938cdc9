/* io/leftover/leftover.c - see leftover.h: the way of a walk. */
#include "io/leftover.h"

#include <stdlib.h>
#include <string.h>

#include "io/leftover/leftover_impl.h"

enum {
    LEFTOVER_PIECE = 1 << 20, /* bytes that are read at a time */
    LEFTOVER_ROOM = 256,
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

/* The slot of the cache with the byte at offset `at`; NULL: the walk has ended. */
static const struct leftover_slot *leftover_slot(struct leftover *walk, uint64_t at)
{
    const uint64_t offset = at / LEFTOVER_CACHE_BYTES * LEFTOVER_CACHE_BYTES;
    struct leftover_slot *oldest = &walk->slots[0];

    for (uint32_t i = 0; i < LEFTOVER_CACHE_SLOTS; i++) {
        struct leftover_slot *slot = &walk->slots[i];

        if (slot->used != 0 && slot->offset == offset) {
            slot->used = ++walk->turn;
            return slot;
        }
        if (slot->used < oldest->used)
            oldest = slot;
    }
    oldest->used = ++walk->turn;
    oldest->offset = offset;
    oldest->len = walk->size - offset < LEFTOVER_CACHE_BYTES ? (size_t)(walk->size - offset)
                                                             : LEFTOVER_CACHE_BYTES;
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

static void leftover_found(void *arg, enum leftover_spot kind, uint64_t at)
{
    struct leftover *walk = arg;
    struct leftover_spots *spots = &walk->spots[kind];

    if (spots->count == LEFTOVER_SPOTS_MAX || walk->rc != ERR_OK)
        return;
    if (spots->count == spots->room) {
        const uint32_t room = spots->room == 0 ? LEFTOVER_ROOM : spots->room * 2;
        uint64_t *items = realloc(spots->at, room * sizeof *items);

        if (items == NULL) {
            walk->rc = ERR_NO_MEMORY(walk->err, room * sizeof *items);
            return;
        }
        spots->at = items;
        spots->room = room;
    }
    spots->at[spots->count++] = at;
}

/* Finds all spots: the one pass over the image. */
static void leftover_pass(struct leftover *walk)
{
    uint8_t *bytes = malloc(LEFTOVER_PIECE);

    if (bytes == NULL) {
        walk->rc = ERR_NO_MEMORY(walk->err, LEFTOVER_PIECE);
        return;
    }
    for (uint64_t at = 0; at < walk->size && !leftover_asked(walk);) {
        const size_t len =
            walk->size - at < LEFTOVER_PIECE ? (size_t)(walk->size - at) : LEFTOVER_PIECE;

        walk->rc = io_salvage_read(walk->image, at, bytes, len, NULL, NULL, walk->err);
        if (walk->rc == ERR_OK)
            leftover_sieve(bytes, len, at, walk->size, leftover_found, walk);
        at += len;
    }
    free(bytes);
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
    for (uint32_t i = 0; i < LEFTOVER_CACHE_SLOTS; i++) {
        walk->slots[i].bytes = malloc(LEFTOVER_CACHE_BYTES);
        if (walk->slots[i].bytes == NULL)
            return ERR_NO_MEMORY(walk->err, LEFTOVER_CACHE_BYTES);
    }
    return ERR_OK;
}

static void leftover_close(struct leftover *walk)
{
    for (uint32_t i = 0; i < LEFTOVER_SPOT_KINDS; i++)
        free(walk->spots[i].at);
    for (uint32_t i = 0; i < LEFTOVER_CACHE_SLOTS; i++)
        free(walk->slots[i].bytes);
    free(walk->volumes);
    tell_release(&walk->tell);
}

/* Files of the map that the caller has, or of one that is read here. */
static void leftover_map(struct leftover *walk)
{
    struct io_fsmap *map = NULL;

    if (walk->rc == ERR_OK && walk->hint->map == NULL && io_image_part_count(walk->image) > 0)
        walk->rc = io_fsmap_open(walk->image, walk->hint->stop, &map, walk->err);
    const struct io_fsmap *use = walk->hint->map != NULL ? walk->hint->map : map;
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
