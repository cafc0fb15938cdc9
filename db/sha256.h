/* SPDX-License-Identifier: Apache-2.0
 * db/sha256.h - SHA-256 of bytes in memory, in the digits that a case file has of it.
 */
#ifndef BURIN_DB_SHA256_H
#define BURIN_DB_SHA256_H

#include <stddef.h>

#include "base/err.h"
#include "db/case.h"

/* Writes the digits and a NUL. bytes may be NULL where len is 0. Threads: any. Errors: ERR_ENV:
 * libcrypto cannot hash. */
ERR_MUST_CHECK enum err_code db_sha256(const void *bytes, size_t len, char out[DB_SHA256_HEX + 1],
                                       struct err *err);

#endif
