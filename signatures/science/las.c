/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/las.c - LAS: points measured by laser.
 *
 *   "LASF" | ... | 24: version 1.0 to 1.4 | 94: u16le bytes of the header | u32le place of the
 * points | u32le records of variable length | u8 form of a point | u16le its bytes | u32le points
 *   from 1.4 on: 235: u64le place of the extended records | u32le how many | u64le points
 *   record: u16le | name (16) | u16le | u16le bytes | text (32); an extended one has u64le bytes
 *
 * Points of the compressed form (LAZ) do not tell their length.
 */
#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    LAS_HEAD = 227,
    LAS_HEAD_4 = 375,
    LAS_RECORD = 54,
    LAS_EXTENDED = 60,
    LAS_RECORDS_MAX = 1 << 16,
};
#define LAS_SIZE_MAX (UINT64_C(1) << 44)

struct las_state {
    uint64_t at; /* the next record; 0: not begun */
    uint32_t records;
    uint64_t extended; /* the next extended record; 0: not begun */
    uint32_t extended_records;
};

/* Records of variable length between the header and the points. */
static enum step las_records(struct sig_input *in, struct las_state *state, uint64_t points,
                             uint32_t count)
{
    for (; state->records < count; state->records++) {
        const uint8_t *p = sig_bytes(in, state->at, LAS_RECORD);

        if (p == NULL)
            return STEP_WAIT;
        state->at += LAS_RECORD + bytes_u16le(p + 20);
        if (state->at > points)
            return STEP_BAD;
    }
    return STEP_DONE;
}

static enum step las_extended(struct sig_input *in, struct las_state *state, uint32_t count)
{
    for (; state->extended_records < count; state->extended_records++) {
        const uint8_t *p = sig_bytes(in, state->extended, LAS_EXTENDED);

        if (p == NULL)
            return STEP_WAIT;
        const uint64_t len = bytes_u64le(p + 20);
        if (len > LAS_SIZE_MAX)
            return STEP_BAD;
        state->extended += LAS_EXTENDED + len;
    }
    return STEP_DONE;
}

static struct sig_result las_check(struct sig_input *in, void *memory)
{
    static const uint8_t least[] = { 20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67 };
    struct las_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, LAS_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint32_t minor = p[25], head = bytes_u16le(p + 94), records = bytes_u32le(p + 100),
                   form = p[104], bytes = bytes_u16le(p + 105);
    const uint64_t points = bytes_u32le(p + 96);
    uint64_t count = bytes_u32le(p + 107), extended = 0;
    uint32_t extended_records = 0;
    if (p[24] != 1 || minor > 4 || head < (minor == 4 ? LAS_HEAD_4 : LAS_HEAD) || points < head ||
        form >= sizeof least || bytes < least[form] || records > LAS_RECORDS_MAX)
        return sig_reject("unknown version or form of points, or compressed");
    if (minor == 4) {
        p = sig_bytes(in, 235, 20);
        if (p == NULL)
            return sig_short(in);
        extended = bytes_u64le(p);
        extended_records = bytes_u32le(p + 8);
        count = bytes_u64le(p + 12);
    }
    if (count > LAS_SIZE_MAX / bytes || extended_records > LAS_RECORDS_MAX)
        return sig_reject("too many points");
    const uint64_t end = points + count * bytes;
    if (extended_records > 0 && (extended < end || extended > LAS_SIZE_MAX))
        return sig_reject("extended records lie among the points");
    if (state->at == 0) {
        state->at = head;
        state->extended = extended;
    }
    enum step step = las_records(in, state, points, records);
    if (step == STEP_BAD)
        return sig_reject("records lie among the points");
    if (step == STEP_DONE) {
        sig_valid(in, state->at);
        step = las_extended(in, state, extended_records);
    }
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "invalid extended record");
    return sig_believe(in, extended_records > 0 ? state->extended : end,
                       "records and points give the length");
}

const struct sig sig_las = {
    .name = "las",
    .what = "LAS, points measured by laser",
    .proves = "records lead to the points, whose number gives the length; points are not read",
    .source = "ASPRS, LAS Specification 1.4 R15",
    .types = (const struct sig_type[]){ { "las", "las" }, { 0 } },
    .headers = { SIG_PATTERN("LASF") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = LAS_HEAD,
    .size_max = LAS_SIZE_MAX,
    .state_size = sizeof(struct las_state),
    .check = las_check,
};
