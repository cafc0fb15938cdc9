/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/png.c - PNG and animated PNG: every chunk's CRC, from IHDR to IEND.
 *
 *   89 "PNG" 0d 0a 1a 0a | (u32be length | type | data | u32be CRC-32 of type and data)* ; first
 * IHDR, last IEND
 *
 * A file that breaks is right up to the end of its last chunk whose CRC is; without one of picture
 * data (IDAT), or with less than a sector of it all, it is refused: so little is a leftover, and no
 * picture. Apple's tools put a CgBI chunk in front of IHDR.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "signatures/picture/picture_facts.h"
#include "signatures/picture/png_walk.h"

enum {
    PNG_ANCILLARY_MAX =
        64 << 20, /* bytes of one chunk that is not picture data; real ones stay far below */
    PNG_DATA_SLACK = 64 << 10, /* bytes of picture data on top of twice the raw size */
};

struct png_state {
    struct png_walk walk;
    uint64_t data_max; /* most bytes that one IDAT can have */
    uint32_t sequence; /* number of the next chunk of an animation */
    uint32_t number;   /* that the chunk being read has, if it is one of an animation */
    uint8_t colour;
    bool animated;
    bool has_header, has_palette, has_data, data_ended;
};

static bool png_depth_ok(uint8_t depth, uint8_t colour)
{
    switch (colour) {
    case 0:
        return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
    case 3:
        return depth == 1 || depth == 2 || depth == 4 || depth == 8;
    case 2:
    case 4:
    case 6:
        return depth == 8 || depth == 16;
    default:
        return false;
    }
}

static const char *png_image_header(struct png_state *state, const uint8_t *data)
{
    static const uint8_t samples[7] = { 1, 0, 3, 1, 2, 0, 4 };
    const uint64_t width = bytes_u32be(data), height = bytes_u32be(data + 4);

    if (width == 0 || height == 0 || width > INT32_MAX || height > INT32_MAX ||
        !png_depth_ok(data[8], data[9]) || data[10] != 0 || data[11] != 0 || data[12] > 1)
        return "invalid values in the image header";
    const uint64_t row = width * samples[data[9]] * data[8] / 8 + 2;
    state->data_max =
        height > (UINT64_C(1) << 40) / row ? UINT64_C(1) << 41 : 2 * row * height + PNG_DATA_SLACK;
    state->colour = data[9];
    return NULL;
}

/* Whether the chunk is numbered, as those of an animation are. */
static bool png_is_frame(const struct png_state *state, const uint8_t *type)
{
    return state->animated && (memcmp(type, "fcTL", 4) == 0 || memcmp(type, "fdAT", 4) == 0);
}

/* NULL when a chunk of this type and length may stand here. */
static const char *png_chunk_head(struct png_state *state, const uint8_t *head)
{
    const uint32_t len = bytes_u32be(head);
    const uint8_t *type = head + 4;
    const bool data = memcmp(type, "IDAT", 4) == 0;

    for (uint32_t i = 0; i < 4; i++)
        if ((type[i] | 0x20) < 'a' || (type[i] | 0x20) > 'z')
            return "the type of a chunk is not four letters";
    if (!state->has_header) {
        if (memcmp(type, "IHDR", 4) == 0)
            return len == 13 ? NULL : "wrong length of the image header";
        return memcmp(head, "\0\0\0\4CgBI", 8) == 0 && state->walk.chunk == PNG_WALK_SIGNATURE
                   ? NULL
                   : "there is no image header";
    }
    if (data) {
        if (state->data_ended || (state->colour == 3 && !state->has_palette))
            return "picture data are in the wrong place";
        return len <= state->data_max ? NULL
                                      : "there are more picture data than the picture can "
                                        "have";
    }
    if (memcmp(type, "IHDR", 4) == 0)
        return "there are two image headers";
    if (memcmp(type, "PLTE", 4) == 0)
        return state->has_palette || state->has_data || len % 3 != 0 || len == 0 || len > 768
                   ? "invalid palette"
                   : NULL;
    if (memcmp(type, "IEND", 4) == 0)
        return !state->has_data || len != 0 ? "the end comes before any picture data, or is not "
                                              "empty"
                                            : NULL;
    if (memcmp(type, "fdAT", 4) == 0)
        return len <= state->data_max ? NULL
                                      : "there are more picture data than the picture can "
                                        "have";
    return len <= PNG_ANCILLARY_MAX ? NULL : "a chunk is longer than any known one";
}

/*
 * Reads what is needed of the data at object offset at, before the walk goes over them: they may be
 * out of reach behind it. An image header is looked at each time, for the walk may wait in it;
 * *why: what is wrong with it.
 */
