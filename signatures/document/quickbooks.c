/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/quickbooks.c - QuickBooks: backups (qbb) and company files of older programs
 * (qbw).
 *
 *   qbb: blocks: 45 86 | u16le kind | u16le bytes behind these 8 | u16le | data. A block of kind 2
 * has at 6 of its data u32le, the bytes of what follows the last block.
 *
 *   qbw: at 4: u32le 0x56 | at 0x34: u32le the number of the last unit of 1024 bytes | at 0x60:
 * "MAUI"
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum { QBB_BLOCK = 8, QBB_SIZE_AT = 6, QBB_BLOCKS_MAX = 64, QBB_MAGIC = 0x8645 };

static struct sig_result qbb_check(struct sig_input *in, void *memory)
{
    uint64_t at = 0, data = 0;

    (void)memory;
    for (uint32_t i = 0; i < QBB_BLOCKS_MAX; i++) {
        const uint8_t *p = sig_bytes(in, at, QBB_BLOCK);

        if (p == NULL)
            return sig_short(in);
        if (bytes_u16le(p) != QBB_MAGIC && data > 0)
            return sig_believe(in, at + data, "blocks lead to the data");
        if (bytes_u16le(p) != QBB_MAGIC)
            return sig_reject("there is no block that gives the length");
        const uint32_t kind = bytes_u16le(p + 2), len = bytes_u16le(p + 4);
        if (kind == 2) {
            p = sig_bytes(in, at + QBB_BLOCK + QBB_SIZE_AT, 4);
            if (p == NULL)
                return sig_short(in);
            if (len < QBB_SIZE_AT + 4 || bytes_u32le(p) == 0)
                return sig_reject("invalid block");
            data = bytes_u32le(p);
        }
        at += QBB_BLOCK + len;
        if (data > 0)
            sig_valid(in, at < in->limit ? at : in->limit);
    }
    return sig_breaks(in, "too many blocks");
}

const struct sig sig_qbb = {
    .name = "qbb",
    .what = "backup of QuickBooks",
    .proves = "blocks lead to the data, whose length one of them gives",
    .source = "C. Grenier, testdisk: src/file_qbb.c",
    .types = (const struct sig_type[]){ { "qbb", "qbb" }, { 0 } },
    .headers = { SIG_PATTERN("\x45\x86\0\0\6\0\2\0"), SIG_PATTERN("\x45\x86\0\0\6\0\1\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 2 * QBB_BLOCK + QBB_SIZE_AT + 4,
    .size_max = UINT64_C(1) << 33,
    .check = qbb_check,
};

const struct sig sig_qbw = {
    .name = "qbw",
    .what = "company file of QuickBooks, before 2006",
    .proves = "only the length that the head gives",
    .source = "C. Grenier, testdisk: src/file_qbb.c",
    .types = (const struct sig_type[]){ { "qbw", "qbw" }, { 0 } },
    .headers = { SIG_PATTERN_AT(0x60, "MAUI") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 2048,
    .size_max = UINT64_C(1) << 36,
    .state_size = SIG_BY_LENGTH_STATE,
    .check = sig_by_length,
    .length_rule =
        &(const struct sig_length_rule){
            .must = { { .at = 4, .width = 4, .low = 0x56, .high = 0x56 } },
            .length = { .at = 0x34, .width = 4, .low = 1, .high = UINT32_MAX },
            .scale = 1024,
            .add = 1024,
        },
};
