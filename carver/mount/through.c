/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/through.c - see through.h. */
#include "carver/mount/through.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

enum { THROUGH_OPENED = 1 << 7 /* FOPEN_PASSTHROUGH */ };

/* struct fuse_backing_map */
struct through_file {
    int32_t fd;
    uint32_t flags;
    uint64_t padding;
};

#define THROUGH_LEND _IOW(229, 1, struct through_file) /* FUSE_DEV_IOC_BACKING_OPEN */

/* The same file, through a mount of its own that nobody sees. Kept from writing, also of times, as
 * the kernel opens it by what readers of our mount ask for. -1: there is none. */
static int through_open_again(int file)
{
    struct mount_attr attributes = { .attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOATIME,
                                     .attr_clr = MOUNT_ATTR__ATIME };
    const int tree = open_tree(file, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    char name[64];
    int again = -1;

    snprintf(name, sizeof name, "/proc/self/fd/%d", tree);
    if (tree >= 0 && mount_setattr(tree, "", AT_EMPTY_PATH, &attributes, sizeof attributes) == 0)
        again = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (tree >= 0)
        close(tree);
    return again;
}

uint32_t through_lend(int connection, int file)
{
    const int flags = fcntl(file, F_GETFL);
    struct through_file lent = { .fd = -1 };
    int number = 0;

    /* Who asks may have opened it without the right to read it. */
    if (flags >= 0 && (flags & (O_ACCMODE | O_PATH)) == O_RDONLY)
        lent.fd = through_open_again(file);
    if (lent.fd >= 0) {
        number = ioctl(connection, THROUGH_LEND, &lent);
        close(lent.fd);
    }
    return number > 0 ? (uint32_t)number : 0;
}

struct through_opened through_opened(uint32_t number)
{
    return (struct through_opened){ .flags = THROUGH_OPENED, .number = number };
}
