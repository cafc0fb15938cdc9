/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/pim.c - vCards (vcf), iCalendar and vCalendar (ics, vcs).
 *
 *   BEGIN:VCARD | NAME;PARAMETER=X:value, folded with a leading space | END:VCARD | next card ...
 *   BEGIN:VCALENDAR | ... BEGIN:VEVENT | ... | END:VEVENT | ... | END:VCALENDAR
 *
 * Every line is a property, a fold of the one before, or begins or ends a component, and components
 * nest. The file ends behind the last component that follows the one before it. Values in
 * quoted-printable (version 2.1) go on behind a = at the end of a line.
 */
#include <string.h>

#include "signatures/lib/chars.h"
#include "signatures/sig.h"

enum {
    PIM_DEPTH_MAX = 8,
    PIM_NAME_MAX = 64,
    PIM_BROKEN_MIN = 512,
};

struct pim_state {
    struct chars text;
    uint32_t depth, components, lines;
    uint32_t names[PIM_DEPTH_MAX];      /* hashes of the open components */
    bool calendar, version, soft, rest; /* soft: the value goes on; rest: so does the line */
    uint64_t end;                       /* behind the last whole component; 0: none yet */
};

static const struct sig_type pim_types[] = {
    { "vcf", "vcf" }, { "ics", "ics" }, { "vcs", "vcs" }, { 0 }
};

static const char *const pim_ends[] = { "end:vcard", "end:vcalendar" };

static uint32_t pim_name(const uint8_t *name, uint32_t len)
{
    uint32_t hash = CHARS_HASH;

    while (len > 0 && chars_is_space(name[len - 1]))
        len--;
    for (uint32_t i = 0; i < len; i++)
        hash = chars_hash(hash, chars_is_letter(name[i]) ? name[i] | 0x20 : name[i]);
    return hash;
}

/* Length of a property's name, 0: the line is none. Groups ("home.tel") belong to it. */
static uint32_t pim_property(const struct chars_line *line)
{
    uint32_t i = 0;

    while (i < line->len && i < PIM_NAME_MAX &&
           (chars_is_letter(line->chars[i]) || chars_is_digit(line->chars[i]) ||
            line->chars[i] == '-' || line->chars[i] == '.' || line->chars[i] == '_'))
        i++;
    if (i == 0 || i == line->len || (line->chars[i] != ':' && line->chars[i] != ';'))
        return 0;
    return memchr(line->chars + i, ':', line->len - i) != NULL || line->len == CHARS_WANT_MAX ? i
                                                                                              : 0;
}

/* Not enum step: a line is at hand. It goes on, or the outermost component is whole. */
enum pim_step { PIM_ON, PIM_WHOLE, PIM_BAD };

static enum pim_step pim_line(struct pim_state *state, const struct chars_line *line)
{
    const uint8_t *chars = line->chars;

    if (chars_begins(chars, line->len, "begin:")) {
        if (state->depth == PIM_DEPTH_MAX ||
            (state->depth == 0 && !chars_begins(chars + 6, line->len - 6, "vcard") &&
             !chars_begins(chars + 6, line->len - 6, "vcalendar")))
            return PIM_BAD;
        if (state->depth == 0)
            state->calendar = chars_begins(chars + 6, line->len - 6, "vcalendar");
        state->names[state->depth++] = pim_name(chars + 6, line->len - 6);
        return PIM_ON;
    }
    if (state->depth == 0)
        return line->len == 0 ? PIM_ON : PIM_BAD;
    if (state->depth == 1 && chars_begins(chars, line->len, pim_ends[state->calendar])) {
        state->components++;
        state->depth = 0;
        return PIM_WHOLE; /* whatever stands behind it */
    }
    if (chars_begins(chars, line->len, "end:")) {
        if (state->names[state->depth - 1] != pim_name(chars + 4, line->len - 4))
            return PIM_BAD;
        state->components++;
        return --state->depth == 0 ? PIM_BAD : PIM_ON;
    }
    if (line->len == 0 || state->soft || chars[0] == ' ' || chars[0] == '\t') {
        state->soft = state->soft && line->len > 0 && chars[line->len - 1] == '=';
        return PIM_ON;
    }
    const uint32_t name = pim_property(line);
    if (name == 0)
        return PIM_BAD;
    state->version |= chars_begins(chars, line->len, "version:");
    state->soft =
        chars[line->len - 1] == '=' && memmem(chars, line->len, "QUOTED-PRINTABLE", 16) != NULL;
    state->lines++;
    return PIM_ON;
}

static const struct sig_type *pim_type(const struct chars_line *line, const struct sig_type *before)
{
    if (chars_begins(line->chars, line->len, "begin:vcalendar"))
        return &pim_types[1];
    if (before == &pim_types[1] && chars_begins(line->chars, line->len, "version:1.0"))
        return &pim_types[2];
    return before;
}

static struct sig_result pim_check(struct sig_input *in, void *memory)
{
    struct pim_state *state = memory;
    enum pim_step step = PIM_ON;

    if (chars_open(in, &state->text) == CHARS_WAIT)
        return sig_short(in);
    while (step != PIM_BAD) {
        struct chars_line line;

        if (state->components > 0 && state->depth == 0 && state->end == 0) {
            if (chars_tail(in, &state->text, &state->end) == CHARS_WAIT)
                return sig_short(in);
            state->text.at = state->end;
        }
        if (chars_next_line(in, &state->text, &line) == CHARS_WAIT)
            return sig_short(in);
        if (line.all == 0)
            break;
        if (state->end == 0)
            in->type = pim_type(&line, in->type);
        step = state->rest ? PIM_ON : pim_line(state, &line);
        state->rest = line.len == line.all && line.len == CHARS_WANT_MAX;
        if (step == PIM_WHOLE) {
            state->end = 0;
            chars_skip(&state->text, (uint32_t)strlen(pim_ends[state->calendar]));
        } else if (step == PIM_ON) {
            chars_skip(&state->text, line.all);
        }
    }
    if (!state->version || state->lines < 2)
        return sig_reject("there is no version, or there are too few properties");
    if (state->depth == 0 && state->end > 0)
        return sig_complete(in, state->end, "the components lead to the end of the last one");
    if (state->end == 0 && state->text.at < PIM_BROKEN_MIN)
        return sig_reject("there is no whole component");
    sig_valid(in, state->text.at);
    return sig_breaks(in, "a line does not belong in a component");
}

const struct sig sig_pim = {
    .name = "vcf",
    .what = "vCard, iCalendar, vCalendar",
    .proves = "every line is a property, components nest and end; values are not read",
    .source = "RFC 6350 3.2 and 3.3; RFC 2426; RFC 5545 3.1 and 3.4; versit Consortium, vCard 2.1 "
              "and vCalendar 1.0",
    .types = pim_types,
    .headers = { SIG_PATTERN("BEGIN:VCARD"), SIG_PATTERN("BEGIN:VCALENDAR"),
                 SIG_PATTERN("\xef\xbb\xbf"
                             "BEGIN:VCARD"),
                 SIG_PATTERN("\xef\xbb\xbf"
                             "BEGIN:VCALENDAR") },
    .flags = SIG_SECTOR_ALIGNED | SIG_NO_CASE,
    .size_min = 32,
    .size_max = UINT64_C(1) << 30, /* policy */
    .state_size = sizeof(struct pim_state),
    .check = pim_check,
};
