/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/icc.c - ICC colour profiles.
 *
 *   128 bytes: u32be length | CMM | version | class | colour space | connection space | date |
 * "acsp" | ... | 28 zeros u32be tags | tags x (name | u32be offset | u32be length) | the tags'
 * data, each with its type and 4 zeros before it
 *
 * Every tag has to lie inside of the profile, and to begin with a type; the last one has to end
 * where the profile does.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/chars.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    ICC_HEAD = 128,
    ICC_TAGS = 132, /* where the entries begin */
    ICC_ENTRY = 12,
    ICC_TAGS_MAX = 256,
    ICC_SLACK = 64, /* bytes behind the last tag that some writers count */
    ICC_TYPE = 8,
    ICC_OUTPUTS_MAX = 16,
    ICC_PIECE = 4096,
    ICC_TABLE_HEAD = 52,        /* of lut16Type */
    ICC_TABLE_JUMP = 1 << 13,   /* between one point of a table and the next: few are larger, of
                                   random numbers three in four */
    ICC_CURVE_MIN = 16,         /* points */
    ICC_CURVE_CHANGE = 9 << 13, /* a little more than once from black to white, in all */
};

struct icc_state {
    uint32_t tag; /* being looked at */
    uint64_t at;  /* how far its curve was read; 0: not begun */
    uint32_t last, change;
};

static bool icc_is_name(const uint8_t *name)
{
    return text_is_printable(name, 4) && name[0] != ' ';
}

static bool icc_is_class(const uint8_t *name)
{
    static const char list[] = "scnrmntrprtrlinkspacabstnmclcencmid mlnkmvis";

    for (uint32_t i = 0; i + 4 < sizeof list; i += 4)
        if (memcmp(list + i, name, 4) == 0)
            return true;
    return false;
}

/* NULL: right. */
static const char *icc_header(const uint8_t *head)
{
    static const uint8_t zeros[ICC_HEAD - 100] = { 0 };

    if (bytes_u32be(head) < ICC_TAGS || !icc_is_class(head + 12) || !icc_is_name(head + 16))
        return "invalid class or colour space";
    if (memcmp(head + 20, "\0\0\0\0", 4) != 0 && !icc_is_name(head + 20))
        return "invalid connection space";
    if (bytes_u16be(head + 26) > 12 || bytes_u16be(head + 28) > 31)
        return "invalid date";
    if (bytes_u32be(head + 64) > 3)
        return "invalid rendering intent";
    return memcmp(head + 100, zeros, sizeof zeros) == 0 ? NULL : "reserved bytes are not zero";
}

/* What the lengths inside of a tag have to be. bytes: its first 12. */
static bool icc_fits(const uint8_t *bytes, uint32_t length)
{
    const uint32_t count = length >= 12 ? bytes_u32be(bytes + 8) : 0;

    if (memcmp(bytes, "curv", 4) == 0)
        return length >= 12 && count <= (length - 12) / 2 && length - 12 - 2 * count <= 4;
    if (memcmp(bytes, "XYZ ", 4) == 0)
        return length >= 20 && (length - 8) % 12 <= 3;
    if (memcmp(bytes, "mluc", 4) == 0)
        return length >= 16 && count <= (length - 16) / 12;
    if (memcmp(bytes, "desc", 4) == 0)
        return length >= 12 && count <= length - 12;
    return true;
}

/* A curve given by many points goes from one end to the other once. */
static enum step icc_curve(struct sig_input *in, struct icc_state *state, uint64_t at,
                           uint32_t length)
{
    const uint8_t *head = length < 12 ? NULL : sig_bytes(in, at, 12);

    if (head == NULL)
        return length < 12 ? STEP_DONE : STEP_WAIT;
    const uint32_t count = bytes_u32be(head + 8);
    if (memcmp(head, "curv", 4) != 0 || count < ICC_CURVE_MIN)
        return STEP_DONE;
    const uint64_t end = at + 12 + 2 * (uint64_t)count;
    if (state->at == 0)
        state->at = at + 12;
    while (state->at < end) {
        const uint32_t len = end - state->at < ICC_PIECE ? (uint32_t)(end - state->at) : ICC_PIECE;
        const uint8_t *bytes = sig_bytes(in, state->at, len);

        if (bytes == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < len; i += 2) {
            const uint32_t value = bytes_u16be(bytes + i),
                           last = state->at + i == at + 12 ? value : state->last;

            state->change += value > last ? value - last : last - value;
            state->last = value;
        }
        if (state->change > ICC_CURVE_CHANGE)
            return STEP_BAD;
        state->at += len;
    }
    state->at = 0;
    state->change = 0;
    return STEP_DONE;
}

