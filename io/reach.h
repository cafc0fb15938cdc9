/* SPDX-License-Identifier: Apache-2.0
 * io/reach.h - the process that goes where a confined program cannot: it connects to the servers
 * that images are at, and starts servers for containers that burin does not read itself.
 *
 *   io_reach_open(&err);                 before the program confines itself and has threads
 *   io_reach_allow(image);               what people have named
 *   io_reach_narrow(IO_REACH_CASE);      from here on hosts of a network are no longer taken
 *   io_reach_allow(image);               what a case file names
 *   io_reach_narrow(IO_REACH_NOTHING);   from here on nothing is
 *
 * It connects to what was allowed, sees that an NBD server answers, and hands the socket to the
 * process that reads the image, which has no right to make one. It reads no byte of evidence. It
 * ends with the program. There is one for the process, as there is one starter
 * (io/image/server.h).
 */
#ifndef BURIN_IO_REACH_H
#define BURIN_IO_REACH_H

#include <stdbool.h>

#include "base/err.h"

enum io_reach_narrow {
    IO_REACH_CASE, /* a case file may be hostile: it names sockets of this machine alone */
    IO_REACH_NOTHING,
};

/*
 * Starts the process, unless this one has one. A program that does not call it leaves that to the
 * first image that needs it; everything may be reached then. ERR_ENV: no process.
 */
ERR_MUST_CHECK enum err_code io_reach_open(struct err *err);

/*
 * Starts the process, and hands it the file at path, whose bytes open what is encrypted. Only the
 * process reads them, at once, and keeps them in memory; nobody else is told, but the servers that
 * it starts. Before io_reach_narrow. A later key replaces it.
 * Errors  ERR_INPUT  it cannot be read, is empty, or has more than IO_REACH_KEY_MAX bytes.
 *         ERR_ENV    no process, no memory.
 */
ERR_MUST_CHECK enum err_code io_reach_key(const char *path, struct err *err);

/* The image at path, an address or a file, may be reached. A no-op without the process. */
void io_reach_allow(const char *path);

/*
 * Whether the image at path is one that the process is needed for: an address, or a file with the
 * magic of a container that a server of ours reads.
 */
bool io_reach_is_needed(const char *path);

/* What is allowed from now on is less; without the process a no-op. */
void io_reach_narrow(enum io_reach_narrow to);

#endif
