/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/btrfs_chunks.c - see btrfs_chunks.h. */
#include "io/filesystem/btrfs_chunks.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/bytes.h"
#include "base/grow.h"

enum {
    CHUNK_HEAD = 48,   /* bytes of an item in front of its stripes */
    CHUNK_STRIPE = 32, /* bytes of a stripe */
    CHUNK_RAID0 = 0x8,
    CHUNK_RAID10 = 0x40,
    CHUNK_PARITY = 0x180, /* RAID5, RAID6 */
    CHUNK_KNOWN = 0x7ff,  /* what may be in use, and the profiles up to RAID1C4 */
};
#define CHUNK_END_MAX (UINT64_C(1) << 62)

void btrfs_chunks_release(struct btrfs_chunks *chunks)
{
    free(chunks->items);
    free(chunks->stripes);
    *chunks = (struct btrfs_chunks){ 0 };
}

static enum err_code chunks_grow(void *items, uint32_t count, size_t *room, size_t size,
                                 struct err *err)
{
    if (count >= BTRFS_CHUNKS_MAX)
        return ERR_RAISE(err, ERR_INPUT, "it has too many chunks");
    return grow_items(items, count, room, size, err);
}

static bool chunk_begins(const void *chunk, uint64_t at)
{
    return ((const struct btrfs_chunk *)chunk)->start <= at;
}

/* Puts it where it belongs; chunks of a tree come in their order. */
static enum err_code chunks_insert(struct btrfs_chunks *chunks, const struct btrfs_chunk *chunk,
                                   struct err *err)
{
    enum err_code rc =
        chunks_grow(&chunks->items, chunks->count, &chunks->room, sizeof *chunks->items, err);
    if (rc != ERR_OK)
        return rc;
    const size_t behind =
        bisect(chunks->items, chunks->count, sizeof *chunks->items, chunk_begins, chunk->start);
    struct btrfs_chunk *place = chunks->items + behind;

    if ((behind > 0 && chunk->start - place[-1].start < place[-1].len) ||
        (behind < chunks->count && place->start - chunk->start < chunk->len))
        return ERR_RAISE(err, ERR_INPUT, "its chunks lie over one another");
    memmove(place + 1, place, (chunks->count - behind) * sizeof *place);
    *place = *chunk;
    chunks->count++;
    return ERR_OK;
}

static bool chunk_makes_sense(const struct btrfs_chunk *chunk, uint64_t type, uint32_t stripes,
                              uint32_t in_group)
{
    return (type & ~(uint64_t)CHUNK_KNOWN) == 0 && chunk->len > 0 && chunk->len <= CHUNK_END_MAX &&
           chunk->start <= CHUNK_END_MAX - chunk->len && chunk->stripe_len > 0 &&
           chunk->stripe_len <= UINT32_MAX && stripes > 0 && in_group > 0 &&
           stripes % in_group == 0;
}

enum err_code btrfs_chunks_add(struct btrfs_chunks *chunks, const struct btrfs_device *device,
                               uint64_t start, const uint8_t *item, uint32_t len, uint32_t *taken,
                               struct err *err)
{
    if (len < CHUNK_HEAD)
        return ERR_RAISE(err, ERR_INPUT, "a chunk of it is cut short");
    const uint64_t type = bytes_u64le(item + 24);
    const uint32_t stripes = bytes_u16le(item + 44);
    const uint32_t in_group = (type & CHUNK_RAID10) != 0  ? bytes_u16le(item + 46)
                              : (type & CHUNK_RAID0) != 0 ? 1
                                                          : stripes;
    struct btrfs_chunk chunk = { .start = start,
                                 .len = bytes_u64le(item),
                                 .stripe_len = bytes_u64le(item + 16),
                                 .first = chunks->stripe_count,
                                 .said = UINT64_MAX,
                                 .parity = (type & CHUNK_PARITY) != 0 };

    if (!chunk_makes_sense(&chunk, type, stripes, in_group) ||
        stripes > (len - CHUNK_HEAD) / CHUNK_STRIPE)
        return ERR_RAISE(err, ERR_INPUT, "a chunk of it makes no sense");
    chunk.groups = stripes / in_group;
    *taken = CHUNK_HEAD + stripes * CHUNK_STRIPE;
    for (uint32_t i = 0; i < stripes; i++) {
        const uint8_t *stripe = item + CHUNK_HEAD + (size_t)i * CHUNK_STRIPE;

        if (bytes_u64le(stripe) != device->id || memcmp(stripe + 16, device->uuid, BTRFS_UUID) != 0)
            continue;
        const enum err_code rc = chunks_grow(&chunks->stripes, chunks->stripe_count,
                                             &chunks->stripe_room, sizeof *chunks->stripes, err);
        if (rc != ERR_OK)
            return rc;
        chunks->stripes[chunks->stripe_count++] =
            (struct btrfs_stripe){ bytes_u64le(stripe + 8), i / in_group };
        chunk.count++;
    }
    return chunks_insert(chunks, &chunk, err);
}

struct btrfs_chunk *btrfs_chunks_find(const struct btrfs_chunks *chunks, uint64_t at)
{
    const size_t behind =
        bisect(chunks->items, chunks->count, sizeof *chunks->items, chunk_begins, at);
    struct btrfs_chunk *chunk = behind == 0 ? NULL : &chunks->items[behind - 1];

    return chunk != NULL && at - chunk->start < chunk->len ? chunk : NULL;
}

/* Of the first `at` bytes of a chunk: how many lie on a stripe of the group. */
static uint64_t chunk_share(const struct btrfs_chunk *chunk, uint32_t group, uint64_t at)
{
    const uint64_t turn = chunk->stripe_len * chunk->groups, before = chunk->stripe_len * group;
    const uint64_t rest = at % turn, own = rest < before ? 0 : rest - before;

    return at / turn * chunk->stripe_len + (own < chunk->stripe_len ? own : chunk->stripe_len);
}

void btrfs_stripe_run(const struct btrfs_chunk *chunk, const struct btrfs_stripe *stripe,
                      uint64_t from, uint64_t to, uint64_t *at, uint64_t *len)
{
    const uint64_t first = chunk_share(chunk, stripe->group, from);

    *at = stripe->at + first;
    *len = chunk_share(chunk, stripe->group, to) - first;
}
