/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/pcap.c - captured network traffic of libpcap's own format.
 *
 *   magic (byte order, unit of time) | version 2.4 | 8 bytes | longest packet | link type
 *   records: seconds, microseconds or nanoseconds, bytes stored, bytes of the packet | the packet
 *
 * Nothing says how many records there are: the file ends where no record can begin. A capture that
 * is not in one piece therefore seems to end at the break, unless its records go on not far behind:
 * they are looked for. Where packets are Ethernet with IPv4, the header of the protocol has to
 * agree with the record.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"
#include "signatures/system/system_facts.h"

enum {
    PCAP_HEAD = 24,
    PCAP_RECORD = 16,
    PCAP_PACKET_MAX = 262144, /* the most that libpcap reads or writes */
    PCAP_USB_MAX = 128 << 20, /* USB's link types go up to this */
    PCAP_ETHERNET = 1,
    PCAP_LINKS = 512,
    PCAP_YEARS = 20 * 31557600, /* seconds between records, at most */
    PCAP_LOOK = 40 << 10,       /* bytes behind the end where records may go on */
    PCAP_AT_ONCE = 64,          /* places that are looked at */
    PCAP_HOUR = 3600,
    PCAP_CHAIN = 3, /* records that make sure */
    PCAP_OLD = 8,   /* more bytes in the records of a patched libpcap */
};

struct pcap_state {
    uint64_t at; /* next record; 0: the first */
    uint32_t seconds;
};

struct pcap_header {
    bool big_endian;
    uint32_t unit, record, packet_max, link;
};

static uint32_t pcap_u32(const struct pcap_header *header, const uint8_t *p)
{
    return header->big_endian ? bytes_u32be(p) : bytes_u32le(p);
}

static bool pcap_head(const uint8_t *p, struct pcap_header *header)
{
    *header =
        (struct pcap_header){ .big_endian = p[0] == 0xa1, .unit = 1000000, .record = PCAP_RECORD };
    const uint32_t magic = pcap_u32(header, p), longest = pcap_u32(header, p + 16);

    if (magic == 0xa1b23c4d)
        header->unit = 1000000000;
    else if (magic == 0xa1b2cd34)
        header->record += PCAP_OLD;
    else if (magic != 0xa1b2c3d4)
        return false;
    header->link = pcap_u32(header, p + 20) & 0x03ffffff;
    header->packet_max =
        longest > PCAP_PACKET_MAX && longest <= PCAP_USB_MAX ? longest : PCAP_PACKET_MAX;
    const int32_t zone = (int32_t)pcap_u32(header, p + 8);
    return header->link < PCAP_LINKS && zone >= -86400 && zone <= 86400 &&
           pcap_u32(header, p + 12) <= 9 && longest != 0;
}

/* False: the packet's own header does not fit the record. p: the record and 34 bytes of its packet.
 */
static bool pcap_packet_ok(const struct pcap_header *header, const uint8_t *p, uint32_t stored)
{
    const uint8_t *packet = p + header->record;

    if (header->link != PCAP_ETHERNET || stored < 34 || bytes_u16be(packet + 12) != 0x0800)
        return true;
    return packet[14] >> 4 == 4 && (packet[14] & 15) >= 5;
}

/* *len: of the record; 0: none begins here. */
static enum step pcap_record(struct sig_input *in, const struct pcap_header *header,
                             struct pcap_state *state, uint64_t *len)
{
    const uint8_t *p = sig_bytes(in, state->at, header->record);

