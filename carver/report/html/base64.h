/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/base64.h - bytes as base64 (RFC 4648, section 4), to a stream. */
#ifndef BURIN_CARVER_REPORT_HTML_BASE64_H
#define BURIN_CARVER_REPORT_HTML_BASE64_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

void base64_put(FILE *out, const uint8_t *bytes, size_t len);

#endif
