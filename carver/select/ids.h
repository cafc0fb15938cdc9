/* SPDX-License-Identifier: Apache-2.0
 * carver/select/ids.h - a set of numbers of objects: filled, settled, and then asked. */
#ifndef BURIN_CARVER_SELECT_IDS_H
#define BURIN_CARVER_SELECT_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct ids {
    int64_t *items; /* owned; ascending, each once, when settled */
    size_t count, room;
};

/* In any order, also again. ERR_ENV: no memory. */
ERR_MUST_CHECK enum err_code ids_add(struct ids *ids, int64_t id, struct err *err);
void ids_settle(struct ids *ids); /* before the first ids_has, and behind the last ids_add */
bool ids_has(const struct ids *ids, int64_t id);
void ids_close(struct ids *ids); /* of a zeroed set: a no-op */

/*
 * Adds the numbers of a file, one at the beginning of each line; what stands behind it and a blank
 * or a tab is not looked at, so that lines of `burin list` can be given. Empty lines are skipped.
 * path
 * "-" is standard input. Errors: ERR_INPUT the file cannot be read, a line begins with no number
 * (names it), or it has more than IDS_FILE_MAX bytes; ERR_INTERRUPTED; ERR_ENV.
 */
enum { IDS_FILE_MAX = 1 << 30 /* bytes */ };
ERR_MUST_CHECK enum err_code ids_read(struct ids *ids, const char *path, struct err *err);

#endif
