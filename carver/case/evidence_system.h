/* SPDX-License-Identifier: Apache-2.0
 * carver/case/evidence_system.h - which devices a folder is written to, by the tables of the
 * kernel. Between the files of evidence.c and for its tests, which give tables of their own.
 *
 *   path ──► place: number of its mount, of its device, of its btrfs
 *   place ──► devices: the device itself, or what the line of mountinfo with that number says of it
 *   device ──► parts of the evidence: through sysfs, down partitions, volumes and loop devices
 */
#ifndef BURIN_CARVER_CASE_EVIDENCE_SYSTEM_H
#define BURIN_CARVER_CASE_EVIDENCE_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "io/image.h"

enum {
    EVIDENCE_DEPTH_MAX = 8,  /* loop on LVM on md on partition on disk, and overlays, and some */
    EVIDENCE_UUID_TEXT = 37, /* "01234567-89ab-cdef-0123-456789abcdef" and its NUL */
    EVIDENCE_TYPE_TEXT = 64, /* name of a file system's type, its NUL included */
};

enum evidence_answer {
    EVIDENCE_APART,   /* no write reaches the evidence */
    EVIDENCE_ON_IT,   /* it does */
    EVIDENCE_UNKNOWN, /* the tables do not say: it may */
};

/* Where a path lies. */
struct evidence_place {
    uint64_t mount;                 /* number of the mount; 0: the kernel does not say */
    dev_t dev;                      /* of the file system; major number 0: none of its own */
    char btrfs[EVIDENCE_UUID_TEXT]; /* UUID of the btrfs; "": it is none, or does not say */
};

/* The tables. */
struct evidence_system {
    const char *sysfs;     /* "/sys" */
    const char *mountinfo; /* "/proc/self/mountinfo" */
    /* Of a folder that must exist; false where it cannot be found. */
    bool (*place)(const char *path, struct evidence_place *out);
};

/* evidence.c: asks the kernel. */
bool evidence_place(const char *path, struct evidence_place *out);

/* evidence_device.c: does what is written to the block device change the image? */
enum evidence_answer evidence_of_device(const struct evidence_system *system,
                                        const struct io_image *image, dev_t dev, uint32_t depth);

/*
 * Of a folder of sysfs with links to the folders of devices, "slaves" of a volume say: of any of
 * them.
 */
enum evidence_answer evidence_of_links(const struct evidence_system *system,
                                       const struct io_image *image, const char *folder,
                                       uint32_t depth);

/* Is a part of the image a block device, or a file that a loop device stands on? */
bool evidence_has_device(const struct evidence_system *system, const struct io_image *image);

/*
 * evidence_mount.c: does what is written at the place change the image? type: of the file system,
 * where the answer came from the table of mounts; else "".
 */
enum evidence_answer evidence_of_place(const struct evidence_system *system,
                                       const struct io_image *image,
                                       const struct evidence_place *place, uint32_t depth,
                                       char type[EVIDENCE_TYPE_TEXT]);

/* The worst of two answers, for a file system that has several devices. */
static inline enum evidence_answer evidence_worse(enum evidence_answer a, enum evidence_answer b)
{
    if (a == EVIDENCE_ON_IT || b == EVIDENCE_ON_IT)
        return EVIDENCE_ON_IT;
    return a == EVIDENCE_UNKNOWN ? a : b;
}

#endif
