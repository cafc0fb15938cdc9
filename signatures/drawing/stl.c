/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/stl.c - STL: a surface of triangles, as text or binary.
 *
 *   text: "solid" name | facets: "facet normal" x y z, "outer loop", three times "vertex" x y z,
 * "endloop", "endfacet" | "endsolid" name; several solids may follow one another
 *   binary: 80 bytes, which programs fill with their name | u32le triangles | each: 12 f32le, u16le
 *
 * A binary file has no magic: those are found whose program wrote its name.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/chars.h"
#include "signatures/sig.h"

enum {
    STL_HEAD = 84,
    STL_TRIANGLE = 50,
    STL_STEP = 1024,             /* triangles asked for at a time */
    STL_SURE = 2,                /* facets that are not there by chance */
    STL_EXPONENT_MIN = 127 - 60, /* of a number that some program means: 1e-18 to 1e18 */
    STL_EXPONENT_MAX = 127 + 60,
};

struct stl_text {
    struct chars text;
    uint64_t facets, end; /* end: behind the last solid */
    uint32_t step;        /* the line of the facet that comes next */
    bool inside;          /* of a solid */
};

/* The lines of a facet, and how many numbers each has. */
static const struct {
    const char *words;
    uint32_t numbers;
} stl_lines[] = {
    { "facet normal ", 3 }, { "outer loop", 0 }, { "vertex ", 3 },  { "vertex ", 3 },
    { "vertex ", 3 },       { "endloop", 0 },    { "endfacet", 0 },
};

/* How many numbers stand in the characters, with blanks between them; UINT32_MAX: something else.
 */
static uint32_t stl_numbers(const uint8_t *p, uint32_t len)
{
    uint32_t numbers = 0;

    for (uint32_t i = 0; i < len; i++) {
        const bool blank = p[i] == ' ' || p[i] == '\t';

        if (!blank && !chars_is_digit(p[i]) && memchr("+-.eEnaifNAIF", p[i], 13) == NULL)
            return UINT32_MAX;
        numbers += !blank && (i == 0 || p[i - 1] == ' ' || p[i - 1] == '\t');
    }
    return numbers;
}

/* False: the line does not belong to a solid. */
static bool stl_line(struct stl_text *state, const struct chars_line *line)
{
    const uint8_t *p = line->chars;
    uint32_t len = line->len;

    while (len > 0 && chars_is_space(p[0]))
        p++, len--;
    if (len == 0)
        return true;
    if (!state->inside || (state->step == 0 && chars_begins(p, len, "endsolid"))) {
        const bool begins = chars_begins(p, len, "solid");

        if (!state->inside && !begins)
            return false;
        state->inside = !state->inside;
        return true;
    }
    const uint32_t words = (uint32_t)strlen(stl_lines[state->step].words);
    if (!chars_begins(p, len, stl_lines[state->step].words) ||
        stl_numbers(p + words, len - words) != stl_lines[state->step].numbers)
        return false;
    state->step = (state->step + 1) % (sizeof stl_lines / sizeof stl_lines[0]);
    state->facets += state->step == 0;
    return true;
}

static struct sig_result stl_text_check(struct sig_input *in, void *memory)
{
    struct stl_text *state = memory;

    if (chars_open(in, &state->text) == CHARS_WAIT)
        return sig_short(in);
    for (;;) {
        struct chars_line line;

        if (chars_next_line(in, &state->text, &line) == CHARS_WAIT)
            return sig_short(in);
        const bool was = state->inside;
        if (line.all == 0 || line.len == CHARS_WANT_MAX || !stl_line(state, &line))
            break;
        chars_skip(&state->text, line.all);
        if (was && !state->inside)
            state->end = state->text.at;
        if (state->facets >= STL_SURE)
            sig_valid(in, state->text.at);
    }
    if (state->facets == 0)
        return sig_reject("there is no facet");
    if (state->inside || state->end == 0)
        return sig_breaks(in, "a line does not belong to a facet");
    return sig_complete(in, state->end, "facets up to the end of the solid");
}

/* A number that is 0 or neither tiny, huge nor none. */
static bool stl_is_number(const uint8_t *p)
{
    const uint32_t bits = bytes_u32le(p) & INT32_MAX, exponent = bits >> 23;

    return exponent < STL_EXPONENT_MIN ? exponent == 0 || exponent > 20
                                       : exponent < STL_EXPONENT_MAX;
}

static struct sig_result stl_check(struct sig_input *in, void *memory)
{
    uint64_t *at = memory;
    const uint8_t *p = sig_bytes(in, 0, STL_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t end = STL_HEAD + (uint64_t)bytes_u32le(p + 80) * STL_TRIANGLE;
    if (end == STL_HEAD)
        return sig_reject("there is no triangle");
    if (*at == 0)
        *at = STL_HEAD;
    while (*at < end) {
        const uint32_t some =
            end - *at < STL_STEP * STL_TRIANGLE ? (uint32_t)((end - *at) / STL_TRIANGLE) : STL_STEP;

        p = sig_bytes(in, *at, some * STL_TRIANGLE);
        if (p == NULL)
            return sig_short(in);
        for (uint32_t i = 0; i < some * STL_TRIANGLE; i += STL_TRIANGLE)
            for (uint32_t k = 0; k < 12; k++)
                if (!stl_is_number(p + i + 4 * k))
                    return sig_breaks(in, "a triangle has no numbers");
        *at += some * STL_TRIANGLE;
        sig_valid(in, *at);
    }
    return sig_believe(in, end, "triangles fill the file");
}

const struct sig sig_stl = {
    .name = "stl",
    .what = "STL, a surface of triangles, as text",
    .proves = "every line belongs to a facet, up to the end of the last solid",
    .source = "3D Systems, StereoLithography Interface Specification (1988)",
    .types = (const struct sig_type[]){ { "stl", "stl" }, { 0 } },
    .headers = { SIG_PATTERN("solid "), SIG_PATTERN("solid\n"), SIG_PATTERN("solid\r\n") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 64,
    .size_max = UINT64_C(1) << 34, /* policy */
    .state_size = sizeof(struct stl_text),
    .check = stl_text_check,
};

const struct sig sig_stl_binary = {
    .name = "stl-binary",
    .what = "STL, a surface of triangles, binary, with the name of a program",
    .proves = "triangles fill the length that their number gives, and are numbers",
    .source = "3D Systems, StereoLithography Interface Specification (1988); headers of Blender, "
              "MeshLab, Autodesk, Materialise, numpy-stl, Cura, Rhinoceros",
    .types = (const struct sig_type[]){ { "stl", "stl" }, { 0 } },
    .headers = { SIG_PATTERN("Exported from Blender-"), SIG_PATTERN("VCGLIB"),
                 SIG_PATTERN("STLB ATF "), SIG_PATTERN("STLB ASM "), SIG_PATTERN("numpy-stl"),
                 SIG_PATTERN("CURA BINARY STL EXPORT"), SIG_PATTERN("rhinoceros binary stl"),
                 SIG_PATTERN("binary stl"), SIG_PATTERN("Binary STL"), SIG_PATTERN("COLOR="),
                 SIG_PATTERN("STL Exported by"), SIG_PATTERN("OpenSCAD Model\n") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = STL_HEAD + STL_TRIANGLE,
    .size_max = UINT64_C(1) << 38,
    .state_size = sizeof(uint64_t),
    .check = stl_check,
};
