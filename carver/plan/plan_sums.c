/* carver/plan/plan_sums.c - see plan_sums.h. */
#include "carver/plan/plan_sums.h"
#include "signatures/crc64.h"

enum err_code plan_sums_record(struct plan_sums *sums, struct record *record,
                               struct record_object *object, const uint64_t *before,
                               struct err *err)
{
    struct sums_late_one one = { .id = object->hit_id,
                                 .offset = object->offset,
                                 .end = object->offset + object->len };
    uint64_t after = 0;
    enum err_code rc = ERR_OK;

    if (sums->sums == NULL)
        return record_object(record, object, err);
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
    return rc == ERR_OK ? record_object(record, object, err) : rc;
}

enum err_code plan_sums_front(struct plan_sums *sums, struct record *record, struct err *err)
{
    struct sums_late_one one;
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && sums->sums != NULL &&
           sums_late_take(&sums->late, sums_front(sums->sums), &one)) {
        uint64_t after = 0;

        rc = sums_at(sums->sums, one.end, &after, err);
        if (rc == ERR_OK)
            rc = record_crc64(record, one.id, crc64_rest(one.before, after, one.end - one.offset),
                              err);
    }
    return rc;
}

void plan_sums_release(struct plan_sums *sums)
{
    sums_late_release(&sums->late);
}
