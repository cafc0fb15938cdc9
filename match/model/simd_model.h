/* SPDX-License-Identifier: Apache-2.0
 * match/model/simd_model.h - how often bytes stand on a disk: each place of it is of one of several
 * classes (text, code, zeros and so on), and bytes that lie close together are independent but for
 * their class.
 */
#ifndef BURIN_MATCH_MODEL_SIMD_MODEL_H
#define BURIN_MATCH_MODEL_SIMD_MODEL_H

#include <stdint.h>

enum { SIMD_CLASSES = 12, SIMD_MILLION = 1000000 };

struct simd_class {
    uint32_t share;      /* of the places of a disk, millionths */
    uint32_t bytes[256]; /* share of each value in it, millionths */
};

extern const struct simd_class simd_model[SIMD_CLASSES];

#endif
