/* SPDX-License-Identifier: Apache-2.0
 * io/image/remote.h - an image that a process of its own reads (io/ and tests only).
 *
 * Whatever a container does to the library that reads it, the caller lives: what the process was
 * asked for when it ended could not be read, and another process is started for the next request.
 * That has an end (REMOTE_ENDS_MAX): then the image cannot be read any more (ERR_ENV).
 */
#ifndef BURIN_IO_IMAGE_REMOTE_H
#define BURIN_IO_IMAGE_REMOTE_H

#include "io/image/container.h"

enum {
    REMOTE_ENDS_MAX = 100, /* of the processes of one image */
    REMOTE_ENDS_LATE =
        20, /* for so many one counts that used up its time: five of these, at most */
};

/*
 * As io_image_open of a container that is known.
 * Errors  those of container->open, and ERR_INPUT when the process ends over it.
 */
ERR_MUST_CHECK enum err_code io_remote_open(const struct io_container *container, const char *path,
                                            struct io_image **out, struct err *err);

#endif
