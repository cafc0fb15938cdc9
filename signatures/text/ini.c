/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/ini.c - settings, a section after the other: shortcuts to pages, starters, what
 * connects to networks, subtitles of SSA.
 *
 *   [section] | name=value (SSA: name: value) | ; or # and a remark | empty lines
 *
 * The first section tells the type. The file ends with the last line that is one of these, or where
 * the first section comes again.
 */
#include <string.h>

#include "signatures/lib/lines.h"

enum { INI_BROKEN_MIN = 1 << 20, INI_NAME_MAX = 128 };

struct ini_state {
    struct lines lines;
    uint32_t kind;
    bool value; /* some name has one */
};

static const struct sig_type ini_types[] = { { "url", "url" },
                                             { "desktop", "desktop" },
                                             { "wireguard", "conf" },
                                             { "network", "nmconnection" },
                                             { "autorun", "inf" },
                                             { "ass", "ass" },
                                             { 0 } };

/* The first line of each, in the order of the types. */
static const char *const ini_sections[] = {
    "[InternetShortcut]", "[Desktop Entry]", "[Interface]",
    "[connection]",       "[autorun]",       "[Script Info]"
};

static enum lines_word ini_line(void *memory, const struct chars_line *line, uint64_t count,
                                uint32_t *last)
{
    struct ini_state *state = memory;
    const char mark = state->kind == 5 ? ':' : '=';

    (void)last;
    if (count == 0) {
        for (uint32_t i = 0; i < sizeof ini_sections / sizeof ini_sections[0]; i++)
            if (lines_begins(line, ini_sections[i]) && lines_ends(line, ini_sections[i])) {
                state->kind = i;
                return LINES_ON;
            }
        return LINES_WRONG;
    }
    if (line->len == 0 || line->chars[0] == ';' || line->chars[0] == '#')
        return state->value ? LINES_MAY_END : LINES_ON;
    if (line->chars[0] == '[')
        return lines_begins(line, ini_sections[state->kind]) || !lines_ends(line, "]") ? LINES_WRONG
                                                                                       : LINES_ON;
    const uint8_t *at = memchr(line->chars, mark, line->len);
    if (at == NULL || at == line->chars || at - line->chars > INI_NAME_MAX ||
        chars_is_space(line->chars[0]))
        return LINES_WRONG;
    state->value = true;
    return LINES_MAY_END;
}

static struct sig_result ini_check(struct sig_input *in, void *memory)
{
    static const struct lines_format format = { ini_line, INI_BROKEN_MIN,
                                                "names and values of sections, up to the last line",
                                                "no name has a value" };
    struct ini_state *state = memory;
    const struct sig_result out = lines_check(in, &state->lines, &format, state);

    in->type = &ini_types[state->kind];
    return out;
}

const struct sig sig_ini = {
    .name = "ini",
    .what = "settings: shortcut to a page, starter, network, WireGuard, autorun, subtitles of SSA",
    .proves = "every line is a section, a name with its value, a remark or empty",
    .source =
        "Microsoft, GetPrivateProfileString; freedesktop.org, Desktop Entry Specification 1.5; "
        "wg-quick(8); NetworkManager 1.42, nm-settings-keyfile(5); Advanced SubStation Alpha",
    .types = ini_types,
    .headers = { SIG_PATTERN("[InternetShortcut]"), SIG_PATTERN("[Desktop Entry]"),
                 SIG_PATTERN("[Interface]"), SIG_PATTERN("[connection]"), SIG_PATTERN("[autorun]"),
                 SIG_PATTERN("[Script Info]"), SIG_PATTERN("\xef\xbb\xbf[Script Info]") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 24,
    .size_max = 1 << 26,
    .state_size = sizeof(struct ini_state),
    .check = ini_check,
};
