/* SPDX-License-Identifier: Apache-2.0
 * io/image/qcow2_header.h - what the header of a qcow2 file says, checked (io/ only).
 *
 * Source: QEMU, docs/interop/qcow2.txt.
 */
#ifndef BURIN_IO_IMAGE_QCOW2_HEADER_H
#define BURIN_IO_IMAGE_QCOW2_HEADER_H

#include "io/image/image_pieces.h"

enum { QCOW2_NAME_MAX = 1023 }; /* bytes of a backing file's name */

struct qcow2_header {
    uint32_t version;           /* 2 or 3 */
    uint32_t cluster_bits;      /* a cluster is 1 << cluster_bits bytes */
    uint64_t size;              /* bytes of the disk */
    uint64_t l1, refcounts;     /* offsets in the file */
    uint32_t l1_entries;        /* of 8 bytes */
    uint32_t refcount_clusters; /* clusters of the table of refcount blocks */
    uint64_t snapshots;         /* offset in the file */
    uint32_t snapshot_count;
    enum io_piece_how packed;         /* how packed clusters are packed */
    uint32_t backing_len;             /* 0: it needs no other file */
    char backing[QCOW2_NAME_MAX + 1]; /* a plain name of a file in the folder of this one */
    bool backing_is_raw;              /* otherwise it is a qcow2 too */
};

/*
 * Reads the header of part `file` of the image, which is the file at path.
 * Errors  ERR_INPUT  it is damaged; it needs what is not known here, or another file that is not
 *                    taken: one outside of the folder, or one that is not named plainly.
 */
ERR_MUST_CHECK enum err_code io_qcow2_header(const struct io_pieces *pieces, uint32_t file,
                                             const char *path, struct qcow2_header *out,
                                             struct err *err);

#endif
