/* SPDX-License-Identifier: Apache-2.0
 * io/image/zip_directory.h - the members of a ZIP file that is a container of an image (io/ and
 * tests only).
 *
 * Only what such containers have: one file, no encryption, members that are stored or deflated, and
 * 64-bit sizes (ZIP64). Names are compared after their %xx are undone, and without a leading "/".
 * Source: APPNOTE.TXT 6.3.9 of PKWARE, sections 4.3 and 4.5.3.
 */
#ifndef BURIN_IO_IMAGE_ZIP_DIRECTORY_H
#define BURIN_IO_IMAGE_ZIP_DIRECTORY_H

#include "io/image/image_pieces.h"

enum {
    ZIP_DIRECTORY_MAX = 512 << 20, /* bytes: about four million members */
    ZIP_LOAD_MAX = 256 << 20,      /* bytes of a member that is read whole */
    ZIP_COMMENT_MAX = 65535,
};

struct io_zip_member {
    const char *name; /* in the directory's bytes, no NUL */
    uint64_t stored_len, len, header;
    uint32_t crc;
    uint16_t name_len, method, flags;
};

struct io_zip {
    const struct io_pieces *pieces;
    uint32_t file;    /* number of the part */
    const char *path; /* the caller's */
    uint64_t at;      /* of the directory: members end before it */
    uint8_t *bytes;   /* of the directory, owned; names are undone in place */
    size_t bytes_len;
    struct io_zip_member *items; /* by name, owned */
    uint32_t count;
    char comment[ZIP_COMMENT_MAX + 1];
};

/*
 * Reads the directory of part `file`, which is at path and has size bytes. *out is to be given to
 * io_zip_release, whatever is returned.
 * Errors  ERR_INPUT  it is damaged or cut short; it has two members of one name.
 *         ERR_ENV    no memory.
 */
ERR_MUST_CHECK enum err_code io_zip_open(const struct io_pieces *pieces, uint32_t file,
                                         const char *path, uint64_t size, struct io_zip *out,
                                         struct err *err);

/* The member of this name; NULL: there is none. */
const struct io_zip_member *io_zip_find(const struct io_zip *zip, const char *name);

/*
 * Where the bytes of a member begin in the file; they have stored_len bytes there.
 * Errors  ERR_INPUT  its header is not where the directory says, or says something else; it is
 *                    encrypted.
 */
ERR_MUST_CHECK enum err_code io_zip_place(const struct io_zip *zip,
                                          const struct io_zip_member *member, uint64_t *at,
                                          struct err *err);

/*
 * Reads a member whole. *bytes is the caller's to free; a NUL follows its member->len bytes.
 * Errors  ERR_INPUT  as io_zip_place; it is damaged: its CRC-32 is wrong; it is longer than
 *                    ZIP_LOAD_MAX; it is packed in another way than deflate.
 *         ERR_ENV    no memory.
 */
ERR_MUST_CHECK enum err_code io_zip_load(const struct io_zip *zip,
                                         const struct io_zip_member *member, uint8_t **bytes,
                                         struct err *err);

void io_zip_release(struct io_zip *zip);

#endif
