/* SPDX-License-Identifier: Apache-2.0
 * io/system/in_memory.h - whether a file system keeps its files in memory alone. Not for other
 * folders. */
#ifndef BURIN_IO_SYSTEM_IN_MEMORY_H
#define BURIN_IO_SYSTEM_IN_MEMORY_H

#include <linux/magic.h>
#include <stdbool.h>
#include <sys/vfs.h>

/* system: as statfs(2) tells it. */
static inline bool io_in_memory(const struct statfs *system)
{
    return system->f_type == TMPFS_MAGIC || system->f_type == RAMFS_MAGIC;
}

#endif
