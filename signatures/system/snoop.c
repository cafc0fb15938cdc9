/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/snoop.c - captures of packets: Bluetooth as phones log it (btsnoop), networks
 * as Solaris did (snoop).
 *
 *   "btsnoop\0" | u32be 1 | kind of link; records: u32be bytes | bytes kept | flags | lost | i64be
 * microseconds since the year 0 | as many bytes
 *   "snoop\0\0\0" | u32be 2 | kind of link; records: u32be bytes | bytes kept | bytes of the record
 * | lost | seconds | microseconds | bytes kept, zeros up to the record's end
 *
 * Nothing tells the number of records: the file ends where no other follows.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    SNOOP_HEAD = 16,
    SNOOP_RECORD = 24,
    SNOOP_BYTES_MAX = 1 << 18,
    SNOOP_PADDING_MAX = 512,
    SNOOP_YEAR_1970 = 0xdc, /* the first 16 bits of the time, in 1970 and in 2105 */
    SNOOP_YEAR_2105 = 0xed,
};

struct snoop_state {
    uint64_t at; /* the next record; 0: not begun */
    uint32_t records;
};

/* Bytes of the record whose head is at p; 0: it is none. */
static uint32_t snoop_bytes(const uint8_t *p, bool bluetooth)
{
    const uint32_t all = bytes_u32be(p), kept = bytes_u32be(p + 4), record = bytes_u32be(p + 8),
                   year = bytes_u16be(p + 16);

    if (kept > all || all > SNOOP_BYTES_MAX || all == 0)
        return 0;
    if (bluetooth)
        return year >= SNOOP_YEAR_1970 && year <= SNOOP_YEAR_2105 ? SNOOP_RECORD + kept : 0;
    return record >= SNOOP_RECORD + kept && record <= SNOOP_RECORD + kept + SNOOP_PADDING_MAX &&
                   bytes_u32be(p + 20) < 1000000
               ? record
               : 0;
}

static struct sig_result snoop_check(struct sig_input *in, void *memory)
{
    struct snoop_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, SNOOP_HEAD);

    if (p == NULL)
        return sig_short(in);
    const bool bluetooth = p[0] == 'b';
    in->type = &in->sig->types[!bluetooth];
    if (state->at == 0)
        state->at = SNOOP_HEAD;
    while (state->at < in->limit) {
        p = sig_bytes(in, state->at, SNOOP_RECORD);
        if (p == NULL)
            return sig_short(in);
        const uint32_t bytes = snoop_bytes(p, bluetooth);
        if (bytes == 0)
            break;
        if (sig_bytes(in, state->at + bytes - 1, 1) == NULL)
            return sig_short(in);
        state->at += bytes;
        state->records++;
        sig_valid(in, state->at);
    }
    if (state->records == 0)
        return sig_reject("there is no record");
    return sig_believe(in, state->at, "records follow one another, and no other does");
}

const struct sig sig_snoop = {
    .name = "snoop",
    .what = "captured packets: Bluetooth of phones (btsnoop), networks (snoop)",
    .proves = "records have their lengths and times; it ends where no other follows",
    .source = "RFC 1761 (snoop 2); Wireshark 4.0, wiretap/btsnoop.c",
    .types = (const struct sig_type[]){ { "btsnoop", "btsnoop" }, { "snoop", "snoop" }, { 0 } },
    .headers = { SIG_PATTERN("btsnoop\0\0\0\0\1\0\0"), SIG_PATTERN("snoop\0\0\0\0\0\0\2\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = SNOOP_HEAD + SNOOP_RECORD + 1,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct snoop_state),
    .check = snoop_check,
};
