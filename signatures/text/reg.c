/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/reg.c - exports of the Windows registry.
 *
 *   REGEDIT4 or "Windows Registry Editor Version 5.00" | empty line | [key] | "name"=value or
 * @=value | ... | empty line
 *
 * Values of hex digits go on behind a \ at the end of a line. The second form is UTF-16 with a byte
 * order mark. Every line is one of these or a comment; the file ends with the last one, and the
 * empty lines behind it.
 */
#include <string.h>

#include "signatures/lib/chars.h"
#include "signatures/sig.h"

enum { REG_KEYS_MIN = 1 };

struct reg_state {
    struct chars text;
    bool begun, goes_on, in_string,
        rest; /* the value goes on in the next line; as a string; the line does */
    uint32_t keys;
    uint64_t end; /* behind the last line that is one */
};

/* Whether a string that is open at the start of the line is so at its end. */
static bool reg_open(const struct chars_line *line, uint32_t from, bool open)
{
    for (uint32_t i = from; i < line->len; i++) {
        if (line->chars[i] == '\\' && open)
            i++;
        else if (line->chars[i] == '"')
            open = !open;
    }
    return open;
}

/* Hex digits and commas, as behind hex: and in the lines that go on with it. */
static bool reg_is_hex(const struct chars_line *line)
{
    for (uint32_t i = 0; i < line->len; i++) {
        const uint8_t c = line->chars[i];

        if (!chars_is_digit(c) && (uint8_t)((c | 0x20) - 'a') > 5 && c != ',' && c != ' ' &&
            c != '\\')
            return false;
    }
    return true;
}

static bool reg_line(struct reg_state *state, const struct chars_line *line)
{
    const uint8_t *chars = line->chars;
    const bool hex = state->goes_on;

    state->goes_on = line->len > 0 && chars[line->len - 1] == '\\' && !state->in_string;
    if (state->in_string) {
        state->in_string = reg_open(line, 0, true);
        return true;
    }
    if (hex)
        return reg_is_hex(line);
    if (line->len == 0)
        return true;
    state->goes_on &= chars[0] == '"' || chars[0] == '@';
    if (chars[0] == '[') {
        state->keys++;
        return chars_begins(chars, line->len, "[hk") || chars_begins(chars, line->len, "[-hk");
    }
    if (chars[0] == '"') {
        state->in_string = reg_open(line, 0, false);
        return state->keys > 0 && memchr(chars, '=', line->len) != NULL;
    }
    return chars[0] == ';' || (chars[0] == '@' && line->len > 2 && chars[1] == '=');
}

static struct sig_result reg_check(struct sig_input *in, void *memory)
{
    struct reg_state *state = memory;

    if (chars_open(in, &state->text) == CHARS_WAIT)
        return sig_short(in);
    for (;;) {
        struct chars_line line;

        if (chars_next_line(in, &state->text, &line) == CHARS_WAIT)
            return sig_short(in);
        if (line.all == 0)
            break;
        if (!state->begun) {
            state->begun =
                chars_begins(line.chars, line.len, "regedit4") ||
                chars_begins(line.chars, line.len, "windows registry editor version 5.00");
            if (!state->begun || line.len > 40)
                return sig_reject("invalid first line of an export");
        } else if (!state->rest && !reg_line(state, &line)) {
            break;
        }
        state->rest = line.len == line.all && line.len == CHARS_WANT_MAX;
        chars_skip(&state->text, line.all);
        if (line.all > line.len && !state->in_string && !state->goes_on)
            state->end = state->text.at;
    }
    if (state->keys < REG_KEYS_MIN || state->end == 0)
        return sig_reject("there are too few keys");
    if (state->in_string || state->goes_on) {
        sig_valid(in, state->end);
        return sig_breaks(in, "a value has no end");
    }
    return sig_believe(in, state->end, "the lines are those of an export, up to the last one");
}

const struct sig sig_winreg = {
    .name = "winreg",
    .what = "Windows registry export",
    .proves = "every line is a key, a value, a comment or empty; nothing marks the last one",
    .source = "Microsoft, Knowledge Base 310516: How to add, modify, or delete registry subkeys "
              "and values by using a "
              ".reg file",
    .types = (const struct sig_type[]){ { "winreg", "reg" }, { 0 } },
    .headers = { SIG_PATTERN("REGEDIT4\r\n"), SIG_PATTERN("REGEDIT4\n"),
                 SIG_PATTERN("Windows Registry Editor Version 5.00"),
                 SIG_PATTERN("\xff\xfeW\0i\0n\0d\0o\0w\0s\0 \0R\0e\0g\0i\0s\0t\0r\0y\0"),
                 SIG_PATTERN("\xef\xbb\xbfWindows Registry Editor Version 5.00") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 24,
    .size_max = UINT64_C(4) << 30, /* policy */
    .state_size = sizeof(struct reg_state),
    .check = reg_check,
};
