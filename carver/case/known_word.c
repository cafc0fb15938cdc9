/* SPDX-License-Identifier: Apache-2.0
 * carver/case/known_word.c - see known_word.h. */
#include "carver/case/known_word.h"

static const char *const known_words[] = { "unchecked", "unknown", "known", "good",
                                           "bad" }; /* by enum db_known */

const char *known_word(enum db_known known)
{
    return known_words[known];
}
