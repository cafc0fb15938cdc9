/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/ps.c - PostScript: programs (ps, eps, ai) and EPS files with a preview (DOS
 * EPS binary files).
 *
 *   %!PS-Adobe-3.0 [EPSF-3.0] | %%comments | program ... | %%Trailer | %%EOF
 *   c5 d0 d3 c6 | u32le offset, length of the PostScript | of the metafile | of the TIFF | u16 XOR
 * of the words before, or ffff
 *
 * A program ends with the first %%EOF outside of the documents embedded in it (%%BeginDocument);
 * Adobe Illustrator writes its own data behind that, as comments. Binary data is skipped by the
 * lengths that %%BeginBinary and %%BeginData tell. Pages are counted up, and as many as the header
 * says. Where %%EOF is missing the length is that of the text, and believed only. Any other byte
 * that is no text breaks the file.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/chars.h"
#include "signatures/sig.h"

enum {
    PS_LOOK = 96,         /* characters of a comment that are looked at */
    PS_HEAD = 1024,       /* bytes in which the creator is told */
    PS_BROKEN_MIN = 1024, /* bytes that make a broken file more than a stray header */
    PS_COMMENTS_MIN = 3,  /* structuring comments of a program without %%EOF */
    PS_TAIL = 512,        /* bytes in which such a program ends like one */
    PS_DOS_HEAD = 32,
};

struct ps_state {
    struct chars text;
    bool begun, after_line, private_data,
        count_told;  /* after_line: text->at is the start of a line */
    bool structured; /* it says how many pages it has, and so has to have a trailer */
    bool skipped;    /* binary data was skipped: its end mark follows */
    uint32_t type, depth, comments, pages, page, pages_told;
    uint64_t closed; /* where %%EOF ends; 0: not there yet */
    const char *why;
};

enum { PS_TYPE_PS, PS_TYPE_EPS, PS_TYPE_AI };
static const struct sig_type ps_types[] = {
    { "ps", "ps" }, { "eps", "eps" }, { "ai", "ai" }, { 0 }
};

/* As enum step, and: the end mark was read; the text ends. */
enum ps_step { PS_ON, PS_WAIT, PS_CLOSED, PS_ENDED, PS_BAD };

static bool ps_is(const uint8_t *line, uint32_t len, const char *word)
{
    const size_t word_len = strlen(word);

    return len >= word_len && memcmp(line, word, word_len) == 0;
}

/* The first number of a comment behind its name, which ends at `at`; false: there is none. */
static bool ps_number(const uint8_t *line, uint32_t len, uint32_t at, uint32_t *number)
{
    while (at < len && (line[at] == ' ' || line[at] == '\t'))
        at++;
    if (at == len || !chars_is_digit(line[at]))
        return false;
    for (*number = 0; at < len && chars_is_digit(line[at]) && *number < 100000000; at++)
        *number = *number * 10 + (uint32_t)(line[at] - '0');
    return true;
}

/* The last word of %%Page: is its number from 1 on. */
static bool ps_page(struct ps_state *state, const uint8_t *line, uint32_t len)
{
    uint32_t from = len, number;

    while (from > 0 && chars_is_space(line[from - 1]))
        len = --from;
    while (from > 0 && chars_is_digit(line[from - 1]))
        from--;
    if (from == len || !ps_number(line, len, from, &number))
        return true;
    if (state->pages > 0 && number != state->page + 1)
        return false;
    state->pages++;
    state->page = number;
    return true;
}

/* Skips to behind the binary data whose length the line tells. */
static void ps_skip(struct ps_state *state, uint32_t line, uint32_t newline, uint32_t bytes)
{
    struct chars *text = &state->text;

    text->at = sig_add(text->at + line + newline, bytes);
    text->good = text->at;
    text->stop = CHARS_GOES_ON;
    state->skipped = true;
    state->after_line = false;
}

/* A line that begins with %, as far as it is looked at; newline: characters that end it. PS_ON with
 * text->at moved: binary data was skipped. */
