/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/secret.h - what is kept of a value that an audit found: enough to know it again, and
 * not enough to use it.
 *
 * A fingerprint is the beginning of HMAC-SHA-256 (RFC 2104) over the rule and the value, with a key
 * that stays in the state folder. Without the key nobody can try all numbers of cards against it,
 * of which there are few.
 */
#ifndef BURIN_CARVER_AUDIT_SECRET_H
#define BURIN_CARVER_AUDIT_SECRET_H

#include <stddef.h>
#include <stdint.h>

#include "db/case.h"

enum {
    SECRET_KEY_LEN = 32,     /* bytes */
    SECRET_VALUE_MAX = 1024, /* bytes of a value that count */
    SECRET_EXCERPT_MAX = 96  /* bytes, the NUL included */
};

/* rule: of at most POLICY_NAME_MAX bytes. */
void secret_fingerprint(const uint8_t key[SECRET_KEY_LEN], const char *rule, const void *value,
                        size_t len, char out[DB_FINGERPRINT_HEX + 1]);

/*
 * The first `mask` characters of a value, but no more than half of them, and how long it is:
 * "AKIA... (20 characters)".
 */
void secret_mask(const char *value, uint32_t len, uint32_t mask, char out[SECRET_EXCERPT_MAX]);

#endif
