/* SPDX-License-Identifier: Apache-2.0
 * io/image/split.h - the parts of a split raw image, found by name in their folder.
 *
 * A part's name ends in a dot and a counter: digits from 0 or 1 on (.000, .001, .00), or letters
 * from a on (.aa, .aaa), lower or upper case. Counters that run over grow as the tools that write
 * them let them grow: .999 .1000 (FTK Imager, EnCase), .yz .zaaa and .89 .9000 (split of GNU
 * coreutils).
 */
#ifndef BURIN_IO_IMAGE_SPLIT_H
#define BURIN_IO_IMAGE_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct io_split {
    char **paths; /* [count], owned, in order */
    uint32_t count;
};

/*
 * Finds all parts of the set that path is one of. A file that is no part of a set, or the only one,
 * is a set of one.
 * Errors  ERR_INPUT  a part is missing before one that is there (named).
 *         ERR_ENV    no memory, or the folder cannot be read.
 */
ERR_MUST_CHECK enum err_code io_split_find(const char *path, struct io_split *split,
                                           struct err *err);

void io_split_release(struct io_split *split);

#endif
