/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/subtitle.c - subtitles: SubRip (srt) and WebVTT (vtt).
 *
 *   srt: number | 00:00:01,000 --> 00:00:04,000 | lines of text | empty line | next number ...
 *   vtt: WEBVTT | empty line | [name] | 00:01.000 --> 00:04.000 ... | lines | empty line | ...;
 * NOTE, STYLE and REGION blocks
 *
 * Cues are numbered upwards and no one ends before it begins. The file ends with the empty lines
 * behind the last cue; where none stands, with the text.
 */
#include <string.h>

#include "signatures/lib/chars.h"
#include "signatures/sig.h"

enum {
    SUBTITLE_CUES_MIN = 2,
    SUBTITLE_LINES_MAX = 64, /* of one cue */
    SUBTITLE_STEP_MAX = 100, /* numbers left out between two cues */
};

enum subtitle_phase {
    SUBTITLE_FIRST,
    SUBTITLE_BETWEEN,
    SUBTITLE_TIMES,
    SUBTITLE_LINES,
    SUBTITLE_NOTE
};

struct subtitle_state {
    struct chars text;
    enum subtitle_phase phase;
    bool web;
    uint32_t cues, lines, number;
    uint64_t end; /* behind the last line that belongs to it */
};

static const struct sig_type subtitle_types[] = { { "srt", "srt" }, { "vtt", "vtt" }, { 0 } };

/* [hh:]mm:ss,mmm or with a point, in milliseconds; steps over it. UINT64_MAX: it is none. */
static uint64_t subtitle_time(const struct chars_line *line, uint32_t *at)
{
    uint64_t parts[3] = { 0 };
    uint32_t count = 0, i = *at, digits;

    for (;;) {
        for (digits = 0; i < line->len && chars_is_digit(line->chars[i]) && digits < 4;
             i++, digits++)
            parts[count] = parts[count] * 10 + (uint64_t)(line->chars[i] - '0');
        if (digits == 0 || i == line->len)
            return UINT64_MAX;
        if (line->chars[i] != ':' || ++count == 3)
            break;
        i++;
    }
    if (count < 1 || count > 2 || (line->chars[i] != ',' && line->chars[i] != '.') ||
        parts[count] > 59 || parts[count - 1] > (count == 1 ? 999 : 59))
        return UINT64_MAX;
    uint64_t milliseconds = 0;
    for (i++, digits = 0; i < line->len && chars_is_digit(line->chars[i]) && digits < 3;
         i++, digits++)
        milliseconds = milliseconds * 10 + (uint64_t)(line->chars[i] - '0');
    if (digits != 3)
        return UINT64_MAX;
    *at = i;
    return (count == 2 ? parts[0] * 3600 + parts[1] * 60 + parts[2] : parts[0] * 60 + parts[1]) *
               1000 +
           milliseconds;
}

static bool subtitle_times(const struct chars_line *line)
{
    uint32_t at = 0;
    const uint64_t from = subtitle_time(line, &at);

    while (at < line->len && line->chars[at] == ' ')
        at++;
    if (from == UINT64_MAX || line->len - at < 5 || memcmp(line->chars + at, "-->", 3) != 0)
        return false;
    for (at += 3; at < line->len && line->chars[at] == ' '; at++)
        ;
    const uint64_t to = subtitle_time(line, &at);
    return to != UINT64_MAX && to >= from;
}

/* The number of a cue, which is all of the line; 0: it is none. */
static uint32_t subtitle_number(const struct chars_line *line)
{
    uint32_t number = 0, len = line->len;

    while (len > 0 && line->chars[len - 1] == ' ')
        len--;
    if (len == 0 || len > 7)
        return 0;
    for (uint32_t i = 0; i < len; i++) {
        if (!chars_is_digit(line->chars[i]))
            return 0;
        number = number * 10 + (uint32_t)(line->chars[i] - '0');
    }
    return number;
}

