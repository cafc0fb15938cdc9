/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/dicom_pixels.c - the pictures in DICOM files: pixels as they are, compressed
 * fragments, deflated data sets. */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/inflate.h"
#include "signatures/science/dicom.h"

enum {
    PIXELS_PIECE = 4096,
    PIXELS_INFLATE_PIECE = 16 << 10,
    PIXELS_OUT = 32 << 10,
    PIXELS_J2K_HEAD = 512,
    PIXELS_RLE_HEAD = 64,
    PIXELS_RLE_SEGMENTS = 15,
};
#define PIXELS_INFLATED_MAX (UINT64_C(1) << 34) /* of one file; policy */

static enum dicom_step pixels_bad(const char **why, const char *text)
{
    *why = text;
    return DICOM_BAD;
}

/* Samples of fewer bits than their words have nothing, or their sign, in the upper ones. */
static bool pixels_in_range(const struct dicom_state *state, const uint8_t *bytes, uint32_t len)
{
    uint32_t over = 0;
    const uint32_t top =
        state->stored >= 16 ? 0 : 0xffffu << (state->stored - (state->is_signed ? 1 : 0)) & 0xffff;

    for (uint32_t i = 0; i + 1 < len; i += 2) {
        const uint32_t value = state->big ? bytes_u16be(bytes + i) : bytes_u16le(bytes + i);

        over += (value & top) != 0 && (!state->is_signed || (value & top) != top);
    }
    return over <= len / 32; /* some writers mark a few pixels with values out of range, or draw on
                                the picture */
}

static enum dicom_step pixels_words(struct sig_input *in, struct dicom_state *state,
                                    const char **why)
{
    while (state->scan_at < state->pixels_end) {
        const uint64_t rest = state->pixels_end - state->scan_at;
        const uint32_t len = rest < PIXELS_PIECE ? (uint32_t)rest : PIXELS_PIECE;
        const uint8_t *bytes = sig_bytes(in, state->scan_at, len);

        if (bytes == NULL)
            return DICOM_WAIT;
        if (!pixels_in_range(state, bytes, len))
            return pixels_bad(why, "samples have more bits than the header says");
        state->scan_at += len;
        sig_valid(in, state->scan_at);
    }
    return DICOM_DONE;
}

enum dicom_step dicom_pixels(struct sig_input *in, struct dicom_state *state, const char **why)
{
    const uint32_t bytes = state->allocated / 8,
                   step = bytes * (state->planes == 1 ? 1 : state->samples);
    enum step seen;

    if (bytes == 2 && state->stored > 0 && state->stored < 15) {
        if (state->scan_at == 0)
            state->scan_at = state->pixels_at;
        const enum dicom_step words = pixels_words(in, state, why);
        if (words != DICOM_DONE)
            return words;
    } else if ((bytes == 1 || bytes == 2) && step >= 1 && step <= RASTER_STEP_MAX) {
        seen = raster_check(in, &state->raster, step, state->pixels_at, state->pixels_end);
        if (raster_right(&state->raster) > state->pixels_at)
            sig_valid(in, raster_right(&state->raster));
        if (seen == STEP_WAIT)
            return DICOM_WAIT;
        if (seen == STEP_BAD)
            return pixels_bad(why, "the data here do not look like pixels");
    }
    return DICOM_DONE;
}

/* PackBits segments, whose places are in the header; each must fill up exactly. */
static enum dicom_step pixels_rle(struct sig_input *in, uint64_t at, uint32_t len, const char **why)
{
    const uint8_t *head = len < PIXELS_RLE_HEAD ? NULL : sig_bytes(in, at, PIXELS_RLE_HEAD);
    uint32_t last = PIXELS_RLE_HEAD;

    if (head == NULL)
        return len < PIXELS_RLE_HEAD ? pixels_bad(why, "a picture is shorter than its header")
                                     : DICOM_WAIT;
    const uint32_t segments = bytes_u32le(head);
    if (segments == 0 || segments > PIXELS_RLE_SEGMENTS || bytes_u32le(head + 4) != PIXELS_RLE_HEAD)
        return pixels_bad(why, "invalid header of run-length codes");
    for (uint32_t i = 0; i < PIXELS_RLE_SEGMENTS; i++) {
        const uint32_t segment = bytes_u32le(head + 4 + 4 * i);

        if (i < segments ? segment < last || segment >= len : segment != 0)
            return pixels_bad(why, "invalid header of run-length codes");
        last = i < segments ? segment : last;
    }
    return DICOM_DONE;
}

/* Whether the byte may stand behind ff among the codes: encoders make sure that nothing there looks
 * like a marker. */
static bool pixels_may_follow(enum dicom_codec codec, uint8_t byte)
{
    if (codec == DICOM_JPEG_2000)
        return byte < 0x90 || byte == 0xd9 || byte <= 0x93;
    if (codec == DICOM_JPEG_LS && (byte < 0x80 || byte == 0xf8))
        return true;
    return byte == 0 || byte == 0xff || (byte >= 0xd0 && byte <= 0xdd) || byte == 0xc4 ||
           (byte >= 0xe0 && byte <= 0xef) || byte == 0xfe;
}

