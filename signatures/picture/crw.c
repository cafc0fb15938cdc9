/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/crw.c - CRW: raw pictures of Canon, and others in the form CIFF.
 *
 *   "II" | u32le bytes of the head | "HEAPCCDR" | u16le, u16le: version 1.x | 8 zeros | data |
 * u16le entries | entries: u16le kind, u32le length, u32le place from the end of the head on |
 * u32le place of the entries, which ends the file
 *
 * The end is where a place stands that leads back to entries that end right before it, and lie
 * inside.
 */
#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    CRW_HEAD = 26,
    CRW_VERSION = 16, /* the first of its two numbers */
    CRW_ZEROS = 18,
    CRW_ENTRY = 10,
    CRW_ENTRIES_MIN = 2,
    CRW_ENTRIES_MAX = 128,
    CRW_LAST = 4,
    CRW_STEP = 4096,       /* bytes looked at together */
    CRW_IN_ENTRY = 0x4000, /* of the kind: the value stands in the entry */
};

struct crw_state {
    uint64_t at; /* the next place that may be the last; 0: not begun */
};

/* The entries at `at`, `entries` of them, of a heap that begins at head. STEP_BAD: they are none.
 */
static enum step crw_entries(struct sig_input *in, uint64_t head, uint64_t at, uint32_t entries)
{
    const uint8_t *p = sig_bytes(in, at, 2 + entries * CRW_ENTRY);
    bool data = false;

    if (p == NULL)
        return STEP_WAIT;
    if (bytes_u16le(p) != entries)
        return STEP_BAD;
    for (p += 2; entries > 0; entries--, p += CRW_ENTRY) {
        const uint32_t kind = bytes_u16le(p);

        if (kind >= 2 * CRW_IN_ENTRY)
            return STEP_BAD;
        if ((kind & CRW_IN_ENTRY) != 0)
            continue;
        if (bytes_u32le(p + 6) > at - head || bytes_u32le(p + 2) > at - head - bytes_u32le(p + 6))
            return STEP_BAD;
        data |= bytes_u32le(p + 2) > 0;
    }
    return data ? STEP_DONE : STEP_BAD;
}

static struct sig_result crw_check(struct sig_input *in, void *memory)
{
    struct crw_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, CRW_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t head = bytes_u32le(p + 2);
    if (head < CRW_HEAD || head > 512)
        return sig_reject("invalid length of the head");
    /* Programs that know the format have its first bytes, and nothing tells how long a file is:
     * all that is behind them would be read. */
    if (bytes_u16le(p + CRW_VERSION) != 1 || bytes_u64le(p + CRW_ZEROS) != 0)
        return sig_reject("no version 1");
    if (state->at == 0)
        state->at = head + 2 + CRW_ENTRIES_MIN * CRW_ENTRY;
    for (;;) {
        const uint64_t left = state->at < in->limit ? in->limit - state->at : 0;
        const uint32_t len = left > CRW_STEP   ? CRW_STEP
                             : left < CRW_LAST ? CRW_LAST
                                               : (uint32_t)left;
        uint32_t i = 0, entries = 0;

        p = sig_bytes(in, state->at, len);
        if (p == NULL)
            return sig_short(in);
        for (; i + CRW_LAST <= len && entries == 0; i++) {
            const uint64_t from = state->at + i, list = head + bytes_u32le(p + i) + 2;

            if (list <= from && (from - list) % CRW_ENTRY == 0 &&
                from - list >= CRW_ENTRIES_MIN * CRW_ENTRY &&
                from - list <= CRW_ENTRIES_MAX * CRW_ENTRY)
                entries = (uint32_t)(from - list) / CRW_ENTRY;
        }
        if (entries == 0) {
            state->at += i;
            continue;
        }
        const uint64_t last = state->at + i - 1;
        switch (crw_entries(in, head, last - 2 - (uint64_t)entries * CRW_ENTRY, entries)) {
        case STEP_DONE:
            return sig_complete(in, last + CRW_LAST, "the entries tell their own place");
        case STEP_WAIT:
            return sig_short(in);
        case STEP_BAD:
            state->at = last + 1;
            break;
        }
    }
}

const struct sig sig_crw = {
    .name = "crw",
    .what = "CRW, raw picture of Canon",
    .proves = "entries that lie in the file end it and tell their own place",
    .source = "Canon, CIFF Specification on Image Data File, version 1.0 revision 4 (1997)",
    .types = (const struct sig_type[]){ { "crw", "crw" }, { 0 } },
    .headers = { SIG_MASKED("II\0\0\0\0HEAPCCDR",
                            "\xff\xff\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = CRW_HEAD + 2 + CRW_ENTRIES_MIN * CRW_ENTRY + CRW_LAST,
    .size_max = 1 << 26,
    .state_size = sizeof(struct crw_state),
    .check = crw_check,
};