/* Where a block begins. */
static bool subtitle_block(struct subtitle_state *state, const struct chars_line *line)
{
    state->lines = 0;
    if (!state->web) {
        const uint32_t number = subtitle_number(line);

        if (number == 0 || (state->cues > 0 && (number <= state->number ||
                                                number > state->number + SUBTITLE_STEP_MAX)))
            return false;
        state->number = number;
        state->phase = SUBTITLE_TIMES;
        return true;
    }
    if (chars_begins(line->chars, line->len, "note") ||
        chars_begins(line->chars, line->len, "style") ||
        chars_begins(line->chars, line->len, "region")) {
        state->phase = SUBTITLE_NOTE;
        return true;
    }
    if (subtitle_times(line)) {
        state->cues++;
        state->phase = SUBTITLE_LINES;
        return true;
    }
    state->phase = SUBTITLE_TIMES; /* behind the name of a cue */
    return true;
}

static bool subtitle_line(struct subtitle_state *state, const struct chars_line *line)
{
    switch (state->phase) {
    case SUBTITLE_FIRST:
        state->web = chars_begins(line->chars, line->len, "webvtt");
        if (state->web) {
            state->phase = SUBTITLE_NOTE;
            return true;
        }
        return subtitle_block(state, line);
    case SUBTITLE_BETWEEN:
        return line->len == 0 || subtitle_block(state, line);
    case SUBTITLE_TIMES:
        state->cues++;
        state->phase = SUBTITLE_LINES;
        return subtitle_times(line);
    default:
        if (line->len == 0)
            state->phase = SUBTITLE_BETWEEN;
        return ++state->lines <= SUBTITLE_LINES_MAX;
    }
}

static struct sig_result subtitle_check(struct sig_input *in, void *memory)
{
    struct subtitle_state *state = memory;
    bool ended = false;

    if (chars_open(in, &state->text) == CHARS_WAIT)
        return sig_short(in);
    for (;;) {
        struct chars_line line;

        if (chars_next_line(in, &state->text, &line) == CHARS_WAIT)
            return sig_short(in);
        ended = line.all == 0;
        if (ended || line.len == CHARS_WANT_MAX || !subtitle_line(state, &line))
            break;
        chars_skip(&state->text, line.all);
        if (state->phase >= SUBTITLE_LINES || state->phase == SUBTITLE_BETWEEN)
            state->end = state->text.at;
        if (state->cues == 1)
            in->type = &subtitle_types[state->web];
    }
    if (state->cues < SUBTITLE_CUES_MIN)
        return sig_reject("there are too few cues");
    if (ended && state->end == state->text.at) {
        const enum chars_step step = chars_last(in, &state->text, &state->end);

        if (step == CHARS_WAIT)
            return sig_short(in);
        if (step == CHARS_CUT) {
            sig_valid(in, state->text.at);
            return sig_breaks(in, "the text breaks off at the end of a sector");
        }
    }
    return sig_believe(in, state->end, "the cues lead to the last one");
}

const struct sig sig_subtitle = {
    .name = "srt",
    .what = "SubRip and WebVTT subtitles",
    .proves = "numbers and times of every cue; nothing marks the last one",
    .source = "SubRip (Matroska, Subtitles: SRT); W3C, WebVTT 4 Syntax",
    .types = subtitle_types,
    .headers = { SIG_MASKED("1\n0?:??:??,??? --> ",
                            "\xff\xff\xff\0\xff\0\0\xff\0\0\xff\0\0\0\xff\xff\xff\xff\xff"),
                 SIG_MASKED("1\r\n0?:??:??,??? --> ",
                            "\xff\xff\xff\xff\0\xff\0\0\xff\0\0\xff\0\0\0\xff\xff\xff\xff\xff"),
                 SIG_MASKED(
                     "\xef\xbb\xbf"
                     "1\n0?:??:??,??? --> ",
                     "\xff\xff\xff\xff\xff\xff\0\xff\0\0\xff\0\0\xff\0\0\0\xff\xff\xff\xff\xff"),
                 SIG_MASKED("\xef\xbb\xbf"
                            "1\r\n0?:??:??,??? --> ",
                            "\xff\xff\xff\xff\xff\xff\xff\0\xff\0\0\xff\0\0\xff\0\0\0\xff\xff\xff"
                            "\xff\xff"),
                 SIG_PATTERN("WEBVTT\n"), SIG_PATTERN("WEBVTT\r\n"), SIG_PATTERN("WEBVTT "),
                 SIG_PATTERN("\xef\xbb\xbfWEBVTT") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 48,
    .size_max = UINT64_C(64) << 20, /* policy */
    .state_size = sizeof(struct subtitle_state),
    .check = subtitle_check,
};