static enum ps_step ps_comment(struct ps_state *state, const uint8_t *line, uint32_t len,
                               uint32_t newline)
{
    uint32_t number;

    if (state->private_data)
        return ps_is(line, len, "%AI9_PrivateDataEnd") ? PS_CLOSED : PS_ON;
    if (len < 3 || line[1] != '%')
        return PS_ON;
    state->comments++;
    if (ps_is(line, len, "%%BeginDocument")) {
        state->depth++;
    } else if (ps_is(line, len, "%%EndDocument")) {
        state->depth -= state->depth > 0;
    } else if (ps_is(line, len, "%%BeginBinary:") && ps_number(line, len, 14, &number) &&
               newline > 0) {
        ps_skip(state, len, newline, number);
    } else if (ps_is(line, len, "%%BeginData:") && ps_number(line, len, 12, &number) &&
               newline > 0) {
        if (memmem(line, len, "Lines", 5) == NULL && memmem(line, len, "ASCII", 5) == NULL)
            ps_skip(state, len, newline, number);
    } else if (state->depth == 0 && ps_is(line, len, "%%Page:")) {
        if (!ps_page(state, line, len)) {
            state->why = "the page numbers do not count up";
            return PS_BAD;
        }
    } else if (state->depth == 0 && ps_is(line, len, "%%Pages:")) {
        state->structured = true;
        state->count_told = ps_number(line, len, 8, &state->pages_told);
    } else if (state->depth == 0 && ps_is(line, len, "%%EOF")) {
        return PS_CLOSED;
    }
    return PS_ON;
}

/* Walks what lies together at text->at, from one % at the start of a line to the next. */
static enum ps_step ps_walk(struct sig_input *in, struct ps_state *state)
{
    struct chars *text = &state->text;
    const uint8_t *chars;
    uint32_t len;

    if (chars_look(in, text, PS_LOOK + 1, &chars, &len) == CHARS_WAIT)
        return PS_WAIT;
    if (len == 0)
        return PS_ENDED;
    if (state->skipped) {
        const uint32_t look = len < 16 ? len : 16;

        state->skipped = false;
        if (memmem(chars, look, "%%End", 5) == NULL) {
            state->why = "binary data have no end mark";
            return PS_BAD;
        }
    }
    if (!state->after_line || chars[0] != '%') {
        const uint8_t *p = chars;

        /* to the next line that begins with % */
        while ((p = memchr(p, '%', len - (size_t)(p - chars))) != NULL && p > chars &&
               p[-1] != '\n' && p[-1] != '\r')
            p++;
        if (p == chars)
            p = len > 1 ? chars + 1 : NULL;
        const uint32_t done = p == NULL ? len : (uint32_t)(p - chars);
        const uint8_t last = chars[done - 1];
        state->after_line = last == '\n' || last == '\r';
        chars_skip(text, done);
        return PS_ON;
    }
    uint32_t line = 0, newline = 0;
    while (line < len && line < PS_LOOK && chars[line] != '\n' && chars[line] != '\r')
        line++;
    if (line < len && line < PS_LOOK)
        newline = chars[line] == '\r' && line + 1 < len && chars[line + 1] == '\n' ? 2 : 1;
    state->after_line = newline > 0;
    const uint64_t at = text->at;
    const enum ps_step step = ps_comment(state, chars, line, newline);
    if (step == PS_CLOSED)
        text->at += ps_is(chars, line, "%%EOF") ? 5 : line;
    else if (step == PS_ON && text->at == at)
        chars_skip(text, line + newline);
    return step;
}

/* Behind %%EOF: the comments of Adobe Illustrator, newlines, the ^D of serial printers. */
static enum ps_step ps_tail(struct sig_input *in, struct ps_state *state)
{
    const uint8_t *chars;
    uint32_t len;

    if (chars_tail(in, &state->text, &state->closed) == CHARS_WAIT)
        return PS_WAIT;
    struct chars behind = state->text;
    behind.at = state->closed;
    if (!state->private_data) {
        if (chars_look(in, &behind, PS_LOOK, &chars, &len) == CHARS_WAIT)
            return PS_WAIT;
        if (ps_is(chars, len, "%AI9_")) {
            state->private_data = true;
            state->text.at = state->closed;
            state->closed = 0;
            state->after_line = true;
            return PS_ON;
        }
    }
    if (state->closed < in->limit) {
        const uint8_t *next = sig_bytes(in, state->closed, 1);
        if (next == NULL)
            return PS_WAIT;
        state->closed += next[0] == 4;
    }
    return PS_CLOSED;
}

static enum ps_step ps_begin(struct sig_input *in, struct ps_state *state)
{
    const uint8_t *chars;
    uint32_t len, line = 0;

