/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/amr.c - AMR and AMR-WB speech, one channel.
 *
 *   "#!AMR\n" or "#!AMR-WB\n" | frames: 0 | 4 bits mode | good | 00, then as many bytes as the mode
 * has, zero bits behind the last one
 *
 * Nothing tells how many frames there are. A byte is the beginning of one more when mode and
 * quality are those of the frames before, and of another mode only when frames go on behind it.
 */
#include <string.h>

#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    AMR_GOOD = 1 << 2,
    AMR_PADDING = 0x83, /* bits of a frame's first byte that are zero */
    AMR_MODES = 16,
    AMR_NARROW_SILENCE = 8, /* modes from here on are silence, loss, or nothing */
    AMR_WIDE_SILENCE = 9,
    AMR_CHAIN = 4,
    AMR_FRAMES_MIN = 8,
};

static const struct sig_type amr_types[] = { { "amr", "amr" }, { "awb", "awb" }, { 0 } };

struct amr_state {
    uint64_t at, frames; /* object offset of the next frame; 0: not begun */
    bool wide;
    uint8_t first; /* byte of the first frame that is no silence; 0: none yet */
};

/* Bits of a frame of this kind by mode, behind its first byte; 1: no such mode. */
static uint32_t amr_bits(bool wide, uint32_t mode)
{
    static const uint16_t bits[2][AMR_MODES] = {
        { 95, 103, 118, 134, 148, 159, 204, 244, 39, 1, 1, 1, 1, 1, 1, 0 },
        { 132, 177, 253, 285, 317, 365, 397, 461, 477, 40, 1, 1, 1, 1, 0, 0 },
    };

    return bits[wide][mode];
}

/* The frame at object offset at: its length and first byte. STEP_BAD: none. */
static enum step amr_read(struct sig_input *in, bool wide, uint64_t at, uint32_t *len,
                          uint8_t *head)
{
    const uint8_t *byte = sig_bytes(in, at, 1);

    if (byte == NULL)
        return STEP_WAIT;
    *head = byte[0];
    const uint32_t bits = amr_bits(wide, byte[0] >> 3 & 15);
    if ((byte[0] & AMR_PADDING) != 0 || bits == 1)
        return STEP_BAD;
    *len = 1 + (bits + 7) / 8;
    if (bits % 8 == 0 && bits > 0)
        return sig_bytes(in, at + *len - 1, 1) == NULL ? STEP_WAIT : STEP_DONE;
    if (bits > 0) {
        byte = sig_bytes(in, at + *len - 1, 1);
        if (byte == NULL)
            return STEP_WAIT;
        if ((byte[0] & (0xff >> bits % 8)) != 0)
            return STEP_BAD;
    }
    return STEP_DONE;
}

static bool amr_is_silence(const struct amr_state *state, uint8_t head)
{
    return (head >> 3 & 15) >= (state->wide ? AMR_WIDE_SILENCE : AMR_NARROW_SILENCE);
}

/* STEP_BAD: no frame follows. */
static enum step amr_frame(struct sig_input *in, struct amr_state *state)
{
    uint32_t len = 0;
    uint8_t head;
    enum step step = amr_read(in, state->wide, state->at, &len, &head);

    if (step == STEP_WAIT && in->wanted > in->limit && state->at >= in->limit)
        return STEP_BAD;
    if (step != STEP_DONE)
        return step;
    const bool silence = amr_is_silence(state, head);
    if (state->first != 0 && (head & AMR_GOOD) != (state->first & AMR_GOOD))
        return STEP_BAD;
    if (state->first != 0 && !silence && head != state->first) {
        uint64_t next = state->at + len;

        for (uint32_t i = 0; i < AMR_CHAIN; i++) {
            uint32_t more = 0;
            uint8_t other;

            step = amr_read(in, state->wide, next, &more, &other);
            if (step == STEP_WAIT && in->wanted <= in->limit)
                return step;
            if (step != STEP_DONE || (other & AMR_GOOD) != (state->first & AMR_GOOD))
                return STEP_BAD;
            next += more;
        }
    }
    if (state->first == 0 && !silence)
        state->first = head;
    state->at += len;
    state->frames++;
    return STEP_DONE;
}

static struct sig_result amr_check(struct sig_input *in, void *memory)
{
    struct amr_state *state = memory;
    enum step step = STEP_DONE;

    if (state->at == 0) {
        const uint8_t *head = sig_bytes(in, 0, 9);

        if (head == NULL)
            return sig_short(in);
        state->wide = head[5] == '-';
        state->at = state->wide ? 9 : 6;
    }
    in->type = &amr_types[state->wide];
    while (step == STEP_DONE) {
        step = amr_frame(in, state);
        if (state->frames >= AMR_FRAMES_MIN && state->first != 0)
            sig_valid(in, state->at);
    }
    if (step == STEP_WAIT && in->wanted > in->limit && in->valid > 0)
        sig_valid(in, in->limit);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (in->valid == 0)
        return sig_reject("there are too few frames in a row");
    return sig_believe(in, state->at, "the frames lead to other data");
}

const struct sig sig_amr = {
    .name = "amr",
    .what = "AMR or AMR-WB speech",
    .proves = "frames of one kind follow one another, filled up with zero bits; only their "
              "lengths give the end",
    .source = "RFC 4867, 5 (storage format); 3GPP TS 26.101 and 26.201",
    .types = amr_types,
    .headers = { SIG_PATTERN("#!AMR\n"), SIG_PATTERN("#!AMR-WB\n") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 6 + AMR_FRAMES_MIN,
    .size_max = UINT64_C(1) << 32, /* policy: the format has no limit */
    .state_size = sizeof(struct amr_state),
    .check = amr_check,
};
