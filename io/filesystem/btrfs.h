/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/btrfs.h - Btrfs: which bytes of one of its devices are in use.
 *
 * The tree of extents tells what is in use of the space that Btrfs has, and the tree of chunks
 * where that lies on devices. It is believed when the extents of each block group add up to what
 * the block group says. Single, DUP, RAID1 (also of 3 and 4), RAID0 and RAID10, of however many
 * devices, as long as the trees lie on this one. Source: "On-disk format" of Btrfs
 * (btrfs.readthedocs.io), and linux/btrfs_tree.h.
 */
#ifndef BURIN_IO_FILESYSTEM_BTRFS_H
#define BURIN_IO_FILESYSTEM_BTRFS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "io/filesystem/source.h"
#include "io/fsmap.h"

/*
 * Tells runs of the device, in no order and not over one another: IO_AREA_ALLOCATED (data),
 * IO_AREA_META (nodes of trees), IO_AREA_UNALLOCATED. What is not told is not known.
 *
 * Memory  32 bytes for each chunk and 16 for each stripe, 2^20 at most, and 512 KiB.
 * Errors  ERR_INPUT, in words that can follow "Btrfs: ": what it is that is damaged or has no
 *         reader here; tell returned false; then what has been told does not count. ERR_ENV.
 */
ERR_MUST_CHECK enum err_code btrfs_use(const struct source *source,
                                       bool (*tell)(void *arg, enum io_area_kind kind, uint64_t at,
                                                    uint64_t len),
                                       void *arg, struct err *err);

#endif
