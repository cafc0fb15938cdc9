/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/udf.c - disc images of UDF alone, without ISO 9660 beside it (that one is read by
 * iso.c): udf.
 *
 *   from 32 KiB on, a sector each: "BEA01" | "NSR02" or "NSR03" | "TEA01"
 *   block 256: anchor, which tells where the volume descriptors are, twice: partition (start,
 * length), logical volume (block size), ... partition | ... | anchor in the last block, or in the
 * 257th from the end, or in both
 *
 * Descriptors begin with a tag: kind | version | sum of the tag | serial | CRC-16 and length of
 * what follows | block. The volume ends with the last anchor behind the partition. Directories and
 * files in the partition are not read.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/crc16.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    UDF_RECOGNITION_AT = 32 << 10,
    UDF_SECTOR = 2048,
    UDF_RECOGNITION_MAX = 8,
    UDF_ANCHOR = 256,
    UDF_TAG = 16,
    UDF_POLYNOMIAL = 0x1021,
    UDF_DESCRIPTOR = 512, /* bytes of every descriptor that is looked at */
    UDF_SEQUENCE_MAX = 64,
    UDF_BEHIND_MAX = 2048, /* blocks behind the partition in which an anchor is looked for */
};

enum udf_kind { UDF_IS_ANCHOR = 2, UDF_PARTITION = 5, UDF_LOGICAL = 6, UDF_LAST = 8 };

struct udf_state {
    struct crc16 crc;
    bool ready;
    uint32_t anchor_at; /* block behind the partition where to go on looking for an anchor; 0: not
                           begun */
};

struct udf_volume {
    uint32_t block, main_at, main_len, reserve_end; /* bytes of a block; blocks but main_len */
    uint64_t partition_end;
};

/* The descriptor in block `at`. *bytes are good until the next request. */
static enum step udf_descriptor(struct sig_input *in, const struct udf_state *state, uint32_t block,
                                uint64_t at, const uint8_t **bytes)
{
    const uint8_t *p = sig_bytes(in, at * block, UDF_DESCRIPTOR);
    uint8_t sum = 0;

    if (p == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < UDF_TAG; i++)
        sum = (uint8_t)(sum + (i == 4 ? 0 : p[i]));
    *bytes = p;
    const uint32_t len = bytes_u16le(p + 10);
    if (sum != p[4] || bytes_u16le(p) == 0 || bytes_u32le(p + 12) != at ||
        len > UDF_DESCRIPTOR - UDF_TAG)
        return STEP_BAD;
    return crc16_add(&state->crc, 0, p + UDF_TAG, len) == bytes_u16le(p + 8) ? STEP_DONE : STEP_BAD;
}

static enum step udf_recognition(struct sig_input *in, uint32_t block)
{
    const uint32_t pace = block > UDF_SECTOR ? block : UDF_SECTOR;
    bool found = false;

    for (uint32_t i = 1; i < UDF_RECOGNITION_MAX; i++) {
        const uint8_t *p = sig_bytes(in, UDF_RECOGNITION_AT + (uint64_t)i * pace, 7);

        if (p == NULL)
            return STEP_WAIT;
        found = found || memcmp(p, "\0NSR02\1", 7) == 0 || memcmp(p, "\0NSR03\1", 7) == 0;
        if (memcmp(p, "\0TEA01\1", 7) == 0)
            return found ? STEP_DONE : STEP_BAD;
    }
    return STEP_BAD;
}

/* The anchor in block 256, for which the size of a block is not known before. */
static enum step udf_first_anchor(struct sig_input *in, const struct udf_state *state,
                                  struct udf_volume *volume)
{
    static const uint32_t blocks[] = { 512, 1024, 2048, 4096 };

    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        const uint8_t *p;
        const enum step step = udf_descriptor(in, state, blocks[i], UDF_ANCHOR, &p);

        if (step == STEP_WAIT)
            return step;
        if (step == STEP_BAD || bytes_u16le(p) != UDF_IS_ANCHOR)
            continue;
        volume->block = blocks[i];
        volume->main_len = bytes_u32le(p + 16);
        volume->main_at = bytes_u32le(p + 20);
        volume->reserve_end = bytes_u32le(p + 28) + bytes_u32le(p + 24) / blocks[i];
        return STEP_DONE;
    }
    return STEP_BAD;
}

/* The volume descriptors: where the partition ends. */
static enum step udf_sequence(struct sig_input *in, const struct udf_state *state,
                              struct udf_volume *volume)
{
    bool logical = false;

