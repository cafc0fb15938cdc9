/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/answer_words.h - numbers and columns of the answers for people. */
#ifndef BURIN_CARVER_TRIAGE_ANSWER_WORDS_H
#define BURIN_CARVER_TRIAGE_ANSWER_WORDS_H

#include <stdint.h>
#include <stdio.h>

enum { TEXT_NUMBER = 32 /* bytes of a number in digits */ };

/* The two columns before what is said. */
void text_head(FILE *out, const char *word, const char *about);

void text_bytes(FILE *out, uint64_t bytes);

/* All digits, with a comma at the thousands. */
void text_exact(FILE *out, uint64_t value);

/* To three digits: 61,000. */
void text_about(FILE *out, double value);

#endif
