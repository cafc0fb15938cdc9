/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/gdbm.c - databases of GNU dbm.
 *
 *   13579acf, 13579ad0 or 13579ad1 (with counters) | u32 bytes of
 * a block | place of the directory | u32 its bytes | its bits | bytes of a bucket | entries of one
 * | place behind the last block
 *   directory: the place of a bucket, as often as the bits say; as the machine writes numbers
 */
#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    GDBM_HEAD = 40,
    GDBM_BITS_MIN = 3,
    GDBM_BITS_MAX = 24,
    GDBM_BLOCK_MIN = 512,
    GDBM_BLOCK_MAX = 1 << 20,
    GDBM_PLACE = 8,
};

struct gdbm_state {
    uint32_t entry; /* of the directory, that is looked at next */
};

static struct sig_result gdbm_check(struct sig_input *in, void *memory)
{
    struct gdbm_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, GDBM_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t block = bytes_u32le(p + 4), at = bytes_u64le(p + 8), end = bytes_u64le(p + 32);
    const uint32_t bytes = bytes_u32le(p + 16), bits = bytes_u32le(p + 20),
                   bucket = bytes_u32le(p + 24);
    if (block < GDBM_BLOCK_MIN || block > GDBM_BLOCK_MAX || bits < GDBM_BITS_MIN ||
        bits > GDBM_BITS_MAX || bytes != (uint32_t)GDBM_PLACE << bits || bucket == 0 ||
        bucket > block || end > UINT64_C(1) << 40 || at < GDBM_HEAD || at > end || end - at < bytes)
        return sig_reject("invalid places in the head");
    for (; state->entry < bytes / GDBM_PLACE; state->entry++) {
        p = sig_bytes(in, at + GDBM_PLACE * (uint64_t)state->entry, GDBM_PLACE);
        if (p == NULL)
            return sig_short(in);
        const uint64_t place = bytes_u64le(p);
        if (place < block || place > end || end - place < bucket)
            return sig_reject("a bucket lies outside of the file");
    }
    sig_valid(in, at + bytes);
    if (sig_bytes(in, end - 1, 1) == NULL)
        return sig_short(in);
    return sig_believe(in, end, "every bucket of the directory lies in the file");
}

const struct sig sig_gdbm = {
    .name = "gdbm",
    .what = "database of GNU dbm",
    .proves = "every bucket of the directory lies in the file; they are not read",
    .source = "GNU dbm 1.23, src/gdbmdefs.h, gdbmconst.h: gdbm_file_header",
    .types = (const struct sig_type[]){ { "gdbm", "gdbm" }, { 0 } },
    .headers = { SIG_MASKED("\xcf\x9a\x57\x13\0??\0", "\xff\xff\xff\xff\0\0\0\xff"),
                 SIG_MASKED("\xd0\x9a\x57\x13\0??\0", "\xfe\xff\xff\xff\0\0\0\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = GDBM_BLOCK_MIN,
    .size_max = UINT64_C(1) << 40,
    .state_size = sizeof(struct gdbm_state),
    .check = gdbm_check,
};
