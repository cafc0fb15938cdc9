/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/tga.c - Truevision TGA pictures of version 2.0, which end with a signature.
 *
 *   length of the name | colour map 0, 1 | kind 1-3, 9-11 | colour map: u16le first, u16le count,
 * bits | u16le x, y, width, height | bits | flags | name | colour map | pixels or run-length
 * packets | developer area | extension area (u16le 495 first) | u32le where the extension area is |
 * u32le where the developer area is | "TRUEVISION-XFILE." 0
 *
 * Nothing at the beginning says that it is one, so files of version 1, which have no signature at
 * the end, are not recovered. Packets are counted to the last pixel; the two offsets before the
 * signature have to lie behind the pixels. A false header may say billions of pixels, and any bytes
 * are packets, so those that no program would write are counted.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/raster.h"
#include "signatures/lib/step.h"
#include "signatures/picture/picture_facts.h"
#include "signatures/sig.h"

enum {
    TGA_HEAD = 18,
    TGA_FOOTER = 26,
    TGA_MARK = 18, /* the signature with its NUL */
    TGA_EXTENSION = 495,
    TGA_TABLES =
        482, /* in it: where the colour correction, the small picture and the table of lines are */
    TGA_AREAS_MAX = 1 << 20, /* bytes between the pixels and the footer; policy */
    TGA_PACKED = 8,
    TGA_COUNT_MAX = 127, /* pixels of a packet that has room for more */
    TGA_ODD_LOOK = 1024, /* packets before it is asked how many of them are odd: */
    TGA_ODD_SHARE = 64,  /* one in so many is too much. Bytes at random have one in four. */
};
static const char tga_mark[TGA_MARK] = "TRUEVISION-XFILE.";

struct tga_state {
    struct raster raster;
    uint64_t at; /* object offset of the next packet, or of what follows the pixels; 0: not begun */
    uint64_t pixels; /* that the packets before it make */
    uint64_t packets, odd;
    uint32_t before; /* pixels of the packet before, if it has them one by one; else 0 */
    bool decoded;
};

/* What the header says; NULL: it can be one. */
static const char *tga_header(const uint8_t *head, uint64_t *pixels_at, uint64_t *pixels,
                              uint32_t *bytes)
{
    const uint32_t kind = head[2] & ~(uint32_t)TGA_PACKED, map = bytes_u16le(head + 5),
                   map_bits = head[7];
    const uint32_t bits = head[16], alpha = head[17] & 0x0f;

    *pixels = (uint64_t)bytes_u16le(head + 12) * bytes_u16le(head + 14);
    *bytes = (bits + 7) / 8;
    *pixels_at =
        TGA_HEAD + (uint64_t)head[0] + (head[1] == 1 ? (uint64_t)map * ((map_bits + 7) / 8) : 0);
    if (head[1] > 1 || kind < 1 || kind > 3 || *pixels == 0)
        return "invalid kind of picture or no size";
    if (head[1] == 1 &&
        (map == 0 || (map_bits != 15 && map_bits != 16 && map_bits != 24 && map_bits != 32)))
        return "invalid colour map";
    if (kind == 1 && (head[1] != 1 || (bits != 8 && bits != 16)))
        return "invalid colour map or bits of a picture with colour map";
    if (kind == 2 && bits != 15 && bits != 16 && bits != 24 && bits != 32)
        return "invalid number of bits";
    if (kind == 3 && bits != 8 && bits != 16)
        return "invalid number of bits";
    return alpha > 8 || (head[17] & 0xc0) != 0 ? "invalid flags" : NULL;
}

/*
 * Notes the packet at p[i]. It is odd if its pixels would have been in the packet before: no
 * program begins another packet of single pixels before there are 128 or the line ends. Some write
 * each pixel by itself, but not when it is the same as the one before.
 */
static void tga_note(struct tga_state *state, const uint8_t *p, uint32_t i, uint32_t len,
                     uint32_t bytes, uint32_t width)
{
    const uint32_t count = (p[i] & 0x7fu) + 1;
    const bool single = (p[i] & 0x80) == 0;

    if (single && state->before > 0 && state->before <= TGA_COUNT_MAX && state->pixels % width != 0)
        state->odd += state->before > 1 || (i >= bytes && len - i > bytes &&
                                            memcmp(p + i - bytes, p + i + 1, bytes) == 0);
    state->before = single ? count : 0;
    state->packets++;
}

static bool tga_odd(const struct tga_state *state)
{
    return state->packets >= TGA_ODD_LOOK && state->odd > state->packets / TGA_ODD_SHARE;
}

static enum step tga_packets(struct sig_input *in, struct tga_state *state, uint64_t pixels,
                             uint32_t bytes, uint32_t width)
{
    while (state->pixels < pixels && !tga_odd(state)) {
        uint32_t len, i = 0;
        const uint8_t *packet = sig_span(in, state->at, &len);

        if (packet == NULL)
            return STEP_WAIT;
        while (i < len && state->pixels < pixels) {
            const uint32_t count = (packet[i] & 0x7fu) + 1;

            tga_note(state, packet, i, len, bytes, width);
            i += 1 + (packet[i] & 0x80 ? bytes : count * bytes);
            state->pixels += count;
        }
        state->at += i;
    }
    return state->pixels == pixels ? STEP_DONE : STEP_BAD;
}

