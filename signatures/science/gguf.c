/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/gguf.c - models of GGML.
 *
 *   "GGUF" | u32le version 2, 3 | u64le tensors | u64le keys | keys: text, u32le kind, value |
 * tensors: text, u32le dimensions, u64le lengths, u32le kind, u64le offset | filled up | data, each
 * tensor's filled up
 *   text: u64le length, bytes. An array: u32le kind, u64le elements. All is filled up to multiples
 * of 32, or of the key general.alignment.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    GGUF_HEAD = 24,
    GGUF_STRING = 8,
    GGUF_ARRAY = 9,
    GGUF_U32 = 4,
    GGUF_KINDS = 13,
    GGUF_KEYS_MAX = 65536,
    GGUF_TENSORS_MAX = 1 << 20,
    GGUF_NAME_MAX = 1024,
    GGUF_TEXT_MAX = 64 << 20,
    GGUF_DIMENSIONS_MAX = 4,
    GGUF_ALIGNMENT = 32,
    GGUF_ALIGNMENT_MAX = 1 << 20,
};
#define GGUF_SIZE_MAX (UINT64_C(1) << 44)

struct gguf_state {
    uint64_t at;      /* next key, element of an array of texts, tensor; 0: not begun */
    uint64_t texts;   /* left of an array */
    uint64_t data;    /* offset of the next tensor's data */
    uint64_t keys;    /* done */
    uint64_t tensors; /* done */
    uint32_t alignment;
};

/* Bytes of a value of a kind; 0: a text, an array. */
static const uint8_t gguf_value_size[GGUF_KINDS] = { 1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8 };

/* A kind of tensor: its blocks have so many elements and bytes. elements 0: there is no such kind.
 */
static const struct {
    uint16_t elements, bytes;
} gguf_block[] = {
    [0] = { 1, 4 },      [1] = { 1, 2 },      [2] = { 32, 18 },    [3] = { 32, 20 },
    [6] = { 32, 22 },    [7] = { 32, 24 },    [8] = { 32, 34 },    [9] = { 32, 36 },
    [10] = { 256, 84 },  [11] = { 256, 110 }, [12] = { 256, 144 }, [13] = { 256, 176 },
    [14] = { 256, 210 }, [15] = { 256, 292 }, [16] = { 256, 66 },  [17] = { 256, 74 },
    [18] = { 256, 98 },  [19] = { 256, 50 },  [20] = { 32, 18 },   [21] = { 256, 110 },
    [22] = { 256, 82 },  [23] = { 256, 136 }, [24] = { 1, 1 },     [25] = { 1, 2 },
    [26] = { 1, 4 },     [27] = { 1, 8 },     [28] = { 1, 8 },     [29] = { 256, 56 },
    [30] = { 1, 2 },     [34] = { 256, 54 },  [35] = { 256, 66 },  [39] = { 32, 17 },
};

static uint64_t gguf_filled(uint64_t at, uint32_t alignment)
{
    return (at + alignment - 1) / alignment * alignment;
}

/* Passes over a text of at most `most` bytes. */
static enum step gguf_text(struct sig_input *in, uint64_t most, uint64_t *at)
{
    const uint8_t *p = sig_bytes(in, *at, 8);

    if (p == NULL)
        return STEP_WAIT;
    const uint64_t len = bytes_u64le(p);
    if (len > most)
        return STEP_BAD;
    *at += 8 + len;
    return STEP_DONE;
}

/* The head of a tensor or a key: its name, of printable characters. *alignment: it is
 * general.alignment. */
static enum step gguf_name(struct sig_input *in, uint64_t *at, bool *alignment)
{
    static const char word[] = "general.alignment";
    const uint8_t *p = sig_bytes(in, *at, 8);

    if (p == NULL)
        return STEP_WAIT;
    const uint64_t len = bytes_u64le(p);
    if (len == 0 || len > GGUF_NAME_MAX)
        return STEP_BAD;
    p = sig_bytes(in, *at + 8, (uint32_t)len);
    if (p == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < len; i++)
        if (p[i] < ' ' || p[i] == 0x7f)
            return STEP_BAD;
    *alignment = len == sizeof word - 1 && memcmp(p, word, sizeof word - 1) == 0;
    *at += 8 + len;
    return STEP_DONE;
}

static enum step gguf_array(struct sig_input *in, struct gguf_state *state, uint64_t *at)
{
    const uint8_t *p = sig_bytes(in, *at, 12);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t kind = bytes_u32le(p);
    const uint64_t count = bytes_u64le(p + 4);
    if (kind >= GGUF_KINDS || kind == GGUF_ARRAY || count > GGUF_TEXT_MAX)
        return STEP_BAD;
    *at += 12 + count * gguf_value_size[kind];
    state->texts = kind == GGUF_STRING ? count : 0;
    return STEP_DONE;
}

static enum step gguf_key(struct sig_input *in, struct gguf_state *state)
{
    uint64_t at = state->at;
    bool alignment = false;
    enum step step = gguf_name(in, &at, &alignment);

