/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/iff.c - EA IFF 85 forms: Amiga sound (8SVX, 16SV, MAUD), pictures (ILBM, PBM,
 * ACBM, DEEP, RGB8, RGBN) and animations (ANIM), music (SMUS), text (FTXT), LightWave objects
 * (LWOB, LWO2), scenes of modo (LXOB). AIFF has its own file.
 *
 *   "FORM" | u32be size | type | (id | u32be length | data | pad to even)*      size counts from
 * the type on
 *
 * The chunks must end with the form. The pad byte of the last one is left out by some, and is then
 * not in the size either. Every type has a chunk that comes first and one that holds the content;
 * the length of the latter is told where it follows from the former.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/chars.h"
#include "signatures/lib/plausible.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    IFF_HEAD = 12,
    IFF_CHUNK = 8,
    IFF_CHUNKS_MAX = 1 << 20,
    IFF_FIRST = 20 /* bytes of BMHD and VHDR */
};

enum iff_name {
    IFF_SOUND,
    IFF_PICTURES,
    IFF_ANIMATION,
    IFF_MUSIC,
    IFF_TEXT,
    IFF_OBJECT,
    IFF_SCENE,
    IFF_NAMES
};
static const struct sig_type iff_types[] = {
    [IFF_SOUND] = { "8svx", "8svx" },     [IFF_PICTURES] = { "iff", "iff" },
    [IFF_ANIMATION] = { "anim", "anim" }, [IFF_MUSIC] = { "smus", "smus" },
    [IFF_TEXT] = { "ftxt", "ftxt" },      [IFF_OBJECT] = { "lwo", "lwo" },
    [IFF_SCENE] = { "lxo", "lxo" },       [IFF_NAMES] = { 0 },
};

/* What a form consists of; an empty id: anything. */
static const struct iff_form {
    char type[5], first[5], content[5];
    enum iff_name name;
} iff_forms[] = {
    { "8SVX", "VHDR", "BODY", IFF_SOUND },    { "16SV", "VHDR", "BODY", IFF_SOUND },
    { "MAUD", "MHDR", "MDAT", IFF_SOUND },    { "ILBM", "BMHD", "BODY", IFF_PICTURES },
    { "PBM ", "BMHD", "BODY", IFF_PICTURES }, { "ACBM", "BMHD", "ABIT", IFF_PICTURES },
    { "DEEP", "DGBL", "DBOD", IFF_PICTURES }, { "RGB8", "BMHD", "BODY", IFF_PICTURES },
    { "RGBN", "BMHD", "BODY", IFF_PICTURES }, { "ANIM", "FORM", "FORM", IFF_ANIMATION },
    { "SMUS", "SHDR", "TRAK", IFF_MUSIC },    { "FTXT", "", "CHRS", IFF_TEXT },
    { "LWOB", "PNTS", "POLS", IFF_OBJECT },   { "LWO2", "TAGS", "POLS", IFF_OBJECT },
    { "LXOB", "VRSN", "ITEM", IFF_SCENE },
};

struct iff_state {
    uint64_t at, end; /* at: object offset of the next chunk; 0: not begun */
    const struct iff_form *form;
    uint32_t chunks;
    bool has_first, has_content;
    uint64_t plain; /* bytes of the content, where the first chunk tells: 0: it does not */
    struct plausible plausible;
};

static enum step iff_begin(struct sig_input *in, struct iff_state *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, 0, IFF_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < sizeof iff_forms / sizeof iff_forms[0] && state->form == NULL; i++)
        if (memcmp(head + 8, iff_forms[i].type, 4) == 0)
            state->form = &iff_forms[i];
    if (state->form == NULL)
        return step_bad(why, "unknown form");
    in->type = &iff_types[state->form->name];
    state->end = IFF_CHUNK + (uint64_t)bytes_u32be(head + 4);
    state->at = IFF_HEAD;
    return STEP_DONE;
}

/* The chunk that comes first, where it is one whose fields are known. */
static enum step iff_first(struct sig_input *in, struct iff_state *state, uint64_t len,
                           const char **why)
{
    const bool picture = memcmp(state->form->first, "BMHD", 4) == 0;

    if (!picture && memcmp(state->form->type, "8SVX", 4) != 0)
        return STEP_DONE;
    const uint8_t *first = len < IFF_FIRST ? NULL : sig_bytes(in, state->at + IFF_CHUNK, IFF_FIRST);
    if (first == NULL)
        return len < IFF_FIRST ? step_bad(why, "invalid first chunk") : STEP_WAIT;
    if (picture) {
        const uint32_t width = bytes_u16be(first), height = bytes_u16be(first + 2),
                       planes = first[8];
        const uint64_t row = (width + 15) / 16 * UINT64_C(2);

        if (width == 0 || height == 0 || planes > 32 || first[9] > 3 || first[10] > 4)
            return step_bad(why, "invalid header of the picture");
        if (first[10] == 0 && memcmp(state->form->type, "ILBM", 4) == 0)
            state->plain = row * height * (planes + (first[9] == 1));
        return STEP_DONE;
    }
    const uint64_t samples = (uint64_t)bytes_u32be(first) + bytes_u32be(first + 4);
    if (bytes_u16be(first + 12) == 0 || first[14] == 0 || first[14] > 16 || first[15] > 1)
        return step_bad(why, "invalid header of the sound");
    if (first[15] == 0 && first[14] == 1)
        state->plain = samples;
    return STEP_DONE;
}

