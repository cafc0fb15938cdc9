/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/walk.h - what the parts of the walk share (walk*.c and fsmap_walk.c only).
 *
 *   walk_table ──► walk_volume, for each partition ──► walk_tsk | walk_own
 *        └──► walk_stack: arrays and logical volumes ──► walk_volume
 *
 * Records go out while the walk goes on.
 */
#ifndef BURIN_IO_FILESYSTEM_WALK_H
#define BURIN_IO_FILESYSTEM_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "io/filesystem/content.h"
#include "io/filesystem/lvm.h"
#include "io/filesystem/md.h"
#include "io/filesystem/volume.h"
#include "io/fsmap_walk.h"
#include "io/system/lib_tsk.h"
#include "io/volumes.h"

enum { WALK_VOLUMES_MAX = 1024 };

/* A volume that others lie on: a member of an array, or of a group of LVM. */
struct walk_base {
    struct volume *bytes; /* its own */
    uint32_t number;      /* of its partition */
    bool is_md;           /* which of these two is filled */
    struct md_member md;
    struct lvm_label lvm;
};

struct fsmap_walk {
    struct io_tsk lib;
    bool has_lib; /* false: it was not loaded for an image in which it would find nothing */
    struct io_image *image;
    FILE *out;
    uint32_t wants;
    uint64_t max_read;        /* as io_image_max_read */
    const struct volume *on;  /* the volume under way */
    struct fsmap_record slot; /* as it was told */
    struct walk_base *bases;  /* [WALK_VOLUMES_MAX] */
    uint32_t base_count;
    uint32_t volume_count; /* looked at so far */
};

/* What a volume is told to be. */
struct walk_slot {
    enum io_volume_kind kind;
    uint32_t number;
    uint64_t offset, len; /* bytes of the image */
    uint32_t sector_size;
    const char *table, *description;
};

void walk_say(struct fsmap_walk *walk, struct fsmap_record record, const char *text, size_t len);
void walk_say_slot(struct fsmap_walk *walk, const struct walk_slot *slot,
                   const struct content *content);

/* Bytes of the volume under way, told as bytes of the image. */
void walk_run(struct fsmap_walk *walk, enum io_area_kind kind, uint64_t at, uint64_t len,
              uint64_t file_offset);

/* It cannot be told which bytes of the volume under way are in use; why: words for people. */
void walk_give_up(struct fsmap_walk *walk, const char *why);

/* What libtsk says is wrong, for people; out: FSMAP_NOTE_MAX bytes. */
void walk_trouble(struct fsmap_walk *walk, const char *what, char *out);

/* These bytes of the image; it has no bytes where there is no memory. Release with volume_release.
 */
struct volume walk_stretch(struct io_image *image, uint64_t offset, uint64_t len);

/* A volume as libtsk reads it. */
struct walk_image {
    TSK_IMG_INFO img; /* first: libtsk's callbacks get this */
    struct fsmap_walk *walk;
    const struct volume *volume;
};

/* NULL: no memory, libtsk does not want it, or it was not loaded. */
struct walk_image *walk_image_open(struct fsmap_walk *walk, const struct volume *volume,
                                   uint32_t sector_size);
void walk_image_close(struct walk_image *image);

/*
 * Tells the slot and all that is known of the volume. It becomes the walk's when it is one that
 * others lie on; else it is released.
 */
void walk_volume(struct fsmap_walk *walk, const struct walk_slot *slot, struct volume *volume);

/* The file system that the volume under way holds. */
void walk_tsk(struct fsmap_walk *walk, uint32_t sector_size, const struct content *content);
void walk_pool(struct fsmap_walk *walk, const struct walk_slot *slot, uint32_t sector_size);
void walk_xfs(struct fsmap_walk *walk);
void walk_bigalloc(struct fsmap_walk *walk);
void walk_btrfs(struct fsmap_walk *walk);

void walk_tables(struct fsmap_walk *walk);
void walk_stack(struct fsmap_walk *walk);

#endif
