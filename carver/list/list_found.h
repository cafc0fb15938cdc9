/* SPDX-License-Identifier: Apache-2.0
 * carver/list/list_found.h - `burin list --found`: the hits of all searches of a case again, each
 * with the object it lies in and the bytes around it, which are read from the image.
 */
#ifndef BURIN_CARVER_LIST_LIST_FOUND_H
#define BURIN_CARVER_LIST_LIST_FOUND_H

#include <stdbool.h>
#include <stdio.h>

#include "carver/case/carve_images.h"
#include "db/case.h"

enum { LIST_FOUND_AROUND = 32 /* bytes of context on each side, as search has them by default */ };

/*
 * A line for each hit: offset, keyword, encoding, the innermost object or "-", context, match, with
 * tabs between; by image, offset and keyword. json: an array of objects. A hit that several
 * searches had is told once. *count: of the hits. Errors: ERR_INTERRUPTED; ERR_ENV; those of the
 * case file and of the images.
 */
ERR_MUST_CHECK enum err_code list_found(struct db_case *db, const struct carve_images *images,
                                        FILE *out, bool json, uint64_t *count, struct err *err);

#endif
