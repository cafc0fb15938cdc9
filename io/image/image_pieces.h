/* SPDX-License-Identifier: Apache-2.0
 * io/image/image_pieces.h - an image that is read by a table of pieces (io/ and tests only).
 *
 * The reader of a container begins such an image, adds the files that it consists of, reads their
 * tables, gives the table of pieces and ends with io_pieces_finish:
 *
 *   io_pieces_begin ─► io_pieces_add_file ─► io_pieces_load ... ─► io_pieces_list ─►
 * io_pieces_finish
 *
 * All of these belong to one thread; the image that comes out of it is read by any number, without
 * a lock.
 */
#ifndef BURIN_IO_IMAGE_IMAGE_PIECES_H
#define BURIN_IO_IMAGE_IMAGE_PIECES_H

#include "io/image/container.h"
#include "io/image/pieces.h"

struct io_pieces;

/* ERR_ENV: no memory. */
ERR_MUST_CHECK enum err_code io_pieces_begin(const struct io_container *container,
                                             struct io_pieces **out, struct err *err);

/*
 * Opens a file as the next part of the image; the first is number 0. *size: its bytes.
 * Errors  as io_file_open.
 */
ERR_MUST_CHECK enum err_code io_pieces_add_file(struct io_pieces *pieces, const char *path,
                                                uint64_t *size, struct err *err);

/*
 * Reads bytes of a file into dst; what: "the block map" for messages.
 * Errors  ERR_INPUT  they are not there, or cannot be read.
 */
ERR_MUST_CHECK enum err_code io_pieces_load(const struct io_pieces *pieces, uint32_t file,
                                            uint64_t at, uint8_t *dst, size_t len, const char *what,
                                            struct err *err);

/*
 * From now on `change` is called with what io_pieces_load and io_pieces_each read of part 0, to
 * change it: the container has a log of its tables. NULL: no more.
 */
typedef void (*io_pieces_change_fn)(const void *arg, uint64_t at, uint8_t *bytes, size_t len);
void io_pieces_change(struct io_pieces *pieces, io_pieces_change_fn change, const void *arg);

/* Called with the entries of a table, in their order; the first error ends it. */
typedef enum err_code (*io_pieces_entry_fn)(void *arg, uint64_t number, const uint8_t *entry,
                                            struct err *err);

/*
 * Reads a table of count entries of width bytes each (at most IO_PIECES_ENTRY_MAX), a little at a
 * time: a table may be as large as the file says, and that may be a file of holes.
 * Errors  those of io_pieces_load and of each.
 */
enum { IO_PIECES_ENTRY_MAX = 32 };
ERR_MUST_CHECK enum err_code io_pieces_each(const struct io_pieces *pieces, uint32_t file,
                                            uint64_t at, uint64_t count, uint32_t width,
                                            const char *what, io_pieces_entry_fn each, void *arg,
                                            struct err *err);

/* Whether the file at path is one of the parts already. */
bool io_pieces_has(const struct io_pieces *pieces, const char *path);

/* A descriptor of the file, for a table that is read on demand; it lives as long as the image. */
int io_pieces_fd(const struct io_pieces *pieces, uint32_t file);

/* The bytes of a sector, where they are not 512. */
void io_pieces_sector_size(struct io_pieces *pieces, uint32_t bytes);

/*
 * The image consists of packed pieces of so many bytes each, of which the last may be shorter: many
 * are then read at a time, and a bad one costs no other.
 */
void io_pieces_unit(struct io_pieces *pieces, uint32_t bytes);

/* The image that is being made, for what is said of it besides: its unread bytes, its trouble. */
struct io_image *io_pieces_image(struct io_pieces *pieces);

/* Gives the table, which belongs to the image from here on, and the size of the image. */
void io_pieces_table(struct io_pieces *pieces, const struct io_piece_ops *ops, void *table,
                     uint64_t size);

/* Gives a plain table, which is taken out of list; its size is that of the image. */
ERR_MUST_CHECK enum err_code io_pieces_list(struct io_pieces *pieces, struct io_piece_list *list,
                                            struct err *err);

/*
 * Ends the making of the image: with rc ERR_OK it becomes *out, with any other it is closed and rc
 * returned. ERR_INPUT: it has no bytes. pieces may be NULL with an error.
 */
enum err_code io_pieces_finish(struct io_pieces *pieces, enum err_code rc, struct io_image **out,
                               struct err *err);

#endif
