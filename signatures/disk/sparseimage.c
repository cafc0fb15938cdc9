/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/sparseimage.c - sparse disk images of macOS.
 *
 *   "sprs" | u32be 3 | u32be sectors of a band | u32be 1 | u32be sectors of the disk | ... | at 64:
 * u32be numbers of bands, counted from 1, in the order in which they follow the head of 4096 bytes;
 * 0: none
 *
 * Larger images have more heads among the bands, which is not published: they are not called whole.
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum { SPARSE_HEAD = 4096, SPARSE_BANDS = 64, SPARSE_SECTOR = 512 };

static struct sig_result sparse_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, SPARSE_HEAD);
    uint32_t count = 0;
    bool ended = false;

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint64_t band = bytes_u32be(p + 8), sectors = bytes_u32be(p + 16);
    if (band == 0 || band > 1 << 20 || sectors == 0)
        return sig_reject("invalid number of sectors");
    const uint64_t bands = (sectors + band - 1) / band;
    for (uint32_t at = SPARSE_BANDS; at < SPARSE_HEAD; at += 4) {
        const uint32_t number = bytes_u32be(p + at);

        if (number > bands || (ended && number != 0))
            return sig_reject("invalid number of a band");
        ended |= number == 0;
        count += number != 0;
    }
    sig_valid(in, SPARSE_HEAD);
    if (!ended)
        return sig_breaks(in, "there are more bands than the first head has room for");
    return sig_believe(in, SPARSE_HEAD + count * band * SPARSE_SECTOR,
                       "as many bands as the head counts");
}

const struct sig sig_sparseimage = {
    .name = "sparseimage",
    .what = "sparse disk image of macOS",
    .proves = "numbers of bands lie in the disk; those of the first head give the length",
    .source = "libyal, libmodi: Mac OS disk image types, Sparse disk image",
    .types = (const struct sig_type[]){ { "sparseimage", "sparseimage" }, { 0 } },
    .headers = { SIG_PATTERN("sprs\0\0\0\3") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = SPARSE_HEAD,
    .size_max = UINT64_C(1) << 42,
    .check = sparse_check,
};
