/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/windows_text.c - texts that Windows writes: connections to other desktops (rdp),
 * reports of programs that failed (wer).
 *
 *   rdp: lines "name:k:value", k one of i, s, b
 *   wer: "Version=1" | "EventType=..." | lines "name=value"
 *
 * Nothing marks the last line; a name that comes again begins another file.
 */
#include <string.h>

#include "signatures/lib/lines.h"

enum { WINDOWS_BROKEN_MIN = 1 << 20, WINDOWS_FIRST_MAX = 64 };

struct windows_state {
    struct lines lines;
    uint32_t first_len;
    char first[WINDOWS_FIRST_MAX]; /* the name of the first line */
};

/*
 * Whether the first name is there again; the first time it is remembered. A byte order mark before
 * it, which begins another file, is one character that is not ASCII.
 */
static bool windows_again(struct windows_state *state, const struct chars_line *line, uint32_t len,
                          uint64_t count)
{
    const uint8_t *name = line->chars;

    if (count == 0) {
        state->first_len = len < WINDOWS_FIRST_MAX ? len : WINDOWS_FIRST_MAX;
        memcpy(state->first, name, state->first_len);
        return false;
    }
    if (name[0] >= 0x80) {
        name++;
        len--;
    }
    return len == state->first_len && memcmp(name, state->first, len) == 0;
}

static enum lines_word rdp_line(void *memory, const struct chars_line *line, uint64_t count,
                                uint32_t *last)
{
    const uint8_t *mark = memchr(line->chars, ':', line->len);
    const uint32_t len = mark == NULL ? 0 : (uint32_t)(mark - line->chars);

    (void)last;
    if (len == 0 || line->len < len + 3 || strchr("isb", mark[1]) == NULL || mark[1] == 0 ||
        mark[2] != ':' || windows_again(memory, line, len, count))
        return LINES_WRONG;
    return count > 1 ? LINES_MAY_END : LINES_ON;
}

static struct sig_result rdp_check(struct sig_input *in, void *memory)
{
    static const struct lines_format format = { rdp_line, WINDOWS_BROKEN_MIN,
                                                "names with kinds and values, up to the last line",
                                                "a line is no setting" };
    struct windows_state *state = memory;

    return lines_check(in, &state->lines, &format, state);
}

static enum lines_word wer_line(void *memory, const struct chars_line *line, uint64_t count,
                                uint32_t *last)
{
    const uint8_t *mark = memchr(line->chars, '=', line->len);
    const uint32_t len = mark == NULL ? 0 : (uint32_t)(mark - line->chars);

    (void)last;
    if (len == 0 || (count == 1 && !lines_begins(line, "EventType=")) ||
        windows_again(memory, line, len, count))
        return LINES_WRONG;
    return count > 1 ? LINES_MAY_END : LINES_ON;
}

static struct sig_result wer_check(struct sig_input *in, void *memory)
{
    static const struct lines_format format = { wer_line, WINDOWS_BROKEN_MIN,
                                                "names and values, up to the last line",
                                                "a line is no name with a value" };
    struct windows_state *state = memory;

    return lines_check(in, &state->lines, &format, state);
}

const struct sig sig_rdp = {
    .name = "rdp",
    .what = "connection to another desktop (RDP)",
    .proves = "every line is a name with a kind and a value; nothing marks the last one",
    .source = "Microsoft, Supported RDP properties",
    .types = (const struct sig_type[]){ { "rdp", "rdp" }, { 0 } },
    .headers = { SIG_PATTERN("screen mode id:i:"), SIG_PATTERN("full address:s:"),
                 SIG_PATTERN("\xff\xfe"
                             "s\0c\0r\0e\0e\0n\0 \0m\0o\0d\0e\0 \0i\0d\0:\0i\0:\0"),
                 SIG_PATTERN("\xff\xfe\x66\0u\0l\0l\0 \0a\0d\0d\0r\0e\0s\0s\0:\0s\0:\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 48,
    .size_max = 1 << 20,
    .state_size = sizeof(struct windows_state),
    .check = rdp_check,
};

const struct sig sig_wer = {
    .name = "wer",
    .what = "report of a program that failed under Windows (WER)",
    .proves = "every line is a name with a value; nothing marks the last one",
    .source = "Microsoft, Windows Error Reporting: Report.wer, as Windows 10 writes it",
    .types = (const struct sig_type[]){ { "wer", "wer" }, { 0 } },
    .headers = { SIG_PATTERN("\xff\xfeV\0e\0r\0s\0i\0o\0n\0=\0"
                             "1\0\r\0\n\0E\0v\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 64,
    .size_max = 1 << 24,
    .state_size = sizeof(struct windows_state),
    .check = wer_check,
};
