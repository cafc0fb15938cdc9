/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/snappy_element.c - see snappy_element.h. */
#include "signatures/lib/snappy_element.h"

#include "base/bytes.h"

uint64_t snappy_element(const uint8_t *bytes, uint64_t left, uint64_t plain, uint64_t *made)
{
    static const uint8_t lengths[4] = { 1, 2, 3, 5 };
    const uint32_t kind = bytes[0] & 3, more = bytes[0] >> 2;
    uint64_t len = lengths[kind], gives = more + 1, distance = 0;

    if (kind == 0 && more >= 60)
        len += more - 59;
    if (len > left)
        return 0;
    if (kind == 0) {
        if (more >= 60)
            gives = 1;
        for (uint32_t i = 0; more >= 60 && i < more - 59; i++)
            gives += (uint64_t)bytes[1 + i] << 8 * i;
        len += gives;
    } else if (kind == 1) {
        gives = 4 + (more & 7);
        distance = (uint32_t)(more >> 3) << 8 | bytes[1];
    } else {
        distance = kind == 2 ? bytes_u16le(bytes + 1) : bytes_u32le(bytes + 1);
    }
    if ((kind != 0 && (distance == 0 || distance > *made)) || gives > plain - *made)
        return 0;
    *made += gives;
    return len;
}
