/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/asf.c - Advanced Systems Format: Windows Media video and sound.
 *
 *   (GUID | u64le size | data)*: Header Object (File Properties, Stream Properties …), Data Object
 * (packets of one size), indexes
 *
 * The sizes of the header's objects fill it; the number of packets times their size is the Data
 * Object; every packet begins as the first one does. The file ends behind the last index. Without
 * sizes (a broadcast) it ends behind the last packet.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/plausible.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    ASF_HEAD = 30,
    ASF_OBJECT = 24,
    ASF_DATA_HEAD = 50,
    ASF_FILE_PROPERTIES = 104,
    ASF_HEADER_MAX = 64 << 20,
    ASF_PACKET_MAX = 1 << 20,
    ASF_PACKET_HEAD = 15, /* bytes of a packet that are looked at */
    ASF_BROADCAST = 1,
};

#define ASF_HEADER "\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c"
#define ASF_DATA "\x36\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c"
#define ASF_FILE "\xa1\xdc\xab\x8c\x47\xa9\xcf\x11\x8e\xe4\x00\xc0\x0c\x20\x53\x65"
#define ASF_STREAM "\x91\x07\xdc\xb7\xb7\xa9\xcf\x11\x8e\xe6\x00\xc0\x0c\x20\x53\x65"
#define ASF_VIDEO "\xc0\xef\x19\xbc\x4d\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b"
#define ASF_AUDIO "\x40\x9e\x69\xf8\x4d\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b"

static const char asf_indexes[][17] = {
    "\x90\x08\x00\x33\xb1\xe5\xcf\x11\x89\xf4\x00\xa0\xc9\x03\x49\xcb", /* Simple Index */
    "\xd3\x29\xe2\xd6\xda\x35\xd1\x11\x90\x34\x00\xa0\xc9\x03\x49\xbe", /* Index */
    "\xf8\x03\xb1\xfe\xad\x12\x64\x4c\x84\x0f\x2a\x1d\x2f\x7a\xd4\x8c", /* Media Object Index */
    "\xd0\x3f\xb7\x3c\x4a\x0c\x03\x48\x95\x3d\xed\xf7\xb6\x22\x8f\x0c", /* Timecode Index */
};

enum asf_type { ASF_WMV, ASF_WMA, ASF_OTHER };

static const struct sig_type asf_types[] = {
    [ASF_WMV] = { "wmv", "wmv" },
    [ASF_WMA] = { "wma", "wma" },
    [ASF_OTHER] = { "asf", "asf" },
    { 0 },
};

struct asf_state {
    uint64_t at;         /* the next object of the header, the next packet, or the next index */
    uint64_t header_end; /* 0: not begun */
    uint64_t data_end;   /* 0: not there yet; UINT64_MAX: not known */
    uint64_t data_at;    /* the first packet */
    uint32_t objects, seen;
    uint32_t packet; /* bytes */
    uint64_t packets;
    uint8_t first[2]; /* how packets begin */
    bool has_file, has_video, has_audio, broadcast;
    struct plausible plausible;
    const char *why;
};

static enum step asf_bad(struct asf_state *state, const char *why)
{
    state->why = why;
    return STEP_BAD;
}

/* One object of the header. */
static enum step asf_object(struct sig_input *in, struct asf_state *state)
{
    const uint8_t *head = sig_bytes(in, state->at, ASF_OBJECT);

