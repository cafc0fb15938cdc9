/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/onec.c - databases of 1C:Enterprise 8.
 *
 *   "1CDBMSV8" | version, 4 bytes | u32le pages | u32le | from 8.3.8 on: u32le bytes of a page |
 * ... page 2, the root, and others that begin an object: "1CDBOBV8", from 8.3.8 on 1c fd
 *
 * Before 8.3.8 a page has 4096 bytes.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum { ONEC_HEAD = 24, ONEC_PAGE = 4096, ONEC_PAGE_MAX = 64 << 10, ONEC_ROOT = 2 };

static struct sig_result onec_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, ONEC_HEAD);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint64_t pages = bytes_u32le(p + 12);
    const bool wide = p[9] > 3 || (p[9] == 3 && p[10] >= 8);
    const uint32_t page = wide ? bytes_u32le(p + 20) : ONEC_PAGE;
    if (p[8] != 8 || pages <= ONEC_ROOT || page < ONEC_PAGE || page > ONEC_PAGE_MAX ||
        (page & (page - 1)) != 0)
        return sig_reject("invalid number or length of pages");
    p = sig_bytes(in, (uint64_t)page * ONEC_ROOT, 8);
    if (p == NULL)
        return sig_short(in);
    if (wide ? p[0] != 0x1c || p[1] != 0xfd : memcmp(p, "1CDBOBV8", 8) != 0)
        return sig_reject("the root does not begin as it must");
    sig_valid(in, ((uint64_t)ONEC_ROOT + 1) * page < in->limit ? ((uint64_t)ONEC_ROOT + 1) * page
                                                               : in->limit);
    return sig_believe(in, pages * page, "as many pages as the head says");
}

const struct sig sig_onec = {
    .name = "1cd",
    .what = "database of 1C:Enterprise 8",
    .proves = "the root is where it must; the head counts the pages",
    .source = "e8tools, tool1cd: Class_1CD.h, V8Object.cpp",
    .types = (const struct sig_type[]){ { "1cd", "1cd" }, { 0 } },
    .headers = { SIG_PATTERN("1CDBMSV8\x08") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 3 * ONEC_PAGE,
    .size_max = UINT64_C(1) << 46,
    .check = onec_check,
};
