/* SPDX-License-Identifier: Apache-2.0
 * signatures/font/pcf.c - fonts of X11, compiled (pcf).
 *
 *   01 "fcp" | u32le tables, each: kind, a bit | format | bytes | place
 *
 * Of accelerators (2, 256) bdftopcf tells 100 bytes, and writes 48, or 72 with measures of ink.
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    PCF_HEAD = 8,
    PCF_TABLE = 16,
    PCF_TABLES_MAX = 16,
    PCF_KIND_MAX = 1 << 8,
    PCF_ACCELERATORS = 2 | 256,
    PCF_INK = 0x100
};

static struct sig_result pcf_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, PCF_HEAD);
    uint64_t end = 0;
    uint32_t seen = 0;

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint32_t tables = bytes_u32le(p + 4);
    if (tables < 3 || tables > PCF_TABLES_MAX)
        return sig_reject("invalid number of tables");
    for (uint32_t i = 0; i < tables; i++) {
        p = sig_bytes(in, PCF_HEAD + PCF_TABLE * i, PCF_TABLE);
        if (p == NULL)
            return sig_short(in);
        const uint32_t kind = bytes_u32le(p), format = bytes_u32le(p + 4);
        const uint64_t told = bytes_u32le(p + 8), at = bytes_u32le(p + 12),
                       bytes = told == 100 && (kind & PCF_ACCELERATORS) != 0
                                   ? ((format & PCF_INK) != 0 ? 72 : 48)
                                   : told;
        if (kind == 0 || kind > PCF_KIND_MAX || (kind & (kind - 1)) != 0 || (seen & kind) != 0 ||
            at < PCF_HEAD + PCF_TABLE * tables || at % 4 != 0 || bytes < 4)
            return sig_reject("invalid table");
        seen |= kind;
        end = at + bytes > end ? at + bytes : end;
        p = sig_bytes(in, at, 4);
        if (p == NULL)
            return sig_short(in);
        if (bytes_u32le(p) != format)
            return sig_breaks(in, "a table does not begin with its format");
        sig_valid(in, PCF_HEAD + PCF_TABLE * tables);
    }
    if (sig_bytes(in, end - 1, 1) == NULL)
        return sig_short(in);
    return sig_complete(in, end, "every table begins with its format, where the head says");
}

const struct sig sig_pcf = {
    .name = "pcf",
    .what = "font of X11, compiled (PCF)",
    .proves = "every table begins with its format, where the head says; the last one ends the file",
    .source = "X.Org, libXfont 1.5, src/bitmap/pcfread.c; include/X11/fonts/pcf.h",
    .types = (const struct sig_type[]){ { "pcf", "pcf" }, { 0 } },
    .headers = { SIG_MASKED("\1fcp\0\0\0\0", "\xff\xff\xff\xff\xe0\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = PCF_HEAD + 3 * PCF_TABLE,
    .size_max = 1 << 30,
    .check = pcf_check,
};
