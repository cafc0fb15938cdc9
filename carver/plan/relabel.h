/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/relabel.h - what a built-in validator says of a range that a rule of a configuration
 * file has found. The range stays as the rule made it; only its state and its reason are refined.
 */
#ifndef BURIN_CARVER_PLAN_RELABEL_H
#define BURIN_CARVER_PLAN_RELABEL_H

#include "base/err.h"
#include "carver/case/record.h"
#include "carver/plan/lookback.h"

/* object's bytes are all shown by the view. Changes object->state, validated and reason; leaves it
 * alone where no validator knows its header. */
ERR_MUST_CHECK enum err_code relabel_object(struct lookback_view *view,
                                            struct record_object *object, struct err *err);

#endif
