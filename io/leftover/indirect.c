/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/indirect.c - layouts from indirect blocks of ext2 and ext3. See leftover_impl.h.
 *
 * A deletion wipes the inode, with the first 12 blocks of the file, and leaves the lists of the
 * others. What lists a file had is found by its header: at block h, the list begins with h + 12
 * (data go on behind the first 12 blocks, and the driver of ext4 puts lists elsewhere), or lies
 * itself at h + 12 (drivers of ext2 and old ones of ext3).
 *
 *   list, full ──► list of lists ──► list of lists of lists, for files that are larger
 *
 * A list that no header fits so has its file's first blocks in pieces. Which these are nothing
 * says: so each file is told without them, too.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/bytes.h"
#include "io/leftover/block_list.h"
#include "io/leftover/leftover_impl.h"

enum {
    INDIRECT_DEPTH_MAX = 3,
    INDIRECT_TRIES = 2, /* lists of lists tried for a list */
    INDIRECT_LOOK = 64, /* lists of lists looked at for these */
    INDIRECT_NONE = UINT32_MAX,
};
#define INDIRECT_LOST UINT64_MAX /* no block: nothing says where the header lies */

struct indirect_list {
    uint64_t at; /* image offset */
    uint32_t count, first, last;
    uint8_t depth; /* 1: of blocks of a file, 2: of lists, 3: of lists of lists; 0: none of them */
    bool full;
    bool inside; /* a list of lists names it: it is not the first one of its file */
};

/* A list of lists. */
struct indirect_deep {
    uint32_t list; /* its number */
    uint32_t data; /* the first block of data that it leads to */
};

struct indirect {
    struct leftover *walk;
    const struct geometry *volume;
    struct indirect_list *lists; /* by place */
    uint32_t count;
    /* Those of depth 2 and more, by place and by the first block of data that they lead to. */
    struct indirect_deep *deep, *by_data; /* one block of memory */
    uint32_t deep_count;
    uint8_t *blocks; /* of `unit` bytes each: one for each depth */
};

static bool indirect_list_before(const void *item, uint64_t at)
{
    return ((const struct indirect_list *)item)->at < at;
}

static bool indirect_start_before(const void *item, uint64_t at)
{
    return *(const uint64_t *)item < at;
}

/* Number of the list in that block of the file system, or INDIRECT_NONE. */
static uint32_t indirect_find(const struct indirect *all, uint64_t block)
{
    const uint64_t at = all->volume->unit_at + block * all->volume->unit;
    const size_t i = bisect(all->lists, all->count, sizeof *all->lists, indirect_list_before, at);

    return i < all->count && all->lists[i].at == at ? (uint32_t)i : INDIRECT_NONE;
}

/* A file's header lies at the begin of that block. */
static bool indirect_header(const struct indirect *all, uint64_t block)
{
    const struct io_leftover_hint *hint = all->walk->hint;
    const uint64_t at = all->volume->unit_at + block * all->volume->unit;
    const size_t i = bisect(hint->starts, (size_t)hint->start_count, sizeof *hint->starts,
                            indirect_start_before, at);

    return i < hint->start_count && hint->starts[i] == at;
}

/* The block's bytes, in the buffer of that depth; NULL: they cannot be read. */
static const uint8_t *indirect_block(struct indirect *all, const struct indirect_list *list)
{
    uint8_t *block =
        all->blocks + (size_t)all->volume->unit * (list->depth > 0 ? list->depth - 1 : 0);

    return leftover_read(all->walk, list->at, block, all->volume->unit) ? block : NULL;
}

static void indirect_gather(struct indirect *all, uint64_t at)
{
    const struct geometry *volume = all->volume;
    struct block_list list;

    assert(all->lists != NULL);
    if (at < volume->unit_at || (at - volume->unit_at) % volume->unit != 0 ||
        (at - volume->unit_at) / volume->unit >= volume->units ||
        !leftover_read(all->walk, at, all->blocks, volume->unit) ||
        !block_list_read(all->blocks, volume->unit, volume->units, &list))
        return;
    all->lists[all->count++] = (struct indirect_list){ .at = at,
                                                       .count = list.count,
                                                       .first = list.first,
                                                       .last = list.last,
                                                       .depth = list.runs ? 1 : 0,
                                                       .full = list.full };
}

/* Its entries are lists of that depth, all but the last one full. */
static bool indirect_of_lists(struct indirect *all, const struct indirect_list *list,
                              uint32_t depth)
{
    uint32_t i = indirect_find(all, list->first);

    if (i == INDIRECT_NONE || all->lists[i].depth != depth ||
        !leftover_read(all->walk, list->at, all->blocks, all->volume->unit))
        return false;
    for (uint32_t k = 0; k < list->count; k++) {
        i = indirect_find(all, bytes_u32le(all->blocks + 4 * (size_t)k));
        if (i == INDIRECT_NONE || all->lists[i].depth != depth ||
            (k + 1 < list->count && !all->lists[i].full))
            return false;
    }
    return true;
}

