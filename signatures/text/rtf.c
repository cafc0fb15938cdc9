/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/rtf.c - Rich Text Format.
 *
 *   {\rtfN \control-words text {groups} ... }
 *
 * Groups nest in braces; \{ \} and \\ are none, and \binN is followed by N bytes of anything. The
 * file ends with the brace that closes the first one, and newlines behind it; the editor control of
 * Windows (Riched20, Msftedit) adds a NUL. All else is text, hex digits (pictures) or paragraphs:
 * what is no text, or a long stretch of text without any control word, breaks the file.
 */
#include <string.h>

#include "signatures/lib/chars.h"
#include "signatures/sig.h"

enum {
    RTF_WORD_MAX = 32,   /* letters of a control word */
    RTF_NUMBER_MAX = 10, /* digits of its number */
    RTF_LOOK = 2 + RTF_WORD_MAX + RTF_NUMBER_MAX + 2,
    RTF_HEAD = 512,        /* bytes in which the generator is told */
    RTF_BROKEN_MIN = 1024, /* bytes that make a broken file more than a stray header */
    RTF_PLAIN_MAX = 1600,  /* characters other than hex digits between control words */
    RTF_WORDS_MIN = 3,     /* control words of the smallest file */
    RTF_BROKEN_WORDS = 16,
};

struct rtf_state {
    struct chars text;
    bool begun, ended, windows; /* windows: written by the editor control of Windows */
    bool paragraphs;            /* a control word that every document has was seen */
    uint32_t depth, words, plain;
    uint64_t closed; /* behind the last brace; 0: not there yet */
};

/* As enum step, and: the last brace was read. */
enum rtf_step { RTF_ON, RTF_WAIT, RTF_CLOSED, RTF_BAD };

static const char *const rtf_common[] = { "par", "pard", "plain", "fonttbl", "fs", "sectd" };

static bool rtf_is_hex(uint8_t c)
{
    return chars_is_digit(c) || (uint8_t)((c | 0x20) - 'a') < 6 || chars_is_space(c);
}

/* A backslash at text[0] and what belongs to it. Returns how many characters; 0: it is wrong. */
static uint32_t rtf_control(struct rtf_state *state, const uint8_t *text, uint32_t len,
                            uint64_t *binary)
{
    uint32_t i = 1, digits = 0;
    uint64_t number = 0;

    *binary = 0;
    if (len < 2)
        return 0;
    if (!chars_is_letter(text[1]))
        return 2;
    while (i < len && i <= RTF_WORD_MAX && chars_is_letter(text[i]))
        i++;
    const uint32_t letters = i - 1;
    const bool minus = i < len && text[i] == '-';
    for (i += minus; i < len && chars_is_digit(text[i]); i++, digits++)
        number = number * 10 + (uint64_t)(text[i] - '0');
    if (letters > RTF_WORD_MAX || digits > RTF_NUMBER_MAX)
        return 0;
    state->words++;
    state->plain = 0;
    for (uint32_t k = 0; !state->paragraphs && k < sizeof rtf_common / sizeof rtf_common[0]; k++)
        state->paragraphs =
            strlen(rtf_common[k]) == letters && memcmp(text + 1, rtf_common[k], letters) == 0;
    if (letters == 3 && memcmp(text + 1, "bin", 3) == 0 && digits > 0 && !minus) {
        *binary = number;
        i += i < len && text[i] == ' ';
    }
    return i;
}

/* Walks what lies together at text->at. */
static enum rtf_step rtf_walk(struct sig_input *in, struct rtf_state *state)
{
    struct chars *text = &state->text;
    const uint8_t *chars;
    uint32_t len, done = 0;

