/*
 * carver/plan/plan_sums.h - the CRC-64 of each object that a planner finds, on its way into the
 * case file.
 *
 * That of an object whose end has been scanned is recorded with it, that of another when its end
 * comes by.
 */
#ifndef BURIN_CARVER_PLAN_PLAN_SUMS_H
#define BURIN_CARVER_PLAN_PLAN_SUMS_H

#include "base/err.h"
#include "carver/case/record.h"
#include "carver/case/sums_late.h"
#include "carver/plan/sums.h"

struct plan_sums {
    struct sums *sums; /* the caller's; NULL: objects get no CRC */
    struct sums_late late;
};

/*
 * Records the object with its CRC, or so that it gets it later. before: the CRC of the range up to
 * its beginning, or NULL.
 */
ERR_MUST_CHECK enum err_code plan_sums_record(struct plan_sums *sums, struct record *record,
                                              struct record_object *object, const uint64_t *before,
                                              struct err *err);

/* The scan has gone on: records the CRCs of objects that end at or before its front now. */
ERR_MUST_CHECK enum err_code plan_sums_front(struct plan_sums *sums, struct record *record,
                                             struct err *err);

void plan_sums_release(struct plan_sums *sums);

#endif
