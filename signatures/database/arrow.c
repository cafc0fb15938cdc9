/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/arrow.c - tables of Apache Arrow (files of IPC, Feather version 2).
 *
 *   "ARROW1\0\0" | messages: ffffffff | i32le bytes of the description | the description, a
 * FlatBuffer | body | ffffffff 00000000 | footer, a FlatBuffer | i32le its bytes | "ARROW1"
 *   A FlatBuffer: u32le place of the root table | ...; a table: i32le back to its list of places |
 * fields; the list: u16le bytes, bytes of the table, place of each field in it. Of a message the
 * fields are version, kind, the description of that kind, bytes of the body.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    ARROW_HEAD = 8,
    ARROW_TAIL = 10,
    ARROW_MESSAGE = 8,
    ARROW_DESCRIPTION_MAX = 256 << 20,
    ARROW_FOOTER_MAX = 64 << 20,
    ARROW_KIND_SCHEMA = 1,
    ARROW_KIND_MAX = 5,
    ARROW_FIELD_KIND = 1, /* fields of a message */
    ARROW_FIELD_BODY = 3,
};
#define ARROW_SIZE_MAX (UINT64_C(1) << 44)

struct arrow_state {
    uint64_t at; /* of the next message; 0: not begun */
    bool begun, ended;
};

/* The place of a field of the root table of the FlatBuffer at `from`, `size` bytes long; *at 0: the
 * field has its default. */
static enum step arrow_field(struct sig_input *in, uint64_t from, uint64_t size, uint32_t field,
                             uint64_t *at)
{
    const uint8_t *p = sig_bytes(in, from, 4);

    *at = 0;
    if (p == NULL)
        return STEP_WAIT;
    const uint32_t table = bytes_u32le(p);
    if (table > size || size - table < 4)
        return STEP_BAD;
    p = sig_bytes(in, from + table, 4);
    if (p == NULL)
        return STEP_WAIT;
    const int64_t list = (int64_t)table - (int32_t)bytes_u32le(p);
    if (list < 4 || (uint64_t)list > size || size - (uint64_t)list < 4)
        return STEP_BAD;
    p = sig_bytes(in, from + (uint64_t)list, 4);
    if (p == NULL)
        return STEP_WAIT;
    const uint32_t bytes = bytes_u16le(p), most = bytes_u16le(p + 2);
    if (bytes < 4 || bytes % 2 != 0 || (uint64_t)list + bytes > size || most > size - table)
        return STEP_BAD;
    if (bytes < 6 + 2 * field)
        return STEP_DONE;
    p = sig_bytes(in, from + (uint64_t)list + 4 + UINT64_C(2) * field, 2);
    if (p == NULL)
        return STEP_WAIT;
    const uint32_t place = bytes_u16le(p);
    if (place >= most && place != 0)
        return STEP_BAD;
    *at = place == 0 ? 0 : from + table + place;
    return STEP_DONE;
}

/* The message at state->at, or the end of them. */
static enum step arrow_message(struct sig_input *in, struct arrow_state *state)
{
    const uint8_t *p = sig_bytes(in, state->at, ARROW_MESSAGE);
    uint64_t field, body = 0;

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t size = bytes_u32le(p + 4);
    if (bytes_u32le(p) != UINT32_MAX || size > ARROW_DESCRIPTION_MAX || size % 8 != 0)
        return STEP_BAD;
    const uint64_t from = state->at + ARROW_MESSAGE;
    if (size == 0) {
        state->ended = true;
        state->at = from;
        return STEP_DONE;
    }
    enum step step = arrow_field(in, from, size, ARROW_FIELD_KIND, &field);
    if (step != STEP_DONE || field == 0)
        return step == STEP_WAIT ? STEP_WAIT : STEP_BAD;
    p = sig_bytes(in, field, 1);
    if (p == NULL)
        return STEP_WAIT;
    const uint32_t kind = p[0];
    if (kind == 0 || kind > ARROW_KIND_MAX || (kind == ARROW_KIND_SCHEMA && state->begun))
        return STEP_BAD; /* the first may be the schema, and no other is one */
    step = arrow_field(in, from, size, ARROW_FIELD_BODY, &field);
    if (step != STEP_DONE)
        return step;
    if (field != 0) {
        p = sig_bytes(in, field, 8);
        if (p == NULL)
            return STEP_WAIT;
        body = bytes_u64le(p);
    }
    if (body > ARROW_SIZE_MAX || body % 8 != 0)
        return STEP_BAD;
    state->begun = true;
    state->at = from + size + body;
    return STEP_DONE;
}

/* The footer, which ends with its length and the mark. */
static struct sig_result arrow_footer(struct sig_input *in, const struct arrow_state *state)
{
    const uint64_t most =
        in->limit - state->at > ARROW_FOOTER_MAX ? state->at + ARROW_FOOTER_MAX : in->limit;
    uint64_t at, field;

    for (uint64_t from = state->at + 4;;) {
        const enum sig_found found = sig_find(in, from, most, "ARROW1", 6, &at);

        if (found == SIG_FIND_WAIT)
            return sig_short(in);
        if (found == SIG_FIND_NONE)
            return sig_breaks(in, "there is no footer");
        const uint8_t *p = sig_bytes(in, at - 4, 4);
        if (p == NULL)
            return sig_short(in);
        if (bytes_u32le(p) == at - 4 - state->at)
            break;
        from = at + 1;
        in->find_at = from;
    }
    const enum step step = arrow_field(in, state->at, at - 4 - state->at, 1, &field);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD || field == 0)
        return sig_breaks(in, "the footer has no schema");
    return sig_complete(in, at + 6, "messages lead to the footer, which has its length");
}

static struct sig_result arrow_check(struct sig_input *in, void *memory)
{
    struct arrow_state *state = memory;

    if (state->at == 0)
        state->at = ARROW_HEAD;
    while (!state->ended) {
        const enum step step = arrow_message(in, state);

        if (step == STEP_WAIT && in->wanted > in->limit && state->begun)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "no message begins here");
        if (state->at <= in->limit)
            sig_valid(in, state->at);
    }
    if (state->at >= in->limit)
        return sig_breaks(in, "there is no footer");
    return arrow_footer(in, state);
}

const struct sig sig_arrow = {
    .name = "arrow",
    .what = "table of Apache Arrow (file of IPC, Feather 2)",
    .proves = "messages lead to the footer, which has its length at its end",
    .source = "Apache Arrow, Columnar Format 1.4: IPC File Format; format/Message.fbs and "
              "File.fbs; FlatBuffers Internals",
    .types = (const struct sig_type[]){ { "arrow", "arrow" }, { 0 } },
    .headers = { SIG_PATTERN("ARROW1\0\0\xff\xff\xff\xff") },
    .size_min = ARROW_HEAD + 2 * ARROW_MESSAGE + ARROW_TAIL,
    .size_max = ARROW_SIZE_MAX,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct arrow_state),
    .check = arrow_check,
};
