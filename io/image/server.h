/* SPDX-License-Identifier: Apache-2.0
 * io/image/server.h - processes that read what may mean harm, and the one that starts them (io/ and
 * tests only).
 *
 *   the program ── order ──► the starter ── fork ──► a process for each image, or walk of its file
 * systems └──────────────── requests, answers, shared memory ───────────────┘
 *
 * The starter is forked off before the program has threads and before it has met a byte of
 * evidence. So what it forks is small, has no locks that somebody holds, and no file or memory of
 * the program but what it is handed. It goes when the program goes, and all it has started with it.
 *
 * There is one for the process. It is the second static variable of the program (the first is that
 * of carver/cli/interrupt.c): whoever opens an image has to find the process that was made before
 * threads.
 */
#ifndef BURIN_IO_IMAGE_SERVER_H
#define BURIN_IO_IMAGE_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/limits.h"
#include "io/image/container.h"

struct io_server_world {
    const struct io_container *table; /* what images may be; stays the caller's */
    uint32_t table_count;
    bool jail;        /* the processes confine themselves */
    int reach;        /* io_reach_fd, for processes that speak with servers; set by server.c */
    uint32_t seconds; /* of its processor that a process may take for one request */
};

/*
 * Starts the starter; one that is there is ended before. To be called before threads, and, where
 * the program confines itself, behind that: the starter keeps what was given up. ERR_ENV: no
 * process.
 */
ERR_MUST_CHECK enum err_code io_server_prepare(const struct io_server_world *world,
                                               struct err *err);

/* As io_server_prepare, as the program does, unless there is one. */
ERR_MUST_CHECK enum err_code io_server_need(struct err *err);

struct io_server_world io_server_world(void);

enum {
    IO_SERVER_TYPE_MAX = 32
}; /* bytes of a word of --image-type, or a format, the NUL included */

/*
 * Starts a process that opens path as the line of the table that container is, and answers on the
 * socket (see server_image.h), whose other end is the caller's; memory: SERVER_WINDOW bytes to
 * share. Both stay the caller's. *pid: to be given to io_server_end. ERR_ENV: no process.
 */
ERR_MUST_CHECK enum err_code io_server_start_image(const struct io_container *container,
                                                   const char *path, int socket, int memory,
                                                   pid_t *pid, struct err *err);

/*
 * Starts a process that tells of the file systems of the image at path, of that type, and writes
 * what fsmap_walk.h says to fd, for so many seconds of its processor at most. wants: FSMAP_WANT_*.
 * max_read: as io_image_max_read.
 */
ERR_MUST_CHECK enum err_code io_server_start_walk(const char *path, const char *type,
                                                  uint32_t wants, uint64_t max_read,
                                                  uint64_t seconds, int fd, pid_t *pid,
                                                  struct err *err);

/* Ends the process, if it has not ended. Returns its status as waitpid gives it; -1: not known. */
int io_server_end(pid_t pid);

/* ---- between the program and the starter ---- */

enum server_what { SERVER_IMAGE, SERVER_WALK, SERVER_END };

struct server_order {
    uint32_t what;
    int32_t pid;                   /* SERVER_END */
    uint32_t container;            /* SERVER_IMAGE: an index of the table */
    uint32_t wants;                /* SERVER_WALK */
    uint64_t seconds, max_read;    /* SERVER_WALK */
    char type[IO_SERVER_TYPE_MAX]; /* SERVER_WALK */
    char path[LIMIT_PATH];
};

struct server_started {
    int32_t pid;    /* -1: none */
    int32_t status; /* SERVER_END: of waitpid; else an errno */
};

/* The starter: takes orders from fd until that is closed. */
_Noreturn void io_server_starter(int fd, const struct io_server_world *world);

/*
 * Gives up all that reading the image at path does not need, of a process that does nothing else.
 * link: it speaks with a server, through sockets that it is handed.
 */
void io_server_confine(const char *path, uint64_t seconds, bool jail, bool link);

#endif
