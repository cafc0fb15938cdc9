/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/plan_sums.c - see plan_sums.h. */
#include "carver/plan/plan_sums.h"
#include "signatures/crc64.h"

void plan_sums_begin(struct plan_sums *sums, struct sums *of)
{
    sums->sums = of;
    sums->late.count = 0;
}

enum err_code plan_sums_add(struct plan_sums *sums, struct found *found,
                            struct found_object *object, const uint64_t *before, struct err *err)
{
    struct sums_late_one one = { .id = found->object_count,
                                 .offset = object->offset,
                                 .end = object->offset + object->len };
    uint64_t after = 0;
    enum err_code rc = ERR_OK;

    if (sums->sums == NULL || object->offset < sums_first(sums->sums) ||
        (before == NULL && object->offset > sums_front(sums->sums)))
        return found_add_object(found, object, err);
    if (before != NULL)
        one.before = *before;
    else
        rc = sums_at(sums->sums, object->offset, &one.before, err);
    if (rc == ERR_OK && one.end > sums_front(sums->sums))
        rc = sums_late_add(&sums->late, &one, SUMS_LATE_MAX, err);
    else if (rc == ERR_OK) {
        rc = sums_at(sums->sums, one.end, &after, err);
        object->has_crc64 = true;
        object->crc64 = crc64_rest(one.before, after, object->len);
    }
    return rc == ERR_OK ? found_add_object(found, object, err) : rc;
}

enum err_code plan_sums_front(struct plan_sums *sums, struct found *found, struct err *err)
{
    struct sums_late_one one;
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && sums->sums != NULL &&
           sums_late_take(&sums->late, sums_front(sums->sums), &one)) {
        struct found_object *object = &found->objects[one.id];
        uint64_t after = 0;

        rc = sums_at(sums->sums, one.end, &after, err);
        object->has_crc64 = rc == ERR_OK;
        object->crc64 = crc64_rest(one.before, after, one.end - one.offset);
    }
    return rc;
}

void plan_sums_release(struct plan_sums *sums)
{
    sums_late_release(&sums->late);
}
