/* SPDX-License-Identifier: Apache-2.0
 * io/system/sys.h - the system calls that backends make, as a table, so that a test can make any of
 * them short, late or failed.
 *
 * Each works like the call it is named for, but returns -errno instead of setting errno.
 */
#ifndef BURIN_IO_SYSTEM_SYS_H
#define BURIN_IO_SYSTEM_SYS_H

#include <libaio.h>
#include <stdint.h>
#include <sys/types.h>

struct io_sys {
    void *arg; /* given to each call */
    ssize_t (*pread)(void *arg, int fd, uint8_t *dst, size_t len, uint64_t offset);
    ssize_t (*pread_cached)(void *arg, int fd, uint8_t *dst, size_t len,
                            uint64_t offset); /* RWF_NOWAIT */
    int (*submit)(void *arg, io_context_t context, long count, struct iocb **requests);
    int (*getevents)(void *arg, io_context_t context, long min, long max, struct io_event *events);
};

extern const struct io_sys io_sys_kernel;

#endif
