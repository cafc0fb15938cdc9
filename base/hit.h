/* SPDX-License-Identifier: Apache-2.0
 * base/hit.h - what the matcher hands on: one occurrence of one pattern. */
#ifndef BURIN_BASE_HIT_H
#define BURIN_BASE_HIT_H

#include <stdint.h>

struct hit {
    uint64_t offset;  /* image offset of the first byte of the match, in bytes */
    uint32_t pattern; /* index of the pattern in the dictionary */
    uint32_t
        len; /* bytes matched: the pattern's length, or for a regular expression the length found */
};

#endif