    if (chars_look(in, text, RTF_LOOK, &chars, &len) == CHARS_WAIT)
        return RTF_WAIT;
    state->ended = len == 0;
    if (state->ended)
        return RTF_BAD;
    const bool more = chars_more(text, len);
    for (uint32_t i = 0; i < len; done = i) {
        const uint8_t c = chars[i];
        uint64_t binary;

        if (c == '{') {
            state->depth++;
            i++;
        } else if (c == '}') {
            i++;
            if (--state->depth == 0) {
                state->closed = text->at + i;
                text->at = state->closed;
                return RTF_CLOSED;
            }
        } else if (c == '\\') {
            if (len - i < RTF_LOOK && more && i > 0)
                break;
            const uint32_t control = rtf_control(state, chars + i, len - i, &binary);
            if (control == 0) {
                text->at += i;
                return RTF_BAD;
            }
            i += control;
            if (binary <= len - i) { /* what was looked at need not be looked at again */
                i += (uint32_t)binary;
            } else {
                text->at = sig_add(text->at + i, binary);
                text->good = text->at;
                text->stop = CHARS_GOES_ON;
                return RTF_ON;
            }
        } else {
            state->plain += !rtf_is_hex(c);
            i++;
            if (state->plain > RTF_PLAIN_MAX) {
                text->at += i;
                text->at -= text->at > RTF_PLAIN_MAX ? RTF_PLAIN_MAX : text->at;
                return RTF_BAD;
            }
        }
    }
    text->at += done;
    return RTF_ON;
}

/* Newlines behind the last brace, and the NUL that the editor control of Windows adds. */
static enum rtf_step rtf_tail(struct sig_input *in, struct rtf_state *state, uint64_t *end)
{
    if (chars_tail(in, &state->text, end) == CHARS_WAIT)
        return RTF_WAIT;
    if (*end >= in->limit)
        return RTF_ON;
    const uint32_t want = in->limit - *end < 2 ? 1 : 2;
    const uint8_t *next = sig_bytes(in, *end, want);
    if (next == NULL)
        return RTF_WAIT;
    if (next[0] == 0 && ((state->windows && *end > state->closed) || want == 1 || next[1] != 0))
        ++*end;
    return RTF_ON;
}

static enum rtf_step rtf_begin(struct sig_input *in, struct rtf_state *state)
{
    const uint8_t *chars;
    uint32_t len;

    if (chars_open(in, &state->text) == CHARS_WAIT ||
        chars_look(in, &state->text, RTF_HEAD, &chars, &len) == CHARS_WAIT)
        return RTF_WAIT;
    if (state->text.unit != 1 || len < 8 || memcmp(chars, "{\\rtf", 5) != 0 ||
        !(chars_is_digit(chars[5]) || chars[5] == '\\' || chars[5] == ' '))
        return RTF_BAD;
    const uint32_t head = len < RTF_HEAD ? len : RTF_HEAD;
    state->windows =
        memmem(chars, head, "Riched20", 8) != NULL || memmem(chars, head, "Msftedit", 8) != NULL;
    state->begun = true;
    return RTF_ON;
}

static struct sig_result rtf_check(struct sig_input *in, void *memory)
{
    struct rtf_state *state = memory;
    enum rtf_step step = state->begun ? RTF_ON : rtf_begin(in, state);
    uint64_t end = 0;

    if (step == RTF_BAD)
        return sig_reject("no RTF begins here");
    while (step == RTF_ON && state->closed == 0)
        step = rtf_walk(in, state);
    if (state->closed > 0)
        step = rtf_tail(in, state, &end);
    if (step == RTF_WAIT)
        return sig_short(in);
    if (step == RTF_BAD) {
        const char *why = state->ended ? "the text ends before the last brace"
                                       : "invalid control words, or none at all";
        if (state->text.at < RTF_BROKEN_MIN || state->words < RTF_BROKEN_WORDS)
            return sig_reject(why);
        sig_valid(in, state->text.at);
        return sig_breaks(in, why);
    }
    if (state->words < RTF_WORDS_MIN || !state->paragraphs)
        return sig_reject("there are too few control words");
    return sig_complete(in, end, "the braces lead to the one that closes the first");
}

const struct sig sig_rtf = {
    .name = "rtf",
    .what = "Rich Text Format document",
    .proves = "braces close, control words have their form, nothing but text between them",
    .source = "Microsoft, Rich Text Format (RTF) Specification 1.9.1: Conventions of an RTF "
              "Reader; \\bin",
    .types = (const struct sig_type[]){ { "rtf", "rtf" }, { 0 } },
    .headers = { SIG_PATTERN("{\\rtf") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = 16,
    .size_max = UINT64_C(1) << 30, /* policy */
    .state_size = sizeof(struct rtf_state),
    .check = rtf_check,
};
