/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/safetensors.c - weights of models (safetensors).
 *
 *   u64le bytes of the header | header, JSON: {"NAME": {"dtype": "F32", "shape": [2, 3],
 * "data_offsets": [0, 24]}, ..., "__metadata__": {texts}}, blanks | data
 *
 * Kind and shape of each tensor give as many bytes as its offsets; all of them together fill the
 * data without a hole, so their sum is the highest offset.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    TENSORS_HEAD = 8,
    TENSORS_HEADER_MAX = 100000000, /* by the format */
    TENSORS_WORD = 16,
};
#define TENSORS_SIZE_MAX (UINT64_C(1) << 44)

enum tensors_key {
    TENSORS_OTHER,
    TENSORS_DTYPE = 1,
    TENSORS_SHAPE = 2,
    TENSORS_OFFSETS = 4,
    TENSORS_ALL = 7
};

struct tensors_state {
    uint64_t at; /* next character; 0: not begun */
    uint64_t number, elements, offset[2], sum, end;
    uint32_t depth, seen, key, offsets, bits, tensors, word_len;
    bool text, escape, digits, metadata, done;
    char word[TENSORS_WORD]; /* of a text: its beginning, filled with zeros */
};

static uint32_t tensors_bits(const char *word)
{
    static const struct {
        const char *word;
        uint32_t bits;
    } kinds[] = { { "F32", 32 },    { "F16", 16 },    { "BF16", 16 },   { "F64", 64 },
                  { "I8", 8 },      { "I16", 16 },    { "I32", 32 },    { "I64", 64 },
                  { "U8", 8 },      { "U16", 16 },    { "U32", 32 },    { "U64", 64 },
                  { "BOOL", 8 },    { "F8_E4M3", 8 }, { "F8_E5M2", 8 }, { "F8_E8M0", 8 },
                  { "F6_E2M3", 6 }, { "F6_E3M2", 6 }, { "F4", 4 },      { "C64", 64 } };

    for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(kinds[i].word, word, TENSORS_WORD) == 0)
            return kinds[i].bits;
    return 0;
}

static bool tensors_named(struct tensors_state *state)
{
    static const struct {
        const char *word;
        enum tensors_key key;
    } keys[] = { { "dtype", TENSORS_DTYPE },
                 { "shape", TENSORS_SHAPE },
                 { "data_offsets", TENSORS_OFFSETS } };

    if (state->depth == 1) {
        state->metadata = strncmp(state->word, "__metadata__", TENSORS_WORD) == 0;
        state->seen = state->bits = state->offsets = 0;
        state->elements = 1;
    }
    state->key = TENSORS_OTHER;
    for (uint32_t i = 0; i < 3 && state->depth == 2 && !state->metadata; i++)
        if (strncmp(state->word, keys[i].word, TENSORS_WORD) == 0)
            state->key = keys[i].key;
    return state->depth == 1 || state->metadata || state->key != TENSORS_OTHER;
}

/* A number of a list has ended. */
static bool tensors_number(struct tensors_state *state)
{
    if (!state->digits)
        return true;
    state->digits = false;
    if (state->depth != 3)
        return false;
    if (state->key == TENSORS_OFFSETS) {
        if (state->offsets == 2)
            return false;
        state->offset[state->offsets++] = state->number;
        return true;
    }
    if (state->number != 0 && state->elements > TENSORS_SIZE_MAX / state->number)
        return false;
    state->elements *= state->number;
    return true;
}

/* A tensor has ended: its kind and shape give its bytes. */
static bool tensors_tensor(struct tensors_state *state)
{
    if (state->metadata)
        return true;
    if (state->seen != TENSORS_ALL || state->offsets != 2 || state->bits == 0 ||
        state->offset[1] < state->offset[0] || state->offset[1] > TENSORS_SIZE_MAX)
        return false;
    const uint64_t bytes = state->offset[1] - state->offset[0];
    state->sum += bytes;
    if (state->offset[1] > state->end)
        state->end = state->offset[1];
    state->tensors++;
    return state->sum <= TENSORS_SIZE_MAX && state->elements * state->bits == bytes * 8;
}

/* A character outside of texts. */
static bool tensors_mark(struct tensors_state *state, char c)
{
    switch (c) {
    case ' ':
        return true;
    case '"':
        state->text = true;
        state->word_len = 0;
        memset(state->word, 0, sizeof state->word);
        return state->depth > 0;
    case ':':
        return tensors_named(state);
    case '{':
        return ++state->depth <= 2;
    case '[':
        state->seen |= state->key;
        return state->depth++ == 2 && (state->key & (TENSORS_SHAPE | TENSORS_OFFSETS)) != 0;
    case ']':
        return tensors_number(state) && state->depth-- == 3;
    case '}':
        if (state->depth == 2 && !tensors_tensor(state))
            return false;
        state->done = state->depth == 1;
        return state->depth > 0 && state->depth-- < 3;
    case ',':
        return tensors_number(state);
    default:
        if (c < '0' || c > '9' || state->depth != 3)
            return false;
        state->number = (state->digits ? state->number * 10 : 0) + (uint64_t)(c - '0');
        state->digits = true;
        return state->number <= TENSORS_SIZE_MAX;
    }
}

static bool tensors_char(struct tensors_state *state, char c)
{
    if (!state->text)
        return (!state->done || c == ' ') && tensors_mark(state, c);
    if (state->escape) {
        state->escape = false;
    } else if (c == '\\') {
        state->escape = true;
    } else if (c == '"') {
        state->text = false;
        if (state->depth == 2 && state->key == TENSORS_DTYPE &&
            (state->seen & TENSORS_DTYPE) == 0) {
            state->bits = tensors_bits(state->word);
            state->seen |= TENSORS_DTYPE;
            state->key = TENSORS_OTHER;
        }
    } else if (state->word_len < sizeof state->word) {
        state->word[state->word_len++] = c;
    }
    return (uint8_t)c >= ' ';
}

static struct sig_result tensors_check(struct sig_input *in, void *memory)
{
    struct tensors_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, TENSORS_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t header = bytes_u64le(p);
    if (header < 2 || header > TENSORS_HEADER_MAX)
        return sig_reject("invalid length of the header");
    if (state->at == 0)
        state->at = TENSORS_HEAD;
    const uint64_t data = TENSORS_HEAD + header;
    while (state->at < data) {
        uint32_t len;

        p = sig_span_to(in, state->at, data, &len);
        if (p == NULL)
            return sig_short(in);
        for (uint32_t i = 0; i < len; i++)
            if (!tensors_char(state, (char)p[i]))
                return sig_reject("the header is no list of tensors");
        state->at += len;
        if (state->tensors > 0)
            sig_valid(in, state->at);
    }
    if (!state->done || state->tensors == 0 || state->sum != state->end)
        return sig_reject("the tensors do not fill the data");
    return sig_believe(in, data + state->end, "kinds and shapes of the tensors fill the data");
}

const struct sig sig_safetensors = {
    .name = "safetensors",
    .what = "weights of a model (safetensors)",
    .proves = "kind and shape of each tensor give its bytes; together they fill the data",
    .source = "Hugging Face, safetensors: README, Format",
    .types = (const struct sig_type[]){ { "safetensors", "safetensors" }, { 0 } },
    .headers = { SIG_MASKED("????\0\0\0\0{\"", "\0\0\0\0\xff\xff\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = TENSORS_HEAD + 60,
    .size_max = TENSORS_SIZE_MAX,
    .state_size = sizeof(struct tensors_state),
    .check = tensors_check,
};
