/* SPDX-License-Identifier: Apache-2.0
 * base/fds.h - messages between processes that carry descriptors: SCM_RIGHTS of unix(7), over a
 * socket that keeps messages apart (SOCK_SEQPACKET).
 *
 * Threads: any; two that use one socket keep order among themselves.
 */
#ifndef BURIN_BASE_FDS_H
#define BURIN_BASE_FDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { FDS_MAX = 2 /* descriptors of one message */ };

/* Sends bytes[len] with fds[count], which stay the caller's; count: 0 to FDS_MAX. False: nobody is
 * there. */
bool fds_send(int socket, const void *bytes, size_t len, const int *fds, uint32_t count);

/*
 * Receives a message of at most len bytes, and its descriptors, which are the caller's to close.
 * *count: how many fds has room for, at most FDS_MAX; then how many came. Returns the bytes; -1:
 * nobody is there, or the message has more of either: nothing of it is kept.
 */
ssize_t fds_receive(int socket, void *bytes, size_t len, int *fds, uint32_t *count);

#endif
