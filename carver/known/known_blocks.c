/* SPDX-License-Identifier: Apache-2.0
 * carver/known/known_blocks.c - see known_blocks.h.
 *
 * Blocks begin at multiples of a step of the image, and so may begin in one segment and end in the
 * next: the last bytes of a segment are kept, and stand with the first of the next one in a small
 * buffer of that one's own.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/limits.h"
#include "carver/hashset/known_block.h"
#include "carver/known/known_blocks.h"

enum { BLOCKS_BATCH = 256 };

/* The segment under way. */
struct blocks_slot {
    struct known_blocks *blocks;
    const uint8_t *bytes;
    uint64_t offset;
    uint32_t len;
    uint8_t *joint; /* the end of the segment before, then the beginning of this one; NULL: no block
                       needs it */
    uint32_t before, behind; /* bytes of the two */
    struct known_block_list *found;
    uint32_t index;
    bool no_memory;
    enum err_code rc; /* of the device */
    struct err err;
};

struct known_blocks {
    const struct known_scan *scan;
    struct match_hasher *device; /* or NULL */
    char lost[ERR_TEXT_MAX];     /* why it failed: the processor does its work from there on */
    uint32_t longest;            /* block */
    uint8_t *tail;               /* the last bytes looked at */
    uint32_t tail_len;
    struct blocks_slot slot;
};

/* Blocks whose hashes are wanted, gathered until there are many. */
struct blocks_batch {
    struct blocks_slot *slot;
    enum digest_kind hash;
    uint32_t block_len;
    uint32_t count;
    const uint8_t *blocks[BLOCKS_BATCH];
    uint64_t offsets[BLOCKS_BATCH];
};

static uint32_t blocks_step(const struct known_scan *scan, uint32_t block_len)
{
    return scan->step != 0 ? scan->step : block_len;
}

enum err_code known_block_list_add(struct known_block_list *list, const struct known_block *block,
                                   struct err *err)
{
    const enum err_code rc =
        grow_items(&list->items, list->count, &list->room, sizeof *list->items, err);

    if (rc == ERR_OK)
        list->items[list->count++] = *block;
    return rc;
}

static bool blocks_note(struct known_block_list *list, uint64_t offset, uint32_t set,
                        const struct known_found *what, const uint8_t *digest, uint32_t digest_len)
{
    struct known_block found = { .offset = offset, .set = set, .what = *what };

    memcpy(found.digest, digest, digest_len);
    return known_block_list_add(list, &found, NULL) == ERR_OK;
}

/* Looks the gathered blocks up in a set of their kind. All are held against its filter at once:
 * that of a large set lies in memory far from the processor, which then waits for many of them at
 * a time. */
static void blocks_look_up(struct blocks_batch *batch, uint32_t number, const uint8_t *digests)
{
    const struct known_set *set = &batch->slot->blocks->scan->sets[number];
    const uint32_t len = digest_len(batch->hash);
    uint8_t answers[BLOCKS_BATCH];

    known_set_filter(set, digests, batch->count, answers);
    for (uint32_t i = 0; i < batch->count; i++) {
        const uint8_t *digest = digests + (size_t)i * len;
        struct known_found what;

        if (answers[i] == 0 || !known_set_find(set, digest, &what) ||
            known_block_nonprobative(batch->blocks[i], batch->block_len) != NULL)
            continue;
        if (!blocks_note(batch->slot->found, batch->offsets[i], number, &what, digest, len))
            batch->slot->no_memory = true;
    }
}

/* Looks the gathered blocks up. */
static void blocks_flush(struct blocks_batch *batch)
{
    const struct known_scan *scan = batch->slot->blocks->scan;
    uint8_t digests[BLOCKS_BATCH * DIGEST_MAX];

    if (batch->count == 0)
        return;
    digest_blocks(batch->hash, batch->blocks, batch->count, batch->block_len, digests);
    for (uint32_t s = 0; s < scan->count; s++)
        if (scan->sets[s].about.block_len == batch->block_len &&
            scan->sets[s].about.hash == batch->hash)
            blocks_look_up(batch, s, digests);
    batch->count = 0;
}

static void blocks_take(struct blocks_batch *batch, const uint8_t *block, uint64_t offset)
{
    if (memcmp(block, block + 1, batch->block_len - 1) == 0)
        return; /* constant: says nothing */
    batch->blocks[batch->count] = block;
    batch->offsets[batch->count++] = offset;
    if (batch->count == BLOCKS_BATCH)
        blocks_flush(batch);
}

static uint64_t blocks_round(uint64_t value, uint32_t step)
{
    return (value + step - 1) / step * step;
}

/* Those that the device's filters let through, from image offset at on; false when the device
 * fails. */
