/* SPDX-License-Identifier: Apache-2.0
 * base/utf8.c - see utf8.h. */
#include "base/utf8.h"

size_t utf8_sequence(const char *text, size_t len, uint32_t *code)
{
    const uint8_t *p = (const uint8_t *)text;
    size_t want;

    *code = 0;
    if (len == 0)
        return 0;
    if (p[0] < 0x80) {
        *code = p[0];
        return 1;
    }
    if (p[0] >= 0xc2 && p[0] <= 0xdf)
        want = 2;
    else if (p[0] >= 0xe0 && p[0] <= 0xef)
        want = 3;
    else if (p[0] >= 0xf0 && p[0] <= 0xf4)
        want = 4;
    else
        return 0;
    if (len < want)
        return 0;
    *code = p[0] & (0x7fu >> want);
    for (size_t i = 1; i < want; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (p[i] & 0x3fu);
    }
    if ((want == 3 && *code < 0x800) || (want == 4 && *code < 0x10000) || *code > 0x10ffff ||
        (*code >= 0xd800 && *code <= 0xdfff))
        return 0;
    return want;
}

size_t utf8_put(uint32_t code, char out[UTF8_MAX])
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    const size_t len = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(code | (0xf00u >> len & 0xff));
    return len;
}
