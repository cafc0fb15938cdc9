/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/class.c - compiled Java.
 *
 *   0xcafebabe | u16be minor, major | constants, of lengths that follow from their tags | access,
 * this, super | interfaces fields, methods: access, name, type, attributes | attributes: name,
 * u32be length, content
 *
 * All of it is walked; every index must name a constant of the right kind, and the parts of each
 * method's code must fill their attribute.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    CLASS_HEAD = 10,
    CLASS_MAJOR_MIN = 45,
    CLASS_MAJOR_MAX = 80, /* 69 in 2025; two a year */
    CLASS_CONSTANTS = 65536,
    CLASS_UTF8 = 1,
    CLASS_CLASS = 7,
    CLASS_LONG = 5,
    CLASS_DOUBLE = 6,
    CLASS_TAG_MAX = 20,
};

enum class_part {
    CLASS_POOL,
    CLASS_SELF,
    CLASS_FIELDS,
    CLASS_METHODS,
    CLASS_ATTRIBUTES,
    CLASS_END
};

struct class_state {
    enum class_part part;
    uint64_t at;         /* what is read next */
    uint32_t constant;   /* next constant */
    uint32_t constants;  /* one more than there are */
    bool counted;        /* members holds a count */
    uint32_t members;    /* left in this part */
    uint32_t attributes; /* left of this member, or of the class */
    bool inside;         /* a member's attributes are being read */
    uint8_t tags[CLASS_CONSTANTS];
};
_Static_assert(sizeof(struct class_state) <= SIG_STATE_MAX, "one tag for each constant");

static bool class_is(const struct class_state *state, uint32_t index, uint32_t tag)
{
    return index > 0 && index < state->constants && state->tags[index] == tag;
}

/* Neither 0 nor 0xf0 and above are met in modified UTF-8. */
static bool class_text_ok(const uint8_t *p, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        if (p[i] == 0 || p[i] >= 0xf0)
            return false;
    return true;
}

static enum step class_constant(struct sig_input *in, struct class_state *state)
{
    static const uint8_t lengths[CLASS_TAG_MAX + 1] = {
        [3] = 4,  [4] = 4,  [5] = 8,  [6] = 8,  [7] = 2,  [8] = 2,  [9] = 4,  [10] = 4,
        [11] = 4, [12] = 4, [15] = 3, [16] = 2, [17] = 4, [18] = 4, [19] = 2, [20] = 2
    };
    const uint8_t *p = sig_bytes(in, state->at, 3);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t tag = p[0];
    uint32_t len = tag <= CLASS_TAG_MAX ? lengths[tag] : 0;
    if (tag == CLASS_UTF8) {
        const uint32_t text = bytes_u16be(p + 1);

        len = 2 + text;
        p = text == 0 ? p : sig_bytes(in, state->at + 3, text);
        if (p == NULL)
            return STEP_WAIT;
        if (!class_text_ok(p, text))
            return STEP_BAD;
    } else if (len == 0 || (len < 8 && tag != 3 && tag != 4 && tag < 15 &&
                            bytes_u16be(p + 1) >= state->constants)) {
        return STEP_BAD;
    }
    state->tags[state->constant] = (uint8_t)tag;
    state->constant += tag == CLASS_LONG || tag == CLASS_DOUBLE ? 2 : 1;
    state->at += 1 + len;
    return state->constant <= state->constants ? STEP_DONE : STEP_BAD;
}

/* Access, this, super, interfaces. */
static enum step class_self(struct sig_input *in, struct class_state *state)
{
    const uint8_t *p = sig_bytes(in, state->at, 8);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t super = bytes_u16be(p + 4), count = bytes_u16be(p + 6);
    if (!class_is(state, bytes_u16be(p + 2), CLASS_CLASS) ||
        (super != 0 && !class_is(state, super, CLASS_CLASS)))
        return STEP_BAD;
    for (uint32_t i = 0; i < count; i++) {
        p = sig_bytes(in, state->at + 8 + 2 * i, 2);
        if (p == NULL)
            return STEP_WAIT;
        if (!class_is(state, bytes_u16be(p), CLASS_CLASS))
            return STEP_BAD;
    }
    state->at += 8 + 2 * count;
    return STEP_DONE;
}

/* Whether what begins with a u32be length of code, exceptions and attributes fills exactly len
 * bytes. */
static enum step class_code(struct sig_input *in, const struct class_state *state, uint64_t at,
                            uint32_t len)
{
    const uint64_t end = at + len;
    const uint8_t *p = sig_bytes(in, at + 4, 4);

    if (p == NULL)
        return STEP_WAIT;
    at += 8 + (uint64_t)bytes_u32be(p);
    if (at + 4 > end)
        return STEP_BAD;
    p = sig_bytes(in, at, 2);
    if (p == NULL)
        return STEP_WAIT;
    at += 2 + 8 * (uint64_t)bytes_u16be(p);
    if (at + 2 > end)
        return STEP_BAD;
    p = sig_bytes(in, at, 2);
    if (p == NULL)
        return STEP_WAIT;
    const uint32_t count = bytes_u16be(p);
    at += 2;
    for (uint32_t i = 0; i < count; i++) {
        if (at + 6 > end)
            return STEP_BAD;
        p = sig_bytes(in, at, 6);
        if (p == NULL)
            return STEP_WAIT;
        if (!class_is(state, bytes_u16be(p), CLASS_UTF8))
            return STEP_BAD;
        at += 6 + (uint64_t)bytes_u32be(p + 2);
    }
    return at == end ? STEP_DONE : STEP_BAD;
}

