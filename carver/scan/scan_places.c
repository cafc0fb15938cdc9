/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_places.c - see scan_places.h. */
#include "carver/scan/scan_places.h"

#include "carver/cli/interrupt.h"
#include "io/fsmap.h"

struct places_found {
    struct db_case *db;
    const struct io_fsmap *map;
};

static enum err_code places_object(void *arg, const struct db_place *object, struct err *err)
{
    const struct places_found *found = arg;
    const struct io_area area = io_fsmap_find(found->map, object->offset);
    const struct db_found_in place = { .object_id = object->id,
                                       .kind = io_area_kind_name(area.kind),
                                       .slot = area.partition,
                                       .file_system = area.file_system,
                                       .path = area.path,
                                       .inode = area.inode,
                                       .file_offset = area.path[0] != '\0' ? area.file_offset : 0,
                                       .modified = area.times.modified,
                                       .accessed = area.times.accessed,
                                       .changed = area.times.changed,
                                       .created = area.times.created };

    if (interrupt_requested())
        return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted while places were looked up");
    return area.kind == IO_AREA_NONE ? ERR_OK : db_found_in_add(found->db, &place, err);
}

enum err_code scan_places(struct db_case *db, const struct io_fsmap *map, int64_t image_id,
                          struct err *err)
{
    struct places_found found = { db, map };
    const enum err_code rc = db_found_in_clear(db, image_id, err);

    return rc == ERR_OK && io_fsmap_knows(map)
               ? db_places_walk(db, image_id, places_object, &found, err)
               : rc;
}
