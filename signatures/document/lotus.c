/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/lotus.c - spreadsheets made of records: Lotus 1-2-3 (wks, wk1, wk3), Symphony
 * (wrk), Quattro Pro (wq1, wq2, wb1, wb2).
 *
 *   records: u16le kind | u16le length | data        first: kind 0, the version; last: kind 1,
 * length 0
 *
 * The file ends with the record of kind 1. Quattro Pro 6 writes 41 bytes more, which name its
 * storage. Files of 1-2-3 97 and later go on behind that record with blocks whose length nothing
 * tells: those are refused.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    LOTUS_RECORD = 4,
    LOTUS_END = 1,
    LOTUS_RECORDS_MIN = 10,
    LOTUS_LENGTH_MAX = 8192,
    LOTUS_TAIL = 41,
};

enum lotus_kind {
    LOTUS_WKS,
    LOTUS_WK1,
    LOTUS_WRK,
    LOTUS_WK3,
    LOTUS_WQ1,
    LOTUS_WQ2,
    LOTUS_WB1,
    LOTUS_WB2,
    LOTUS_KINDS
};

static const struct sig_type lotus_types[] = {
    [LOTUS_WKS] = { "wks", "wks" }, [LOTUS_WK1] = { "wk1", "wk1" }, [LOTUS_WRK] = { "wrk", "wrk" },
    [LOTUS_WK3] = { "wk3", "wk3" }, [LOTUS_WQ1] = { "wq1", "wq1" }, [LOTUS_WQ2] = { "wq2", "wq2" },
    [LOTUS_WB1] = { "wb1", "wb1" }, [LOTUS_WB2] = { "wb2", "wb2" }, { 0 },
};

/* What stands in the first record, and the largest kind of record. */
static const struct {
    uint16_t version, kind_max;
} lotus_kinds[] = {
    [LOTUS_WKS] = { 0x0404, 0x00ff }, [LOTUS_WK1] = { 0x0406, 0x00ff },
    [LOTUS_WRK] = { 0x0405, 0x00ff }, [LOTUS_WK3] = { 0x1000, 0x02ff },
    [LOTUS_WQ1] = { 0x5120, 0x01ff }, [LOTUS_WQ2] = { 0x5121, 0x01ff },
    [LOTUS_WB1] = { 0x1001, 0x05ff }, [LOTUS_WB2] = { 0x1002, 0x05ff },
};

struct lotus_state {
    uint64_t at; /* next record */
    uint32_t count;
    enum lotus_kind kind;
};

/* Behind the last record. */
static struct sig_result lotus_end(struct sig_input *in, const struct lotus_state *state)
{
    static const uint8_t tail[] = "\0\0\0\0\0\0\x34\x12\x17\0\0\0QPW$ExtendedStorage";
    uint64_t len = state->at;

    if (state->count < LOTUS_RECORDS_MIN)
        return sig_reject("there are too few records");
    if (state->kind == LOTUS_WB2) {
        const uint8_t *bytes = sig_bytes(in, len, LOTUS_TAIL);

        if (bytes == NULL && in->wanted <= in->limit)
            return sig_short(in);
        if (bytes != NULL && memcmp(bytes, tail, sizeof tail - 1) == 0)
            len += LOTUS_TAIL;
    }
    return sig_complete(in, len, "the records lead to the end record");
}

static struct sig_result lotus_check(struct sig_input *in, void *memory)
{
    struct lotus_state *state = memory;

    if (state->at == 0) {
        const uint8_t *head = sig_bytes(in, 0, 6);

        if (head == NULL)
            return sig_short(in);
        const uint32_t version = bytes_u16le(head + 4);
        while (state->kind < LOTUS_KINDS && lotus_kinds[state->kind].version != version)
            state->kind++;
        if (state->kind == LOTUS_KINDS ||
            (bytes_u16le(head + 2) == 2) != (state->kind != LOTUS_WK3))
            return sig_reject("unknown version");
        in->type = &lotus_types[state->kind];
        state->at = LOTUS_RECORD + bytes_u16le(head + 2);
    }
    for (;;) {
        const uint8_t *record = sig_bytes(in, state->at, LOTUS_RECORD);

        if (record == NULL)
            return sig_short(in);
        const uint32_t kind = bytes_u16le(record), len = bytes_u16le(record + 2);
        if (kind == 0 || kind > lotus_kinds[state->kind].kind_max || len > LOTUS_LENGTH_MAX ||
            (kind == LOTUS_END && len != 0)) {
            if (state->count < LOTUS_RECORDS_MIN)
                return sig_reject("invalid records");
            return sig_breaks(in, "invalid record");
        }
        if (kind == LOTUS_END)
            break;
        state->at += LOTUS_RECORD + len;
        if (++state->count >= LOTUS_RECORDS_MIN && state->at <= in->limit)
            sig_valid(in, state->at);
    }
    state->at += LOTUS_RECORD;
    const struct sig_result result = lotus_end(in, state);
    if (result.verdict == SIG_MORE)
        state->at -= LOTUS_RECORD;
    return result;
}

const struct sig sig_lotus = {
    .name = "lotus",
    .what = "spreadsheet of Lotus 1-2-3, Symphony or Quattro Pro",
    .proves = "records of known kinds lead to the one that ends the sheet; cells are not read",
    .source = "Lotus, 1-2-3 and Symphony Worksheet File Format (1984, 1986); Borland, Quattro Pro "
              "file format (1993)",
    .types = lotus_types,
    .headers = { SIG_PATTERN("\0\0\x02\0\x04\x04"), SIG_PATTERN("\0\0\x02\0\x06\x04"),
                 SIG_PATTERN("\0\0\x02\0\x05\x04"), SIG_PATTERN("\0\0\x1a\0\0\x10\x04\0"),
                 SIG_PATTERN("\0\0\x02\0\x20\x51"), SIG_PATTERN("\0\0\x02\0\x21\x51"),
                 SIG_PATTERN("\0\0\x02\0\x01\x10"), SIG_PATTERN("\0\0\x02\0\x02\x10") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = LOTUS_RECORD * (LOTUS_RECORDS_MIN + 2),
    .size_max = UINT64_C(1) << 28,
    .state_size = sizeof(struct lotus_state),
    .check = lotus_check,
};
