/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/psd.c - Photoshop documents, large ones too.
 *
 *   "8BPS" | u16 1 (PSB: 2) | 6 zeros | u16 channels | u32 height, width | u16 depth | u16 mode
 *   u32 length, colours | u32 length, resources ("8BIM" | u16 id | name | u32 length | data)*
 *   u32 (u64) length, layers | u16 compression, the merged picture: plain, or a table of row
 * lengths and the rows
 *
 * All numbers are big-endian. Every length is followed: resources fill their section, the rows of
 * layers their channels, and each row of the merged picture decodes to as many bytes as it has
 * pixels. The merged picture is never deflated by any writer known: such a file is refused.
 */
#include <string.h>

#include "signatures/drawing/drawing_facts.h"
#include "signatures/drawing/psd.h"

enum {
    PSD_HEADER = 26,
    PSD_CHANNELS = 56,
    PSD_SIDE = 30000,
    PSD_BIG_SIDE = 300000,
    PSD_RESOURCE = 7, /* of a resource, before the name's letters */
    PSD_COLOURS_MAX = 1 << 20,
    PSD_INDEXED = 2,
};

static enum step psd_header(struct sig_input *in, struct psd_state *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, 0, PSD_HEADER);

    if (head == NULL)
        return STEP_WAIT;
    state->big = head[5] == 2;
    state->channels = bytes_u16be(head + 12);
    state->height = bytes_u32be(head + 14);
    state->width = bytes_u32be(head + 18);
    state->depth = bytes_u16be(head + 22);
    state->mode = bytes_u16be(head + 24);
    state->at = PSD_HEADER;
    state->phase = PSD_AT_COLOURS;
    const uint32_t side = state->big ? PSD_BIG_SIDE : PSD_SIDE;
    *why = "invalid channels, sides, depth or mode";
    return state->channels >= 1 && state->channels <= PSD_CHANNELS && state->height >= 1 &&
                   state->height <= side && state->width >= 1 && state->width <= side &&
                   (state->depth == 1 || state->depth == 8 || state->depth == 16 ||
                    state->depth == 32) &&
                   (state->mode <= 4 || (state->mode >= 7 && state->mode <= 9))
               ? STEP_DONE
               : STEP_BAD;
}

static enum step psd_colours(struct sig_input *in, struct psd_state *state, const char **why)
{
    const uint8_t *bytes = sig_bytes(in, state->at, 4);

    if (bytes == NULL)
        return STEP_WAIT;
    const uint32_t len = bytes_u32be(bytes);
    *why = "wrong length of the colour table";
    state->at += 4 + (uint64_t)len;
    state->phase = PSD_AT_RESOURCES;
    return (state->mode == PSD_INDEXED ? len == 768 : len <= PSD_COLOURS_MAX) ? STEP_DONE
                                                                              : STEP_BAD;
}

static enum step psd_resource(struct sig_input *in, struct psd_state *state)
{
    static const char kinds[][5] = { "8BIM", "MeSa", "PHUT", "AgHg", "DCSR" };
    const uint8_t *head = sig_bytes(in, state->at, PSD_RESOURCE);
    bool known = false;

    if (head == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        known |= memcmp(head, kinds[i], 4) == 0;
    const uint64_t name_end = state->at + 6 + ((head[6] + 2u) & ~1u);
    if (!known)
        return STEP_BAD;
    const uint8_t *len = sig_bytes(in, name_end, 4);
    if (len == NULL)
        return STEP_WAIT;
    state->at = name_end + 4 + (((uint64_t)bytes_u32be(len) + 1) & ~UINT64_C(1));
    return STEP_DONE;
}

static enum step psd_resources(struct sig_input *in, struct psd_state *state, const char **why)
{
    *why = "the resources do not fill their section";
    if (state->end == 0) {
        const uint8_t *bytes = sig_bytes(in, state->at, 4);

        if (bytes == NULL)
            return STEP_WAIT;
        state->at += 4;
        state->end = state->at + bytes_u32be(bytes);
    }
    while (state->at < state->end) {
        const enum step step = psd_resource(in, state);

        if (step != STEP_DONE)
            return step;
    }
    if (state->at > state->end + 1) /* the last one's padding may be left out of the length */
        return STEP_BAD;
    state->at = state->end;
    state->end = 0;
    state->phase = PSD_AT_LAYERS;
    return STEP_DONE;
}

static enum step psd_layer_section(struct sig_input *in, struct psd_state *state, const char **why)
{
    const uint32_t width = state->big ? 8 : 4;

    if (state->end == 0) {
        const uint8_t *bytes = sig_bytes(in, state->at, width);

        if (bytes == NULL)
            return STEP_WAIT;
        const uint64_t len = state->big ? bytes_u64be(bytes) : bytes_u32be(bytes);
        *why = "the section of layers is longer than any file";
        if (len > in->sig->size_max)
            return STEP_BAD;
        state->at += width;
        state->end = state->at + len;
    }
    if (state->at < state->end && state->end - state->at > width + 2) {
        const enum step step = psd_layers(in, state, why);

        if (step != STEP_DONE)
            return step;
    }
    state->at = state->end;
    state->phase = PSD_AT_PICTURE;
    return STEP_DONE;
}

static uint64_t psd_row_bytes(const struct psd_state *state)
{
    return ((uint64_t)state->width * state->depth + 7) / 8;
}

/* The merged picture: its compression, and the end if it is plain. */
static enum step psd_picture(struct sig_input *in, struct psd_state *state, const char **why)
{
    const uint64_t rows = (uint64_t)state->height * state->channels;
    const uint8_t *bytes = sig_bytes(in, state->at, 2);

