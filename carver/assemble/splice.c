/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/splice.c - see splice.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bisect.h"
#include "carver/assemble/splice.h"

enum {
    SPLICE_PAGE = 2 << 20, /* a huge page */
    SPLICE_RUN = 16,       /* blocks that are read at a time, at most */
};

void splice_soon(const struct io_image *image, uint64_t offset, uint64_t len)
{
    const uint64_t begin = offset / SPLICE_BLOCK * SPLICE_BLOCK;
    const uint64_t end = (offset + len + SPLICE_BLOCK - 1) / SPLICE_BLOCK * SPLICE_BLOCK;

    io_image_soon(image, begin, end - begin);
}

static bool splice_has(const struct splice *splice, uint64_t number)
{
    const struct splice_block *block = &splice->blocks[number & (splice->block_count - 1)];

    return block->len != 0 && block->offset == number * SPLICE_BLOCK;
}

/* The bytes of a block that has room. */
static uint8_t *splice_bytes(const struct splice *splice, uint64_t slot)
{
    return splice->bytes + (size_t)(splice->blocks[slot].room - 1) * SPLICE_BLOCK;
}

/* Whether two slots that lie beside each other have room beside each other, or none so far. */
static bool splice_beside(const struct splice *splice, uint64_t slot)
{
    const struct splice_block *block = &splice->blocks[slot];

    return block[1].room == (block[0].room == 0 ? 0 : block[0].room + 1);
}

/*
 * How many blocks are read with this one, *first being the first of them: more, each time that the
 * next one is wanted, or the one before, where all before were wanted in that order.
 */
static uint32_t splice_ahead(struct splice *splice, uint64_t number, uint64_t *first)
{
    const uint64_t slots = splice->block_count, slot = number & (slots - 1);
    const uint64_t blocks = (io_image_size(splice->image) + SPLICE_BLOCK - 1) / SPLICE_BLOCK;
    const bool up = number == splice->up.next, down = !up && number == splice->down.next;
    struct splice_way *way = up ? &splice->up : &splice->down;
    uint32_t count = 1;

    *first = number;
    if (!up && !down) {
        splice->up = (struct splice_way){ number + 1, 1 };
        splice->down = (struct splice_way){ number - 1, 1 };
        return 1;
    }
    if (way->run < SPLICE_RUN)
        way->run *= 2;
    if (up)
        while (count < way->run && number + count < blocks && slot + count < slots &&
               splice_beside(splice, slot + count - 1) && !splice_has(splice, number + count))
            count++;
    else
        while (count < way->run && count <= slot && splice_beside(splice, slot - count) &&
               !splice_has(splice, number - count))
            count++;
    way->next = up ? number + count : number - count;
    *first = up ? number : number - (count - 1);
    return count;
}

/* Reads a block, and those beside it that will be wanted too. */
static enum err_code splice_read(struct splice *splice, uint64_t number)
{
    uint64_t first = number;
    const uint32_t count = splice_ahead(splice, number, &first);
    const uint64_t slot = first & (splice->block_count - 1), offset = first * SPLICE_BLOCK;
    const uint64_t left = io_image_size(splice->image) - offset;
    const uint64_t len = left < count * SPLICE_BLOCK ? left : count * SPLICE_BLOCK;

    /* Room is given in the order in which it is wanted: what is not wanted touches no page. */
    for (uint32_t i = 0; i < count; i++)
        if (splice->blocks[slot + i].room == 0)
            splice->blocks[slot + i].room = ++splice->rooms;
    if (splice->rc == ERR_OK)
        splice->rc = unread_read(splice->unread, splice->image, offset, splice_bytes(splice, slot),
                                 len, NULL, NULL, &splice->err);
    for (uint32_t i = 0; i < count; i++) {
        struct splice_block *block = &splice->blocks[slot + i];
        const uint64_t begin = (uint64_t)i * SPLICE_BLOCK;
        const uint64_t bytes = len - begin < SPLICE_BLOCK ? len - begin : SPLICE_BLOCK;

        block->offset = offset + begin;
        block->len = splice->rc == ERR_OK ? (uint32_t)bytes : 0;
    }
    return splice->rc;
}

const uint8_t *splice_image(struct splice *splice, uint64_t at, uint32_t *have)
{
    const uint64_t number = at / SPLICE_BLOCK, slot = number & (splice->block_count - 1);
    const uint32_t into = (uint32_t)(at % SPLICE_BLOCK);

    if (!splice_has(splice, number) && splice_read(splice, number) != ERR_OK)
        return NULL;
    *have = splice->blocks[slot].len - into;
    return splice_bytes(splice, slot) + into;
}

uint32_t splice_copy(struct splice *splice, uint64_t at, uint8_t *out, uint32_t len)
{
    const uint64_t size = io_image_size(splice->image);
    uint32_t copied = 0;

    while (copied < len && at < size && copied < size - at) {
        uint32_t have = 0;
        const uint8_t *bytes = splice_image(splice, at + copied, &have);

        if (bytes == NULL)
            break;
        have = have < len - copied ? have : len - copied;
        memcpy(out + copied, bytes, have);
        copied += have;
    }
    memset(out + copied, 0, len - copied);
    return copied;
}

bool splice_image_zeros(struct splice *splice, uint64_t at, uint32_t len)
{
    uint32_t have = 0, any = 0;
    const uint8_t *bytes = splice_image(splice, at, &have);

    for (uint32_t i = 0; bytes != NULL && i < len && i < have; i++)
        any |= bytes[i];
    return any == 0;
}

