/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/jpeg.h - what the parts of the JPEG validator share; nobody else includes it.
 *
 *   jpeg.c          markers and segments, from SOI to EOI, and the verdict
 *   jpeg_segment.c  the contents of SOF, DHT, DQT, DRI, SOS
 *   jpeg_scan.c     entropy-coded data, from SOS to the next marker that is not RSTn
 *   jpeg_decode.c   the Huffman codes of one stretch of it, without the values
 *   jpeg_huffman.c  tables to look codes up in
 *   jpeg_more.c     the further pictures of a multi-picture file
 */
#ifndef BURIN_SIGNATURES_PICTURE_JPEG_H
#define BURIN_SIGNATURES_PICTURE_JPEG_H

#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    JPEG_COMPONENTS_MAX = 4,
    JPEG_TABLES_MAX = 4,      /* of each class: DC, AC */
    JPEG_MCU_BLOCKS_MAX = 10, /* T.81 B.2.3 */
    JPEG_FAST_BITS = 10,      /* longer codes are rare */
    JPEG_STEP_SHIFT = 6,
    JPEG_STEP_END = 128,
    JPEG_SEVERAL_BITS = 12,
    JPEG_SEVERAL_SHIFT = 8,
    JPEG_SEVERAL_END = 1 << 16,
    JPEG_BUFFER = 16 << 10, /* bytes */
    JPEG_MORE_MAX = 16,     /* pictures of a multi-picture file */
    JPEG_FILL_MAX = 256,    /* fill bytes before a marker; none known to write more than a few */
};

enum {
    JPEG_SOF0 = 0xc0,
    JPEG_SOF2 = 0xc2,
    JPEG_DHT = 0xc4,
    JPEG_DAC = 0xcc,
    JPEG_RST0 = 0xd0,
    JPEG_RST7 = 0xd7,
    JPEG_SOI = 0xd8,
    JPEG_EOI = 0xd9,
    JPEG_SOS = 0xda,
    JPEG_DQT = 0xdb,
    JPEG_DNL = 0xdc,
    JPEG_DRI = 0xdd,
    JPEG_APP0 = 0xe0,
    JPEG_APP1 = 0xe1,
    JPEG_APP2 = 0xe2,
    JPEG_APP15 = 0xef,
    JPEG_COM = 0xfe,
};

/* One Huffman table as DHT gives it. */
struct jpeg_huffman {
    uint8_t counts[17]; /* codes of each length; [0] unused */
    uint8_t symbols[256];
    bool defined;
};

struct jpeg_component {
    uint8_t id, h, v, quantisation;
    int8_t precision_of[64]; /* the Al of the last scan of each coefficient; -1: not yet coded */
};

struct jpeg_frame {
    uint8_t sof; /* 0: none yet */
    uint8_t precision, count, h_max, v_max;
    uint32_t width, height; /* height 0: a DNL segment behind the first scan tells it */
    struct jpeg_component components[JPEG_COMPONENTS_MAX];
};

/* What the codes of a scan are. */
enum jpeg_coding {
    JPEG_WALKED, /* not decoded: arithmetic, lossless, refinements of AC, tables left to the reader:
                    only the markers count */
    JPEG_SEQUENTIAL, /* DC and 63 AC coefficients of each block */
    JPEG_DC_FIRST,   /* progressive: DC without its low bits */
    JPEG_DC_REFINE,  /* one more bit of each DC */
    JPEG_AC_FIRST,   /* a band of AC of one component */
};

/*
 * A Huffman table made for one coding. An entry is bits | step << 6: how many bits to skip, and by
 * how many coefficients that goes on (JPEG_STEP_END + r: the end of 2^r … blocks). DC: the length
 * of the code, and the size of the difference behind it. 0: no such code.
 */
struct jpeg_table {
    uint16_t fast[1 << JPEG_FAST_BITS]; /* by the next bits; 0: a longer code, or none */
    uint32_t limit[18]; /* by length: the first 16-bit value behind the codes of this length */
    int32_t offset[17]; /* by length: from code to index in symbols */
    uint8_t symbols[256];
    enum jpeg_coding coding;
    bool dc;
};

/* All codes that the next bits hold, of sequential AC: bits | steps << 8, JPEG_SEVERAL_END: the
 * block ends. 0: not asked for so far; small pictures ask for few. */
struct jpeg_several {
    uint32_t entries[1 << JPEG_SEVERAL_BITS];
};

/* What is made of the Huffman tables of one number. */
struct jpeg_lookup {
    struct jpeg_table dc, ac;
    struct jpeg_several ac_several;
};

