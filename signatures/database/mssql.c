/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/mssql.c - databases of Microsoft SQL Server: data and logs (mdf, ndf, ldf).
 *
 *   pages of 8192 bytes, each: 1 | kind | ... | u32le number at 32 | u16le number of the file
 * at 36. Page 0 has the kind 15.
 *
 * How many pages there are is told by the first one in a way that is not published, and pages that
 * were never used may hold anything: such a file is never whole. Its pages are followed as far as
 * they tell their numbers.
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum { MSSQL_PAGE = 8192, MSSQL_HEAD = 96, MSSQL_KINDS = 40, MSSQL_UNUSED_MAX = 64 };

struct mssql_state {
    uint64_t page;   /* the number of the next one */
    uint32_t unused; /* pages of zeros right before it */
};

static struct sig_result mssql_check(struct sig_input *in, void *memory)
{
    struct mssql_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, MSSQL_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint32_t file = bytes_u16le(p + 36);
    if (bytes_u32le(p + 32) != 0 || file == 0 || bytes_u16le(p + 22) != 1)
        return sig_reject("invalid number of the first page");
    for (;;) {
        const uint64_t at = state->page * MSSQL_PAGE;
        bool zero = true;

        p = sig_bytes(in, at, MSSQL_HEAD);
        if (p == NULL)
            return sig_short(in);
        for (uint32_t i = 0; i < MSSQL_HEAD && zero; i++)
            zero = p[i] == 0;
        const bool page = p[0] == 1 && p[1] > 0 && p[1] < MSSQL_KINDS &&
                          bytes_u32le(p + 32) == state->page && bytes_u16le(p + 36) == file;
        if (!page && (!zero || state->unused == MSSQL_UNUSED_MAX))
            return sig_breaks(in, "no page of this file; how many there are is not known");
        if (page) {
            p = sig_bytes(in, at + MSSQL_PAGE - 1, 1);
            if (p == NULL)
                return sig_short(in);
            sig_valid(in, at + MSSQL_PAGE);
        }
        state->unused = page ? 0 : state->unused + 1;
        state->page++;
    }
}

const struct sig sig_mssql = {
    .name = "mdf",
    .what = "database of Microsoft SQL Server, data or log",
    .proves = "never whole: pages tell their numbers, but not how many there are",
    .source = "M. Rasmussen, OrcaMDF: RawPageHeader.cs; P. Randal, Inside the Storage Engine: "
              "Anatomy of a page",
    .types = (const struct sig_type[]){ { "mdf", "mdf" }, { 0 } },
    .headers = { SIG_MASKED("\1\x0f\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\x63\0\0\0",
                            "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
                            "\xff\xff\xff\xff\xff\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = MSSQL_PAGE,
    .size_max = UINT64_C(1) << 46,
    .state_size = sizeof(struct mssql_state),
    .check = mssql_check,
};
