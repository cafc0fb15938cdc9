/* SPDX-License-Identifier: Apache-2.0
 * tests/db/run_row.h - a run as a case file needs it, for tests to which it is all one what it
 * says.
 */
#ifndef BURIN_TESTS_DB_RUN_ROW_H
#define BURIN_TESTS_DB_RUN_ROW_H

#include "db/case.h"

static inline struct db_run run_row(const char *command, int64_t image_id)
{
    return (struct db_run){ .image_id = image_id,
                            .command = command,
                            .command_line = "x",
                            .version = "x",
                            .build = "x",
                            .libraries = "x",
                            .options = "{}",
                            .host = "x",
                            .user = "x",
                            .started = "2026-01-01T00:00:00Z",
                            .status = "running" };
}

#endif
