/* SPDX-License-Identifier: Apache-2.0
 * base/input.h - opens the files that the user gives besides images: dictionaries, lists, sets. */
#ifndef BURIN_BASE_INPUT_H
#define BURIN_BASE_INPUT_H

#include <stdio.h>

#include "base/err.h"

/*
 * Opens a plain file to read from its start. It refuses every other kind of file, because a pipe
 * may never end and a device may do something when it is opened. It never waits.
 * Ownership: the caller closes *out with fclose; *out is NULL on an error.
 * Errors: ERR_INPUT with the path and the reason; ERR_ENV for no memory.
 */
ERR_MUST_CHECK enum err_code input_open(const char *path, FILE **out, struct err *err);

/*
 * Reads file to its end, but no further than it takes to see that it has more than most bytes:
 * *len is more than most then, and the caller refuses it. path stands in messages.
 * Ownership: *text is the caller's, to be given to free, after an error too; NULL is possible.
 * Errors: ERR_INPUT it cannot be read; ERR_ENV no memory.
 */
ERR_MUST_CHECK enum err_code input_read(FILE *file, const char *path, size_t most, char **text,
                                        size_t *len, struct err *err);

#endif
