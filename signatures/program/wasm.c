/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/wasm.c - WebAssembly modules.
 *
 *   "\0asm" | u32le 1 | sections: id, length (LEB128), content
 *
 * Known sections come at most once and in a fixed order; custom ones, each with a name, anywhere.
 * The file ends where no section can begin. The bodies of functions and the data segments are
 * walked: their lengths must add up to their section's.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/chars.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    WASM_HEAD = 8,
    WASM_NAME_MAX = 128,
    WASM_CUSTOM = 0,
    WASM_TYPE = 1,
    WASM_FUNCTION = 3,
    WASM_CODE = 10,
    WASM_DATA = 11,
    WASM_DATA_COUNT = 12,
    WASM_TAG = 13,
    WASM_END = 0x0b, /* the opcode */
    WASM_CONST_32 = 0x41,
    WASM_CONST_64 = 0x42,
};

struct wasm_state {
    uint64_t at;    /* next section */
    uint64_t item;  /* next body or segment in it; 0: the first */
    uint32_t left;  /* how many there are yet */
    uint32_t order; /* of the last known section */
    uint32_t functions, bodies,
        datas; /* counts; datas: one more than announced, 0: not announced */
};

/* An unsigned number of at most 32 bits at *at, and steps over it. */
static enum step wasm_number(struct sig_input *in, uint64_t *at, uint32_t *value)
{
    uint64_t number = 0;

    for (uint32_t i = 0; i < 5; i++) {
        const uint8_t *p = sig_bytes(in, *at, 1);

        if (p == NULL)
            return STEP_WAIT;
        ++*at;
        number |= (uint64_t)(p[0] & 0x7f) << (7 * i);
        if ((p[0] & 0x80) == 0) {
            *value = (uint32_t)number;
            return number <= UINT32_MAX ? STEP_DONE : STEP_BAD;
        }
    }
    return STEP_BAD;
}

static enum step wasm_custom(struct sig_input *in, uint64_t at, uint64_t end)
{
    uint32_t len;
    const enum step step = wasm_number(in, &at, &len);

    if (step != STEP_DONE)
        return step;
    if (len == 0 || len > WASM_NAME_MAX || at > end || len > end - at)
        return STEP_BAD;
    const uint8_t *p = sig_bytes(in, at, len);
    if (p == NULL)
        return STEP_WAIT;
    return text_is_printable(p, len) ? STEP_DONE : STEP_BAD;
}

/* A function's body: its length, and the opcode that ends it. */
static enum step wasm_body(struct sig_input *in, uint64_t *at, uint64_t end)
{
    uint32_t len;
    const enum step step = wasm_number(in, at, &len);

    if (step != STEP_DONE)
        return step;
    if (len < 2 || *at > end || len > end - *at)
        return STEP_BAD;
    const uint8_t *last = sig_bytes(in, *at + len - 1, 1);
    if (last == NULL)
        return STEP_WAIT;
    *at += len;
    return last[0] == WASM_END ? STEP_DONE : STEP_BAD;
}

/* A segment: where it is loaded, unless it is passive, and its bytes. */
static enum step wasm_segment(struct sig_input *in, uint64_t *at, uint64_t end)
{
    uint32_t kind, value;
    enum step step = wasm_number(in, at, &kind);

    if (step == STEP_DONE && kind == 2)
        step = wasm_number(in, at, &value);
    if (step == STEP_DONE && kind > 2)
        step = STEP_BAD;
    if (step != STEP_DONE)
        return step;
    for (uint32_t i = 0; kind != 1; i++) {
        const uint8_t *p = sig_bytes(in, *at, 1);

        if (p == NULL)
            return STEP_WAIT;
        if (i == 32)
            return STEP_BAD;
        ++*at;
        if (p[0] == WASM_END)
            break;
        /* numbers may hold the byte that ends the expression */
        if (p[0] != WASM_CONST_32 && p[0] != WASM_CONST_64 && p[0] != 0x23)
            continue;
        for (uint32_t k = 0; k < 10; k++) {
            p = sig_bytes(in, *at, 1);
            if (p == NULL)
                return STEP_WAIT;
            ++*at;
            if ((p[0] & 0x80) == 0)
                break;
        }
    }
    step = wasm_number(in, at, &value);
    if (step != STEP_DONE)
        return step;
    *at += value;
    return *at <= end ? STEP_DONE : STEP_BAD;
}

