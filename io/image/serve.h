/* SPDX-License-Identifier: Apache-2.0
 * io/image/serve.h - a container that burin does not read itself: qemu-nbd reads it, in a jail, and
 * serves what is in it (io/ and tests only).
 *
 * A hostile container may name any file of the machine as a part of itself, and QEMU would open it.
 * In this jail there is none but the container: Landlock lets qemu-nbd read that file and the
 * system's libraries and write nothing; seccomp and Landlock leave it no socket but the one that it
 * is handed, no network and no other program. Where a kernel lacks one of the two, nothing is
 * started.
 *
 * The process that calls this does so in one thread; what it starts ends with it, however it ends.
 */
#ifndef BURIN_IO_IMAGE_SERVE_H
#define BURIN_IO_IMAGE_SERVE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

enum {
    IO_SERVE_CLIENTS = 64,  /* connections at a time */
    IO_SERVE_NO_JAIL = 126, /* exit status of the process that could not confine itself */
    IO_SERVE_KEY_FD = 4,    /* of qemu-nbd: where it finds a key */
};

struct io_serve {
    pid_t pid;  /* of qemu-nbd */
    int socket; /* of O_PATH: it has no name that others could connect to */
    int says;   /* what it writes to standard error */
    bool keyed; /* it was handed a key */
};

/*
 * Starts qemu-nbd for the container at path, of the format as QEMU names it. key: -1, or a file in
 * memory with what opens an encrypted one; it stays the caller's, and the key gets to qemu-nbd by
 * that descriptor alone. *out: to be given to io_serve_end.
 * Errors  ERR_INPUT  there is no such file, no qemu-nbd, or no memory to put a socket in. The text
 *                    says how to do without, and leaves the path to the caller.
 */
ERR_MUST_CHECK enum err_code io_serve_start(const char *path, const char *format, int key,
                                            struct io_serve *out, struct err *err);

/* Whether it has not ended. */
bool io_serve_lives(const struct io_serve *serve);

/*
 * Says why it does not greet, and ends it; failed: the errno. ERR_INPUT: it cannot read the
 * container, or there is no jail. The text leaves the path to the caller.
 */
ERR_MUST_CHECK enum err_code io_serve_failed(struct io_serve *serve, const char *format, int failed,
                                             struct err *err);

/* Connects, without waiting for an answer; *out is the caller's. Returns 0 or an errno. */
int io_serve_connect(const struct io_serve *serve, int *out);

void io_serve_end(struct io_serve *serve);

/*
 * The process that becomes qemu-nbd: confines itself and runs program. keyed: the key is at
 * IO_SERVE_KEY_FD. What goes wrong is written to standard error.
 */
_Noreturn void io_serve_run(const char *program, const char *path, const char *format, bool keyed);

#endif
