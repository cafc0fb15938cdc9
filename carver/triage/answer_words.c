/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/answer_words.c - see answer_words.h. */
#include <inttypes.h>

#include "carver/cli/progress.h"
#include "carver/triage/answer_words.h"

/* The two columns before what is said. */
void text_head(FILE *out, const char *word, const char *about)
{
    fprintf(out, "%-10s %-10s ", word, about);
}

void text_bytes(FILE *out, uint64_t bytes)
{
    char text[TEXT_NUMBER];

    progress_bytes(bytes, text);
    fputs(text, out);
}

/* All digits, with a comma at the thousands. */
void text_exact(FILE *out, uint64_t value)
{
    char digits[TEXT_NUMBER];
    const int len = snprintf(digits, sizeof digits, "%" PRIu64, value);

    for (int i = 0; i < len; i++)
        fprintf(out, "%s%c", i > 0 && (len - i) % 3 == 0 ? "," : "", digits[i]);
}

/* To three digits, with a comma at the thousands: 61,000. */
void text_about(FILE *out, double value)
{
    uint64_t step = 1, n = (uint64_t)(value + 0.5);

    while (n / step >= 1000)
        step *= 10;
    text_exact(out, (n + step / 2) / step * step);
}
