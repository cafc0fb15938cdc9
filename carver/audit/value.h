/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/value.h - a match of a rule as the value that it is: however it is written on the
 * disk, the same value is the same text; and whether it is what the rule's check wants. */
#ifndef BURIN_CARVER_AUDIT_VALUE_H
#define BURIN_CARVER_AUDIT_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/limits.h"
#include "carver/audit/policy.h"
#include "carver/keyword/keyword.h"

enum { VALUE_MAX = LIMIT_REGEX_MATCH_LEN + 1 /* bytes, the NUL included */ };

/*
 * The value of the bytes that the keyword, of the rule, has matched. Zeros of UTF-16 are left out;
 * of a number its spaces and dashes, too. False: the anchor is not in it, or the check fails.
 */
bool value_of(const struct policy_rule *rule, const struct keyword *keyword, const uint8_t *bytes,
              uint32_t len, char out[VALUE_MAX], uint32_t *out_len);

#endif
