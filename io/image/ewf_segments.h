/* SPDX-License-Identifier: Apache-2.0
 * io/image/ewf_segments.h - the files of an E01 image, their names and their sections. Are all
 * there, and whole? (io/ and tests only)
 *
 * libewf 20140813 does not say: what a missing or shortened file should hold reads as zeros,
 * without an error.
 */
#ifndef BURIN_IO_IMAGE_EWF_SEGMENTS_H
#define BURIN_IO_IMAGE_EWF_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/limits.h"
#include "io/image/ewf_unread.h"

enum {
    IO_EWF_HEADER_LEN = 13,  /* bytes of a file in front of its first section */
    IO_EWF_SECTION_LEN = 76, /* bytes of a section in front of its body */
    IO_EWF_TYPE_LEN = 16,
};

struct io_ewf_section {
    const char *path;
    int fd;
    uint64_t at, end; /* of its body, which has no room where end is not behind at */
    char type[IO_EWF_TYPE_LEN + 1];
    bool sound; /* the checksum of what stands in front of the body is right */
};

typedef enum err_code (*io_ewf_section_fn)(void *arg, const struct io_ewf_section *section,
                                           struct err *err);

/*
 * The name of file `number`, from 1, of the image that path is a file of: .E01 to .E99, then .EAA
 * to .EZZ, .FAA to .ZZZ; in lower case where path is. False: path is not called like that, or there
 * is no such name; name then says what is meant, for messages.
 */
bool io_ewf_name(const char *path, uint32_t number, char name[LIMIT_PATH]);

/*
 * Checks that a file of size bytes is number `number` of its image, and calls each for its
 * sections, in their order; the first error ends it. *last: no file follows this one.
 * Errors  ERR_INPUT  it is another file of the image (named), or none, or is cut short.
 *         those of each.
 */
ERR_MUST_CHECK enum err_code io_ewf_walk(const char *path, int fd, uint64_t size, uint32_t number,
                                         io_ewf_section_fn each, void *arg, bool *last,
                                         struct err *err);

/* ERR_INPUT, which says that file `number` of the image of path is missing. */
enum err_code io_ewf_missing(const char *path, uint32_t number, struct err *err);

/*
 * Checks paths[count], the files found in their order, from their headers and their chains of
 * sections, and collects the sectors that were not read when the image was made.
 * Errors  ERR_INPUT  a file is missing, shortened, or of another place in the order (named), or
 *                    lists unread sectors in a way that cannot be right.
 *         ERR_ENV    no memory.
 */
ERR_MUST_CHECK enum err_code io_ewf_check_segments(char *const *paths, uint32_t count,
                                                   struct io_ewf_unread *unread, struct err *err);

#endif