    if (head == NULL)
        return STEP_WAIT;
    const uint64_t size = bytes_u64le(head + 16);
    if (size < ASF_OBJECT || size > state->header_end - state->at)
        return asf_bad(state, "the objects do not fill the header");
    if (memcmp(head, ASF_FILE, 16) == 0) {
        if (size < ASF_FILE_PROPERTIES || state->has_file)
            return asf_bad(state, "invalid file properties");
        head = sig_bytes(in, state->at, ASF_FILE_PROPERTIES);
        if (head == NULL)
            return STEP_WAIT;
        state->packets = bytes_u64le(head + 56);
        state->broadcast = (bytes_u32le(head + 88) & ASF_BROADCAST) != 0;
        state->packet = bytes_u32le(head + 92);
        if (state->packet == 0 || state->packet > ASF_PACKET_MAX ||
            state->packet != bytes_u32le(head + 96))
            return asf_bad(state, "the packets do not have one size");
        state->has_file = true;
    } else if (memcmp(head, ASF_STREAM, 16) == 0) {
        if (size < ASF_OBJECT + 54)
            return asf_bad(state, "invalid properties of a stream");
        head = sig_bytes(in, state->at + ASF_OBJECT, 16);
        if (head == NULL)
            return STEP_WAIT;
        state->has_video |= memcmp(head, ASF_VIDEO, 16) == 0;
        state->has_audio |= memcmp(head, ASF_AUDIO, 16) == 0;
    }
    state->at += size;
    state->seen++;
    return STEP_DONE;
}

static enum step asf_header(struct sig_input *in, struct asf_state *state)
{
    if (state->header_end == 0) {
        const uint8_t *head = sig_bytes(in, 0, ASF_HEAD);

        if (head == NULL)
            return STEP_WAIT;
        const uint64_t size = bytes_u64le(head + 16);
        if (size < ASF_HEAD + ASF_FILE_PROPERTIES || size > ASF_HEADER_MAX || head[28] != 1 ||
            head[29] != 2)
            return asf_bad(state, "invalid header");
        state->objects = bytes_u32le(head + 24);
        state->header_end = size;
        state->at = ASF_HEAD;
    }
    while (state->at < state->header_end) {
        const enum step step = asf_object(in, state);

        if (step != STEP_DONE)
            return step;
    }
    if (!state->has_file || state->objects < state->seen ||
        state->objects > state->seen + 1) /* some writers count the header in */
        return asf_bad(state, "the objects do not fill the header");
    return STEP_DONE;
}

/* The Data Object: its packets are as many as its size says. */
static enum step asf_data(struct sig_input *in, struct asf_state *state)
{
    const uint8_t *head = sig_bytes(in, state->header_end, ASF_DATA_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    const uint64_t size = bytes_u64le(head + 16), packets = bytes_u64le(head + 40);
    if (memcmp(head, ASF_DATA, 16) != 0)
        return asf_bad(state, "there are no data behind the header");
    const bool open =
        size < ASF_DATA_HEAD || size == UINT64_MAX || (state->broadcast && packets == 0);
    if (!open && (size - ASF_DATA_HEAD) % state->packet != 0)
        return asf_bad(state, "the data are not a whole number of packets");
    if (!open && packets != 0 && (size - ASF_DATA_HEAD) / state->packet != packets)
        return asf_bad(state, "the number of packets differs from the size of the data");
    state->data_at = state->at = state->header_end + ASF_DATA_HEAD;
    state->data_end = open ? UINT64_MAX : sig_add(state->header_end, size);
    in->type = &asf_types[state->has_video ? ASF_WMV : state->has_audio ? ASF_WMA : ASF_OTHER];
    return STEP_DONE;
}

/* The packet at state->at: flags as the first one has them, padding within it. */
static enum step asf_packet(struct sig_input *in, struct asf_state *state)
{
    const uint32_t want = state->packet < ASF_PACKET_HEAD ? state->packet : ASF_PACKET_HEAD;
    const uint8_t *head = sig_bytes(in, state->at, want);
    static const uint8_t widths[] = { 0, 1, 2, 4 };

