/* SPDX-License-Identifier: Apache-2.0
 * io/leftover.h - what file systems left on an image about where the pieces of files lie.
 *
 * A file system writes down where each file lies, and a deletion seldom wipes that: records of the
 * MFT, indirect blocks, extents in inodes and in the journal, entries of folders. A walk finds
 * these wherever they lie on the image, also where boot sectors and superblocks are gone, and tells
 * a layout for each file that they describe.
 *
 * A layout is a claim and no proof: the clusters may belong to another file since. All that is read
 * is untrusted. What is told has been checked for its form alone: its runs lie in the image and not
 * over each other.
 *
 * File systems on logical volumes and arrays are known through libtsk alone (IO_LAYOUT_FILE).
 */
#ifndef BURIN_IO_LEFTOVER_H
#define BURIN_IO_LEFTOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "io/fsmap.h"
#include "io/image.h"
#include "io/reader.h"

enum { IO_LAYOUT_RUNS_MAX = 1 << 16 }; /* of one layout; a file in more pieces is left out */

/* What a layout was read from. */
enum io_layout_source {
    IO_LAYOUT_FILE,        /* a file system in order, through libtsk: a living or deleted file */
    IO_LAYOUT_MFT_RECORD,  /* a FILE record of NTFS, in the MFT or elsewhere */
    IO_LAYOUT_INDIRECT,    /* blocks of block numbers of ext2 and ext3 */
    IO_LAYOUT_EXTENTS,     /* an inode of ext4 in a table of inodes, or a leaf block */
    IO_LAYOUT_JOURNAL,     /* an inode of ext4 in the journal */
    IO_LAYOUT_FAT_ENTRY,   /* an entry of a folder of FAT12, FAT16 or FAT32 */
    IO_LAYOUT_EXFAT_ENTRY, /* an entry set of a folder of exFAT */
};

/* Where a file lies, or lay. All that it points to is valid during the call that tells it. */
struct io_layout {
    enum io_layout_source source;
    /* Bytes of the image in the order of the file's bytes. Neighbours are joined, none lies over
     * another, all lie in the image. With a size and no open end they have exactly so many bytes.
     */
    const struct io_range *runs;
    uint32_t run_count; /* 1 to IO_LAYOUT_RUNS_MAX; 1 with an open end or a lead alone */
    uint64_t size;      /* of the file, in bytes; 0: not known, it ends within the runs */
    /* FAT and exFAT, where the chain is gone: the run is the first cluster, and where the others of
     * the `size` bytes lie is not known. */
    bool open_end;
    /* Clusters of the file before the runs of which nothing says where they lie, its header among
     * them (ext2 and ext3); 0: it begins with the runs. What a list leads to is told so last. */
    uint32_t lead;
    uint32_t unit;        /* bytes of a cluster or block of its file system */
    uint64_t unit_at;     /* clusters begin at image offsets unit_at + n * unit, of any sign of n */
    struct io_range area; /* bytes that clusters of its file system lie in, as far as known */
    bool in_use;          /* the record says that the file lives */
    const char *path;     /* from the root, or the name alone, any bytes but NUL; "": not known */
    int64_t modified;     /* seconds since 1970 UTC; INT64_MIN: not known */
    uint64_t at;          /* image offset of what it was read from; 0 for IO_LAYOUT_FILE */
    const char *text;     /* for people: "MFT record 2311", "indirect block 8193", ... */
};

/* Takes a layout. What is not ERR_OK ends the walk, which returns it; err is then filled. */
typedef enum err_code (*io_layout_fn)(void *arg, const struct io_layout *layout, struct err *err);

/*
 * Sectors that may hold such records, told while somebody else reads the image. Owned by the caller
 * of io_leftover_spots_open. A walk that gets them reads only what nobody has looked at.
 */
struct io_leftover_spots;

/* Errors: ERR_ENV, no memory. */
ERR_MUST_CHECK enum err_code io_leftover_spots_open(struct io_leftover_spots **out,
                                                    struct err *err);
