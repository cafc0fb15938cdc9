/* SPDX-License-Identifier: Apache-2.0
 * signatures/mailbox/tnef.c - Outlook's attachment winmail.dat (Transport Neutral Encapsulation
 * Format).
 *
 *   78 9F 3E 22 | u16le key
 *   attributes: level 1 or 2 | u32le id | u32le length | data | u16le sum of the data's bytes
 *
 * Nothing tells the number of attributes: the file ends where no further one follows. The first two
 * are the version and the code page.
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    TNEF_HEAD = 6,
    TNEF_ATTRIBUTE = 9,
    TNEF_SUM = 2,
    TNEF_ID_KIND_MAX = 9, /* upper half of an id: the kind of its data */
    TNEF_ID_LOW = 0x8000, /* lower half */
    TNEF_ID_HIGH = 0x9fff,
    TNEF_LENGTH_MAX = 1 << 30,
};

#define TNEF_VERSION UINT32_C(0x00089006)

struct tnef_state {
    uint64_t at;   /* attribute */
    uint64_t done; /* bytes of its data that are summed up */
    uint32_t count;
    uint16_t sum;
};

/* As enum step, and: no attribute begins here. */
enum tnef_step { TNEF_DONE, TNEF_WAIT, TNEF_NONE, TNEF_BAD };

static enum tnef_step tnef_attribute(struct sig_input *in, struct tnef_state *state)
{
    const uint8_t *head = sig_bytes(in, state->at, TNEF_ATTRIBUTE);

    if (head == NULL)
        return TNEF_WAIT;
    const uint32_t id = bytes_u32le(head + 1), len = bytes_u32le(head + 5), low = id & 0xffff;
    if (head[0] < 1 || head[0] > 2 || id >> 16 > TNEF_ID_KIND_MAX || low < TNEF_ID_LOW ||
        low > TNEF_ID_HIGH)
        return TNEF_NONE;
    if (len > TNEF_LENGTH_MAX || (state->count == 0) != (id == TNEF_VERSION))
        return TNEF_BAD;
    while (state->done < len) {
        uint32_t have;
        const uint8_t *bytes = sig_span(in, state->at + TNEF_ATTRIBUTE + state->done, &have);
        uint32_t sum = 0;

        if (bytes == NULL)
            return TNEF_WAIT;
        if (have > len - state->done)
            have = (uint32_t)(len - state->done);
        if (have > SIG_BYTES_MAX) /* keeps the sum below 2^32 */
            have = SIG_BYTES_MAX;
        for (uint32_t i = 0; i < have; i++)
            sum += bytes[i];
        state->sum = (uint16_t)(state->sum + sum);
        state->done += have;
    }
    const uint8_t *sum = sig_bytes(in, state->at + TNEF_ATTRIBUTE + len, TNEF_SUM);
    if (sum == NULL)
        return TNEF_WAIT;
    if (bytes_u16le(sum) != state->sum)
        return TNEF_BAD;
    state->at += TNEF_ATTRIBUTE + (uint64_t)len + TNEF_SUM;
    state->count++;
    state->done = state->sum = 0;
    return TNEF_DONE;
}

static struct sig_result tnef_check(struct sig_input *in, void *memory)
{
    struct tnef_state *state = memory;
    enum tnef_step step;

    if (state->at == 0)
        state->at = TNEF_HEAD;
    do {
        step = tnef_attribute(in, state);
        if (step == TNEF_DONE && state->count > 1)
            sig_valid(in, state->at);
    } while (step == TNEF_DONE);
    const bool ends = step == TNEF_WAIT && in->wanted > in->limit &&
                      (state->at == in->limit || in->limit - state->at < TNEF_ATTRIBUTE);
    if (step == TNEF_WAIT && !ends)
        return sig_short(in);
    if (step == TNEF_BAD)
        return sig_breaks(in, "the checksum of an attribute is wrong");
    if (state->count < 2)
        return sig_reject("there are too few attributes");
    return sig_complete(in, state->at, "the checksum of every attribute is right");
}

const struct sig sig_tnef = {
    .name = "tnef",
    .what = "Outlook attachment winmail.dat (TNEF)",
    .proves = "the 16-bit checksum of every attribute",
    .source = "[MS-OXTNEF] 2.1: TNEF stream, attributes",
    .types = (const struct sig_type[]){ { "tnef", "dat" }, { 0 } },
    .headers = { SIG_MASKED("\x78\x9f\x3e\x22??\x01\x06\x90\x08\0\x04\0\0\0",
                            "\xff\xff\xff\xff\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = TNEF_HEAD + 2 * (TNEF_ATTRIBUTE + TNEF_SUM),
    .size_max = UINT64_C(1) << 32,
    .seam = SIG_SEAM_UNIT,
    .state_size = sizeof(struct tnef_state),
    .check = tnef_check,
};
