/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/bmp.c - Windows and OS/2 bitmaps.
 *
 *   14 bytes of file header: "BM" | u32le file size | u32le 0 | u32le offset of the pixels
 *   DIB header, which begins with its own size (12, 16, 40, 52, 56, 64, 108, 124): width, height,
 * planes = 1, bits, compression colour table | pixels, rows padded to 4 bytes, or run-length codes
 * | (V5) colour profile
 *
 * The length is the file size of the header. It is believed only if it agrees with the size of the
 * pixels, since two letters make a weak header; run-length codes are followed to their end, and
 * plain pixels must look like pixels. Several writers store a file size of 0 or leave out the row
 * padding of the last row; neither is accepted.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/plausible.h"
#include "signatures/lib/step.h"
#include "signatures/picture/picture_facts.h"
#include "signatures/sig.h"

enum {
    BMP_FILE_HEADER = 14,
    BMP_CORE_HEADER = 12,  /* OS/2 1.x: 16-bit width and height */
    BMP_SHORT_HEADER = 16, /* OS/2 2.x, all optional fields left out */
    BMP_INFO_HEADER = 40,
    BMP_OS2_HEADER = 64,
    BMP_V5_HEADER = 124,
    BMP_COLOURS = 256 * 4 + 12, /* bytes of the largest colour table, or of three masks */
    BMP_SLACK = 4096, /* bytes that may stand between colour table and pixels, or behind them */
    BMP_RUN_OVER = 8, /* pixels that a row of codes may go on behind the width: some code the row's
                         padding too */
    BMP_SIDE_MAX = 1 << 20, /* pixels; larger sides do not fit any file we would believe */
};

enum bmp_compression {
    BMP_RGB,
    BMP_RLE8,
    BMP_RLE4,
    BMP_FIELDS,
    BMP_JPEG,
    BMP_PNG,
    BMP_ALPHA_FIELDS,
    BMP_HUFFMAN,
    BMP_RLE24,
    BMP_UNKNOWN
};

/* What the headers say; offsets are the object's. */
struct bmp_header {
    uint32_t file_size, pixels_at, dib_size, bits, pixels_size;
    uint64_t width, height, profile_end; /* pixels; profile_end 0: none */
    enum bmp_compression compression;
};

struct bmp_state {
    struct plausible plausible;
    uint64_t at;   /* next run-length code; 0: not begun */
    uint64_t x, y; /* where it goes on */
};

static enum bmp_compression bmp_compression(uint32_t value, uint32_t dib_size)
{
    if (dib_size == BMP_OS2_HEADER &&
        (value == 3 || value == 4)) /* OS/2 uses these two numbers otherwise */
        return value == 3 ? BMP_HUFFMAN : BMP_RLE24;
    return value <= BMP_ALPHA_FIELDS ? (enum bmp_compression)value : BMP_UNKNOWN;
}

static bool bmp_bits_ok(uint32_t bits, enum bmp_compression compression)
{
    switch (compression) {
    case BMP_RGB:
        return bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16 || bits == 24 ||
               bits == 32;
    case BMP_RLE8:
        return bits == 8;
    case BMP_RLE4:
        return bits == 4;
    case BMP_FIELDS:
    case BMP_ALPHA_FIELDS:
        return bits == 16 || bits == 32;
    case BMP_JPEG:
    case BMP_PNG:
        return bits == 0;
    case BMP_HUFFMAN:
        return bits == 1;
    case BMP_RLE24:
        return bits == 24;
    default:
        return false;
    }
}

/* Fills header from the file's first bytes, of which there are as many as its DIB header has. NULL:
 * right. */
static const char *bmp_read(const uint8_t *head, struct bmp_header *header)
{
    const uint8_t *dib = head + BMP_FILE_HEADER;
    const bool core = header->dib_size == BMP_CORE_HEADER,
               full = header->dib_size >= BMP_INFO_HEADER;
    const int64_t width = core ? bytes_u16le(dib + 4) : (int32_t)bytes_u32le(dib + 4);
    const int64_t height = core ? bytes_u16le(dib + 6) : (int32_t)bytes_u32le(dib + 8);
    const uint32_t planes = bytes_u16le(dib + (core ? 8 : 12));

    header->bits = bytes_u16le(dib + (core ? 10 : 14));
    header->compression = full ? bmp_compression(bytes_u32le(dib + 16), header->dib_size) : BMP_RGB;
    header->pixels_size = full ? bytes_u32le(dib + 20) : 0;
    header->width = (uint64_t)width;
    header->height =
        (uint64_t)(height < 0 ? -height : height); /* below zero: rows from the top down */
    header->profile_end = 0;
    if (header->dib_size == BMP_V5_HEADER &&
        (memcmp(dib + 56, "DEBM", 4) == 0 || memcmp(dib + 56, "KNIL", 4) == 0))
        header->profile_end =
            BMP_FILE_HEADER + (uint64_t)bytes_u32le(dib + 112) + bytes_u32le(dib + 116);
    if (planes != 1 || !bmp_bits_ok(header->bits, header->compression))
        return "planes, bits and compression contradict each other";
    if (width <= 0 || height == 0 || width > BMP_SIDE_MAX || header->height > BMP_SIDE_MAX)
        return "width or height is out of range";
    if (header->pixels_at > BMP_FILE_HEADER + header->dib_size + BMP_COLOURS + BMP_SLACK)
        return "the pixels begin too far behind the colours";
    return NULL;
}

static bool bmp_is_plain(const struct bmp_header *header)
{
    return header->compression == BMP_RGB || header->compression == BMP_FIELDS ||
           header->compression == BMP_ALPHA_FIELDS;
}

