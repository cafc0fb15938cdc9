/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/tzif.c - time zones.
 *
 *   "TZif", version, 15 zeros | six u32be counts | times, kinds, names, leap seconds of 4-byte
 * times version 2 on: the same again with 8-byte times | line feed, rule as text, line feed
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    TZIF_HEAD = 44,
    TZIF_TIMES_MAX = 65536,
    TZIF_KIND = 6, /* bytes of a kind of time */
    TZIF_RULE_MAX = 256,
};

struct tzif_block {
    uint32_t universal, standard, leaps, times, kinds, names, width;
};

static bool tzif_block_ok(const uint8_t *p, struct tzif_block *block)
{
    block->universal = bytes_u32be(p + 20);
    block->standard = bytes_u32be(p + 24);
    block->leaps = bytes_u32be(p + 28);
    block->times = bytes_u32be(p + 32);
    block->kinds = bytes_u32be(p + 36);
    block->names = bytes_u32be(p + 40);
    return memcmp(p, "TZif", 4) == 0 && (p[4] == 0 || (p[4] >= '2' && p[4] <= '4')) &&
           memcmp(p + 5, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 15) == 0 && block->kinds >= 1 &&
           block->kinds <= 256 && block->names >= 1 && block->names <= 4096 &&
           (block->universal == 0 || block->universal == block->kinds) &&
           (block->standard == 0 || block->standard == block->kinds) &&
           block->times <= TZIF_TIMES_MAX && block->leaps <= 4096;
}

/* Times rise; each one's kind exists, each kind's name, too. *at: behind the header, then behind
 * the block. */
static enum step tzif_content(struct sig_input *in, const struct tzif_block *block, uint64_t *at)
{
    const uint64_t kinds_at = *at + (uint64_t)block->times * block->width;
    int64_t last = INT64_MIN;

    for (uint32_t i = 0; i < block->times; i++) {
        const uint8_t *p = sig_bytes(in, *at + (uint64_t)i * block->width, block->width);

        if (p == NULL)
            return STEP_WAIT;
        const int64_t time = block->width == 8 ? (int64_t)bytes_u64be(p) : (int32_t)bytes_u32be(p);
        if (i > 0 && time <= last)
            return STEP_BAD;
        last = time;
        p = sig_bytes(in, kinds_at + i, 1);
        if (p == NULL)
            return STEP_WAIT;
        if (p[0] >= block->kinds)
            return STEP_BAD;
    }
    *at = kinds_at + block->times;
    for (uint32_t i = 0; i < block->kinds; i++, *at += TZIF_KIND) {
        const uint8_t *p = sig_bytes(in, *at, TZIF_KIND);

        if (p == NULL)
            return STEP_WAIT;
        const int32_t offset = (int32_t)bytes_u32be(p);
        if (offset < -93600 || offset > 93600 || p[4] > 1 || p[5] >= block->names)
            return STEP_BAD;
    }
    *at += block->names;
    const uint8_t *p = sig_bytes(in, *at - 1, 1);
    if (p == NULL)
        return STEP_WAIT;
    if (p[0] != 0)
        return STEP_BAD;
    *at += (uint64_t)block->leaps * (block->width + 4) + block->standard + block->universal;
    return STEP_DONE;
}

static enum step tzif_rule(struct sig_input *in, uint64_t *at)
{
    for (uint32_t i = 0; i < TZIF_RULE_MAX; i++) {
        const uint8_t *p = sig_bytes(in, *at, 1);

        if (p == NULL)
            return STEP_WAIT;
        ++*at;
        if (i > 0 && p[0] == '\n')
            return STEP_DONE;
        if (i == 0 ? p[0] != '\n' : p[0] < ' ' || p[0] > '~')
            return STEP_BAD;
    }
    return STEP_BAD;
}

static struct sig_result tzif_check(struct sig_input *in, void *memory)
{
    struct tzif_block block = { .width = 4 };
    uint64_t at = TZIF_HEAD;
    enum step step;
    const uint8_t *p = sig_bytes(in, 0, TZIF_HEAD);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint8_t version = p[4];
    if (!tzif_block_ok(p, &block))
        return sig_reject("invalid counts");
    step = tzif_content(in, &block, &at);
    if (step == STEP_DONE && version != 0) {
        p = sig_bytes(in, at, TZIF_HEAD);
        if (p == NULL)
            return sig_short(in);
        block.width = 8;
        at += TZIF_HEAD;
        step =
            p[4] == version && tzif_block_ok(p, &block) ? tzif_content(in, &block, &at) : STEP_BAD;
        if (step == STEP_DONE)
            step = tzif_rule(in, &at);
    }
    if (step == STEP_DONE && sig_bytes(in, at - 1, 1) == NULL)
        step = STEP_WAIT;
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_reject("invalid times or kinds");
    return sig_complete(in, at, "the times, kinds and the rule are valid");
}

const struct sig sig_tzif = {
    .name = "tzif",
    .what = "time zone (compiled)",
    .proves = "times ascend, kinds and names exist; the rule ends the file",
    .source = "RFC 9636, 3",
    .types = (const struct sig_type[]){ { "tzif", "tzif" }, { 0 } },
    .headers = { SIG_MASKED(
        "TZif\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
        "\xff\xff\xff\xff\xc8\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = TZIF_HEAD + TZIF_KIND + 1,
    .size_max = 1 << 20,
    .check = tzif_check,
};
