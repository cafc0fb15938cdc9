/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/ranges.h - sets of bytes of the image, as lists of ranges. */
#ifndef BURIN_IO_FILESYSTEM_RANGES_H
#define BURIN_IO_FILESYSTEM_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "io/reader.h"

enum { RANGES_MAX = 1 << 24 }; /* 16 bytes each */

/* Zeroed is empty. Release with ranges_release. */
struct ranges {
    struct io_range *items;
    uint32_t count;
    size_t room;
};

void ranges_release(struct ranges *ranges);

/* Adds a range, in any order; joins it with the one added last where they touch. *full: there are
 * RANGES_MAX, and it was not added. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code ranges_add(struct ranges *ranges, uint64_t offset, uint64_t len,
                                        bool *full, struct err *err);

/* Sorts them and joins those that touch or lie over one another; the functions below need that. */
void ranges_sort(struct ranges *ranges);

/* *out, empty before, becomes the bytes that are in both, or in a and not in b. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code ranges_both(const struct ranges *a, const struct ranges *b,
                                         struct ranges *out, struct err *err);
ERR_MUST_CHECK enum err_code ranges_without(const struct ranges *a, const struct ranges *b,
                                            struct ranges *out, struct err *err);

#endif