/* Notes that the lists in this list of lists are. */
static void indirect_note_inside(struct indirect *all, const struct indirect_list *list)
{
    const uint8_t *block = indirect_block(all, list);

    for (uint32_t k = 0; block != NULL && k < list->count; k++) {
        const uint32_t i = indirect_find(all, bytes_u32le(block + 4 * (size_t)k));

        if (i != INDIRECT_NONE)
            all->lists[i].inside = true;
    }
}

/* The first block of data that the list leads to. */
static uint32_t indirect_data(const struct indirect *all, uint32_t i)
{
    for (uint32_t depth = all->lists[i].depth; depth > 1 && i != INDIRECT_NONE; depth--)
        i = indirect_find(all, all->lists[i].first);
    return i != INDIRECT_NONE ? all->lists[i].first : 0;
}

static int indirect_compare(const void *a, const void *b)
{
    const struct indirect_deep *x = a, *y = b;

    if (x->data != y->data)
        return x->data < y->data ? -1 : 1;
    return x->list < y->list ? -1 : x->list > y->list;
}

/* Lists of lists, and lists of these. A list of blocks that follow each other may be one, too. */
static void indirect_depths(struct indirect *all)
{
    struct leftover *walk = all->walk;
    uint32_t count = 0;

    for (uint32_t depth = 2; depth <= INDIRECT_DEPTH_MAX; depth++)
        for (uint32_t i = 0; i < all->count && !leftover_ended(walk, i); i++)
            if (indirect_of_lists(all, &all->lists[i], depth - 1))
                all->lists[i].depth = (uint8_t)depth;
    for (uint32_t i = 0; i < all->count; i++)
        count += all->lists[i].depth > 1;
    if (count == 0 || walk->rc != ERR_OK)
        return;
    all->deep = malloc(2 * (size_t)count * sizeof *all->deep);
    if (all->deep == NULL) {
        walk->rc = ERR_NO_MEMORY(walk->err, 2 * (size_t)count * sizeof *all->deep);
        return;
    }
    all->by_data = all->deep + count;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->lists[i].depth > 1) {
            all->deep[all->deep_count++] = (struct indirect_deep){ i, indirect_data(all, i) };
            indirect_note_inside(all, &all->lists[i]);
        }
    memcpy(all->by_data, all->deep, count * sizeof *all->deep);
    qsort(all->by_data, count, sizeof *all->by_data, indirect_compare);
}

/* Adds the blocks that the list leads to. Its lists are bounded by the budget of runs. */
static void indirect_add(struct indirect *all, const struct indirect_list *list)
{
    struct tell *tell = &all->walk->tell;
    const uint8_t *block = indirect_block(all, list);

    for (uint32_t k = 0; block != NULL && k < list->count && !tell->broken; k++) {
        const uint32_t entry = bytes_u32le(block + 4 * (size_t)k);

        if (list->depth <= 1) {
            tell_clusters(tell, all->volume, entry, 1);
            continue;
        }
        const uint32_t i = indirect_find(all, entry);
        if (i == INDIRECT_NONE || all->lists[i].depth != list->depth - 1)
            tell->broken = true;
        else
            indirect_add(all, &all->lists[i]); /* one level deeper, of three at most */
    }
    if (block == NULL)
        tell->broken = true;
}

/* Tells the layout of 12 blocks, from the header's on if that is known, and the lists of depth 1 to
 * `count`. */
static void indirect_tell(struct indirect *all, uint64_t header,
                          const struct indirect_list *const *lists, uint32_t count)
{
    struct leftover *walk = all->walk;
    char text[TELL_TEXT_MAX];

    tell_begin(&walk->tell);
    if (header != INDIRECT_LOST)
        tell_clusters(&walk->tell, all->volume, header, BLOCK_LIST_DIRECT);
    for (uint32_t i = 0; i < count; i++)
        indirect_add(all, lists[i]);
    snprintf(text, sizeof text, "indirect block %" PRIu64,
             (lists[0]->at - all->volume->unit_at) / all->volume->unit);
    if (walk->rc == ERR_OK)
        walk->rc = tell_layout(
            &walk->tell,
            &(struct io_layout){ .source = IO_LAYOUT_INDIRECT,
                                 .lead = header == INDIRECT_LOST ? BLOCK_LIST_DIRECT : 0,
                                 .path = "",
                                 .modified = INT64_MIN,
                                 .at = lists[0]->at,
                                 .text = text },
            all->volume, walk->err);
}

static bool indirect_data_before(const void *item, uint64_t data)
{
    return ((const struct indirect_deep *)item)->data < data;
}

static bool indirect_deep_before(const void *item, uint64_t list)
{
    return ((const struct indirect_deep *)item)->list <= list;
}

/* The last block of data that the list leads to, and whether all its lists are full. */
static uint64_t indirect_end(struct indirect *all, const struct indirect_list *list, bool *full)
{
    *full = list->full;
    while (list->depth > 1) {
        const uint32_t i = indirect_find(all, list->last);

        if (i == INDIRECT_NONE || all->lists[i].depth >= list->depth)
            break;
        list = &all->lists[i];
        *full = *full && list->full;
    }
    return list->last;
}