static enum step png_chunk_data(struct sig_input *in, struct png_state *state, const uint8_t *type,
                                uint64_t at, const char **why)
{
    *why = NULL;
    if (memcmp(type, "IHDR", 4) == 0) {
        const uint8_t *header = sig_bytes(in, at, 13);
        if (header == NULL)
            return STEP_WAIT;
        *why = png_image_header(state, header);
    } else if (png_is_frame(state, type) && state->walk.summed == 0) {
        const uint8_t *number = sig_bytes(in, at, 4); /* where there is no data: the CRC's */
        if (number == NULL)
            return STEP_WAIT;
        state->number = bytes_u32be(number);
    }
    return STEP_DONE;
}

/* Notes a chunk whose CRC is right. False: it is of an animation, whose chunks are numbered one
 * after the other, and one is missing. */
static bool png_chunk_note(struct png_state *state, const uint8_t *type)
{
    const bool data = memcmp(type, "IDAT", 4) == 0;

    if (memcmp(type, "acTL", 4) == 0)
        state->animated = !state->has_data;
    if (png_is_frame(state, type) && state->number != state->sequence++)
        return false;
    state->has_header |= memcmp(type, "IHDR", 4) == 0;
    state->has_palette |= memcmp(type, "PLTE", 4) == 0;
    state->data_ended = state->has_data && !data;
    state->has_data |= data;
    return true;
}

/* Breaks after the last good chunk, which ends at object offset chunk. */
static struct sig_result png_break(struct sig_input *in, const struct png_state *state,
                                   uint64_t chunk, const char *why)
{
    if (state->has_data && chunk > LIMIT_SECTOR)
        sig_valid(in, chunk);
    return sig_breaks(in, why);
}

/* Where the range ends inside of picture data, the file is right up to there. */
static struct sig_result png_wait(struct sig_input *in, const struct png_state *state, bool in_data)
{
    const uint64_t chunk = state->walk.chunk;

    if (in->wanted <= in->limit)
        return sig_short(in);
    if (in_data && state->has_header && in->limit > chunk + LIMIT_SECTOR)
        sig_valid(in, in->limit);
    return png_break(in, state, chunk, sig_short(in).why);
}

static struct sig_result png_check(struct sig_input *in, void *memory)
{
    struct png_state *state = memory;

    if (state->walk.chunk == 0)
        state->walk.chunk = PNG_WALK_SIGNATURE;
    for (;;) {
        const uint64_t chunk = state->walk.chunk;
        const uint8_t *bytes = sig_bytes(in, chunk, PNG_WALK_HEAD);
        if (bytes == NULL)
            return png_wait(in, state, false);
        uint8_t head[PNG_WALK_HEAD];
        memcpy(head, bytes, sizeof head);
        const uint8_t *type = head + 4;

        const char *why = state->walk.summed == 0 ? png_chunk_head(state, head) : NULL;
        if (why != NULL)
            return png_break(in, state, chunk, why);
        if (png_chunk_data(in, state, type, chunk + PNG_WALK_HEAD, &why) == STEP_WAIT)
            return png_wait(in, state, false);
        switch (png_walk_chunk(in, &state->walk, UINT64_MAX)) {
        case STEP_WAIT:
            return png_wait(in, state, memcmp(type, "IDAT", 4) == 0);
        case STEP_BAD:
            return png_break(in, state, chunk, "the CRC of a chunk is wrong");
        case STEP_DONE:
            sig_sure(in, state->walk.chunk);
            break;
        }
        if (memcmp(type, "IEND", 4) == 0)
            return sig_complete(in, state->walk.chunk, "the CRC of every chunk is right");
        if (why != NULL)
            return sig_reject(why);
        if (!png_chunk_note(state, type))
            return png_break(in, state, chunk, "a frame of the animation is missing");
    }
}

/* A chunk: its length, its type, its data and their CRC. */
static bool png_unit(const uint8_t *head, struct sig_unit *unit)
{
    static const struct sig_next next[] = {
        { .bytes = "IDAT", .mask = "\xff\xff\xff\xff", .len = 4 },
        { .bytes = "IEND", .mask = "\xff\xff\xff\xff", .len = 4 },
    };
    const uint32_t len = bytes_u32be(head);

    if (memcmp(head + 4, "IDAT", 4) != 0)
        return false;
    *unit = (struct sig_unit){ .sum_from = 4,
                               .sum_to = 8ull + len,
                               .sum_at = 8ull + len,
                               .next_at = 16ull + len,
                               .next_count = 2 };
    memcpy(unit->next, next, sizeof next);
    return true;
}

const struct sig sig_png = {
    .name = "png",
    .what = "PNG picture, APNG animation",
    .proves = "every chunk's CRC-32 and their order, from IHDR to IEND",
    .source = "ISO/IEC 15948 (W3C PNG, third edition)",
    .types = (const struct sig_type[]){ { "png", "png" }, { 0 } },
    .headers = { SIG_PATTERN("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"),
                 SIG_PATTERN("\x89PNG\r\n\x1a\n\0\0\0\4CgBI") },
    .size_min = 57,
    .size_max = UINT64_C(1) << 34,
    .seam = SIG_SEAM_EXACT,
    .state_size = sizeof(struct png_state),
    .check = png_check,
    .unit = png_unit,
    .facts = png_facts,
};
