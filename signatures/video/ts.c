/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/ts.c - MPEG-2 transport streams: packets of 188 bytes, or of 192 with a time
 * stamp in front (Blu-ray, AVCHD).
 *
 *   47 | error, start, priority, PID (13 bits) | scrambling, adaptation, continuity | [u8 length,
 * adaptation] | payload
 *
 * A file begins with the program association table or the service description table, whose CRC must
 * be right. Packets of a PID count from 0 to 15 and again. Nothing says where the stream ends:
 * where no packet follows, and every packetized stream is whole by its own length or, where that is
 * 0, ends with stuffing; a recording that was stopped in the middle of a picture counts as cut.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    TS_PACKET = 188,
    TS_PIDS = 8192,
    TS_NULL = 0x1fff,
    TS_PAT = 0,
    TS_PACKETS_MIN = 4,
    TS_ERRORS = 4, /* of continuity, and one more for each so many packets */
    TS_ERRORS_PER = 64,
    TS_SECTION_MAX = 1021,
    TS_SEEN = 1,    /* a PID that occurred */
    TS_PES = 2,     /* carries a packetized stream */
    TS_OPEN = 4,    /* whose packet has no length */
    TS_STUFFED = 8, /* and ends with stuffing */
};

struct ts_state {
    uint64_t packets; /* right ones */
    uint64_t errors;  /* of continuity */
    uint32_t size;    /* 188 or 192; 0: not begun */
    uint32_t first_pid;
    uint8_t first_count;
    bool has_table;
    uint8_t counts[TS_PIDS], flags[TS_PIDS];
    uint32_t left[TS_PIDS]; /* bytes that the packetized stream's packet still has */
};
_Static_assert(sizeof(struct ts_state) <= SIG_STATE_MAX, "the state of all PIDs fits");

static const struct sig_type ts_types[] = { { "ts", "ts" }, { "m2ts", "m2ts" }, { 0 } };

/* The CRC of a table, itself included, is 0: polynomial 04c11db7, highest bit first. */
static bool ts_table_right(const uint8_t *section, uint32_t have)
{
    const uint32_t len = 3 + (bytes_u16be(section + 1) & 0xfffu);
    uint32_t crc = UINT32_MAX;

    if (len > have)
        return len <= 3 + TS_SECTION_MAX &&
               bytes_u16be(section + have - 2) != 0xffff; /* goes on in another packet */
    for (uint32_t i = 0; i < len; i++) {
        crc ^= (uint32_t)section[i] << 24;
        for (int bit = 0; bit < 8; bit++)
            crc = crc << 1 ^ (crc >> 31 != 0 ? 0x04c11db7u : 0);
    }
    return crc == 0;
}

/* Follows the packetized stream of a PID. */
static void ts_stream(struct ts_state *state, uint32_t pid, bool start, const uint8_t *payload,
                      uint32_t len, bool stuffed)
{
    uint8_t *flags = &state->flags[pid];

    if (start && len >= 6 && payload[0] == 0 && payload[1] == 0 && payload[2] == 1) {
        const uint32_t told = bytes_u16be(payload + 4);

        *flags = (uint8_t)((*flags & TS_SEEN) | TS_PES | (told == 0 ? TS_OPEN : 0) |
                           (stuffed ? TS_STUFFED : 0));
        state->left[pid] = told == 0 ? 0 : told + 6 > len ? told + 6 - len : 0;
    } else if ((*flags & TS_PES) != 0) {
        *flags = (uint8_t)((*flags & ~TS_STUFFED) | (stuffed ? TS_STUFFED : 0));
        state->left[pid] = state->left[pid] > len ? state->left[pid] - len : 0;
    }
}

/* Is there a packet at p, and does it follow from those before? NULL: yes. *none: there is none at
 * all. */
static const char *ts_packet(struct ts_state *state, const uint8_t *p, bool *none)
{
    const uint32_t pid = bytes_u16be(p + 1) & 0x1fffu, kind = p[3] >> 4 & 3;
    const bool start = (p[1] & 0x40) != 0, payload = (kind & 1) != 0;
    const uint32_t adaptation = (kind & 2) != 0 ? 1u + p[4] : 0;
    const bool jump = adaptation > 1 && (p[5] & 0x80) != 0;

    *none = p[0] != 0x47 || (p[1] & 0x80) != 0;
    if (*none)
        return "no other packet follows";
    if (pid == TS_NULL)
        return NULL;
    if (kind == 0 || adaptation > TS_PACKET - 4 || (payload && adaptation == TS_PACKET - 4))
        return "invalid packet";
    if (payload && (state->flags[pid] & TS_SEEN) != 0 && !jump) {
        const uint8_t count = p[3] & 15, last = state->counts[pid];

        const bool follows = count == ((last + 1) & 15);

        *none = !follows && start && pid == state->first_pid && count == state->first_count;
        if (*none)
            return "another stream begins";
        state->errors += !follows && count != last; /* one may be sent twice */
        if (state->errors > TS_ERRORS + state->packets / TS_ERRORS_PER)
            return "the packets do not follow one another";
    }
    if (payload) {
        const uint8_t *data = p + 4 + adaptation;
        const uint32_t len = TS_PACKET - 4 - adaptation;

        state->counts[pid] = p[3] & 15;
        state->flags[pid] |= TS_SEEN;
        if (pid == TS_PAT && start && len > 4) {
            if (data[0] >= len - 3 || data[1 + data[0]] != 0 ||
                !ts_table_right(data + 1 + data[0], len - 1 - data[0]))
                return "the CRC of a table is wrong";
            state->has_table = true;
        } else if (pid != TS_PAT && (p[3] & 0xc0) == 0) {
            ts_stream(state, pid, start, data, len, adaptation > 2 && p[3 + adaptation] == 0xff);
        }
    }
    return NULL;
}