static enum step iff_chunk(struct sig_input *in, struct iff_state *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, state->at, IFF_CHUNK);
    enum step step = STEP_DONE;

    if (head == NULL)
        return STEP_WAIT;
    const uint64_t len = bytes_u32be(head + 4);
    const bool first = memcmp(head, state->form->first, 4) == 0 || state->form->first[0] == '\0';
    const bool content = memcmp(head, state->form->content, 4) == 0;
    if (!text_is_printable(head, 4))
        return step_bad(why, "the name of a chunk is not printable");
    if (state->at + IFF_CHUNK + len > state->end || state->chunks == IFF_CHUNKS_MAX)
        return step_bad(why, "a chunk is longer than the form");
    if (first && !state->has_first)
        step = iff_first(in, state, len, why);
    if (step != STEP_DONE)
        return step;
    if (content && !first && !state->has_first)
        return step_bad(why, "the content comes before its header chunk");
    /* Sound for two ears has twice the samples, and some count one too few. */
    if (content && state->plain > 0 && (len < state->plain || len > 2 * state->plain + 2))
        return step_bad(why, "the length of the content contradicts the first chunk");
    if (content && state->form->name == IFF_SOUND) {
        const uint64_t from = state->at + IFF_CHUNK;

        switch (plausible_check(in, &state->plausible,
                                state->plain > 0 ? PLAUSIBLE_SAMPLES_8_SIGNED : PLAUSIBLE_ANY, 1,
                                from, from + len)) {
        case STEP_WAIT:
            return STEP_WAIT;
        case STEP_BAD:
            sig_valid(in, state->plausible.at);
            return step_bad(why, "the data here do not look like samples");
        default:
            break;
        }
    }
    state->has_first |= first;
    state->has_content |= content;
    state->at += IFF_CHUNK + len + len % 2;
    state->chunks++;
    return STEP_DONE;
}

static struct sig_result iff_check(struct sig_input *in, void *memory)
{
    struct iff_state *state = memory;
    const char *why = NULL;
    enum step step = state->at == 0 ? iff_begin(in, state, &why) : STEP_DONE;

    while (step == STEP_DONE && state->at < state->end) {
        step = iff_chunk(in, state, &why);
        if (step == STEP_DONE && state->has_first)
            sig_valid(in, state->at < state->end ? state->at : state->end);
    }
    if (step == STEP_WAIT && in->wanted > in->limit && state->has_first)
        sig_valid(in, in->limit);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, why);
    if (!state->has_first || !state->has_content)
        return sig_breaks(in, "the file ends before its content");
    return sig_believe(in, state->end, "the chunks end with the form");
}

#define IFF_PATTERN(type)                                                                          \
    SIG_MASKED("FORM\0\0\0\0" type, "\xff\xff\xff\xff\xe0\0\0\0\xff\xff\xff\xff")

const struct sig sig_iff = {
    .name = "iff",
    .what = "Amiga IFF sound, picture, animation, music, text; LightWave object, modo scene",
    .proves =
        "chunks end with the form; plain pictures and sounds are as long as the first chunk says",
    .source = "Electronic Arts, EA IFF 85 (1985), with 8SVX, ILBM, SMUS, FTXT, ANIM; NewTek, LWOB "
              "and LWO2; Luxology, LXO",
    .types = iff_types,
    .headers = { IFF_PATTERN("8SVX"), IFF_PATTERN("16SV"), IFF_PATTERN("MAUD"), IFF_PATTERN("ILBM"),
                 IFF_PATTERN("PBM "), IFF_PATTERN("ACBM"), IFF_PATTERN("DEEP"), IFF_PATTERN("RGB8"),
                 IFF_PATTERN("RGBN"), IFF_PATTERN("ANIM"), IFF_PATTERN("SMUS"), IFF_PATTERN("FTXT"),
                 IFF_PATTERN("LWOB"), IFF_PATTERN("LWO2"), IFF_PATTERN("LXOB") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = IFF_HEAD + IFF_CHUNK,
    .size_max = 1 << 29, /* what the mask of the header allows */
    .state_size = sizeof(struct iff_state),
    .check = iff_check,
};
