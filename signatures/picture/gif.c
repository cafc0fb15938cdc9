/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/gif.c - GIF: blocks up to the trailer, the LZW codes of every image followed.
 *
 *   "GIF87a" | "GIF89a" | screen: width, height, flags, background, aspect | [colour table]
 *   ( 21 label sub-blocks | 2c left, top, width, height, flags [colour table] code size, sub-blocks
 * )* | 3b sub-blocks: (length 1..255, bytes)*, 0
 *
 * Only the length of the string behind each LZW code is kept, not the string: that tells whether
 * the codes make sense and how many pixels they stand for. Without it, other data in the middle of
 * a file would be stepped over wherever its bytes lead back into the chain of sub-blocks.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "signatures/lib/step.h"
#include "signatures/picture/picture_facts.h"
#include "signatures/sig.h"

enum {
    GIF_SCREEN_END = 13,
    GIF_IMAGE_HEAD = 10,
    GIF_CODES_MAX = 4096,
    GIF_CODE_BITS_MAX = 12,
    GIF_NO_CODE = 0xffff,
};

enum gif_phase { GIF_BLOCKS, GIF_EXTENSION, GIF_IMAGE };

/* Where the codes of an image stand. */
struct gif_codes {
    uint64_t pixels_left;
    uint32_t code_bits, next, previous;
    bool ended; /* the end code was seen */
};

struct gif_state {
    uint64_t extension;  /* object offset of the extension being read */
    uint64_t at;         /* everything before this object offset is done */
    uint64_t proven;     /* end of the last whole block */
    uint64_t first_data; /* object offset of the first image's codes; 0: none yet */
    enum gif_phase phase;
    bool has_image;
    uint32_t block_left; /* bytes of the sub-block being read */
    struct gif_codes codes;
    uint32_t acc, bits; /* LZW bits read and not used */
    uint32_t min_bits;
    uint16_t lengths[GIF_CODES_MAX]; /* pixels of each code */
};

/* Refused when not even the first sector of picture data was right. */
static struct sig_result gif_break(struct sig_input *in, const struct gif_state *state,
                                   const char *why)
{
    const uint64_t sector = state->at & ~(uint64_t)(LIMIT_SECTOR - 1);
    const uint64_t valid =
        state->phase == GIF_IMAGE && sector > state->proven ? sector : state->proven;

    if (state->first_data != 0 && valid >= state->first_data + LIMIT_SECTOR)
        sig_valid(in, valid);
    return sig_breaks(in, why);
}

static struct sig_result gif_wait(struct sig_input *in, const struct gif_state *state)
{
    if (in->wanted <= in->limit)
        return sig_short(in);
    if (state->first_data != 0 && in->limit >= state->first_data + LIMIT_SECTOR)
        sig_valid(in, in->limit);
    return gif_break(in, state, sig_short(in).why);
}

static void gif_clear(struct gif_codes *codes, uint32_t min_bits)
{
    codes->code_bits = min_bits + 1;
    codes->next = (1u << min_bits) + 2;
    codes->previous = GIF_NO_CODE;
}

/* One code; false when it cannot stand here. */
static inline bool gif_code(struct gif_codes *codes, uint16_t lengths[GIF_CODES_MAX],
                            uint32_t min_bits, uint32_t code)
{
    const uint32_t clear = 1u << min_bits;
    const uint32_t previous = codes->previous;
    uint32_t len;

    if (code == clear) {
        gif_clear(codes, min_bits);
        return true;
    }
    if (code == clear + 1) {
        codes->ended = true;
        return true;
    }
    if (previous == GIF_NO_CODE) {
        if (code > clear)
            return false;
        len = 1;
    } else {
        const uint16_t grown = (uint16_t)(lengths[previous] + 1);

        if (code > codes->next || (code == codes->next && code == GIF_CODES_MAX))
            return false;
        len = code == codes->next ? grown : lengths[code];
        if (codes->next < GIF_CODES_MAX) {
            lengths[codes->next++] = grown;
            if (codes->next == 1u << codes->code_bits && codes->code_bits < GIF_CODE_BITS_MAX)
                codes->code_bits++;
        }
    }
    codes->previous = code;
    if (len > codes->pixels_left)
        return false;
    codes->pixels_left -= len;
    return true;
}

/* How many bytes are right: len, or up to the byte that ends a code which is not. */
static uint32_t gif_decode(struct gif_state *state, const uint8_t *bytes, uint32_t len)
{
    struct gif_codes codes = state->codes; /* may stay in registers, as lengths are not its */
    const uint32_t min_bits = state->min_bits;
    uint32_t acc = state->acc, bits = state->bits, i = 0;
    bool right = true;

    for (; i < len && !codes.ended; i++) {
        acc |= (uint32_t)bytes[i] << bits;
        bits += 8;
        while (right && bits >= codes.code_bits && !codes.ended) {
            const uint32_t code = acc & ((1u << codes.code_bits) - 1);

            acc >>= codes.code_bits;
            bits -= codes.code_bits;
            right = gif_code(&codes, state->lengths, min_bits, code);
        }
        if (!right)
            break;
    }
    state->codes = codes;
    state->acc = acc;
    state->bits = bits;
    return right ? len : i;
}

