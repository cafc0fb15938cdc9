/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/lines.c - formats that are lines of text. */
#include <string.h>

#include "signatures/lib/lines.h"

bool lines_begins(const struct chars_line *line, const char *word)
{
    const size_t len = strlen(word);

    return line->len >= len && memcmp(line->chars, word, len) == 0;
}

bool lines_mark(const struct chars_line *line, const char *word, uint32_t *last)
{
    if (!lines_begins(line, word))
        return false;
    *last = (uint32_t)strlen(word);
    return true;
}

bool lines_has(const struct chars_line *line, const char *word, uint32_t *last)
{
    const size_t len = strlen(word);
    const uint8_t *at = line->len < len ? NULL : memmem(line->chars, line->len, word, len);

    if (at == NULL)
        return false;
    *last = (uint32_t)(at - line->chars) + (uint32_t)len;
    return true;
}

bool lines_ends(const struct chars_line *line, const char *word)
{
    const size_t len = strlen(word);
    size_t end = line->len;

    while (end > 0 && chars_is_space(line->chars[end - 1]))
        end--;
    return end >= len && memcmp(line->chars + end - len, word, len) == 0;
}

/* The text ends, or its next line is none of the file. */
static struct sig_result lines_break(struct sig_input *in, const struct lines *lines,
                                     const struct lines_format *format)
{
    if (lines->end > 0)
        return sig_believe(in, lines->end, format->whole);
    if (lines->count < format->broken_min)
        return sig_reject(format->wrong);
    sig_valid(in, lines->text.at);
    return sig_breaks(in, format->wrong);
}

struct sig_result lines_check(struct sig_input *in, struct lines *lines,
                              const struct lines_format *format, void *state)
{
    uint64_t end;

    if (chars_open(in, &lines->text) == CHARS_WAIT)
        return sig_short(in);
    while (!lines->ended) {
        struct chars_line line;

        if (chars_next_line(in, &lines->text, &line) == CHARS_WAIT)
            return sig_short(in);
        uint32_t last = line.len;
        const enum lines_word word =
            line.all == 0 ? LINES_WRONG : format->line(state, &line, lines->count, &last);
        if (word == LINES_WRONG)
            return lines_break(in, lines, format);
        lines->ended = word == LINES_LAST;
        chars_skip(&lines->text, lines->ended ? last : line.all);
        lines->count++;
        if (word == LINES_MAY_END)
            lines->end = lines->text.at;
    }
    if (chars_tail(in, &lines->text, &end) == CHARS_WAIT)
        return sig_short(in);
    return sig_complete(in, end, format->whole);
}
