/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/tiff_strip.c - what lies inside a strip or tile; TIFF 6.0 sections 9 and 13,
 * technical notes 1 and 2.
 *
 * LZW codes are followed without their values, deflate is inflated, PackBits runs and JPEG markers
 * are stepped over: each must end where the strip does, with as many bytes as the picture needs.
 * Plain pixels must look like pixels.
 */
#include <string.h>

#include "signatures/lib/inflate.h"
#include "signatures/picture/tiff.h"

enum {
    TIFF_OLD_JPEG_PAD = 16 << 10, /* likewise; some writers fill up to a block */
    TIFF_STRIP_PAD = 64,          /* bytes that may stand behind the end of what is compressed */
    TIFF_OUT = 64 << 10,          /* bytes inflated at a time */
    TIFF_PIECE = 16 << 10, /* bytes given to inflate at a time, whatever is there: so the verdict
                              does not depend on it */
    TIFF_LZW_CLEAR = 256,
    TIFF_LZW_END = 257,
    TIFF_LZW_FIRST = 258,
    TIFF_LZW_NONE = 0xffff,
    TIFF_JPEG_HEADERS =
        0, /* tiff_strip.code of a JPEG: between segments, or among entropy-coded data */
    TIFF_JPEG_SCAN = 1,
};

static enum step tiff_ended(const struct tiff_strip *strip)
{
    return strip->out >= strip->least && strip->out <= strip->most &&
                   strip->to - strip->at <= TIFF_STRIP_PAD
               ? STEP_DONE
               : STEP_BAD;
}

static uint32_t tiff_lzw_width(uint32_t next)
{
    return next < 511 ? 9 : next < 1023 ? 10 : next < 2047 ? 11 : 12;
}

/* One code. False: it cannot stand here. */
static bool tiff_lzw_code(struct tiff_strip *strip, uint32_t code)
{
    if (code == TIFF_LZW_CLEAR) {
        strip->next = TIFF_LZW_FIRST;
        strip->code = TIFF_LZW_NONE;
        return true;
    }
    if (strip->code == TIFF_LZW_NONE) {
        if (code > 255)
            return false;
    } else {
        if (code > strip->next || code == TIFF_LZW_CODES)
            return false;
        if (strip->next < TIFF_LZW_CODES) {
            strip->lens[strip->next] = (uint16_t)(strip->lens[strip->code] + 1);
            strip->next++;
        } else if (code == strip->next) {
            return false;
        }
    }
    strip->code = (uint16_t)code;
    strip->out += strip->lens[code];
    return strip->out <= strip->most;
}

static enum step tiff_lzw(struct sig_input *in, struct tiff_strip *strip)
{
    if (strip->at == strip->from && strip->have == 0) {
        for (uint32_t i = 0; i < TIFF_LZW_CLEAR; i++)
            strip->lens[i] = 1;
        strip->next = TIFF_LZW_FIRST;
        strip->code = TIFF_LZW_NONE;
    }
    while (strip->at < strip->to) {
        uint32_t len;
        const uint8_t *bytes = sig_span_to(in, strip->at, strip->to, &len);

        if (bytes == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < len; i++) {
            const uint32_t width = tiff_lzw_width(strip->next);

            strip->repeat = strip->repeat << 8 | bytes[i];
            strip->have += 8;
            strip->at++;
            if (strip->have < width)
                continue;
            strip->have -= width;
            const uint32_t code = (uint32_t)(strip->repeat >> strip->have) & ((1u << width) - 1);
            if (code == TIFF_LZW_END)
                return tiff_ended(strip);
            if (!tiff_lzw_code(strip, code))
                return STEP_BAD;
        }
    }
    return tiff_ended(strip);
}

static enum step tiff_packbits(struct sig_input *in, struct tiff_strip *strip)
{
    while (strip->at < strip->to) {
        uint32_t len;
        const uint8_t *bytes = sig_span_to(in, strip->at, strip->to, &len);

        if (bytes == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < len;) {
            const uint8_t code = bytes[i];
            const uint32_t size = code < 128 ? code + 2u : code == 128 ? 1 : 2;

            if (size > strip->to - strip->at)
                return strip->out >= strip->least ? tiff_ended(strip) : STEP_BAD;
            strip->out += code < 128 ? code + 1u : code == 128 ? 0 : 257u - code;
            strip->at += size;
            i += size;
            if (strip->out > strip->most)
                return STEP_BAD;
        }
    }
    return tiff_ended(strip);
}

