/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/ply.c - PLY: points and faces, with any properties.
 *
 *   "ply" | "format" ascii, binary_little_endian or binary_big_endian "1.0" | "comment" ... |
 * "element" name count | "property" type name, or "property list" type of the count, type, name |
 * "end_header"
 *
 * Elements follow in their order: as text, a line each; else as long as their properties, where a
 * list tells its own count.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/chars.h"
#include "signatures/lib/step.h"
#include "signatures/lib/words.h"
#include "signatures/sig.h"

enum {
    PLY_ELEMENTS_MAX = 16,
    PLY_PROPERTIES_MAX = 96, /* of all elements */
    PLY_LINES_MAX = 512,     /* of the header */
    PLY_WORDS = 5,
    PLY_LIST_MAX = 1 << 24, /* entries */
};
#define PLY_COUNT_MAX (UINT64_C(1) << 40)

struct ply_state {
    struct chars text;
    uint32_t lines, elements, properties;
    bool ascii, big, known, headed;
    struct {
        uint64_t count;
        uint32_t from, to; /* properties */
        uint64_t bytes;    /* of one that has no lists */
        bool lists;
    } element[PLY_ELEMENTS_MAX];
    struct {
        uint8_t count, width; /* bytes of the count of a list, 0: none; of a value */
    } property[PLY_PROPERTIES_MAX];
    uint64_t at;        /* the next property */
    uint32_t now, next; /* element and property that is read */
    uint64_t done;      /* elements of this kind before it */
};

