/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/ubi.c - UBI: volumes on the flash of routers, cameras and phones.
 *
 *   erase blocks of one size, each: "UBI#" | 1 | u64be how often it was erased | u32be place of the
 * second head | of the data | number of the image | zeros | CRC-32 of the 60 bytes before it
 *
 *   second head: "UBI!" | 1 | kind | copy | ... | u32be volume | block of it
 *
 * Nothing tells the size of a block: the next one begins at a power of two. The first block of the
 * table of volumes shows that another image begins, where it is met again.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    UBI_HEAD = 64,
    UBI_SUMMED = 60,
    UBI_BLOCK_MIN = 4 << 10,
    UBI_BLOCK_MAX = 4 << 20,
};

/* The volume that the table of volumes is. */
#define UBI_TABLE UINT32_C(0x7fffefff)

struct ubi_state {
    uint64_t at;   /* the next block; 0: not begun */
    uint32_t size; /* of a block; 0: not known yet */
    uint32_t image;
    bool table; /* the first block of the table of volumes was met */
};

/* UBI does not invert its CRC-32 behind the last byte. */
static bool ubi_is_head(const uint8_t *p)
{
    uint32_t crc = UINT32_MAX;

    if (memcmp(p, "UBI#\1\0\0\0", 8) != 0)
        return false;
    for (uint32_t i = 0; i < UBI_SUMMED; i++) {
        crc ^= p[i];
        for (uint32_t bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
    }
    return crc == bytes_u32be(p + UBI_SUMMED);
}

/* Whether the second head, at `at`, is that of the first block of the table of volumes. */
static enum step ubi_table(struct sig_input *in, uint64_t at, bool *is)
{
    const uint8_t *p = sig_bytes(in, at, UBI_HEAD);

    if (p == NULL)
        return STEP_WAIT;
    *is = memcmp(p, "UBI!", 4) == 0 && bytes_u32be(p + 8) == UBI_TABLE && bytes_u32be(p + 12) == 0;
    return STEP_DONE;
}

/* The block at state->at. STEP_BAD: it is none of this image. */
static enum step ubi_block(struct sig_input *in, struct ubi_state *state, uint32_t second)
{
    bool table;
    const uint8_t *p = sig_bytes(in, state->at, UBI_HEAD);

    if (p == NULL)
        return STEP_WAIT;
    if (!ubi_is_head(p) || bytes_u32be(p + 24) != state->image)
        return STEP_BAD;
    if (ubi_table(in, state->at + second, &table) == STEP_WAIT ||
        sig_bytes(in, state->at + state->size - 1, 1) == NULL)
        return STEP_WAIT;
    if (table && state->table)
        return STEP_BAD;
    state->table |= table;
    state->at += state->size;
    return STEP_DONE;
}

static struct sig_result ubi_check(struct sig_input *in, void *memory)
{
    struct ubi_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, UBI_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint32_t second = bytes_u32be(p + 16), data = bytes_u32be(p + 20);
    if (!ubi_is_head(p) || second < UBI_HEAD || data < second + UBI_HEAD || data > UBI_BLOCK_MAX)
        return sig_reject("wrong CRC-32 of the first block");
    state->image = bytes_u32be(p + 24);
    for (uint32_t size = UBI_BLOCK_MIN; state->size == 0 && size <= UBI_BLOCK_MAX; size *= 2) {
        if (size > in->limit - UBI_HEAD)
            break;
        p = sig_bytes(in, size, UBI_HEAD);
        if (p == NULL)
            return sig_short(in);
        if (ubi_is_head(p))
            state->size = size;
    }
    if (state->size <= data)
        return sig_reject("no second block");
    for (enum step step = STEP_DONE; step == STEP_DONE;) {
        sig_valid(in, state->at);
        if (state->at > in->limit - UBI_HEAD)
            break;
        step = ubi_block(in, state, second);
        if (step == STEP_WAIT)
            return sig_short(in);
    }
    return sig_believe(in, state->at, "the CRC-32 of the head of every block, up to the last");
}

const struct sig sig_ubi = {
    .name = "ubi",
    .what = "UBI, volumes on flash (routers, cameras)",
    .proves = "the CRC-32 of the head of every block; the image ends where no other follows",
    .source = "Linux, drivers/mtd/ubi/ubi-media.h",
    .types = (const struct sig_type[]){ { "ubi", "ubi" }, { 0 } },
    .headers = { SIG_PATTERN("UBI#\1\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER | SIG_STREAM,
    .size_min = 2 * UBI_BLOCK_MIN,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct ubi_state),
    .check = ubi_check,
};
