/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/geometry.h - where the clusters of a file system lie, by its boot sector or one of
 * its superblocks.
 *
 * Sources: the documents of Microsoft on FAT and exFAT; the NTFS documentation of the Linux-NTFS
 * project; the layout of ext4 in the documentation of Linux.
 */
#ifndef BURIN_IO_LEFTOVER_GEOMETRY_H
#define BURIN_IO_LEFTOVER_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "io/reader.h"

enum geometry_kind { GEOMETRY_NTFS, GEOMETRY_EXT, GEOMETRY_FAT, GEOMETRY_EXFAT, GEOMETRY_KINDS };

struct geometry {
    enum geometry_kind kind;
    uint64_t base, size; /* image offset of the volume, bytes that it has */
    uint32_t unit;       /* bytes of a cluster or block */
    /* Cluster number `first` begins at unit_at; units: how many there are from it on. */
    uint64_t unit_at, first, units;
    struct io_range area; /* where clusters lie, as far as the image goes */

    uint32_t inode_size;        /* ext, in bytes */
    uint64_t mft, mft_mirror;   /* NTFS: clusters that these begin at */
    uint64_t fat_at, fat_bytes; /* FAT, exFAT: image offset of the first table, bytes of it */
    uint32_t fat_bits;          /* FAT: 12, 16 or 32; exFAT: 32 */
    uint32_t backup;            /* FAT32, exFAT: bytes from the boot sector to its copy; 0: none */
    bool guessed;               /* by votes: no sector speaks of it */
    uint32_t weight;            /* how well this is known: what speaks for it */
};

/* A quick look at a sector of 512 bytes: it may be a boot sector or a superblock. */
bool geometry_may(const uint8_t *sector);

enum { GEOMETRY_READINGS = 2 };

/*
 * What the sector at image offset at says, when it is at its own place (readings[0]), and when it
 * is a copy at the place of copies (readings[1]). Returns how many readings there are: a superblock
 * of ext says itself where it lies, and gives one. weight is left 0, area is not cut to the image.
 */
uint32_t geometry_read(const uint8_t *sector, uint64_t at,
                       struct geometry readings[GEOMETRY_READINGS]);

/* Image offset of a cluster; false: the file system has no such one. Zeroed units: any. */
bool geometry_place(const struct geometry *geometry, uint64_t cluster, uint64_t count,
                    uint64_t *offset);

#endif
