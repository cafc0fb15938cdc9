/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/csh.c - shapes of Photoshop (CSH).
 *
 *   "cush" | u32be 2 | u32be shapes | shapes: u32be characters | name as UTF-16, with a zero | up
 * to a place that 4 divides | u32be 1 | u32be bytes | u8 its bytes, an id | 4 x u32be: top, left,
 * bottom, right | records of a path, of 26 bytes, each with its kind, u16be 0 to 8, in front; the
 * first is 6
 */
#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    CSH_HEAD = 12,
    CSH_NAME_MAX = 1024,
    CSH_ID = 36, /* most bytes */
    CSH_BOX = 16,
    CSH_RECORD = 26,
    CSH_KIND_FIRST = 6,
    CSH_KIND_MAX = 8,
    CSH_SHAPES_MAX = 1 << 16,
    CSH_SHAPE_MAX = 1 << 24,
};

struct csh_state {
    uint64_t at;  /* the next shape, or, inside of one, the next record; 0: not begun */
    uint64_t end; /* of the shape; 0: outside of one */
    uint32_t shapes;
    bool first; /* the next record is the first one */
};

/* The head of the shape at state->at. */
static enum step csh_shape(struct sig_input *in, struct csh_state *state)
{
    const uint8_t *p = sig_bytes(in, state->at, 4);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t name = bytes_u32be(p);
    if (name == 0 || name > CSH_NAME_MAX)
        return STEP_BAD;
    const uint64_t head = (state->at + 4 + UINT64_C(2) * name + 3) & ~UINT64_C(3);
    p = sig_bytes(in, head - 4, 4 + 9);
    if (p == NULL)
        return STEP_WAIT;
    const uint32_t version = bytes_u32be(p + 4), bytes = bytes_u32be(p + 8), id = p[12];
    if (version != 1 || id > CSH_ID || bytes > CSH_SHAPE_MAX ||
        bytes < 1 + id + CSH_BOX + CSH_RECORD)
        return STEP_BAD;
    state->at = head + 8 + 1 + id + CSH_BOX;
    state->end = head + 8 + bytes;
    state->first = true;
    return STEP_DONE;
}

/* The records of the shape. What is left behind the last one is less than a record. */
static enum step csh_records(struct sig_input *in, struct csh_state *state)
{
    while (state->end - state->at >= CSH_RECORD) {
        const uint8_t *p = sig_bytes(in, state->at, CSH_RECORD);

        if (p == NULL)
            return STEP_WAIT;
        const uint32_t kind = bytes_u16be(p);
        if (kind > CSH_KIND_MAX || (state->first && kind != CSH_KIND_FIRST))
            return STEP_BAD;
        state->first = false;
        state->at += CSH_RECORD;
    }
    if (sig_bytes(in, state->end - 1, 1) == NULL)
        return STEP_WAIT;
    state->at = state->end;
    state->end = 0;
    state->shapes++;
    sig_valid(in, state->at);
    return STEP_DONE;
}

static struct sig_result csh_check(struct sig_input *in, void *memory)
{
    struct csh_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, CSH_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint32_t shapes = bytes_u32be(p + 8);
    if (shapes == 0 || shapes > CSH_SHAPES_MAX)
        return sig_reject("invalid number of shapes");
    if (state->at == 0)
        state->at = CSH_HEAD;
    while (state->shapes < shapes) {
        enum step step = state->end == 0 ? csh_shape(in, state) : STEP_DONE;

        if (step == STEP_DONE)
            step = csh_records(in, state);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return state->shapes == 0 ? sig_reject("invalid shape")
                                      : sig_breaks(in, "invalid shape");
    }
    return sig_complete(in, state->at, "as many shapes as the head says");
}

const struct sig sig_csh = {
    .name = "csh",
    .what = "shapes of Photoshop (csh)",
    .proves = "as many shapes as the head says follow one another, each of a path's records",
    .source = "Adobe, Photoshop File Formats Specification (2019): Path resource format; "
              "ag-psd: src/csh.ts (the head and the shapes)",
    .types = (const struct sig_type[]){ { "csh", "csh" }, { 0 } },
    .headers = { SIG_PATTERN("cush\0\0\0\2") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = CSH_HEAD + 4 + 4 + 8 + 1 + CSH_BOX + CSH_RECORD,
    .size_max = 1 << 30,
    .state_size = sizeof(struct csh_state),
    .check = csh_check,
};
