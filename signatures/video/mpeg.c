/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/mpeg.c - MPEG-1 and MPEG-2 program streams (mpg, vob). Video alone is in
 * mpeg_video.c.
 *
 *   (00 00 01 ba | clock, rate | [00 00 01 bb system header] | (00 00 01 id | u16be length |
 * data)*)* [00 00 01 b9]
 *
 * A file begins with a pack that has a system header. Packets are walked by their lengths; it ends
 * with the end code. Many writers leave that out: then the last packets are filled up with padding,
 * to where a pack could begin. What ends otherwise is cut off.
 */
#include "signatures/video/mpeg.h"
#include "base/bytes.h"

enum {
    MPEG_PACK = 0xba,
    MPEG_SYSTEM = 0xbb,
    MPEG_END = 0xb9,
    MPEG_MAP = 0xbc,
    MPEG_PADDING = 0xbe,
    MPEG_PRIVATE_2 = 0xbf,
    MPEG_GRID = 2048,
    MPEG_VCD_GRID = 2324,
    MPEG_FILL = 20,
    MPEG_NAVIGATION = 0x3d4, /* length of the first navigation packet of DVD */
};

const struct sig_type mpeg_types[] = {
    [MPEG_MPG] = { "mpg", "mpg" },
    [MPEG_VOB] = { "vob", "vob" },
    [MPEG_M1V] = { "m1v", "m1v" },
    [MPEG_M2V] = { "m2v", "m2v" },
    { 0 },
};

/* As enum step, and: the end code was read; the pack is of the next file. */
enum mpeg_step { MPEG_DONE, MPEG_WAIT, MPEG_OVER, MPEG_BAD, MPEG_NEXT };

/* The head of a pack. MPEG_NEXT: of the next file. */
static enum mpeg_step mpeg_pack(struct sig_input *in, struct mpeg_state *state)
{
    const uint8_t *head = sig_bytes(in, state->at, 14);

    if (head == NULL)
        return MPEG_WAIT;
    const bool second = head[4] >> 6 == 1;
    if (state->packs > 0 && second != state->second)
        return MPEG_BAD;
    uint64_t clock;
    uint32_t len = 12;
    if (second) {
        if ((head[4] & 0x04) == 0 || (head[6] & 0x04) == 0 || (head[8] & 0x04) == 0 ||
            (head[9] & 1) == 0 || (head[12] & 3) != 3)
            return MPEG_BAD;
        clock = (uint64_t)(head[4] >> 3 & 7) << 30 | (uint64_t)(head[4] & 3) << 28 |
                (uint64_t)head[5] << 20 | (uint64_t)(head[6] >> 3) << 15 |
                (uint64_t)(head[6] & 3) << 13 | (uint64_t)head[7] << 5 | head[8] >> 3;
        len = 14 + (head[13] & 7u);
    } else {
        if ((head[4] & 0xf1) != 0x21 || (head[6] & 1) == 0 || (head[8] & 1) == 0 ||
            (head[9] & 0x80) == 0 || (head[11] & 1) == 0)
            return MPEG_BAD;
        clock = (uint64_t)(head[4] >> 1 & 7) << 30 | (uint64_t)head[5] << 22 |
                (uint64_t)(head[6] >> 1) << 15 | (uint64_t)head[7] << 7 | head[8] >> 1;
    }
    if (state->packs > 0 && clock <= state->clock && !state->navigation) {
        const uint8_t *next = sig_bytes(in, state->at + len, 4);

        if (next == NULL)
            return MPEG_WAIT;
        if (bytes_u32be(next) == (1u << 8 | MPEG_SYSTEM))
            return MPEG_NEXT;
    }
    state->second = second;
    state->clock = clock;
    state->packs++;
    state->off_grid |= state->at % MPEG_GRID != 0;
    state->off_vcd |= state->at % MPEG_VCD_GRID != 0;
    state->at += len;
    return MPEG_DONE;
}

/* A packet of video or sound has flags or time stamps behind its length. */
static bool mpeg_packet_right(const struct mpeg_state *state, uint8_t id, uint32_t len,
                              uint8_t first)
{
    if (id < 0xc0 || id > 0xef)
        return true;
    if (len == 0)
        return false;
    return state->second ? first >> 6 == 2
                         : first == 0xff || first == 0x0f || (first >= 0x20 && first < 0x80);
}

/* Video CD fills the sector of a sound packet up with zeros. MPEG_BAD: nothing of the kind is here.
 */
static enum mpeg_step mpeg_fill(struct sig_input *in, struct mpeg_state *state)
{
    const uint32_t len = MPEG_VCD_GRID - (uint32_t)(state->at % MPEG_VCD_GRID);

