/* SPDX-License-Identifier: Apache-2.0
 * io/image/file.h - opening and reading evidence files: read-only, and without touching their
 * access time where that is allowed.
 */
#ifndef BURIN_IO_IMAGE_FILE_H
#define BURIN_IO_IMAGE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"

/*
 * Opens a regular file or a block device, and nothing else even for a moment. *fd is the caller's
 * to close.
 * Errors  ERR_INPUT  missing, not permitted, a directory, a pipe, socket or character device.
 *         ERR_ENV    out of file descriptors or memory.
 */
ERR_MUST_CHECK enum err_code io_file_open(const char *path, int *fd, struct stat *st,
                                          struct err *err);

/* Size in bytes, of a block device by ioctl. *sector_size is the logical sector of a device, 512 of
 * a file. */
ERR_MUST_CHECK enum err_code io_file_size(const char *path, int fd, const struct stat *st,
                                          uint64_t *size, uint32_t *sector_size, struct err *err);

/*
 * Reads exactly len bytes at offset, going on after short reads and signals. Returns 0, or an
 * errno; EIO also where the file ends too early.
 */
int io_file_pread(int fd, uint64_t offset, uint8_t *dst, size_t len);

/* The same; *done: the bytes that were read before it failed. */
int io_file_pread_some(int fd, uint64_t offset, uint8_t *dst, size_t len, size_t *done);

/*
 * What a read of len bytes at offset of fd, of size bytes, that ended with the errno cause, or 0,
 * is to its caller.
 * Errors  ERR_IO   this place cannot be read.
 *         ERR_ENV  no place can: the device, the server of the file or memory is gone.
 */
enum err_code io_file_result(int fd, const char *path, uint64_t size, uint64_t offset, size_t len,
                             int cause, struct err *err);

#endif