static bool blocks_let_through(struct blocks_slot *slot, struct blocks_batch *batch, uint64_t at,
                               uint32_t step)
{
    const uint64_t end = slot->offset + slot->len;
    const uint64_t count =
        at + batch->block_len <= end ? (end - at - batch->block_len) / step + 1 : 0;
    const struct match_hasher_question question = { .hash = batch->hash,
                                                    .block_len = batch->block_len,
                                                    .first = (uint32_t)(at - slot->offset),
                                                    .step = step,
                                                    .count = (uint32_t)count };
    const uint8_t *answers = NULL;

    if (slot->rc == ERR_OK && count > 0)
        slot->rc =
            match_hasher_ask(slot->blocks->device, slot->index, &question, &answers, &slot->err);
    for (uint64_t i = 0; slot->rc == ERR_OK && i < count; i++)
        if (answers[i] != 0)
            blocks_take(batch, slot->bytes + (at + i * step - slot->offset), at + i * step);
    return slot->rc == ERR_OK;
}

/* All blocks of one kind that end in the segment. */
static void blocks_kind(struct blocks_slot *slot, enum digest_kind hash, uint32_t block_len)
{
    const uint32_t step = blocks_step(slot->blocks->scan, block_len);
    const uint32_t before = slot->before < block_len - 1 ? slot->before : block_len - 1;
    const uint64_t end = slot->offset + slot->len;
    struct blocks_batch batch = { .slot = slot, .hash = hash, .block_len = block_len };
    uint64_t at = blocks_round(slot->offset - before, step);

    for (; at < slot->offset && at + block_len <= slot->offset + slot->behind; at += step)
        blocks_take(&batch, slot->joint + (at + slot->before - slot->offset), at);
    at = blocks_round(slot->offset, step);
    if (slot->blocks->device == NULL || slot->blocks->lost[0] != '\0' ||
        !blocks_let_through(slot, &batch, at, step))
        for (; at + block_len <= end; at += step)
            blocks_take(&batch, slot->bytes + (at - slot->offset), at);
    blocks_flush(&batch);
}

static int blocks_order(const void *a, const void *b)
{
    const struct known_block *x = a, *y = b;

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (x->set > y->set) - (x->set < y->set);
}

/* Whether the set is of blocks, and the first one with its kind of hash and length of block. */
static bool blocks_is_first(const struct known_scan *scan, uint32_t number)
{
    const struct known_about *about = &scan->sets[number].about;
    bool again = about->block_len == 0;

    for (uint32_t t = 0; t < number; t++)
        again = again || (scan->sets[t].about.block_len == about->block_len &&
                          scan->sets[t].about.hash == about->hash);
    return !again;
}

/* Brings what was found from item `first` on into its order. */
static void blocks_sort(struct known_block_list *list, uint32_t first)
{
    if (list->count > first + 1)
        qsort(list->items + first, list->count - first, sizeof *list->items, blocks_order);
}

/* Each kind of hash and length of block once, however many sets have it. */
static void blocks_work(struct blocks_slot *slot)
{
    const struct known_scan *scan = slot->blocks->scan;
    const uint32_t first = slot->found->count;

    if (slot->blocks->device != NULL && slot->blocks->lost[0] == '\0')
        slot->rc = match_hasher_load(slot->blocks->device, slot->index, slot->bytes, slot->len,
                                     &slot->err);
    for (uint32_t s = 0; s < scan->count; s++)
        if (blocks_is_first(scan, s))
            blocks_kind(slot, scan->sets[s].about.hash, scan->sets[s].about.block_len);
    blocks_sort(slot->found, first);
}

enum err_code known_blocks_apart(struct known_blocks *blocks, const struct known_piece *pieces,
                                 uint32_t count, struct known_block_list *out, struct err *err)
{
    const struct known_scan *scan = blocks->scan;
    const uint32_t first = out->count;
    struct blocks_slot *slot = &blocks->slot;

    blocks->tail_len = 0;
    slot->found = out;
    slot->no_memory = false;
    for (uint32_t s = 0; s < scan->count; s++) {
        const uint32_t len = scan->sets[s].about.block_len;
        struct blocks_batch batch = { .slot = slot,
                                      .hash = scan->sets[s].about.hash,
                                      .block_len = len };

        if (!blocks_is_first(scan, s))
            continue;
        const uint32_t step = blocks_step(scan, len);
        for (uint32_t i = 0; i < count; i++) {
            const struct known_piece *piece = &pieces[i];

            for (uint64_t at = blocks_round(piece->offset, step);
                 at + len <= piece->offset + piece->len; at += step)
                blocks_take(&batch, piece->bytes + (at - piece->offset), at);
        }
        blocks_flush(&batch);
    }
    blocks_sort(out, first);
    return slot->no_memory ? ERR_NO_MEMORY(err, out->room * sizeof *out->items) : ERR_OK;
}

enum err_code known_blocks_open_device(const struct known_scan *scan,
                                       const struct device_provider *devices, uint32_t device,
                                       uint32_t slots, uint32_t segment_len,
                                       struct match_hasher **out, struct err *err)
{
    struct match_hasher_filter filters[KNOWN_SETS_MAX];
    struct match_hasher_options options = { .filters = filters,
                                            .slots = slots,
                                            .segment_len = segment_len,
                                            .device = device,
                                            .devices = devices };