    if (head == NULL)
        return STEP_WAIT;
    if (want < ASF_PACKET_HEAD)
        return asf_bad(state, "the packets are too small");
    const bool corrected = (head[0] & 0x80) != 0;
    if (corrected && head[0] != 0x82)
        return asf_bad(state, "invalid start of a packet");
    const uint8_t *flags = head + (corrected ? 3 : 0);
    if (state->at == state->data_at) {
        state->first[0] = head[0];
        state->first[1] = flags[1];
    }
    if (corrected != ((state->first[0] & 0x80) != 0) || flags[1] != state->first[1] ||
        (flags[0] & 0x80) != 0 || (corrected && (head[1] & 0xf0) != 0))
        return asf_bad(state, "the start of a packet differs from that of the first one");
    const uint32_t len_width = widths[flags[0] >> 5 & 3],
                   sequence_width = widths[flags[0] >> 1 & 3];
    const uint32_t pad_width = widths[flags[0] >> 3 & 3];
    const uint8_t *pad = flags + 2 + len_width + sequence_width;
    uint32_t padding = 0;
    for (uint32_t i = 0; i < pad_width && pad + i < head + want; i++)
        padding |= (uint32_t)pad[i] << (8 * i);
    if (padding >= state->packet)
        return asf_bad(state, "the padding of a packet is longer than the packet");
    return STEP_DONE;
}

static enum step asf_packets(struct sig_input *in, struct asf_state *state)
{
    while (state->at < state->data_end) {
        enum step step = asf_packet(in, state);

        if (state->data_end == UINT64_MAX && state->at > state->data_at &&
            (step == STEP_BAD || (step == STEP_WAIT && in->wanted > in->limit)))
            return STEP_DONE;
        if (step == STEP_DONE &&
            state->data_end != UINT64_MAX) /* text in the middle of a packet is not the film's */
            switch (plausible_check(in, &state->plausible, PLAUSIBLE_SAMPLES_8, 1, state->data_at,
                                    state->at + state->packet)) {
            case STEP_WAIT:
                step = STEP_WAIT;
                break;
            case STEP_BAD:
                step = asf_bad(state, "there is text among the packets");
                break;
            default:
                break;
            }
        if (step != STEP_DONE)
            return step;
        state->at += state->packet;
    }
    return STEP_DONE;
}

/* Indexes behind the data. STEP_BAD: there is none at state->at. */
static enum step asf_index(struct sig_input *in, struct asf_state *state)
{
    const uint8_t *head = sig_bytes(in, state->at, ASF_OBJECT);

    if (head == NULL)
        return in->wanted > in->limit ? STEP_BAD : STEP_WAIT;
    const uint64_t size = bytes_u64le(head + 16);
    for (size_t i = 0; i < sizeof asf_indexes / sizeof asf_indexes[0]; i++)
        if (memcmp(head, asf_indexes[i], 16) == 0 && size > ASF_OBJECT && size <= UINT32_MAX) {
            state->at += size;
            return STEP_DONE;
        }
    return STEP_BAD;
}

static struct sig_result asf_result(struct sig_input *in, const struct asf_state *state,
                                    enum step step)
{
    if (step == STEP_WAIT && in->wanted <= in->limit)
        return sig_short(in);
    if (state->data_end != 0 && state->at > state->data_at)
        sig_valid(in, step == STEP_WAIT ? in->limit : state->at);
    return sig_breaks(in, step == STEP_WAIT ? sig_short(in).why : state->why);
}

static struct sig_result asf_check(struct sig_input *in, void *memory)
{
    struct asf_state *state = memory;
    enum step step = STEP_DONE;

    if (state->data_end == 0) {
        step = asf_header(in, state);
        if (step == STEP_DONE)
            step = asf_data(in, state);
    }
    if (step == STEP_DONE && state->at < state->data_end)
        step = asf_packets(in, state);
    if (step != STEP_DONE)
        return asf_result(in, state, step);
    if (state->data_end == UINT64_MAX)
        state->data_end = state->at;
    while ((step = asf_index(in, state)) == STEP_DONE)
        ;
    return step == STEP_WAIT ? sig_short(in)
                             : sig_complete(in, state->at, "every packet has a valid start");
}

const struct sig sig_asf = {
    .name = "asf",
    .what = "Windows Media video and sound (ASF)",
    .proves = "header's objects fill it; packets fill the data, begin alike and hold no text; "
              "frames are not decoded",
    .source = "Microsoft, Advanced Systems Format Specification 01.20.05, 3 to 6",
    .types = asf_types,
    .headers = { SIG_PATTERN(ASF_HEADER) },
    .size_min = ASF_HEAD + ASF_FILE_PROPERTIES + ASF_DATA_HEAD,
    .size_max = UINT64_C(1) << 40,
    .state_size = sizeof(struct asf_state),
    .flags = SIG_LOOSE_END,
    .check = asf_check,
};
