/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/xpm.c - XPM: pictures of X11, as a program in C has them.
 *
 *   a comment "XPM" | static char ... = { | "columns rows colours letters [x y]" | colours | rows,
 * each a string | };
 */
#include <string.h>

#include "signatures/lib/lines.h"

enum { XPM_BROKEN_MIN = 8 };

struct xpm_state {
    struct lines lines;
    uint64_t strings, wanted; /* so far; of the picture, 0: not known yet */
};

/* The number at p, which moves behind it; spaces before it. 0: none. */
static uint64_t xpm_number(const uint8_t **p, const uint8_t *end)
{
    uint64_t value = 0;

    while (*p < end && (**p == ' ' || **p == '\t'))
        ++*p;
    for (; *p < end && chars_is_digit(**p) && value < UINT32_MAX; ++*p)
        value = 10 * value + (uint64_t)(**p - '0');
    return value;
}

/* The string that the line has, where it has one. */
static enum lines_word xpm_string(struct xpm_state *state, const uint8_t *p, const uint8_t *end)
{
    if (state->strings++ > 0)
        return LINES_ON;
    const uint64_t columns = xpm_number(&p, end), rows = xpm_number(&p, end),
                   colours = xpm_number(&p, end), letters = xpm_number(&p, end);
    state->wanted = 1 + rows + colours;
    return columns > 0 && rows > 0 && colours > 0 && letters > 0 && letters <= 8 ? LINES_ON
                                                                                 : LINES_WRONG;
}

static enum lines_word xpm_line(void *memory, const struct chars_line *line, uint64_t count,
                                uint32_t *last)
{
    struct xpm_state *state = memory;
    const uint8_t *quote = memchr(line->chars, '"', line->len), *end = line->chars + line->len;
    enum lines_word word = LINES_ON;

    (void)count;
    if (quote != NULL)
        word = xpm_string(state, quote + 1, end);
    if (word == LINES_ON && state->wanted > 0 && state->strings >= state->wanted) {
        /* the bracket may stand behind the last string */
        const uint8_t *from = quote == NULL ? line->chars : memrchr(line->chars, '"', line->len),
                      *bracket = memchr(from, '}', (size_t)(end - from));

        if (bracket != NULL && bracket + 1 < end && bracket[1] == ';') {
            *last = (uint32_t)(bracket + 2 - line->chars);
            return LINES_LAST;
        }
    }
    return state->wanted > 0 && state->strings > 2 * state->wanted ? LINES_WRONG : word;
}

static struct sig_result xpm_check(struct sig_input *in, void *memory)
{
    static const struct lines_format format = { xpm_line, XPM_BROKEN_MIN,
                                                "as many strings as colours and rows, up to }",
                                                "the picture has no end" };
    struct xpm_state *state = memory;

    return lines_check(in, &state->lines, &format, state);
}

const struct sig sig_xpm = {
    .name = "xpm",
    .what = "picture of X11 (XPM)",
    .proves = "as many strings as colours and rows, up to the bracket behind them",
    .source = "A. Le Hors, XPM Manual 3.4i",
    .types = (const struct sig_type[]){ { "xpm", "xpm" }, { 0 } },
    .headers = { SIG_PATTERN("/* XPM */") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 48,
    .size_max = 1 << 28,
    .state_size = sizeof(struct xpm_state),
    .check = xpm_check,
};
