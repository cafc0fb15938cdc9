/* SPDX-License-Identifier: Apache-2.0
 * carver/case/cut_short.h - objects that are broken or cut short: what is left of a picture or a
 * document may be evidence, so people are told how many there are.
 */
#ifndef BURIN_CARVER_CASE_CUT_SHORT_H
#define BURIN_CARVER_CASE_CUT_SHORT_H

#include <stdbool.h>
#include <stdint.h>

#include "db/case.h"

struct cut_short {
    uint64_t pictures, documents, others;
};

enum { CUT_SHORT_TEXT = 128 };

/* Whether a validator says that the object is broken: carve writes it, into a folder of its own,
 * only when asked for it. What a rule has cut at its greatest length is none of these. */
bool cut_short_is(const struct db_object *object);

void cut_short_add(struct cut_short *to, const char *type, uint64_t count);
uint64_t cut_short_sum(const struct cut_short *cut);

/* "3 pictures, 1 document and 2 others"; "" where there are none. */
void cut_short_text(const struct cut_short *cut, char out[CUT_SHORT_TEXT]);

#endif
