/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/keeper.h - the process that mounts and unmounts for a program that has given up the
 * right to.
 *
 *   keeper_start()    before the program confines itself: forks the process
 *   keeper_mount()    it mounts the folder, and gives the descriptor of the connection
 *   keeper_ahead()    it has the kernel read more of a file before that is asked for
 *   keeper_lend()     it lends the kernel a file, which the kernel then reads itself: see through.h
 *   keeper_end()      it unmounts the folder, and ends
 *
 * It knows the folder and the options from the start, reads nothing of evidence or case, and takes
 * one byte at a time, or one and the descriptor of what the program can read anyway. When the
 * program ends in any other way, killed too, it unmounts as well: no dead mount stays behind. It
 * unmounts the mount that it made and no other one at the same place.
 */
#ifndef BURIN_CARVER_MOUNT_KEEPER_H
#define BURIN_CARVER_MOUNT_KEEPER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "carver/mount/lib_fuse.h"

enum { KEEPER_OPTIONS_MAX = PATH_MAX + 512, KEEPER_AHEAD_BYTES = 1 << 20 };

struct keeper {
    pid_t pid;  /* 0: there is none */
    int socket; /* to it */
};

/*
 * folder: absolute. source: what stands in tables of mounts for the device. others: all users may
 * look at it. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code keeper_start(struct keeper *keeper, const struct lib_fuse *fuse,
                                          const char *folder, const char *source, bool others,
                                          struct err *err);

/* *fd is the caller's. ERR_ENV: it cannot be mounted; the text says why. */
ERR_MUST_CHECK enum err_code keeper_mount(struct keeper *keeper, int *fd, struct err *err);

/*
 * Once the connection is greeted: the kernel reads KEEPER_AHEAD_BYTES ahead of whoever reads a file
 * from one end to the other. Of users but root, and where /sys cannot be written, it stays with its
 * 128 KiB. Source: Documentation/ABI/testing/sysfs-class-bdi of Linux.
 */
void keeper_ahead(struct keeper *keeper);

/* The number that the kernel knows the file by; 0: it does not take it, as of users but root. Both
 * stay the caller's. */
uint32_t keeper_lend(struct keeper *keeper, int connection, int file);

/* The folder is as it was before. Of a zeroed keeper: a no-op. */
void keeper_end(struct keeper *keeper);

#endif
