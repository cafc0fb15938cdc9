/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/leftover_impl.h - what the parts of a walk share.
 *
 *   the image ──► sieve ──► spots ──► volumes (boot sectors, superblocks)
 *                             └──► mft | indirect | extents | fat ──► tell ──► each
 *
 * Spots are looked at in the order of the image, through a small cache. What a decoder reads is
 * bounded by its spots, and what it tells by a budget of blocks (tell.h).
 */
#ifndef BURIN_IO_LEFTOVER_LEFTOVER_IMPL_H
#define BURIN_IO_LEFTOVER_LEFTOVER_IMPL_H

#include <stdbool.h>
#include <stdint.h>

#include "io/leftover.h"
#include "io/leftover/geometry.h"
#include "io/leftover/spots.h"
#include "io/leftover/tell.h"

enum {
    LEFTOVER_VOLUMES_MAX = 1024,
    LEFTOVER_DOUBTFUL = 1, /* the weight of a volume that one sector alone speaks for */
    LEFTOVER_CACHE_SLOTS = 8,
    LEFTOVER_CACHE_BYTES = 1 << 16, /* of a slot, for reads that follow each other */
    LEFTOVER_CACHE_LEAST = 1 << 13, /* and for others: spots may lie far from each other */
    LEFTOVER_ASK = 1 << 10,         /* spots between two looks at stop */
    LEFTOVER_SOON = 1 << 8,         /* spots that are asked for before they are read */
};

struct leftover_slot {
    uint64_t offset, used; /* used: 0, or when it was asked for last */
    size_t len;
    uint8_t *bytes;
};

struct leftover {
    struct io_image *image;
    uint64_t size;
    const struct io_leftover_hint *hint;
    struct leftover_spots spots[LEFTOVER_SPOT_KINDS];
    struct geometry *volumes; /* [LEFTOVER_VOLUMES_MAX]; the best known first */
    uint32_t volume_count;
    struct leftover_slot slots[LEFTOVER_CACHE_SLOTS];
    uint64_t turn;                      /* of the cache */
    uint64_t read_to;                   /* image offset: where the last read of the cache ended */
    size_t read_len;                    /* bytes of it */
    uint32_t soon[LEFTOVER_SPOT_KINDS]; /* so many spots have been asked for */
    struct tell tell;
    enum err_code rc; /* what ended the walk */
    struct err *err;
};

/* The memory of the cache; to be closed also after an error, which is ERR_ENV. */
ERR_MUST_CHECK enum err_code leftover_cache_open(struct leftover *walk, struct err *err);
void leftover_cache_close(struct leftover *walk);

/* Bytes of the image, zeros where they cannot be read; false: outside, or the walk has ended. len:
 * at most LEFTOVER_CACHE_BYTES. */
bool leftover_read(struct leftover *walk, uint64_t at, void *out, size_t len);

/* True: the walk has ended, by an error or because it was asked to. Ask for each spot. */
bool leftover_ended(struct leftover *walk, uint32_t index);

/*
 * Whether there is a spot of the kind with that number, and the walk has not ended. Ask for each
 * one before it is read: those behind it begin to be read, where the image lies on a disk.
 */
bool leftover_has_spot(struct leftover *walk, enum leftover_spot kind, uint32_t index);

/* The volume of the kind that the place lies in; NULL: none is known. */
const struct geometry *leftover_volume(const struct leftover *walk, enum geometry_kind kind,
                                       uint64_t at);

/* Tells all layouts of a kind of source. They end early when leftover_ended. */
void leftover_files(struct leftover *walk, const struct io_fsmap *map);
void leftover_mft(struct leftover *walk);
void leftover_indirect(struct leftover *walk);
void leftover_extents(struct leftover *walk);
void leftover_fat(struct leftover *walk);

/* What the boot sectors and superblocks say, in walk->volumes. */
void leftover_volumes(struct leftover *walk);
/* Adds volumes of kinds of which there is none by then but doubtful ones, as far as votes tell. */
void leftover_guess(struct leftover *walk);

#endif
