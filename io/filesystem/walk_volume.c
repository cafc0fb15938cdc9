/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/walk_volume.c - one volume: what it holds, and who reads that. See walk.h. */
#include <stdlib.h>

#include "io/filesystem/bigalloc.h"
#include "io/filesystem/btrfs.h"
#include "io/filesystem/walk.h"
#include "io/filesystem/xfs.h"

static bool walk_free_run(void *arg, uint64_t at, uint64_t len)
{
    struct fsmap_walk *walk = arg;

    walk_run(walk, IO_AREA_UNALLOCATED, at, len, 0);
    return !ferror(walk->out);
}

/* A reader has told what is free of a file system of so many bytes, and nothing of its files. */
static void walk_free_told(struct fsmap_walk *walk, uint64_t size, const char *no_files)
{
    /* What is told as free counts, wherever it is told as in use as well. */
    walk_run(walk, IO_AREA_ALLOCATED, 0, size, 0);
    if ((walk->wants & FSMAP_WANT_FILES) != 0)
        walk_give_up(walk, no_files);
    else
        walk_say(walk, (struct fsmap_record){ .word = FSMAP_WHOLE }, "", 0);
}

void walk_xfs(struct fsmap_walk *walk)
{
    const struct source source = volume_source(walk->on);
    struct xfs xfs;

    walk_say(walk, (struct fsmap_record){ .word = FSMAP_VOLUME, .partition = walk->slot.partition },
             "xfs", 3);
    if (xfs_open(&source, &xfs) && xfs_free(&source, &xfs, walk_free_run, walk))
        walk_free_told(walk, xfs.blocks * xfs.block_size, "no reader here for the files of XFS");
    else
        walk_give_up(walk, "the lists of free blocks of XFS are damaged");
}

void walk_bigalloc(struct fsmap_walk *walk)
{
    const struct source source = volume_source(walk->on);
    struct bigalloc fs;

    walk_say(walk, (struct fsmap_record){ .word = FSMAP_VOLUME, .partition = walk->slot.partition },
             "ext4", 4);
    if (bigalloc_open(&source, &fs) && bigalloc_free(&source, &fs, walk_free_run, walk))
        walk_free_told(walk, fs.blocks * fs.block_size,
                       "no reader here for the files of ext4 with clusters (bigalloc)");
    else
        walk_give_up(walk, "the bitmaps of clusters of ext4 (bigalloc) are damaged");
}

static bool walk_btrfs_run(void *arg, enum io_area_kind kind, uint64_t at, uint64_t len)
{
    struct fsmap_walk *walk = arg;

    walk_run(walk, kind, at, len, 0);
    return !ferror(walk->out);
}

void walk_btrfs(struct fsmap_walk *walk)
{
    const struct source source = volume_source(walk->on);
    char why[FSMAP_NOTE_MAX];
    struct err err = { 0 };

    walk_say(walk, (struct fsmap_record){ .word = FSMAP_VOLUME, .partition = walk->slot.partition },
             "btrfs", 5);
    if (btrfs_use(&source, walk_btrfs_run, walk, &err) != ERR_OK) {
        snprintf(why, sizeof why, "Btrfs: %.*s", FSMAP_NOTE_MAX - 16, err.text);
        walk_give_up(walk, why);
    } else if ((walk->wants & FSMAP_WANT_FILES) != 0) {
        walk_give_up(walk, "no reader here for the files of Btrfs");
    } else {
        walk_say(walk, (struct fsmap_record){ .word = FSMAP_WHOLE }, "", 0);
    }
}

/* A volume that others lie on is kept for walk_stack. False: it is not. */
static bool walk_keep(struct fsmap_walk *walk, const struct volume *volume, bool is_md)
{
    struct walk_base base = { .number = walk->slot.partition, .is_md = is_md };
    const struct source source = volume_source(volume);

    if (walk->base_count == WALK_VOLUMES_MAX ||
        !(is_md ? md_member(&source, &base.md) : lvm_label(&source, &base.lvm)))
        return false;
    base.bytes = malloc(sizeof *base.bytes);
    if (base.bytes == NULL)
        return false;
    *base.bytes = *volume;
    walk->bases[walk->base_count++] = base;
    return true;
}

static void walk_unread(struct fsmap_walk *walk, const struct content *content)
{
    char why[FSMAP_NOTE_MAX];

    if (content->reader == CONTENT_UNREAD)
        snprintf(why, sizeof why, "%s: %s", content->name, content->note);
    else
        snprintf(why, sizeof why, "too many volumes");
    walk_give_up(walk, why);
}

void walk_volume(struct fsmap_walk *walk, const struct walk_slot *slot, struct volume *volume)
{
    const struct source source = volume_source(volume);
    const struct content content = content_look(&source);

    walk->on = volume;
    walk_say_slot(walk, slot, &content);
    switch (walk->volume_count++ < WALK_VOLUMES_MAX ? content.reader : CONTENT_UNREAD) {
    case CONTENT_LVM:
    case CONTENT_MD:
        if (walk_keep(walk, volume, content.reader == CONTENT_MD)) {
            *volume = (struct volume){ 0 };
            return;
        }
        walk_give_up(walk, "too many volumes");
        break;
    case CONTENT_UNREAD:
        walk_unread(walk, &content);
        break;
    case CONTENT_POOL:
        walk_pool(walk, slot, slot->sector_size);
        break;
    case CONTENT_XFS:
        if (walk->wants != 0)
            walk_xfs(walk);
        break;
    case CONTENT_BIGALLOC:
        if (walk->wants != 0)
            walk_bigalloc(walk);
        break;
    case CONTENT_BTRFS:
        if (walk->wants != 0)
            walk_btrfs(walk);
        break;
    default: /* libtsk knows some that content.c does not */
        if (walk->wants != 0)
            walk_tsk(walk, slot->sector_size, &content);
        break;
    }
    volume_release(volume);
}
