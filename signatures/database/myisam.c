/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/myisam.c - MyISAM's files of MySQL and MariaDB: index (MYI), table definition
 * (frm). Both keep their length in the header, big-endian in the index and little-endian in the
 * definition.
 *
 *   MYI: FE FE 07 01 | u16be options, 6 length of the header, 8 of the state, 10 of the base, 12
 * its place | 14 key parts | 18 keys | 0x3C u64be length of this file, 0x44 of the data file frm:
 * FE 01 | version 7 to 11 | kind of table | 4 u16le | 6 u16le place of the keys | 8 1 | 10 u32le
 * length
 *
 * The data file (MYD) has no header and cannot be found.
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    MYI_HEAD = 0x4c,
    MYI_BLOCK = 1024,
    MYI_STATE_MIN = 0x60,
    FRM_HEAD = 64,
    FRM_KEYS_MAX = 0x2000,
    FRM_LENGTH_MAX = 1 << 24,
};

static struct sig_result myisam_index(struct sig_input *in, void *state)
{
    const uint8_t *head = sig_bytes(in, 0, MYI_HEAD);

    (void)state;
    if (head == NULL)
        return sig_short(in);
    const uint32_t head_len = bytes_u16be(head + 6), state_len = bytes_u16be(head + 8),
                   base_len = bytes_u16be(head + 10), base_at = bytes_u16be(head + 12);
    const uint64_t len = bytes_u64be(head + 0x3c), blocks = head[19];
    if (state_len < MYI_STATE_MIN || base_at < state_len || (base_at - state_len) % 8 != 0 ||
        base_at + base_len > head_len || blocks > 64)
        return sig_reject("the parts of the header do not follow one another");
    if (len < head_len || len % MYI_BLOCK != 0)
        return sig_reject("the length is out of range");
    return sig_believe(in, len, "the header gives the length");
}

static struct sig_result myisam_definition(struct sig_input *in, void *state)
{
    const uint8_t *head = sig_bytes(in, 0, FRM_HEAD);

    (void)state;
    if (head == NULL)
        return sig_short(in);
    const uint32_t len = bytes_u32le(head + 10), keys_at = bytes_u16le(head + 6),
                   keys_len = bytes_u16le(head + 14), record_len = bytes_u16le(head + 16);
    if (head[2] < 7 || head[2] > 11 || len > FRM_LENGTH_MAX || keys_at < FRM_HEAD ||
        keys_at > FRM_KEYS_MAX || head[33] != 5)
        return sig_reject("header fields are out of range");
    if (keys_at + (uint64_t)keys_len + record_len > len)
        return sig_reject("the keys lie outside the file");
    const uint8_t *keys = sig_bytes(in, keys_at, 6);
    if (keys == NULL)
        return sig_short(in);
    const uint32_t names_len = bytes_u16le(keys + 4);
    if (keys[0] > 64 || names_len > len)
        return sig_reject("there is no list of keys where the header points");
    return sig_believe(in, len, "the header gives the length");
}

const struct sig sig_myisam_index = {
    .name = "myi",
    .what = "MyISAM index of MySQL or MariaDB",
    .proves = "only its header's parts and the length in it: keys are not read",
    .source = "MySQL Internals Manual: MyISAM .MYI file, header, state, base",
    .types = (const struct sig_type[]){ { "myi", "myi" }, { 0 } },
    .headers = { SIG_MASKED("\xfe\xfe\x07?\0", "\xff\xff\xff\0\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = MYI_BLOCK,
    .size_max = UINT64_C(1) << 40,
    .check = myisam_index,
};

const struct sig sig_myisam_definition = {
    .name = "frm",
    .what = "table definition of MySQL or MariaDB",
    .proves = "only its header's fields and the length in it",
    .source = "MySQL Internals Manual: .frm file format, header",
    .types = (const struct sig_type[]){ { "frm", "frm" }, { 0 } },
    .headers = { SIG_MASKED("\xfe\x01??????\x01\0???\0",
                            "\xff\xff\0\0\0\0\0\0\xff\xff\0\0\0\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = FRM_HEAD,
    .size_max = FRM_LENGTH_MAX,
    .check = myisam_definition,
};
