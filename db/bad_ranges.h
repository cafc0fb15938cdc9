/* SPDX-License-Identifier: Apache-2.0
 * db/bad_ranges.h - the bad ranges of one image, in memory. Not for other folders. */
#ifndef BURIN_DB_BAD_RANGES_H
#define BURIN_DB_BAD_RANGES_H

#include "db/connection.h"

/* Valid until the next call for another image, or the next db_bad_range_add. */
ERR_MUST_CHECK enum err_code db_bad_ranges_cached(struct db_case *db, int64_t image_id,
                                                  const struct db_bad_cache **out, struct err *err);

#endif
