/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/spss.c - SPSS: a table for statistics (sav, zsav).
 *
 *   "$FL2" or "$FL3" | name of the program (60) | u32 2 or 3, in the byte order of the file |
 * values of a row | compression 0, 1, 2 | weight | rows | f64 bias | date ... (176 bytes)
 *
 *   records: u32 2, a variable, or one more value of a string; 3 and 4, labels of values; 6, text;
 * 7, u32 kind, u32 size, u32 count, data; 999, the last
 *
 *   rows: plain, 8 bytes a value; or blocks of 8 codes, each with 8 bytes for a code 253; 252 ends;
 * or blocks of zlib with a table at their end, to which a head leads
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    SPSS_HEAD = 176,
    SPSS_VARIABLE = 32,
    SPSS_TEXT = 80,
    SPSS_LINES_MAX = 1 << 20,
    SPSS_VALUE = 8,
    SPSS_CODE_END = 252,
    SPSS_CODE_PLAIN = 253,
    SPSS_RECORDS_MAX = 1 << 20,
    SPSS_ZIP_HEAD = 24,
};
#define SPSS_SIZE_MAX (UINT64_C(1) << 42)

struct spss_state {
    uint64_t at;     /* the next record, label of a value or block of codes; 0: not begun */
    uint32_t labels; /* of values, to come */
    uint32_t records;
    uint64_t variables; /* values of a row, counted */
    bool data;          /* records are over */
    uint64_t values;    /* of rows, seen in codes */
};

static uint32_t spss_u32(const uint8_t *p, bool big)
{
    return big ? bytes_u32be(p) : bytes_u32le(p);
}

static uint64_t spss_u64(const uint8_t *p, bool big)
{
    return big ? bytes_u64be(p) : bytes_u64le(p);
}

/* A variable: its label, and the values that stand for none. */
static enum step spss_variable(struct sig_input *in, struct spss_state *state, bool big)
{
    const uint8_t *p = sig_bytes(in, state->at, SPSS_VARIABLE);
    uint64_t end = state->at + SPSS_VARIABLE;

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t type = spss_u32(p + 4, big), label = spss_u32(p + 8, big),
                   missing = spss_u32(p + 12, big);
    const int32_t none = (int32_t)missing;
    if ((type > 255 && type != UINT32_MAX) || label > 1 || none < -3 || none > 3)
        return STEP_BAD;
    if (label == 1) {
        p = sig_bytes(in, end, 4);
        if (p == NULL)
            return STEP_WAIT;
        if (spss_u32(p, big) > UINT16_MAX)
            return STEP_BAD;
        end += 4 + (spss_u32(p, big) + 3) / 4 * 4;
    }
    state->at = end + SPSS_VALUE * (uint64_t)(none < 0 ? -none : none);
    state->variables++;
    return STEP_DONE;
}

/* A record that is no variable. */
static enum step spss_other(struct sig_input *in, struct spss_state *state, bool big, uint32_t kind)
{
    const uint8_t *p = sig_bytes(in, state->at, kind == 7 ? 16 : 8);

    if (p == NULL)
        return STEP_WAIT;
    const uint64_t count = spss_u32(p + 4, big);
    if (kind == 7) {
        const uint64_t size = spss_u32(p + 8, big), some = spss_u32(p + 12, big);
        if (size == 0 || size > SPSS_SIZE_MAX / (some + 1))
            return STEP_BAD;
        state->at += 16 + size * some;
        return STEP_DONE;
    }
    if (kind == 999) {
        state->at += 8;
        state->data = true;
        return STEP_DONE;
    }
    if (count > SPSS_LINES_MAX || (kind != 3 && kind != 4 && kind != 6))
        return STEP_BAD;
    if (kind == 3)
        state->labels = (uint32_t)count;
    state->at += kind == 6 ? 8 + SPSS_TEXT * count : kind == 4 ? 8 + 4 * count : 8;
    return STEP_DONE;
}

static enum step spss_record(struct sig_input *in, struct spss_state *state, bool big)
{
    if (state->labels > 0) {
        const uint8_t *p = sig_bytes(in, state->at, SPSS_VALUE + 1);

        if (p == NULL)
            return STEP_WAIT;
        state->at += SPSS_VALUE + (p[SPSS_VALUE] + 8u) / 8 * 8;
        state->labels--;
        return STEP_DONE;
    }
    const uint8_t *p = sig_bytes(in, state->at, 4);
    if (p == NULL)
        return STEP_WAIT;
    const uint32_t kind = spss_u32(p, big);
    if (state->records == SPSS_RECORDS_MAX)
        return STEP_BAD;
    const enum step step =
        kind == 2 ? spss_variable(in, state, big) : spss_other(in, state, big, kind);
    state->records += step == STEP_DONE;
    return step;
}

