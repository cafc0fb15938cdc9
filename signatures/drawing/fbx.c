/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/fbx.c - binary FBX: a scene of models.
 *
 *   "Kaydara FBX Binary  \0\x1a\0" | u32le version | records | an empty record | 16 bytes | 4 zeros
 * and more, up to a multiple of 16 | u32le version | 120 zeros | 16 bytes that are always the same
 *
 * A record says where it ends: in u32le below version 7500, u64le from there on; so does one with
 * others inside. Records at the top are walked, and the footer ends the file.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    FBX_VERSION = 23,
    FBX_HEAD = 27,
    FBX_WIDE = 7500, /* the first version with places of 64 bits */
    FBX_ID = 16,
    FBX_FOOT = 4 + 120 + FBX_ID,
    FBX_ZEROS_MAX = 36,
    FBX_RECORDS_MAX = 4096,
};

struct fbx_state {
    uint64_t at; /* object offset of the next record; 0: not begun */
    uint32_t records;
};

/*
 * The footer behind the empty record. *end: the end of the file. Writers differ in how many zeros
 * they put before the version.
 */
static enum step fbx_foot(struct sig_input *in, uint64_t at, uint32_t version, uint64_t *end)
{
    static const char id[] = "\xf8\x5a\x8c\x6a\xde\xf5\xd9\x7e\xec\xe9\x0c\xe3\x75\x8f\x29\x0b";
    const uint8_t *p = sig_bytes(in, at, FBX_ID + FBX_FOOT);
    uint32_t zeros = 0;

    if (p == NULL)
        return STEP_WAIT;
    while (zeros < FBX_ZEROS_MAX && p[FBX_ID + zeros] == 0)
        zeros++;
    const uint64_t foot = at + FBX_ID + zeros;
    p = sig_bytes(in, foot, FBX_FOOT);
    if (p == NULL)
        return STEP_WAIT;
    for (uint32_t i = 4; i < FBX_FOOT - FBX_ID; i++)
        if (p[i] != 0)
            return STEP_BAD;
    *end = foot + FBX_FOOT;
    return zeros >= 4 && bytes_u32le(p) == version && memcmp(p + FBX_FOOT - FBX_ID, id, FBX_ID) == 0
               ? STEP_DONE
               : STEP_BAD;
}

static struct sig_result fbx_check(struct sig_input *in, void *memory)
{
    struct fbx_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, FBX_HEAD);
    uint64_t end = 0;

    if (p == NULL)
        return sig_short(in);
    const uint32_t version = bytes_u32le(p + FBX_VERSION);
    const uint32_t word = version >= FBX_WIDE ? 8 : 4, head = 3 * word + 1;
    if (version < 5000 || version > 9999)
        return sig_reject("invalid version");
    if (state->at == 0)
        state->at = FBX_HEAD;
    for (;;) {
        p = sig_bytes(in, state->at, head + 1);
        if (p == NULL)
            return sig_short(in);
        const uint64_t to = word == 8 ? bytes_u64le(p) : bytes_u32le(p),
                       list = word == 8 ? bytes_u64le(p + 16) : bytes_u32le(p + 8);
        const uint32_t name = p[head - 1];
        if (to == 0)
            break;
        if (to > in->sig->size_max || to < state->at + head + name ||
            list > to - state->at - head - name || name == 0 || p[head] < 'A' || p[head] > 'z' ||
            state->records == FBX_RECORDS_MAX)
            return sig_breaks(in, "invalid record");
        state->at = to;
        state->records++;
        sig_valid(in, to < in->limit ? to : in->limit);
    }
    if (state->records == 0)
        return sig_reject("there are no records");
    for (uint32_t i = 0; i < head; i++)
        if (p[i] != 0)
            return sig_breaks(in, "invalid record");
    const enum step step = fbx_foot(in, state->at + head, version, &end);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "there is no footer behind the records");
    return sig_complete(in, end, "the records lead to the footer");
}

const struct sig sig_fbx = {
    .name = "fbx",
    .what = "binary FBX, a scene of models",
    .proves = "records lead to the footer, which ends the file; they are not read",
    .source =
        "Blender Foundation, FBX binary file format specification; io_scene_fbx, encode_bin.py",
    .types = (const struct sig_type[]){ { "fbx", "fbx" }, { 0 } },
    .headers = { SIG_PATTERN("Kaydara FBX Binary  \0\x1a\0") },
    .flags = SIG_CONTAINER,
    .size_min = FBX_HEAD + 2 * 13 + FBX_ID + FBX_FOOT,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct fbx_state),
    .check = fbx_check,
};