    if (chars_open(in, &state->text) == CHARS_WAIT)
        return PS_WAIT;
    const uint8_t *first = sig_bytes(in, 0, 1);
    if (first == NULL)
        return PS_WAIT;
    if (first[0] == 4)
        state->text.at = state->text.good = 1;
    if (chars_look(in, &state->text, PS_HEAD, &chars, &len) == CHARS_WAIT)
        return PS_WAIT;
    if (state->text.unit != 1 || len < 8 || !ps_is(chars, len, "%!PS") ||
        !(ps_is(chars, len, "%!PS-Adobe-") || chars_is_space(chars[4])))
        return PS_BAD;
    while (line < len && line < PS_LOOK && chars[line] != '\n' && chars[line] != '\r')
        line++;
    const uint32_t head = len < PS_HEAD ? len : PS_HEAD;
    if (memmem(chars, line, "EPSF", 4) != NULL)
        state->type = PS_TYPE_EPS;
    else if (memmem(chars, head, "%%Creator: Adobe Illustrator", 28) != NULL)
        state->type = PS_TYPE_AI;
    chars_skip(&state->text, line);
    state->begun = true;
    return line < 4 || line == PS_LOOK ? PS_BAD : PS_ON;
}

/* Whether a program without %%EOF, which ends at `end`, ends like one: -1 when that cannot be seen
 * yet. */
static int ps_ends(struct sig_input *in, const struct ps_state *state, uint64_t end)
{
    static const char *const last[] = { "end", "quit", "restore" };
    uint32_t tail = end < PS_TAIL ? (uint32_t)end : PS_TAIL;
    const uint8_t *bytes = sig_bytes(in, end - tail, tail);

    if (bytes == NULL)
        return -1;
    if (tail == 0 || !chars_is_space(bytes[tail - 1]))
        return 0;
    if (memmem(bytes, tail, "%%Trailer", 9) != NULL)
        return 1;
    if (state->structured)
        return 0;
    if (memmem(bytes, tail, "showpage", 8) != NULL)
        return 1;
    while (tail > 0 && chars_is_space(bytes[tail - 1]))
        tail--;
    for (uint32_t i = 0; i < sizeof last / sizeof last[0]; i++)
        if (tail >= strlen(last[i]) &&
            memcmp(bytes + tail - strlen(last[i]), last[i], strlen(last[i])) == 0)
            return 1;
    return 0;
}

static struct sig_result ps_broken(struct sig_input *in, const struct ps_state *state,
                                   const char *why)
{
    if (state->text.at < PS_BROKEN_MIN || state->comments < PS_COMMENTS_MIN)
        return sig_reject(why);
    sig_valid(in, state->text.at);
    return sig_breaks(in, why);
}

/* The text ends before %%EOF. */
static struct sig_result ps_end(struct sig_input *in, struct ps_state *state)
{
    uint64_t end;

    if (state->closed == 0 && state->private_data)
        return ps_broken(in, state, "the text ends inside the data of Illustrator");
    const enum chars_step step = chars_last(in, &state->text, &end);
    if (step == CHARS_WAIT)
        return sig_short(in);
    if (step == CHARS_CUT || state->depth > 0 || state->comments < PS_COMMENTS_MIN)
        return ps_broken(in, state, "the text ends before %%EOF");
    const int ends = ps_ends(in, state, end);
    if (ends < 0)
        return sig_short(in);
    return ends ? sig_believe(in, end, "a program without %%EOF, up to the end of the text")
                : ps_broken(in, state, "the text ends before %%EOF");
}

static struct sig_result ps_check(struct sig_input *in, void *memory)
{
    struct ps_state *state = memory;
    enum ps_step step = state->begun ? PS_ON : ps_begin(in, state);

    if (step == PS_BAD)
        return sig_reject("no PostScript begins here");
    in->type = &ps_types[state->type];
    for (;;) {
        if (step == PS_ON)
            step = state->closed > 0 ? PS_CLOSED : ps_walk(in, state);
        if (step == PS_CLOSED) {
            state->closed = state->text.at;
            step = ps_tail(in, state);
            if (step == PS_CLOSED && state->count_told && state->pages > 0 &&
                state->pages != state->pages_told)
                return ps_broken(in, state, "the number of pages differs from the comment");
            if (step == PS_CLOSED)
                return sig_complete(in, state->closed, "the structuring comments lead to %%EOF");
        }
        if (step == PS_WAIT)
            return sig_short(in);
        if (step == PS_ENDED)
            return ps_end(in, state);
        if (step == PS_BAD)
            return ps_broken(in, state, state->why);
    }
}

