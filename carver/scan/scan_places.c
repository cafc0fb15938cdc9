/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_places.c - see scan_places.h. */
#include "carver/scan/scan_places.h"

#include "carver/cli/interrupt.h"
#include "io/fsmap.h"

static enum err_code places_object(struct db_case *db, const struct io_fsmap *map,
                                   const struct db_object *object, struct err *err)
{
    const struct io_area area = io_fsmap_find(map, object->offset);
    const struct db_found_in place = { .object_id = object->id,
                                       .kind = io_area_kind_name(area.kind),
                                       .slot = area.partition,
                                       .file_system = area.file_system,
                                       .path = area.path,
                                       .inode = area.inode,
                                       .file_offset = area.path[0] != '\0' ? area.file_offset : 0 };

    return area.kind == IO_AREA_NONE ? ERR_OK : db_found_in_add(db, &place, err);
}

enum err_code scan_places(struct db_case *db, const struct io_fsmap *map, int64_t image_id,
                          struct err *err)
{
    struct db_object_cursor *cursor = NULL;
    struct db_object object;
    bool found = false;
    enum err_code rc = db_found_in_clear(db, image_id, err);

    if (rc == ERR_OK)
        rc = db_objects_open(db, image_id, &cursor, err);
    while (rc == ERR_OK && (rc = db_objects_next(cursor, &found, &object, err)) == ERR_OK &&
           found) {
        rc = places_object(db, map, &object, err);
        if (rc == ERR_OK && interrupt_requested())
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted while places were looked up");
    }
    db_objects_close(cursor);
    return rc;
}
