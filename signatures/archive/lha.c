/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/lha.c - LHA and LZH archives, headers of levels 0 to 3.
 *
 *   0, 1: size of what follows 1 | sum of it 1 | "-lh?-" | packed size 4 | plain size 4 | time 4 |
 *   attribute | level | name length |
 *         name | CRC-16 2 [| system | (1) size of the extended header behind]
 *   2:    size 2 | "-lh?-" | the same up to the level | CRC-16 | system | size 2 of the first
 *         extended header
 *   3:    04 00 | likewise | size of all headers 4 | size 4 of the first extended header
 *   data | … | 00
 *
 * Headers stand where the data before them end. Those of levels 0 and 1 have a sum, those of 2 and
 * 3 nearly always a CRC-16 in an extended header; files that are stored as they are have their
 * CRC-16. The archive ends with a byte of 0.
 */
#include "base/bytes.h"
#include "signatures/lib/crc16_low.h"
#include "signatures/lib/plausible.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    LHA_LOOK = 24, /* bytes of any header that are looked at first */
    LHA_HEAD_MAX = 32 << 10,
    LHA_EXTENDED_MAX = 64,
    LHA_RATIO =
        40, /* data that unpack to more than so many times their size may look like anything */
};

struct lha_member {
    uint32_t level,
        head_len; /* of the header without extended ones (0, 1), or with all of them (2, 3) */
    uint64_t packed, plain;
    uint32_t crc; /* of the plain data */
    bool stored;
};

struct lha_state {
    uint64_t at;   /* object offset of the next header */
    uint64_t data; /* how far the data in front of it have been read */
    uint64_t members;
    uint16_t crc, crc_told;
    bool stored, packed; /* of the data: to be compared; to be looked at */
    struct plausible plausible;
};

static bool lha_method(const uint8_t *method, bool *stored)
{
    const uint8_t kind = method[3];

    *stored = kind == '0' || (method[2] == 'z' && kind == '4');
    return method[0] == '-' && method[1] == 'l' && method[4] == '-' &&
           ((method[2] == 'h' && ((kind >= '0' && kind <= '7') || kind == 'd' || kind == 'x')) ||
            (method[2] == 'z' && (kind == 's' || kind == '4' || kind == '5')) ||
            (method[2] == 'p' && kind >= 'm' && kind <= 'z') ||
            (method[2] == 'p' && kind >= '0' && kind <= '9'));
}

/* Reads the header at state->at, but for extended ones. */
static enum step lha_head(struct sig_input *in, const struct lha_state *state,
                          struct lha_member *member)
{
    const uint8_t *head = sig_bytes(in, state->at, LHA_LOOK);

    if (head == NULL)
        return STEP_WAIT;
    *member = (struct lha_member){ .level = head[20],
                                   .packed = bytes_u32le(head + 7),
                                   .plain = bytes_u32le(head + 11) };
    if (!lha_method(head + 2, &member->stored) || member->level > 3)
        return STEP_BAD;
    if (member->level >= 2) {
        member->crc = bytes_u16le(head + 21);
        member->head_len = bytes_u16le(head);
        if (member->level == 3) {
            if (member->head_len != 4 || (head = sig_bytes(in, state->at, LHA_LOOK + 4)) == NULL)
                return member->head_len != 4 ? STEP_BAD : STEP_WAIT;
            member->head_len = bytes_u32le(head + 24);
        }
        return member->head_len > LHA_LOOK && member->head_len <= LHA_HEAD_MAX ? STEP_DONE
                                                                               : STEP_BAD;
    }
    member->head_len = head[0] + 2u;
    const uint32_t name = head[21], sum_told = head[1];
    if (22 + name + 2 > member->head_len)
        return STEP_BAD;
    if ((head = sig_bytes(in, state->at, member->head_len)) == NULL)
        return STEP_WAIT;
    uint8_t sum = 0;
    for (uint32_t i = 2; i < member->head_len; i++)
        sum = (uint8_t)(sum + head[i]);
    member->crc = bytes_u16le(head + 22 + name);
    return sum == sum_told ? STEP_DONE : STEP_BAD;
}

/* Level 1: sizes of the extended headers are part of the packed size. */
static enum step lha_extended(struct sig_input *in, const struct lha_state *state,
                              struct lha_member *member)
{
    uint64_t next = state->at + member->head_len;

    for (uint32_t i = 0; i < LHA_EXTENDED_MAX; i++) {
        const uint8_t *size = sig_bytes(in, next - 2, 2);

        if (size == NULL)
            return STEP_WAIT;
        const uint32_t len = bytes_u16le(size);
        if (len == 0) {
            member->head_len = (uint32_t)(next - state->at);
            return STEP_DONE;
        }
        if (len < 3 || len > member->packed)
            return STEP_BAD;
        member->packed -= len;
        next += len;
    }
    return STEP_BAD;
}

