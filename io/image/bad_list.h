/* SPDX-License-Identifier: Apache-2.0
 * io/image/bad_list.h - a growing list of ranges that could not be read (io/ only). */
#ifndef BURIN_IO_IMAGE_BAD_LIST_H
#define BURIN_IO_IMAGE_BAD_LIST_H

#include "io/image.h"

struct io_bad_list {
    struct io_bad_range *items; /* owned */
    uint32_t count, room;
    bool failed; /* no memory for more */
};

/*
 * Adds a range behind the others, joined with the last where they touch and have one source,
 * cause and status.
 */
void io_bad_list_add(struct io_bad_list *list, const struct io_bad_range *range);

/* Adds all of from, which may stand there in any order; from is sorted. */
void io_bad_list_take(struct io_bad_list *list, struct io_bad_list *from);

/* Of a list that is ascending and apart: the first range that ends behind offset; NULL: none. */
const struct io_bad_range *io_bad_list_find(const struct io_bad_list *list, uint64_t offset);

/*
 * Puts a range where it belongs in a list that is ascending and apart, unless its first byte is in
 * the list.
 */
void io_bad_list_insert(struct io_bad_list *list, const struct io_bad_range *range);

/*
 * As io_bad_list_insert; the range is cut where another one begins, and joined with the one before
 * it where they touch and are alike.
 */
void io_bad_list_remember(struct io_bad_list *list, const struct io_bad_range *range);

/*
 * Of a list in any order, of one source, cause and status: makes it ascending, and joins what
 * touches or overlaps.
 */
void io_bad_list_settle(struct io_bad_list *list);

void io_bad_list_release(struct io_bad_list *list);

#endif