    if (step != STEP_DONE)
        return step;
    const uint8_t *p = sig_bytes(in, at, 8);
    if (p == NULL)
        return STEP_WAIT;
    const uint32_t kind = bytes_u32le(p), value = bytes_u32le(p + 4);
    at += 4;
    if (kind >= GGUF_KINDS || (alignment && (kind != GGUF_U32 || value < 8 || value % 8 != 0 ||
                                             value > GGUF_ALIGNMENT_MAX)))
        return STEP_BAD;
    if (kind == GGUF_STRING)
        step = gguf_text(in, GGUF_TEXT_MAX, &at);
    else if (kind == GGUF_ARRAY)
        step = gguf_array(in, state, &at);
    if (step != STEP_DONE)
        return step;
    if (alignment)
        state->alignment = value;
    state->at = at + gguf_value_size[kind];
    state->keys++;
    return STEP_DONE;
}

/* Up to the end of the last key. */
static enum step gguf_keys(struct sig_input *in, struct gguf_state *state, uint64_t keys)
{
    while (state->texts > 0 || state->keys < keys) {
        const bool text = state->texts > 0;
        const enum step step =
            text ? gguf_text(in, GGUF_TEXT_MAX, &state->at) : gguf_key(in, state);

        if (step != STEP_DONE)
            return step;
        state->texts -= text;
    }
    return STEP_DONE;
}

/* The bytes of a tensor's data; p: its lengths, then its kind. */
static bool gguf_data(const uint8_t *p, uint32_t dimensions, uint64_t *bytes)
{
    const uint32_t kind = bytes_u32le(p + 8 * dimensions);
    uint64_t elements = 1;

    if (kind >= sizeof gguf_block / sizeof *gguf_block || gguf_block[kind].elements == 0)
        return false;
    for (uint32_t i = 0; i < dimensions; i++) {
        const uint64_t len = bytes_u64le(p + 8 * i);

        if (len == 0 || len > GGUF_SIZE_MAX / elements)
            return false;
        elements *= len;
    }
    *bytes = elements / gguf_block[kind].elements * gguf_block[kind].bytes;
    return bytes_u64le(p) % gguf_block[kind].elements == 0 && *bytes <= GGUF_SIZE_MAX;
}

/* Each tensor's data begin where those of the one before end. */
static enum step gguf_tensors(struct sig_input *in, struct gguf_state *state, uint64_t tensors)
{
    for (; state->tensors < tensors; state->tensors++) {
        uint64_t at = state->at, bytes;
        bool alignment;
        const enum step step = gguf_name(in, &at, &alignment);

        if (step != STEP_DONE)
            return step;
        const uint8_t *p = sig_bytes(in, at, 4);
        if (p == NULL)
            return STEP_WAIT;
        const uint32_t dimensions = bytes_u32le(p);
        if (dimensions == 0 || dimensions > GGUF_DIMENSIONS_MAX)
            return STEP_BAD;
        p = sig_bytes(in, at + 4, 12 + 8 * dimensions);
        if (p == NULL)
            return STEP_WAIT;
        if (!gguf_data(p, dimensions, &bytes) || bytes_u64le(p + 4 + 8 * dimensions) != state->data)
            return STEP_BAD;
        state->data = gguf_filled(state->data + bytes, state->alignment);
        if (state->data > GGUF_SIZE_MAX)
            return STEP_BAD;
        state->at = at + 16 + 8 * dimensions;
    }
    return STEP_DONE;
}

static struct sig_result gguf_check(struct sig_input *in, void *memory)
{
    struct gguf_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, GGUF_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t tensors = bytes_u64le(p + 8), keys = bytes_u64le(p + 16);
    if (tensors == 0 || tensors > GGUF_TENSORS_MAX || keys > GGUF_KEYS_MAX)
        return sig_reject("invalid number of tensors or keys");
    if (state->at == 0) {
        state->at = GGUF_HEAD;
        state->alignment = GGUF_ALIGNMENT;
    }
    enum step step = gguf_keys(in, state, keys);
    if (step == STEP_DONE)
        step = gguf_tensors(in, state, tensors);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_reject("invalid key or tensor");
    sig_valid(in, state->at);
    return sig_believe(in, gguf_filled(state->at, state->alignment) + state->data,
                       "the data of the tensors follow one another");
}

const struct sig sig_gguf = {
    .name = "gguf",
    .what = "model of GGML (GGUF)",
    .proves = "keys and tensors are well-formed; each tensor's data begin where the last ones end",
    .source = "GGML documentation: docs/gguf.md; block sizes: ggml-common.h",
    .types = (const struct sig_type[]){ { "gguf", "gguf" }, { 0 } },
    .headers = { SIG_MASKED("GGUF\2\0\0\0", "\xff\xff\xff\xff\xfe\xff\xff\xff") },
    .size_min = GGUF_HEAD + 32,
    .size_max = GGUF_SIZE_MAX,
    .state_size = sizeof(struct gguf_state),
    .check = gguf_check,
};
