/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/hdf4.c - HDF 4.
 *
 *   0e 03 13 01 | blocks of descriptors: u16be how many, u32be place of the next block, 0 in the
 * last; each: u16be tag, u16be reference, u32be place and length of its data
 *
 * Tag 1 describes nothing, and a place of all ones no data. The file ends with the last data or
 * the last block.
 */
#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    HDF4_MAGIC = 4,
    HDF4_BLOCK = 6,
    HDF4_DESCRIPTOR = 12,
    HDF4_NULL = 1,
    HDF4_NOTHING_MAX = 64, /* empty descriptors that may stand in a block that describes nothing */
};
#define HDF4_SIZE_MAX (UINT64_C(1) << 31)
#define HDF4_NO_DATA UINT32_MAX

struct hdf4_state {
    uint64_t block; /* the next one; 0: the first */
    uint64_t end;   /* of all data and blocks so far */
    uint32_t data;  /* descriptors that have data */
};

/* A block; *next: the one behind it, 0: none. */
static enum step hdf4_block(struct sig_input *in, struct hdf4_state *state, uint64_t *next)
{
    const uint64_t from = state->block + HDF4_BLOCK;
    const uint8_t *p = sig_bytes(in, state->block, HDF4_BLOCK);
    uint64_t end = state->end;
    uint32_t data = 0;

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t count = bytes_u16be(p);
    const uint64_t behind = from + (uint64_t)count * HDF4_DESCRIPTOR;
    *next = bytes_u32be(p + 2);
    if (count == 0 || (*next != 0 && *next < behind) || behind > HDF4_SIZE_MAX)
        return STEP_BAD;
    if (behind > end)
        end = behind;
    for (uint64_t at = from; at < behind; at += HDF4_DESCRIPTOR) {
        p = sig_bytes(in, at, HDF4_DESCRIPTOR);
        if (p == NULL)
            return STEP_WAIT;
        const uint32_t tag = bytes_u16be(p), place = bytes_u32be(p + 4), len = bytes_u32be(p + 8);
        if (tag == 0 || bytes_u16be(p + 2) == 0 ? tag != HDF4_NULL : tag > INT16_MAX)
            return STEP_BAD;
        if (tag == HDF4_NULL || place == HDF4_NO_DATA || len == HDF4_NO_DATA)
            continue;
        if (place < HDF4_MAGIC + HDF4_BLOCK + HDF4_DESCRIPTOR || len > INT32_MAX ||
            place > HDF4_SIZE_MAX - len)
            return STEP_BAD;
        if ((uint64_t)place + len > end)
            end = (uint64_t)place + len;
        data += len > 0;
    }
    if (data == 0 && state->data == 0 && count > HDF4_NOTHING_MAX)
        return STEP_BAD;
    state->end = end;
    state->data += data;
    return STEP_DONE;
}

static struct sig_result hdf4_check(struct sig_input *in, void *memory)
{
    struct hdf4_state *state = memory;

    if (state->block == 0)
        state->block = HDF4_MAGIC;
    for (;;) {
        uint64_t next;
        const enum step step = hdf4_block(in, state, &next);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "invalid block of descriptors");
        if (state->data > 0)
            sig_valid(in, state->block + HDF4_BLOCK);
        if (next == 0)
            break;
        state->block = next;
    }
    if (state->data == 0)
        return sig_reject("nothing is described");
    return sig_believe(in, state->end, "the descriptors give the places of all data");
}

const struct sig sig_hdf4 = {
    .name = "hdf4",
    .what = "HDF 4 (scientific data)",
    .proves = "blocks of descriptors follow one another; their data give the length",
    .source = "HDF Specification and Developer's Guide 4.2, chapter 2",
    .types = (const struct sig_type[]){ { "hdf", "hdf" }, { 0 } },
    .headers = { SIG_PATTERN("\x0e\x03\x13\x01") },
    .size_min = HDF4_MAGIC + HDF4_BLOCK + HDF4_DESCRIPTOR + 1,
    .size_max = HDF4_SIZE_MAX,
    .state_size = sizeof(struct hdf4_state),
    .check = hdf4_check,
};
