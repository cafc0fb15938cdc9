/* SPDX-License-Identifier: Apache-2.0
 * carver/keyword/keyword_letters.h - characters that are the same without regard to case.
 */
#ifndef BURIN_CARVER_KEYWORD_KEYWORD_LETTERS_H
#define BURIN_CARVER_KEYWORD_KEYWORD_LETTERS_H

#include <stdint.h>

#include "base/err.h"

struct keyword_letters; /* owned by the caller of keyword_letters_open */

ERR_MUST_CHECK enum err_code keyword_letters_open(struct keyword_letters **out, struct err *err);
void keyword_letters_close(struct keyword_letters *letters); /* NULL is a no-op */

/* Characters, code itself first, that have the same capital letter; at most max of them. Returns
 * how many. */
uint32_t keyword_letters_forms(const struct keyword_letters *letters, uint32_t code,
                               uint32_t *forms, uint32_t max);

#endif
