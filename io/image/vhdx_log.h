/* SPDX-License-Identifier: Apache-2.0
 * io/image/vhdx_log.h - the log of a VHDX that was not closed: changes of its tables that were
 * begun, made in memory (io/ only). The file is not written to.
 *
 * The log is a ring of entries, each with a checksum and a number. Those that count are the run of
 * numbers that ends with the highest one; its last entry says where the first is that may not have
 * been made yet. An entry that was not written to its end belongs to no run. Source: MS-VHDX,
 * sections 2.3 and 3.
 */
#ifndef BURIN_IO_IMAGE_VHDX_LOG_H
#define BURIN_IO_IMAGE_VHDX_LOG_H

#include "io/image/vhdx_metadata.h"

enum {
    VHDX_LOG_MAX = 64 << 20,   /* bytes; Hyper-V makes 1 MiB */
    VHDX_LOG_SECTOR = 4096,    /* bytes */
    VHDX_CHANGES_MAX = 1 << 14 /* of a log: 64 MiB of them */
};

struct vhdx_change {
    uint64_t at, len; /* bytes of the file */
    uint8_t *bytes;   /* [len], owned; NULL: zeros */
};

struct vhdx_log {
    uint64_t at;               /* in the file */
    uint32_t len;              /* bytes */
    uint8_t id[VHDX_ID_LEN];   /* of the disk's last use */
    struct vhdx_change *items; /* in the order in which they are made, owned */
    uint32_t count;
    size_t room;
    uint32_t entries;   /* that are made; 0: nothing is missing in the file */
    uint64_t file_size; /* bytes that the file has had, at least */
    bool incomplete;    /* one behind them was not written to its end */
};

/*
 * Reads the log that stands at log->at of part 0, the file at path of file_size bytes; what comes
 * before `items` in *log is given. *log is to be given to io_vhdx_log_release, whatever is
 * returned. Errors  ERR_INPUT  it has entries of the disk's last use, and they cannot be made.
 *         ERR_ENV    no memory.
 */
ERR_MUST_CHECK enum err_code io_vhdx_log_read(const struct io_pieces *pieces, const char *path,
                                              uint64_t file_size, struct vhdx_log *log,
                                              struct err *err);

/* Makes the changes in bytes that were read of the file; log is a struct vhdx_log. */
void io_vhdx_log_make(const void *log, uint64_t at, uint8_t *bytes, size_t len);

void io_vhdx_log_release(struct vhdx_log *log);

#endif
