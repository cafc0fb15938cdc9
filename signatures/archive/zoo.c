/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/zoo.c - Zoo archives.
 *
 *   text of 20 characters | dc a7 c4 fd | u32le place of the first entry | the same, negated ...
 *
 *   entry: dc a7 c4 fd | 1 or 2 | how packed | u32le place of the next one | u32le place of the
 * data | ... | at 20 u32le bytes, packed bytes | ... | in kind 2: at 51 u16le bytes behind 56 | at
 * 54 u16le the CRC-16 of the entry, with zeros in its place
 *
 * The last entry has no next one and no data.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/crc16_low.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    ZOO_HEAD = 34,
    ZOO_ENTRY_1 = 51,
    ZOO_ENTRY_2 = 56,
    ZOO_CRC = 54,
    ZOO_MORE_MAX = 1024, /* bytes of names and comments of an entry */
    ZOO_MEMBERS_MAX = 1 << 20,
};
#define ZOO_MAGIC 0xfdc4a7dcu

struct zoo_state {
    uint64_t at; /* the next entry; 0: not begun */
    uint32_t members;
};

/* The entry at state->at; *end: behind it, when it is the last one. */
static enum step zoo_entry(struct sig_input *in, struct zoo_state *state, uint64_t *end)
{
    const uint8_t *p = sig_bytes(in, state->at, ZOO_ENTRY_1);
    uint8_t entry[ZOO_ENTRY_2 + ZOO_MORE_MAX];
    uint32_t len = ZOO_ENTRY_1;

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t kind = p[4], next = bytes_u32le(p + 6), data = bytes_u32le(p + 10),
                   packed = bytes_u32le(p + 24);
    if (bytes_u32le(p) != ZOO_MAGIC || (kind != 1 && kind != 2) || p[5] > 2)
        return STEP_BAD;
    if (kind == 2) {
        p = sig_bytes(in, state->at, ZOO_ENTRY_2);
        if (p == NULL)
            return STEP_WAIT;
        len = ZOO_ENTRY_2 + bytes_u16le(p + 51);
        if (len > sizeof entry)
            return STEP_BAD;
        p = sig_bytes(in, state->at, len);
        if (p == NULL)
            return STEP_WAIT;
        const uint16_t crc = bytes_u16le(p + ZOO_CRC);
        memcpy(entry, p, len);
        memset(entry + ZOO_CRC, 0, 2);
        if (crc16_low(0, entry, len) != crc)
            return STEP_BAD;
    }
    *end = next == 0 ? state->at + len : 0;
    if (next != 0 &&
        (next < state->at + len || data < state->at + len || data > next || packed > next - data))
        return STEP_BAD;
    state->at = next == 0 ? state->at : next;
    return STEP_DONE;
}

static struct sig_result zoo_check(struct sig_input *in, void *memory)
{
    struct zoo_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, ZOO_HEAD);
    uint64_t end = 0;

    if (p == NULL)
        return sig_short(in);
    const uint32_t first = bytes_u32le(p + 24);
    if (bytes_u32le(p + 20) != ZOO_MAGIC || bytes_u32le(p + 28) != 0 - first || first < ZOO_HEAD)
        return sig_reject("the place of the first entry does not agree");
    if (state->at == 0)
        state->at = first;
    while (end == 0) {
        const enum step step = zoo_entry(in, state, &end);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD || state->members++ == ZOO_MEMBERS_MAX)
            return sig_breaks(in, "invalid entry");
        if (end == 0)
            sig_valid(in, state->at < in->limit ? state->at : in->limit);
    }
    if (state->members == 1)
        return sig_reject("there is no member");
    return sig_complete(in, end, "entries lead to the last one");
}

const struct sig sig_zoo = {
    .name = "zoo",
    .what = "Zoo archive",
    .proves = "entries lead to the last one, each with its CRC-16; members are not unpacked",
    .source = "R. Dhesi, zoo 2.10: zoo.h; J. Summers, deark: modules/zoo.c",
    .types = (const struct sig_type[]){ { "zoo", "zoo" }, { 0 } },
    .headers = { SIG_PATTERN_AT(20, "\xdc\xa7\xc4\xfd") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = ZOO_HEAD + 2 * ZOO_ENTRY_1,
    .size_max = UINT32_MAX,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct zoo_state),
    .check = zoo_check,
};
