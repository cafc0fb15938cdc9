/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/realmedia.c - RealMedia.
 *
 *   (4 letters | u32be size | u16be version | …)*: .RMF, PROP, MDPR (one a stream), CONT, DATA,
 * INDX, RMMD … DATA: u32be packets | u32be next DATA | packets (u16be version | u16be length |
 * u16be stream | u32be time | …)
 *
 * Chunks are walked, and the packets of DATA, which must be as many as it says and fill it (some
 * writers count its head twice). PROP tells where the first DATA and the first INDX stand. The
 * writers that count wrong keep 8 zero bytes where the index would be.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "signatures/sig.h"

enum {
    RM_CHUNK = 10,
    RM_DATA_HEAD = 18,
    RM_PROP = 50,
    RM_PACKET = 12, /* bytes of a packet's head in its shorter version */
    RM_EMPTY_INDEX = 8,
};

struct rm_state {
    uint64_t at;                  /* the next chunk, or packet */
    uint64_t data_end;            /* of the DATA that is being walked; 0: not in one */
    uint32_t packets, packets_to; /* in it */
    uint32_t index_at, data_at;   /* by PROP; 0: not told */
    uint32_t streams;
    bool has_prop, has_data, overcounted;
};

/* As enum step, and: no chunk begins here. */
enum rm_step { RM_DONE, RM_WAIT, RM_BAD, RM_NONE };

static bool rm_is_name(const uint8_t *name)
{
    static const char names[][5] = { ".RMF", "PROP", "MDPR", "CONT", "DATA",
                                     "INDX", "RMMD", "RMJD", "RMJE", "RJMD" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (memcmp(name, names[i], 4) == 0)
            return true;
    return false;
}

static enum rm_step rm_packet(struct sig_input *in, struct rm_state *state)
{
    const uint8_t *head = sig_bytes(in, state->at, 6);

    if (head == NULL)
        return RM_WAIT;
    const uint32_t version = bytes_u16be(head), len = bytes_u16be(head + 2),
                   stream = bytes_u16be(head + 4);
    if (version > 1 || len < RM_PACKET || len > state->data_end - state->at ||
        stream >= state->streams)
        return RM_BAD;
    state->at += len;
    state->packets++;
    return RM_DONE;
}

static enum rm_step rm_chunk(struct sig_input *in, struct rm_state *state)
{
    const uint8_t *head = sig_bytes(in, state->at, RM_CHUNK);

    if (head == NULL)
        return RM_WAIT;
    const uint32_t size = bytes_u32be(head + 4);
    if (!rm_is_name(head) || (memcmp(head, ".RMF", 4) == 0 && state->at > 0))
        return RM_NONE;
    if (size < RM_CHUNK || bytes_u16be(head + 8) > 2)
        return RM_BAD;
    if (memcmp(head, "PROP", 4) == 0) {
        const uint8_t *prop = size < RM_PROP ? NULL : sig_bytes(in, state->at, RM_PROP);

        if (prop == NULL)
            return size < RM_PROP ? RM_BAD : RM_WAIT;
        state->index_at = bytes_u32be(prop + 38);
        state->data_at = bytes_u32be(prop + 42);
        state->has_prop = true;
    } else if (memcmp(head, "MDPR", 4) == 0) {
        state->streams++;
    } else if (memcmp(head, "DATA", 4) == 0) {
        const uint8_t *data = size < RM_DATA_HEAD ? NULL : sig_bytes(in, state->at, RM_DATA_HEAD);

        if (data == NULL)
            return size < RM_DATA_HEAD ? RM_BAD : RM_WAIT;
        if (!state->has_prop ||
            (!state->has_data && state->data_at != 0 && state->data_at != state->at))
            return RM_BAD;
        state->has_data = true;
        state->packets = 0;
        state->packets_to = bytes_u32be(data + 10);
        state->data_end = state->at + size;
        state->at += RM_DATA_HEAD;
        return RM_DONE;
    }
    state->at += size;
    return RM_DONE;
}

/* No chunk follows: the file ends, or is broken. */
static struct sig_result rm_end(struct sig_input *in, const struct rm_state *state)
{
    if (!state->has_data)
        return sig_breaks(in, "there are no data");
    if ((state->index_at == state->at || state->overcounted) && in->limit > state->at) {
        if (in->limit - state->at < RM_EMPTY_INDEX)
            return sig_breaks(in, "the image ends before the file does");
        const uint8_t *index = sig_bytes(in, state->at, RM_EMPTY_INDEX);

        if (index == NULL)
            return sig_short(in);
        if (bytes_u64be(index) == 0)
            return sig_complete(in, state->at + RM_EMPTY_INDEX, "the packets fill the data");
    }
    if (state->index_at >= state->at)
        return sig_breaks(in, "there is no index where the header points");
    return sig_complete(in, state->at, "the packets fill the data");
}

static struct sig_result rm_check(struct sig_input *in, void *memory)
{
    struct rm_state *state = memory;

    for (;;) {
        enum rm_step step;

        if (state->data_end != 0 &&
            (state->at >= state->data_end || state->packets == state->packets_to)) {
            if (state->packets != state->packets_to || state->data_end - state->at > RM_DATA_HEAD)
                return sig_breaks(in, "the number of packets differs from the data header");
            state->overcounted = state->at != state->data_end;
            state->data_end = 0;
        }
        step = state->data_end != 0 ? rm_packet(in, state) : rm_chunk(in, state);
        if (step == RM_WAIT && in->wanted <= in->limit)
            return sig_short(in);
        if (step == RM_WAIT && state->has_data && state->at < in->limit && state->data_end != 0)
            sig_valid(in, in->limit);
        if (step == RM_NONE || (step == RM_WAIT && state->data_end == 0))
            return rm_end(in, state);
        if (step != RM_DONE)
            return sig_breaks(in, step == RM_WAIT ? "the image ends before the file does"
                                                  : "a valid packet or chunk must follow here, "
                                                    "and none does");
        if (state->has_data && state->at > LIMIT_SECTOR)
            sig_valid(in, state->at);
    }
}

const struct sig sig_realmedia = {
    .name = "realmedia",
    .what = "RealMedia video and sound",
    .proves = "packets fill the data, as many as its header says; the index is where the header "
              "says; frames are not decoded",
    .source = "RealNetworks, RealMedia File Format (Helix DNA)",
    .types = (const struct sig_type[]){ { "rm", "rm" }, { 0 } },
    .headers = { SIG_PATTERN(".RMF\0\0\0\x12\0"), SIG_PATTERN(".RMF\0\0\0\x10\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 18 + RM_PROP + RM_DATA_HEAD,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct rm_state),
    .check = rm_check,
};
