/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/midi.c - standard MIDI files.
 *
 *   "MThd" | u32be 6 | u16be format (0, 1, 2) | u16be tracks | u16be division | ("MTrk" | u32be
 * length | events)* event: time, 1 to 4 bytes of 7 bits | [status] data, of 0 to 2 bytes; f0, f7:
 * length, bytes; ff: type, length, bytes
 *
 * The events of every track are read, and the last one is "end of track" (ff 2f 00) and ends with
 * the chunk. Chunks of other names may stand between tracks, and those of Yamaha's XF behind the
 * last one.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    MIDI_HEAD = 14,
    MIDI_HEAD_MAX = 256, /* bytes of a header that was made longer */
    MIDI_PIECE = 4096,   /* bytes asked for at a time */
    MIDI_EVENT = 10,     /* bytes of time, status, type and length */
    MIDI_SYSEX = 0xf0,
    MIDI_ESCAPE = 0xf7,
    MIDI_META = 0xff,
    MIDI_END_OF_TRACK = 0x2f,
};

struct midi_state {
    uint64_t at;        /* object offset of the next event or chunk; 0: not begun */
    uint64_t track_end; /* 0: between chunks */
    uint32_t tracks, wanted;
    uint8_t running; /* status of the event before; 0: none */
    bool ended;      /* the track */
};

static enum step midi_begin(struct sig_input *in, struct midi_state *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, 0, MIDI_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t len = bytes_u32be(head + 4), format = bytes_u16be(head + 8),
                   division = bytes_u16be(head + 12);
    state->wanted = bytes_u16be(head + 10);
    if (len < 6 || len > MIDI_HEAD_MAX || format > 2 || state->wanted == 0 || division == 0 ||
        (format == 0 && state->wanted != 1))
        return step_bad(why, "invalid header");
    state->at = 8 + (uint64_t)len;
    return STEP_DONE;
}

static enum step midi_chunk(struct sig_input *in, struct midi_state *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, state->at, 8);

    if (head == NULL)
        return STEP_WAIT;
    const uint64_t len = bytes_u32be(head + 4);
    if (memcmp(head, "MTrk", 4) == 0) {
        if (len < 4)
            return step_bad(why, "a track has no end");
        state->running = 0;
        state->ended = false;
        state->at += 8;
        state->track_end = state->at + len;
        return STEP_DONE;
    }
    for (uint32_t i = 0; i < 4; i++)
        if (!((head[i] >= 'A' && head[i] <= 'Z') || (head[i] >= 'a' && head[i] <= 'z') ||
              head[i] == ' ') ||
            memcmp(head, "MThd", 4) == 0)
            return step_bad(why, "a valid track must follow here, and none does");
    state->at += 8 + len;
    return STEP_DONE;
}

/* A number of up to four bytes of 7 bits. Its bytes; 0: there is none, or it goes on behind the len
 * bytes. */
static uint32_t midi_number(const uint8_t *bytes, uint32_t len, uint32_t *value)
{
    *value = 0;
    for (uint32_t i = 0; i < 4 && i < len; i++) {
        *value = *value << 7 | (bytes[i] & 0x7f);
        if ((bytes[i] & 0x80) == 0)
            return i + 1;
    }
    return 0;
}

/* Bytes of the event at the first of len bytes, what it carries included; 0: no event. *last: the
 * end of the track. */
static uint64_t midi_event(const uint8_t *bytes, uint32_t len, uint8_t *running, bool *last)
{
    static const uint8_t data_of[8] = { 2, 2, 2, 2, 1, 1, 2, 0 }; /* of statuses 80, 90, ... e0 */
    uint32_t value, at = midi_number(bytes, len, &value);

    if (at == 0 || at >= len)
        return 0;
    const bool runs = bytes[at] < 0x80;
    const uint8_t status = runs ? *running : bytes[at++];
    if (status == MIDI_META || status == MIDI_SYSEX || status == MIDI_ESCAPE) {
        const bool end = status == MIDI_META && at < len && bytes[at] == MIDI_END_OF_TRACK;

        if (status == MIDI_META && (at >= len || bytes[at++] > 0x7f))
            return 0;
        const uint32_t digits = midi_number(bytes + at, len - at, &value);
        *last = end && value == 0;
        return digits == 0 ? 0 : at + digits + (uint64_t)value;
    }
    if (status < 0x80 || status >= MIDI_SYSEX)
        return 0;
    *running = status;
    for (uint32_t i = 0; i < data_of[status >> 4 & 7]; i++, at++)
        if (at >= len || bytes[at] > 0x7f)
            return 0;
    return at;
}

