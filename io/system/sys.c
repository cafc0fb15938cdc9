/* SPDX-License-Identifier: Apache-2.0
 * io/system/sys.c - see sys.h. */
#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#include "io/system/sys.h"

static ssize_t sys_pread(void *arg, int fd, uint8_t *dst, size_t len, uint64_t offset)
{
    (void)arg;
    const ssize_t got = pread(fd, dst, len, (off_t)offset);
    return got < 0 ? -errno : got;
}

static ssize_t sys_pread_cached(void *arg, int fd, uint8_t *dst, size_t len, uint64_t offset)
{
    (void)arg;
    const struct iovec to = { dst, len };
    const ssize_t got = preadv2(fd, &to, 1, (off_t)offset, RWF_NOWAIT);
    return got < 0 ? -errno : got;
}

static int sys_submit(void *arg, io_context_t context, long count, struct iocb **requests)
{
    (void)arg;
    return io_submit(context, count, requests);
}

static int sys_getevents(void *arg, io_context_t context, long min, long max,
                         struct io_event *events)
{
    (void)arg;
    return io_getevents(context, min, max, events, NULL);
}

const struct io_sys io_sys_kernel = { NULL, sys_pread, sys_pread_cached, sys_submit,
                                      sys_getevents };
