/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/riff.c - RIFF: WAVE sound, AVI video, WebP pictures, and smaller forms.
 *
 *   "RIFF" | u32le size | form | (id | u32le length | data | pad to even)*         size counts from
 * the form on
 *
 * Chunks are walked and must end exactly with the form. Where the last chunk is odd and the size
 * leaves its pad byte out, a zero byte behind belongs to the file, but not of a sound: of 90 such
 * ones in games of Debian 12 three are padded. AVI: the list "movi" is walked too, and further
 * "AVIX" forms are joined. RF64 and BW64 keep 64-bit sizes in a chunk "ds64"; RIFX has the other
 * byte order. What each form needs is in riff_form.c.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "signatures/lib/chars.h"
#include "signatures/video/riff.h"
#include "signatures/video/video_facts.h"

enum { RIFF_FACT_CHUNK = 12 };

static const struct sig_type riff_types[] = {
    [RIFF_WAVE] = { "wav", "wav" },
    [RIFF_AVI] = { "avi", "avi" },
    [RIFF_WEBP] = { "webp", "webp" },
    [RIFF_ACON] = { "ani", "ani" },
    [RIFF_RMID] = { "rmi", "rmi" },
    [RIFF_SFBK] = { "sf2", "sf2" },
    [RIFF_CDR] = { "cdr", "cdr" },
    [RIFF_CMX] = { "cmx", "cmx" },
    [RIFF_DLS] = { "dls", "dls" },
    [RIFF_CDXA] = { "vcd", "dat" },
    [RIFF_QLCM] = { "qcp", "qcp" },
    [RIFF_PAL] = { "pal", "pal" },
    { 0 },
};

uint32_t riff_u32(const struct riff_state *state, const uint8_t *p)
{
    return state->big_endian ? bytes_u32be(p) : bytes_u32le(p);
}

uint32_t riff_u16(const struct riff_state *state, const uint8_t *p)
{
    return state->big_endian ? bytes_u16be(p) : bytes_u16le(p);
}

/* Breaks at the last chunk that had a right one behind it; refused when that is next to nothing. */
static struct sig_result riff_break(struct sig_input *in, const struct riff_state *state,
                                    const char *why)
{
    if (state->proven > LIMIT_SECTOR)
        sig_valid(in, state->proven);
    return sig_breaks(in, why);
}

static struct sig_result riff_wait(struct sig_input *in, const struct riff_state *state)
{
    if (in->wanted <= in->limit)
        return sig_short(in);
    if (riff_has_content(state) && in->limit > LIMIT_SECTOR)
        sig_valid(in, in->limit);
    return riff_break(in, state, sig_short(in).why);
}

/* The head of the file; NULL in *why when it is right. */
static enum riff_step riff_begin(struct sig_input *in, struct riff_state *state, const char **why)
{
    /* CorelDRAW's ends with its version */
    static const char forms[][5] = {
        [RIFF_WAVE] = "WAVE", [RIFF_AVI] = "AVI ",  [RIFF_WEBP] = "WEBP", [RIFF_ACON] = "ACON",
        [RIFF_RMID] = "RMID", [RIFF_SFBK] = "sfbk", [RIFF_CDR] = "CDR",   [RIFF_CMX] = "CMX1",
        [RIFF_DLS] = "DLS ",  [RIFF_CDXA] = "CDXA", [RIFF_QLCM] = "QLCM", [RIFF_PAL] = "PAL "
    };
    const uint8_t *head = sig_bytes(in, 0, RIFF_HEAD);

    if (head == NULL)
        return RIFF_WAIT;
    state->big_endian = memcmp(head, "RIFX", 4) == 0;
    state->wide = memcmp(head, "RF64", 4) == 0 || memcmp(head, "BW64", 4) == 0;
    for (state->form = RIFF_WAVE; state->form < RIFF_FORMS; state->form++)
        if (memcmp(head + 8, forms[state->form], strlen(forms[state->form])) == 0)
            break;
    if (state->form == RIFF_FORMS || (memcmp(head, "RIFF", 4) != 0 && state->form != RIFF_WAVE) ||
        (!state->wide && !state->big_endian && memcmp(head, "RIFF", 4) != 0)) {
        *why = "unknown form";
        return RIFF_BAD;
    }
    in->type = &riff_types[state->form];
    const uint32_t size = riff_u32(state, head + 4);
    state->end = 8 + (uint64_t)size;
    if (state->wide) {
        head = sig_bytes(in, RIFF_HEAD, 8 + RIFF_DS64);
        if (head == NULL)
            return RIFF_WAIT;
        state->end = sig_add(8, bytes_u64le(head + 8));
        state->wide_data = bytes_u64le(head + 16);
        if (memcmp(head, "ds64", 4) != 0 || size != UINT32_MAX) {
            *why = "there are no 64-bit sizes behind the header";
            return RIFF_BAD;
        }
    }
    state->streamed = !state->wide && (size == 0 || size >= UINT32_MAX - 64);
    if (state->streamed)
        state->end = UINT64_MAX;
    if (state->end < RIFF_HEAD + 8) {
        *why = "the form has no chunks";
        return RIFF_BAD;
    }
    state->at = RIFF_HEAD;
    state->step = 1;
    return RIFF_DONE;
}

/* Behind the last chunk: the pad byte that the size left out, or the next AVIX form. RIFF_DONE: go
 * on walking. */
static enum riff_step riff_end(struct sig_input *in, struct riff_state *state,
                               struct sig_result *result)
{
    const char *why = riff_missing(state);

