/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/xcf_tile.c - the data of one tile: plain, run-length codes of one byte of
 * every pixel after the other, or zlib. */
#include "signatures/drawing/xcf.h"
#include "signatures/lib/inflate.h"

enum { XCF_PIECE = 4096, XCF_OUT = 32 << 10 };

/* Bytes of the code that begins with this one; literals not counted. */
static uint32_t xcf_code_len(uint8_t first)
{
    return first < 127 ? 2 : first == 127 ? 4 : first == 128 ? 3 : 1;
}

/* Pixels of a code, and the literal bytes that follow it. */
static uint32_t xcf_code_count(const uint8_t *code, uint32_t *literals)
{
    const uint32_t count = code[0] < 127                      ? code[0] + 1u
                           : code[0] == 127 || code[0] == 128 ? bytes_u16be(code + 1)
                                                              : 256u - code[0];

    *literals = code[0] > 127 ? count : 0;
    return count;
}

static enum step xcf_runs(struct sig_input *in, struct xcf_state *state, uint64_t plane,
                          uint64_t size)
{
    while (state->out < size) {
        uint32_t len, i = 0, literals;
        const uint8_t *bytes = sig_span(in, state->data, &len);

        if (bytes == NULL)
            return STEP_WAIT;
        const uint32_t first = xcf_code_len(bytes[0]);
        if (first > len) {
            bytes = sig_bytes(in, state->data, first);
            if (bytes == NULL)
                return STEP_WAIT;
            len = first;
        }
        while (state->out < size && i < len && xcf_code_len(bytes[i]) <= len - i) {
            const uint32_t code = xcf_code_len(bytes[i]);
            const uint32_t count = xcf_code_count(bytes + i, &literals);

            if (count == 0 || count > plane - state->out % plane) /* codes end where a plane does */
                return STEP_BAD;
            state->out += count;
            state->data += code + literals;
            i += code + literals;
        }
    }
    return STEP_DONE;
}

static enum step xcf_zlib(struct sig_input *in, struct xcf_state *state, uint64_t size)
{
    struct inflate_state *inflate = &state->inflate;
    uint8_t out[XCF_OUT];

    do {
        const uint64_t rest = state->data < in->limit ? in->limit - state->data : 1;
        const uint32_t len = rest < XCF_PIECE ? (uint32_t)rest : XCF_PIECE;
        const uint8_t *bytes = sig_bytes(in, state->data, len);

        if (bytes == NULL)
            return STEP_WAIT;
        inflate_give(inflate, bytes, len);
        do {
            uint32_t got;

            if (!inflate_take(inflate, out, sizeof out, &got))
                return STEP_BAD;
            state->out += got;
            if (state->out > size || !sig_unpacked(in, state->data + len, got))
                return STEP_BAD;
        } while (inflate_more(inflate));
        state->data += len;
    } while (!inflate_ended(inflate));
    state->data -= inflate_unused(inflate);
    return state->out == size ? STEP_DONE : STEP_BAD;
}

enum step xcf_tile(struct sig_input *in, struct xcf_state *state, uint64_t plane, uint64_t size)
{
    if (state->compression == XCF_RLE)
        return xcf_runs(in, state, plane, size);
    if (state->compression == XCF_NONE) {
        state->data += size;
        return STEP_DONE;
    }
    if (state->out == 0) {
        isal_inflate_init(&state->inflate);
        state->inflate.crc_flag = ISAL_ZLIB;
    }
    return xcf_zlib(in, state, size);
}
