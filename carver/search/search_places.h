/* SPDX-License-Identifier: Apache-2.0
 * carver/search/search_places.h - which object of the case file a place of the image lies in. */
#ifndef BURIN_CARVER_SEARCH_SEARCH_PLACES_H
#define BURIN_CARVER_SEARCH_SEARCH_PLACES_H

#include <stdint.h>

#include "base/err.h"
#include "db/case.h"

struct search_places; /* owned by the caller of search_places_open */

struct search_object {
    int64_t id;
    const char *name; /* the places' */
};

/* Reads where the objects of the image lie; 40 bytes and a name for each piece. */
ERR_MUST_CHECK enum err_code search_places_open(struct db_case *db, int64_t image_id,
                                                struct search_places **out, struct err *err);
void search_places_close(struct search_places *places); /* NULL is a no-op */

/* The innermost object with the byte at offset in it; NULL: none. Offsets of one caller ascend. */
const struct search_object *search_places_at(struct search_places *places, uint64_t offset);

#endif
