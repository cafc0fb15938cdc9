/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/guess.h - what records say of clusters that files begin at, where nothing says where
 * clusters lie. See votes.h for what that is good for.
 */
#ifndef BURIN_IO_LEFTOVER_GUESS_H
#define BURIN_IO_LEFTOVER_GUESS_H

#include "io/leftover/leftover_impl.h"

enum {
    GUESS_FIRSTS_MAX = 1 << 16, /* clusters that files begin at, of each size of a cluster */
    GUESS_SELVES_MAX = 1 << 12, /* folders of FAT that say where they lie */
    GUESS_UNIT_MAX = 1 << 21,   /* bytes: the largest cluster of NTFS */
    GUESS_SIZES = 13,           /* sizes of clusters from a sector to that, */
    GUESS_BLOCK_MIN = 1024,     /* and of blocks of ext, in bytes */
    GUESS_BLOCK_MAX = 4096,
};

struct guess_list {
    uint64_t *items; /* owned */
    size_t count, room;
};

/* What the records of one kind of file system say. Zeroed: nothing. */
struct guess_found {
    /* Clusters that files begin at. [n]: as those say whose clusters have LIMIT_SECTOR << n bytes;
     * [0] of FAT and exFAT: of any size. */
    struct guess_list firsts[GUESS_SIZES];
    struct guess_list selves; /* image offsets of folders of FAT that say where they lie */
};

void guess_found_release(struct guess_found *found);

/*
 * Looks at all spots of records of these kinds, by the threads of the hint. found: zeroed, [kind];
 * released by the caller, also after an error, which is then in walk->rc.
 */
void guess_look(struct leftover *walk, const bool wanted[GEOMETRY_KINDS],
                struct guess_found found[GEOMETRY_KINDS]);

#endif
