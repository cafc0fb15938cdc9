/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/step.c - STEP: products of CAD as text (ISO 10303-21).
 *
 *   ISO-10303-21; HEADER; FILE_DESCRIPTION(...); ... ENDSEC; DATA; #1=POINT(...); ... ENDSEC;
 * END-ISO-10303-21;
 *
 * Each statement ends with a semicolon; strings stand between apostrophes, which are doubled
 * inside.
 */
#include <string.h>

#include "signatures/lib/chars.h"
#include "signatures/sig.h"

enum { STEP_WORD = 20 };

struct step_state {
    struct chars text;
    uint64_t statements;
    int32_t depth;               /* of brackets */
    uint32_t len;                /* of the statement, without what is left out of the word */
    bool string, comment, ended; /* inside of a string or comment; the last statement was read */
    uint8_t before;              /* the character before, in and at comments */
    char word[STEP_WORD];        /* how the statement begins, without white space */
};

static bool step_is(const struct step_state *state, const char *word)
{
    return state->len == strlen(word) && state->len <= STEP_WORD &&
           memcmp(state->word, word, state->len) == 0;
}

/* A statement ends. False: it cannot stand there. */
static bool step_statement(struct step_state *state)
{
    const bool known = state->statements > 0 || step_is(state, "ISO-10303-21");

    state->ended = step_is(state, "END-ISO-10303-21");
    if (!known || state->depth != 0 || state->len == 0 ||
        (state->word[0] != '#' && !chars_is_letter((uint8_t)state->word[0]) &&
         state->word[0] != '!' && state->word[0] != '<'))
        return false;
    state->statements++;
    state->len = 0;
    return true;
}

/* False: the character cannot stand there. */
static bool step_char(struct step_state *state, uint8_t c)
{
    const uint8_t before = state->before;

    state->before = c;
    if (state->comment) {
        state->comment = before != '*' || c != '/';
        if (!state->comment)
            state->before = 0;
        return true;
    }
    if (state->string) {
        state->string = c != '\'';
        return true;
    }
    if (before == '/' && c == '*') {
        state->comment = true;
        state->before = 0;
        state->len -= state->len > 0 && state->len <= STEP_WORD;
        return true;
    }
    if (chars_is_space(c))
        return true;
    if (c == ';')
        return step_statement(state);
    state->string = c == '\'';
    state->depth += (c == '(') - (c == ')');
    if (state->len < STEP_WORD)
        state->word[state->len] = (char)c;
    state->len += state->len <= STEP_WORD;
    return state->depth >= 0;
}

static struct sig_result step_check(struct sig_input *in, void *memory)
{
    struct step_state *state = memory;
    uint64_t end;

    if (chars_open(in, &state->text) == CHARS_WAIT)
        return sig_short(in);
    while (!state->ended) {
        const uint8_t *chars;
        uint32_t len, i = 0;

        if (chars_look(in, &state->text, 1, &chars, &len) == CHARS_WAIT)
            return sig_short(in);
        if (len == 0)
            return sig_breaks(in, "the text ends before END-ISO-10303-21");
        for (; i < len && !state->ended; i++) {
            const uint64_t before = state->statements;

            if (!step_char(state, chars[i]))
                return sig_breaks(in, "a statement does not belong there");
            if (state->statements > before && before > 1)
                sig_valid(in, state->text.at + (uint64_t)(i + 1) * state->text.unit);
        }
        chars_skip(&state->text, i);
    }
    if (state->statements < 4)
        return sig_reject("there are too few statements");
    if (chars_tail(in, &state->text, &end) == CHARS_WAIT)
        return sig_short(in);
    return sig_complete(in, end, "statements lead to END-ISO-10303-21");
}

const struct sig sig_step = {
    .name = "stp",
    .what = "STEP, products of CAD",
    .proves = "brackets and strings of every statement close, up to END-ISO-10303-21",
    .source = "ISO 10303-21:2016, 5 to 12",
    .types = (const struct sig_type[]){ { "stp", "stp" }, { 0 } },
    .headers = { SIG_PATTERN("ISO-10303-21;") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 64,
    .size_max = UINT64_C(1) << 36, /* policy */
    .state_size = sizeof(struct step_state),
    .check = step_check,
};
