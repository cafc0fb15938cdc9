/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/gitpack.c - packs of objects of Git.
 *
 *   "PACK" | u32be version 2, 3 | u32be objects | objects | 20 bytes of SHA-1
 *   object: kind and inflated length in groups of 7 bits, the first of 4 | 6: a distance in groups
 * of 7 bits; 7: the 20 bytes of an identity | zlib data
 */
#include "base/bytes.h"
#include "signatures/lib/inflate.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    GITPACK_HEAD = 12,
    GITPACK_DIGEST = 20,
    GITPACK_PLAIN_MAX = 4, /* commit, tree, blob, tag */
    GITPACK_BY_DISTANCE = 6,
    GITPACK_BY_NAME = 7,
    GITPACK_NUMBER_MAX = 9, /* bytes of a length or a distance */
};

struct gitpack_state {
    uint64_t at, object;    /* next byte; where its object begins */
    uint64_t size;          /* inflated bytes: as the object says, */
    struct inflate_got got; /* and so far */
    uint32_t objects;       /* done */
    bool inside;            /* at stands in zlib data */
    struct inflate_state inflate;
};
_Static_assert(sizeof(struct gitpack_state) <= SIG_STATE_MAX, "the state of ISA-L fits");

/* The distance to the object that this one changes. */
static enum step gitpack_distance(struct sig_input *in, uint64_t object, uint64_t *at)
{
    uint64_t distance = 0;

    for (uint32_t i = 0; i < GITPACK_NUMBER_MAX; i++) {
        const uint8_t *p = sig_bytes(in, *at, 1);

        if (p == NULL)
            return STEP_WAIT;
        ++*at;
        distance = i == 0 ? p[0] & 0x7f : (distance + 1) << 7 | (p[0] & 0x7f);
        if ((p[0] & 0x80) == 0)
            return distance != 0 && distance <= object - GITPACK_HEAD ? STEP_DONE : STEP_BAD;
    }
    return STEP_BAD;
}

/* What stands before the zlib data of an object. */
static enum step gitpack_head(struct sig_input *in, struct gitpack_state *state)
{
    uint64_t at = state->object, size = 0;
    uint32_t kind = 0, shift = 0;
    bool more = true;

    for (uint32_t i = 0; more; i++) {
        const uint8_t *p = i < GITPACK_NUMBER_MAX ? sig_bytes(in, at, 1) : NULL;

        if (p == NULL)
            return i < GITPACK_NUMBER_MAX ? STEP_WAIT : STEP_BAD;
        at++;
        more = (p[0] & 0x80) != 0;
        if (i == 0)
            kind = p[0] >> 4 & 7;
        size |= (uint64_t)(p[0] & (i == 0 ? 0x0f : 0x7f)) << shift;
        shift += i == 0 ? 4 : 7;
    }
    if (kind == 0 || (kind > GITPACK_PLAIN_MAX && kind < GITPACK_BY_DISTANCE))
        return STEP_BAD;
    const enum step step =
        kind == GITPACK_BY_DISTANCE ? gitpack_distance(in, state->object, &at) : STEP_DONE;
    if (step != STEP_DONE)
        return step;
    at += kind == GITPACK_BY_NAME ? GITPACK_DIGEST : 0;
    const uint8_t *p = sig_bytes(in, at, 2);
    if (p == NULL)
        return STEP_WAIT;
    if ((p[0] & 0x8f) != 8 || bytes_u16be(p) % 31 != 0 || (p[1] & 0x20) != 0)
        return STEP_BAD;
    isal_inflate_init(&state->inflate);
    state->inflate.crc_flag = ISAL_ZLIB_NO_HDR_VER;
    state->at = at + 2;
    state->size = size;
    state->got = (struct inflate_got){ 0 };
    state->inside = true;
    return STEP_DONE;
}

static enum step gitpack_object(struct sig_input *in, struct gitpack_state *state)
{
    if (!state->inside) {
        const enum step step = gitpack_head(in, state);

        if (step != STEP_DONE)
            return step;
    }
    const enum step step = inflate_range(in, &state->inflate, &state->at, in->limit, &state->got);
    if (step != STEP_DONE)
        return step;
    if (state->got.bytes != state->size)
        return STEP_BAD;
    state->inside = false;
    state->object = state->at;
    sig_valid(in, state->at);
    return STEP_DONE;
}

static struct sig_result gitpack_check(struct sig_input *in, void *memory)
{
    struct gitpack_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, GITPACK_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint32_t objects = bytes_u32be(p + 8);
    if (objects == 0)
        return sig_reject("there are no objects");
    if (state->object == 0)
        state->object = GITPACK_HEAD;
    for (; state->objects < objects; state->objects++) {
        const enum step step = gitpack_object(in, state);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "an object does not inflate to its length");
    }
    return sig_complete(in, state->object + GITPACK_DIGEST, "every object inflates to its length");
}

const struct sig sig_gitpack = {
    .name = "gitpack",
    .what = "pack of objects of Git",
    .proves =
        "every object inflates to its length, with its Adler-32; there are as many as announced",
    .source = "Git documentation: gitformat-pack",
    .types = (const struct sig_type[]){ { "pack", "pack" }, { 0 } },
    .headers = { SIG_MASKED("PACK\0\0\0\2", "\xff\xff\xff\xff\xff\xff\xff\xfe") },
    .flags = SIG_UNPACKS,
    .size_min = GITPACK_HEAD + 9 + GITPACK_DIGEST,
    .size_max = UINT64_C(1) << 40,
    .state_size = sizeof(struct gitpack_state),
    .check = gitpack_check,
};
