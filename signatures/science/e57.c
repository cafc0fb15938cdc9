/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/e57.c - E57: points and pictures of scanners of places.
 *
 *   "ASTM-E57" | u32le 1, 0 | u64le bytes of the file | u64le place and bytes of the XML | u64le
 * bytes of a page
 *
 * Each page ends with the CRC-32C of the bytes before it, big-endian.
 */
#include <isa-l.h>
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum { E57_HEAD = 48, E57_PAGE = 1024, E57_CRC = 4 };

struct e57_state {
    uint64_t page; /* the next one */
};

static struct sig_result e57_check(struct sig_input *in, void *memory)
{
    struct e57_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, E57_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t size = bytes_u64le(p + 16), xml = bytes_u64le(p + 24), len = bytes_u64le(p + 32);
    if (bytes_u64le(p + 40) != E57_PAGE || size == 0 || size % E57_PAGE != 0 || xml < E57_HEAD ||
        len == 0 || xml > size || len > size - xml)
        return sig_reject("lengths do not agree");
    while (state->page < size) {
        uint8_t page[E57_PAGE];

        p = sig_bytes(in, state->page, E57_PAGE);
        if (p == NULL)
            return sig_short(in);
        /* The library takes bytes that it does not change by a pointer that is not const. */
        memcpy(page, p, sizeof page);
        if (~crc32_iscsi(page, E57_PAGE - E57_CRC, UINT32_MAX) !=
            bytes_u32be(page + E57_PAGE - E57_CRC))
            return sig_breaks(in, "wrong CRC of a page");
        state->page += E57_PAGE;
        sig_valid(in, state->page);
        sig_sure(in, state->page);
    }
    return sig_complete(in, size, "every page has its CRC");
}

const struct sig sig_e57 = {
    .name = "e57",
    .what = "E57, points of scanned places",
    .proves = "the CRC-32C of every page; the place of the XML",
    .source = "ASTM E2807; libE57Format, CheckedFile.cpp, E57FileHeader",
    .types = (const struct sig_type[]){ { "e57", "e57" }, { 0 } },
    .headers = { SIG_PATTERN("ASTM-E57\1\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = E57_PAGE,
    .size_max = UINT64_C(1) << 44,
    .seam = SIG_SEAM_UNIT,
    .state_size = sizeof(struct e57_state),
    .check = e57_check,
};
