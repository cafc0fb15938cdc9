/* SPDX-License-Identifier: Apache-2.0
 * match/shift_and/filter_build.h - the filter of a dictionary's literals. */
#ifndef BURIN_MATCH_SHIFT_AND_FILTER_BUILD_H
#define BURIN_MATCH_SHIFT_AND_FILTER_BUILD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "match/dictionary.h"
#include "match/shift_and/filter.h"

/* A filter of *size bytes with its entries and slots, the caller's to free. Patterns of which skip
 * says so are left out. */
ERR_MUST_CHECK enum err_code filter_build(const struct match_dictionary *dictionary,
                                          const bool *skip, struct filter **out, size_t *size,
                                          struct err *err);

#endif
