/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/guess.c - volumes whose boot sectors and superblocks are gone: where their clusters
 * lie, by the votes of what their records say and of where headers lie. See leftover_impl.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "io/leftover/block_list.h"
#include "io/leftover/exfat_entry.h"
#include "io/leftover/extent_node.h"
#include "io/leftover/fat_entry.h"
#include "io/leftover/leftover_impl.h"
#include "io/leftover/mft_record.h"
#include "io/leftover/votes.h"

enum {
    GUESS_FIRSTS_MAX = 1 << 16, /* clusters that files begin at */
    GUESS_SELVES_MAX = 1 << 12, /* folders of FAT that say where they lie */
    GUESS_UNIT_MAX = 1 << 21,   /* bytes: the largest cluster of NTFS */
    GUESS_SIZES = 13,           /* sizes of clusters from a sector to that, */
    GUESS_BLOCK_MIN = 1024,     /* and of blocks of ext, in bytes */
    GUESS_BLOCK_MAX = 4096,
};

/* Clusters that files begin at, as those say whose clusters have one size. */
struct guess_firsts {
    uint64_t *items; /* [GUESS_FIRSTS_MAX] */
    uint32_t count;
};

struct guess {
    struct leftover *walk;
    struct guess_firsts firsts[GUESS_SIZES]; /* [n]: for a unit of LIMIT_SECTOR << n */
    uint64_t *starts; /* headers, and folders that say where they lie; ascending */
    uint64_t start_count;
};

static void guess_first(struct guess_firsts *firsts, uint64_t cluster)
{
    if (firsts->count < GUESS_FIRSTS_MAX)
        firsts->items[firsts->count++] = cluster;
}

/* Those for clusters of that many bytes. */
static struct guess_firsts *guess_firsts(struct guess *guess, uint32_t unit)
{
    return &guess->firsts[__builtin_ctz(unit / LIMIT_SECTOR)];
}

static int guess_compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* Begins anew: no firsts, and the headers of the hint, as many as vote, with room for more. */
static void guess_begin(struct guess *guess)
{
    const struct io_leftover_hint *hint = guess->walk->hint;
    const uint64_t step = (hint->start_count + VOTES_STARTS - 1) / VOTES_STARTS;

    for (uint32_t i = 0; i < GUESS_SIZES; i++)
        guess->firsts[i].count = 0;
    guess->start_count = 0;
    for (uint64_t i = 0; i < hint->start_count; i += step)
        guess->starts[guess->start_count++] = hint->starts[i];
}

/* Votes for clusters of least bytes to most, each twice the one before; all: firsts are the same
 * for each. best: the place where most headers lie, with the smallest clusters of those alike. */
static void guess_vote(struct guess *guess, uint32_t least, uint32_t most, bool all,
                       struct geometry *best)
{
    struct votes_poll polls[GUESS_SIZES];
    uint32_t count = 0;

    for (uint32_t unit = least; unit <= most; unit *= 2) {
        const struct guess_firsts *firsts = all ? &guess->firsts[0] : guess_firsts(guess, unit);

        polls[count] =
            (struct votes_poll){ .firsts = firsts->items, .count = firsts->count, .unit = unit };
        count++;
    }
    if (guess->walk->rc == ERR_OK)
        guess->walk->rc = votes_all(polls, count, guess->starts, guess->start_count,
                                    guess->walk->hint->threads, guess->walk->err);
    for (uint32_t i = 0; i < count && guess->walk->rc == ERR_OK; i++) {
        if (polls[i].hits <= best->weight)
            continue;
        best->weight = polls[i].hits;
        best->unit = polls[i].unit;
        best->unit_at = polls[i].at;
    }
}

/* What was voted for becomes a volume, from its first cluster to the end of the image. */
static void guess_volume(struct guess *guess, enum geometry_kind kind, uint64_t first,
                         struct geometry *best)
{
    struct leftover *walk = guess->walk;
    uint32_t kept = 0;

    if (best->weight == 0)
        return;
    for (uint32_t i = 0; i < walk->volume_count; i++)
        if (walk->volumes[i].kind != kind)
            walk->volumes[kept++] = walk->volumes[i];
    walk->volume_count = kept < LEFTOVER_VOLUMES_MAX ? kept : LEFTOVER_VOLUMES_MAX - 1;
    best->guessed = true;
    best->kind = kind;
    best->first = first;
    best->base = kind == GEOMETRY_FAT || kind == GEOMETRY_EXFAT ? 0 : best->unit_at;
    best->size = walk->size - best->base;
    best->units = (walk->size - best->unit_at) / best->unit;
    best->area = (struct io_range){ best->unit_at, walk->size - best->unit_at };
    walk->volumes[walk->volume_count++] = *best;
}

