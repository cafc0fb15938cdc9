/* SPDX-License-Identifier: Apache-2.0
 * io/image/server_image.h - what a program and the process that reads an image for it say to each
 * other (io/ and tests only).
 *
 * The process opens the image and answers once, unasked (serial 0). Then it answers each request,
 * in their order; bytes go through memory that both have. It may have been taken over by what it
 * reads: the program believes nothing but what it can check.
 */
#ifndef BURIN_IO_IMAGE_SERVER_IMAGE_H
#define BURIN_IO_IMAGE_SERVER_IMAGE_H

#include <stdint.h>

#include "base/err.h"
#include "io/image/container.h"

enum { SERVER_WINDOW = 1 << 20 }; /* bytes of the shared memory */

enum server_ask {
    SERVER_PART,   /* the path of part `offset`, with its NUL, to the window */
    SERVER_UNREAD, /* ranges that hold no bytes, from number `offset` on, to the window */
    SERVER_FACT,   /* fact number `offset` to the window: name and value, each with its NUL */
    SERVER_READ,   /* bytes [offset, offset + len) to the window; len at most SERVER_WINDOW */
};

struct server_request {
    uint32_t serial; /* from 1 */
    uint32_t ask;
    uint64_t offset, len;
};

struct server_answer {
    uint32_t serial; /* of the request */
    uint32_t code;   /* enum err_code */
    int32_t cause;   /* of a read that failed: as struct io_failure has it */
    uint32_t source, unit;
    uint32_t sector_size, salvage_unit, part_count, unread_count; /* of the first answer */
    uint32_t count; /* bytes of a path or a fact, or ranges, in the window */
    uint64_t size;  /* of the first answer: of the image */
    char text[ERR_TEXT_MAX];
};

/*
 * The process: opens path as container, and answers on socket until that is closed. why_not: NULL,
 * or why container->load failed, which is its answer then.
 */
void io_server_image(const struct io_container *container, const char *path,
                     const struct err *why_not, int socket, int memory);

#endif
