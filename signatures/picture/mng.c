/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/mng.c - MNG animations and JNG pictures: every chunk's CRC, from MHDR to MEND,
 * from JHDR to IEND.
 *
 *   8a "MNG" 0d 0a 1a 0a | chunks as in PNG; first MHDR, last MEND; PNG and JNG pictures between
 * them without their signatures 8b "JNG" 0d 0a 1a 0a | first JHDR, last IEND, between them JDAT
 * (JPEG), JDAA, IDAT (alpha), JSEP
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/picture/picture_facts.h"
#include "signatures/picture/png_walk.h"
#include "signatures/sig.h"

enum {
    MNG_HEADER = 28, /* bytes of data of MHDR */
    JNG_HEADER = 16, /* of JHDR */
    MNG_ANCILLARY_MAX = 64 << 20,
};

struct mng_state {
    struct png_walk walk;
    bool jng;
    bool has_header, has_data;
    bool in_picture; /* of an MNG: between IHDR or JHDR, and IEND */
};

/* NULL when a chunk of this type and length may stand here. */
static const char *mng_chunk(const struct mng_state *state, const uint8_t *head)
{
    const uint32_t len = bytes_u32be(head);
    const uint8_t *type = head + 4;

    for (uint32_t i = 0; i < 4; i++)
        if ((type[i] | 0x20) < 'a' || (type[i] | 0x20) > 'z')
            return "the type of a chunk is not four letters";
    if (!state->has_header)
        return memcmp(type, state->jng ? "JHDR" : "MHDR", 4) == 0 &&
                       len == (state->jng ? JNG_HEADER : MNG_HEADER)
                   ? NULL
                   : "there is no header chunk";
    if (memcmp(type, "MHDR", 4) == 0 || (state->jng && memcmp(type, "JHDR", 4) == 0))
        return "there are two header chunks";
    if (memcmp(type, "IHDR", 4) == 0 || memcmp(type, "JHDR", 4) == 0)
        return state->in_picture || state->jng || len != (type[0] == 'I' ? 13 : JNG_HEADER)
                   ? "the header of a picture has a wrong place or length"
                   : NULL;
    if (memcmp(type, "IDAT", 4) == 0 || memcmp(type, "JDAT", 4) == 0 ||
        memcmp(type, "JDAA", 4) == 0)
        return state->in_picture || state->jng ? NULL : "picture data are in the wrong place";
    if (memcmp(type, "IEND", 4) == 0)
        return len == 0 && (state->jng ? state->has_data : state->in_picture)
                   ? NULL
                   : "an end chunk is in the wrong place";
    if (memcmp(type, "MEND", 4) == 0)
        return len == 0 && !state->jng && !state->in_picture ? NULL
                                                             : "an end chunk is in the "
                                                               "wrong place";
    return len <= MNG_ANCILLARY_MAX ? NULL : "a chunk is longer than any known one";
}

static const char *mng_picture_header(const uint8_t *data)
{
    const uint32_t colour = data[8];

    if (bytes_u32be(data) == 0 || bytes_u32be(data + 4) == 0)
        return "a picture has no width or height";
    return colour != 8 && colour != 10 && colour != 12 && colour != 14
               ? "unknown colour type of a picture"
               : NULL;
}

/* Takes note of a chunk that is right. */
static void mng_take(struct mng_state *state, const uint8_t *type)
{
    state->has_header = true;
    if (memcmp(type, "IHDR", 4) == 0 || memcmp(type, "JHDR", 4) == 0)
        state->in_picture = true;
    else if (memcmp(type, "IEND", 4) == 0)
        state->in_picture = false;
    else if (memcmp(type, "IDAT", 4) == 0 || memcmp(type, "JDAT", 4) == 0)
        state->has_data = true;
}

static struct sig_result mng_check(struct sig_input *in, void *memory)
{
    struct mng_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, PNG_WALK_SIGNATURE);

    if (head == NULL)
        return sig_short(in);
    state->jng = head[0] == 0x8b;
    in->type = &in->sig->types[state->jng ? 1 : 0];
    if (state->walk.chunk == 0)
        state->walk.chunk = PNG_WALK_SIGNATURE;
    for (;;) {
        const uint64_t chunk = state->walk.chunk;
        uint8_t type[4];

        head = sig_bytes(in, chunk, PNG_WALK_HEAD);
        if (head == NULL)
            return sig_short(in);
        memcpy(type, head + 4, 4);
        const char *why = mng_chunk(state, head);
        if (why != NULL)
            return sig_breaks(in, why);
        const enum step step = png_walk_chunk(in, &state->walk, in->sig->size_max);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "the CRC of a chunk is wrong");
        if (memcmp(type, "JHDR", 4) == 0) {
            state->walk.chunk =
                chunk; /* should the bytes not be there any more, the chunk is read again */
            const uint8_t *data = sig_bytes(in, chunk + PNG_WALK_HEAD, JNG_HEADER);
            if (data == NULL)
                return sig_short(in);
            why = mng_picture_header(data);
            if (why != NULL)
                return sig_breaks(in, why);
            state->walk.chunk = chunk + PNG_WALK_HEAD + JNG_HEADER + 4;
        }
        mng_take(state, type);
        if (state->has_data)
            sig_valid(in, state->walk.chunk);
        if (memcmp(type, "MEND", 4) == 0 || (state->jng && memcmp(type, "IEND", 4) == 0))
            return sig_complete(in, state->walk.chunk, "the CRC of every chunk is right");
    }
}

const struct sig sig_mng = {
    .name = "mng",
    .what = "MNG animation, JNG picture",
    .proves = "every chunk's CRC-32 and their order, from MHDR to MEND or JHDR to IEND",
    .source = "G. Randers-Pehrson, MNG format version 1.0 (2001); JNG format version 1.0 (2001)",
    .types = (const struct sig_type[]){ { "mng", "mng" }, { "jng", "jng" }, { 0 } },
    .headers = { SIG_PATTERN("\x8aMNG\r\n\x1a\n\0\0\0\x1cMHDR"),
                 SIG_PATTERN("\x8bJNG\r\n\x1a\n\0\0\0\x10JHDR") },
    .flags = SIG_CONTAINER,
    .size_min = PNG_WALK_SIGNATURE + 12 + JNG_HEADER + 12,
    .size_max = UINT64_C(1) << 34,
    .seam = SIG_SEAM_EXACT,
    .state_size = sizeof(struct mng_state),
    .check = mng_check,
    .facts = mng_facts,
};
