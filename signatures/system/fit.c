/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/fit.c - FIT: where somebody ran, rode or walked (Garmin and others).
 *
 *   12 or 14, the bytes of the head | version | u16le profile | u32le bytes of records | ".FIT" |
 * with 14: u16le CRC-16 of the head, or 0 | records | u16le CRC-16 of all
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/crc16_low.h"
#include "signatures/sig.h"

enum { FIT_HEAD_MIN = 12, FIT_HEAD = 14, FIT_CRC = 2 };

struct fit_state {
    uint64_t at; /* summed up to here */
    uint16_t crc;
};

static struct sig_result fit_check(struct sig_input *in, void *memory)
{
    struct fit_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, FIT_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t head = p[0], end = head + bytes_u32le(p + 4);
    const uint16_t told = bytes_u16le(p + FIT_HEAD_MIN);
    if (end == head || p[1] >> 4 == 0 || p[1] >> 4 > 2 ||
        (head == FIT_HEAD && told != 0 && crc16_low(0, p, FIT_HEAD_MIN) != told))
        return sig_reject("wrong CRC of the head, or unknown version");
    sig_valid(in, head);
    while (state->at < end) {
        uint32_t len;

        p = sig_span_to(in, state->at, end, &len);
        if (p == NULL)
            return sig_short(in);
        state->crc = crc16_low(state->crc, p, len);
        state->at += len;
    }
    p = sig_bytes(in, end, FIT_CRC);
    if (p == NULL)
        return sig_short(in);
    if (bytes_u16le(p) != state->crc)
        return sig_breaks(in, "wrong CRC");
    return sig_complete(in, end + FIT_CRC, "the CRC of all records");
}

const struct sig sig_fit = {
    .name = "fit",
    .what = "FIT, where somebody ran or rode (Garmin)",
    .proves = "the CRC-16 of all bytes",
    .source = "Garmin, Flexible and Interoperable Data Transfer (FIT) Protocol, 3.3",
    .types = (const struct sig_type[]){ { "fit", "fit" }, { 0 } },
    .headers = { SIG_MASKED("\x0c\0\0\0\0\0\0\0.FIT", "\xfd\0\0\0\0\0\0\0\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = FIT_HEAD_MIN + 1 + FIT_CRC,
    .size_max = 1 << 28,
    .seam = SIG_SEAM_EXACT,
    .state_size = sizeof(struct fit_state),
    .check = fit_check,
};
