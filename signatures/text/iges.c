/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/iges.c - IGES: drawings of CAD as lines of 80 characters.
 *
 *   72 characters | the letter of the section, S, G, D, P, T | number of the line in it, 7
 * characters
 *
 * The last line, T, tells how many lines the sections before have: "S", 7 digits, "G" ...
 */
#include "signatures/lib/chars.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum { IGES_LINE = 80, IGES_SECTION = 72, IGES_NUMBER = 7, IGES_SECTIONS = 5 };

static const uint8_t iges_letters[IGES_SECTIONS + 1] = "SGDPT";

struct iges_state {
    uint64_t at;
    uint32_t section; /* of the line before */
    uint32_t lines[IGES_SECTIONS];
    uint32_t newline; /* bytes of a line end; 0: not known yet */
};

/* A number behind blanks or zeros; 0: it is none. */
static uint32_t iges_number(const uint8_t *p)
{
    uint32_t value = 0, i = 0;

    while (i < IGES_NUMBER && p[i] == ' ')
        i++;
    for (; i < IGES_NUMBER && chars_is_digit(p[i]); i++)
        value = value * 10 + (p[i] - '0');
    return i == IGES_NUMBER ? value : 0;
}

/* The line at state->at, without its end. */
static enum step iges_line(struct sig_input *in, struct iges_state *state)
{
    const uint8_t *p = sig_bytes(in, state->at, IGES_LINE);
    uint32_t section = state->section;

    if (p == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < IGES_SECTION; i++)
        if (p[i] < ' ' || p[i] == 0x7f)
            return STEP_BAD;
    while (section < IGES_SECTIONS && iges_letters[section] != p[IGES_SECTION])
        section++;
    if (section == IGES_SECTIONS || section > state->section + 1 ||
        iges_number(p + IGES_SECTION + 1) != state->lines[section] + 1)
        return STEP_BAD;
    if (section == IGES_SECTIONS - 1)
        for (uint32_t i = 0; i + 1 < IGES_SECTIONS; i++)
            if (p[i * (IGES_NUMBER + 1)] != iges_letters[i] ||
                iges_number(p + i * (IGES_NUMBER + 1) + 1) != state->lines[i])
                return STEP_BAD;
    state->section = section;
    state->lines[section]++;
    return STEP_DONE;
}

/* Bytes of the line end at `at`: 1 or 2. STEP_BAD: there is none. */
static enum step iges_newline(struct sig_input *in, uint64_t at, uint32_t *bytes)
{
    const uint8_t *p = sig_bytes(in, at, 1);

    if (p == NULL)
        return in->wanted <= in->limit ? STEP_WAIT : STEP_BAD;
    *bytes = 1;
    if (*p == '\n')
        return STEP_DONE;
    if (*p != '\r')
        return STEP_BAD;
    p = sig_bytes(in, at + 1, 1);
    if (p == NULL && in->wanted <= in->limit)
        return STEP_WAIT;
    *bytes += p != NULL && *p == '\n';
    return STEP_DONE;
}

static struct sig_result iges_check(struct sig_input *in, void *memory)
{
    struct iges_state *state = memory;
    uint32_t newline;

    for (;;) {
        struct iges_state line = *state;
        enum step step = iges_line(in, &line);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "a line does not follow the one before");
        line.at += IGES_LINE;
        step = iges_newline(in, line.at, &newline);
        if (step == STEP_WAIT)
            return sig_short(in);
        const bool last = line.section == IGES_SECTIONS - 1;
        if (last && (step == STEP_BAD || newline != state->newline))
            newline = 0;
        else if (step == STEP_BAD || (state->newline != 0 && newline != state->newline))
            return sig_breaks(in, "a line has not 80 characters");
        line.at += newline;
        line.newline = last ? state->newline : newline;
        *state = line;
        if (state->lines[0] + state->lines[1] > 2)
            sig_valid(in, state->at);
        if (last)
            return sig_complete(in, state->at, "the last line counts those of every section");
    }
}

const struct sig sig_iges = {
    .name = "igs",
    .what = "IGES, drawings of CAD",
    .proves = "lines of 80 characters count up in every section; the last one tells their numbers",
    .source = "US PRO, Initial Graphics Exchange Specification 5.3, 2.2",
    .types = (const struct sig_type[]){ { "igs", "igs" }, { 0 } },
    .headers = { SIG_PATTERN_AT(72, "S      1"), SIG_PATTERN_AT(72, "S0000001") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 4 * IGES_LINE,
    .size_max = UINT64_C(1) << 33,
    .state_size = sizeof(struct iges_state),
    .check = iges_check,
};