static enum step tga_pixels(struct sig_input *in, struct tga_state *state, uint64_t at,
                            uint64_t pixels, uint32_t bytes)
{
    const uint64_t end = at + pixels * bytes;

    switch (raster_check(in, &state->raster, bytes, at, end)) {
    case STEP_WAIT:
        return STEP_WAIT;
    case STEP_BAD:
        return STEP_BAD;
    default:
        state->at = end;
        return STEP_DONE;
    }
}

/* The footer, behind the areas if there are any. */
static struct sig_result tga_end(struct sig_input *in, const struct tga_state *state)
{
    uint64_t mark;

    if (in->find_at < state->at)
        in->find_at = state->at;
    switch (sig_find(in, state->at, state->at + TGA_AREAS_MAX, tga_mark, TGA_MARK, &mark)) {
    case SIG_FIND_WAIT:
        return sig_short(in);
    case SIG_FIND_NONE:
        return sig_reject("there is no signature of version 2.0 behind the pixels");
    default:
        break;
    }
    const uint64_t footer = mark - (TGA_FOOTER - TGA_MARK);
    const uint8_t *bytes =
        mark < state->at + TGA_FOOTER - TGA_MARK ? NULL : sig_bytes(in, footer, TGA_FOOTER);
    if (bytes == NULL)
        return sig_reject("there is no room for the footer behind the pixels");
    const uint64_t extension = bytes_u32le(bytes), developer = bytes_u32le(bytes + 4);
    if ((extension != 0 && (extension < state->at || extension + 2 > footer)) ||
        (developer != 0 && (developer < state->at || developer + 2 > footer)))
        return sig_reject("an area does not lie between the pixels and the footer");
    uint64_t first = footer;
    if (extension != 0 || developer != 0)
        first = extension == 0 || (developer != 0 && developer < extension) ? developer : extension;
    if (extension != 0) {
        const uint8_t *area = sig_bytes(in, extension, TGA_EXTENSION - 1);

        if (area == NULL)
            return sig_short(in);
        const uint32_t length = bytes_u16le(area);
        if (length > TGA_EXTENSION || length + 1 < TGA_EXTENSION || extension + length > footer)
            return sig_reject("invalid extension area");
        for (uint32_t i = TGA_TABLES; i < TGA_TABLES + 12; i += 4) {
            const uint32_t table = bytes_u32le(area + i);

            first = table >= state->at && table < first ? table : first;
        }
    }
    if (first != state->at)
        return sig_reject("the pixels do not end where the areas or the footer begin");
    return sig_complete(in, footer + TGA_FOOTER,
                        "every pixel and the signature of version 2.0 "
                        "are there");
}

static struct sig_result tga_check(struct sig_input *in, void *memory)
{
    struct tga_state *state = memory;
    uint64_t at, pixels;
    uint32_t bytes;
    const uint8_t *head = sig_bytes(in, 0, TGA_HEAD);

    if (head == NULL)
        return sig_short(in);
    const bool packed = (head[2] & TGA_PACKED) != 0;
    const char *why = tga_header(head, &at, &pixels, &bytes);
    if (why != NULL)
        return sig_reject(why);
    if (!state->decoded) {
        if (state->at == 0)
            state->at = at;
        const enum step step = packed
                                   ? tga_packets(in, state, pixels, bytes, bytes_u16le(head + 12))
                                   : tga_pixels(in, state, at, pixels, bytes);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_reject(!packed          ? "the data do not look like pixels"
                              : tga_odd(state) ? "packets that no program would write"
                                               : "the packets do not end with the last pixel");
        state->decoded = true;
    }
    return tga_end(in, state);
}

/* name | colour map | kind, packed or not | colour map: first, count, bits | x, y, width, height |
 * bits */
#define TGA_PLAIN(kind, bits)                                                                      \
    SIG_MASKED("\0\0" kind "\0\0\0\0\0\0\0\0\0\0\0\0\0" bits,                                      \
               "\0\xff\xf7\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\0\xff")
#define TGA_MAPPED(map_bits, bits)                                                                 \
    SIG_MASKED("\0\1\1\0\0\0\0" map_bits "\0\0\0\0\0\0\0\0" bits,                                  \
               "\0\xff\xf7\0\0\0\0\xff\0\0\0\0\0\0\0\0\xff")

const struct sig sig_tga = {
    .name = "tga",
    .what = "Truevision TGA picture, version 2.0",
    .proves = "packets end with the last pixel, or the data look like pixels; the footer and the "
              "areas it names follow",
    .source = "Truevision TGA File Format Specification, Version 2.0",
    .types = (const struct sig_type[]){ { "tga", "tga" }, { 0 } },
    .headers = { TGA_PLAIN("\2", "\x18"), TGA_PLAIN("\2", "\x20"), TGA_PLAIN("\2", "\x10"),
                 TGA_PLAIN("\2", "\x0f"), TGA_PLAIN("\3", "\x08"), TGA_PLAIN("\3", "\x10"),
                 TGA_MAPPED("\x18", "\x08"), TGA_MAPPED("\x20", "\x08"), TGA_MAPPED("\x10", "\x08"),
                 TGA_MAPPED("\x0f", "\x08") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = TGA_HEAD + 1 + TGA_FOOTER,
    .size_max = UINT64_C(1) << 33,
    .state_size = sizeof(struct tga_state),
    .check = tga_check,
    .facts = tga_facts,
};
