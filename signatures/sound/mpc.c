/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/mpc.c - Musepack, stream version 8.
 *
 *   "MPCK" | packets: two capital letters | size, 7 bits a byte, letters and itself included | data
 *   SH, first: u32be CRC-32 of the rest | 8 | samples | silence | rate, bands, channels, frames of
 *   a packet ...    AP: sound    SE: end
 *
 * Version 7 ("MP+") tells the length of each frame in bits and is not read.
 */
#include <isa-l/crc.h>
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"
#include "signatures/sound/audio_tag.h"

enum {
    MPC_MARK = 4,
    MPC_HEADER_MAX = 64,
    MPC_SIZE_BYTES = 9,
    MPC_PACKET_MAX = 1 << 26,
    MPC_SAMPLES = 1152, /* of a frame */
};

struct mpc_state {
    uint64_t at; /* object offset of the next packet; 0: not begun */
    uint64_t sounds, wanted;
    bool ended;
};

/* A number of 7 bits a byte, at most len bytes. Its bytes; 0: it does not end. */
static uint32_t mpc_number(const uint8_t *bytes, uint32_t len, uint64_t *value)
{
    *value = 0;
    for (uint32_t i = 0; i < len && i < MPC_SIZE_BYTES; i++) {
        *value = *value << 7 | (bytes[i] & 0x7f);
        if ((bytes[i] & 0x80) == 0)
            return i + 1;
    }
    return 0;
}

/* The stream header: how many packets of sound follow. */
static enum step mpc_header(struct sig_input *in, struct mpc_state *state, uint64_t from,
                            uint64_t len, const char **why)
{
    uint64_t samples, silence;
    const uint8_t *header =
        len < 9 || len > MPC_HEADER_MAX ? NULL : sig_bytes(in, from, (uint32_t)len);

    if (header == NULL)
        return len < 9 || len > MPC_HEADER_MAX ? step_bad(why, "invalid stream header") : STEP_WAIT;
    const uint32_t size = (uint32_t)len;
    if (crc32_gzip_refl(0, header + 4, size - 4) != bytes_u32be(header) || header[4] != 8)
        return step_bad(why, "the CRC of the stream header is wrong");
    const uint32_t first = mpc_number(header + 5, size - 5, &samples);
    const uint32_t second =
        first == 0 ? 0 : mpc_number(header + 5 + first, size - 5 - first, &silence);
    if (second == 0 || size < 5 + first + second + 2)
        return step_bad(why, "invalid stream header");
    const uint64_t of_packet = (uint64_t)MPC_SAMPLES << 2 * (header[5 + first + second + 1] & 7);
    state->wanted = (samples + of_packet - 1) / of_packet;
    return STEP_DONE;
}

static enum step mpc_packet(struct sig_input *in, struct mpc_state *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, state->at, 3);
    uint8_t bytes[2 + MPC_SIZE_BYTES] = { 0 };
    uint32_t have = 3;
    uint64_t size;

    if (head == NULL)
        return STEP_WAIT;
    memcpy(bytes, head, have);
    for (; have < sizeof bytes && (bytes[have - 1] & 0x80) != 0; have++) {
        head = sig_bytes(in, state->at + have, 1);
        if (head == NULL)
            return STEP_WAIT;
        bytes[have] = head[0];
    }
    const uint32_t digits = mpc_number(bytes + 2, have - 2, &size);
    const bool header = memcmp(bytes, "SH", 2) == 0;
    if (bytes[0] < 'A' || bytes[0] > 'Z' || bytes[1] < 'A' || bytes[1] > 'Z' || digits == 0 ||
        size < 2 + digits || size > MPC_PACKET_MAX || header != (state->at == MPC_MARK))
        return step_bad(why, "invalid packet");
    if (header) {
        const enum step step =
            mpc_header(in, state, state->at + 2 + digits, size - 2 - digits, why);

        if (step != STEP_DONE)
            return step;
    }
    state->sounds += memcmp(bytes, "AP", 2) == 0;
    state->ended = memcmp(bytes, "SE", 2) == 0;
    state->at += size;
    return STEP_DONE;
}

static struct sig_result mpc_check(struct sig_input *in, void *memory)
{
    struct mpc_state *state = memory;
    enum step step = STEP_DONE;
    const char *why = NULL;

    if (state->at == 0)
        state->at = MPC_MARK;
    while (step == STEP_DONE && !state->ended) {
        step = mpc_packet(in, state, &why);
        if (step == STEP_DONE)
            sig_valid(in, state->at);
    }
    if (step == STEP_WAIT && in->wanted > in->limit && in->valid > 0)
        sig_valid(in, in->limit);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, why);
    if (state->wanted > 0 && (state->sounds < state->wanted || state->sounds > state->wanted + 1))
        return sig_breaks(in, "the number of packets differs from the header");
    uint64_t end = state->at;
    if (audio_tag_behind(in, &end) == STEP_WAIT)
        return sig_short(in);
    return sig_believe(in, end, "the packets lead to the one that ends the file");
}

const struct sig sig_mpc = {
    .name = "mpc",
    .what = "Musepack audio, version 8",
    .proves =
        "CRC-32 of the stream header; packets lead to the end packet, as many of sound as the "
        "header says",
    .source = "Musepack Development Team, Musepack SV8 specification",
    .types = (const struct sig_type[]){ { "mpc", "mpc" }, { 0 } },
    .headers = { SIG_PATTERN("MPCKSH") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = MPC_MARK + 12 + 3,
    .size_max = UINT64_C(1) << 36, /* policy: the format has no limit */
    .state_size = sizeof(struct mpc_state),
    .check = mpc_check,
};