static bool splice_before(const void *begin, uint64_t at)
{
    return *(const uint64_t *)begin <= at;
}

/* Bytes that lie together from object offset at on, which is below the visible end. */
static const uint8_t *splice_run(struct splice *splice, uint64_t at, uint32_t *have)
{
    const uint64_t *begins = splice->begins;

    if (at < begins[splice->at] || at >= begins[splice->at + 1])
        splice->at =
            (uint32_t)bisect_last(begins, splice->count, sizeof *begins, splice_before, at);
    const uint64_t into = at - begins[splice->at];
    const uint8_t *bytes = splice_image(splice, splice->runs[splice->at].offset + into, have);
    const uint64_t piece = splice->runs[splice->at].len - into, shown = splice->visible - at;

    if (*have > piece)
        *have = (uint32_t)piece;
    if (*have > shown)
        *have = (uint32_t)shown;
    return bytes;
}

/*
 * Counts a request for `want` bytes that was given `have`. One that asks for a single byte may use
 * all it is given, and has, as far as the next one is from it. What is read again counts too: some
 * validators begin a block anew each time.
 */
static void splice_count(struct splice *splice, uint64_t at, uint32_t want, uint32_t have)
{
    if (at > splice->last_at && at - splice->last_at <= splice->last_have)
        splice->checked += at - splice->last_at - 1;
    splice->checked += want;
    splice->last_at = at;
    splice->last_have = want == 1 ? have : 0;
}

static const uint8_t *splice_view(struct sig_source *source, uint64_t at, uint32_t want,
                                  uint32_t *have)
{
    struct splice *splice = (struct splice *)source;
    uint32_t run = 0;

    assert(want >= 1 && want <= SIG_BYTES_MAX && at >= splice->start);
    at -= splice->start;
    if (at >= splice->visible || want > splice->visible - at)
        return NULL;
    const uint8_t *bytes = splice_run(splice, at, &run);
    if (bytes == NULL)
        return NULL;
    splice_count(splice, at, want, run);
    if (run >= want) {
        *have = run;
        return bytes;
    }
    for (uint32_t done = 0; done < want; done += run) {
        bytes = splice_run(splice, at + done, &run);
        if (bytes == NULL)
            return NULL;
        if (run > want - done)
            run = want - done;
        memcpy(splice->joint + done, bytes, run);
    }
    *have = want;
    return splice->joint;
}

/* Room for so many bytes, a multiple of a page, at a multiple of a huge one; NULL: none. malloc
 * would do, but under sanitizers it marks all of the room, of which most splices use little. */
static uint8_t *splice_room(size_t size)
{
    uint8_t *all =
        mmap(NULL, size + SPLICE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (all == MAP_FAILED)
        return NULL;
    const size_t before = (SPLICE_PAGE - (uintptr_t)all % SPLICE_PAGE) % SPLICE_PAGE;
    if (before > 0)
        munmap(all, before);
    munmap(all + before + size, SPLICE_PAGE - before);
    /* To touch it in small pages takes as long as to read what fills them. */
    (void)madvise(all + before, size, MADV_HUGEPAGE);
    return all + before;
}

enum err_code splice_open(struct io_image *image, const struct unread *unread, uint32_t splices,
                          struct splice *out, struct err *err)
{
    uint32_t blocks = SPLICE_BLOCKS;

    while (blocks < SPLICE_BLOCKS_MOST && 2 * blocks <= SPLICE_BLOCKS_ALL / splices)
        blocks *= 2;
    const size_t size = (size_t)blocks * SPLICE_BLOCK; /* a multiple of a page */
    *out = (struct splice){
        .source = { splice_view }, .image = image, .unread = unread, .block_count = blocks
    };
    out->up = out->down = (struct splice_way){ UINT64_MAX, 1 }; /* none was wanted yet */
    out->blocks = calloc(blocks, sizeof *out->blocks);
    out->bytes = splice_room(size);
    out->joint = malloc(SIG_BYTES_MAX);
    if (out->blocks == NULL || out->bytes == NULL || out->joint == NULL)
        return ERR_NO_MEMORY(err, size);
    return ERR_OK;
}

void splice_close(struct splice *splice)
{
    free(splice->begins);
    free(splice->blocks);
    if (splice->bytes != NULL)
        munmap(splice->bytes, (size_t)splice->block_count * SPLICE_BLOCK);
    free(splice->joint);
    *splice = (struct splice){ 0 };
}

enum err_code splice_set(struct splice *splice, const struct io_range *runs, uint32_t count,
                         struct err *err)
{
    if (count + 1 > splice->room) {
        const uint32_t room = 2 * (count + 1);
        uint64_t *begins = realloc(splice->begins, room * sizeof *begins);

        if (begins == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *begins);
        splice->begins = begins;
        splice->room = room;
    }
    splice->begins[0] = 0;
    for (uint32_t i = 0; i < count; i++)
        splice->begins[i + 1] = splice->begins[i] + runs[i].len;
    splice->runs = runs;
    splice->count = count;
    splice->at = 0;
    splice->last_have = 0;
    splice->start = runs[0].offset;
    splice->visible = splice->begins[count];
    return ERR_OK;
}

uint64_t splice_len(const struct splice *splice)
{
    return splice->begins[splice->count];
}

enum err_code splice_error(const struct splice *splice, struct err *err)
{
    if (splice->rc != ERR_OK && err != NULL)
        *err = splice->err;
    return splice->rc;
}