/* Is every packetized stream whole? */
static bool ts_is_whole(const struct ts_state *state)
{
    bool any = false;

    for (uint32_t pid = 0; pid < TS_PIDS; pid++) {
        const uint8_t flags = state->flags[pid];

        if ((flags & TS_PES) == 0)
            continue;
        any = true;
        if (state->left[pid] > 0 || (flags & (TS_OPEN | TS_STUFFED)) == TS_OPEN)
            return false;
    }
    return any;
}

static struct sig_result ts_check(struct sig_input *in, void *memory)
{
    struct ts_state *state = memory;
    const char *why = NULL;
    bool none = true;

    if (state->size == 0) {
        const uint8_t *head = sig_bytes(in, 0, 2 * 192);

        if (head == NULL)
            return sig_short(in);
        state->size = head[0] == 0x47 && head[TS_PACKET] == 0x47 ? TS_PACKET : 192;
        if (state->size == 192 && (head[4] != 0x47 || head[192 + 4] != 0x47))
            return sig_reject("there is only one packet");
        in->type = &ts_types[state->size == 192];
        head += state->size - TS_PACKET;
        state->first_pid = bytes_u16be(head + 1) & 0x1fffu;
        state->first_count = head[3] & 15;
    }
    while (why == NULL) {
        const uint8_t *packet = sig_bytes(in, state->packets * state->size, state->size);

        if (packet == NULL && in->wanted <= in->limit)
            return sig_short(in);
        none = true;
        why = packet == NULL ? "no other packet follows"
                             : ts_packet(state, packet + state->size - TS_PACKET, &none);
        if (why == NULL)
            state->packets++;
        if (state->packets >= TS_PACKETS_MIN && state->has_table)
            sig_valid(in, state->packets * state->size);
    }
    if (state->packets < TS_PACKETS_MIN || !state->has_table)
        return sig_reject(why);
    const uint64_t at = state->packets * state->size;
    const bool cut = at + 5 <= in->limit && at + state->size > in->limit;
    const uint8_t *next = cut ? sig_bytes(in, at, 5) : NULL;
    if (cut && next == NULL)
        return sig_short(in);
    if (!none || (next != NULL && next[state->size - TS_PACKET] == 0x47))
        return sig_breaks(in, none ? "the image ends inside a packet" : why);
    return ts_is_whole(state) ? sig_complete(in, at, "every stream is whole")
                              : sig_breaks(in, "the packets end in the middle of a stream");
}

const struct sig sig_ts = {
    .name = "ts",
    .what = "MPEG-2 transport stream (ts, m2ts)",
    .proves = "the CRC-32 of tables, counters of every packet; each packetized stream ends "
              "whole; frames are not decoded",
    .source = "ISO/IEC 13818-1, 2.4.3 (packets), 2.4.4 (tables); Blu-ray Disc BDAV",
    .types = ts_types,
    .headers = { SIG_MASKED("\x47\x40\0\x10\0\0\xb0", "\xff\xdf\xff\xf0\xff\xff\xf0"),
                 SIG_MASKED("\x47\x40\x11\x10\0\x42\xf0", "\xff\xdf\xff\xf0\xff\xff\xb0"),
                 SIG_MASKED("????\x47\x40\0\x10\0\0\xb0", "\0\0\0\0\xff\xdf\xff\xf0\xff\xff\xf0"),
                 SIG_MASKED("????\x47\x40\x11\x10\0\x42\xf0",
                            "\0\0\0\0\xff\xdf\xff\xf0\xff\xff\xb0") },
    .flags = SIG_SECTOR_ALIGNED | SIG_STREAM,
    .size_min = TS_PACKETS_MIN * TS_PACKET,
    .size_max = UINT64_C(1) << 40,
    .state_size = sizeof(struct ts_state),
    .check = ts_check,
};
