/* SPDX-License-Identifier: Apache-2.0
 * carver/case/seams.c - see seams.h. */
#include <stdio.h>

#include "carver/case/seams.h"

static enum err_code seams_take(void *arg, uint32_t number, const struct db_join *join,
                                struct err *err)
{
    struct seams *seams = arg;

    (void)number;
    (void)err;
    if (seams->count++ == 0) {
        seams->bits = join->bits;
        seams->tried = join->tried;
        snprintf(seams->kind, sizeof seams->kind, "%s", join->kind);
        snprintf(seams->text, sizeof seams->text, "%s", join->text);
    }
    return ERR_OK;
}

enum err_code seams_read(struct db_case *db, const struct db_object *object, struct seams *out,
                         struct err *err)
{
    out->count = 0;
    return object->extent_count > 1 ? db_joins_of(db, object->id, seams_take, out, err) : ERR_OK;
}
