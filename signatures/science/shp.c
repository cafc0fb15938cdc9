/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/shp.c - shapes on a map (ESRI), and the index of their records.
 *
 *   u32be 9994 | 20 zeros | u32be length in words of 2 bytes | u32le version 1000 | u32le kind of
 * shape | 8 doubles: the box around all
 *   shapes: records: u32be number, u32be words of the content | u32le kind, 0 for none | …
 *   index: records: u32be place and length in words of the record of the shapes
 */
#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    SHP_HEAD = 100,
    SHP_RECORD = 8,
    SHP_KIND = 4, /* bytes of a content at least */
    SHP_PATCH = 31,
    SHP_WORD = 2,
    SHP_TYPE_SHX = 1,
};

struct shp_state {
    uint64_t at;     /* next record; 0: not begun */
    uint64_t other;  /* index: where the record of the shapes begins */
    uint32_t number; /* of the last record */
};

static bool shp_kind(uint32_t kind)
{
    const uint32_t below = kind % 10;

    return kind == SHP_PATCH ||
           (kind < 30 && (below == 1 || below == 3 || below == 5 || below == 8));
}

/* A record of shapes is numbered, and of the file's kind. */
static enum step shp_shape(struct sig_input *in, struct shp_state *state, uint32_t kind,
                           uint64_t end)
{
    const uint8_t *p = sig_bytes(in, state->at, SHP_RECORD + SHP_KIND);

    if (p == NULL)
        return STEP_WAIT;
    const uint64_t len = (uint64_t)bytes_u32be(p + 4) * SHP_WORD;
    const uint32_t own = bytes_u32le(p + SHP_RECORD);
    if (bytes_u32be(p) != state->number + 1 || len < SHP_KIND ||
        len > end - state->at - SHP_RECORD || (own != 0 && own != kind) || (own != 0 && len < 20))
        return STEP_BAD;
    state->at += SHP_RECORD + len;
    state->number++;
    return STEP_DONE;
}

/* A record of the index: each begins where the last one ends. */
static enum step shp_place(struct sig_input *in, struct shp_state *state)
{
    const uint8_t *p = sig_bytes(in, state->at, SHP_RECORD);

    if (p == NULL)
        return STEP_WAIT;
    const uint64_t at = (uint64_t)bytes_u32be(p) * SHP_WORD;
    const uint64_t len = (uint64_t)bytes_u32be(p + 4) * SHP_WORD;
    if (at != state->other || len < SHP_KIND)
        return STEP_BAD;
    state->other = at + SHP_RECORD + len;
    state->at += SHP_RECORD;
    state->number++;
    return STEP_DONE;
}

static struct sig_result shp_check(struct sig_input *in, void *memory)
{
    struct shp_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, SHP_HEAD + SHP_RECORD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t end = (uint64_t)bytes_u32be(p + 24) * SHP_WORD;
    const uint32_t kind = bytes_u32le(p + 32);
    const bool index = bytes_u32be(p + SHP_HEAD) == SHP_HEAD / SHP_WORD;
    if (!shp_kind(kind) || end < SHP_HEAD + SHP_RECORD ||
        (index && (end - SHP_HEAD) % SHP_RECORD != 0))
        return sig_reject("invalid length or kind of shape");
    in->type = &in->sig->types[index ? SHP_TYPE_SHX : 0];
    if (state->at == 0)
        *state = (struct shp_state){ .at = SHP_HEAD, .other = SHP_HEAD };
    while (state->at < end) {
        const enum step step = end - state->at < SHP_RECORD + (index ? 0 : SHP_KIND) ? STEP_BAD
                               : index ? shp_place(in, state)
                                       : shp_shape(in, state, kind, end);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "a record has not the next number, a wrong length or kind");
        sig_valid(in, state->at);
    }
    return sig_complete(in, end, "the records lead to the end");
}

const struct sig sig_shp = {
    .name = "shp",
    .what = "shapes on a map (ESRI shapefile), or their index",
    .proves = "records are numbered, or places follow one another, up to the announced end",
    .source = "ESRI Shapefile Technical Description, July 1998",
    .types = (const struct sig_type[]){ { "shp", "shp" }, { "shx", "shx" }, { 0 } },
    .headers = { SIG_MASKED("\0\0\x27\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0????\xe8\3\0\0",
                            "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
                            "\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff") },
    .size_min = SHP_HEAD + SHP_RECORD,
    .size_max = UINT64_C(1) << 33,
    .state_size = sizeof(struct shp_state),
    .check = shp_check,
};
