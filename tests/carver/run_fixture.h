/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/run_fixture.h - an image and a run in a case file, for tests that put objects into
 * it themselves.
 */
#ifndef BURIN_TESTS_CARVER_RUN_FIXTURE_H
#define BURIN_TESTS_CARVER_RUN_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "db/case.h"
#include "tests/db/run_row.h"

/* Adds both, inside a transaction of the caller. size: bytes of the image. */
static inline void fixture_run(struct db_case *db, uint64_t size, int64_t *image_id,
                               int64_t *run_id)
{
    const struct db_image image = {
        .path = "/x", .format = "raw", .size = size, .sector_size = 512
    };

    assert_int_equal(db_image_add(db, &image, image_id, NULL), ERR_OK);
    const struct db_run run = run_row("scan", *image_id);
    assert_int_equal(db_run_add(db, &run, run_id, NULL), ERR_OK);
}

#endif