/* Bodies or segments: as many as announced, to the very end of the section. */
static enum step wasm_items(struct sig_input *in, struct wasm_state *state, uint32_t id,
                            uint64_t from, uint64_t end)
{
    enum step step;

    if (state->item == 0) {
        uint64_t at = from;

        step = wasm_number(in, &at, &state->left);
        if (step != STEP_DONE)
            return step;
        if ((id == WASM_CODE && state->left != state->functions) ||
            (id == WASM_DATA && state->datas != 0 && state->left != state->datas - 1))
            return STEP_BAD;
        state->item = at;
        if (id == WASM_CODE)
            state->bodies = state->left;
    }
    for (; state->left > 0; state->left--) {
        uint64_t at = state->item;

        step = id == WASM_CODE ? wasm_body(in, &at, end) : wasm_segment(in, &at, end);
        if (step != STEP_DONE)
            return step;
        state->item = at;
        sig_valid(in, at);
    }
    step = state->item == end ? STEP_DONE : STEP_BAD;
    state->item = 0;
    return step;
}

static enum step wasm_count(struct sig_input *in, struct wasm_state *state, uint32_t id,
                            uint64_t at, uint64_t end)
{
    uint32_t count;
    const enum step step = wasm_number(in, &at, &count);

    if (step != STEP_DONE)
        return step;
    if (id == WASM_FUNCTION)
        state->functions = count;
    if (id == WASM_DATA_COUNT)
        state->datas = count + 1;
    if (id == WASM_TYPE && count > 0) {
        const uint8_t *p = sig_bytes(in, at, 1);

        if (p == NULL)
            return STEP_WAIT;
        if (p[0] < 0x4e || p[0] > 0x60)
            return STEP_BAD;
    }
    return at <= end ? STEP_DONE : STEP_BAD;
}

/* One section. *none: what stands here begins no section, so that the module ends. */
static enum step wasm_section(struct sig_input *in, struct wasm_state *state, bool *none)
{
    /* by id: the place in the order; tags come behind memories, the count of data before code */
    static const uint8_t orders[] = { 0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 13, 11, 6 };
    const uint8_t *p = sig_bytes(in, state->at, 1);
    uint64_t at = state->at + 1;
    uint32_t len = 0;

    *none = false;
    if (p == NULL) {
        *none = in->wanted > in->limit && state->at > WASM_HEAD;
        return *none ? STEP_DONE : STEP_WAIT;
    }
    const uint32_t id = p[0];
    *none = id > WASM_TAG || (id != WASM_CUSTOM && orders[id] <= state->order);
    if (*none)
        return STEP_DONE;
    enum step step = wasm_number(in, &at, &len);
    const uint64_t end = at + len;
    if (step == STEP_DONE && id == WASM_CUSTOM)
        step = wasm_custom(in, at, end);
    else if (step == STEP_DONE && (id == WASM_CODE || id == WASM_DATA))
        step = wasm_items(in, state, id, at, end);
    else if (step == STEP_DONE)
        step = wasm_count(in, state, id, at, end);
    if (step != STEP_DONE)
        return step;
    if (len > 0 && sig_bytes(in, end - 1, 1) == NULL)
        return STEP_WAIT;
    state->at = end;
    if (id != WASM_CUSTOM)
        state->order = orders[id];
    return STEP_DONE;
}

static struct sig_result wasm_check(struct sig_input *in, void *memory)
{
    struct wasm_state *state = memory;
    bool none = false;

    if (state->at == 0)
        state->at = WASM_HEAD;
    while (!none) {
        const enum step step = wasm_section(in, state, &none);

        if (step == STEP_WAIT && in->wanted > in->limit && state->order > 0)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD && (state->functions != state->bodies || state->item != 0))
            return sig_breaks(in, "invalid section");
        none |= step == STEP_BAD;
        if (state->order > 0)
            sig_valid(in, state->at);
    }
    if (state->order == 0)
        return sig_reject("there is no section");
    if (state->functions != state->bodies || (state->datas > 1 && state->order < 13))
        return sig_breaks(in, "functions without bodies, or announced data are missing");
    return sig_complete(in, state->at, "the sections are in order, functions and data add up");
}

const struct sig sig_wasm = {
    .name = "wasm",
    .what = "WebAssembly module",
    .proves = "sections in their order; bodies of functions and data segments fill their "
              "sections and are as many as announced",
    .source = "W3C, WebAssembly Core Specification 2.0, 5.5",
    .types = (const struct sig_type[]){ { "wasm", "wasm" }, { 0 } },
    .headers = { SIG_PATTERN("\0asm\1\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = WASM_HEAD + 2,
    .size_max = UINT64_C(1) << 32,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct wasm_state),
    .check = wasm_check,
};
