/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/snappy_element.h - the elements that data packed by Snappy consists of: literals,
 * and copies of what they gave before.
 *
 * Source: Google's snappy/format_description.txt, 2.
 */
#ifndef BURIN_SIGNATURES_LIB_SNAPPY_ELEMENT_H
#define BURIN_SIGNATURES_LIB_SNAPPY_ELEMENT_H

#include <stdint.h>

/*
 * The bytes that an element takes, of which those before the literal's own are at bytes, [left]; 0:
 * it cannot be, as it is longer, copies what is not there, or gives too much. *made: the bytes that
 * the elements before gave, of plain in all; what this one gives is added.
 */
uint64_t snappy_element(const uint8_t *bytes, uint64_t left, uint64_t plain, uint64_t *made);

#endif
