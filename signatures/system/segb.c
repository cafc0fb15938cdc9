/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/segb.c - streams of Biome on iOS and macOS (SEGB, version 1): what its user
 * did.
 *
 *   u32le end of the records | 48 bytes | "SEGB" | records, filled up to 8 bytes: u32le bytes |
 * u32le state: 1 written, 3 deleted, 4 empty | two times, doubles, seconds since 2001 | u32le
 * CRC-32 | 4 bytes | data, a message of Protocol Buffers
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/crc32.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    SEGB_HEAD = 56,
    SEGB_RECORD = 32,
    SEGB_WRITTEN = 1,
    SEGB_DELETED = 3,
    SEGB_EMPTY = 4,
    SEGB_SIZE_MAX = 1 << 30,
};

struct segb_state {
    uint64_t at;     /* of the next record; 0: not begun */
    uint64_t summed; /* object offset up to which its data are in crc */
    uint32_t crc, records;
};

static enum step segb_record(struct sig_input *in, struct segb_state *state, uint64_t end)
{
    const uint8_t *p = sig_bytes(in, state->at, SEGB_RECORD);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t bytes = bytes_u32le(p), kind = bytes_u32le(p + 4), crc = bytes_u32le(p + 24);
    const uint64_t data = state->at + SEGB_RECORD;
    if ((kind != SEGB_WRITTEN && kind != SEGB_DELETED && kind != SEGB_EMPTY) || data > end ||
        bytes > end - data)
        return STEP_BAD;
    if (kind == SEGB_WRITTEN) {
        if (state->summed < data) {
            state->summed = data;
            state->crc = 0;
        }
        const enum step step = crc32_add(in, &state->summed, data + bytes, &state->crc);
        if (step != STEP_DONE)
            return step;
        if (state->crc != crc)
            return STEP_BAD;
        state->records++;
    }
    state->at = (data + bytes + 7) / 8 * 8;
    if (state->at <= in->limit && state->records > 0)
        sig_valid(in, state->at);
    return STEP_DONE;
}

static struct sig_result segb_check(struct sig_input *in, void *memory)
{
    struct segb_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, SEGB_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t end = bytes_u32le(p);
    if (end < SEGB_HEAD + SEGB_RECORD || end > SEGB_SIZE_MAX)
        return sig_reject("invalid end of the records");
    if (state->at == 0)
        state->at = SEGB_HEAD;
    while (state->at < end) {
        const enum step step = segb_record(in, state, end);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "invalid record");
    }
    if (state->records == 0)
        return sig_reject("there is no record with its CRC-32");
    return sig_complete(in, end, "every record that is written has its CRC-32");
}

const struct sig sig_segb = {
    .name = "segb",
    .what = "stream of Biome on iOS and macOS (SEGB)",
    .proves = "the CRC-32 of every record that is not deleted; they lead to the end",
    .source = "CCL Solutions Group, ccl-segb: version 1",
    .types = (const struct sig_type[]){ { "segb", "segb" }, { 0 } },
    .headers = { SIG_PATTERN_AT(52, "SEGB") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = SEGB_HEAD + SEGB_RECORD,
    .size_max = SEGB_SIZE_MAX,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct segb_state),
    .check = segb_check,
};
