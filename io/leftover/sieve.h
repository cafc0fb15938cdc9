/*
 * io/leftover/sieve.h - which sectors may hold what file systems leave behind.
 *
 * A sector is judged by its own 512 bytes, by a few compares: what passes is looked at closely
 * later. All formats begin their records on the sectors of a disk.
 */
#ifndef BURIN_IO_LEFTOVER_SIEVE_H
#define BURIN_IO_LEFTOVER_SIEVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum leftover_spot {
    LEFTOVER_SPOT_VOLUME,  /* a boot sector or a superblock: see geometry.h */
    LEFTOVER_SPOT_RECORD,  /* a FILE record of NTFS begins here */
    LEFTOVER_SPOT_LIST,    /* a block of block numbers of ext2 or ext3 may begin here */
    LEFTOVER_SPOT_NODE,    /* a block of extents of ext4 begins here */
    LEFTOVER_SPOT_INODE,   /* has inodes with extents */
    LEFTOVER_SPOT_JOURNAL, /* a descriptor block of a journal begins here */
    LEFTOVER_SPOT_FAT,     /* has entries of a folder of FAT */
    LEFTOVER_SPOT_EXFAT,   /* has entries of a folder of exFAT */
    LEFTOVER_SPOT_KINDS
};

typedef void (*leftover_spot_fn)(void *arg, enum leftover_spot kind, uint64_t at);

/*
 * Calls found for each sector of bytes that may hold something, in ascending order; one sector may
 * be told with several kinds. Threads: any.
 *
 * bytes   [len]; what is left of a last sector is not looked at
 * offset  of bytes[0] in the image, a multiple of 512
 * size    of the image, in bytes: numbers of blocks behind its end are none
 */
void leftover_sieve(const uint8_t *bytes, size_t len, uint64_t offset, uint64_t size,
                    leftover_spot_fn found, void *arg);

/* A sector of 512 bytes may have inodes with extents. */
bool leftover_sieve_inodes(const uint8_t *sector);

#endif
