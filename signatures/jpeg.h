/*
 * signatures/jpeg.h - what the parts of the JPEG checker share; nobody else includes it.
 *
 *   jpeg.c          markers and segments, from SOI to EOI, and the verdict
 *   jpeg_segment.c  the contents of SOF, DHT, DQT, DRI, SOS
 *   jpeg_scan.c     entropy-coded data, from SOS to the next marker that is not RSTn
 */
#ifndef BURIN_SIGNATURES_JPEG_H
#define BURIN_SIGNATURES_JPEG_H

#include "signatures/sig.h"

enum {
    JPEG_COMPONENTS_MAX = 4,
    JPEG_TABLES_MAX = 4,    /* of each class: DC, AC */
    JPEG_MCU_BLOCKS_MAX = 10, /* T.81 B.2.3 */
    JPEG_SECTOR = 512,      /* files are laid out in multiples of it: a break is dated back to the last one */
};

enum {
    JPEG_SOF0 = 0xc0, JPEG_SOF2 = 0xc2, JPEG_SOF3 = 0xc3, JPEG_DHT = 0xc4, JPEG_JPG = 0xc8, JPEG_SOF9 = 0xc9, JPEG_DAC = 0xcc,
    JPEG_RST0 = 0xd0, JPEG_RST7 = 0xd7, JPEG_SOI = 0xd8, JPEG_EOI = 0xd9, JPEG_SOS = 0xda, JPEG_DQT = 0xdb, JPEG_DNL = 0xdc,
    JPEG_DRI = 0xdd, JPEG_APP0 = 0xe0, JPEG_APP15 = 0xef, JPEG_COM = 0xfe,
};

/* One Huffman table as DHT gives it. */
struct jpeg_huffman {
    uint8_t counts[17];   /* codes of each length; [0] unused */
    uint8_t symbols[256];
    bool    defined;
};

struct jpeg_component {
    uint8_t id, h, v;
    int8_t  precision_of[64]; /* the Al of the last scan of each coefficient; -1: not yet coded */
};

struct jpeg_frame {
    uint8_t  sof;             /* 0: none yet */
    uint8_t  precision, count, h_max, v_max;
    uint32_t width, height;   /* height 0: a DNL segment behind the first scan tells it */
    struct jpeg_component components[JPEG_COMPONENTS_MAX];
};

/* The scan being read: SOS, and where in it we are. */
struct jpeg_scan {
    uint8_t  count, ss, se, ah, al;
    uint8_t  component[JPEG_COMPONENTS_MAX], dc_table[JPEG_COMPONENTS_MAX], ac_table[JPEG_COMPONENTS_MAX];
    uint64_t start;           /* object offset of the first entropy-coded byte */
    uint8_t  next_restart;    /* 0..7: the number of the RSTn to come */
};

struct jpeg_state {
    uint64_t at;              /* everything before this object offset is done */
    uint64_t proven;          /* the last boundary before `at` that cannot be there by chance */
    uint64_t first_scan;      /* object offset of the first entropy-coded byte; 0: no scan yet */
    uint32_t restart_interval; /* MCUs; 0: none */
    uint32_t fill;            /* fill bytes seen before the marker to come */
    bool     in_scan;
    bool     height_unknown;  /* the frame said 0 and no DNL came yet */
    struct jpeg_frame   frame;
    struct jpeg_scan    scan;
    struct jpeg_huffman dc[JPEG_TABLES_MAX], ac[JPEG_TABLES_MAX];
};

/* NULL: right. Else why the segment (its bytes behind the length field) is wrong. */
const char *jpeg_segment(struct jpeg_state *state, uint8_t marker, const uint8_t *body, uint32_t len);

enum jpeg_step {
    JPEG_DONE, /* state->at is at the marker that ends the scan */
    JPEG_WAIT, /* return what sig_short gives */
    JPEG_BAD,  /* *why says what; state->at is about where, state->proven what is certain */
};
enum jpeg_step jpeg_scan(struct sig_input *in, struct jpeg_state *state, const char **why);

#endif
