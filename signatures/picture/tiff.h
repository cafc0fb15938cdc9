/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/tiff.h - what the parts of the TIFF validator share; nobody else includes it.
 *
 *   tiff.c            header, chain and tree of directories, the verdict
 *   tiff_directory.c  the entries of one directory
 *   tiff_picture.c    the strips or tiles of one directory: how many, how large, where
 *   tiff_strip.c      what lies inside a strip: LZW, deflate, PackBits, JPEG, plain pixels
 */
#ifndef BURIN_SIGNATURES_PICTURE_TIFF_H
#define BURIN_SIGNATURES_PICTURE_TIFF_H

#include <isa-l/igzip_lib.h>

#include "base/bytes.h"
#include "signatures/lib/plausible.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    TIFF_PENDING_MAX = 64,          /* directories known and not yet read */
    TIFF_DIRECTORIES_MAX = 1 << 16, /* of one file: pages, thumbnails */
    TIFF_ENTRIES_MAX =
        3000, /* of one directory: what fits into one view; real ones have some hundred */
    TIFF_SIDE_MAX = 1 << 24, /* pixels */
    TIFF_SAMPLES_MAX = 512,  /* of a pixel; spectral pictures have some hundred */
    TIFF_MAKE_LEN = 8,       /* bytes of the camera maker's name that tell it */
    TIFF_LZW_CODES = 4096,
};

enum tiff_magic { TIFF_CLASSIC, TIFF_ORF, TIFF_RW2, TIFF_JXR };

enum tiff_compression {
    TIFF_PLAIN = 1,
    TIFF_OLD_JPEG = 6,
    TIFF_JPEG = 7,
    TIFF_LZW = 5,
    TIFF_DEFLATE = 8,
    TIFF_DEFLATE_OLD = 32946,
    TIFF_PACKBITS = 32773,
    TIFF_LOSSY_JPEG = 34892,
    TIFF_LZMA = 34925,
    TIFF_ZSTD = 50000,
    TIFF_WEBP = 50001,
};

enum tiff_photometric { TIFF_YCBCR = 6, TIFF_CFA = 32803, TIFF_LINEAR_RAW = 34892 };

/* Where a directory was named. */
enum tiff_kind {
    TIFF_FIRST, /* by the header */
    TIFF_PAGE,  /* by the one before it */
    TIFF_SUB,   /* SubIFDs */
    TIFF_META,  /* Exif, GPS, interoperability: no pictures */
};

/* Numbers of one entry: count of them, width bytes each, from object offset at on. */
struct tiff_numbers {
    uint64_t at, count;
    uint8_t width; /* 0: there is no such entry */
};

/* One directory, as its entries tell. */
struct tiff_directory {
    uint64_t at, end, next;
    enum tiff_kind kind;
    uint64_t width, height, rows, tile_width, tile_height; /* rows 0: all in one strip */
    uint64_t jpeg_at, jpeg_len;
    uint64_t raw_width, raw_height, raw_at; /* RW2 */
    uint32_t compression, photometric, samples, planar, fill_order, bits, sub_h, sub_v, raw_format;
    struct tiff_numbers bits_each, sub_each, places, sizes, subs, exif, gps, interop, make;
    bool tiled, dng;
};

/* What is known of the strip being read. */
struct tiff_strip {
    uint64_t from, to, at; /* object offsets; at 0: not begun */
    uint64_t least, most;  /* bytes that it decodes to */
    uint64_t out;          /* decoded so far */
    uint64_t repeat; /* PackBits, JPEG: bytes of the stretch being skipped; LZW: bits not used */
    uint32_t have;   /* LZW: how many of them */
    uint16_t code, next; /* LZW: the last code, the next entry; JPEG: in a scan */
    uint16_t lens[TIFF_LZW_CODES + 1];
};

struct tiff_state {
    bool big, wide; /* big-endian; BigTIFF */
    enum tiff_magic magic;
    enum { TIFF_AT_HEADER, TIFF_AT_DIRECTORY, TIFF_AT_VALUES, TIFF_AT_STRIPS } phase;
    struct {
        uint64_t at;
        enum tiff_kind kind;
    } pending[TIFF_PENDING_MAX];
    uint32_t pending_count, directories;
    uint64_t mark, lap; /* Brent: a page seen before, and how many pages since */
    uint64_t end;       /* the largest end of anything */
    uint64_t walked;    /* bytes of directories and tables read: more than the file has is going in
                           circles */
    uint64_t decoded;   /* bytes of strips looked into */
    uint64_t piece;     /* number of the strip */
    uint32_t pictures;  /* found right, among those that a file must have */
    bool camera_raw;    /* a picture of the sensor's own samples */
    bool canon, opaque; /* CR2's mark; some strip could not be looked into */
    bool previews;      /* whole JPEG files are known to lie inside */
    uint8_t make[TIFF_MAKE_LEN];
    bool dng;
    struct tiff_directory dir;
    struct tiff_strip strip;
    uint64_t plausible_end; /* where the stretch of strips that plausible looks at ends */
    struct plausible plausible;
    struct inflate_state inflate;
};
_Static_assert(sizeof(struct tiff_state) <= SIG_STATE_MAX, "the state fits");

static inline uint32_t tiff_u16(const struct tiff_state *state, const uint8_t *p)
{
    return state->big ? bytes_u16be(p) : bytes_u16le(p);
}

static inline uint32_t tiff_u32(const struct tiff_state *state, const uint8_t *p)
{
    return state->big ? bytes_u32be(p) : bytes_u32le(p);
}

static inline uint64_t tiff_u64(const struct tiff_state *state, const uint8_t *p)
{
    return state->big ? bytes_u64be(p) : bytes_u64le(p);
}

/* A number of width 1, 2, 4 or 8 bytes. */
static inline uint64_t tiff_number(const struct tiff_state *state, const uint8_t *p, uint8_t width)
{
    return width == 1   ? *p
           : width == 2 ? tiff_u16(state, p)
           : width == 4 ? tiff_u32(state, p)
                        : tiff_u64(state, p);
}

/* Notes that the file goes at least up to end. */
static inline void tiff_reach(struct tiff_state *state, uint64_t end)
{
    if (end > state->end)
        state->end = end;
}

/* Number i of numbers; *value. */
enum step tiff_pick(struct sig_input *in, const struct tiff_state *state,
                    const struct tiff_numbers *numbers, uint64_t i, uint64_t *value);

/* Reads the directory at `at` into state->dir. STEP_BAD: none can stand there; *why. */
enum step tiff_directory(struct sig_input *in, struct tiff_state *state, uint64_t at,
                         enum tiff_kind kind, const char **why);

/* The pictures of state->dir, from number state->piece on. */
enum step tiff_picture(struct sig_input *in, struct tiff_state *state, const char **why);

/* Looks into state->strip. */
enum step tiff_strip(struct sig_input *in, struct tiff_state *state, const char **why);

#endif
