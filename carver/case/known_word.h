/* SPDX-License-Identifier: Apache-2.0
 * carver/case/known_word.h - what sets of known files say about an object, as list, carve and the
 * reports call it. */
#ifndef BURIN_CARVER_CASE_KNOWN_WORD_H
#define BURIN_CARVER_CASE_KNOWN_WORD_H

#include "db/case.h"

const char *known_word(enum db_known known); /* "unchecked", "unknown", "known", "good", "bad" */

#endif