    *len = 0;
    if (p == NULL)
        return in->wanted > in->limit ? STEP_DONE : STEP_WAIT;
    const uint32_t seconds = pcap_u32(header, p), stored = pcap_u32(header, p + 8),
                   all = pcap_u32(header, p + 12);
    const bool first = state->at == PCAP_HEAD;
    const uint32_t apart =
        seconds > state->seconds ? seconds - state->seconds : state->seconds - seconds;
    if (pcap_u32(header, p + 4) >= header->unit || stored == 0 || stored > header->packet_max ||
        all < stored || all > header->packet_max * 4 || (!first && apart > PCAP_YEARS))
        return STEP_DONE;
    if (stored >= 34) {
        p = sig_bytes(in, state->at, header->record + 34);
        if (p == NULL)
            return STEP_WAIT;
        if (!pcap_packet_ok(header, p, stored))
            return STEP_DONE;
    }
    p = sig_bytes(in, state->at + header->record + stored - 1, 1);
    if (p == NULL)
        return STEP_WAIT;
    *len = (uint64_t)header->record + stored;
    state->seconds = seconds;
    return STEP_DONE;
}

/* True for a record at p that fits the last one before it and is followed by another; len: bytes
 * there. */
static bool pcap_goes_on(const struct pcap_header *header, const uint8_t *p, uint32_t len,
                         uint32_t seconds)
{
    for (uint32_t i = 0; i < PCAP_CHAIN; i++) {
        if (len < header->record)
            return i > 1;
        const uint32_t now = pcap_u32(header, p), stored = pcap_u32(header, p + 8),
                       all = pcap_u32(header, p + 12);

        if ((now > seconds ? now - seconds : seconds - now) > PCAP_HOUR ||
            pcap_u32(header, p + 4) >= header->unit || stored == 0 || stored > header->packet_max ||
            all < stored || all > header->packet_max * 4)
            return false;
        if (len - header->record < stored)
            return i > 0;
        p += header->record + stored;
        len -= header->record + stored;
    }
    return true;
}

/*
 * Whether the file's last sector is filled with zeros behind the last record, as file systems do:
 * the record is all there then, and what is behind is another capture. Zeros before its end say
 * nothing.
 */
static enum step pcap_filled(struct sig_input *in, const struct pcap_state *state, bool *filled)
{
    const uint32_t rest = (uint32_t)(LIMIT_SECTOR - (in->start + state->at) % LIMIT_SECTOR);
    const uint8_t *p = sig_bytes(in, state->at - PCAP_RECORD, PCAP_RECORD + rest);
    bool before = true;

    *filled = false;
    if (p == NULL)
        return in->wanted > in->limit ? STEP_DONE : STEP_WAIT;
    for (uint32_t i = 0; i < PCAP_RECORD; i++)
        before = before && p[i] == 0;
    if (before || rest < PCAP_RECORD || rest == LIMIT_SECTOR)
        return STEP_DONE;
    for (uint32_t i = 0; i < rest; i++)
        if (p[PCAP_RECORD + i] != 0)
            return STEP_DONE;
    *filled = true;
    return STEP_DONE;
}

/*
 * The first place of these, or one before it, whose first bytes may be near the time of the last
 * record, or another capture's: by the upper two of four bytes, many places at a time.
 */
static uint32_t pcap_skip(const struct pcap_header *header, uint32_t seconds, const uint8_t *p,
                          uint32_t len)
{
    const uint32_t low = (seconds > PCAP_HOUR ? seconds - PCAP_HOUR : 0) >> 16;
    const uint32_t high = (seconds < UINT32_MAX - PCAP_HOUR ? seconds + PCAP_HOUR : seconds) >> 16;
    const uint8_t *upper = p + (header->big_endian ? 0 : 3),
                  *lower = p + (header->big_endian ? 1 : 2);
    uint32_t i = 0;

    for (; i + PCAP_AT_ONCE + PCAP_HEAD <= len; i += PCAP_AT_ONCE) {
        uint8_t any = 0;

        for (uint32_t k = i; k < i + PCAP_AT_ONCE; k++) /* the compiler makes vectors of it */
            any |= (uint8_t)((upper[k] == (uint8_t)(low >> 8) && lower[k] == (uint8_t)low) ||
                             (upper[k] == (uint8_t)(high >> 8) && lower[k] == (uint8_t)high) ||
                             (upper[k] == 0xa1 && lower[k] == 0xb2));
        if (any != 0)
            break;
    }
    return i;
}

