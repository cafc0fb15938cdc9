/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/vdi.c - virtual disks of VirtualBox.
 *
 *   64 bytes of text | 0xbeda107f, version 1.1 | header: places of the block map and of the data,
 * sizes, blocks in use | map | blocks
 *
 * The length is the place of the data and the blocks in use; the map must name each of these.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    VDI_HEAD = 512,
    VDI_GROWING = 1,
    VDI_KINDS = 4,
    VDI_BLOCKS_MAX = 1 << 26,
    VDI_AT_ONCE = 1024,
};
#define VDI_FREE UINT32_C(0xfffffffe) /* from here on: no block, or zeros */

struct vdi_state {
    uint64_t entry; /* next one of the map */
    uint32_t used;
};

static struct sig_result vdi_check(struct sig_input *in, void *memory)
{
    struct vdi_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, VDI_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint32_t kind = bytes_u32le(p + 76), map = bytes_u32le(p + 340),
                   data = bytes_u32le(p + 344);
    const uint32_t block = bytes_u32le(p + 376), extra = bytes_u32le(p + 380),
                   count = bytes_u32le(p + 384);
    const uint32_t used = bytes_u32le(p + 388);
    const uint64_t size = bytes_u64le(p + 368);
    if (memcmp(p, "<<< ", 4) != 0 || bytes_u32le(p + 72) < 0x140 || bytes_u32le(p + 72) > 0x1000 ||
        kind < VDI_GROWING || kind > VDI_KINDS || map < 0x180 || count == 0 ||
        count > VDI_BLOCKS_MAX || used > count || (uint64_t)map + (uint64_t)count * 4 > data ||
        block < VDI_HEAD || (block & (block - 1)) != 0 || extra > block ||
        size > (uint64_t)count * block || size + block <= (uint64_t)(count - 1) * block)
        return sig_reject("invalid header");
    sig_valid(in, VDI_HEAD);
    while (state->entry < count) {
        const uint32_t some =
            count - state->entry < VDI_AT_ONCE ? (uint32_t)(count - state->entry) : VDI_AT_ONCE;

        p = sig_bytes(in, map + state->entry * 4, some * 4);
        if (p == NULL)
            return sig_short(in);
        for (uint32_t i = 0; i < some; i++) {
            const uint32_t entry = bytes_u32le(p + i * 4);

            if (entry >= VDI_FREE)
                continue;
            if (entry >= used)
                return sig_breaks(in, "the map names a block that does not exist");
            state->used++;
        }
        state->entry += some;
    }
    if (state->used != used)
        return sig_breaks(in, "the number of blocks in the map differs from the header");
    return sig_believe(in, data + (uint64_t)used * (block + extra),
                       "the map names every block in use");
}

const struct sig sig_vdi = {
    .name = "vdi",
    .what = "virtual disk of VirtualBox",
    .proves = "the map names as many blocks as are in use",
    .source = "VirtualBox, src/VBox/Storage/VDICore.h: VDIPREHEADER, VDIHEADER1PLUS",
    .types = (const struct sig_type[]){ { "vdi", "vdi" }, { 0 } },
    .headers = { SIG_PATTERN_AT(64, "\x7f\x10\xda\xbe\1\0\1\0") },
    .flags = SIG_CONTAINER,
    .size_min = VDI_HEAD,
    .size_max = UINT64_C(1) << 44,
    .state_size = sizeof(struct vdi_state),
    .check = vdi_check,
};