static enum step tiff_inflate(struct sig_input *in, struct tiff_strip *strip,
                              struct inflate_state *inflate)
{
    uint8_t out[TIFF_OUT];

    if (strip->at == strip->from) {
        isal_inflate_init(inflate);
        inflate->crc_flag = ISAL_ZLIB;
    }
    while (strip->at < strip->to) {
        const uint64_t rest = strip->to - strip->at;
        const uint32_t len = rest < TIFF_PIECE ? (uint32_t)rest : TIFF_PIECE;
        const uint8_t *bytes = sig_bytes(in, strip->at, len);

        if (bytes == NULL)
            return STEP_WAIT;
        inflate_give(inflate, bytes, len);
        do {
            uint32_t got;

            if (!inflate_take(inflate, out, sizeof out, &got))
                return STEP_BAD;
            strip->out += got;
            if (strip->out > strip->most || !sig_unpacked(in, strip->at + len, got))
                return STEP_BAD;
        } while (inflate_more(inflate));
        strip->at += len;
        if (inflate_ended(inflate)) {
            strip->at -= inflate_unused(inflate);
            return tiff_ended(strip);
        }
    }
    return STEP_BAD;
}

/* Among entropy-coded data: up to the next marker that is none of theirs. */
static enum step tiff_jpeg_scan(struct sig_input *in, struct tiff_strip *strip)
{
    while (strip->at < strip->to) {
        uint32_t len, i = 0;
        const uint8_t *bytes = sig_span_to(in, strip->at, strip->to, &len);

        if (bytes == NULL)
            return STEP_WAIT;
        while (i < len) {
            const uint8_t *found = memchr(bytes + i, 0xff, len - i);

            i = found == NULL ? len : (uint32_t)(found - bytes);
            if (i + 1 >= len)
                break;
            const uint8_t code = bytes[i + 1];
            if (code != 0 && code != 0xff && (code & 0xf8) != 0xd0) {
                strip->at += i;
                strip->code = TIFF_JPEG_HEADERS;
                return STEP_DONE;
            }
            i += code == 0xff ? 1 : 2;
        }
        strip->at += i;
        if (i == 0) { /* the marker's second byte is not there yet */
            if (strip->to - strip->at < 2)
                return STEP_BAD;
            if (sig_bytes(in, strip->at, 2) == NULL)
                return STEP_WAIT;
            bytes = sig_bytes(in, strip->at, 2);
            if (bytes[1] != 0 && bytes[1] != 0xff && (bytes[1] & 0xf8) != 0xd0) {
                strip->code = TIFF_JPEG_HEADERS;
                return STEP_DONE;
            }
            strip->at += bytes[1] == 0xff ? 1 : 2;
        }
    }
    return STEP_BAD;
}

static enum step tiff_jpeg(struct sig_input *in, struct tiff_strip *strip, uint64_t pad)
{
    for (;;) {
        if (strip->code == TIFF_JPEG_SCAN) {
            const enum step step = tiff_jpeg_scan(in, strip);

            if (step != STEP_DONE)
                return step;
        }
        if (strip->to - strip->at < 2)
            return STEP_BAD;
        const uint8_t *head = sig_bytes(in, strip->at, 2);
        if (head == NULL)
            return STEP_WAIT;
        const uint8_t code = head[1];
        if (head[0] != 0xff || (code == 0xd8) != (strip->at == strip->from) || code < 0xc0 ||
            (code & 0xf8) == 0xd0)
            return STEP_BAD;
        if (code == 0xd9) {
            strip->at += 2;
            return strip->to - strip->at <= pad ? STEP_DONE : STEP_BAD;
        }
        if (code == 0xd8 || code == 0xff) {
            strip->at += code == 0xd8 ? 2 : 1;
            continue;
        }
        head = sig_bytes(in, strip->at + 2, 2);
        if (head == NULL)
            return STEP_WAIT;
        const uint32_t len = bytes_u16be(head);
        if (len < 2 || len > strip->to - strip->at - 2)
            return STEP_BAD;
        strip->at += 2 + len;
        strip->code = code == 0xda ? TIFF_JPEG_SCAN : TIFF_JPEG_HEADERS;
    }
}

