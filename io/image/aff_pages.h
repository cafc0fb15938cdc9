/* SPDX-License-Identifier: Apache-2.0
 * io/image/aff_pages.h - what afflib does not tell of an AFF file through libtsk: its pages, and
 * what marks a sector that was not read (io/ only).
 *
 * A page, mostly of 16 MiB, is one segment of the file, and is unpacked as a whole or not at all.
 * Where a page is missing, the medium was not read there, and libtsk gives zeros; a sector that
 * could not be read is filled with the bytes of the segment "badflag", and libtsk gives these.
 * Neither is the medium's.
 * Source: "The Advanced Forensic Format 1.0", and afflib 3.7.20, lib/aff_db.cpp,
 * lib/afflib_pages.cpp.
 */
#ifndef BURIN_IO_IMAGE_AFF_PAGES_H
#define BURIN_IO_IMAGE_AFF_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/limits.h"
#include "io/image/bad_list.h"

struct io_aff_pages {
    uint32_t page_len;          /* bytes */
    bool has_flag;              /* sectors of 512 bytes that were not read are marked */
    uint8_t flag[LIMIT_SECTOR]; /* with this */
    uint64_t *numbers;          /* [count], owned; pages that there are, in the order of the file */
    uint32_t count;
    size_t room;
};

/*
 * Goes through the segments of the file.
 * Errors  ERR_INPUT  it is no AFF file, damaged, or has pages of a size that afflib does not
 *                    unpack.
 *         ERR_ENV    no memory.
 * Ownership  *out is to be given to io_aff_pages_release, after an error too.
 */
ERR_MUST_CHECK enum err_code io_aff_pages_read(const char *path, struct io_aff_pages *out,
                                               struct err *err);

/*
 * The bytes of the pages that are missing, of an image of size bytes: ascending, apart.
 * Errors  ERR_INPUT  the image ends behind its last page: its size is wrong, or the file is cut
 *                    short.
 *         ERR_ENV    no memory.
 */
ERR_MUST_CHECK enum err_code io_aff_pages_missing(struct io_aff_pages *pages, const char *path,
                                                  uint64_t size, struct io_bad_list *out,
                                                  struct err *err);

/* Whether one of the sectors at bytes is marked; len is a multiple of LIMIT_SECTOR. */
bool io_aff_pages_marked(const struct io_aff_pages *pages, const uint8_t *bytes, size_t len);

void io_aff_pages_release(struct io_aff_pages *pages);

#endif
