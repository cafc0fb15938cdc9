/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/mif.c - FrameMaker's documents as text: Maker Interchange Format.
 *
 *   "<MIFFile " version ">" | statements, each between < and > | "# End of MIFFile"
 *
 * FrameMaker closes every file with that comment. Statements are not looked at, so the length is
 * believed.
 */
#include "signatures/sig.h"

const struct sig sig_mif = {
    .name = "mif",
    .what = "FrameMaker document as text (MIF)",
    .proves = "first line and closing comment; the statements between are not read",
    .source = "Adobe, FrameMaker 2019 MIF Reference",
    .types = (const struct sig_type[]){ { "mif", "mif" }, { 0 } },
    .headers = { SIG_PATTERN("<MIFFile ") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 28,
    .size_max = UINT64_C(1) << 30,
    .state_size = SIG_BY_LENGTH_STATE,
    .check = sig_by_length,
    .length_rule =
        &(const struct sig_length_rule){ .footer = SIG_PATTERN("# End of MIFFile"), .newlines = 2 },
};