    volume->partition_end = 0;
    for (uint32_t i = 0; i < volume->main_len / volume->block && i < UDF_SEQUENCE_MAX; i++) {
        const uint8_t *p;
        const enum step step =
            udf_descriptor(in, state, volume->block, (uint64_t)volume->main_at + i, &p);

        if (step != STEP_DONE)
            return step;
        const uint32_t kind = bytes_u16le(p);
        if (kind == UDF_LAST)
            break;
        if (kind == UDF_LOGICAL && bytes_u32le(p + 212) != volume->block)
            return STEP_BAD;
        logical = logical || kind == UDF_LOGICAL;
        if (kind == UDF_PARTITION)
            volume->partition_end = (uint64_t)bytes_u32le(p + 188) + bytes_u32le(p + 192);
    }
    return logical && volume->partition_end > 0 ? STEP_DONE : STEP_BAD;
}

/* *at: the first anchor behind partition and descriptors. */
static enum step udf_last_anchor(struct sig_input *in, struct udf_state *state,
                                 const struct udf_volume *volume)
{
    const uint64_t from =
        volume->partition_end > volume->reserve_end ? volume->partition_end : volume->reserve_end;
    const uint8_t *p;

    if (from + UDF_BEHIND_MAX > UINT32_MAX)
        return STEP_BAD;
    if (state->anchor_at == 0)
        state->anchor_at = (uint32_t)from;
    for (; state->anchor_at < from + UDF_BEHIND_MAX; state->anchor_at++) {
        const enum step step = udf_descriptor(in, state, volume->block, state->anchor_at, &p);

        if (step == STEP_WAIT || (step == STEP_DONE && bytes_u16le(p) == UDF_IS_ANCHOR))
            return step;
    }
    return STEP_BAD;
}

static struct sig_result udf_short(struct sig_input *in)
{
    if (in->wanted > in->limit && in->valid > 0)
        sig_valid(in, in->limit);
    return sig_short(in);
}

static struct sig_result udf_check(struct sig_input *in, void *memory)
{
    struct udf_state *state = memory;
    struct udf_volume volume;
    const uint8_t *p;

    if (!state->ready)
        crc16_init(&state->crc, UDF_POLYNOMIAL);
    state->ready = true;
    enum step step = udf_first_anchor(in, state, &volume);
    if (step == STEP_DONE)
        step = udf_recognition(in, volume.block);
    if (step == STEP_BAD)
        return sig_reject("there is no anchor in block 256, or no recognition sequence");
    if (step == STEP_WAIT)
        return sig_short(in);
    step = udf_sequence(in, state, &volume);
    if (step == STEP_BAD)
        return sig_reject("invalid volume descriptors");
    if (step == STEP_DONE) {
        sig_valid(in, (uint64_t)(UDF_ANCHOR + 1) * volume.block);
        step = udf_last_anchor(in, state, &volume);
    }
    if (step == STEP_WAIT)
        return udf_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "there is no anchor behind the partition");
    uint64_t end = ((uint64_t)state->anchor_at + 1) * volume.block;
    sig_valid(in, end);
    step = udf_descriptor(in, state, volume.block, (uint64_t)state->anchor_at + UDF_ANCHOR, &p);
    if (step == STEP_WAIT && in->wanted <= in->limit)
        return sig_short(in);
    if (step == STEP_DONE && bytes_u16le(p) == UDF_IS_ANCHOR)
        end += (uint64_t)UDF_ANCHOR * volume.block;
    return sig_believe(in, end, "the CRC of every descriptor is right, up to the last anchor");
}

const struct sig sig_udf = {
    .name = "udf",
    .what = "disc image (UDF without ISO 9660)",
    .proves = "volume descriptors have their CRC-16, an anchor ends the volume; directories and "
              "files are not read",
    .source = "ECMA-167, 3rd edition, parts 2 and 3; OSTA UDF 2.60, 2.2",
    .types = (const struct sig_type[]){ { "udf", "udf" }, { 0 } },
    .headers = { SIG_PATTERN_AT(UDF_RECOGNITION_AT, "\0BEA01\1\0") },
    .flags = SIG_CONTAINER,
    .size_min = (UDF_ANCHOR + 2) * UDF_DESCRIPTOR,
    .size_max = UINT64_C(1) << 40,
    .state_size = sizeof(struct udf_state),
    .check = udf_check,
};
