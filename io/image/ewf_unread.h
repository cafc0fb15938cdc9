/* SPDX-License-Identifier: Apache-2.0
 * io/image/ewf_unread.h - the sectors that an E01 says were not read when it was made (io/ only).
 *
 * libewf 20140813 keeps only those of the last section that lists some, and takes the square of
 * their number in time where they are out of order; so they are read here, and too many of them
 * refused before libewf is asked.
 */
#ifndef BURIN_IO_IMAGE_EWF_UNREAD_H
#define BURIN_IO_IMAGE_EWF_UNREAD_H

#include <stdint.h>

#include "base/err.h"
#include "io/image/bad_list.h"

struct io_ewf_unread {
    struct io_bad_list sectors;   /* offset and len count sectors; in the order of the sections */
    uint32_t entries, disordered; /* disordered: begin before the end of the one in front of them */
    uint64_t end;                 /* of the last one */
};

/*
 * Adds what the section "error2" lists whose body is the bytes [at, end) of the file.
 * Errors  ERR_INPUT  its checksums, its length or its number of entries cannot be right, or it
 *                    cannot be read.
 *         ERR_ENV    no memory.
 */
ERR_MUST_CHECK enum err_code io_ewf_unread_add(struct io_ewf_unread *unread, const char *path,
                                               int fd, uint64_t at, uint64_t end, struct err *err);

/*
 * All sectors of the sections as bytes of an image of size bytes: ascending, apart, cut off at its
 * end.
 * Errors  ERR_ENV  no memory.
 */
ERR_MUST_CHECK enum err_code io_ewf_unread_bytes(const struct io_ewf_unread *unread,
                                                 uint32_t sector_size, uint64_t size,
                                                 struct io_bad_list *out, struct err *err);

void io_ewf_unread_release(struct io_ewf_unread *unread);

#endif
