/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/uefi.c - volumes of UEFI firmware (fv).
 *
 *   16 zeros | 16 bytes that name the file system | u64le bytes | "_FVH" | attributes | u16le bytes
 * of this head | sum, which makes its words 0 | place of a further head | 0 | revision 1, 2 |
 * u32le blocks, bytes of each; as often as there are sizes; 0, 0
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum { UEFI_HEAD = 56, UEFI_HEAD_MAX = 4096, UEFI_RUN = 8 };

static const char *uefi_wrong(const uint8_t *p, uint32_t len, uint64_t bytes)
{
    uint16_t sum = 0;
    uint64_t in_blocks = 0;
    bool ended = false;

    for (uint32_t i = 0; i < len; i += 2)
        sum = (uint16_t)(sum + bytes_u16le(p + i));
    if (sum != 0)
        return "wrong sum of the head";
    for (uint32_t i = UEFI_HEAD; i + UEFI_RUN <= len && !ended; i += UEFI_RUN) {
        ended = bytes_u64le(p + i) == 0;
        in_blocks += (uint64_t)bytes_u32le(p + i) * bytes_u32le(p + i + 4);
    }
    return ended && in_blocks == bytes ? NULL : "the blocks do not make up the length";
}

static struct sig_result uefi_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, UEFI_HEAD);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint64_t bytes = bytes_u64le(p + 32);
    const uint32_t len = bytes_u16le(p + 48);
    if (len < UEFI_HEAD + UEFI_RUN || len > UEFI_HEAD_MAX || len % 8 != 0 || len > bytes ||
        p[55] < 1 || p[55] > 2)
        return sig_reject("invalid length of the head");
    p = sig_bytes(in, 0, len);
    if (p == NULL)
        return sig_short(in);
    const char *wrong = uefi_wrong(p, len, bytes);
    if (wrong != NULL)
        return sig_reject(wrong);
    sig_valid(in, len);
    if (sig_bytes(in, bytes - 1, 1) == NULL)
        return sig_short(in);
    return sig_believe(in, bytes, "the sum of the head, whose blocks make up the length");
}

const struct sig sig_uefi = {
    .name = "fv",
    .what = "volume of UEFI firmware",
    .proves = "the sum of the head, whose blocks make up the length; the files in it are not read",
    .source = "UEFI Forum, Platform Initialization Specification 1.7, volume 3, 3.2.1: "
              "EFI_FIRMWARE_VOLUME_HEADER",
    .types = (const struct sig_type[]){ { "fv", "fv" }, { 0 } },
    .headers = { SIG_PATTERN_AT(40, "_FVH") },
    .flags = SIG_CONTAINER,
    .size_min = UEFI_HEAD + UEFI_RUN,
    .size_max = UINT64_C(1) << 30,
    .check = uefi_check,
};
