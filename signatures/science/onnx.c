/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/onnx.c - ONNX: models of neural networks.
 *
 *   a message of Protocol Buffers: 1 version | 2 producer | 3 its version | 4 domain | 5 version of
 * the model | 6 remark | 7 the graph | 8 sets of operators | 14 metadata | 20 training | 25
 * functions graph: 1 nodes | 2 name | 5 tensors | 10 remark | 11 to 13 inputs, outputs, values |
 * 14, 15, 16
 *
 * Nothing tells the length: the file ends where no field of a model follows that has not been there
 * (the version comes once).
 */
#include "base/bytes.h"
#include "signatures/lib/number.h"
#include "signatures/sig.h"

enum {
    ONNX_VERSION = 1,
    ONNX_GRAPH = 7,
    ONNX_OPERATORS = 8,
    ONNX_FIELD_MAX = 25,
};

/* Fields of a model that may come again, and all that there are, a bit each. */
#define ONNX_REPEATED (1u << 8 | 1u << 14 | 1u << 20 | 1u << 25)
#define ONNX_FIELDS (ONNX_REPEATED | 0xfeu)
#define ONNX_GRAPH_FIELDS (1u << 1 | 1u << 2 | 1u << 5 | 0xfc00u | 1u << 16)

struct onnx_state {
    uint64_t at;        /* the next field; in the graph when that is not ended */
    uint64_t graph_end; /* of the graph being read; 0: none */
    uint32_t seen;      /* a bit for each field of the model */
    uint32_t nodes;
};

/* The field at state->at, of the model or of its graph. STEP_BAD: none. */
static enum step onnx_field(struct sig_input *in, struct onnx_state *state)
{
    struct number_field field;
    uint64_t at = state->at;
    const enum step step = number_field(in, &at, &field);
    const bool graph = state->graph_end != 0;
    const uint32_t fields = graph ? ONNX_GRAPH_FIELDS : ONNX_FIELDS;

    if (step != STEP_DONE)
        return step;
    const bool number = !graph && (field.number == ONNX_VERSION || field.number == 5);
    if (field.number > ONNX_FIELD_MAX || (fields >> field.number & 1) == 0 ||
        field.kind != (number ? NUMBER_VARINT : NUMBER_BYTES))
        return STEP_BAD;
    if (!graph && (state->seen & ~ONNX_REPEATED) >> field.number & 1)
        return STEP_BAD;
    if (!number && field.value > in->limit)
        return STEP_BAD;
    const uint64_t next = number ? at : at + field.value;
    if (graph && next > state->graph_end)
        return STEP_BAD;
    const bool enters = !graph && field.number == ONNX_GRAPH;
    if (!enters && sig_bytes(in, next - 1, 1) == NULL)
        return STEP_WAIT;
    if (enters)
        state->graph_end = next;
    state->nodes += graph && field.number == 1;
    if (!graph)
        state->seen |= 1u << field.number;
    state->at = enters ? at : next;
    return STEP_DONE;
}

static struct sig_result onnx_check(struct sig_input *in, void *memory)
{
    struct onnx_state *state = memory;

    while (state->at < in->limit) {
        if (state->graph_end != 0 && state->at == state->graph_end)
            state->graph_end = 0;
        const enum step step = onnx_field(in, state);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD && state->graph_end != 0)
            return sig_breaks(in, "the graph has a field that is none");
        if (step == STEP_BAD)
            break;
        if (state->nodes > 0)
            sig_valid(in, state->at);
    }
    if (state->graph_end != 0 && state->at < state->graph_end)
        return sig_breaks(in, "the graph has no end");
    if (state->nodes == 0 || (state->seen >> ONNX_OPERATORS & 1) == 0)
        return sig_reject("no graph, or no set of operators");
    return sig_believe(in, state->at, "fields of model and graph, and no other follows");
}

const struct sig sig_onnx = {
    .name = "onnx",
    .what = "model of a neural network (ONNX)",
    .proves = "fields of model and graph have their kinds; it ends where no other field follows",
    .source = "ONNX 1.13, onnx/onnx.proto: ModelProto, GraphProto",
    .types = (const struct sig_type[]){ { "onnx", "onnx" }, { 0 } },
    .headers = { SIG_MASKED("\x08\0\x12\0\0\0", "\xff\xf0\xff\xe0\x80\x80"),
                 SIG_MASKED("\x08\0\x3a", "\xff\xf0\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 32,
    .size_max = UINT64_C(1) << 34,
    .state_size = sizeof(struct onnx_state),
    .check = onnx_check,
};
