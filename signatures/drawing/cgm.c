/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/cgm.c - CGM: drawings of technical documents, binary.
 *
 *   elements, up to 2 bytes: u16be: 4 bits class, 7 bits kind, 5 bits bytes; 31: u16be bytes
 * follow, the highest bit says that another part does the first: class 0, kind 1, a name: u8 its
 * bytes, 255: more; the second, the version, 1 to 4: 1, 1; then those that describe the drawing, of
 * class 1, or words to programs and people, 6 and 7, up to a picture: 0, 3; the last: 0, 2
 *
 * Two bytes that say little begin such a file, and nearly every word is an element: what does not
 * get as far as a picture is none.
 */
#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum { CGM_CLASS_MAX = 9, CGM_LONG = 31 };

struct cgm_state {
    uint64_t at;
    uint32_t elements;
    bool goes_on; /* another part of the element at `at` follows */
    bool picture; /* one has begun */
};

/* The last kind that each class has. */
static const uint8_t cgm_kinds[CGM_CLASS_MAX + 1] = { 23, 24, 20, 22, 29, 51, 1, 2, 7, 1 };

/* Whether the element of class and kind may stand here. */
static bool cgm_fits(const struct cgm_state *state, uint32_t class, uint32_t kind)
{
    if (class > CGM_CLASS_MAX || kind > cgm_kinds[class])
        return false;
    if (state->elements == 0)
        return class == 0 && kind == 1;
    if (state->elements == 1)
        return class == 1 && kind == 1;
    if (state->picture)
        return class != 0 || kind != 1;
    return class == 1 || class == 6 || class == 7 || (class == 0 && (kind == 0 || kind == 3));
}

/* What the first two elements hold, the name and the version: `bytes` bytes at `at`. */
static enum step cgm_content(struct sig_input *in, const struct cgm_state *state, uint64_t at,
                             uint64_t bytes)
{
    const bool name = state->elements == 0;

    if (state->goes_on || state->elements > 1 || (name && bytes == 0))
        return STEP_DONE;
    if (!name && bytes != 2)
        return STEP_BAD;
    const uint8_t *p = sig_bytes(in, at, name ? 1 : 2);
    if (p == NULL)
        return STEP_WAIT;
    const bool right = name ? p[0] == 255 || p[0] + UINT64_C(1) == bytes
                            : bytes_u16be(p) >= 1 && bytes_u16be(p) <= 4;
    return right ? STEP_DONE : STEP_BAD;
}

/* The element at state->at; *last: it ends the file. */
static enum step cgm_element(struct sig_input *in, struct cgm_state *state, bool *last)
{
    const uint8_t *p = sig_bytes(in, state->at, 2);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t word = bytes_u16be(p), class = word >> 12, kind = word >> 5 & 0x7f;
    uint64_t bytes = state->goes_on ? CGM_LONG : word & 0x1f, at = state->at + 2;
    if (!state->goes_on && !cgm_fits(state, class, kind))
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
    const enum step content = cgm_content(in, state, at, bytes);
    if (content != STEP_DONE)
        return content;
    at += (bytes + 1) & ~UINT64_C(1);
    if (sig_bytes(in, at - 1, 1) == NULL)
        return STEP_WAIT;
    state->picture |= !state->goes_on && class == 0 && kind == 3;
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
            return state->picture ? sig_breaks(in, "invalid element")
                                  : sig_reject("no description of a drawing");
        if (state->picture)
            sig_valid(in, state->at);
        if (last)
            return sig_complete(in, state->at, "elements lead to the last one");
    }
}

const struct sig sig_cgm = {
    .name = "cgm",
    .what = "drawing of a technical document (CGM, binary)",
    .proves =
        "name, version and description lead to a picture, elements of known kinds to the last one",
    .source = "ISO/IEC 8632-3, 5, and table 1 to 10",
    .types = (const struct sig_type[]){ { "cgm", "cgm" }, { 0 } },
    .headers = { SIG_MASKED("\0\x20", "\xff\xe0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 16,
    .size_max = 1 << 30,
    .state_size = sizeof(struct cgm_state),
    .check = cgm_check,
};
