/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/answer_print.h - answers for people and, as JSON, for programs. */
#ifndef BURIN_CARVER_TRIAGE_ANSWER_PRINT_H
#define BURIN_CARVER_TRIAGE_ANSWER_PRINT_H

#include <stdio.h>

#include "carver/cli/json_write.h"
#include "carver/triage/answer.h"

/* All that is known of one image, in the order in which it is asked for. */
void answer_print(FILE *out, const struct answer *answer);

/* The part of it that says what was not met, and what was not read; behind a whole sweep. */
void answer_print_bounds(FILE *out, const struct answer *answer);

/* A line: the word, and the reason that weighs most. */
void answer_print_line(FILE *out, const struct answer *answer);

/* The same as an object, the next element of an array or the whole text. */
void answer_print_json(struct json *json, const struct answer *answer);

/* What of a find is told beside its name: the block and the file of a known block, the encoding of
 * a keyword. out: ANSWER_DETAIL_MAX bytes. */
enum { ANSWER_DETAIL_MAX = 512 };
void answer_detail(const struct answer *answer, const struct unit_found *found,
                   char out[ANSWER_DETAIL_MAX]);

/* "jpg", the label of the set or its path, the keyword; it stays the owner's. */
const char *answer_what(const struct answer *answer, const struct unit_found *found);

/* "file", "known", "keyword"; static text. */
const char *answer_kind(enum unit_kind kind);

#endif
