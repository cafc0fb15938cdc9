/* SPDX-License-Identifier: Apache-2.0
 * carver/list/list_features.h - `burin list --features`: what `burin search --features` found in
 * the images of a case, each value with how often it stands there.
 */
#ifndef BURIN_CARVER_LIST_LIST_FEATURES_H
#define BURIN_CARVER_LIST_LIST_FEATURES_H

#include <stdbool.h>
#include <stdio.h>

#include "carver/case/carve_images.h"
#include "db/case.h"

/*
 * A line for each value: how often, the name of the feature, the value as feature_value has it,
 * with tabs between; the most frequent first, then by name and value. json: an array of objects.
 * The values are read from the images; a place that several searches found counts once. *count: of
 * the lines. Errors: ERR_INTERRUPTED; ERR_ENV; those of the case file and of the images.
 */
ERR_MUST_CHECK enum err_code list_features(struct db_case *db, const struct carve_images *images,
                                           FILE *out, bool json, uint64_t *count, struct err *err);

#endif
