/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/pyc.c - compiled Python, 2.3 to 3.14.
 *
 *   u16le version | "\r\n" | 3.7 on: flags, then time and size, or a hash; before: time, 3.3 on
 * also size | one marshalled code object
 *
 * Marshalled objects nest. Each begins with a type, and its length follows from it; the file ends
 * with the end of the outermost one.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    PYC_DEPTH = 200,
    PYC_REFERENCE = 0x80,  /* bit of a type: may be referred to */
    PYC_OPEN = UINT32_MAX, /* a dictionary: goes on to its end mark */
    PYC_LINE_INT = 4,
};

/* Objects being read: how many are missing, and before which of them an integer stands (code
 * objects: the first line). */
struct pyc_frame {
    uint32_t left, integer_at; /* integer_at: left when the integer is next; 0: none */
};

struct pyc_state {
    uint64_t at;
    uint32_t depth;      /* frames in use; 0: not begun */
    uint32_t references; /* objects that may be referred to */
    uint32_t interned;   /* likewise, strings of Python 2 */
    struct pyc_frame frames[PYC_DEPTH];
};

struct pyc_version {
    uint32_t head;     /* bytes before the code object */
    uint32_t integers; /* of a code object, before the first object */
    uint32_t objects;  /* of a code object */
    uint32_t after;    /* objects that stand behind the integer of the first line */
};

/* Magic numbers grow from 3000 (Python 3.0) on; Python 2 began again from 62011 at 2.3. */
static bool pyc_version(uint32_t magic, struct pyc_version *version)
{
    if (magic >= 62011 && magic <= 62211) {
        *version = (struct pyc_version){ 8, 4, 9, 1 };
        return true;
    }
    if (magic < 3000 || magic > 3700)
        return false;
    if (magic < 3190)
        *version = (struct pyc_version){ 8, 5, 9, 1 };
    else if (magic < 3390)
        *version = (struct pyc_version){ 12, 5, 9, 1 };
    else if (magic < 3410)
        *version = (struct pyc_version){ 16, 5, 9, 1 };
    else if (magic < 3450)
        *version = (struct pyc_version){ 16, 6, 9, 1 };
    else
        *version =
            (struct pyc_version){ 16, 5, 10,
                                  2 }; /* 3.11: no number of locals, two more objects, one less */
    return true;
}

/* What follows a type. */
enum pyc_kind {
    PYC_UNKNOWN,
    PYC_PLAIN,  /* width bytes */
    PYC_BYTES,  /* a length of width bytes, then so many */
    PYC_DIGITS, /* an integer of many digits, two bytes each */
    PYC_MANY,   /* a count of width bytes, then so many objects */
    PYC_PAIRS,  /* objects to the end mark */
    PYC_MARK,
    PYC_CODE,
    PYC_BACK, /* the number of an object that was there before */
    PYC_SLICE,
};

static enum pyc_kind pyc_kind(uint8_t type, uint32_t *width)
{
    static const struct {
        char type;
        uint8_t kind, width;
    } kinds[] = { { 'N', PYC_PLAIN, 0 }, { 'T', PYC_PLAIN, 0 }, { 'F', PYC_PLAIN, 0 },
                  { 'S', PYC_PLAIN, 0 }, { '.', PYC_PLAIN, 0 }, { 'i', PYC_PLAIN, 4 },
                  { 'I', PYC_PLAIN, 8 }, { 'g', PYC_PLAIN, 8 }, { 'y', PYC_PLAIN, 16 },
                  { 'f', PYC_BYTES, 1 }, { 's', PYC_BYTES, 4 }, { 'u', PYC_BYTES, 4 },
                  { 't', PYC_BYTES, 4 }, { 'a', PYC_BYTES, 4 }, { 'A', PYC_BYTES, 4 },
                  { 'z', PYC_BYTES, 1 }, { 'Z', PYC_BYTES, 1 }, { 'l', PYC_DIGITS, 4 },
                  { '(', PYC_MANY, 4 },  { ')', PYC_MANY, 1 },  { '[', PYC_MANY, 4 },
                  { '<', PYC_MANY, 4 },  { '>', PYC_MANY, 4 },  { '{', PYC_PAIRS, 0 },
                  { '0', PYC_MARK, 0 },  { 'c', PYC_CODE, 0 },  { 'r', PYC_BACK, 4 },
                  { 'R', PYC_BACK, 4 },  { ':', PYC_SLICE, 0 } };

    for (uint32_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].type == (char)(type & ~PYC_REFERENCE)) {
            *width = kinds[i].width;
            return kinds[i].kind;
        }
    return PYC_UNKNOWN;
}

static bool pyc_push(struct pyc_state *state, uint32_t left, uint32_t integer_at)
{
    if (state->depth == PYC_DEPTH)
        return false;
    if (left > 0)
        state->frames[state->depth++] = (struct pyc_frame){ left, integer_at };
    return true;
}

static bool pyc_text_ok(const uint8_t *p, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        if (p[i] >= 0x80)
            return false;
    return true;
}

/* The bytes of a string. ASCII strings must be ASCII. */
static enum step pyc_bytes(struct sig_input *in, uint8_t type, uint64_t at, uint64_t len)
{
    const bool ascii = type == 'a' || type == 'A' || type == 'z' || type == 'Z' || type == 'f';

    if (len == 0)
        return STEP_DONE;
    if (len > in->sig->size_max)
        return STEP_BAD;
    if (ascii && len <= SIG_BYTES_MAX) {
        const uint8_t *p = sig_bytes(in, at, (uint32_t)len);

        if (p == NULL)
            return STEP_WAIT;
        return pyc_text_ok(p, (uint32_t)len) ? STEP_DONE : STEP_BAD;
    }
    return sig_bytes(in, at + len - 1, 1) == NULL ? STEP_WAIT : STEP_DONE;
}

