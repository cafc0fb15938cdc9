/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/lint_where.h - SQL expressions of a policy, before there is a case file to ask. */
#ifndef BURIN_CARVER_AUDIT_LINT_WHERE_H
#define BURIN_CARVER_AUDIT_LINT_WHERE_H

#include "carver/audit/policy.h"

/*
 * Whether the types and states that the expression compares with are ones: `type = 'walet'` is true
 * of nothing. What stands behind "type" or "state" and = or IN is looked at. ERR_INPUT, with a name
 * that comes near.
 */
ERR_MUST_CHECK enum err_code lint_where_types(const struct policy *policy,
                                              const struct policy_rule *rule, struct err *err);

/* Whether all expressions of the policy can be asked: they are, of an empty case file. ERR_INPUT;
 * ERR_ENV: there is no room for that file. */
ERR_MUST_CHECK enum err_code lint_where_compile(const struct policy *policy, struct err *err);

#endif