    static_assert((int)KNOWN_SETS_MAX <= (int)MATCH_HASHER_FILTERS_MAX, "each set has a filter");
    for (uint32_t i = 0; i < scan->count; i++) {
        const struct known_set *set = &scan->sets[i];
        const uint32_t len = set->about.block_len;

        if (len != 0)
            filters[options.filter_count++] =
                (struct match_hasher_filter){ set->about.hash, len, blocks_step(scan, len),
                                              &set->filter };
    }
    return match_hasher_open(&options, out, err);
}

enum err_code known_blocks_open(const struct known_scan *scan, struct match_hasher *device,
                                struct known_blocks **out, struct err *err)
{
    struct known_blocks *blocks = calloc(1, sizeof *blocks);

    *out = blocks;
    if (blocks == NULL)
        return ERR_NO_MEMORY(err, sizeof *blocks);
    blocks->scan = scan;
    blocks->device = device;
    blocks->slot.blocks = blocks;
    blocks->longest = KNOWN_BLOCK_MIN;
    for (uint32_t i = 0; i < scan->count; i++)
        if (scan->sets[i].about.block_len > blocks->longest)
            blocks->longest = scan->sets[i].about.block_len;
    blocks->tail = malloc(blocks->longest);
    if (blocks->tail != NULL)
        return ERR_OK;
    const enum err_code rc = ERR_NO_MEMORY(err, blocks->longest);
    known_blocks_close(blocks);
    *out = NULL;
    return rc;
}

void known_blocks_close(struct known_blocks *blocks)
{
    if (blocks == NULL)
        return;
    free(blocks->slot.joint);
    free(blocks->tail);
    free(blocks);
}

const char *known_blocks_lost(const struct known_blocks *blocks)
{
    return blocks->lost;
}

uint32_t known_blocks_before(const struct known_blocks *blocks)
{
    return blocks->longest - 1;
}

/* Whether a block may begin before offset and end behind it. */
static bool blocks_straddle(const struct known_blocks *blocks, uint64_t offset)
{
    for (uint32_t i = 0; i < blocks->scan->count; i++) {
        const uint32_t len = blocks->scan->sets[i].about.block_len;

        if (len != 0 && (blocks_step(blocks->scan, len) < len || offset % len != 0))
            return true;
    }
    return false;
}

/* Puts the end of the segment before in front of the beginning of this one. */
static enum err_code blocks_join(struct known_blocks *blocks, struct blocks_slot *slot,
                                 struct err *err)
{
    slot->before = slot->behind = 0;
    if (blocks->tail_len == 0 || !blocks_straddle(blocks, slot->offset))
        return ERR_OK;
    if (slot->joint == NULL)
        slot->joint = malloc((size_t)2 * blocks->longest);
    if (slot->joint == NULL)
        return ERR_NO_MEMORY(err, (size_t)2 * blocks->longest);
    slot->before = blocks->tail_len;
    slot->behind = slot->len < blocks->longest ? slot->len : blocks->longest;
    memcpy(slot->joint, blocks->tail, slot->before);
    memcpy(slot->joint + slot->before, slot->bytes, slot->behind);
    return ERR_OK;
}

/* Remembers the last bytes of the segment, together with those before it where it is short. */
static void blocks_keep(struct known_blocks *blocks, const struct blocks_slot *slot)
{
    const uint32_t most = blocks->longest - 1;
    const uint32_t own = slot->len < most ? slot->len : most;
    const uint32_t old = blocks->tail_len < most - own ? blocks->tail_len : most - own;

    memmove(blocks->tail, blocks->tail + (blocks->tail_len - old), old);
    memcpy(blocks->tail + old, slot->bytes + (slot->len - own), own);
    blocks->tail_len = old + own;
}

void known_blocks_begin(struct known_blocks *blocks, const uint8_t *before, uint32_t len)
{
    const uint32_t most = known_blocks_before(blocks), own = len < most ? len : most;

    memcpy(blocks->tail, before + (len - own), own);
    blocks->tail_len = own;
}

enum err_code known_blocks_look(struct known_blocks *blocks, uint32_t index, uint64_t offset,
                                const uint8_t *bytes, uint32_t len, struct known_block_list *out,
                                struct err *err)
{
    struct blocks_slot *slot = &blocks->slot;

    slot->index = index;
    slot->offset = offset;
    slot->bytes = bytes;
    slot->len = len;
    slot->found = out;
    slot->rc = ERR_OK;
    const enum err_code rc = blocks_join(blocks, slot, err);
    if (rc != ERR_OK)
        return rc;
    if (blocks_straddle(blocks, offset + len))
        blocks_keep(blocks, slot);
    else
        blocks->tail_len = 0;
    blocks_work(slot);
    if (slot->no_memory)
        return ERR_NO_MEMORY(err, out->room * sizeof *out->items);
    if (slot->rc != ERR_OK && blocks->lost[0] == '\0')
        snprintf(blocks->lost, sizeof blocks->lost, "%s", slot->err.text);
    return ERR_OK;
}