/* Looks for records behind the end; another capture's header is the end of the search. */
static enum step pcap_look(struct sig_input *in, const struct pcap_header *header,
                           const struct pcap_state *state, bool *found)
{
    const uint64_t rest = state->at < in->limit ? in->limit - state->at : 0;
    const uint32_t len = rest < PCAP_LOOK ? (uint32_t)rest : PCAP_LOOK;
    const uint8_t *p = len == 0 ? NULL : sig_bytes(in, state->at, len);
    struct pcap_header other;

    *found = false;
    if (len == 0)
        return STEP_DONE;
    if (p == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i + PCAP_HEAD <= len; i++) {
        if (i % PCAP_AT_ONCE == 0)
            i += pcap_skip(header, state->seconds, p + i, len - i);
        const uint32_t word = pcap_u32(header, p + i);

        if ((word >> 16 == 0xa1b2) && pcap_head(p + i, &other))
            return STEP_DONE;
        if ((word > state->seconds ? word - state->seconds : state->seconds - word) <= PCAP_HOUR &&
            pcap_goes_on(header, p + i, len - i, state->seconds)) {
            *found = true;
            return STEP_DONE;
        }
    }
    return STEP_DONE;
}

static struct sig_result pcap_check(struct sig_input *in, void *memory)
{
    struct pcap_state *state = memory;
    struct pcap_header header;
    const uint8_t *p = sig_bytes(in, 0, PCAP_HEAD);
    uint64_t len = 0;

    if (p == NULL)
        return sig_short(in);
    if (!pcap_head(p, &header))
        return sig_reject("invalid header");
    if (state->at == 0)
        state->at = PCAP_HEAD;
    do {
        const enum step step = pcap_record(in, &header, state, &len);

        if (step == STEP_WAIT && in->wanted > in->limit && state->at > PCAP_HEAD)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (len > 0 && state->at > PCAP_HEAD)
            sig_valid(in, state->at); /* whether this record is whole, the next one will tell */
        state->at += len;
    } while (len > 0);
    if (state->at == PCAP_HEAD)
        return sig_reject("there is no valid packet");
    bool found = false, filled;
    if (pcap_filled(in, state, &filled) == STEP_WAIT ||
        (!filled && pcap_look(in, &header, state, &found) == STEP_WAIT))
        return sig_short(in);
    if (found)
        return sig_breaks(in, "the packets go on behind other data");
    return sig_believe(in, state->at, "the packets follow one another, and no other follows");
}

const struct sig sig_pcap = {
    .name = "pcap",
    .what = "captured network traffic",
    .proves = "records lead from one to the next; Ethernet packets begin as IPv4 does; no records "
              "go on close behind the end",
    .source = "IETF, draft-ietf-opsawg-pcap, PCAP Capture File Format, 4-5",
    .types = (const struct sig_type[]){ { "pcap", "pcap" }, { 0 } },
    .headers = { SIG_PATTERN("\xd4\xc3\xb2\xa1\2\0\4\0"), SIG_PATTERN("\xa1\xb2\xc3\xd4\0\2\0\4"),
                 SIG_PATTERN("\x4d\x3c\xb2\xa1\2\0\4\0"), SIG_PATTERN("\xa1\xb2\x3c\x4d\0\2\0\4"),
                 SIG_PATTERN("\x34\xcd\xb2\xa1\2\0\4\0"), SIG_PATTERN("\xa1\xb2\xcd\x34\0\2\0\4") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER | SIG_LOOSE_END,
    .size_min = PCAP_HEAD + PCAP_RECORD + 1,
    .size_max = UINT64_C(1) << 40,
    .state_size = sizeof(struct pcap_state),
    .check = pcap_check,
    .facts = pcap_facts,
};
