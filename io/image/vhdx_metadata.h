/* SPDX-License-Identifier: Apache-2.0
 * io/image/vhdx_metadata.h - what the metadata of a VHDX say of its disk, checked (io/ only). */
#ifndef BURIN_IO_IMAGE_VHDX_METADATA_H
#define BURIN_IO_IMAGE_VHDX_METADATA_H

#include "io/image/image_pieces.h"

enum {
    VHDX_METADATA_LEN = 64 << 10,
    VHDX_ID_LEN = 16
}; /* bytes: of the table of items; of a GUID */

struct vhdx_disk {
    uint64_t size;          /* bytes */
    uint32_t block, sector; /* bytes */
};

/*
 * Reads the metadata that stand at `at` of the file, in len bytes, VHDX_METADATA_LEN or more.
 * Errors  ERR_INPUT  they are damaged, need what is not known here, or are those of a disk that
 * holds only what has changed since its parent.
 */
ERR_MUST_CHECK enum err_code io_vhdx_metadata(const struct io_pieces *pieces, const char *path,
                                              uint64_t at, uint32_t len, struct vhdx_disk *out,
                                              struct err *err);

#endif
