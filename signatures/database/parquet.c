/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/parquet.c - tables of Apache Parquet.
 *
 *   "PAR1" | pages | a description in Thrift's compact protocol | u32le its length | "PAR1"
 *
 * Nothing at the beginning says how long the file is. It ends with the first "PAR1" before whose
 * length stands a description that is just as long: a structure that begins with the version and
 * the columns.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    PARQUET_MARK = 4,
    PARQUET_FIRST = 0x15, /* field 1, i32: of the first page, of a description */
    PARQUET_TAIL = 8,
    PARQUET_MIN = 16,       /* bytes of a description */
    PARQUET_MAX = 64 << 20, /* the same */
    PARQUET_READ_RATE = 4,  /* bytes of descriptions that are none, for each byte of the file */
    PARQUET_DEPTH_MAX = 16,
    PARQUET_NUMBER_MAX = 10, /* bytes of a number */
};

enum {
    THRIFT_TRUE = 1,
    THRIFT_FALSE,
    THRIFT_I8,
    THRIFT_I16,
    THRIFT_I32,
    THRIFT_I64,
    THRIFT_DOUBLE,
    THRIFT_BINARY,
    THRIFT_LIST,
    THRIFT_SET,
    THRIFT_MAP,
    THRIFT_STRUCT
};

struct parquet_state {
    uint64_t from; /* where to look for the next mark; 0: not begun */
    uint64_t read; /* bytes of descriptions that were none */
};

/* A place in a description, and the lists and structures around it. */
struct thrift {
    uint64_t at, end;
    uint32_t depth;
    struct {
        uint64_t left; /* elements of a list */
        uint32_t kind; /* of the elements; 0: a structure */
    } in[PARQUET_DEPTH_MAX];
};

static enum step thrift_byte(struct sig_input *in, struct thrift *thrift, uint8_t *byte)
{
    const uint8_t *p = thrift->at < thrift->end ? sig_bytes(in, thrift->at, 1) : NULL;

    if (p == NULL)
        return thrift->at < thrift->end ? STEP_WAIT : STEP_BAD;
    *byte = p[0];
    thrift->at++;
    return STEP_DONE;
}

static enum step thrift_number(struct sig_input *in, struct thrift *thrift, uint64_t *number)
{
    *number = 0;
    for (uint32_t i = 0; i < PARQUET_NUMBER_MAX; i++) {
        uint8_t byte;
        const enum step step = thrift_byte(in, thrift, &byte);

        if (step != STEP_DONE)
            return step;
        *number |= (uint64_t)(byte & 0x7f) << 7 * i;
        if ((byte & 0x80) == 0)
            return STEP_DONE;
    }
    return STEP_BAD;
}

static enum step thrift_skip(struct thrift *thrift, uint64_t bytes)
{
    if (bytes > thrift->end - thrift->at)
        return STEP_BAD;
    thrift->at += bytes;
    return STEP_DONE;
}

static enum step thrift_enter(struct thrift *thrift, uint32_t kind, uint64_t left)
{
    if (thrift->depth == PARQUET_DEPTH_MAX || left > thrift->end - thrift->at)
        return STEP_BAD;
    thrift->in[thrift->depth].kind = kind;
    thrift->in[thrift->depth++].left = left;
    return STEP_DONE;
}

static enum step thrift_list(struct sig_input *in, struct thrift *thrift)
{
    uint8_t byte;
    enum step step = thrift_byte(in, thrift, &byte);
    uint64_t left = byte >> 4;

    if (step == STEP_DONE && left == 15)
        step = thrift_number(in, thrift, &left);
    if (step != STEP_DONE)
        return step;
    return (byte & 15) == 0 ? STEP_BAD : thrift_enter(thrift, byte & 15, left);
}

/* A value; listed: it is an element of a list, where a truth value has a byte of its own. */
static enum step thrift_value(struct sig_input *in, struct thrift *thrift, uint32_t kind,
                              bool listed)
{
    uint64_t number;
    enum step step;

    switch (kind) {
    case THRIFT_TRUE:
    case THRIFT_FALSE:
        return thrift_skip(thrift, listed);
    case THRIFT_I8:
        return thrift_skip(thrift, 1);
    case THRIFT_I16:
    case THRIFT_I32:
    case THRIFT_I64:
        return thrift_number(in, thrift, &number);
    case THRIFT_DOUBLE:
        return thrift_skip(thrift, 8);
    case THRIFT_BINARY:
        step = thrift_number(in, thrift, &number);
        return step == STEP_DONE ? thrift_skip(thrift, number) : step;
    case THRIFT_LIST:
    case THRIFT_SET:
        return thrift_list(in, thrift);
    case THRIFT_STRUCT:
        return thrift_enter(thrift, 0, 0);
    default: /* Parquet has no maps */
        return STEP_BAD;
    }
}

