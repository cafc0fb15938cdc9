/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/qoi.c - the Quite OK Image Format.
 *
 *   "qoif" | u32be width | u32be height | channels 3 or 4 | colour space 0 or 1 | codes for all
 * pixels | 7 zeros, 1
 *
 * The codes are counted to the last pixel; the end mark must stand right behind them.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/picture/picture_facts.h"
#include "signatures/sig.h"

enum {
    QOI_HEAD = 14,
    QOI_END = 8,
    QOI_RGB = 0xfe,
    QOI_RGBA = 0xff,
    QOI_KIND = 0xc0,
    QOI_LUMA = 0x80,
    QOI_RUN = 0xc0,
};
#define QOI_PIXELS_MAX                                                                             \
    (UINT64_C(1) << 32) /* policy: the reference decoder stops at 400 million                      \
                         */

struct qoi_state {
    uint64_t at;     /* object offset of the next code; 0: not begun */
    uint64_t pixels; /* that the codes before it make */
};

/* Bytes of the code, and the pixels it makes. */
static uint32_t qoi_code(uint8_t code, uint64_t *pixels)
{
    *pixels += (code & QOI_KIND) == QOI_RUN && code < QOI_RGB ? (code & 0x3fu) + 1 : 1;
    if (code >= QOI_RGB)
        return code == QOI_RGB ? 4 : 5;
    return (code & QOI_KIND) == QOI_LUMA ? 2 : 1;
}

static struct sig_result qoi_check(struct sig_input *in, void *memory)
{
    struct qoi_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, QOI_HEAD);

    if (head == NULL)
        return sig_short(in);
    const uint64_t pixels = (uint64_t)bytes_u32be(head + 4) * bytes_u32be(head + 8);
    if (pixels == 0 || pixels > QOI_PIXELS_MAX || (head[12] != 3 && head[12] != 4) || head[13] > 1)
        return sig_reject("invalid width, height, channels or colour space");
    if (state->at == 0)
        state->at = QOI_HEAD;
    while (state->pixels < pixels) {
        uint32_t len, i = 0;
        const uint8_t *bytes = sig_span(in, state->at, &len);

        if (bytes == NULL)
            return sig_short(in);
        while (i < len && state->pixels < pixels)
            i += qoi_code(bytes[i], &state->pixels);
        state->at += i;
        sig_valid(in, state->at < in->limit ? state->at : in->limit);
    }
    const uint8_t *end = sig_bytes(in, state->at, QOI_END);
    if (end == NULL)
        return sig_short(in);
    if (state->pixels != pixels || memcmp(end, "\0\0\0\0\0\0\0\1", QOI_END) != 0)
        return sig_reject("there is no end mark behind the last pixel");
    return sig_complete(in, state->at + QOI_END,
                        "the codes give every pixel, and the end mark "
                        "follows");
}

const struct sig sig_qoi = {
    .name = "qoi",
    .what = "Quite OK Image",
    .proves = "codes make exactly the pixels of width and height; the end mark is there",
    .source = "The Quite OK Image Format Specification, Version 1.0",
    .types = (const struct sig_type[]){ { "qoi", "qoi" }, { 0 } },
    .headers = { SIG_MASKED("qoif\0???\0???\0\0", "\xff\xff\xff\xff\xf0\0\0\0\xf0\0\0\0\xf8\xfe") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = QOI_HEAD + 1 + QOI_END,
    .size_max = UINT64_C(1) << 34,
    .state_size = sizeof(struct qoi_state),
    .check = qoi_check,
    .facts = qoi_facts,
};
