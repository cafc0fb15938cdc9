/* SPDX-License-Identifier: Apache-2.0
 * io/image/remote_link.h - a process that reads an image, seen from the program: one request at a
 * time, and how it ended (io/ only).
 */
#ifndef BURIN_IO_IMAGE_REMOTE_LINK_H
#define BURIN_IO_IMAGE_REMOTE_LINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "io/image/server_image.h"

enum { REMOTE_WHY_MAX = 128 };

struct remote_link {
    int socket; /* -1: there is no process */
    int memory; /* behind window; cannot be made shorter */
    const uint8_t *window;
    pid_t pid;
    uint32_t serial; /* of the last request */
};

/*
 * Starts a process for the image at path; what it says first is the answer to request 0. On an
 * error *out needs no close. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code remote_link_open(struct remote_link *out,
                                              const struct io_container *container,
                                              const char *path, struct err *err);

/* Sends the request, with a serial of its own. False: the process has ended. */
bool remote_link_ask(struct remote_link *link, struct server_request *request);

/*
 * Waits for the answer to the last request. False: there is none to be believed, the process is
 * ended, and why says how it came to that. *late: it had used up its time.
 */
bool remote_link_hear(struct remote_link *link, struct server_answer *answer,
                      char why[REMOTE_WHY_MAX], bool *late);

/* Ends the process. why (NULL, or REMOTE_WHY_MAX bytes): how it had ended. No-op without one. */
void remote_link_close(struct remote_link *link, char why[REMOTE_WHY_MAX]);

#endif