/* Steps over codes up to the next marker that a segment follows, or to the end of the fragment. */
static enum dicom_step pixels_codes(struct sig_input *in, struct dicom_state *state, uint64_t end,
                                    const char **why)
{
    while (state->scan_at < end) {
        const uint32_t len =
            end - state->scan_at < PIXELS_PIECE ? (uint32_t)(end - state->scan_at) : PIXELS_PIECE;
        const uint8_t *bytes = sig_bytes(in, state->scan_at, len), *mark;

        if (bytes == NULL)
            return DICOM_WAIT;
        for (uint32_t i = 0; (mark = memchr(bytes + i, 0xff, len - i)) != NULL; i++) {
            i = (uint32_t)(mark - bytes);
            if (i + 1 == len)
                break;
            if (!pixels_may_follow(state->codec, mark[1]))
                return pixels_bad(why, "invalid codes in a compressed picture");
            if (state->codec != DICOM_JPEG_2000 && (mark[1] > 0xd9 || mark[1] == 0xc4) &&
                mark[1] != 0xff) {
                state->scan_at += i;
                state->in_scan = false;
                return DICOM_DONE;
            }
        }
        /* A byte ff at the end is looked at again with the one behind it. */
        state->scan_at += mark != NULL && len > 1 ? len - 1 : len;
        sig_valid(in, state->scan_at);
    }
    return DICOM_DONE;
}

/* Markers and their segments up to the codes. */
static enum dicom_step pixels_segment(struct sig_input *in, struct dicom_state *state, uint64_t end,
                                      const char **why)
{
    const uint8_t *mark = end - state->scan_at < 4 ? NULL : sig_bytes(in, state->scan_at, 4);

    if (mark == NULL)
        return end - state->scan_at < 4 ? pixels_bad(why, "a valid marker must follow here, and "
                                                          "none does")
                                        : DICOM_WAIT;
    if (mark[0] != 0xff || mark[1] < 0xc0 || mark[1] == 0xd9)
        return pixels_bad(why, "a valid marker must follow here, and none does");
    state->in_scan = mark[1] == 0xda;
    state->scan_at += mark[1] == 0xd8 ? 2 : 2 + (uint64_t)bytes_u16be(mark + 2);
    return state->scan_at <= end ? DICOM_DONE
                                 : pixels_bad(why, "a segment is longer than its picture");
}

enum dicom_step dicom_fragment(struct sig_input *in, struct dicom_state *state, uint64_t at,
                               uint32_t len, const char **why)
{
    static const uint8_t box[] = { 0, 0, 0, 12, 'j', 'P' };
    const uint64_t end = at + len;
    enum dicom_step step = DICOM_DONE;

    if (state->codec == DICOM_RLE)
        return pixels_rle(in, at, len, why);
    if (state->codec == DICOM_OTHER || len < 8)
        return DICOM_DONE;
    if (state->scan_at == 0) {
        const uint8_t *head = sig_bytes(in, at, 6);

        if (head == NULL)
            return DICOM_WAIT;
        const bool begins =
            state->codec == DICOM_JPEG_2000
                ? memcmp(head, "\xff\x4f\xff\x51", 4) == 0 || memcmp(head, box, sizeof box) == 0
                : memcmp(head, "\xff\xd8\xff", 3) == 0;
        if (state->fragments == 1 && !begins)
            return pixels_bad(why, "the data do not begin as a compressed picture");
        state->in_scan = !begins || state->codec == DICOM_JPEG_2000;
        state->scan_at = at;
        if (begins && state->codec == DICOM_JPEG_2000) /* numbers in the header may be anything */
            state->scan_at += len < PIXELS_J2K_HEAD ? len : PIXELS_J2K_HEAD;
    }
    while (step == DICOM_DONE && state->scan_at < end)
        step = state->in_scan ? pixels_codes(in, state, end, why)
                              : pixels_segment(in, state, end, why);
    if (step == DICOM_DONE &&
        plausible_check(in, &state->plausible, PLAUSIBLE_SAMPLES_8, 1, at, end) == STEP_BAD)
        return pixels_bad(why, "the data of a compressed picture look like text");
    if (step == DICOM_DONE) {
        state->scan_at = 0;
        state->plausible = (struct plausible){ 0 };
    }
    return step;
}

/* One piece, all of whose bytes are at hand. */
static enum dicom_step pixels_inflate(struct sig_input *in, struct dicom_state *state,
                                      const uint8_t *bytes, uint32_t len, const char **why)
{
    struct inflate_state *inflate = &state->inflate;
    uint8_t out[PIXELS_OUT];

    inflate_give(inflate, bytes, len);
    do {
        uint32_t got;

        if (!inflate_take(inflate, out, sizeof out, &got))
            return pixels_bad(why, "the data cannot be inflated");
        state->pixels_end += got;
        if (!sig_unpacked(in, state->at + len, got))
            return DICOM_BAD;
        if (state->pixels_end > PIXELS_INFLATED_MAX)
            return pixels_bad(why, "the data inflate to more than the limit");
    } while (inflate_more(inflate));
    state->at += len;
    if (inflate_ended(inflate))
        state->at -= inflate_unused(inflate);
    return DICOM_DONE;
}

enum dicom_step dicom_inflate(struct sig_input *in, struct dicom_state *state, const char **why)
{
    if (!state->inflating) {
        isal_inflate_init(&state->inflate);
        state->inflate.crc_flag = ISAL_GZIP_NO_HDR;
        state->inflating = true;
    }
    while (!inflate_ended(&state->inflate)) {
        const uint64_t rest = state->at < in->limit ? in->limit - state->at : 1;
        const uint32_t len = rest < PIXELS_INFLATE_PIECE ? (uint32_t)rest : PIXELS_INFLATE_PIECE;
        const uint8_t *bytes = sig_bytes(in, state->at, len);

        if (bytes == NULL)
            return DICOM_WAIT;
        const enum dicom_step step = pixels_inflate(in, state, bytes, len, why);
        if (step != DICOM_DONE)
            return step;
    }
    return DICOM_DONE;
}
