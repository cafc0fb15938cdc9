/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/guess_look.c - see guess.h. Threads look at some spots at a time; what they found is
 * put together in the order of the image.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/limits.h"
#include "base/share.h"
#include "io/leftover/block_list.h"
#include "io/leftover/exfat_entry.h"
#include "io/leftover/extent_node.h"
#include "io/leftover/fat_entry.h"
#include "io/leftover/guess.h"
#include "io/leftover/mft_record.h"

enum {
    GUESS_THREADS = 16,
    GUESS_PIECE = 1 << 9, /* spots that a thread looks at before it takes others */
    GUESS_ROUND = 1 << 8, /* pieces that are looked at before what they say is put together */
};

/* Looks at all spots of the kind that the walk has. */
typedef void (*guess_look_fn)(struct leftover *walk, struct guess_found *found);

/* Some spots, one behind another in the image. */
struct guess_piece {
    enum geometry_kind kind;
    enum leftover_spot spot;
    guess_look_fn look;
    uint32_t from, count;
    struct guess_found found;
};

struct guess_hall {
    const struct leftover *walk;
    struct guess_piece *pieces; /* of the round */
    struct leftover *own; /* [threads]: each looks at its piece alone, through a cache of its own */
    struct err *errs;     /* [threads] */
};

static void guess_add(struct leftover *walk, struct guess_list *list, uint64_t item)
{
    if (walk->rc != ERR_OK || list->count == GUESS_FIRSTS_MAX)
        return;
    walk->rc = grow_items(&list->items, list->count, &list->room, sizeof *list->items, walk->err);
    if (walk->rc == ERR_OK)
        list->items[list->count++] = item;
}

/* Those for clusters of that many bytes. */
static struct guess_list *guess_firsts(struct guess_found *found, uint32_t unit)
{
    return &found->firsts[__builtin_ctz(unit / LIMIT_SECTOR)];
}

/* The first clusters of streams. The size of a cluster is the allocated size by the number of
 * clusters. */
static void guess_records(struct leftover *walk, struct guess_found *found)
{
    const struct leftover_spots *spots = &walk->spots[LEFTOVER_SPOT_RECORD];
    uint8_t bytes[MFT_RECORD_MAX];
    struct mft_record record;
    uint64_t cluster = 0, count = 0;
    bool broken = false;

    for (uint32_t i = 0; leftover_has_spot(walk, LEFTOVER_SPOT_RECORD, i); i++) {
        const uint64_t at = spots->at[i], left = walk->size - at;
        const size_t len = left < sizeof bytes ? (size_t)left : sizeof bytes;

        if (!leftover_read(walk, at, bytes, len) || !mft_record_read(bytes, len, &record) ||
            !record.has_data || record.vcn != 0)
            continue;
        struct mft_runs runs = mft_runs_of(&record);
        if (!mft_runs_next(&runs, &cluster, &count, &broken))
            continue;
        for (uint32_t unit = LIMIT_SECTOR; unit <= GUESS_UNIT_MAX; unit *= 2)
            if (record.allocated / unit == record.next_vcn && record.allocated % unit == 0)
                guess_add(walk, guess_firsts(found, unit), cluster);
    }
}

/* Lists begin 12 blocks behind the header of their file. */
static void guess_lists(struct leftover *walk, struct guess_found *found)
{
    const struct leftover_spots *spots = &walk->spots[LEFTOVER_SPOT_LIST];
    uint8_t block[GUESS_BLOCK_MAX];
    struct block_list list;

    for (uint32_t i = 0; leftover_has_spot(walk, LEFTOVER_SPOT_LIST, i); i++) {
        const uint64_t left = walk->size - spots->at[i];
        const size_t len = left < sizeof block ? (size_t)left : sizeof block;

        if (!leftover_read(walk, spots->at[i], block, len))
            return;
        for (uint32_t unit = GUESS_BLOCK_MIN; unit <= len; unit *= 2)
            if (block_list_read(block, unit, walk->size / unit, &list) && list.runs &&
                list.count > 1 && list.first > BLOCK_LIST_DIRECT)
                guess_add(walk, guess_firsts(found, unit), list.first - BLOCK_LIST_DIRECT);
    }
}

