/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/sieve.h - which sectors may hold what file systems leave behind.
 *
 * A sector is judged by its own 512 bytes, by a few compares: what passes is looked at closely
 * later. All formats begin their records on the sectors of a disk. See io_leftover_sieve.
 */
#ifndef BURIN_IO_LEFTOVER_SIEVE_H
#define BURIN_IO_LEFTOVER_SIEVE_H

#include <stdbool.h>
#include <stdint.h>

enum leftover_spot {
    LEFTOVER_SPOT_VOLUME,  /* a boot sector or a superblock: see geometry.h */
    LEFTOVER_SPOT_RECORD,  /* a FILE record of NTFS begins here, or a block of an index */
    LEFTOVER_SPOT_LIST,    /* a block of block numbers of ext2 or ext3 may begin here */
    LEFTOVER_SPOT_NODE,    /* a block of extents of ext4 begins here */
    LEFTOVER_SPOT_INODE,   /* has inodes with extents */
    LEFTOVER_SPOT_JOURNAL, /* a descriptor block of a journal begins here */
    LEFTOVER_SPOT_FAT,     /* has entries of a folder of FAT */
    LEFTOVER_SPOT_EXFAT,   /* has entries of a folder of exFAT */
    LEFTOVER_SPOT_KINDS    /* at most 8: a sector's kinds are the bits of a byte */
};

/* A sector of 512 bytes may have inodes with extents. */
bool leftover_sieve_inodes(const uint8_t *sector);

#endif
