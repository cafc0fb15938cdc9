/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/stata.c - Stata: a table for statistics.
 *
 *   from 13 on: "<stata_dta><header><release>117" to 121 ... "<map>" | 14 places, the last that of
 * the end | "</map>" ... Each place is that of a tag.
 *
 *   before (113 to 115): release | byte order, 1 big or 2 little | 1 | 0 | u16 variables | u32 rows
 * | name (81) | date (18) | types, 1 byte each | names (33) | order (2, and 2 more) | formats (12
 * or 49) | names of value labels (33) | labels (81) | fields: kind, u32 length, text; ends with
 * zeros | rows | value labels: u32 length | name (33) | 3 bytes | u32 entries, u32 bytes of text
 * ...
 *
 * Value labels of the older form have no count: the file ends where none follows.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    STATA_PLACES = 14,
    STATA_MAP = 5,           /* bytes of "<map>" */
    STATA_MAP_WITHIN = 2048, /* bytes from the start in which the map begins */
    STATA_HEAD = 109,
    STATA_NAME = 33,
    STATA_LABEL = 81,
    STATA_LABEL_HEAD = 40,
    STATA_FIELD = 5,
    STATA_FIELD_MAX = 1 << 20,
    STATA_VARIABLES_MAX = 32767,
};
#define STATA_SIZE_MAX (UINT64_C(1) << 44)

struct stata_state {
    uint64_t at;    /* the next field or value label; 0: not begun */
    uint64_t row;   /* bytes */
    uint32_t place; /* of the map, to be looked at next */
    bool rows;      /* passed over */
};

static uint32_t stata_u32(const uint8_t *p, bool big)
{
    return big ? bytes_u32be(p) : bytes_u32le(p);
}

/* The tag at each place of the map at `map` is the one that belongs there; *end: the last place. */
static enum step stata_places(struct sig_input *in, struct stata_state *state, uint64_t map,
                              bool big, uint64_t *end)
{
    static const char *const tags[] = { "<stata_dta>",
                                        "<map>",
                                        "<variable_types>",
                                        "<varnames>",
                                        "<sortlist>",
                                        "<formats>",
                                        "<value_label_names>",
                                        "<variable_labels>",
                                        "<characteristics>",
                                        "<data>",
                                        "<strls>",
                                        "<value_labels>",
                                        "</stata_dta>" };

    for (;; state->place++) {
        const uint8_t *p = sig_bytes(in, map + STATA_MAP + 8 * (uint64_t)state->place, 8);

        if (p == NULL)
            return STEP_WAIT;
        const uint64_t at = big ? bytes_u64be(p) : bytes_u64le(p);
        if (at > STATA_SIZE_MAX)
            return STEP_BAD;
        if (state->place == STATA_PLACES - 1) {
            *end = at;
            return at == state->at + strlen(tags[STATA_PLACES - 2]) ? STEP_DONE : STEP_BAD;
        }
        const uint32_t len = (uint32_t)strlen(tags[state->place]);
        p = sig_bytes(in, at, len);
        if (p == NULL)
            return STEP_WAIT;
        if (memcmp(p, tags[state->place], len) != 0 || (state->place > 0 && at <= state->at) ||
            (state->place == 1 && at != map))
            return STEP_BAD;
        sig_valid(in, at);
        state->at = at;
    }
}

static struct sig_result stata_check(struct sig_input *in, void *memory)
{
    struct stata_state *state = memory;
    uint64_t map, end;

    switch (sig_find(in, 0, STATA_MAP_WITHIN, "<map>", STATA_MAP, &map)) {
    case SIG_FOUND:
        break;
    case SIG_FIND_WAIT:
        return sig_short(in);
    case SIG_FIND_NONE:
        return sig_reject("there is no map");
    }
    const uint8_t *p = sig_bytes(in, 28, 70);
    if (p == NULL)
        return sig_short(in);
    if (memcmp(p + 3, "</release><byteorder>", 21) != 0)
        return sig_reject("there is no byte order");
    switch (stata_places(in, state, map, p[24] == 'M', &end)) {
    case STEP_WAIT:
        return sig_short(in);
    case STEP_BAD:
        return sig_breaks(in, "a place of the map has not the tag that belongs there");
    case STEP_DONE:
        break;
    }
    return sig_complete(in, end, "tags are where the map says, up to the last");
}

/* Bytes of a value of a type; 0: unknown. */
static uint32_t stata_width(uint8_t type)
{
    switch (type) {
    case 251: /* whole numbers */
        return 1;
    case 252:
        return 2;
    case 253:
    case 254:
        return 4;
    case 255:
        return 8;
    default:
        return type <= 244 ? type : 0; /* characters */
    }
}

/* Bytes of a row. STEP_BAD: a type is unknown. */
static enum step stata_row(struct sig_input *in, struct stata_state *state, uint32_t variables)
{
    const uint8_t *types = sig_bytes(in, STATA_HEAD, variables);

