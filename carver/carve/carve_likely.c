/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/carve_likely.c - see carve_likely.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "carver/carve/carve_likely.h"

struct db_object carve_likely_object(const struct db_likely *likely)
{
    return (struct db_object){ .id = likely->hit_id,
                               .image_id = likely->image_id,
                               .type = likely->type,
                               .extension = likely->extension,
                               .state = CARVE_LIKELY_STATE,
                               .reason = likely->reason,
                               .validated = true,
                               .offset = likely->extents[0].offset,
                               .len = likely->len,
                               .extents = likely->extents,
                               .extent_count = likely->extent_count,
                               .has_crc64 = likely->has_crc64,
                               .crc64 = likely->crc64,
                               .name = "" };
}

bool carve_likely_is(const struct db_object *object)
{
    return strcmp(object->state, CARVE_LIKELY_STATE) == 0;
}

void carve_likely_path(const struct db_likely *likely, uint32_t images, struct object_path *out)
{
    char top[OUTDIR_NAME_MAX];

    if (images > 1)
        snprintf(top, sizeof top, "image%" PRId64 "/likely", likely->image_id);
    else
        snprintf(top, sizeof top, "likely");
    object_path_make(out, top, likely->type, likely->extension, likely->extents[0].offset);
}

static enum err_code likely_take_seams(void *arg, const struct db_likely *likely, struct err *err)
{
    struct seams *seams = arg;

    (void)err;
    seams->count = likely->extent_count - 1;
    seams->tried = likely->tried;
    snprintf(seams->kind, sizeof seams->kind, "resemblance");
    snprintf(seams->text, sizeof seams->text, "wrong with a chance of %" PRIu32 " in a million: %s",
             likely->wrong, likely->text);
    return ERR_OK;
}

enum err_code carve_likely_seams(struct db_case *db, const struct db_object *object,
                                 struct seams *out, struct err *err)
{
    out->count = out->bits = 0;
    return db_likely_find(db, object->id, likely_take_seams, out, err);
}

static enum err_code likely_take_id(void *arg, const struct db_likely *likely, struct err *err)
{
    return ids_add(arg, likely->hit_id, err);
}

enum err_code carve_likely_ids(struct db_case *db, struct ids *out, struct err *err)
{
    return db_likely_walk(db, likely_take_id, out, err);
}
