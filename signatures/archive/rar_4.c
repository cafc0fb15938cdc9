/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/rar_4.c - headers of RAR 1.5 to 4.
 *
 *   u16le CRC (low half of the CRC-32 of what follows) | type 72-7b | u16le flags | u16le size [|
 * u32le size of the data] file: data size | plain size 4 | system | CRC-32 4 | time 4 | version |
 * method 30-35 | name length 2 | attributes 4 [| upper halves]
 */
#include <isa-l/crc.h>

#include "signatures/archive/rar.h"

enum {
    RAR4_HEAD = 7,
    RAR4_FILE = 32,
    RAR4_TYPE_MAIN = 0x73,
    RAR4_TYPE_FILE = 0x74,
    RAR4_TYPE_OWNER = 0x77,
    RAR4_OWNER_MAX = 512,
    RAR4_TYPE_SUB = 0x7a,
    RAR4_TYPE_END = 0x7b,
    RAR4_STORED = 0x30,
    RAR4_HAS_DATA = 0x8000,
    RAR4_LARGE = 0x100,
    RAR4_SPLIT_BEFORE = 1,
    RAR4_SPLIT_AFTER = 2,
    RAR4_PASSWORD = 4,
    RAR4_MAIN_ENCRYPTED = 0x80,
    RAR4_EXACT_TIMES = 0x1000, /* since RAR 2.9, which also puts an end mark */
};

static bool rar4_file(const uint8_t *head, uint32_t len, uint32_t flags, struct rar_block *block)
{
    const uint32_t fixed = RAR4_FILE + (flags & RAR4_LARGE ? 8u : 0u);

    if (len < fixed || bytes_u16le(head + 26) > len - fixed || head[25] < RAR4_STORED ||
        head[25] > RAR4_STORED + 5)
        return false;
    if (flags & RAR4_LARGE)
        block->data_len |= (uint64_t)bytes_u32le(head + 32) << 32;
    block->compressed =
        head[25] != RAR4_STORED && bytes_u32le(head + 11) / RAR_RATIO <= block->data_len;
    block->has_crc =
        (flags & RAR4_SPLIT_AFTER) != 0 || /* of what is in this volume */
        (head[25] == RAR4_STORED && (flags & (RAR4_SPLIT_BEFORE | RAR4_PASSWORD)) == 0 &&
         bytes_u32le(head + 11) == bytes_u32le(head + 7));
    block->crc = bytes_u32le(head + 16);
    block->needs_end = (flags & RAR4_EXACT_TIMES) != 0;
    return true;
}

enum step rar_4_block(struct sig_input *in, uint64_t at, struct rar_block *block)
{
    const uint8_t *head = sig_bytes(in, at, RAR4_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t told = bytes_u16le(head), type = head[2], flags = bytes_u16le(head + 3),
                   len = bytes_u16le(head + 5);
    const bool has_data =
        (flags & RAR4_HAS_DATA) != 0 || type == RAR4_TYPE_FILE || type == RAR4_TYPE_SUB;
    if (type < RAR4_TYPE_MAIN || type > RAR4_TYPE_END || len < RAR4_HEAD + (has_data ? 4u : 0u))
        return STEP_BAD;
    uint32_t summed = len;
    if (type == RAR4_TYPE_OWNER && has_data) { /* its data are in its CRC */
        if ((head = sig_bytes(in, at, RAR4_HEAD + 4)) == NULL)
            return STEP_WAIT;
        if (bytes_u32le(head + 7) > RAR4_OWNER_MAX)
            return STEP_BAD;
        summed += bytes_u32le(head + 7);
    }
    if ((head = sig_bytes(in, at, summed)) == NULL)
        return STEP_WAIT;
    /* comments of old writers stand inside of the main header and of files', and are not in their
     * CRC */
    const uint32_t covered = type == RAR4_TYPE_MAIN && len > 13 ? 13 : summed;
    if ((crc32_gzip_refl(0, head + 2, summed - 2) & 0xffff) != told &&
        (crc32_gzip_refl(0, head + 2, covered - 2) & 0xffff) != told)
        return STEP_BAD;
    *block =
        (struct rar_block){ .head_len = len, .data_len = has_data ? bytes_u32le(head + 7) : 0 };
    block->kind = type == RAR4_TYPE_MAIN   ? RAR_MAIN
                  : type == RAR4_TYPE_END  ? RAR_END
                  : type == RAR4_TYPE_FILE ? RAR_FILE
                                           : RAR_OTHER;
    block->encrypted = type == RAR4_TYPE_MAIN && (flags & RAR4_MAIN_ENCRYPTED) != 0;
    return type == RAR4_TYPE_FILE && !rar4_file(head, len, flags, block) ? STEP_BAD : STEP_DONE;
}