void io_leftover_spots_close(struct io_leftover_spots *spots); /* NULL is a no-op */

/*
 * Judges sectors, each by its own bytes: 20 to 30 ns for one. Threads: any.
 *
 * bytes       [len], from a multiple of 512 of the image on; what is left of a last sector is not
 *             looked at
 * image_size  bytes: numbers of blocks behind its end are none
 * marks       [len / 512], for io_leftover_spots_add; 0: it holds nothing
 */
void io_leftover_sieve(const uint8_t *bytes, size_t len, uint64_t image_size, uint8_t *marks);

/*
 * Adds marks[count] of the sectors from image offset `offset` on, a multiple of 512; behind those
 * that were added before. Memory: 8 bytes for each kind of record that a sector may hold, at most
 * 128 MiB. Errors: ERR_ENV, no memory.
 */
ERR_MUST_CHECK enum err_code io_leftover_spots_add(struct io_leftover_spots *spots, uint64_t offset,
                                                   const uint8_t *marks, size_t count,
                                                   struct err *err);

/* What the caller knows already. Zeroed: nothing. */
struct io_leftover_hint {
    /* Image offsets of headers of files, ascending. Indirect blocks are bound to files by them, and
     * where no boot sector or superblock is left, they tell where clusters begin. */
    const uint64_t *starts;
    uint64_t start_count;
    const struct io_fsmap *map; /* of this image; NULL: the walk reads the file systems itself, */
    /* or asks for it here, when it needs it. NULL: there is nobody to ask. */
    enum err_code (*map_of)(void *arg, const struct io_fsmap **map, struct err *err);
    void *map_arg;
    const struct io_leftover_spots *spots; /* of sectors that were read before, or NULL */
    /* Takes a cluster that holds entries of a folder of FAT or exFAT, or a block of one of NTFS: no
     * file lies there. Several calls may name the same one. What is not ERR_OK ends the walk. NULL:
     * nobody asks. */
    enum err_code (*folder)(void *arg, struct io_range cluster, struct err *err);
    void *folder_arg;
    uint32_t threads; /* that may work out where clusters lie; 0: the caller's alone */
    /* Asked many times a second, by any of them; true ends the walk. NULL: nothing stops it. */
    bool (*stop)(void);
};

/*
 * Tells the layouts that the image has, in this order: files of file systems in order; records of
 * NTFS; indirect blocks; extents, those in the journal by descending sequence number; entries of
 * FAT and exFAT. Files that lie in one piece are left out, unless it is not known that they do
 * (open_end). So are sparse, compressed, encrypted and resident ones, whose bytes do not lie in
 * clusters one by one, and files of ext2 and ext3 whose first 12 blocks do not follow each other:
 * a deletion leaves nothing of where these lie. Several layouts may name the same clusters. One
 * that was told already, with the same runs, is not told again.
 *
 * Time    Reads the image once, but for what the spots of the hint cover, and again the blocks that
 *         look like such records. Linear in the bytes of the image, whatever they are.
 * Memory  At most 320 MiB besides what io_fsmap_open takes: 8 to 24 bytes for a sector that looks
 *         like a record. Of more than 2^21 of one kind the rest is left out.
 * Errors  ERR_INTERRUPTED; ERR_ENV for no memory, or an image that cannot be read at all; what
 *         `each` returned. Bad sectors count as zeros.
 * Threads The image may be read by others meanwhile. `each` is called in the calling thread.
 */
ERR_MUST_CHECK enum err_code io_leftover_walk(struct io_image *image,
                                              const struct io_leftover_hint *hint,
                                              io_layout_fn each, void *arg, struct err *err);

/* "file", "mft-record", "indirect", "extents", "journal", "fat-entry" or "exfat-entry"; static
 * text. */
const char *io_layout_source_name(enum io_layout_source source);

#endif
