/* SPDX-License-Identifier: Apache-2.0
 * carver/case/record_rows.h - a batch becomes rows of the case file (record*.c only). */
#ifndef BURIN_CARVER_CASE_RECORD_ROWS_H
#define BURIN_CARVER_CASE_RECORD_ROWS_H

#include "carver/case/record_batch.h"

/* Inside a transaction, and inside a new one afterwards where the batch asks for a commit. */
ERR_MUST_CHECK enum err_code record_rows_write(const struct record_rows *rows, struct db_case *db,
                                               struct record_batch *batch, struct err *err);

#endif