/* The scan being read: SOS, and where in it we are. */
struct jpeg_scan {
    uint8_t count, ss, se, ah, al;
    uint8_t component[JPEG_COMPONENTS_MAX], dc_table[JPEG_COMPONENTS_MAX],
        ac_table[JPEG_COMPONENTS_MAX];
    enum jpeg_coding coding;    /* how it is being read */
    enum jpeg_coding decodable; /* how it could be read: JPEG_WALKED, or what to go over to when
                                   something looks odd */
    uint8_t next_restart;       /* 0..7: the number of the RSTn to come */
    bool patch_whole;           /* walked: the patch of bytes being read began inside the scan */
    uint64_t patch;             /* its number */
    uint64_t begin;             /* object offset of the first entropy-coded byte */
    uint8_t blocks;             /* of an MCU */
    uint8_t block_of[JPEG_MCU_BLOCKS_MAX]; /* by block of the MCU: index into component[] */
    int32_t dc_max[JPEG_COMPONENTS_MAX];   /* no DC beyond it, either way */

    uint64_t mcus_left;     /* of the scan */
    uint32_t interval_left; /* MCUs up to the next restart marker, or the end */
    uint32_t block, k;      /* where in the MCU: next block, next coefficient in it */
    uint32_t end_run;       /* blocks to come that are already ended */
    int32_t dc[JPEG_COMPONENTS_MAX];
    uint8_t flat;             /* thorough: the byte before state->at … */
    uint64_t flat_from;       /* … and where the run of it begins */
    uint32_t have, bit;       /* bytes in buffer, bits of them used */
    bool at_marker;           /* nothing more to put into buffer: state->at is at a marker */
    uint8_t dc_made, ac_made; /* which of the tables below are made, one bit each */

    uint8_t buffer[JPEG_BUFFER]; /* entropy-coded bytes without their stuffing */
    struct jpeg_lookup lookups[JPEG_TABLES_MAX];
};

/* The pictures that a multi-picture file has behind the first one, in their order. */
struct jpeg_more {
    uint64_t at[JPEG_MORE_MAX], end[JPEG_MORE_MAX]; /* object offsets */
    uint64_t whole; /* the end of the last picture that is whole; 0: none yet */
    uint32_t count, next;
    bool first_byte_lost; /* it need not be that of an SOI */
};

struct jpeg_state {
    uint64_t
        at; /* everything before this object offset is done, but for what stands in scan.buffer */
    uint64_t proven;           /* the last boundary before `at` that cannot be there by chance */
    uint64_t first_scan;       /* object offset of the first entropy-coded byte; 0: no scan yet */
    uint32_t restart_interval; /* MCUs; 0: none */
    uint32_t fill;             /* fill bytes seen before the marker to come */
    bool in_scan;
    bool filled_otherwise;               /* a scan's last byte is not filled up with ones */
    bool height_unknown;                 /* the frame said 0 and no DNL came yet */
    uint16_t quantiser[JPEG_TABLES_MAX]; /* of DC */
    struct jpeg_more more;
    struct jpeg_frame frame;
    struct jpeg_huffman dc[JPEG_TABLES_MAX], ac[JPEG_TABLES_MAX];
    struct jpeg_scan scan;
};
_Static_assert(sizeof(struct jpeg_state) <= SIG_STATE_MAX, "the state fits");

/* NULL: right. Else why the segment (its bytes behind the length field) is wrong. */
const char *jpeg_segment(struct jpeg_state *state, uint8_t marker, const uint8_t *body,
                         uint32_t len);

/* Gets ready for the scan that begins at state->at. */
void jpeg_scan_begin(const struct sig_input *in, struct jpeg_state *state);

/*
 * Goes over the scan. STEP_DONE: state->at is at the marker that ends it. STEP_BAD: *why says what
 * is wrong, state->at is about where, state->proven what is certain.
 */
enum step jpeg_scan(struct sig_input *in, struct jpeg_state *state, const char **why);

/* Decodes from the buffer up to the end of the interval. STEP_WAIT: the buffer is to be filled. */
enum step jpeg_decode(struct jpeg_scan *scan, const char **why);

void jpeg_table_make(struct jpeg_table *table, const struct jpeg_huffman *from,
                     enum jpeg_coding coding, bool dc);
/*
 * The entry of jpeg_several for JPEG_SEVERAL_BITS bits; 64 steps: one code is to be looked up. The
 * value behind a code need not be among the bits: it is only skipped. Codes that begin behind the
 * end of a block are another table's.
 */
uint32_t jpeg_several_entry(const struct jpeg_table *table, uint32_t bits);

/* The entry of a code longer than JPEG_FAST_BITS that begins the 16 bits; 0: none. */
uint32_t jpeg_table_long(const struct jpeg_table *table, uint32_t bits);

/* Notes the pictures that an APP2 segment lists. base: object offset of body, the segment's bytes
 * behind the length field. */
void jpeg_more_list(struct jpeg_more *more, const uint8_t *body, uint32_t len, uint64_t base);

/* Notes the preview that an APP1 segment's Exif says is behind the picture. */
void jpeg_more_preview(struct jpeg_more *more, const uint8_t *body, uint32_t len, uint64_t base);

/*
 * A picture ends at object offset end: notes that the file is whole up to there. STEP_DONE: another
 * one begins at *at. STEP_BAD: that was the last.
 */
enum step jpeg_more_next(struct sig_input *in, struct jpeg_more *more, uint64_t end, uint64_t *at);

#endif
