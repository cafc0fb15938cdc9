/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/evt.c - event logs of Windows NT to 2003.
 *
 *   48 bytes of header, with the offsets of the oldest record and of the end record, and the size
 *   of the file
 *   records: u32le length | "LfLe" | number, time … | u32le length again;  the end record repeats
 *   the header's numbers
 *
 * The file is a ring: records go on behind the header when they reach the end, and may be split
 * there. They are walked from the oldest to the end record. The header of a log that was in use is
 * of no use: the end record is then looked for by walking from the header on.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    EVT_HEAD = 48,
    EVT_RECORD_MIN = 0x38,
    EVT_RECORD_MAX = 0x10000,
    EVT_END = 40,
    EVT_DIRTY = 1,
    EVT_WRAPPED = 2,
    EVT_UNIT = 0x1000,
};

struct evt_state {
    uint64_t at;    /* next record; 0: not begun */
    uint64_t moved; /* bytes of records walked */
    uint32_t count;
};

struct evt_header {
    uint32_t first, end, size, flags;
};

static bool evt_is_end(const uint8_t *p)
{
    static const uint8_t mark[] =
        "\x28\0\0\0\x11\x11\x11\x11\x22\x22\x22\x22\x33\x33\x33\x33\x44\x44\x44\x44";

    return memcmp(p, mark, sizeof mark - 1) == 0;
}

/* One record. *end: it was the last one. */
static enum step evt_record(struct sig_input *in, const struct evt_header *header,
                            struct evt_state *state, bool *end)
{
    if (state->at + 8 >
        header->size) { /* too little room for a record: it begins behind the header */
        state->moved += header->size - state->at;
        state->at = EVT_HEAD;
    }
    const uint8_t *p = sig_bytes(in, state->at, 8);
    if (p == NULL)
        return STEP_WAIT;
    const uint32_t len = bytes_u32le(p);
    if (len == EVT_END) {
        const uint32_t rest = header->size - (uint32_t)state->at;

        *end = true;
        if (rest < EVT_END)
            return STEP_DONE; /* split */
        p = sig_bytes(in, state->at, EVT_END);
        if (p == NULL)
            return STEP_WAIT;
        return evt_is_end(p) ? STEP_DONE : STEP_BAD;
    }
    if (len < EVT_RECORD_MIN || len > EVT_RECORD_MAX || len % 4 != 0 ||
        memcmp(p + 4, "LfLe", 4) != 0)
        return STEP_BAD;
    uint64_t last = state->at + len - 4;
    if (last >= header->size)
        last = last - header->size + EVT_HEAD;
    p = sig_bytes(in, last, 4);
    if (p == NULL)
        return STEP_WAIT;
    if (bytes_u32le(p) != len)
        return STEP_BAD;
    state->at = last + 4;
    state->moved += len;
    state->count++;
    return state->moved <= header->size ? STEP_DONE : STEP_BAD;
}

static struct sig_result evt_check(struct sig_input *in, void *memory)
{
    struct evt_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, EVT_HEAD);
    bool end = false;

    if (p == NULL)
        return sig_short(in);
    const struct evt_header header = { bytes_u32le(p + 16), bytes_u32le(p + 20),
                                       bytes_u32le(p + 32), bytes_u32le(p + 36) };
    if (bytes_u32le(p + 44) != EVT_HEAD || header.size < EVT_UNIT || header.size % EVT_UNIT != 0 ||
        header.first < EVT_HEAD || header.first >= header.size || header.end < EVT_HEAD ||
        header.end >= header.size || header.flags > 15)
        return sig_reject("invalid header");
    const bool dirty = (header.flags & EVT_DIRTY) != 0;
    if (state->at == 0)
        state->at = dirty ? EVT_HEAD : header.first;
    while (!end) {
        const enum step step = evt_record(in, &header, state, &end);

        if (step == STEP_WAIT && in->wanted > in->limit && state->count > 0)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD && dirty && state->count > 0)
            break; /* the oldest record stands behind a gap */
        if (step == STEP_BAD)
            return sig_breaks(in, "invalid record");
        sig_valid(in, state->at);
    }
    if (!dirty && state->at != header.end)
        return sig_breaks(in, "the end record is not where the header says");
    if (dirty)
        return sig_believe(in, header.size,
                           "the log was in use: the records lead to the first "
                           "gap");
    return sig_complete(in, header.size, "the records lead from the oldest to the end record");
}

const struct sig sig_evt = {
    .name = "evt",
    .what = "Windows event log (NT to 2003)",
    .proves = "records have their length twice and lead from the oldest to the end record",
    .source = "Microsoft, Windows Event Log: ELF_LOGFILE_HEADER, ELF_EOF_RECORD, EVENTLOGRECORD",
    .types = (const struct sig_type[]){ { "evt", "evt" }, { 0 } },
    .headers = { SIG_PATTERN("\x30\0\0\0LfLe\1\0\0\0\1\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = EVT_UNIT,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct evt_state),
    .check = evt_check,
};