static void guess_inodes(struct leftover *walk, struct guess_found *found)
{
    const struct leftover_spots *spots = &walk->spots[LEFTOVER_SPOT_INODE];
    struct extent_inode inode;
    uint8_t sector[LIMIT_SECTOR];

    for (uint32_t i = 0; leftover_has_spot(walk, LEFTOVER_SPOT_INODE, i); i++)
        for (uint32_t at = 0; at < LIMIT_SECTOR; at += EXTENT_INODE_MIN)
            if (leftover_read(walk, spots->at[i], sector, sizeof sector) &&
                extent_inode_open(sector + at, &inode) && inode.node.depth == 0 &&
                extent_node_get(&inode.node, 0).logical == 0)
                for (uint32_t unit = GUESS_BLOCK_MIN; unit <= GUESS_BLOCK_MAX; unit *= 2)
                    guess_add(walk, guess_firsts(found, unit),
                              extent_node_get(&inode.node, 0).block);
}

/* Entries of folders; a folder's entry for itself says which cluster begins with it. */
static void guess_entries(struct leftover *walk, struct guess_found *found)
{
    const struct leftover_spots *spots = &walk->spots[LEFTOVER_SPOT_FAT];
    uint8_t sector[LIMIT_SECTOR];
    char name[FAT_NAME_MAX];
    struct fat_entry entry;

    for (uint32_t i = 0; leftover_has_spot(walk, LEFTOVER_SPOT_FAT, i); i++) {
        struct fat_name long_name = { .parts = 0 };

        if (!leftover_read(walk, spots->at[i], sector, sizeof sector))
            return;
        for (uint32_t at = 0; at < LIMIT_SECTOR; at += FAT_ENTRY_BYTES) {
            if (!fat_entry_read(sector + at, &long_name, &entry, name) || entry.first < 2)
                continue;
            guess_add(walk, &found->firsts[0], entry.first - 2);
            if (at == 0 && entry.self)
                guess_add(walk, &found->selves, spots->at[i]);
        }
    }
}

static void guess_sets(struct leftover *walk, struct guess_found *found)
{
    const struct leftover_spots *spots = &walk->spots[LEFTOVER_SPOT_EXFAT];
    struct exfat_set set = { 0 }, ended;
    uint8_t sector[LIMIT_SECTOR];

    for (uint32_t i = 0; leftover_has_spot(walk, LEFTOVER_SPOT_EXFAT, i); i++) {
        if (!leftover_read(walk, spots->at[i], sector, sizeof sector))
            return;
        for (uint32_t at = 0; at < LIMIT_SECTOR; at += EXFAT_ENTRY_BYTES)
            if (exfat_entry_take(sector + at, &set, &ended))
                guess_add(walk, &found->firsts[0], ended.first - 2);
    }
}

/* A set of exFAT may go over the end of a sector, and so of a piece: there is one piece. */
static const struct guess_source {
    enum geometry_kind kind;
    enum leftover_spot spot;
    guess_look_fn look;
    bool in_one;
} guess_sources[] = {
    { GEOMETRY_NTFS, LEFTOVER_SPOT_RECORD, guess_records, false },
    { GEOMETRY_EXT, LEFTOVER_SPOT_INODE, guess_inodes, false },
    { GEOMETRY_EXT, LEFTOVER_SPOT_LIST, guess_lists, false },
    { GEOMETRY_FAT, LEFTOVER_SPOT_FAT, guess_entries, false },
    { GEOMETRY_EXFAT, LEFTOVER_SPOT_EXFAT, guess_sets, true },
};

/* Cuts the spots of the kinds that are wanted. Returns the pieces; pieces NULL: counts them. */
static size_t guess_cut(const struct leftover *walk, const bool wanted[GEOMETRY_KINDS],
                        struct guess_piece *pieces)
{
    size_t n = 0;

    for (size_t k = 0; k < sizeof guess_sources / sizeof *guess_sources; k++) {
        const struct guess_source *source = &guess_sources[k];
        const uint32_t count = wanted[source->kind] ? walk->spots[source->spot].count : 0;
        const uint32_t most = source->in_one ? count : GUESS_PIECE;

        for (uint32_t from = 0; from < count; from += most, n++)
            if (pieces != NULL)
                pieces[n] =
                    (struct guess_piece){ .kind = source->kind,
                                          .spot = source->spot,
                                          .look = source->look,
                                          .from = from,
                                          .count = count - from < most ? count - from : most };
    }
    return n;
}