    if (state->off_vcd || state->packs < 2 || len != MPEG_FILL)
        return MPEG_BAD;
    const uint8_t *fill = sig_bytes(in, state->at, len);
    if (fill == NULL)
        return MPEG_WAIT;
    for (uint32_t i = 0; i < len; i++)
        if (fill[i] != 0)
            return MPEG_BAD;
    state->at += len;
    state->padded = state->at;
    return MPEG_DONE;
}

static enum mpeg_step mpeg_unit(struct sig_input *in, struct mpeg_state *state)
{
    const uint8_t *head = sig_bytes(in, state->at, 4);

    if (head == NULL)
        return MPEG_WAIT;
    const uint8_t id = head[3];
    if (head[0] != 0 || head[1] != 0 || head[2] != 1 || id < MPEG_END)
        return bytes_u32be(head) == 0 ? mpeg_fill(in, state) : MPEG_BAD;
    if (id == MPEG_PACK)
        return mpeg_pack(in, state);
    if (id == MPEG_END)
        return MPEG_OVER;
    head = sig_bytes(in, state->at, 7);
    if (head == NULL)
        return MPEG_WAIT;
    const uint32_t len = bytes_u16be(head + 4);
    if (!mpeg_packet_right(state, id, len, head[6]))
        return MPEG_BAD;
    if (sig_bytes(in, state->at + 5 + len, 1) == NULL)
        return MPEG_WAIT;
    state->at += 6 + len;
    state->packets += id != MPEG_SYSTEM;
    if (id == MPEG_PADDING)
        state->padded = state->at;
    if (id == MPEG_PRIVATE_2 && len == MPEG_NAVIGATION) {
        state->navigation = true;
        in->type = &mpeg_types[MPEG_VOB];
    }
    return MPEG_DONE;
}

static struct sig_result mpeg_program(struct sig_input *in, struct mpeg_state *state)
{
    enum mpeg_step step = MPEG_DONE;

    while (step == MPEG_DONE) {
        step = mpeg_unit(in, state);
        if (state->packets >= 2)
            sig_valid(in, state->at);
    }
    if (step == MPEG_WAIT && in->wanted <= in->limit)
        return sig_short(in);
    if (state->packets < 2)
        return sig_reject("there are too few packets");
    if (step == MPEG_OVER)
        return sig_complete(in, state->at + 4, "the packets lead to the end code");
    if (step == MPEG_NEXT)
        return sig_complete(in, state->at, "the packets lead to where the clock begins anew");
    if (step == MPEG_WAIT && state->at < in->limit && in->limit - state->at > 4) {
        sig_valid(in, in->limit);
        return sig_breaks(in, "the image ends inside a packet");
    }
    /* the last packet of each stream is padded; a stream or two more may end behind it */
    if (state->at - state->padded > 2 * MPEG_GRID || state->padded == 0)
        return sig_breaks(in, "the packets end without an end code");
    if (!state->off_grid && state->at % MPEG_GRID != 0)
        return sig_breaks(in, "the packets end where no pack could begin");
    return sig_complete(in, state->at, "the packets lead to the padding of the last one");
}

static struct sig_result mpeg_check(struct sig_input *in, void *memory)
{
    struct mpeg_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, 18);

    if (head == NULL)
        return sig_short(in);
    if (head[3] != MPEG_PACK)
        return mpeg_video(in, state);
    if (bytes_u32be(head + (head[4] >> 6 == 1 ? 14 : 12)) != (1u << 8 | MPEG_SYSTEM))
        return sig_reject("there is no system header in the first pack");
    return mpeg_program(in, state);
}

const struct sig sig_mpeg = {
    .name = "mpeg",
    .what = "MPEG-1 and MPEG-2 program stream, or video alone",
    .proves = "packets or start codes in their order to the end code, or to the padding of the "
              "last packet",
    .source = "ISO/IEC 11172-1 and 13818-1 (packs, packets), 11172-2 and 13818-2 (video)",
    .types = mpeg_types,
    .headers = { SIG_MASKED("\0\0\1\xba\x21?\1?\1\x80?\1\0\0\1\xbb\0",
                            "\xff\xff\xff\xff\xf1\0\1\0\1\x80\0\1\xff\xff\xff\xff\xff"),
                 SIG_MASKED("\0\0\1\xba\x44?\4?\4\1??\3\xf8\0\0\1\xbb\0",
                            "\xff\xff\xff\xff\xc4\0\4\0\4\1\0\0\3\xff\xff\xff\xff\xff\xff"),
                 SIG_MASKED("\0\0\1\xb3??????\x20", "\xff\xff\xff\xff\0\0\0\0\0\0\x20") },
    .flags = SIG_SECTOR_ALIGNED | SIG_STREAM,
    .size_min = 64,
    .size_max = UINT64_C(1) << 37,
    .state_size = sizeof(struct mpeg_state),
    .check = mpeg_check,
};