const struct sig sig_ps = {
    .name = "ps",
    .what = "PostScript program, EPS picture, Illustrator drawing",
    .proves = "structuring comments nest up to %%EOF, pages count up; the program is not run",
    .source = "Adobe, PostScript Language Document Structuring Conventions 3.0; Encapsulated "
              "PostScript 3.0",
    .types = ps_types,
    .headers = { SIG_PATTERN("%!PS-Adobe-"), SIG_PATTERN("%!PS\n"), SIG_PATTERN("%!PS\r"),
                 SIG_PATTERN("\x04%!PS-Adobe-") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = 24,
    .size_max = UINT64_C(4) << 30, /* policy */
    .state_size = sizeof(struct ps_state),
    .check = ps_check,
};

/* What a part of an EPS file with a preview begins with. */
static bool ps_part(uint32_t part, const uint8_t *bytes)
{
    static const char *const begins[] = { "%!PS", "\xd7\xcd\xc6\x9a", "II*\0", "MM\0*" };

    return memcmp(bytes, begins[part], 4) == 0 || (part == 2 && memcmp(bytes, begins[3], 4) == 0) ||
           (part == 1 &&
            (memcmp(bytes, "\1\0\x09\0", 4) == 0 || memcmp(bytes, "\2\0\x09\0", 4) == 0));
}

/* The PostScript of an EPS file is text but for its binary data; what it ends with is looked at. */
static int ps_dos_text(struct sig_input *in, uint64_t at, uint32_t len)
{
    const uint32_t tail = len < 2 * PS_TAIL ? len : 2 * PS_TAIL;
    const uint8_t *bytes = sig_bytes(in, at + len - tail, tail);

    if (bytes == NULL)
        return -1;
    return memmem(bytes, tail, "%%EOF", 5) != NULL || memmem(bytes, tail, "%%Trailer", 9) != NULL ||
           memmem(bytes, tail, "%AI9_PrivateDataEnd", 19) != NULL ||
           memmem(bytes, tail, "showpage", 8) != NULL;
}

static struct sig_result ps_dos_check(struct sig_input *in, void *memory)
{
    uint32_t at[3], len[3], sum = 0;
    uint64_t end = 0, sizes = 0;
    const uint8_t *head = sig_bytes(in, 0, PS_DOS_HEAD);

    (void)memory;
    if (head == NULL)
        return sig_short(in);
    for (uint32_t i = 0; i < 28; i += 2)
        sum ^= bytes_u16le(head + i);
    if (bytes_u16le(head + 28) != 0xffff && bytes_u16le(head + 28) != sum)
        return sig_reject("the checksum of the header is wrong");
    for (uint32_t i = 0; i < 3; i++) {
        at[i] = bytes_u32le(head + 4 + 8 * i);
        len[i] = bytes_u32le(head + 8 + 8 * i);
        if (len[i] == 0)
            continue;
        if (at[i] < 30 || len[i] < 16)
            return sig_reject("a part lies in the header");
        sizes += len[i];
        if (end < (uint64_t)at[i] + len[i])
            end = (uint64_t)at[i] + len[i];
    }
    if (len[0] == 0 || end - sizes > 30 + 1024)
        return sig_reject("the parts do not fill the file");
    if (end < sizes + 28)
        return sig_reject("the parts overlap");
    for (uint32_t i = 0; i < 3; i++) {
        const uint8_t *part = len[i] == 0 ? NULL : sig_bytes(in, at[i], 4);

        if (len[i] > 0 && part == NULL) {
            if (in->wanted > in->limit && i > 0)
                sig_valid(in, in->limit);
            return sig_short(in);
        }
        if (len[i] > 0 && !ps_part(i, part))
            return i == 0 ? sig_reject("there is no PostScript where the header points")
                          : sig_breaks(in, "the preview is not a picture");
        if (i == 0)
            sig_valid(in, PS_DOS_HEAD + 4);
    }
    const int text = ps_dos_text(in, at[0], len[0]);
    if (text < 0)
        return sig_short(in);
    if (text == 0)
        return sig_breaks(in, "the PostScript does not end as a program must");
    return sig_believe(in, end, "every part is where the header says");
}

const struct sig sig_eps = {
    .name = "eps",
    .what = "EPS picture with a preview",
    .proves = "parts fill the file; PostScript begins and ends as such, the preview begins as a "
              "picture",
    .source = "Adobe, Encapsulated PostScript File Format Specification 3.0: 5.2 Windows metafile "
              "or TIFF",
    .types = (const struct sig_type[]){ { "eps", "eps" }, { 0 } },
    .headers = { SIG_PATTERN("\xc5\xd0\xd3\xc6") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = PS_DOS_HEAD + 16,
    .size_max = UINT64_C(1) << 32,
    .check = ps_dos_check,
};
