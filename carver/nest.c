/* carver/nest.c - see nest.h. */
#include <stddef.h>

#include "carver/nest.h"

struct nest_container {
    int64_t  id;
    uint64_t end;
};

enum err_code nest_objects(struct db_case *db, int64_t image_id, struct err *err)
{
    struct nest_container open[NEST_DEPTH_MAX];
    struct db_object_cursor *cursor = NULL;
    struct db_object object;
    uint32_t depth = 0;
    bool found = false;
    enum err_code rc = db_objects_open(db, image_id, &cursor, err);

    while (rc == ERR_OK && (rc = db_objects_next(cursor, &found, &object, err)) == ERR_OK && found) {
        const uint64_t end = object.offset + object.len;

        while (depth > 0 && open[depth - 1].end <= object.offset)
            depth--;
        uint32_t parent = depth;
        while (parent > 0 && open[parent - 1].end < end)
            parent--;
        if (parent > 0)
            rc = db_object_set_parent(db, object.id, open[parent - 1].id, err);
        if (object.container && object.checked && depth < NEST_DEPTH_MAX)
            open[depth++] = (struct nest_container){ object.id, end };
    }
    db_objects_close(cursor);
    if (rc != ERR_OK)
        err_while(err, "looking for objects inside of others");
    return rc;
}
