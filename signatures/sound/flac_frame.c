/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/flac_frame.c - one frame of FLAC: its header, and where its bits end.
 *
 *   14 bits of ones and a zero | reserved 0 | by sample | 4 bits block size | 4 bits rate | 4 bits
 * channels | 3 bits sample size | reserved 0 | number, coded like UTF-8 | [8 or 16 bits block size
 * - 1] | [8 or 16 bits rate] | CRC-8 | subframes | CRC-16
 *
 * Nothing says how long a frame is, so the codes of the residual are stepped over one by one.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sound/flac.h"

enum {
    FLAC_PIECE = 4096, /* bytes asked for at a time */
    FLAC_UNARY_MAX = 1 << 20,
    FLAC_LPC = 32, /* subframe types from here on: linear prediction */
    FLAC_FIXED = 8,
    FLAC_FIXED_MAX = 12,
    FLAC_OVER = 1024,    /* bytes that a frame may be longer than its samples */
    FLAC_BITS_MOST = 24, /* of a sample, where the frame does not say; hardly any file has more */
};

static uint8_t flac_crc8(const uint8_t *bytes, uint32_t len)
{
    uint32_t crc = 0;

    for (uint32_t i = 0; i < len; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 0x80 ? (crc << 1 ^ 0x07) & 0xff : crc << 1;
    }
    return (uint8_t)crc;
}

/* The number of a frame or sample, in as many bytes as its first one has ones at the top. 0 bytes:
 * it cannot be. */
static uint32_t flac_number_len(uint8_t first)
{
    uint32_t ones = 0;

    while (ones < 8 && first & 0x80 >> ones)
        ones++;
    return ones == 0 ? 1 : ones == 1 || ones == 8 ? 0 : ones;
}

static uint32_t flac_block_size(uint32_t code, const uint8_t *extra)
{
    if (code == 1)
        return 192;
    if (code <= 5)
        return 576u << (code - 2);
    if (code == 6)
        return extra[0] + 1u;
    return code == 7 ? bytes_u16be(extra) + 1u : 256u << (code - 8);
}

static uint32_t flac_rate(uint32_t code, const uint8_t *extra)
{
    static const uint32_t rates[12] = { 0,     88200, 176400, 192000, 8000,  16000,
                                        22050, 24000, 32000,  44100,  48000, 96000 };

    if (code < 12)
        return rates[code];
    return code == 12 ? extra[0] * 1000u : bytes_u16be(extra) * (code == 13 ? 1u : 10u);
}

/* What the first five bytes of a header say; false: they are none. */
static bool flac_frame_begin(const uint8_t head[5], struct flac_frame *frame)
{
    static const uint8_t sizes[8] = { 0, 8, 12, 0, 16, 20, 24, 32 };
    const uint32_t block = head[2] >> 4, rate = head[2] & 15, channels = head[3] >> 4,
                   size = head[3] >> 1 & 7;
    const uint32_t number = flac_number_len(head[4]);

    if (head[0] != 0xff || (head[1] & 0xfe) != 0xf8 || block == 0 || rate == 15 || channels > 10 ||
        size == 3 || (head[3] & 1) != 0 || number == 0)
        return false;
    const uint32_t block_extra = block == 6 ? 1 : block == 7 ? 2 : 0;
    const uint32_t rate_extra = rate == 12 ? 1 : rate == 13 || rate == 14 ? 2 : 0;

    frame->head = 4 + number + block_extra + rate_extra + 1;
    frame->by_sample = (head[1] & 1) != 0;
    frame->channels = channels < 8 ? channels + 1 : 2;
    frame->side = channels == 8 || channels == 10 ? 1 : channels == 9 ? 0 : 8;
    frame->bits = sizes[size];
    return true;
}

/* What all bytes of the header say; false: they are none. */
static bool flac_frame_rest(const uint8_t *head, struct flac_frame *frame)
{
    const uint32_t block = head[2] >> 4, number = flac_number_len(head[4]);
    const uint32_t block_extra = block == 6 ? 1 : block == 7 ? 2 : 0;

    if (flac_crc8(head, frame->head - 1) != head[frame->head - 1])
        return false;
    frame->number = number == 1 ? head[4] : head[4] & (0xffu >> (number + 1));
    for (uint32_t i = 1; i < number; i++) {
        if ((head[4 + i] & 0xc0) != 0x80)
            return false;
        frame->number = frame->number << 6 | (head[4 + i] & 0x3f);
    }
    frame->samples = flac_block_size(block, head + 4 + number);
    frame->rate = flac_rate(head[2] & 15, head + 4 + number + block_extra);
    return true;
}

