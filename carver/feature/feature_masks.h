/* SPDX-License-Identifier: Apache-2.0
 * carver/feature/feature_masks.h - classes of bytes as bits, 64 bytes a word, and the places at
 * which a pack's function is worth asking.
 *
 * A bit of a word is a byte of the text, the lowest one the first. "The next character is a digit"
 * is a shift of the digits' word by the bytes of a character; so one place of UTF-16 takes as long
 * as one of bytes.
 */
#ifndef BURIN_CARVER_FEATURE_FEATURE_MASKS_H
#define BURIN_CARVER_FEATURE_FEATURE_MASKS_H

#include <stdint.h>

#include "carver/feature/feature_parts.h"

enum feature_class {
    CLASS_DIGIT,
    CLASS_ALNUM,
    CLASS_UPPER,
    CLASS_AT,
    CLASS_COLON,
    CLASS_SLASH,
    CLASS_DASH,
    CLASS_DOT,
    CLASS_PLUS,
    CLASS_OPEN, /* an opening parenthesis */
    CLASS_UNDER,
    CLASS_ZERO,
    CLASSES
};

/* Three words of each class: the 64 bytes in question, and those before and behind them. */
struct feature_words {
    uint64_t last[CLASSES], here[CLASSES], next[CLASSES];
};

/* The classes of 64 bytes. */
void feature_classify(const uint8_t bytes[64], uint64_t words[CLASSES]);

/*
 * Bits of places[pack] are the bytes of `here` at which the pack's function is to be asked, for
 * characters in the form. False: there are none, and places is not filled.
 */
bool feature_places(const struct feature_words *words, const struct feature_form *form,
                    uint64_t places[FEATURE_PACKS]);

#endif