static enum step class_attribute(struct sig_input *in, struct class_state *state)
{
    const uint8_t *p = sig_bytes(in, state->at, 6);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t name = bytes_u16be(p), len = bytes_u32be(p + 2);
    if (!class_is(state, name, CLASS_UTF8) || len > in->sig->size_max)
        return STEP_BAD;
    if (state->part == CLASS_METHODS &&
        len >= 12) { /* Code is the only one that is so built and usual */
        p = sig_bytes(in, state->at + 6, 8);
        if (p == NULL)
            return STEP_WAIT;
        if (bytes_u32be(p + 4) != 0 && bytes_u32be(p + 4) <= len - 12) {
            const enum step step = class_code(in, state, state->at + 6, len);
            if (step == STEP_WAIT)
                return step;
        }
    }
    if (len > 0 && sig_bytes(in, state->at + 5 + len, 1) == NULL)
        return STEP_WAIT;
    state->at += 6 + (uint64_t)len;
    state->attributes--;
    return STEP_DONE;
}

static enum step class_number(struct sig_input *in, struct class_state *state, uint32_t *number)
{
    const uint8_t *p = sig_bytes(in, state->at, 2);

    if (p == NULL)
        return STEP_WAIT;
    *number = bytes_u16be(p);
    state->at += 2;
    return STEP_DONE;
}

/* One member's head, or the count of members. */
static enum step class_member(struct sig_input *in, struct class_state *state)
{
    if (!state->counted) {
        const enum step step = class_number(in, state, &state->members);

        state->counted = step == STEP_DONE;
        return step;
    }
    if (state->members == 0) {
        state->counted = false;
        state->part++;
        return STEP_DONE;
    }
    const uint8_t *p = sig_bytes(in, state->at, 8);
    if (p == NULL)
        return STEP_WAIT;
    if (!class_is(state, bytes_u16be(p + 2), CLASS_UTF8) ||
        !class_is(state, bytes_u16be(p + 4), CLASS_UTF8))
        return STEP_BAD;
    state->attributes = bytes_u16be(p + 6);
    state->inside = true;
    state->members--;
    state->at += 8;
    return STEP_DONE;
}

static enum step class_step(struct sig_input *in, struct class_state *state)
{
    enum step step;

    switch (state->part) {
    case CLASS_POOL:
        if (state->constant < state->constants)
            return class_constant(in, state);
        state->part = CLASS_SELF;
        return STEP_DONE;
    case CLASS_SELF:
        step = class_self(in, state);
        state->part = step == STEP_DONE ? CLASS_FIELDS : CLASS_SELF;
        return step;
    case CLASS_FIELDS:
    case CLASS_METHODS:
        if (state->inside && state->attributes > 0)
            return class_attribute(in, state);
        state->inside = false;
        return class_member(in, state);
    default:
        if (!state->inside) {
            step = class_number(in, state, &state->attributes);
            state->inside = step == STEP_DONE;
            return step;
        }
        if (state->attributes > 0)
            return class_attribute(in, state);
        state->part = CLASS_END;
        return STEP_DONE;
    }
}

static struct sig_result class_check(struct sig_input *in, void *memory)
{
    struct class_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, CLASS_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint32_t minor = bytes_u16be(p + 4), major = bytes_u16be(p + 6);
    if (major < CLASS_MAJOR_MIN || major > CLASS_MAJOR_MAX ||
        (minor != 0 && minor != 3 && minor != 0xffff))
        return sig_reject("invalid version");
    if (state->at == 0) {
        state->constants = bytes_u16be(p + 8);
        state->constant = 1;
        state->at = CLASS_HEAD;
    }
    while (state->part != CLASS_END) {
        const enum step step = class_step(in, state);

        if (step == STEP_WAIT && in->wanted > in->limit && state->part > CLASS_SELF)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "invalid constant, member or attribute");
        if (state->constant > 8)
            sig_valid(in, state->at);
    }
    return sig_complete(in, state->at, "constants, members and attributes agree");
}

const struct sig sig_class = {
    .name = "class",
    .what = "compiled Java class",
    .proves = "constants, members and attributes lead to the end; names and classes are constants "
              "of their kinds",
    .source = "Java Virtual Machine Specification, Java SE 21, 4",
    .types = (const struct sig_type[]){ { "class", "class" }, { 0 } },
    .headers = { SIG_MASKED("\xca\xfe\xba\xbe\0\0\0\x20", "\xff\xff\xff\xff\xff\xfc\xff\xe0"),
                 SIG_MASKED("\xca\xfe\xba\xbe\0\0\0\x40", "\xff\xff\xff\xff\xff\xfc\xff\xe0"),
                 SIG_MASKED("\xca\xfe\xba\xbe\xff\xff\0\x20", "\xff\xff\xff\xff\xff\xff\xff\xe0"),
                 SIG_MASKED("\xca\xfe\xba\xbe\xff\xff\0\x40", "\xff\xff\xff\xff\xff\xff\xff\xe0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 40,
    .size_max = UINT64_C(1) << 28,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct class_state),
    .check = class_check,
};
