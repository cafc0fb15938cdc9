/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/mft_record.h - a FILE record of NTFS: what it says of the file's unnamed stream; and
 * the blocks in which its folders and other indexes lie.
 *
 * Source: the NTFS documentation of the Linux-NTFS project.
 */
#ifndef BURIN_IO_LEFTOVER_MFT_RECORD_H
#define BURIN_IO_LEFTOVER_MFT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MFT_RECORD_MAX = 4096,      /* bytes; 1024 on nearly all disks */
    MFT_NAME_MAX = 255 * 3 + 1, /* bytes in UTF-8, with the NUL */
};

struct mft_record {
    uint32_t len;      /* bytes of the record */
    uint64_t number;   /* in the MFT; UINT64_MAX: written by a system that does not say */
    uint32_t sequence; /* how often the number was given out */
    bool in_use;
    bool folder;
    uint64_t base; /* 0: it is one by itself; else it belongs to the record of this number */
    uint32_t base_sequence; /* of that one */
    int64_t modified;       /* seconds since 1970 UTC; INT64_MIN: not known */
    char name[MFT_NAME_MAX];
    /* Its part of the unnamed stream; false: none, or one whose bytes do not lie in clusters one by
     * one (resident, sparse, compressed, encrypted, not written to its end). */
    bool has_data;
    uint64_t vcn, next_vcn;   /* the clusters of the stream that runs tell: [vcn, next_vcn) */
    uint64_t size, allocated; /* bytes; of the part at VCN 0 alone, else 0 */
    const uint8_t *runs;      /* in the record's bytes */
    size_t runs_len;
};

/*
 * Reads a record, in place: the last two bytes of each sector, which a record keeps elsewhere, are
 * put back. False: bytes [len] are no record, or not a whole one.
 */
bool mft_record_read(uint8_t *bytes, size_t len, struct mft_record *out);

/* Bytes of the block of an index that begins here, of a folder mostly; 0: none does, or not a whole
 * one of `len` bytes at most. */
uint32_t mft_index_block(const uint8_t *bytes, size_t len);

/* The runs of a stream, one after another. */
struct mft_runs {
    const uint8_t *bytes;
    size_t len;
    int64_t cluster; /* that the last run began at */
};

struct mft_runs mft_runs_of(const struct mft_record *record);

/* The next run; false: there is none, or one that has no clusters or is none: *broken. */
bool mft_runs_next(struct mft_runs *runs, uint64_t *cluster, uint64_t *count, bool *broken);

#endif