    if (types == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < variables; i++) {
        if (stata_width(types[i]) == 0)
            return STEP_BAD;
        state->row += stata_width(types[i]);
    }
    return STEP_DONE;
}

/* Fields between the labels and the rows; at their end, over the rows. */
static enum step stata_fields(struct sig_input *in, struct stata_state *state, bool big,
                              uint64_t rows)
{
    while (!state->rows) {
        const uint8_t *p = sig_bytes(in, state->at, STATA_FIELD);

        if (p == NULL)
            return STEP_WAIT;
        const uint32_t len = stata_u32(p + 1, big);
        if (p[0] > 1 || len > STATA_FIELD_MAX || (p[0] == 0 && len != 0))
            return STEP_BAD;
        state->rows = p[0] == 0;
        state->at += STATA_FIELD + len;
        if (state->rows)
            state->at += rows * state->row;
    }
    return STEP_DONE;
}

/* A value label at state->at. STEP_BAD: there is none. */
static enum step stata_label(struct sig_input *in, struct stata_state *state, bool big)
{
    const uint8_t *p = sig_bytes(in, state->at, STATA_LABEL_HEAD + 8);

    if (p == NULL)
        return in->wanted <= in->limit ? STEP_WAIT : STEP_BAD;
    const uint64_t len = stata_u32(p, big), entries = stata_u32(p + STATA_LABEL_HEAD, big),
                   text = stata_u32(p + STATA_LABEL_HEAD + 4, big);
    if (p[4] < 'A' || p[4] > 'z' || memchr(p + 4, 0, STATA_NAME) == NULL || entries > 65536 ||
        len != 8 + 8 * entries + text || text < entries)
        return STEP_BAD;
    state->at += STATA_LABEL_HEAD + len;
    return STEP_DONE;
}

static struct sig_result stata_old_check(struct sig_input *in, void *memory)
{
    struct stata_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, STATA_HEAD);

    if (p == NULL)
        return sig_short(in);
    const bool big = p[1] == 1;
    const uint32_t variables = big ? bytes_u16be(p + 4) : bytes_u16le(p + 4),
                   rows = stata_u32(p + 6, big), format = p[0] == 113 ? 12 : 49;
    if ((p[1] != 1 && p[1] != 2) || variables == 0 || variables > STATA_VARIABLES_MAX ||
        rows > INT32_MAX || memchr(p + 10, 0, STATA_LABEL) == NULL ||
        memchr(p + 10 + STATA_LABEL, 0, STATA_HEAD - 10 - STATA_LABEL) == NULL)
        return sig_reject("invalid number of variables, name or date");
    enum step step = STEP_DONE;
    if (state->at == 0) {
        state->row = 0;
        step = stata_row(in, state, variables);
        if (step == STEP_DONE)
            state->at = STATA_HEAD + variables + (uint64_t)STATA_NAME * variables +
                        2 * ((uint64_t)variables + 1) +
                        (uint64_t)(format + STATA_NAME + STATA_LABEL) * variables;
    }
    if (step == STEP_DONE)
        step = stata_fields(in, state, big, rows);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_reject("unknown type of a variable, or invalid field");
    p = sig_bytes(in, state->at - 1, 1);
    if (p == NULL) {
        sig_valid(in, STATA_HEAD);
        return sig_short(in);
    }
    sig_valid(in, state->at);
    while ((step = stata_label(in, state, big)) == STEP_DONE) {
        if (sig_bytes(in, state->at - 1, 1) == NULL)
            return sig_short(in);
        sig_valid(in, state->at);
    }
    if (step == STEP_WAIT)
        return sig_short(in);
    return sig_believe(in, state->at, "rows and value labels follow one another");
}

const struct sig sig_stata = {
    .name = "dta",
    .what = "Stata 13 and later, a table for statistics",
    .proves = "the map leads to the tag of each part, and to the end; rows are not read",
    .source = "StataCorp, Stata help: dta (releases 117 to 121)",
    .types = (const struct sig_type[]){ { "dta", "dta" }, { 0 } },
    .headers = { SIG_PATTERN("<stata_dta><header><release>1") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 256,
    .size_max = STATA_SIZE_MAX,
    .state_size = sizeof(struct stata_state),
    .check = stata_check,
};

const struct sig sig_stata_old = {
    .name = "dta-old",
    .what = "Stata 8 to 12, a table for statistics",
    .proves = "types make up the rows, fields and value labels lead to the end; rows are not read",
    .source = "StataCorp, Stata help: dta_113, dta_114, dta_115",
    .types = (const struct sig_type[]){ { "dta", "dta" }, { 0 } },
    .headers = { SIG_PATTERN("\x71\1\1\0"), SIG_PATTERN("\x71\2\1\0"), SIG_PATTERN("\x72\1\1\0"),
                 SIG_PATTERN("\x72\2\1\0"), SIG_PATTERN("\x73\1\1\0"), SIG_PATTERN("\x73\2\1\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = STATA_HEAD + 204,
    .size_max = STATA_SIZE_MAX,
    .state_size = sizeof(struct stata_state),
    .check = stata_old_check,
};
