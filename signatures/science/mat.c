/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/mat.c - MATLAB data, level 5.
 *
 *   124 bytes of text "MATLAB 5.0 MAT-file, ..." and an offset | u16 version 0100 | "IM"
 * (little-endian) or "MI" | elements element: u32 type 14 (matrix) or 15 (compressed) | u32 length
 * | bytes, those of a matrix padded to 8
 *
 * Compressed elements are inflated and their sums compared; matrices have to begin with their
 * flags. Nothing says where the last element is: the file ends where none follows.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/inflate.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    MAT_HEAD = 128,
    MAT_MATRIX = 14,
    MAT_COMPRESSED = 15,
    MAT_FLAGS = 6, /* type of a matrix's first part, which is 8 bytes long */
    MAT_CLASSES = 17,
    MAT_PIECE = 16 << 10,
    MAT_OUT = 32 << 10,
};
#define MAT_INFLATED_MAX (UINT64_C(1) << 36) /* of one file; policy */

struct mat_state {
    uint64_t at;   /* object offset of the next element; 0: not begun */
    uint64_t read; /* object offset of the next piece of a compressed one; 0: not begun */
    uint64_t inflated;
    struct inflate_state inflate;
};
_Static_assert(sizeof(struct mat_state) <= SIG_STATE_MAX, "the state of ISA-L fits");

/* One piece, all of whose bytes are at hand. */
static bool mat_piece(struct sig_input *in, struct mat_state *state, const uint8_t *bytes,
                      uint32_t len)
{
    struct inflate_state *inflate = &state->inflate;
    uint8_t out[MAT_OUT];

    inflate_give(inflate, bytes, len);
    do {
        uint32_t got;

        if (!inflate_take(inflate, out, sizeof out, &got))
            return false;
        state->inflated += got;
        if (!sig_unpacked(in, state->read + len, got))
            return false;
    } while (inflate_more(inflate));
    return state->inflated <= MAT_INFLATED_MAX;
}

static enum step mat_compressed(struct sig_input *in, struct mat_state *state, uint64_t at,
                                uint64_t end)
{
    if (state->read == 0) {
        isal_inflate_init(&state->inflate);
        state->inflate.crc_flag = ISAL_ZLIB;
        state->read = at;
    }
    while (state->read < end) {
        const uint32_t len =
            end - state->read < MAT_PIECE ? (uint32_t)(end - state->read) : MAT_PIECE;
        const uint8_t *bytes = sig_bytes(in, state->read, len);

        if (bytes == NULL)
            return STEP_WAIT;
        if (!mat_piece(in, state, bytes, len))
            return STEP_BAD;
        state->read += len;
    }
    state->read = 0;
    return inflate_ended(&state->inflate) ? STEP_DONE : STEP_BAD;
}

/* A matrix begins with its flags: type 6, 8 bytes long, and its class. */
static enum step mat_matrix(struct sig_input *in, uint64_t at, uint32_t length, bool big)
{
    const uint8_t *part = length < 16 ? NULL : sig_bytes(in, at, 16);

    if (part == NULL)
        return length < 16 ? STEP_BAD : STEP_WAIT;
    const uint32_t type = big ? bytes_u32be(part) : bytes_u32le(part);
    const uint32_t size = big ? bytes_u32be(part + 4) : bytes_u32le(part + 4);
    const uint32_t flags = big ? bytes_u32be(part + 8) : bytes_u32le(part + 8);
    if (type != MAT_FLAGS || size != 8 || (flags & 0xff) == 0 || (flags & 0xff) > MAT_CLASSES ||
        flags > 0xffff)
        return STEP_BAD;
    return sig_bytes(in, at + length - 1, 1) == NULL ? STEP_WAIT : STEP_DONE;
}

static struct sig_result mat_end(struct sig_input *in, const struct mat_state *state)
{
    if (state->at == MAT_HEAD)
        return sig_reject("there is no element behind the header");
    return sig_believe(in, state->at, "the elements follow one another, and no other follows");
}

static struct sig_result mat_check(struct sig_input *in, void *memory)
{
    struct mat_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, MAT_HEAD);

    if (head == NULL)
        return sig_short(in);
    const bool big = head[126] == 'M';
    if (memcmp(head + 124, big ? "\1\0MI" : "\0\1IM", 4) != 0)
        return sig_reject("the header has no version and byte order of level 5");
    if (state->at == 0)
        state->at = MAT_HEAD;
    for (;;) {
        if (state->at == in->limit)
            return mat_end(in, state);
        const uint8_t *tag = sig_bytes(in, state->at, 8);
        if (tag == NULL && in->wanted > in->limit)
            return mat_end(in, state);
        if (tag == NULL)
            return sig_short(in);
        const uint32_t type = big ? bytes_u32be(tag) : bytes_u32le(tag);
        const uint32_t length = big ? bytes_u32be(tag + 4) : bytes_u32le(tag + 4);
        if ((type != MAT_MATRIX && type != MAT_COMPRESSED) || length == 0)
            return mat_end(in, state);
        const uint64_t at = state->at + 8, end = at + length;
        const enum step step = type == MAT_MATRIX ? mat_matrix(in, at, length, big)
                                                  : mat_compressed(in, state, at, end);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, type == MAT_MATRIX ? "invalid matrix"
                                                     : "wrong data or checksum of a compressed "
                                                       "element");
        state->at = type == MAT_MATRIX ? (end + 7) & ~UINT64_C(7) : end;
        sig_valid(in, end);
    }
}

const struct sig sig_mat = {
    .name = "mat",
    .what = "MATLAB data, level 5",
    .proves = "compressed elements inflate and have their checksums; matrices begin with their "
              "flags; no other element follows",
    .source = "MathWorks, MAT-File Format (R2024a): MAT-file level 5",
    .types = (const struct sig_type[]){ { "mat", "mat" }, { 0 } },
    .headers = { SIG_PATTERN("MATLAB 5.0 MAT-file") },
    .flags = SIG_SECTOR_ALIGNED | SIG_UNPACKS,
    .size_min = MAT_HEAD + 16,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct mat_state),
    .state_clean = offsetof(struct mat_state, inflate),
    .check = mat_check,
};
