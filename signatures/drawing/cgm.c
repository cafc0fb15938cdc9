/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/cgm.c - CGM: drawings of technical documents, binary.
 *
 *   elements, up to 2 bytes: u16be: 4 bits class, 7 bits kind, 5 bits bytes; 31: u16be bytes
 * follow, the highest bit says that another part does the first: class 0, kind 1; the second, the
 * version: 1, 1; the last: 0, 2
 */
#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum { CGM_CLASS_MAX = 9, CGM_LONG = 31, CGM_SURE = 4, CGM_VERSION = 1 << 7 | 1 };

struct cgm_state {
    uint64_t at;
    uint32_t elements;
    bool goes_on; /* another part of the element at `at` follows */
};

/* The last kind that each class has. */
static const uint8_t cgm_kinds[CGM_CLASS_MAX + 1] = { 23, 24, 20, 22, 29, 51, 1, 2, 7, 1 };

/* The element at state->at; *last: it ends the file. */
static enum step cgm_element(struct sig_input *in, struct cgm_state *state, bool *last)
{
    const uint8_t *p = sig_bytes(in, state->at, 2);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t word = bytes_u16be(p), class = word >> 12, kind = word >> 5 & 0x7f;
    uint64_t bytes = state->goes_on ? CGM_LONG : word & 0x1f, at = state->at + 2;
    if (!state->goes_on && (class > CGM_CLASS_MAX || kind > cgm_kinds[class] ||
                            (class == 0 && kind == 1) != (state->elements == 0)))
        return STEP_BAD;
    if (state->elements == 1 && word >> 5 != CGM_VERSION)
        return STEP_BAD;
    *last = !state->goes_on && class == 0 && kind == 2;
    if (state->goes_on)
        at -= 2;
    bool more = false;
    if (bytes == CGM_LONG) {
        p = sig_bytes(in, at, 2);
        if (p == NULL)
            return STEP_WAIT;
        more = p[0] >> 7 != 0;
        bytes = bytes_u16be(p) & 0x7fff;
        at += 2;
    }
    at += (bytes + 1) & ~UINT64_C(1);
    if (sig_bytes(in, at - 1, 1) == NULL)
        return STEP_WAIT;
    state->at = at;
    state->goes_on = more;
    state->elements++;
    return STEP_DONE;
}

static struct sig_result cgm_check(struct sig_input *in, void *memory)
{
    struct cgm_state *state = memory;

    for (;;) {
        bool last;
        const enum step step = cgm_element(in, state, &last);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "invalid element");
        if (state->elements > CGM_SURE)
            sig_valid(in, state->at);
        if (last)
            return state->elements > CGM_SURE
                       ? sig_complete(in, state->at, "elements lead to the last one")
                       : sig_reject("there are too few elements");
    }
}

const struct sig sig_cgm = {
    .name = "cgm",
    .what = "drawing of a technical document (CGM, binary)",
    .proves = "elements of known kinds lead to the last one",
    .source = "ISO/IEC 8632-3, 5, and table 1 to 10",
    .types = (const struct sig_type[]){ { "cgm", "cgm" }, { 0 } },
    .headers = { SIG_MASKED("\0\x20", "\xff\xe0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 16,
    .size_max = 1 << 30,
    .state_size = sizeof(struct cgm_state),
    .check = cgm_check,
};