    if (why != NULL) {
        *result = riff_break(in, state, why);
        return RIFF_BAD;
    }
    state->proven = state->end;
    if (state->at > state->end && state->end < in->limit && state->form != RIFF_WAVE) {
        const uint8_t *pad = sig_bytes(in, state->end, 1);

        if (pad == NULL)
            return RIFF_WAIT;
        if (pad[0] == 0)
            state->end++;
    }
    if (state->form == RIFF_AVI && state->end < in->limit && in->limit - state->end >= RIFF_HEAD) {
        const uint8_t *next = sig_bytes(in, state->end, RIFF_HEAD);

        if (next == NULL)
            return RIFF_WAIT;
        if (memcmp(next, "RIFF", 4) == 0 && memcmp(next + 8, "AVIX", 4) == 0) {
            state->at = state->end + RIFF_HEAD;
            state->end += 8 + (uint64_t)bytes_u32le(next + 4);
            return RIFF_DONE;
        }
    }
    *result = state->form == RIFF_AVI ? sig_complete(in, state->end, "the chunks end with the form")
                                      : sig_believe(in, state->end, "the chunks end with the form");
    return RIFF_BAD;
}

static struct sig_result riff_check(struct sig_input *in, void *memory)
{
    struct riff_state *state = memory;
    struct sig_result result = { 0 };
    const char *why = NULL;

    if (state->at == 0) {
        const enum riff_step step = riff_begin(in, state, &why);

        if (step != RIFF_DONE)
            return step == RIFF_WAIT ? sig_short(in) : sig_reject(why);
    }
    for (;;) {
        if (state->form == RIFF_ACON && state->at + 8 == state->end && riff_has_content(state))
            state->end = state->at; /* tools for cursors count the 8 bytes of the head in */
        if (state->at >= state->end) {
            const enum riff_step step = riff_end(in, state, &result);

            if (step == RIFF_WAIT)
                return riff_wait(in, state);
            if (step == RIFF_BAD)
                return result;
            continue;
        }
        const uint8_t *head = sig_bytes(in, state->at, 8);
        if (head == NULL)
            return riff_wait(in, state);
        struct riff_chunk chunk = { .at = state->at, .size = riff_u32(state, head + 4) };
        memcpy(chunk.id, head, 4);
        if (state->wide && memcmp(chunk.id, "data", 4) == 0 && chunk.size == UINT32_MAX)
            chunk.size = state->wide_data;
        const uint64_t body_end = sig_add(state->at + 8, chunk.size);

        if (!text_is_printable(chunk.id, 4))
            return riff_break(in, state, "the name of a chunk is not printable");
        if (state->streamed && (chunk.size == 0 || chunk.size >= UINT32_MAX - 64) &&
            riff_is_content(state, &chunk)) {
            sig_valid(in, state->at + 8);
            return sig_breaks(in, "the file was written as a stream: its length is not recorded");
        }
        if (body_end == UINT64_MAX) /* rounding it up would begin anew at 0 */
            return riff_break(in, state, "a chunk is longer than the form");
        if (body_end > state->end) {
            if (body_end != state->end + RIFF_FACT_CHUNK || !state->has_fact ||
                !riff_is_content(state, &chunk))
                return riff_break(in, state, "a chunk is longer than the form");
            state->end = body_end; /* some writers forget to count the chunk "fact" */
        }
        const bool checked = state->plausible.at != 0; /* and waited for its bytes */
        const enum riff_step step = checked ? RIFF_DONE : riff_chunk(in, state, &chunk, &why);
        if (step == RIFF_WAIT)
            return riff_wait(in, state);
        if (step == RIFF_BAD)
            return riff_break(in, state, why);
        switch (plausible_check(in, &state->plausible, riff_plausible(state, &chunk), state->step,
                                state->at + 8, body_end)) {
        case STEP_WAIT:
            return riff_wait(in, state);
        case STEP_BAD:
            state->proven = state->plausible.at;
            return riff_break(in, state, "the data here do not look like their format");
        default:
            break;
        }
        state->plausible = (struct plausible){ 0 };
        state->proven = chunk.at;
        state->at = step == RIFF_INSIDE ? chunk.at + RIFF_HEAD : body_end + (chunk.size & 1);
    }
}

const struct sig sig_riff = {
    .name = "riff",
    .what = "RIFF: WAVE sound, AVI video, WebP picture, and smaller forms",
    .proves = "chunks end with the form, AVI frames with their list; samples of WAVE hold no text, "
              "pictures are not decoded",
    .source = "Microsoft and IBM, Multimedia Programming Interface 1.0; OpenDML AVI 1.02; EBU Tech "
              "3306; Google, WebP "
              "container",
    .types = riff_types,
    .headers = { SIG_MASKED("RIFF????WAVE", "\xff\xff\xff\xe1\0\0\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("RIFF????AVI ", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("RIFF????WEBP", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("RIFF????ACON", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("RIFF????RMID", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("RIFF????sfbk", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("RIFF????CDR", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff"),
                 SIG_MASKED("RIFF????CMX1", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("RIFF????DLS ", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("RIFF????CDXA", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("RIFF????QLCM", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("RIFF????PAL data",
                            "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"),
                 SIG_PATTERN("RF64\xff\xff\xff\xffWAVEds64"),
                 SIG_PATTERN("BW64\xff\xff\xff\xffWAVEds64") },
    .flags = SIG_CONTAINER, /* MJPEG frames */
    .size_min = 28,
    .size_max = UINT64_C(1) << 40,
    .state_size = sizeof(struct riff_state),
    .check = riff_check,
    .facts = riff_facts,
};
