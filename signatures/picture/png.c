/*
 * signatures/picture/png.c - PNG and animated PNG: every chunk's CRC, from IHDR to IEND.
 *
 *   89 "PNG" 0d 0a 1a 0a | (u32be length | type | data | u32be CRC-32 of type and data)* ; first
 * IHDR, last IEND
 *
 * A file that breaks is right up to the end of its last chunk whose CRC is; without one of picture
 * data (IDAT), or with less than a sector of it all, it is refused: so little is a leftover, and no
 * picture. Apple's tools put a CgBI chunk in front of IHDR.
 */
#include <isa-l/crc.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    PNG_SIGNATURE = 8,
    PNG_CHUNK_HEAD = 8,
    PNG_CRC = 4,
    PNG_ANCILLARY_MAX =
        64 << 20, /* bytes of one chunk that is not picture data; real ones stay far below */
    PNG_DATA_SLACK = 64 << 10, /* bytes of picture data on top of twice the raw size */
};

struct png_state {
    uint64_t chunk;  /* object offset of the chunk being read */
    uint64_t summed; /* object offset up to which crc goes; 0: the chunk's head has not been read */
    uint64_t data_max; /* most bytes that one IDAT can have */
    uint32_t crc;
    uint32_t sequence; /* of the next chunk of an animation */
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
        return "an image header with values that cannot be";
    const uint64_t row = width * samples[data[9]] * data[8] / 8 + 2;
    state->data_max =
        height > (UINT64_C(1) << 40) / row ? UINT64_C(1) << 41 : 2 * row * height + PNG_DATA_SLACK;
    state->colour = data[9];
    return NULL;
}

/* NULL when a chunk of this type and length may stand here. */
static const char *png_chunk_head(struct png_state *state, const uint8_t *head)
{
    const uint32_t len = bytes_u32be(head);
    const uint8_t *type = head + 4;
    const bool data = memcmp(type, "IDAT", 4) == 0;

    for (uint32_t i = 0; i < 4; i++)
        if ((type[i] | 0x20) < 'a' || (type[i] | 0x20) > 'z')
            return "a chunk type that is not four letters";
    if (!state->has_header) {
        if (memcmp(type, "IHDR", 4) == 0)
            return len == 13 ? NULL : "an image header of wrong length";
        return memcmp(head, "\0\0\0\4CgBI", 8) == 0 && state->chunk == PNG_SIGNATURE
                   ? NULL
                   : "no image header";
    }
    if (data) {
        if (state->data_ended || (state->colour == 3 && !state->has_palette))
            return "picture data in a wrong place";
        return len <= state->data_max ? NULL : "more picture data than the picture can have";
    }
    if (memcmp(type, "IHDR", 4) == 0)
        return "two image headers";
    if (memcmp(type, "PLTE", 4) == 0)
        return state->has_palette || state->has_data || len % 3 != 0 || len == 0 || len > 768
                   ? "a palette that cannot be"
                   : NULL;
    if (memcmp(type, "IEND", 4) == 0)
        return !state->has_data || len != 0 ? "an end without picture data" : NULL;
    if (memcmp(type, "fdAT", 4) == 0)
        return len <= state->data_max ? NULL : "more picture data than the picture can have";
    return len <= PNG_ANCILLARY_MAX ? NULL : "a chunk longer than any known";
}

/* The chunk, whose CRC is right, when it is one of an animation: those are numbered one after the
 * other. */
static enum step png_animation(struct sig_input *in, struct png_state *state, const uint8_t *type)
{
    if (memcmp(type, "acTL", 4) == 0)
        state->animated = !state->has_data;
    if (!state->animated || (memcmp(type, "fcTL", 4) != 0 && memcmp(type, "fdAT", 4) != 0))
        return STEP_DONE;
    const uint8_t *number =
        sig_bytes(in, state->chunk + PNG_CHUNK_HEAD, 4); /* where there is no data: the CRC's */
    if (number == NULL)
        return STEP_WAIT;
    return bytes_u32be(number) == state->sequence++ ? STEP_DONE : STEP_BAD;
}

/* Breaks after the last good chunk; where the range ends inside of picture data, there. */
static struct sig_result png_break(struct sig_input *in, const struct png_state *state,
                                   const char *why)
{
    if (state->has_data && state->chunk > LIMIT_SECTOR)
        sig_valid(in, state->chunk);
    return sig_breaks(in, why);
}

static struct sig_result png_wait(struct sig_input *in, const struct png_state *state, bool in_data)
{
    if (in->wanted <= in->limit)
        return sig_short(in);
    if (in_data && state->has_header && in->limit > state->chunk + LIMIT_SECTOR)
        sig_valid(in, in->limit);
    return png_break(in, state, sig_short(in).why);
}

static struct sig_result png_check(struct sig_input *in, void *memory)
{
    struct png_state *state = memory;

    if (state->chunk == 0)
        state->chunk = PNG_SIGNATURE;
    for (;;) {
        const uint8_t *bytes = sig_bytes(in, state->chunk, PNG_CHUNK_HEAD);
        if (bytes == NULL)
            return png_wait(in, state, false);
        uint8_t head[PNG_CHUNK_HEAD];
        memcpy(head, bytes, sizeof head);
        const bool is_data = memcmp(head + 4, "IDAT", 4) == 0;
        const uint64_t end = state->chunk + PNG_CHUNK_HEAD + bytes_u32be(head);

        if (state->summed == 0) {
            const char *why = png_chunk_head(state, head);
            if (why != NULL)
                return png_break(in, state, why);
            state->crc = crc32_gzip_refl(0, head + 4, 4);
            state->summed = state->chunk + PNG_CHUNK_HEAD;
        }
        while (state->summed < end) {
            uint32_t len;
            bytes = sig_span(in, state->summed, &len);
            if (bytes == NULL)
                return png_wait(in, state, is_data);
            if (len > end - state->summed)
                len = (uint32_t)(end - state->summed);
            state->crc = crc32_gzip_refl(state->crc, bytes, len);
            state->summed += len;
        }
        bytes = sig_bytes(in, end, PNG_CRC);
        if (bytes == NULL)
            return png_wait(in, state, is_data);
        if (bytes_u32be(bytes) != state->crc)
            return png_break(in, state, "a chunk's CRC is wrong");
        if (memcmp(head + 4, "IEND", 4) == 0)
            return sig_complete(in, end + PNG_CRC, "every chunk's CRC is right");
        if (memcmp(head + 4, "IHDR", 4) == 0) {
            const uint8_t *header = sig_bytes(in, state->chunk + PNG_CHUNK_HEAD, 13);
            if (header == NULL)
                return png_wait(in, state, false);
            const char *why = png_image_header(state, header);
            if (why != NULL)
                return sig_reject(why);
            state->has_header = true;
        }
        const enum step step = png_animation(in, state, head + 4);
        if (step == STEP_WAIT)
            return png_wait(in, state, false);
        if (step == STEP_BAD)
            return png_break(in, state, "a frame of the animation is missing");
        state->has_palette |= memcmp(head + 4, "PLTE", 4) == 0;
        state->data_ended = state->has_data && !is_data;
        state->has_data |= is_data;
        state->chunk = end + PNG_CRC;
        state->summed = 0;
    }
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
    .state_size = sizeof(struct png_state),
    .check = png_check,
};
