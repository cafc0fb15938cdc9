/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/words.c - see words.h. */
#include "signatures/lib/words.h"

#include <string.h>

uint32_t words_split(const struct chars_line *line, struct word *words, uint32_t most)
{
    uint32_t count = 0, i = 0;

    while (i < line->len && count < most) {
        while (i < line->len && chars_is_space(line->chars[i]))
            i++;
        const uint32_t from = i;
        while (i < line->len && !chars_is_space(line->chars[i]))
            i++;
        if (i > from)
            words[count++] = (struct word){ line->chars + from, i - from };
    }
    return count;
}

bool word_is(const struct word *word, const char *name)
{
    return word->len == strlen(name) && memcmp(word->chars, name, word->len) == 0;
}

bool word_number(const struct word *word, uint64_t most, uint64_t *value)
{
    *value = 0;
    for (uint32_t i = 0; i < word->len; i++) {
        if (!chars_is_digit(word->chars[i]) || *value > most)
            return false;
        *value = *value * 10 + (word->chars[i] - '0');
    }
    return word->len > 0 && *value <= most;
}