enum step flac_frame_head(struct sig_input *in, uint64_t at, struct flac_frame *frame)
{
    const uint8_t *head = sig_bytes(in, at, 5);

    if (head == NULL)
        return STEP_WAIT;
    if (!flac_frame_begin(head, frame))
        return STEP_BAD;
    head = sig_bytes(in, at, frame->head);
    if (head == NULL)
        return STEP_WAIT;
    return flac_frame_rest(head, frame) ? STEP_DONE : STEP_BAD;
}

uint64_t flac_frame_most(const struct flac_frame *frame, uint32_t bits)
{
    return (uint64_t)frame->samples * frame->channels * (bits + 1) / 8 + FLAC_OVER;
}

/* Writes the number as flac_frame_rest reads it; returns its bytes. */
static uint32_t flac_number_put(uint64_t number, uint8_t *out)
{
    uint32_t len = 1;

    if (number < 0x80) {
        out[0] = (uint8_t)number;
        return 1;
    }
    while (number >> (len == 1 ? 7 : 5 * len + 1) != 0)
        len++;
    for (uint32_t i = len - 1; i > 0; i--) {
        out[i] = 0x80 | (number & 0x3f);
        number >>= 6;
    }
    out[0] = (uint8_t)(0xff00u >> len | number);
    return len;
}

bool flac_unit(const uint8_t *head, struct sig_unit *unit)
{
    struct flac_frame frame;

    if (!flac_frame_begin(head, &frame) || !flac_frame_rest(head, &frame) || frame.by_sample)
        return false;
    *unit = (struct sig_unit){
        .next_at = frame.head + 2,
        .next_most = flac_frame_most(&frame, frame.bits != 0 ? frame.bits : FLAC_BITS_MOST),
        .next_count = 1,
    };
    struct sig_next *next = &unit->next[0];
    memcpy(next->bytes, head, 4);
    next->len = 4 + flac_number_put(frame.number + 1, next->bytes + 4);
    memset(next->mask, 0xff, next->len);
    next->mask[3] = 0x0f; /* each frame has the coding of its channels */
    return true;
}

/* Bits of the object, the most significant one of a byte first. */
struct flac_bits {
    struct sig_input *in;
    const uint8_t *piece; /* good until the next piece is asked for */
    uint64_t at;          /* object offset behind the piece */
    uint32_t next, len;   /* of the piece */
    uint32_t count;       /* bits in word, at its top */
    uint64_t word;
    bool waits;
};

/* At least 56 bits in word, where there are as many; fewer at the end of the object. False: none
 * could be had. */
static bool flac_fill(struct flac_bits *bits)
{
    while (bits->count <= 56) {
        if (bits->next == bits->len) {
            const uint64_t limit = bits->in->limit;
            const uint64_t rest = bits->at < limit ? limit - bits->at : 1;

            bits->len = rest < FLAC_PIECE ? (uint32_t)rest : FLAC_PIECE;
            bits->next = 0;
            bits->piece = sig_bytes(bits->in, bits->at, bits->len);
            if (bits->piece == NULL) {
                bits->len = 0;
                bits->waits = true;
                return bits->count > 0;
            }
            bits->at += bits->len;
        }
        bits->word |= (uint64_t)bits->piece[bits->next++] << (56 - bits->count);
        bits->count += 8;
    }
    return true;
}

static void flac_drop(struct flac_bits *bits, uint32_t count)
{
    bits->word = count < 64 ? bits->word << count : 0;
    bits->count -= count;
}

/* count: 0..32. False: the bits are not there. */
static bool flac_get(struct flac_bits *bits, uint32_t count, uint32_t *value)
{
    *value = 0;
    if (count == 0)
        return true;
    if (bits->count < count && (!flac_fill(bits) || bits->count < count))
        return false;
    *value = (uint32_t)(bits->word >> (64 - count));
    flac_drop(bits, count);
    return true;
}

static bool flac_skip(struct flac_bits *bits, uint64_t count)
{
    uint32_t value;

    for (; count > 32; count -= 32)
        if (!flac_get(bits, 32, &value))
            return false;
    return flac_get(bits, (uint32_t)count, &value);
}

