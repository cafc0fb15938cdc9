/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/arj.c - ARJ archives: headers with CRC-32s, each followed by its data, up to a
 * header of size 0.
 *
 *   60 ea | u16le size | basic header | u32le CRC-32 of it | [u16le size | extended header |
 * CRC-32]… | 00 00 | data basic header: its fixed size | version | needed | system | flags | method
 * | kind | … | at 12: packed size, plain size, CRC-32 main header first, kind 2, without data; the
 * end: 60 ea 00 00
 *
 * The CRC-32 of files that are stored as they are is checked, and packed data have to look like
 * that. Two bytes make a weak header, so archives are looked for only where they begin on a sector.
 */
#include <isa-l/crc.h>

#include "base/bytes.h"
#include "signatures/lib/crc32.h"
#include "signatures/lib/plausible.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    ARJ_BASIC_MIN = 30,
    ARJ_BASIC_MAX = 2600,
    ARJ_EXTENDED_MAX = 16,
    ARJ_METHOD_MAX = 4,
    ARJ_KIND_MAIN = 2,
    ARJ_KIND_MAX = 6,
    ARJ_GARBLED = 1 << 0,
    ARJ_CONTINUES = 1 << 2,
    ARJ_CONTINUED = 1 << 3,
};

struct arj_state {
    uint64_t at;   /* object offset of the next header */
    uint64_t data; /* how far the data in front of it have been read */
    uint64_t files;
    uint32_t crc, crc_told;
    bool has_main, ended, stored, packed; /* of the data: to be compared; to be looked at */
    struct plausible plausible;
};

static enum step arj_data(struct sig_input *in, struct arj_state *state)
{
    if (state->packed) {
        const enum step step =
            plausible_check(in, &state->plausible, PLAUSIBLE_COMPRESSED, 1, state->data, state->at);
        if (step != STEP_DONE)
            return step == STEP_WAIT ? STEP_WAIT : STEP_BAD;
    }
    if (state->stored && crc32_add(in, &state->data, state->at, &state->crc) == STEP_WAIT)
        return STEP_WAIT;
    if (state->stored && state->crc != state->crc_told)
        return STEP_BAD;
    state->stored = state->packed = false;
    return STEP_DONE;
}

/* The extended headers that begin at *at. */
static enum step arj_extended(struct sig_input *in, uint64_t *at)
{
    for (uint32_t i = 0; i < ARJ_EXTENDED_MAX; i++) {
        const uint8_t *head = sig_bytes(in, *at, 2);

        if (head == NULL)
            return STEP_WAIT;
        const uint32_t len = bytes_u16le(head);
        *at += 2;
        if (len == 0)
            return STEP_DONE;
        *at += len + 4;
    }
    return STEP_BAD;
}

/* What the basic header of len bytes says. */
static bool arj_basic(const uint8_t *basic, uint32_t len, struct arj_state *state, uint64_t *size)
{
    const uint32_t fixed = basic[0], flags = basic[4], method = basic[5], kind = basic[6];
    const bool is_main = kind == ARJ_KIND_MAIN;

    if (fixed < ARJ_BASIC_MIN || fixed + 2 > len || kind > ARJ_KIND_MAX ||
        is_main == state->has_main || (!is_main && method > ARJ_METHOD_MAX && method != 9))
        return false;
    *size = is_main ? 0 : bytes_u32le(basic + 12);
    const bool whole = (flags & (ARJ_GARBLED | ARJ_CONTINUES | ARJ_CONTINUED)) == 0;
    state->stored = !is_main && method == 0 && whole && *size == bytes_u32le(basic + 16);
    state->packed = !is_main && method > 0;
    state->crc = 0;
    state->crc_told = bytes_u32le(basic + 20);
    return true;
}

static enum step arj_header(struct sig_input *in, struct arj_state *state)
{
    const uint8_t *head = sig_bytes(in, state->at, 4);
    uint64_t at = state->at + 4, size = 0;

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t len = bytes_u16le(head + 2);
    if (bytes_u16be(head) != 0x60ea || len > ARJ_BASIC_MAX ||
        (len < ARJ_BASIC_MIN && (len != 0 || !state->has_main)))
        return STEP_BAD;
    if (len == 0) {
        state->ended = true;
        state->at += 4;
        return STEP_DONE;
    }
    struct arj_state next = *state;
    const uint8_t *basic = sig_bytes(in, at, len + 4);
    if (basic == NULL)
        return STEP_WAIT;
    if (crc32_gzip_refl(0, basic, len) != bytes_u32le(basic + len) ||
        !arj_basic(basic, len, &next, &size))
        return STEP_BAD;
    at += len + 4;
    const enum step step = arj_extended(in, &at);
    if (step != STEP_DONE)
        return step;
    if (state->files > 0)
        sig_valid(in, state->at);
    *state = next;
    state->files += state->has_main;
    state->has_main = true;
    state->data = at;
    state->at = at + size;
    state->plausible = (struct plausible){ 0 };
    return STEP_DONE;
}

static struct sig_result arj_check(struct sig_input *in, void *memory)
{
    struct arj_state *state = memory;

    while (!state->ended) {
        enum step step = arj_data(in, state);

        if (step == STEP_BAD)
            return sig_breaks(in, "a file's data have a wrong CRC or do not look compressed");
        if (step == STEP_DONE)
            step = arj_header(in, state);
        if (step == STEP_BAD)
            return sig_breaks(in, "a valid header must follow a file's data, and none does");
        if (step == STEP_WAIT && in->wanted > in->limit && in->valid > 0)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
    }
    return state->files > 0 ? sig_complete(in, state->at, "headers lead to the end mark")
                            : sig_reject("there is no file in the archive");
}

const struct sig sig_arj = {
    .name = "arj",
    .what = "ARJ archive",
    .proves = "headers have their CRC-32s and lead to the end mark; stored files have theirs",
    .source = "R. Jung, ARJ 2.86 technote.txt",
    .types = (const struct sig_type[]){ { "arj", "arj" }, { 0 } },
    .headers = { SIG_MASKED("\x60\xea\0\0\0\0\0\0\0\0\2", "\xff\xff\0\xf0\0\0\0\0\0\0\xff") },
    .flags = SIG_CONTAINER | SIG_SECTOR_ALIGNED,
    .size_min = 2 * (4 + ARJ_BASIC_MIN) + 4,
    .size_max = UINT64_C(1) << 36,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct arj_state),
    .check = arj_check,
};