static uint64_t bmp_pixels_end(const struct bmp_header *header)
{
    const uint64_t row = (header->width * header->bits + 31) / 32 * 4;

    return header->pixels_at + (bmp_is_plain(header) ? row * header->height : header->pixels_size);
}

static const char *bmp_size_wrong(const struct bmp_header *header)
{
    const uint64_t pixels_end = bmp_pixels_end(header);
    const uint64_t end = header->profile_end > pixels_end ? header->profile_end : pixels_end;

    if (!bmp_is_plain(header) && header->pixels_size == 0)
        return "compressed pixels have no size";
    return header->file_size < end || header->file_size - end > BMP_SLACK
               ? "the file size contradicts the pixels"
               : NULL;
}

/* One code. *ended: it was the end of the bitmap. */
static enum step bmp_run(struct sig_input *in, const struct bmp_header *header,
                         struct bmp_state *state, bool *ended)
{
    const uint8_t *code = sig_bytes(in, state->at, 2);
    uint64_t len = 2;

    if (code == NULL)
        return STEP_WAIT;
    if (code[0] > 0) {
        state->x += code[0];
    } else if (code[1] == 0) {
        state->x = 0;
        state->y++;
    } else if (code[1] == 1) {
        *ended = true;
    } else if (code[1] == 2) {
        code = sig_bytes(in, state->at, 4);
        if (code == NULL)
            return STEP_WAIT;
        state->x += code[2];
        state->y += code[3];
        len = 4;
    } else {
        state->x += code[1];
        len += (header->compression == BMP_RLE8 ? code[1] + 1u : (code[1] + 1u) / 2 + 1) & ~1u;
    }
    if (state->x > header->width + BMP_RUN_OVER || state->y > header->height)
        return STEP_BAD;
    state->at += len;
    return STEP_DONE;
}

static enum step bmp_runs(struct sig_input *in, const struct bmp_header *header,
                          struct bmp_state *state)
{
    const uint64_t end = bmp_pixels_end(header);
    bool ended = false;

    if (state->at == 0)
        state->at = header->pixels_at;
    while (!ended && state->at < end) {
        const enum step step = bmp_run(in, header, state, &ended);

        if (step != STEP_DONE)
            return step;
    }
    return state->at > end || end - state->at > BMP_SLACK ? STEP_BAD : STEP_DONE;
}

static enum step bmp_plain(struct sig_input *in, const struct bmp_header *header,
                           struct bmp_state *state)
{
    const bool colours = header->bits >= 24;

    switch (plausible_check(in, &state->plausible, colours ? PLAUSIBLE_PIXELS : PLAUSIBLE_SAMPLES_8,
                            colours ? header->bits / 8 : 1, header->pixels_at,
                            bmp_pixels_end(header))) {
    case STEP_DONE:
        return STEP_DONE;
    case STEP_WAIT:
        return STEP_WAIT;
    default:
        state->at = state->plausible.at;
        return STEP_BAD;
    }
}

static struct sig_result bmp_check(struct sig_input *in, void *memory)
{
    struct bmp_state *state = memory;
    struct bmp_header header;
    const uint8_t *head = sig_bytes(in, 0, BMP_FILE_HEADER + 4);

    if (head == NULL)
        return sig_short(in);
    header.file_size = bytes_u32le(head + 2);
    header.pixels_at = bytes_u32le(head + 10);
    header.dib_size = bytes_u32le(head + 14);
    if (bytes_u32le(head + 6) != 0)
        return sig_reject("reserved bytes are not zero");
    if (header.dib_size != 12 && header.dib_size != 16 && header.dib_size != 40 &&
        header.dib_size != 52 && header.dib_size != 56 && header.dib_size != 64 &&
        header.dib_size != 108 && header.dib_size != 124)
        return sig_reject("unknown size of the DIB header");
    if (header.pixels_at < BMP_FILE_HEADER + header.dib_size ||
        header.pixels_at >= header.file_size)
        return sig_reject("the pixels begin in the header or outside the file");
    head = sig_bytes(in, 0, BMP_FILE_HEADER + header.dib_size);
    if (head == NULL)
        return sig_short(in);
    const char *why = bmp_read(head, &header);
    if (why == NULL)
        why = bmp_size_wrong(&header);
    if (why != NULL)
        return sig_reject(why);

    enum step step = STEP_DONE;
    if (header.compression == BMP_RLE8 || header.compression == BMP_RLE4)
        step = bmp_runs(in, &header, state);
    else if (bmp_is_plain(&header))
        step = bmp_plain(in, &header, state);
    if (step == STEP_WAIT && in->wanted > in->limit)
        sig_valid(in, in->limit);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD && state->at > BMP_FILE_HEADER + header.dib_size + BMP_COLOURS)
        sig_valid(in, state->at);
    if (step == STEP_BAD)
        return sig_breaks(in, "wrong run-length codes, or the data do not look like pixels");
    return sig_believe(in, header.file_size, "the file size agrees with the pixels");
}

const struct sig sig_bmp = {
    .name = "bmp",
    .what = "Windows bitmap",
    .proves = "file size agrees with the pixels; run-length codes fill the rows, plain data look "
              "like pixels",
    .source = "Microsoft, Windows GDI: BITMAPFILEHEADER, BITMAPCOREHEADER, BITMAPINFOHEADER, "
              "BITMAPV5HEADER; IBM, OS/2 "
              "2.0 BITMAPINFOHEADER2",
    .types = (const struct sig_type[]){ { "bmp", "bmp" }, { 0 } },
    .headers = { SIG_MASKED("BM????\0\0\0\0??\0\0?\0\0\0",
                            "\xff\xff\0\0\0\0\xff\xff\xff\xff\0\0\xff\xff\0\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = BMP_FILE_HEADER + BMP_CORE_HEADER + 4,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct bmp_state),
    .check = bmp_check,
    .facts = bmp_facts,
};
