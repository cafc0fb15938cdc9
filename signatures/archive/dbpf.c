/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/dbpf.c - DBPF: what The Sims 2 to 4, SimCity and Spore keep everything in.
 *
 *   "DBPF" | u32le version 1, 2, 3 | ... | 36 u32le entries | 40 place of the index, 1 | 44 its
 * bytes |
 * ... | 64 place of the index, 2; 96 bytes in all
 *
 * The index ends the file; Spore's (3) has places of 64 bits and is not read.
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum { DBPF_HEAD = 96, DBPF_ENTRY_MIN = 12, DBPF_ENTRY_MAX = 32 };

static struct sig_result dbpf_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, DBPF_HEAD);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint64_t entries = bytes_u32le(p + 36), bytes = bytes_u32le(p + 44),
                   at = p[4] == 1 || bytes_u32le(p + 64) == 0 ? bytes_u32le(p + 40)
                                                              : bytes_u32le(p + 64);
    if (entries == 0 || bytes < DBPF_ENTRY_MIN * entries || bytes > DBPF_ENTRY_MAX * entries + 16 ||
        at < DBPF_HEAD)
        return sig_reject("the index does not fit its entries");
    sig_valid(in, DBPF_HEAD);
    if (sig_bytes(in, at + bytes - 1, 1) == NULL)
        return sig_short(in);
    return sig_believe(in, at + bytes, "the index, which fits its entries, ends the file");
}

const struct sig sig_dbpf = {
    .name = "dbpf",
    .what = "package of The Sims or SimCity (DBPF)",
    .proves = "the index fits its entries and ends the file; entries are not read",
    .source = "SimsWiki, DBPF (versions 1.0 to 2.1)",
    .types = (const struct sig_type[]){ { "dbpf", "package" }, { 0 } },
    .headers = { SIG_PATTERN("DBPF\1\0\0\0"), SIG_PATTERN("DBPF\2\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = DBPF_HEAD + DBPF_ENTRY_MIN,
    .size_max = UINT64_C(1) << 33,
    .check = dbpf_check,
};