/* In a table of many points (lut16Type) most differ little from the one before. */
static enum step icc_table(struct sig_input *in, struct icc_state *state, uint64_t at,
                           uint32_t length)
{
    const uint8_t *head = length < ICC_TABLE_HEAD + ICC_PIECE ? NULL : sig_bytes(in, at, 12);

    if (head == NULL)
        return length < ICC_TABLE_HEAD + ICC_PIECE ? STEP_DONE : STEP_WAIT;
    const uint32_t outputs = head[9];
    if (memcmp(head, "mft2", 4) != 0)
        return STEP_DONE;
    if (outputs == 0 || outputs > ICC_OUTPUTS_MAX)
        return STEP_BAD;
    if (state->at == 0)
        state->at = at + ICC_TABLE_HEAD;
    while (at + length - state->at >= ICC_PIECE) {
        const uint8_t *bytes = sig_bytes(in, state->at, ICC_PIECE);
        uint32_t jumps = 0;

        if (bytes == NULL)
            return STEP_WAIT;
        for (uint32_t i = 2 * outputs; i < ICC_PIECE; i += 2) {
            const int32_t change = bytes_u16be(bytes + i) - bytes_u16be(bytes + i - 2 * outputs);

            jumps += change > ICC_TABLE_JUMP || change < -ICC_TABLE_JUMP;
        }
        if (jumps > (ICC_PIECE / 2 - outputs) / 2)
            return STEP_BAD;
        state->at += ICC_PIECE;
    }
    state->at = 0;
    return STEP_DONE;
}

static struct sig_result icc_check(struct sig_input *in, void *memory)
{
    struct icc_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, ICC_TAGS);

    if (head == NULL)
        return sig_short(in);
    const char *why = icc_header(head);
    if (why != NULL)
        return sig_reject(why);
    const uint32_t size = bytes_u32be(head), tags = bytes_u32be(head + ICC_HEAD);
    if (tags == 0 || tags > ICC_TAGS_MAX || size < ICC_TAGS + tags * ICC_ENTRY)
        return sig_reject("invalid number of tags");
    uint64_t last = 0;
    for (uint32_t i = 0; i < tags; i++) {
        const uint8_t *entry = sig_bytes(in, ICC_TAGS + i * ICC_ENTRY, ICC_ENTRY);

        if (entry == NULL)
            return sig_short(in);
        const uint32_t at = bytes_u32be(entry + 4), length = bytes_u32be(entry + 8);
        if (!icc_is_name(entry) || at < ICC_TAGS + tags * ICC_ENTRY || length < ICC_TYPE ||
            at > size || length > size - at)
            return sig_reject("invalid tag");
        last = (uint64_t)at + length > last ? (uint64_t)at + length : last;
    }
    if (size - last > ICC_SLACK)
        return sig_reject("the tags do not end where the profile does");
    sig_valid(in, ICC_TAGS + tags * ICC_ENTRY);
    for (; state->tag < tags; state->tag++) {
        const uint8_t *entry = sig_bytes(in, ICC_TAGS + state->tag * ICC_ENTRY, ICC_ENTRY);

        if (entry == NULL)
            return sig_short(in);
        const uint32_t at = bytes_u32be(entry + 4), length = bytes_u32be(entry + 8);
        const uint8_t *bytes = sig_bytes(in, at, length < 12 ? ICC_TYPE : 12);
        if (bytes == NULL)
            return sig_short(in);
        if (!icc_is_name(bytes) || bytes_u32be(bytes + 4) != 0 || !icc_fits(bytes, length))
            return sig_breaks(in, "invalid data of a tag");
        enum step step = icc_curve(in, state, at, length);
        if (step == STEP_DONE)
            step = icc_table(in, state, at, length);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "a curve or table jumps up and down");
    }
    return sig_complete(in, size, "every tag is there, the last one at the end");
}

const struct sig sig_icc = {
    .name = "icc",
    .what = "ICC colour profile",
    .proves = "header reads; every tag lies inside and begins with its type, curves and tables are "
              "smooth; the last "
              "one ends at the end",
    .source = "ICC.1:2022 (profile version 4.4), 7.2, 7.3, 10; ICC.1:2001-04",
    .types = (const struct sig_type[]){ { "icc", "icc" }, { 0 } },
    /* version and its zeros; month, day, hour, minute, second below 16, 32, 32, 64, 64 */
    .flags = SIG_SECTOR_ALIGNED, /* others lie in pictures and documents, and are no files */
    .headers = { { .bytes = "\0\0\0\0????????????\0\0\0\0\0\0\0\0\0\0\0\0acsp",
                   .mask = "\xf8\0\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xf0\xff\xe0\xff\xe0\xff"
                           "\xc0\xff\xc0"
                           "\xff\xff\xff\xff",
                   .len = 32,
                   .at = 8 } },
    .size_min = ICC_TAGS + ICC_ENTRY + ICC_TYPE,
    .size_max = UINT64_C(1) << 28,
    .state_size = sizeof(struct icc_state),
    .check = icc_check,
};