/* A field of a structure, or its end. */
static enum step thrift_field(struct sig_input *in, struct thrift *thrift)
{
    uint8_t byte;
    uint64_t number;
    enum step step = thrift_byte(in, thrift, &byte);

    if (step != STEP_DONE)
        return step;
    if (byte == 0) {
        thrift->depth--;
        return STEP_DONE;
    }
    if (byte >> 4 == 0)
        step = thrift_number(in, thrift, &number);
    return step == STEP_DONE ? thrift_value(in, thrift, byte & 15, false) : step;
}

/* Whether a description fills [at, end). */
static enum step parquet_description(struct sig_input *in, uint64_t at, uint64_t end)
{
    struct thrift thrift = { .at = at, .end = end, .depth = 1 };
    const uint8_t *p = sig_bytes(in, at, 4);

    if (p == NULL)
        return STEP_WAIT;
    /* field 1, i32: version 1 or 2; field 2, a list of structures */
    if (p[0] != PARQUET_FIRST || (p[1] != 2 && p[1] != 4) || p[2] != 0x19 ||
        (p[3] & 15) != THRIFT_STRUCT)
        return STEP_BAD;
    while (thrift.depth > 0) {
        const uint32_t top = thrift.depth - 1, kind = thrift.in[top].kind;
        enum step step = STEP_DONE;

        if (kind == 0)
            step = thrift_field(in, &thrift);
        else if (thrift.in[top].left == 0)
            thrift.depth--;
        else {
            thrift.in[top].left--;
            step = thrift_value(in, &thrift, kind, true);
        }
        if (step != STEP_DONE)
            return step;
    }
    return thrift.at == end ? STEP_DONE : STEP_BAD;
}

/* Whether the mark at `at` ends the file. STEP_BAD: it does not. */
static enum step parquet_ends(struct sig_input *in, struct parquet_state *state, uint64_t at)
{
    if (at < PARQUET_MARK + PARQUET_MIN + 4)
        return STEP_BAD;
    const uint8_t *p = sig_bytes(in, at - 4, 4);
    if (p == NULL)
        return STEP_WAIT;
    const uint32_t len = bytes_u32le(p);
    if (len < PARQUET_MIN || len > PARQUET_MAX || len > at - 4 - PARQUET_MARK)
        return STEP_BAD;
    const enum step step = parquet_description(in, at - 4 - len, at - 4);
    if (step == STEP_BAD)
        state->read += len;
    return step;
}

static struct sig_result parquet_check(struct sig_input *in, void *memory)
{
    struct parquet_state *state = memory;

    if (state->from == 0)
        state->from = PARQUET_MARK;
    for (;;) {
        uint64_t at;
        const enum sig_found found =
            sig_find(in, state->from, in->limit, "PAR1", PARQUET_MARK, &at);

        if (found == SIG_FIND_WAIT)
            return sig_short(in);
        if (found == SIG_FIND_NONE || state->read > PARQUET_READ_RATE * at)
            return sig_reject("no description stands before an end mark");
        uint8_t next = 0;
        if (in->limit - at > PARQUET_MARK) {
            const uint8_t *p = sig_bytes(in, at + PARQUET_MARK, 1);

            if (p == NULL)
                return sig_short(in);
            next = p[0];
        }
        const enum step step = parquet_ends(in, state, at);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_DONE)
            return sig_believe(in, at + PARQUET_MARK, "the description is as long as the end says");
        if (next == PARQUET_FIRST)
            return sig_reject("another table begins before the end");
        state->from = at + 1;
        in->find_at = 0;
    }
}

const struct sig sig_parquet = {
    .name = "parquet",
    .what = "table of Apache Parquet",
    .proves = "a description of the columns ends the file, well-formed and as long as announced",
    .source = "Apache Parquet format: README.md, parquet.thrift; Thrift compact protocol",
    .types = (const struct sig_type[]){ { "parquet", "parquet" }, { 0 } },
    .headers = { SIG_PATTERN("PAR1\x15") },
    .size_min = PARQUET_MARK + PARQUET_MIN + PARQUET_TAIL,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct parquet_state),
    .check = parquet_check,
};
