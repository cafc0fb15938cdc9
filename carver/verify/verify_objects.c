/* SPDX-License-Identifier: Apache-2.0
 * carver/verify/verify_objects.c - some objects of an image, read again: see verify.h.
 *
 * VERIFY_OBJECTS of them, at equal steps through the image, of those that have a checksum from the
 * scan, lie in bytes that could all be read, and are not longer than VERIFY_LEN_MAX.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "carver/cli/interrupt.h"
#include "carver/verify/verify.h"
#include "signatures/crc64.h"

enum { VERIFY_OBJECTS = 256, VERIFY_LEN_MAX = 16 << 20, VERIFY_PIECE = 1 << 20 /* bytes */ };

struct verify_reading {
    struct io_image *image;
    uint8_t *piece; /* [VERIFY_PIECE] */
    bool bad;       /* something could not be read */
};

static void verify_is_bad(void *arg, const struct io_bad_range *range)
{
    struct verify_reading *reading = arg;

    (void)range;
    reading->bad = true;
}

static enum err_code verify_sum(struct verify_reading *reading, const struct db_object *object,
                                uint64_t *crc64, struct err *err)
{
    uint64_t left = object->len;
    enum err_code rc = ERR_OK;

    *crc64 = 0;
    reading->bad = false;
    for (uint32_t i = 0; rc == ERR_OK && i < object->extent_count; i++) {
        const struct db_extent *extent = &object->extents[i];

        for (uint64_t done = 0, len; rc == ERR_OK && done < extent->len && left > 0; done += len) {
            len = extent->len - done < left ? extent->len - done : left;
            len = len < VERIFY_PIECE ? len : VERIFY_PIECE;
            left -= len;
            rc = io_salvage_read(reading->image, extent->offset + done, reading->piece, len,
                                 verify_is_bad, reading, err);
            if (rc == ERR_OK)
                *crc64 = crc64_add(*crc64, reading->piece, len);
        }
    }
    return rc;
}

/* Whether the object is one that can be compared. */
static enum err_code verify_can(struct db_case *db, const struct db_object *object, bool *can,
                                struct err *err)
{
    uint64_t bad = 0;
    enum err_code rc = ERR_OK;

    *can = object->has_crc64 && object->len <= VERIFY_LEN_MAX;
    for (uint32_t i = 0; rc == ERR_OK && *can && i < object->extent_count; i++) {
        rc = db_bad_bytes(db, object->image_id, object->extents[i].offset, object->extents[i].len,
                          &bad, err);
        *can = bad == 0;
    }
    return rc;
}

static enum err_code verify_walk(struct verify *verify, struct db_case *db, int64_t image_id,
                                 uint64_t step, struct verify_reading *reading, uint64_t *checked,
                                 uint64_t *changed, struct err *err)
{
    struct db_object_cursor *cursor = NULL;
    struct db_object object;
    bool found = true, can = false;
    uint64_t crc64 = 0;
    enum err_code rc = db_objects_open(db, image_id, &cursor, err);

    for (uint64_t number = 0, due = 0; rc == ERR_OK; number++) {
        rc = db_objects_next(cursor, &found, &object, err);
        if (rc != ERR_OK || !found)
            break;
        if (number < due)
            continue;
        if (interrupt_requested())
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
        if (rc == ERR_OK)
            rc = verify_can(db, &object, &can, err);
        if (rc != ERR_OK || !can)
            continue;
        due = number + step;
        rc = verify_sum(reading, &object, &crc64, err);
        if (rc != ERR_OK || reading->bad)
            continue;
        ++*checked;
        if (crc64 == object.crc64)
            continue;
        if (*changed < 10) /* the first few say which */
            verify_say(verify,
                       "image %" PRId64 ": object %" PRId64 " at offset %" PRIu64
                       " changed since the scan",
                       image_id, object.id, object.offset);
        ++*changed;
    }
    db_objects_close(cursor);
    return rc;
}

enum err_code verify_objects(struct verify *verify, struct db_case *db, int64_t image_id,
                             struct io_image *image, const char *path, struct err *err)
{
    struct verify_reading reading = { .image = image, .piece = aligned_alloc(4096, VERIFY_PIECE) };
    uint64_t checked = 0, changed = 0;
    struct db_totals totals;
    enum err_code rc = reading.piece != NULL ? ERR_OK : ERR_NO_MEMORY(err, (size_t)VERIFY_PIECE);

    if (rc == ERR_OK)
        rc = db_totals(db, image_id, &totals, err);
    if (rc == ERR_OK)
        rc = verify_walk(verify, db, image_id,
                         totals.objects / VERIFY_OBJECTS > 1 ? totals.objects / VERIFY_OBJECTS : 1,
                         &reading, &checked, &changed, err);
    free(reading.piece);
    if (rc != ERR_OK)
        return rc;
    verify_say(verify,
               "image %" PRId64 ": %s: %" PRIu64 " of %" PRIu64 " objects were read again: %" PRIu64
               " changed since the scan",
               image_id, path, checked, totals.objects, changed);
    verify->failed = verify->failed || changed > 0;
    if (verify->as_json) {
        json_uint(&verify->json, "objects_checked", checked);
        json_uint(&verify->json, "objects_changed", changed);
    }
    return ERR_OK;
}