static enum step midi_track(struct sig_input *in, struct midi_state *state, const char **why)
{
    const uint64_t end = state->track_end < in->limit ? state->track_end : in->limit;
    const uint64_t rest = state->at < end ? end - state->at : 1;
    const uint32_t len = rest < MIDI_PIECE ? (uint32_t)rest : MIDI_PIECE;
    const uint8_t *piece = sig_bytes(in, state->at, len);
    uint64_t next = 0;

    if (piece == NULL)
        return STEP_WAIT;
    while (next < len && (len - next >= MIDI_EVENT || state->at + len == state->track_end)) {
        const uint64_t event =
            midi_event(piece + next, len - (uint32_t)next, &state->running, &state->ended);

        if (event == 0)
            return step_bad(why, "a valid event must follow here, and none does");
        next += event;
        if (state->ended)
            break;
    }
    if (next == 0) { /* the image ends in the middle of an event */
        in->wanted = UINT64_MAX;
        return STEP_WAIT;
    }
    state->at += next;
    if (state->at > state->track_end || (state->at == state->track_end) != state->ended)
        return step_bad(why, "a track does not end where its length says");
    if (state->ended) {
        state->track_end = 0;
        state->tracks++;
    }
    return STEP_DONE;
}

/* Behind the last track: chunks that only Yamaha's XF writes. */
static enum step midi_behind(struct sig_input *in, uint64_t *end)
{
    for (uint32_t i = 0; i < 4; i++) {
        const uint8_t *head = sig_bytes(in, *end, 8);

        if (head == NULL)
            return in->wanted > in->limit ? STEP_DONE : STEP_WAIT;
        if (memcmp(head, "XFIH", 4) != 0 && memcmp(head, "XFKM", 4) != 0)
            return STEP_DONE;
        *end += 8 + (uint64_t)bytes_u32be(head + 4);
    }
    return STEP_DONE;
}

static struct sig_result midi_check(struct sig_input *in, void *memory)
{
    struct midi_state *state = memory;
    const char *why = NULL;
    enum step step = state->at == 0 ? midi_begin(in, state, &why) : STEP_DONE;

    while (step == STEP_DONE && state->tracks < state->wanted) {
        step = state->track_end == 0 ? midi_chunk(in, state, &why) : midi_track(in, state, &why);
        if (step == STEP_DONE && state->tracks > 0)
            sig_valid(in, state->at);
    }
    uint64_t end = state->at;
    if (step == STEP_DONE)
        step = midi_behind(in, &end);
    if (step == STEP_WAIT && in->wanted > in->limit && state->tracks > 0)
        sig_valid(in, in->limit);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, why);
    return sig_complete(in, end, "every track ends where its length says");
}

const struct sig sig_midi = {
    .name = "mid",
    .what = "MIDI music",
    .proves = "events of every track, up to its end of track, which ends the chunk; as many "
              "tracks as the header says",
    .source = "MIDI Manufacturers Association, Standard MIDI Files 1.0 (RP-001); Yamaha, XF Format "
              "Specifications 2.01",
    .types = (const struct sig_type[]){ { "mid", "mid" }, { 0 } },
    .headers = { SIG_MASKED("MThd\0\0\0?\0\0", "\xff\xff\xff\xff\xff\xff\xff\0\xff\xfc") },
    .size_min = MIDI_HEAD + 8 + 4,
    .size_max = 1 << 28, /* policy: the format has no limit */
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct midi_state),
    .check = midi_check,
};
