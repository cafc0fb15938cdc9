/* SPDX-License-Identifier: Apache-2.0
 * io/system/direct.c - see direct.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/system/direct.h"
#include "io/system/in_memory.h"

enum { DIRECT_ALIGN_UNKNOWN = 4096 }; /* bytes; every device's logical block divides it */

struct io_direct_align io_direct_align(int fd)
{
    struct io_direct_align align = { 0, 0 };
    struct statx about;
    int sector;

    if (statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_DIOALIGN, &about) != 0)
        return align;
    if ((about.stx_mask & STATX_DIOALIGN) != 0 && about.stx_dio_offset_align > 0)
        align = (struct io_direct_align){ about.stx_dio_offset_align, about.stx_dio_mem_align };
    else if (S_ISBLK(about.stx_mode) && ioctl(fd, BLKSSZGET, &sector) == 0 && sector > 0)
        align = (struct io_direct_align){ (uint32_t)sector, (uint32_t)sector };
    return align;
}

/* One number for offset, length and memory. */
static uint32_t direct_align_all(int fd)
{
    const struct io_direct_align align = io_direct_align(fd);

    if (align.offset == 0)
        return DIRECT_ALIGN_UNKNOWN;
    return align.offset > align.memory ? align.offset : align.memory;
}

int io_direct_open(int fd, int flags)
{
    char path[32];

    flags |= O_RDONLY | O_CLOEXEC;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const int opened = open(path, flags | O_NOATIME);
    return opened >= 0 || errno != EPERM ? opened : open(path, flags);
}

/*
 * tmpfs takes O_DIRECT since Linux 6.6. Its requests are copies of pages like any other read, done
 * before they are submitted.
 */
static int direct_open_file(int fd)
{
    struct statfs system;

    return fstatfs(fd, &system) == 0 && io_in_memory(&system) ? -1 : io_direct_open(fd, O_DIRECT);
}

struct io_direct_file *io_direct_find(struct io_direct *direct, int fd)
{
    for (uint32_t i = direct->count; i-- > 0;)
        if (direct->files[i].fd == fd)
            return &direct->files[i];
    struct io_direct_file *grown = realloc(direct->files, (direct->count + 1) * sizeof *grown);
    if (grown == NULL)
        return NULL;
    direct->files = grown;
    grown[direct->count] =
        (struct io_direct_file){ fd, direct_open_file(fd), direct_align_all(fd) };
    return &grown[direct->count++];
}

void io_direct_refuse(struct io_direct *direct, int fd)
{
    struct io_direct_file *file = io_direct_find(direct, fd);

    if (file != NULL && file->direct >= 0) {
        close(file->direct);
        file->direct = -1;
    }
}

void io_direct_release(struct io_direct *direct)
{
    for (uint32_t i = 0; i < direct->count; i++)
        if (direct->files[i].direct >= 0)
            close(direct->files[i].direct);
    free(direct->files);
}