/* Blocks of codes for `all` values. UINT64_MAX: up to the code that ends them. */
static struct sig_result spss_codes(struct sig_input *in, struct spss_state *state, uint64_t all)
{
    bool ended = false;

    for (;;) {
        const uint8_t *p = sig_bytes(in, state->at, SPSS_VALUE);
        uint64_t next = state->at + SPSS_VALUE, values = state->values;

        if (p == NULL && state->values >= all && in->wanted > in->limit)
            break;
        if (p == NULL)
            return sig_short(in);
        /* Behind all rows a block may stand that only ends them. */
        if (values >= all && (p[0] != SPSS_CODE_END || bytes_u32le(p + 1) != 0))
            break;
        for (uint32_t i = 0; i < SPSS_VALUE && !ended; i++) {
            next += p[i] == SPSS_CODE_PLAIN ? SPSS_VALUE : 0;
            values += p[i] != 0 && p[i] != SPSS_CODE_END;
            ended = p[i] == SPSS_CODE_END;
        }
        if (values > all)
            return sig_breaks(in, "there are more values than rows");
        p = sig_bytes(in, next - 1, 1);
        if (p == NULL)
            return sig_short(in);
        state->at = next;
        state->values = values;
        sig_valid(in, next);
        if (ended)
            break;
    }
    if (all != UINT64_MAX && state->values != all)
        return sig_breaks(in, "rows end too early");
    return sig_complete(in, state->at, "codes make up all rows");
}

/* Blocks of zlib: a head of 24 bytes, the table behind them has 24 bytes for each and 24 before. */
static struct sig_result spss_blocks(struct sig_input *in, uint64_t from, bool big)
{
    const uint8_t *p = sig_bytes(in, from, SPSS_ZIP_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t table = spss_u64(p + 8, big), len = spss_u64(p + 16, big);
    if (spss_u64(p, big) != from || table < from + SPSS_ZIP_HEAD || table > SPSS_SIZE_MAX ||
        len < SPSS_ZIP_HEAD || len > UINT32_MAX)
        return sig_breaks(in, "invalid head of blocks");
    p = sig_bytes(in, table, SPSS_ZIP_HEAD);
    if (p == NULL)
        return sig_short(in);
    if (spss_u64(p + 8, big) != 0 ||
        len != SPSS_ZIP_HEAD + SPSS_ZIP_HEAD * (uint64_t)spss_u32(p + 20, big))
        return sig_breaks(in, "invalid table of blocks");
    return sig_believe(in, table + len, "the table of blocks ends the file");
}

static struct sig_result spss_check(struct sig_input *in, void *memory)
{
    struct spss_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, SPSS_HEAD);

    if (p == NULL)
        return sig_short(in);
    const bool big = p[64] == 0, rows_known = spss_u32(p + 80, big) != UINT32_MAX;
    const uint32_t layout = spss_u32(p + 64, big), compression = spss_u32(p + 72, big);
    const uint64_t rows = spss_u32(p + 80, big);
    if ((layout != 2 && layout != 3) || compression > 2 || (compression == 2) != (p[3] == '3') ||
        (rows_known && rows > INT32_MAX))
        return sig_reject("unknown layout or compression");
    if (state->at == 0)
        state->at = SPSS_HEAD;
    while (!state->data) {
        const enum step step = spss_record(in, state, big);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "invalid record");
        if (state->records > 1)
            sig_valid(in, state->at < in->limit ? state->at : in->limit);
    }
    if (state->variables == 0)
        return sig_reject("there are no variables");
    if (compression == 2)
        return spss_blocks(in, state->at, big);
    if (compression == 1)
        return spss_codes(in, state, rows_known ? rows * state->variables : UINT64_MAX);
    if (!rows_known)
        return sig_breaks(in, "the number of rows was never filled in");
    return sig_believe(in, state->at + rows * state->variables * SPSS_VALUE,
                       "rows are as long as the variables say");
}

const struct sig sig_spss = {
    .name = "sav",
    .what = "SPSS, a table for statistics",
    .proves = "records up to the last; codes make up all rows, or blocks their table",
    .source = "GNU PSPP Developers Guide: System File Format",
    .types = (const struct sig_type[]){ { "sav", "sav" }, { 0 } },
    .headers = { SIG_PATTERN("$FL2@(#)"), SIG_PATTERN("$FL3@(#)") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = SPSS_HEAD + SPSS_VARIABLE + 8,
    .size_max = SPSS_SIZE_MAX,
    .state_size = sizeof(struct spss_state),
    .check = spss_check,
};
