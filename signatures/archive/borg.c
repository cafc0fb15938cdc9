/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/borg.c - segments of backups by Borg.
 *
 *   "BORG_SEG" | entries: u32le CRC-32 of what follows | u32le bytes of the entry | u8 kind: 0, 3 a
 * piece, 1 a deletion, 2 the end of a transaction | 32 bytes of name (not with 2) | data
 */
#include "base/bytes.h"
#include "signatures/lib/crc32.h"
#include "signatures/sig.h"

enum {
    BORG_MAGIC = 8,
    BORG_ENTRY = 9,
    BORG_NAME = 32,
    BORG_ENTRY_MAX = 32 << 20,
    BORG_COMMIT = 2,
    BORG_KIND_MAX = 3,
};

struct borg_state {
    uint64_t at, summed; /* the next entry; its bytes below this are in the sum */
    uint32_t crc;
    bool foreign; /* what stands at the next place looks like no entry */
};

static enum step borg_entry(struct sig_input *in, struct borg_state *state)
{
    const uint8_t *p = sig_bytes(in, state->at, BORG_ENTRY);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t told = bytes_u32le(p), bytes = bytes_u32le(p + 4), kind = p[8];
    if (kind > BORG_KIND_MAX || bytes > BORG_ENTRY_MAX ||
        bytes < BORG_ENTRY + (kind == BORG_COMMIT ? 0 : BORG_NAME)) {
        state->foreign = true;
        return STEP_BAD;
    }
    if (state->summed < state->at + 4) {
        state->summed = state->at + 4;
        state->crc = 0;
    }
    if (crc32_add(in, &state->summed, state->at + bytes, &state->crc) == STEP_WAIT)
        return STEP_WAIT;
    if (state->crc != told)
        return STEP_BAD;
    state->at += bytes;
    return STEP_DONE;
}

static struct sig_result borg_check(struct sig_input *in, void *memory)
{
    struct borg_state *state = memory;

    if (state->at == 0)
        state->at = BORG_MAGIC;
    while (state->at < in->limit) {
        const enum step step = borg_entry(in, state);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD && state->at == BORG_MAGIC)
            return sig_reject("no entry with its CRC-32");
        if (step == STEP_BAD && !state->foreign)
            return sig_breaks(in, "wrong CRC-32 of an entry");
        if (step == STEP_BAD)
            break;
        sig_valid(in, state->at);
    }
    return sig_believe(in, state->at, "the CRC-32 of every entry; no other follows");
}

const struct sig sig_borg = {
    .name = "borg",
    .what = "segment of a backup by Borg",
    .proves = "the CRC-32 of every entry; it ends where no other follows",
    .source = "Borg 1.2, docs/internals/data-structures.rst: Repository, Segments",
    .types = (const struct sig_type[]){ { "borg", "borg" }, { 0 } },
    .headers = { SIG_PATTERN("BORG_SEG") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = BORG_MAGIC + BORG_ENTRY,
    .size_max = UINT64_C(1) << 32,
    .seam = SIG_SEAM_UNIT,
    .state_size = sizeof(struct borg_state),
    .check = borg_check,
};
