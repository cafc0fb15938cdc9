/* SPDX-License-Identifier: Apache-2.0
 * io/image/reach_link.h - what is said to the process of io/reach.h (io/ and tests only).
 */
#ifndef BURIN_IO_IMAGE_REACH_LINK_H
#define BURIN_IO_IMAGE_REACH_LINK_H

#include <stdint.h>

#include "base/err.h"
#include "base/limits.h"

enum {
    IO_REACH_FORMAT_MAX = 16,
    IO_REACH_SECONDS = 120,      /* for a connection, and for the first bytes of the server */
    IO_REACH_KEY_MAX = 64 << 10, /* bytes of a key */
};

enum reach_what {
    REACH_ALLOW,
    REACH_NARROW,
    REACH_CONNECT,
    REACH_KEY /* and a descriptor of it */
};

struct reach_order {
    uint32_t what;
    uint32_t narrow;  /* REACH_NARROW: enum io_reach_narrow */
    uint32_t seconds; /* REACH_CONNECT: to wait for the server, at most IO_REACH_SECONDS */
    char format[IO_REACH_FORMAT_MAX]; /* REACH_CONNECT: "": path is an address; else it is a file
                                         that QEMU knows by this name */
    char path[LIMIT_PATH];
};

struct reach_answer {
    uint32_t code; /* enum err_code */
    char text[ERR_TEXT_MAX];
};

/*
 * The descriptor by which the process is asked, for those that the starter starts; it is the one
 * of io_reach_open, which is called where that was not. -1: there is none.
 */
int io_reach_fd(void);

/* In a process that the starter started: this is the descriptor. */
void io_reach_inherit(int fd);

/*
 * Has the process connect to the server that path is the address of; or, where format is not NULL,
 * to a qemu-nbd that it starts for the file at path (serve.h). *out: the socket, the
 * caller's. Errors: ERR_INPUT: the server is none of NBD, or not allowed; ERR_ENV: it
 * cannot be reached, or the process is gone.
 */
ERR_MUST_CHECK enum err_code io_reach_connect(const char *path, const char *format,
                                              uint32_t seconds, int *out, struct err *err);

/*
 * Reads all of fd into a file in memory, which is the caller's, and leaves no other copy. -1: *err
 * says why not: ERR_INPUT for what is empty, too long or cannot be read, ERR_ENV.
 */
int io_reach_key_read(int fd, struct err *err);

/* The process: takes orders from fd until that is closed. all: everything is allowed. */
_Noreturn void io_reach_process(int fd, int all);

#endif
