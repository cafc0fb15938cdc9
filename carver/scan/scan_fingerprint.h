/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_fingerprint.h - one hash over all that signatures, or keywords, say: two scans
 * with the same hash look for the same. */
#ifndef BURIN_CARVER_SCAN_SCAN_FINGERPRINT_H
#define BURIN_CARVER_SCAN_SCAN_FINGERPRINT_H

#include <stdint.h>

#include "base/err.h"
#include "carver/keyword/keyword.h"
#include "db/case.h"
#include "signatures/sig.h"

enum { SCAN_FINGERPRINT_TEXT = DB_SHA256_HEX + 1 /* bytes: 64 hex digits and the NUL */ };

/*
 * SHA-256 over names, types, patterns, modes, flags and limits of the signatures, in their order.
 * Where they come from does not count. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code scan_fingerprint(const struct sig *const *sigs, uint32_t count,
                                              char out[SCAN_FINGERPRINT_TEXT], struct err *err);

/* The same over texts, encodings, bytes, masks and forms of keywords. Where they were read does not
 * count. */
ERR_MUST_CHECK enum err_code scan_fingerprint_keywords(const struct keyword_set *keywords,
                                                       char out[SCAN_FINGERPRINT_TEXT],
                                                       struct err *err);

#endif
