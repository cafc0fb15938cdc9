/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/stuffit.c - StuffIt of the Macintosh.
 *
 *   before 5: "SIT!" | u16be members | u32be bytes of the archive | "rLau" | version | 7 bytes |
 * members: a head of 112 bytes, its last two the CRC-16 of those before; at 0 and 1 how the two
 * forks are packed, 32 and 33: a folder begins or ends; at 92 and 96 u32be their packed bytes |
 * both forks
 *
 *   5: "StuffIt (c)1997-..." of 80 characters | 2 bytes | 5 | flags | u32be bytes of the archive |
 * u32be | u16be members | u32be place of the first
 *
 *   member of 5: a5 a5 a5 a5 | version | 0 | u16be bytes of the head | ... | at 32: the CRC-16 of
 * the head, with zeros in its place
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/crc16_low.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    SIT_HEAD = 22,
    SIT_MEMBER = 112,
    SIT_MEMBER_CRC = 110,
    SIT_FOLDER = 32,
    SIT_FOLDER_END = 33,
    SIT_5_HEAD = 100,
    SIT_5_FIRST_MAX = 1 << 16,
    SIT_5_CRC = 32,
    SIT_5_MEMBER_MIN = 48,
    SIT_5_MEMBER_MAX = 4096,
};

struct sit_state {
    uint64_t at; /* the next member; 0: not begun */
    uint32_t depth;
};

/* The member at state->at. */
static enum step sit_member(struct sig_input *in, struct sit_state *state)
{
    const uint8_t *p = sig_bytes(in, state->at, SIT_MEMBER);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t kind = p[0] & 0x6fu;
    if (crc16_low(0, p, SIT_MEMBER_CRC) != bytes_u16be(p + SIT_MEMBER_CRC) ||
        (kind == SIT_FOLDER_END && state->depth == 0))
        return STEP_BAD;
    state->depth += kind == SIT_FOLDER;
    state->depth -= kind == SIT_FOLDER_END;
    state->at += SIT_MEMBER;
    if (kind < SIT_FOLDER)
        state->at += (uint64_t)bytes_u32be(p + 92) + bytes_u32be(p + 96);
    return STEP_DONE;
}

static struct sig_result sit_check(struct sig_input *in, void *memory)
{
    struct sit_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, SIT_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t size = bytes_u32be(p + 6);
    if (size < SIT_HEAD + SIT_MEMBER)
        return sig_reject("there is no member");
    if (state->at == 0)
        state->at = SIT_HEAD;
    while (state->at < size) {
        const enum step step = sit_member(in, state);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "wrong CRC of the head of a member");
        sig_valid(in, state->at < in->limit ? state->at : in->limit);
    }
    if (state->at != size || state->depth != 0)
        return sig_breaks(in, "members do not end with the archive");
    return sig_complete(in, size, "members end with the archive");
}

static struct sig_result sit_5_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, SIT_5_HEAD);
    uint8_t head[SIT_5_MEMBER_MAX];

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint64_t size = bytes_u32be(p + 84), first = bytes_u32be(p + 94);
    if (p[82] != 5 || bytes_u16be(p + 92) == 0 || first < SIT_5_HEAD || first > SIT_5_FIRST_MAX ||
        size < first + SIT_5_MEMBER_MIN)
        return sig_reject("there is no member");
    p = sig_bytes(in, first, 8);
    if (p == NULL)
        return sig_short(in);
    const uint32_t len = bytes_u16be(p + 6);
    if (bytes_u32be(p) != 0xa5a5a5a5 || len < SIT_5_MEMBER_MIN || len > SIT_5_MEMBER_MAX)
        return sig_reject("invalid head of the first member");
    p = sig_bytes(in, first, len);
    if (p == NULL)
        return sig_short(in);
    const uint16_t crc = bytes_u16be(p + SIT_5_CRC);
    memcpy(head, p, len);
    memset(head + SIT_5_CRC, 0, 2);
    if (crc16_low(0, head, len) != crc)
        return sig_reject("wrong CRC of the head of the first member");
    sig_valid(in, first + len);
    return sig_believe(in, size, "the head gives the length");
}

const struct sig sig_stuffit = {
    .name = "sit",
    .what = "StuffIt archive, before 5",
    .proves = "the CRC-16 of the head of every member; members end with the archive",
    .source = "J. Summers, deark: modules/stuffit.c; The Unarchiver, XADStuffItParser.m",
    .types = (const struct sig_type[]){ { "sit", "sit" }, { 0 } },
    .headers = { SIG_MASKED("SIT!\0\0\0\0\0\0rLau",
                            "\xff\xff\xff\xff\0\0\0\0\0\0\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = SIT_HEAD + SIT_MEMBER,
    .size_max = UINT32_MAX,
    .state_size = sizeof(struct sit_state),
    .check = sit_check,
};

const struct sig sig_stuffit_5 = {
    .name = "sit5",
    .what = "StuffIt archive, 5 and later",
    .proves = "the CRC-16 of the head of the first member; the length in the head is believed",
    .source = "J. Summers, deark: modules/stuffit.c; The Unarchiver, XADStuffIt5Parser.m",
    .types = (const struct sig_type[]){ { "sit5", "sit" }, { 0 } },
    .headers = { SIG_PATTERN("StuffIt (c)1997-") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = SIT_5_HEAD + SIT_5_MEMBER_MIN,
    .size_max = UINT32_MAX,
    .check = sit_5_check,
};