static void guess_one(void *arg, size_t number, uint32_t worker)
{
    const struct guess_hall *hall = arg;
    struct guess_piece *piece = &hall->pieces[number];
    struct leftover *own = &hall->own[worker];

    own->spots[piece->spot] =
        (struct leftover_spots){ .at = hall->walk->spots[piece->spot].at + piece->from,
                                 .count = piece->count };
    own->soon[piece->spot] = 0;
    piece->look(own, &piece->found);
}

static void guess_put(struct leftover *walk, struct guess_list *to, const struct guess_list *from)
{
    for (size_t i = 0; i < from->count; i++)
        guess_add(walk, to, from->items[i]);
}

/* What pieces say goes behind what those before them said. */
static void guess_join(struct leftover *walk, struct guess_piece *pieces, size_t count,
                       struct guess_found found[GEOMETRY_KINDS])
{
    for (size_t i = 0; i < count; i++) {
        struct guess_found *from = &pieces[i].found, *to = &found[pieces[i].kind];

        for (uint32_t k = 0; k < GUESS_SIZES; k++)
            guess_put(walk, &to->firsts[k], &from->firsts[k]);
        guess_put(walk, &to->selves, &from->selves);
        guess_found_release(from);
    }
}

void guess_found_release(struct guess_found *found)
{
    for (uint32_t k = 0; k < GUESS_SIZES; k++)
        free(found->firsts[k].items);
    free(found->selves.items);
    *found = (struct guess_found){ 0 };
}

/* Opens what threads need; the error is the walk's. Returns how many are to be closed. */
static uint32_t guess_open(struct leftover *walk, struct guess_hall *hall, uint32_t threads)
{
    uint32_t n = 0;

    hall->own = calloc(threads, sizeof *hall->own);
    hall->errs = calloc(threads, sizeof *hall->errs);
    if (hall->own == NULL || hall->errs == NULL)
        walk->rc = ERR_NO_MEMORY(walk->err, threads * sizeof *hall->own);
    for (; walk->rc == ERR_OK && n < threads; n++) {
        hall->own[n] = (struct leftover){
            .image = walk->image, .size = walk->size, .hint = walk->hint, .err = &hall->errs[n]
        };
        walk->rc = leftover_cache_open(&hall->own[n], walk->err);
    }
    return n;
}

static void guess_close(const struct guess_hall *hall, uint32_t opened)
{
    for (uint32_t i = 0; i < opened; i++)
        leftover_cache_close(&hall->own[i]);
    free(hall->own);
    free(hall->errs);
}

/* Takes over an error of a thread. */
static void guess_failed(struct leftover *walk, const struct guess_hall *hall, uint32_t threads)
{
    for (uint32_t i = 0; i < threads && walk->rc == ERR_OK; i++)
        if (hall->own[i].rc != ERR_OK) {
            walk->rc = hall->own[i].rc;
            *walk->err = hall->errs[i];
        }
}

void guess_look(struct leftover *walk, const bool wanted[GEOMETRY_KINDS],
                struct guess_found found[GEOMETRY_KINDS])
{
    const size_t count = guess_cut(walk, wanted, NULL);
    const uint32_t asked = walk->hint->threads > 0 ? walk->hint->threads : 1;
    const uint32_t most = asked < GUESS_THREADS ? asked : GUESS_THREADS;
    const uint32_t threads = count < most ? (uint32_t)count : most;
    struct guess_hall hall = { .walk = walk };

    if (count == 0)
        return;
    struct guess_piece *pieces = malloc(count * sizeof *pieces);
    if (pieces == NULL) {
        walk->rc = ERR_NO_MEMORY(walk->err, count * sizeof *pieces);
        return;
    }
    guess_cut(walk, wanted, pieces);
    const uint32_t opened = guess_open(walk, &hall, threads);
    for (size_t at = 0; walk->rc == ERR_OK && at < count; at += GUESS_ROUND) {
        const size_t some = count - at < GUESS_ROUND ? count - at : GUESS_ROUND;

        hall.pieces = pieces + at;
        share_out("guess", some, threads, guess_one, &hall);
        guess_failed(walk, &hall, threads);
        guess_join(walk, hall.pieces, some, found);
    }
    guess_close(&hall, opened);
    free(pieces);
}
