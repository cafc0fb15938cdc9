/* base/input.h - files that say what to do: dictionaries, lists, sets. */
#ifndef BURIN_BASE_INPUT_H
#define BURIN_BASE_INPUT_H

#include <stdio.h>

#include "base/err.h"

/*
 * Opens a file to read from its start. Nothing but a plain file will do: a pipe may never end, a
 * device may do something when it is opened. *out: the caller's, to be closed with fclose; NULL on
 * an error, which is ERR_INPUT with the path and the reason, or ERR_ENV for no memory. Never waits.
 */
ERR_MUST_CHECK enum err_code input_open(const char *path, FILE **out, struct err *err);

#endif