/*
 * Lists of that depth that the file may go on in behind the list: those whose data follow its data,
 * and then those that lie next behind it. Returns how many are in out.
 */
static uint32_t indirect_next(struct indirect *all, const struct indirect_list *list,
                              uint32_t depth, const struct indirect_list *out[INDIRECT_TRIES])
{
    bool full = false;
    const uint64_t data = indirect_end(all, list, &full) + 1;
    uint32_t count = 0;

    if (!full || all->deep_count == 0)
        return 0;
    for (size_t i = bisect(all->by_data, all->deep_count, sizeof *all->by_data,
                           indirect_data_before, data);
         i < all->deep_count && all->by_data[i].data == data && count < INDIRECT_TRIES; i++)
        if (all->lists[all->by_data[i].list].depth == depth)
            out[count++] = &all->lists[all->by_data[i].list];
    const size_t behind = bisect(all->deep, all->deep_count, sizeof *all->deep,
                                 indirect_deep_before, (uint64_t)(list - all->lists));
    for (size_t i = behind;
         i < all->deep_count && i < behind + INDIRECT_LOOK && count < INDIRECT_TRIES; i++)
        if (all->lists[all->deep[i].list].depth == depth)
            out[count++] = &all->lists[all->deep[i].list];
    return count;
}

/* Tells all files that the header and the lists so far may begin. */
static void indirect_file(struct indirect *all, uint64_t header,
                          const struct indirect_list *lists[INDIRECT_DEPTH_MAX], uint32_t count)
{
    const struct indirect_list *next[INDIRECT_TRIES];
    const uint32_t tries =
        count < INDIRECT_DEPTH_MAX ? indirect_next(all, lists[count - 1], count + 1, next) : 0;

    for (uint32_t i = 0; i < tries; i++) {
        lists[count] = next[i];
        indirect_file(all, header, lists, count + 1); /* at most three deep */
    }
    indirect_tell(all, header, lists, count);
}

/* The files whose header and first list lie as drivers put them. */
static void indirect_bind(struct indirect *all, const struct indirect_list *list)
{
    const uint64_t block = (list->at - all->volume->unit_at) / all->volume->unit;
    const uint64_t first = list->first;
    const struct indirect_list *lists[INDIRECT_DEPTH_MAX] = { list };

    if (first > BLOCK_LIST_DIRECT && indirect_header(all, first - BLOCK_LIST_DIRECT))
        indirect_file(all, first - BLOCK_LIST_DIRECT, lists, 1);
    if (block >= BLOCK_LIST_DIRECT && first == block + 1 &&
        indirect_header(all, block - BLOCK_LIST_DIRECT))
        indirect_file(all, block - BLOCK_LIST_DIRECT, lists, 1);
}

/* The files that go on in the list without their first blocks: another file's header may lie where
 * drivers would put theirs. */
static void indirect_lost(struct indirect *all, const struct indirect_list *list)
{
    const struct indirect_list *lists[INDIRECT_DEPTH_MAX] = { list };

    indirect_file(all, INDIRECT_LOST, lists, 1);
}

static void indirect_volume(struct indirect *all)
{
    const struct leftover_spots *spots = &all->walk->spots[LEFTOVER_SPOT_LIST];

    all->count = 0;
    for (uint32_t i = 0; leftover_has_spot(all->walk, LEFTOVER_SPOT_LIST, i); i++)
        indirect_gather(all, spots->at[i]);
    indirect_depths(all);
    for (uint32_t i = 0; i < all->count && !leftover_ended(all->walk, i); i++)
        if (all->lists[i].depth == 1)
            indirect_bind(all, &all->lists[i]);
    for (uint32_t i = 0; i < all->count && !leftover_ended(all->walk, i); i++)
        if (all->lists[i].depth == 1 && !all->lists[i].inside)
            indirect_lost(all, &all->lists[i]);
    free(all->deep);
    all->deep = all->by_data = NULL;
    all->deep_count = 0;
}

void leftover_indirect(struct leftover *walk)
{
    const uint32_t spots = walk->spots[LEFTOVER_SPOT_LIST].count;
    struct indirect all = { .walk = walk };

    if (spots == 0 || walk->hint->start_count == 0)
        return;
    struct indirect_list *lists = malloc(spots * sizeof *lists);
    uint8_t *blocks = malloc((size_t)INDIRECT_DEPTH_MAX * BLOCK_LIST_MAX * 4);
    if (lists == NULL || blocks == NULL)
        walk->rc = ERR_NO_MEMORY(walk->err, spots * sizeof *lists);
    all.lists = lists;
    all.blocks = blocks;
    for (uint32_t i = 0; i < walk->volume_count && walk->rc == ERR_OK; i++) {
        all.volume = &walk->volumes[i];
        if (all.volume->kind == GEOMETRY_EXT)
            indirect_volume(&all);
    }
    free(lists);
    free(blocks);
}