/* The content of an object; *len: bytes of it behind its type, up to the objects inside it. */
static enum step pyc_content(struct sig_input *in, struct pyc_state *state,
                             const struct pyc_version *version, uint8_t type, uint64_t *len)
{
    uint32_t width = 0, number = 0;
    const enum pyc_kind kind = pyc_kind(type, &width);

    *len = width;
    if (kind == PYC_UNKNOWN)
        return STEP_BAD;
    if (width == 1 || width == 4) {
        const uint8_t *p = sig_bytes(in, state->at + 1, width);

        if (p == NULL)
            return STEP_WAIT;
        number = width == 1 ? p[0] : bytes_u32le(p);
    }
    switch (kind) {
    case PYC_BYTES:
        *len += number;
        return number > INT32_MAX ? STEP_BAD
                                  : pyc_bytes(in, type & 0x7f, state->at + 1 + width, number);
    case PYC_DIGITS:
        number = (uint32_t)((int32_t)number < 0 ? -(int64_t)(int32_t)number : (int64_t)number);
        *len += 2 * (uint64_t)number;
        return pyc_bytes(in, 0, state->at + 1 + width, 2 * (uint64_t)number);
    case PYC_MANY:
        return number < INT32_MAX && pyc_push(state, number, 0) ? STEP_DONE : STEP_BAD;
    case PYC_PAIRS:
        return pyc_push(state, PYC_OPEN, 0) ? STEP_DONE : STEP_BAD;
    case PYC_SLICE:
        return pyc_push(state, 3, 0) ? STEP_DONE : STEP_BAD;
    case PYC_CODE:
        *len = version->integers * 4;
        return pyc_push(state, version->objects, version->after) ? STEP_DONE : STEP_BAD;
    case PYC_BACK:
        return number < ((type & 0x7f) == 'R' ? state->interned : state->references) ? STEP_DONE
                                                                                     : STEP_BAD;
    default:
        return sig_bytes(in, state->at + width, 1) == NULL ? STEP_WAIT : STEP_DONE;
    }
}

/* One object; done with it, also with those around it that it was the last of. */
static enum step pyc_object(struct sig_input *in, struct pyc_state *state,
                            const struct pyc_version *version)
{
    struct pyc_frame *frame = &state->frames[state->depth - 1];

    if (frame->left == 0) {
        state->depth--;
        return STEP_DONE;
    }
    if (frame->integer_at != 0 && frame->left == frame->integer_at) {
        const uint8_t *line = sig_bytes(in, state->at, PYC_LINE_INT);

        if (line == NULL)
            return STEP_WAIT;
        if (bytes_u32le(line) > 1 << 24)
            return STEP_BAD;
        state->at += PYC_LINE_INT;
        frame->integer_at = 0;
        return STEP_DONE;
    }
    const uint8_t *p = sig_bytes(in, state->at, 1);
    uint64_t len;

    if (p == NULL)
        return STEP_WAIT;
    const uint8_t type = p[0];
    if (type == '0') {
        if (frame->left < PYC_OPEN - (1u << 24))
            return STEP_BAD;
        frame->left = 0;
        state->at++;
        return STEP_DONE;
    }
    const enum step step = pyc_content(in, state, version, type, &len);
    if (step != STEP_DONE)
        return step;
    frame->left--;
    state->references += type >= PYC_REFERENCE;
    state->interned += type == 't';
    state->at += 1 + len;
    return STEP_DONE;
}

static struct sig_result pyc_check(struct sig_input *in, void *memory)
{
    struct pyc_state *state = memory;
    struct pyc_version version;
    const uint8_t *p = sig_bytes(in, 0, 17);

    if (p == NULL)
        return sig_short(in);
    if (!pyc_version(bytes_u16le(p), &version) || (version.head == 16 && bytes_u32le(p + 4) > 3) ||
        (p[version.head] & 0x7f) != 'c')
        return sig_reject("invalid version, or no code");
    if (state->depth == 0) {
        state->at = version.head;
        state->frames[state->depth++] = (struct pyc_frame){ 1, 0 };
    }
    while (state->depth > 0) {
        const enum step step = pyc_object(in, state, &version);

        if (step == STEP_WAIT && in->wanted > in->limit && state->at > version.head + 64)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "invalid object");
        if (state->at > version.head + 64)
            sig_valid(in, state->at);
    }
    return sig_complete(in, state->at, "every object to the end of the code is valid");
}

const struct sig sig_pyc = {
    .name = "pyc",
    .what = "compiled Python",
    .proves = "every marshalled object leads to the end of the outermost; references name "
              "earlier objects",
    .source = "CPython 2.3 to 3.14: Python/marshal.c, Lib/importlib/_bootstrap_external.py",
    .types = (const struct sig_type[]){ { "pyc", "pyc" }, { 0 } },
    .headers = { SIG_MASKED("\0\x0c\r\n\0\0\0\0\0\0\0\0\x63\0\0\0\0\0\0\0\0",
                            "\0\xfe\xff\xff\0\0\0\0\0\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff\xff"),
                 SIG_MASKED("\0\x0c\r\n\0\0\0\0\0\0\0\0\0\0\0\0\x63\0\0\0\0\0\0\0\0",
                            "\0\xfc\xff\xff\xfc\xff\xff\xff\0\0\0\0\0\0\0\0\x7f\xff\xff\xff\xff\xff"
                            "\xff\xff\xff"),
                 SIG_MASKED("\0\xf2\r\n\0\0\0\0\x63\0\0\0\0",
                            "\0\xfe\xff\xff\0\0\0\0\xff\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 40,
    .size_max = UINT64_C(1) << 28,
    .state_size = sizeof(struct pyc_state),
    .check = pyc_check,
};
