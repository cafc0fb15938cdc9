/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/uimage.c - uImage: what U-Boot of routers and cameras starts.
 *
 *   27 05 19 56 | u32be CRC-32 of these 64 bytes, with zeros here | time | bytes of the data | two
 * addresses | CRC-32 of the data | system, processor, kind, packing | 32 bytes of name | data
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/crc32.h"
#include "signatures/sig.h"

enum { UIMAGE_HEAD = 64 };

struct uimage_state {
    uint64_t at; /* the data are summed up to here */
    uint32_t crc;
    bool head_done;
};

/* The CRC-32 of the head, with zeros where it stands. */
static uint32_t uimage_head_crc(const uint8_t *head)
{
    uint32_t crc = UINT32_MAX;

    for (uint32_t i = 0; i < UIMAGE_HEAD; i++) {
        crc ^= i >= 4 && i < 8 ? 0 : head[i];
        for (uint32_t bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
    }
    return ~crc;
}

static struct sig_result uimage_check(struct sig_input *in, void *memory)
{
    struct uimage_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, UIMAGE_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t end = UIMAGE_HEAD + (uint64_t)bytes_u32be(p + 12);
    const uint32_t told = bytes_u32be(p + 24);
    if (!state->head_done && uimage_head_crc(p) != bytes_u32be(p + 4))
        return sig_reject("wrong CRC-32 of the head");
    if (!state->head_done)
        state->at = UIMAGE_HEAD;
    state->head_done = true;
    sig_valid(in, UIMAGE_HEAD);
    if (crc32_add(in, &state->at, end, &state->crc) == STEP_WAIT)
        return sig_short(in);
    if (state->crc != told)
        return sig_breaks(in, "wrong CRC-32 of the data");
    return sig_complete(in, end, "the CRC-32 of head and data");
}

const struct sig sig_uimage = {
    .name = "uimage",
    .what = "uImage, a program that U-Boot starts (firmware of routers and cameras)",
    .proves = "the CRC-32s of head and data",
    .source = "U-Boot 2023.01, include/image.h: legacy_img_hdr",
    .types = (const struct sig_type[]){ { "uimage", "uimage" }, { 0 } },
    .headers = { SIG_PATTERN("\x27\x05\x19\x56") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = UIMAGE_HEAD + 1,
    .size_max = UINT64_C(1) << 32,
    .seam = SIG_SEAM_EXACT,
    .state_size = sizeof(struct uimage_state),
    .check = uimage_check,
};
