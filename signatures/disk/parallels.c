/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/parallels.c - HDS: virtual disks of Parallels.
 *
 *   "WithoutFreeSpace" or "WithouFreSpacExt" | u32le 2 | u32le heads, cylinders | u32le sectors of
 * a cluster | u32le entries | u64le sectors of the disk | u32le | u32le sector of the data | u32le
 * flags | u64le sector of an extension | entries: u32le, in the first form the sector of a cluster,
 * in the second its number; 0: none
 *
 * The file ends with the last cluster.
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum { PARALLELS_HEAD = 64, PARALLELS_SECTOR = 512, PARALLELS_STEP = 4096 };
#define PARALLELS_SIZE_MAX (UINT64_C(1) << 46)

struct parallels_state {
    uint64_t at;   /* the next entry; 0: not begun */
    uint64_t last; /* the largest entry */
};

static struct sig_result parallels_check(struct sig_input *in, void *memory)
{
    struct parallels_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, PARALLELS_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint32_t cluster = bytes_u32le(p + 28), entries = bytes_u32le(p + 32);
    const uint64_t sectors = bytes_u64le(p + 36), data = bytes_u32le(p + 48),
                   unit = p[15] == 't' ? cluster : 1, end = PARALLELS_HEAD + 4 * (uint64_t)entries,
                   extension = bytes_u64le(p + 56);
    if (cluster == 0 || cluster > 1 << 16 || entries == 0 || sectors == 0 ||
        sectors > (uint64_t)entries * cluster || sectors <= (uint64_t)(entries - 1) * cluster ||
        extension > PARALLELS_SIZE_MAX / PARALLELS_SECTOR)
        return sig_reject("entries and sectors do not agree");
    if (state->at == 0)
        state->at = PARALLELS_HEAD;
    while (state->at < end) {
        const uint32_t len =
            end - state->at < PARALLELS_STEP ? (uint32_t)(end - state->at) : PARALLELS_STEP;

        p = sig_bytes(in, state->at, len);
        if (p == NULL)
            return sig_short(in);
        for (uint32_t i = 0; i < len; i += 4) {
            const uint64_t at = bytes_u32le(p + i) * unit;

            if (at != 0 && at * PARALLELS_SECTOR < end)
                return sig_breaks(in, "a cluster lies in the table");
            if (at > state->last)
                state->last = at;
        }
        state->at += len;
        sig_valid(in, state->at);
    }
    uint64_t sector = state->last == 0 ? data : state->last + cluster;
    if (extension != 0 && extension + cluster > sector)
        sector = extension + cluster;
    const uint64_t all = sector * PARALLELS_SECTOR;
    if (all > PARALLELS_SIZE_MAX)
        return sig_breaks(in, "a cluster lies too far away");
    return sig_believe(in, all < end ? end : all, "the last cluster ends the file");
}

const struct sig sig_parallels = {
    .name = "hds",
    .what = "virtual disk of Parallels",
    .proves = "entries agree with the sectors of the disk; the last cluster ends the file",
    .source = "QEMU, docs/interop/parallels.txt; block/parallels.c",
    .types = (const struct sig_type[]){ { "hds", "hds" }, { 0 } },
    .headers = { SIG_PATTERN("WithoutFreeSpace\2\0\0\0"), SIG_PATTERN("WithouFreSpacExt\2\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = PARALLELS_HEAD + 4,
    .size_max = PARALLELS_SIZE_MAX,
    .state_size = sizeof(struct parallels_state),
    .check = parallels_check,
};