/* Sub-blocks up to and with the empty one. */
static enum step gif_sub_blocks(struct sig_input *in, struct gif_state *state)
{
    for (;;) {
        uint32_t len;
        const uint8_t *bytes = sig_span(in, state->at, &len);

        if (bytes == NULL)
            return STEP_WAIT;
        while (len > 0) {
            if (state->block_left == 0) {
                state->at++;
                if (bytes[0] == 0)
                    return STEP_DONE;
                state->block_left = bytes[0];
                bytes++;
                len--;
                continue;
            }
            const uint32_t take = len < state->block_left ? len : state->block_left;
            const uint32_t right =
                state->phase == GIF_IMAGE ? gif_decode(state, bytes, take) : take;
            state->at += right;
            if (right < take)
                return STEP_BAD;
            state->block_left -= take;
            bytes += take;
            len -= take;
        }
    }
}

/* An image descriptor or an extension's head; what follows are sub-blocks. *why NULL with
 * STEP_DONE: it is right. */
static enum step gif_block_head(struct sig_input *in, struct gif_state *state, uint8_t kind,
                                const char **why)
{
    if (kind == 0x21) {
        const uint8_t *head = sig_bytes(in, state->at, 3);

        if (head == NULL)
            return STEP_WAIT;
        if ((head[1] == 0xf9 && head[2] != 4) || (head[1] == 0xff && head[2] != 11) ||
            (head[1] == 0x01 && head[2] != 12) ||
            (head[1] != 0xf9 && head[1] != 0xff && head[1] != 0x01 && head[1] != 0xfe)) {
            *why = "unknown extension";
            return STEP_BAD;
        }
        state->extension = state->at;
        state->at += 2;
        state->phase = GIF_EXTENSION;
        return STEP_DONE;
    }
    if (kind != 0x2c) {
        *why = "unknown kind of block";
        return STEP_BAD;
    }
    const uint8_t *head = sig_bytes(in, state->at, GIF_IMAGE_HEAD);
    if (head == NULL)
        return STEP_WAIT;
    const uint64_t pixels = (uint64_t)bytes_u16le(head + 5) * bytes_u16le(head + 7);
    const uint64_t code_at =
        state->at + GIF_IMAGE_HEAD + (head[9] & 0x80 ? 3u << ((head[9] & 7) + 1) : 0);
    const uint8_t *code_bits = sig_bytes(in, code_at, 1);
    if (code_bits == NULL)
        return STEP_WAIT;
    if (pixels == 0 || code_bits[0] < 1 || code_bits[0] > 8) {
        *why = "an image has no pixels or an invalid code size";
        return STEP_BAD;
    }
    state->codes.pixels_left = pixels;
    state->min_bits = code_bits[0];
    state->acc = 0;
    state->bits = 0;
    state->codes.ended = false;
    for (uint32_t i = 0; i < 1u << state->min_bits; i++)
        state->lengths[i] = 1;
    gif_clear(&state->codes, state->min_bits);
    sig_open_field(in, state->at + GIF_IMAGE_HEAD, code_at); /* colours */
    state->at = code_at + 1;
    if (state->first_data == 0)
        state->first_data = state->at;
    state->phase = GIF_IMAGE;
    return STEP_DONE;
}

static struct sig_result gif_check(struct sig_input *in, void *memory)
{
    struct gif_state *state = memory;
    const char *why = "invalid code, or more pixels than the image has";

    if (state->at == 0) {
        const uint8_t *head = sig_bytes(in, 0, GIF_SCREEN_END);

        if (head == NULL)
            return sig_short(in);
        if (bytes_u16le(head + 6) == 0 || bytes_u16le(head + 8) == 0)
            return sig_reject("the screen has no width or height");
        state->at = GIF_SCREEN_END + (head[10] & 0x80 ? 3u << ((head[10] & 7) + 1) : 0);
        /* Behind a seam among the colours any picture of the same size may follow. */
        if (state->at > LIMIT_SECTOR)
            sig_open(in, GIF_SCREEN_END, LIMIT_SECTOR);
    }
    for (;;) {
        if (state->phase != GIF_BLOCKS) {
            const enum step step = gif_sub_blocks(in, state);

            if (step == STEP_WAIT)
                return gif_wait(in, state);
            if (step == STEP_BAD)
                return gif_break(in, state, why);
            if (state->phase == GIF_IMAGE && state->codes.pixels_left > 0) {
                state->at = 0; /* where it went wrong is not known */
                return gif_break(in, state, "an image has too few pixels");
            }
            state->has_image |= state->phase == GIF_IMAGE;
            if (state->phase == GIF_EXTENSION && state->at - state->extension > UINT8_MAX)
                sig_open(in, state->extension, state->at);
            state->phase = GIF_BLOCKS;
        }
        state->proven = state->at;
        const uint8_t *kind = sig_bytes(in, state->at, 1);
        if (kind == NULL)
            return gif_wait(in, state);
        if (kind[0] == 0x3b) {
            if (!state->has_image)
                return gif_break(in, state, "the file ends before its image");
            sig_sure(in, state->at + 1);
            return sig_complete(in, state->at + 1, "every image is whole");
        }
        const enum step step = gif_block_head(in, state, kind[0], &why);
        if (step == STEP_WAIT)
            return gif_wait(in, state);
        if (step == STEP_BAD)
            return gif_break(in, state, why);
    }
}

const struct sig sig_gif = {
    .name = "gif",
    .what = "GIF picture",
    .proves = "LZW codes of every image make its pixels; blocks up to the trailer",
    .source = "CompuServe, Graphics Interchange Format version 89a",
    .types = (const struct sig_type[]){ { "gif", "gif" }, { 0 } },
    .headers = { SIG_PATTERN("GIF87a"), SIG_PATTERN("GIF89a") },
    .size_min = 26,
    .size_max = UINT64_C(1) << 31,
    .seam = SIG_SEAM_UNIT,
    .state_size = sizeof(struct gif_state),
    .check = gif_check,
    .facts = gif_facts,
};
