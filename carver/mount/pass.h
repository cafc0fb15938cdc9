/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/pass.h - bytes of a file on their way to the kernel without a copy in this process:
 * a pipe that takes pages of the page cache. Each belongs to one thread.
 */
#ifndef BURIN_CARVER_MOUNT_PASS_H
#define BURIN_CARVER_MOUNT_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PASS_MIN = 64 << 10,  /* bytes: fewer are copied as fast */
    PASS_MAX = 512 << 10, /* bytes at a time; a pipe has room for pages, so twice as many */
};

struct pass {
    int ends[2]; /* where it is read, and filled; -1: there is none */
};

void pass_open(struct pass *pass);  /* without a pipe nothing is taken */
void pass_close(struct pass *pass); /* of one that was opened: again a no-op */

/*
 * Takes len bytes of the file from this place on: all of them, or none and false (they cannot all
 * be read, there is no pipe, PASS_MIN, PASS_MAX). Whoever does not take them all out of ends[0]
 * calls pass_renew.
 */
bool pass_take(struct pass *pass, int fd, uint64_t at, size_t len);

/* What is in it is forgotten. */
void pass_renew(struct pass *pass);

#endif