/* The first clusters of streams. The size of a cluster is the allocated size by the number of
 * clusters. */
static void guess_records(struct guess *guess)
{
    const struct leftover_spots *spots = &guess->walk->spots[LEFTOVER_SPOT_RECORD];
    uint8_t bytes[MFT_RECORD_MAX];
    struct mft_record record;
    uint64_t cluster = 0, count = 0;
    bool broken = false;

    for (uint32_t i = 0; leftover_has_spot(guess->walk, LEFTOVER_SPOT_RECORD, i); i++) {
        const uint64_t at = spots->at[i], left = guess->walk->size - at;
        const size_t len = left < sizeof bytes ? (size_t)left : sizeof bytes;

        if (!leftover_read(guess->walk, at, bytes, len) || !mft_record_read(bytes, len, &record) ||
            !record.has_data || record.vcn != 0)
            continue;
        struct mft_runs runs = mft_runs_of(&record);
        if (!mft_runs_next(&runs, &cluster, &count, &broken))
            continue;
        for (uint32_t unit = LIMIT_SECTOR; unit <= GUESS_UNIT_MAX; unit *= 2)
            if (record.allocated / unit == record.next_vcn && record.allocated % unit == 0)
                guess_first(guess_firsts(guess, unit), cluster);
    }
}

static void guess_ntfs(struct guess *guess)
{
    struct geometry best = { 0 };

    guess_begin(guess);
    guess_records(guess);
    guess_vote(guess, LIMIT_SECTOR, GUESS_UNIT_MAX, false, &best);
    guess_volume(guess, GEOMETRY_NTFS, 0, &best);
}

/* Lists begin 12 blocks behind the header of their file. */
static void guess_lists(struct guess *guess)
{
    const struct leftover_spots *spots = &guess->walk->spots[LEFTOVER_SPOT_LIST];
    const uint64_t size = guess->walk->size;
    uint8_t block[GUESS_BLOCK_MAX];
    struct block_list list;

    for (uint32_t i = 0; leftover_has_spot(guess->walk, LEFTOVER_SPOT_LIST, i); i++) {
        const uint64_t left = size - spots->at[i];
        const size_t len = left < sizeof block ? (size_t)left : sizeof block;

        if (!leftover_read(guess->walk, spots->at[i], block, len))
            return;
        for (uint32_t unit = GUESS_BLOCK_MIN; unit <= len; unit *= 2)
            if (block_list_read(block, unit, size / unit, &list) && list.runs && list.count > 1 &&
                list.first > BLOCK_LIST_DIRECT)
                guess_first(guess_firsts(guess, unit), list.first - BLOCK_LIST_DIRECT);
    }
}

static void guess_inodes(struct guess *guess)
{
    const struct leftover_spots *spots = &guess->walk->spots[LEFTOVER_SPOT_INODE];
    struct extent_inode inode;
    uint8_t sector[LIMIT_SECTOR];

    for (uint32_t i = 0; leftover_has_spot(guess->walk, LEFTOVER_SPOT_INODE, i); i++)
        for (uint32_t at = 0; at < LIMIT_SECTOR; at += EXTENT_INODE_MIN)
            if (leftover_read(guess->walk, spots->at[i], sector, sizeof sector) &&
                extent_inode_open(sector + at, &inode) && inode.node.depth == 0 &&
                extent_node_get(&inode.node, 0).logical == 0)
                for (uint32_t unit = GUESS_BLOCK_MIN; unit <= GUESS_BLOCK_MAX; unit *= 2)
                    guess_first(guess_firsts(guess, unit), extent_node_get(&inode.node, 0).block);
}

static void guess_ext(struct guess *guess)
{
    struct geometry best = { 0 };

    guess_begin(guess);
    guess_inodes(guess);
    guess_lists(guess);
    guess_vote(guess, GUESS_BLOCK_MIN, GUESS_BLOCK_MAX, false, &best);
    guess_volume(guess, GEOMETRY_EXT, 0, &best);
}