/* Plain pixels: strips that lie one behind the other are one stretch. */
static enum step tiff_plausible(struct sig_input *in, struct tiff_state *state)
{
    const struct tiff_directory *dir = &state->dir;
    struct tiff_strip *strip = &state->strip;
    const uint32_t step = (dir->planar == 2 ? 1 : dir->samples) * (dir->bits / dir->samples) / 8;
    const bool pixels = dir->compression == TIFF_PLAIN && dir->photometric != 3 &&
                        dir->photometric != TIFF_CFA && state->magic == TIFF_CLASSIC &&
                        dir->bits % (8 * dir->samples) == 0 && dir->bits / dir->samples <= 16 &&
                        step >= 1 && step <= 8;

    if (state->plausible_end != strip->from)
        state->plausible = (struct plausible){ 0 };
    const enum step found =
        plausible_check(in, &state->plausible, pixels ? PLAUSIBLE_PIXELS : PLAUSIBLE_SAMPLES_8,
                        pixels ? step : 1, strip->from, strip->to);
    if (found == STEP_WAIT)
        return STEP_WAIT;
    if (found == STEP_BAD) {
        strip->at = state->plausible.at < strip->from ? strip->from : state->plausible.at;
        return STEP_BAD;
    }
    state->plausible_end = strip->to;
    return STEP_DONE;
}

/* The strip must begin with these bytes; no more is known of it. */
static enum step tiff_begins(struct sig_input *in, const struct tiff_strip *strip,
                             const char *magic, uint32_t len)
{
    if (strip->to - strip->from < len)
        return STEP_BAD;
    const uint8_t *bytes = sig_bytes(in, strip->from, len);

    if (bytes == NULL)
        return STEP_WAIT;
    return memcmp(bytes, magic, len) == 0 ? STEP_DONE : STEP_BAD;
}

static enum step tiff_look(struct sig_input *in, struct tiff_state *state)
{
    struct tiff_strip *strip = &state->strip;

    if (state->magic == TIFF_JXR) {
        state->opaque = true;
        return tiff_begins(in, strip, "WMPHOTO", 8);
    }
    switch (state->dir.compression) {
    case TIFF_LZW:
        return tiff_lzw(in, strip);
    case TIFF_DEFLATE:
    case TIFF_DEFLATE_OLD:
        return tiff_inflate(in, strip, &state->inflate);
    case TIFF_PACKBITS:
        return tiff_packbits(in, strip);
    case TIFF_JPEG:
    case TIFF_LOSSY_JPEG:
    case TIFF_OLD_JPEG:
        return tiff_jpeg(in, strip,
                         state->dir.compression == TIFF_OLD_JPEG ? TIFF_OLD_JPEG_PAD
                                                                 : TIFF_STRIP_PAD);
    case TIFF_ZSTD:
        state->opaque = true;
        return tiff_begins(in, strip, "\x28\xb5\x2f\xfd", 4);
    case TIFF_LZMA:
        state->opaque = true;
        return tiff_begins(in, strip,
                           "\xfd"
                           "7zXZ",
                           6);
    case TIFF_WEBP:
        state->opaque = true;
        return tiff_begins(in, strip, "RIFF", 4);
    default:
        state->opaque = true;
        return tiff_plausible(in, state);
    }
}

/* True when the first bytes are those of a variant that is not looked into. */
static bool tiff_is_variant(const struct tiff_state *state, const uint8_t *head)
{
    switch (state->dir.compression) {
    case TIFF_LZW: /* before TIFF 6.0: codes from the low bits on */
        return head[0] == 0 && (head[1] & 1) != 0;
    case TIFF_OLD_JPEG: /* tables elsewhere */
        return head[0] != 0xff || head[1] != 0xd8;
    default:
        return false;
    }
}

enum step tiff_strip(struct sig_input *in, struct tiff_state *state, const char **why)
{
    struct tiff_strip *strip = &state->strip;

    *why = "a strip does not decode to its part of the picture";
    if (strip->at == 0) {
        if (strip->to - strip->from >= 2) {
            const uint8_t *head = sig_bytes(in, strip->from, 2);

            if (head == NULL)
                return STEP_WAIT;
            if (tiff_is_variant(state, head) || state->dir.fill_order != 1 ||
                state->decoded >
                    2 * (state->end < in->limit
                             ? state->end
                             : in->limit)) { /* strips that lie over one another: once is enough */
                state->opaque = true;
                return STEP_DONE;
            }
        }
        state->decoded += strip->to - strip->from;
        strip->at = strip->from;
    }
    return tiff_look(in, state);
}