/* Levels 2 and 3: the extended headers fill the header; one of them has the CRC-16 of all, itself
 * as zeros. */
static enum step lha_header_crc(struct sig_input *in, const struct lha_state *state,
                                const struct lha_member *member)
{
    static const uint8_t zeros[2];
    const uint32_t width = member->level == 3 ? 4 : 2;
    const uint8_t *head = sig_bytes(in, state->at, member->head_len);
    uint32_t at = member->level == 3 ? 28 : 24, crc_at = 0;

    if (head == NULL)
        return STEP_WAIT;
    for (;;) {
        const uint32_t size = width == 4 ? bytes_u32le(head + at) : bytes_u16le(head + at);

        at += width;
        if (size == 0)
            break;
        if (size < width + 1 || size > member->head_len - at ||
            at + size + width > member->head_len + width)
            return STEP_BAD;
        if (head[at] == 0 && size >= width + 3)
            crc_at = at + 1;
        at += size - width;
        if (at + width > member->head_len)
            return STEP_BAD;
    }
    if (member->head_len - at > 1) /* a byte more keeps the size from ending in 00 */
        return STEP_BAD;
    if (crc_at == 0)
        return STEP_DONE;
    uint16_t crc = crc16_low(0, head, crc_at);
    crc = crc16_low(crc, zeros, 2);
    crc = crc16_low(crc, head + crc_at + 2, member->head_len - crc_at - 2);
    return crc == bytes_u16le(head + crc_at) ? STEP_DONE : STEP_BAD;
}

static enum step lha_member(struct sig_input *in, struct lha_state *state)
{
    struct lha_member member;
    enum step step = lha_head(in, state, &member);

    if (step == STEP_DONE && member.level == 1)
        step = lha_extended(in, state, &member);
    else if (step == STEP_DONE && member.level >= 2)
        step = lha_header_crc(in, state, &member);
    if (step != STEP_DONE)
        return step;
    if (member.stored && member.packed != member.plain)
        return STEP_BAD;
    if (state->members > 0)
        sig_valid(in, state->at);
    state->members++;
    state->data = state->at + member.head_len;
    state->at = state->data + member.packed;
    state->crc = 0;
    state->crc_told = (uint16_t)member.crc;
    state->stored = member.stored;
    state->packed = !member.stored && member.plain / LHA_RATIO <= member.packed;
    state->plausible = (struct plausible){ 0 };
    return STEP_DONE;
}

static enum step lha_data(struct sig_input *in, struct lha_state *state)
{
    uint32_t len;

    if (state->packed) {
        const enum step step =
            plausible_check(in, &state->plausible, PLAUSIBLE_COMPRESSED, 1, state->data, state->at);
        if (step != STEP_DONE)
            return step == STEP_WAIT ? STEP_WAIT : STEP_BAD;
    }
    while (state->stored && state->data < state->at) {
        const uint8_t *bytes = sig_span_to(in, state->data, state->at, &len);

        if (bytes == NULL)
            return STEP_WAIT;
        state->crc = crc16_low(state->crc, bytes, len);
        state->data += len;
    }
    if (state->stored && state->crc != state->crc_told)
        return STEP_BAD;
    state->stored = state->packed = false;
    return STEP_DONE;
}

static struct sig_result lha_check(struct sig_input *in, void *memory)
{
    struct lha_state *state = memory;

    for (;;) {
        enum step step = lha_data(in, state);

        if (step == STEP_BAD)
            return sig_breaks(in, "a member's data have a wrong CRC or do not look compressed");
        if (step == STEP_DONE && state->members > 0) {
            const uint8_t *end = sig_bytes(in, state->at, 1);

            if (end != NULL && end[0] == 0)
                return sig_complete(in, state->at + 1, "members lead to the zero byte at the end");
            step = end == NULL ? STEP_WAIT : STEP_DONE;
        }
        if (step == STEP_DONE)
            step = lha_member(in, state);
        if (step == STEP_BAD)
            return sig_breaks(in, "a valid member must follow here, and none does");
        if (step == STEP_WAIT && in->wanted > in->limit && in->valid > 0)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
    }
}

const struct sig sig_lha = {
    .name = "lha",
    .what = "LHA or LZH archive",
    .proves =
        "headers have their sums or CRC-16s and lead to the end; stored files have their CRC-16",
    .source = "LHa for UNIX 1.14i, header.doc.md; LHA header document by H. Yoshizaki and K. Okubo",
    .types = (const struct sig_type[]){ { "lzh", "lzh" }, { 0 } },
    .headers = { SIG_PATTERN_AT(2, "-lh"), SIG_PATTERN_AT(2, "-lz"), SIG_PATTERN_AT(2, "-pm") },
    .flags = SIG_CONTAINER | SIG_SECTOR_ALIGNED,
    .size_min = 24,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct lha_state),
    .check = lha_check,
};
