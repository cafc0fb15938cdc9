/*
 * signatures/bmp.c - Windows bitmaps.
 *
 *   14 bytes of file header: "BM" | u32le file size | u32le 0 | u32le offset of the pixels
 *   DIB header, which begins with its own size (12, 40, 52, 56, 64, 108, 124): width, height, planes = 1, bits, compression
 *   colour table | pixels, rows padded to 4 bytes | (V5) colour profile
 *
 * The length is the file size of the header. It is believed only if it agrees with the size of the pixels, since two letters make
 * a weak header. Several writers store a file size of 0 or leave out the row padding of the last row; neither is accepted.
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    BMP_FILE_HEADER = 14,
    BMP_CORE_HEADER = 12, /* OS/2 1.x: 16-bit width and height */
    BMP_INFO_HEADER = 40,
    BMP_PIXELS_SLACK = 4096, /* bytes that may stand between colour table and pixels, or behind them */
    BMP_SIDE_MAX = 1 << 20,  /* pixels; larger sides do not fit any file we would believe */
};

static bool bmp_bits_ok(uint32_t bits, uint32_t compression)
{
    switch (compression) {
    case 0: /* BI_RGB */
        return bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16 || bits == 24 || bits == 32;
    case 1: /* BI_RLE8 */
        return bits == 8;
    case 2: /* BI_RLE4 */
        return bits == 4;
    case 3: /* BI_BITFIELDS */
    case 6: /* BI_ALPHABITFIELDS */
        return bits == 16 || bits == 32;
    case 4: /* BI_JPEG */
    case 5: /* BI_PNG */
        return bits == 0;
    default:
        return false;
    }
}

static struct sig_result bmp_check(struct sig_input *in, void *state)
{
    (void)state;
    const uint8_t *head = sig_bytes(in, 0, BMP_FILE_HEADER + 4);
    if (head == NULL)
        return sig_short(in);
    const uint32_t file_size = bytes_u32le(head + 2);
    const uint32_t pixels_at = bytes_u32le(head + 10);
    const uint32_t dib_size = bytes_u32le(head + 14);
    const bool core = dib_size == BMP_CORE_HEADER;

    if (bytes_u32le(head + 6) != 0)
        return sig_reject("reserved bytes are not zero");
    if (!core && dib_size != 40 && dib_size != 52 && dib_size != 56 && dib_size != 64 && dib_size != 108 && dib_size != 124)
        return sig_reject("DIB header is of no known size");
    if (pixels_at < BMP_FILE_HEADER + dib_size || pixels_at >= file_size)
        return sig_reject("pixels begin outside of the file");

    const uint8_t *dib = sig_bytes(in, BMP_FILE_HEADER, core ? BMP_CORE_HEADER : BMP_INFO_HEADER);
    if (dib == NULL)
        return sig_short(in);
    const int64_t width = core ? bytes_u16le(dib + 4) : (int32_t)bytes_u32le(dib + 4);
    const int64_t signed_height = core ? bytes_u16le(dib + 6) : (int32_t)bytes_u32le(dib + 8);
    const int64_t height = signed_height < 0 ? -signed_height : signed_height;
    const uint32_t planes = bytes_u16le(dib + (core ? 8 : 12));
    const uint32_t bits = bytes_u16le(dib + (core ? 10 : 14));
    const uint32_t compression = core ? 0 : bytes_u32le(dib + 16);
    const uint32_t pixels_size = core ? 0 : bytes_u32le(dib + 20);

    if (planes != 1 || !bmp_bits_ok(bits, compression))
        return sig_reject("planes, bits and compression do not go together");
    if (width <= 0 || height == 0 || width > BMP_SIDE_MAX || height > BMP_SIDE_MAX)
        return sig_reject("width or height out of range");
    sig_valid(in, BMP_FILE_HEADER + dib_size);

    const uint64_t room = file_size - pixels_at;
    if (compression == 0 || compression == 3 || compression == 6) {
        const uint64_t row = ((uint64_t)width * bits + 31) / 32 * 4;
        const uint64_t pixels = row * (uint64_t)height;

        if (room < pixels || room - pixels > BMP_PIXELS_SLACK + (dib_size == 124 ? (uint64_t)file_size : 0))
            return sig_reject("file size does not agree with width, height and bits");
    } else if (pixels_size == 0 || pixels_size > room) {
        return sig_reject("compressed pixels do not fit the file size");
    }
    return sig_believe(in, file_size, "file size agrees with the pixels");
}

const struct sig sig_bmp = {
    .name = "bmp",
    .what = "Windows bitmap",
    .source = "Microsoft, Windows GDI: BITMAPFILEHEADER, BITMAPCOREHEADER, BITMAPINFOHEADER, BITMAPV5HEADER",
    .types = (const struct sig_type[]){ { "bmp", "bmp" }, { 0 } },
    .headers = { SIG_MASKED("BM????\0\0\0\0??\0\0?\0\0\0",
                            "\xff\xff\0\0\0\0\xff\xff\xff\xff\0\0\xff\xff\0\xff\xff\xff") },
    .size_min = BMP_FILE_HEADER + BMP_CORE_HEADER + 4,
    .size_max = UINT64_C(1) << 32,
    .check = bmp_check,
};
