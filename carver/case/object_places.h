/* SPDX-License-Identifier: Apache-2.0
 * carver/case/object_places.h - which object of the case file a place of the image lies in. */
#ifndef BURIN_CARVER_CASE_OBJECT_PLACES_H
#define BURIN_CARVER_CASE_OBJECT_PLACES_H

#include <stdint.h>

#include "base/err.h"
#include "carver/cli/json_write.h"
#include "db/case.h"

struct object_places; /* owned by the caller of object_places_open */

struct object_place {
    int64_t id;
    const char *name; /* the places' */
};

/* Reads where the objects of the image lie; 40 bytes and a name for each piece. */
ERR_MUST_CHECK enum err_code object_places_open(struct db_case *db, int64_t image_id,
                                                struct object_places **out, struct err *err);
void object_places_close(struct object_places *places); /* NULL is a no-op */

/* The innermost object with the byte at offset in it; NULL: none. Offsets of one caller ascend. */
const struct object_place *object_places_at(struct object_places *places, uint64_t offset);

/* The member "object" of an open JSON object: its id and name; null for NULL. */
void object_place_json(const struct object_place *object, struct json *json);

#endif
