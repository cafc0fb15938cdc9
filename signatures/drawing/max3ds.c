/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/max3ds.c - 3DS: models of 3D Studio for DOS.
 *
 *   chunks: u16le kind | u32le length, with these 6 bytes | data or chunks. The file is one chunk,
 * 0x4d4d. It begins with its version, 2 | u32le; then comes 0x3d3d, the models.
 *
 * Chunks inside of the file's, and those of the models, are walked and fill it.
 */
#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    MAX_CHUNK = 6,
    MAX_VERSION = 10,
    MAX_MODELS = 0x3d3d,
    MAX_KEYS = 0xb000, /* movements */
    MAX_CHUNKS_MAX = 1 << 16,
};

struct max_state {
    uint64_t at;     /* object offset of the next chunk; 0: not begun */
    uint64_t models; /* object offset behind the models; 0: not there yet */
    uint32_t chunks;
};

/* One chunk of the file, or of its models. */
static enum step max_chunk(struct sig_input *in, uint64_t size, struct max_state *state)
{
    const uint8_t *p = sig_bytes(in, state->at, MAX_CHUNK);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t kind = bytes_u16le(p);
    const uint64_t length = bytes_u32le(p + 2),
                   end = state->at < state->models ? state->models : size;
    if (length < MAX_CHUNK || length > end - state->at || state->chunks == MAX_CHUNKS_MAX)
        return STEP_BAD;
    state->chunks++;
    if (kind == MAX_MODELS && state->models == 0) {
        state->models = state->at + length;
        state->at += MAX_CHUNK;
        return STEP_DONE;
    }
    /* Behind the models nothing but movements follows. */
    if (state->models > 0 && state->at >= state->models && kind != MAX_KEYS)
        return STEP_BAD;
    state->at += length;
    return STEP_DONE;
}

static struct sig_result max_check(struct sig_input *in, void *memory)
{
    struct max_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, MAX_CHUNK + MAX_VERSION + MAX_CHUNK);

    if (p == NULL)
        return sig_short(in);
    const uint64_t size = bytes_u32le(p + 2);
    if (size < in->sig->size_min || bytes_u16le(p + MAX_CHUNK + MAX_VERSION) != MAX_MODELS)
        return sig_reject("no models behind the version");
    if (state->at == 0)
        state->at = MAX_CHUNK + MAX_VERSION;
    while (state->at < size) {
        const enum step step = max_chunk(in, size, state);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return state->chunks < 3 ? sig_reject("invalid chunk")
                                     : sig_breaks(in, "invalid chunk");
        if (state->chunks > 2)
            sig_valid(in, state->at < in->limit ? state->at : in->limit);
    }
    if (state->chunks < 3)
        return sig_reject("there are no models");
    return sig_believe(in, size, "the chunks fill the file");
}

const struct sig sig_3ds = {
    .name = "3ds",
    .what = "3DS, models of 3D Studio",
    .proves = "chunks of the file and of its models fill it; points and faces are not read",
    .source = "M. Fercoq, 3DS-BIN: 3D-Studio File Format (1996); lib3ds, lib3ds_file.c",
    .types = (const struct sig_type[]){ { "3ds", "3ds" }, { 0 } },
    .headers = { SIG_MASKED("MM\0\0\0\0\2\0\x0a\0\0\0\0\0\0\0==",
                            "\xff\xff\0\0\0\xff\xff\xff\xff\xff\xff\xff\xf8\xff\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = MAX_CHUNK + MAX_VERSION + 2 * MAX_CHUNK,
    .size_max = 1 << 24,
    .state_size = sizeof(struct max_state),
    .check = max_check,
};
