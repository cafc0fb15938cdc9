/* SPDX-License-Identifier: Apache-2.0
 * carver/yara/yara_answer.h - what the process without rights says, before it is believed.
 *
 * An object may have taken that process over: each byte of its answer and of the shared memory may
 * be anything, and may change while it is looked at. So it is copied first, and then checked.
 */
#ifndef BURIN_CARVER_YARA_YARA_ANSWER_H
#define BURIN_CARVER_YARA_YARA_ANSWER_H

#include "carver/yara/yara_match.h"

/*
 * Copies the matches of an answer; false: they cannot be true. They are then none, of an object of
 * len bytes. What is copied has only the characters of names, and ends within its field.
 */
bool yara_answer_matches(const struct yara_match_answer *said,
                         const struct yara_rules_match *shared, uint32_t len,
                         struct yara_rules_match out[YARA_RULES_MATCHES_MAX]);

/* What is wrong with the rules, in YARA's words: any bytes, but a NUL ends them. */
struct yara_answer_fault {
    uint32_t file; /* less than file_count */
    uint32_t line;
    char text[YARA_MATCH_TEXT_MAX];
};
void yara_answer_fault(const struct yara_match_shared *shared, uint32_t file_count,
                       struct yara_answer_fault *out);

#endif