/* Bytes of a type; 0: unknown. */
static uint8_t ply_width(const struct word *word)
{
    static const struct {
        const char *name;
        uint8_t width;
    } types[] = {
        { "char", 1 },  { "uchar", 1 },   { "int8", 1 },   { "uint8", 1 },
        { "short", 2 }, { "ushort", 2 },  { "int16", 2 },  { "uint16", 2 },
        { "int", 4 },   { "uint", 4 },    { "int32", 4 },  { "uint32", 4 },
        { "float", 4 }, { "float32", 4 }, { "double", 8 }, { "float64", 8 },
    };

    for (uint32_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (word_is(word, types[i].name))
            return types[i].width;
    return 0;
}

static bool ply_element(struct ply_state *state, const struct word *count)
{
    uint64_t value;

    if (state->elements == PLY_ELEMENTS_MAX || !word_number(count, PLY_COUNT_MAX, &value))
        return false;
    state->element[state->elements].count = value;
    state->element[state->elements].from = state->properties;
    state->element[state->elements++].to = state->properties;
    return true;
}

static bool ply_property(struct ply_state *state, const struct word *words, uint32_t count)
{
    const bool list = count > 2 && word_is(&words[1], "list");
    const uint8_t of = list ? ply_width(&words[2]) : 0,
                  width = count > (list ? 4u : 2u) ? ply_width(&words[list ? 3 : 1]) : 0;

    if (state->elements == 0 || state->properties == PLY_PROPERTIES_MAX || width == 0 ||
        (list && of == 0) || of > 4)
        return false;
    state->property[state->properties].count = of;
    state->property[state->properties++].width = width;
    state->element[state->elements - 1].to = state->properties;
    state->element[state->elements - 1].lists |= list;
    state->element[state->elements - 1].bytes += width;
    return true;
}

/* A line of the header behind the first. False: it does not belong there. */
static bool ply_header(struct ply_state *state, const struct chars_line *line)
{
    struct word words[PLY_WORDS];
    const uint32_t count = words_split(line, words, PLY_WORDS);

    if (count == 0)
        return false;
    if (word_is(&words[0], "comment") || word_is(&words[0], "obj_info"))
        return true;
    if (word_is(&words[0], "format") && count == 3 && !state->known && word_is(&words[2], "1.0")) {
        state->ascii = word_is(&words[1], "ascii");
        state->big = word_is(&words[1], "binary_big_endian");
        state->known = true;
        return state->ascii || state->big || word_is(&words[1], "binary_little_endian");
    }
    if (word_is(&words[0], "element") && count == 3)
        return ply_element(state, &words[2]);
    if (word_is(&words[0], "property"))
        return ply_property(state, words, count);
    state->headed = word_is(&words[0], "end_header");
    return state->headed && state->known && state->elements > 0;
}

/* The lines of all elements. */
static enum step ply_lines(struct sig_input *in, struct ply_state *state)
{
    for (; state->now < state->elements; state->now++, state->done = 0)
        for (; state->done < state->element[state->now].count; state->done++) {
            struct chars_line line;

            if (chars_next_line(in, &state->text, &line) == CHARS_WAIT)
                return STEP_WAIT;
            if (line.all == 0 || line.len == 0 ||
                (!chars_is_digit(line.chars[0]) && line.chars[0] != '-' && line.chars[0] != ' ' &&
                 line.chars[0] != '.'))
                return STEP_BAD;
            chars_skip(&state->text, line.all);
            state->at = state->text.at;
            sig_valid(in, state->at);
        }
    return STEP_DONE;
}

/* One property of an element that has lists. */
static enum step ply_one(struct sig_input *in, struct ply_state *state)
{
    const uint32_t of = state->property[state->next].count;
    const uint8_t *p = of == 0 ? NULL : sig_bytes(in, state->at, of);
    uint64_t entries = 1;

    if (of > 0 && p == NULL)
        return STEP_WAIT;
    if (of == 1)
        entries = *p;
    else if (of == 2)
        entries = state->big ? bytes_u16be(p) : bytes_u16le(p);
    else if (of == 4)
        entries = state->big ? bytes_u32be(p) : bytes_u32le(p);
    if (entries > PLY_LIST_MAX)
        return STEP_BAD;
    state->at += of + entries * state->property[state->next].width;
    if (++state->next == state->element[state->now].to) {
        state->next = state->element[state->now].from;
        state->done++;
    }
    return STEP_DONE;
}

static enum step ply_binary(struct sig_input *in, struct ply_state *state)
{
    for (; state->now < state->elements; state->now++, state->done = 0) {
        const uint64_t count = state->element[state->now].count,
                       bytes = state->element[state->now].bytes;

        state->next = state->done == 0 && state->next < state->element[state->now].from
                          ? state->element[state->now].from
                          : state->next;
        if (state->element[state->now].from == state->element[state->now].to)
            continue;
        if (!state->element[state->now].lists) {
            if (count > PLY_COUNT_MAX / bytes)
                return STEP_BAD;
            state->at += count * bytes;
            continue;
        }
        while (state->done < count) {
            const enum step step = ply_one(in, state);

            if (step != STEP_DONE)
                return step;
            sig_valid(in, state->at < in->limit ? state->at : in->limit);
        }
    }
    return STEP_DONE;
}

static struct sig_result ply_check(struct sig_input *in, void *memory)
{
    struct ply_state *state = memory;

    if (chars_open(in, &state->text) == CHARS_WAIT)
        return sig_short(in);
    while (!state->headed) {
        struct chars_line line;

        if (chars_next_line(in, &state->text, &line) == CHARS_WAIT)
            return sig_short(in);
        if (line.all == line.len || state->lines == PLY_LINES_MAX ||
            (state->lines > 0 && !ply_header(state, &line)))
            return sig_reject("a line does not belong to the header");
        state->lines++;
        chars_skip(&state->text, line.all);
        state->at = state->text.at;
    }
    const enum step step = state->ascii ? ply_lines(in, state) : ply_binary(in, state);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "an element is not what the header says");
    return sig_believe(in, state->at, "elements are as many and as long as the header says");
}

const struct sig sig_ply = {
    .name = "ply",
    .what = "PLY, points and faces",
    .proves = "as many elements as the header says; lists lead from one to the next",
    .source = "G. Turk, The PLY Polygon File Format (1994)",
    .types = (const struct sig_type[]){ { "ply", "ply" }, { 0 } },
    .headers = { SIG_PATTERN("ply\nformat "), SIG_PATTERN("ply\r\nformat "),
                 SIG_PATTERN("ply\ncomment "), SIG_PATTERN("ply\r\ncomment ") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 48,
    .size_max = PLY_COUNT_MAX,
    .state_size = sizeof(struct ply_state),
    .check = ply_check,
};