/* Zeros up to a one. *zeros is more than FLAC_UNARY_MAX when there is no end to them. */
static bool flac_unary(struct flac_bits *bits, uint32_t *zeros)
{
    *zeros = 0;
    while (*zeros <= FLAC_UNARY_MAX) {
        if (bits->count == 0 && !flac_fill(bits))
            return false;
        if (bits->word != 0) {
            const uint32_t leading = (uint32_t)__builtin_clzll(bits->word);

            *zeros += leading;
            flac_drop(bits, leading + 1);
            return true;
        }
        *zeros += bits->count;
        flac_drop(bits, bits->count);
    }
    return true;
}

static enum step flac_short(const struct flac_bits *bits)
{
    return bits->waits ? STEP_WAIT : STEP_BAD;
}

/* The codes of one partition of the residual. */
static enum step flac_partition(struct flac_bits *bits, uint32_t count, uint32_t parameter_bits)
{
    uint32_t parameter, value;

    if (!flac_get(bits, parameter_bits, &parameter))
        return flac_short(bits);
    if (parameter == (1u << parameter_bits) - 1) { /* plain numbers */
        if (!flac_get(bits, 5, &value) || !flac_skip(bits, (uint64_t)value * count))
            return flac_short(bits);
        return STEP_DONE;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!flac_unary(bits, &value))
            return flac_short(bits);
        if (value > FLAC_UNARY_MAX)
            return STEP_BAD;
        if (!flac_get(bits, parameter, &value))
            return flac_short(bits);
    }
    return STEP_DONE;
}

static enum step flac_residual(struct flac_bits *bits, uint32_t samples, uint32_t order)
{
    uint32_t method, partition_order;

    if (!flac_get(bits, 2, &method) || !flac_get(bits, 4, &partition_order))
        return flac_short(bits);
    const uint32_t count = samples >> partition_order;
    if (method > 1 || count << partition_order != samples || count < order)
        return STEP_BAD;
    for (uint32_t i = 0; i < 1u << partition_order; i++) {
        const enum step step =
            flac_partition(bits, i == 0 ? count - order : count, method == 0 ? 4 : 5);

        if (step != STEP_DONE)
            return step;
    }
    return STEP_DONE;
}

static enum step flac_subframe(struct flac_bits *bits, uint32_t samples, uint32_t size)
{
    uint32_t head, value;

    if (!flac_get(bits, 8, &head))
        return flac_short(bits);
    if (head & 0x80)
        return STEP_BAD;
    if (head & 1) { /* bits that are zero in all samples, and stored in none */
        if (!flac_unary(bits, &value))
            return flac_short(bits);
        if (value + 1 >= size)
            return STEP_BAD;
        size -= value + 1;
    }
    const uint32_t type = head >> 1 & 0x3f;
    if (type <= 1)
        return flac_skip(bits, (uint64_t)size * (type == 0 ? 1 : samples)) ? STEP_DONE
                                                                           : flac_short(bits);
    if (type < FLAC_FIXED || (type > FLAC_FIXED_MAX && type < FLAC_LPC))
        return STEP_BAD;
    const uint32_t order = type < FLAC_LPC ? type - FLAC_FIXED : type - FLAC_LPC + 1;
    if (order > samples)
        return STEP_BAD;
    if (!flac_skip(bits, (uint64_t)order * size))
        return flac_short(bits);
    if (type >= FLAC_LPC) {
        if (!flac_get(bits, 4, &value))
            return flac_short(bits);
        if (value == 15)
            return STEP_BAD;
        if (!flac_skip(bits, 5 + (uint64_t)order * (value + 1)))
            return flac_short(bits);
    }
    return flac_residual(bits, samples, order);
}

enum step flac_frame_end(struct sig_input *in, uint64_t at, const struct flac_frame *frame,
                         uint32_t bits_of_one, uint64_t *end)
{
    struct flac_bits bits = { .in = in, .at = at + frame->head };
    uint32_t padding;

    for (uint32_t i = 0; i < frame->channels; i++) {
        const enum step step =
            flac_subframe(&bits, frame->samples, bits_of_one + (i == frame->side));

        if (step != STEP_DONE)
            return step;
    }
    if (!flac_get(&bits, bits.count % 8, &padding) || padding != 0)
        return STEP_BAD;
    *end = bits.at - (bits.len - bits.next) - bits.count / 8;
    return STEP_DONE;
}
