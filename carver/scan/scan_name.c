/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_name.c - see scan_name.h. */
#include <stdio.h>

#include "carver/scan/scan_name.h"

void scan_name_pattern(const struct sig_pattern *pattern, bool regex, char out[SCAN_PATTERN_TEXT])
{
    size_t used = 0;

    for (uint32_t i = 0; i < pattern->len && used + 5 < SCAN_PATTERN_TEXT; i++) {
        const unsigned char c = (unsigned char)pattern->bytes[i];
        const unsigned char mask = pattern->mask == NULL ? 0xff : (unsigned char)pattern->mask[i];

        if (mask == 0)
            out[used++] = '?';
        else if (c > ' ' && c < 0x7f && (regex || (c != '\\' && c != '?')))
            out[used++] = (char)c;
        else
            used += (size_t)snprintf(out + used, SCAN_PATTERN_TEXT - used, "\\x%02x", c);
    }
    out[used] = '\0';
}