    if (bytes == NULL)
        return STEP_WAIT;
    const uint32_t compression = bytes_u16be(bytes);
    *why = "unknown compression of the merged picture";
    if (compression > 1)
        return STEP_BAD;
    if (compression == 1) {
        state->table = state->at + 2;
        state->run = state->row_end = state->table + rows * (state->big ? 4 : 2);
        state->row = 0;
        state->phase = PSD_AT_RUNS;
        return STEP_DONE;
    }
    const uint64_t end = state->at + 2 + rows * psd_row_bytes(state);
    *why = "the data here do not look like the pixels of the picture";
    switch (plausible_check(in, &state->plausible,
                            state->depth == 8 ? PLAUSIBLE_PIXELS : PLAUSIBLE_SAMPLES_8, 1,
                            state->at + 2, end)) {
    case STEP_WAIT:
        return STEP_WAIT;
    case STEP_BAD:
        state->at = state->plausible.at;
        return STEP_BAD;
    default:
        state->at = end;
        return STEP_DONE;
    }
}

/* The codes of one row, from state->run to state->row_end. */
static enum step psd_row(struct sig_input *in, struct psd_state *state)
{
    while (state->run < state->row_end) {
        uint32_t len;
        const uint8_t *bytes = sig_span_to(in, state->run, state->row_end, &len);

        if (bytes == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < len;) {
            const uint8_t code = bytes[i];
            const uint32_t size = code < 128 ? code + 2u : code == 128 ? 1 : 2;

            state->out += code < 128 ? code + 1u : code == 128 ? 0 : 257u - code;
            state->run += size;
            i += size;
        }
    }
    return state->run == state->row_end && state->out == psd_row_bytes(state) ? STEP_DONE
                                                                              : STEP_BAD;
}

static enum step psd_runs(struct sig_input *in, struct psd_state *state, const char **why)
{
    const uint64_t rows = (uint64_t)state->height * state->channels;
    const uint32_t width = state->big ? 4 : 2;

    *why = "a row does not decode to its pixels";
    for (; state->row < rows; state->row++) {
        if (state->run == state->row_end && state->out == 0) {
            const uint8_t *bytes = sig_bytes(in, state->table + state->row * width, width);

            if (bytes == NULL)
                return STEP_WAIT;
            const uint32_t len = state->big ? bytes_u32be(bytes) : bytes_u16be(bytes);
            if (len == 0 || len > 2 * psd_row_bytes(state) + 2)
                return STEP_BAD;
            state->row_end = state->run + len;
        }
        const enum step step = psd_row(in, state);
        if (step == STEP_BAD)
            state->at = state->run < state->row_end ? state->run : state->row_end;
        if (step != STEP_DONE)
            return step;
        state->out = 0;
    }
    state->at = state->row_end;
    return STEP_DONE;
}

static struct sig_result psd_check(struct sig_input *in, void *memory)
{
    struct psd_state *state = memory;
    enum step step = STEP_DONE;
    const char *why = NULL;
    bool plain = false;

    while (step == STEP_DONE) {
        const enum psd_phase phase = state->phase;

        if (phase == PSD_AT_HEADER)
            step = psd_header(in, state, &why);
        else if (phase == PSD_AT_COLOURS)
            step = psd_colours(in, state, &why);
        else if (phase == PSD_AT_RESOURCES)
            step = psd_resources(in, state, &why);
        else if (phase < PSD_AT_PICTURE)
            step = psd_layer_section(in, state, &why);
        else if (phase == PSD_AT_PICTURE)
            step = psd_picture(in, state, &why);
        else
            step = psd_runs(in, state, &why);
        if (step == STEP_DONE &&
            (phase == PSD_AT_RUNS || (phase == PSD_AT_PICTURE && state->phase == phase))) {
            plain = phase == PSD_AT_PICTURE;
            break;
        }
    }
    if (step == STEP_WAIT && in->wanted <= in->limit)
        return sig_short(in);
    in->type = &in->sig->types[state->big ? 1 : 0];
    if (step != STEP_DONE) {
        if (state->phase > PSD_AT_RESOURCES)
            sig_valid(in, state->at < in->limit ? state->at : in->limit);
        return step == STEP_WAIT ? sig_short(in) : sig_breaks(in, why);
    }
    if (plain)
        return sig_believe(in, state->at,
                           "every section is valid, and the picture has the length of its pixels");
    return sig_complete(in, state->at, "every section is valid, and every row decodes");
}

const struct sig sig_psd = {
    .name = "psd",
    .what = "Photoshop document (PSD, PSB)",
    .proves = "sections, resources and channels fill one another; rows of the merged picture "
              "decode to its width",
    .source = "Adobe, Photoshop File Formats Specification (2019)",
    .types = (const struct sig_type[]){ { "psd", "psd" }, { "psb", "psb" }, { 0 } },
    .headers = { SIG_PATTERN("8BPS\0\1\0\0\0\0\0\0"), SIG_PATTERN("8BPS\0\2\0\0\0\0\0\0") },
    .flags = SIG_CONTAINER,
    .size_min = PSD_HEADER + 14,
    .size_max = UINT64_C(1) << 40,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct psd_state),
    .check = psd_check,
    .facts = psd_facts,
};
