/* SPDX-License-Identifier: Apache-2.0
 * base/two_bytes.h - looks for two bytes that follow each other.
 *
 * One byte stands in two places of three hundred of packed data, and each time to look for the next
 * one begins anew; two in a row seldom do. So long strings are found by two bytes of theirs.
 */
#ifndef BURIN_BASE_TWO_BYTES_H
#define BURIN_BASE_TWO_BYTES_H

#include <stdint.h>

/*
 * The first place in [at, end) where `first` stands, and `second` or `other` right behind it; NULL:
 * there is none. The byte at end is read, too: it is there.
 */
const uint8_t *two_bytes_find(const uint8_t *at, const uint8_t *end, uint8_t first, uint8_t second,
                              uint8_t other);

#endif