/* Entries of folders; a folder's entry for itself says which cluster begins with it. */
static void guess_entries(struct guess *guess)
{
    const struct leftover_spots *spots = &guess->walk->spots[LEFTOVER_SPOT_FAT];
    uint8_t sector[LIMIT_SECTOR];
    char name[FAT_NAME_MAX];
    struct fat_entry entry;
    uint32_t selves = 0;

    for (uint32_t i = 0; leftover_has_spot(guess->walk, LEFTOVER_SPOT_FAT, i); i++) {
        struct fat_name long_name = { .parts = 0 };

        if (!leftover_read(guess->walk, spots->at[i], sector, sizeof sector))
            return;
        for (uint32_t at = 0; at < LIMIT_SECTOR; at += FAT_ENTRY_BYTES) {
            if (!fat_entry_read(sector + at, &long_name, &entry, name) || entry.first < 2)
                continue;
            guess_first(&guess->firsts[0], entry.first - 2);
            if (at == 0 && entry.self && selves++ < GUESS_SELVES_MAX)
                guess->starts[guess->start_count++] = spots->at[i];
        }
    }
    if (guess->start_count > 1)
        qsort(guess->starts, (size_t)guess->start_count, sizeof *guess->starts, guess_compare);
}

static void guess_sets(struct guess *guess)
{
    const struct leftover_spots *spots = &guess->walk->spots[LEFTOVER_SPOT_EXFAT];
    struct exfat_set set = { 0 }, ended;
    uint8_t sector[LIMIT_SECTOR];

    for (uint32_t i = 0; leftover_has_spot(guess->walk, LEFTOVER_SPOT_EXFAT, i); i++) {
        if (!leftover_read(guess->walk, spots->at[i], sector, sizeof sector))
            return;
        for (uint32_t at = 0; at < LIMIT_SECTOR; at += EXFAT_ENTRY_BYTES)
            if (exfat_entry_take(sector + at, &set, &ended))
                guess_first(&guess->firsts[0], ended.first - 2);
    }
}

static void guess_fat(struct guess *guess, enum geometry_kind kind)
{
    struct geometry best = { 0 };

    guess_begin(guess);
    if (kind == GEOMETRY_FAT)
        guess_entries(guess);
    else
        guess_sets(guess);
    guess_vote(guess, LIMIT_SECTOR, GUESS_UNIT_MAX, true, &best);
    guess_volume(guess, kind, 2, &best);
}

static bool guess_wanted(const struct leftover *walk, enum geometry_kind kind,
                         enum leftover_spot spot, enum leftover_spot other)
{
    for (uint32_t i = 0; i < walk->volume_count; i++)
        if (walk->volumes[i].kind == kind && walk->volumes[i].weight > LEFTOVER_DOUBTFUL)
            return false;
    return walk->rc == ERR_OK && walk->spots[spot].count + walk->spots[other].count > 0;
}

void leftover_guess(struct leftover *walk)
{
    struct guess guess = { .walk = walk };

    uint64_t *firsts = malloc((size_t)GUESS_SIZES * GUESS_FIRSTS_MAX * sizeof *firsts);
    guess.starts = malloc((VOTES_STARTS + GUESS_SELVES_MAX) * sizeof *guess.starts);
    if (firsts == NULL || guess.starts == NULL)
        walk->rc = ERR_NO_MEMORY(walk->err, GUESS_FIRSTS_MAX * sizeof *firsts);
    for (uint32_t i = 0; firsts != NULL && i < GUESS_SIZES; i++)
        guess.firsts[i].items = firsts + (size_t)i * GUESS_FIRSTS_MAX;
    if (guess_wanted(walk, GEOMETRY_NTFS, LEFTOVER_SPOT_RECORD, LEFTOVER_SPOT_RECORD))
        guess_ntfs(&guess);
    if (guess_wanted(walk, GEOMETRY_EXT, LEFTOVER_SPOT_LIST, LEFTOVER_SPOT_INODE))
        guess_ext(&guess);
    if (guess_wanted(walk, GEOMETRY_FAT, LEFTOVER_SPOT_FAT, LEFTOVER_SPOT_FAT))
        guess_fat(&guess, GEOMETRY_FAT);
    if (guess_wanted(walk, GEOMETRY_EXFAT, LEFTOVER_SPOT_EXFAT, LEFTOVER_SPOT_EXFAT))
        guess_fat(&guess, GEOMETRY_EXFAT);
    free(firsts);
    free(guess.starts);
}
