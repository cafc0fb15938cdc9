/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/content_end.c - see content_end.h. */
#include <isa-l/crc.h>

#include "signatures/archive/content_end.h"

enum {
    CONTENT_ELF_HEAD = 64,
    CONTENT_COFF_HEAD = 20,
    CONTENT_COFF_SYMBOL = 18,
    CONTENT_XZ_FOOT = 12,
    CONTENT_GZIP_MIN = 18,
    CONTENT_TAR_BLOCK = 512,
};

/* The section headers come last, and the first of them is empty but for its size. */
static enum step content_end_elf(struct sig_input *in, uint64_t data, uint64_t size)
{
    const uint8_t *head = sig_bytes(in, data, CONTENT_ELF_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    const bool wide = head[4] == 2;
    const uint64_t table = wide ? bytes_u64le(head + 40) : bytes_u32le(head + 32);
    const uint32_t count = bytes_u16le(head + (wide ? 60 : 48)), entry = wide ? 64 : 40;
    if (head[5] != 1 || table == 0) /* big-endian, or without sections */
        return STEP_DONE;
    if (table > size || (count + UINT64_C(1)) * entry > size - table + entry)
        return STEP_BAD;
    const uint8_t *first = sig_bytes(in, data + table, 24);
    if (first == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < 24; i++)
        if (first[i] != 0)
            return STEP_BAD;
    return STEP_DONE;
}

/* Behind the symbols stand the strings, which begin with their size. */
static enum step content_end_coff(struct sig_input *in, uint64_t data, uint64_t size)
{
    const uint8_t *head = sig_bytes(in, data, CONTENT_COFF_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    const uint64_t symbols = bytes_u32le(head + 8), count = bytes_u32le(head + 12);
    const uint64_t strings = symbols + count * CONTENT_COFF_SYMBOL;
    if (symbols == 0)
        return STEP_DONE;
    if (strings + 4 > size)
        return STEP_BAD;
    const uint8_t *len = sig_bytes(in, data + strings, 4);
    if (len == NULL)
        return STEP_WAIT;
    return bytes_u32le(len) >= 4 && bytes_u32le(len) <= size - strings ? STEP_DONE : STEP_BAD;
}

static enum step content_end_xz(struct sig_input *in, uint64_t data, uint64_t size)
{
    const uint8_t *foot = size < 2 * CONTENT_XZ_FOOT
                              ? NULL
                              : sig_bytes(in, data + size - CONTENT_XZ_FOOT, CONTENT_XZ_FOOT);

    if (size < 2 * CONTENT_XZ_FOOT)
        return STEP_BAD;
    if (foot == NULL)
        return STEP_WAIT;
    return foot[10] == 'Y' && foot[11] == 'Z' &&
                   crc32_gzip_refl(0, foot + 4, 6) == bytes_u32le(foot)
               ? STEP_DONE
               : STEP_BAD;
}

static enum step content_end_gzip(struct sig_input *in, uint64_t data, uint64_t size)
{
    const uint8_t *plain = size < CONTENT_GZIP_MIN ? NULL : sig_bytes(in, data + size - 4, 4);

    if (size < CONTENT_GZIP_MIN)
        return STEP_BAD;
    if (plain == NULL)
        return STEP_WAIT;
    return bytes_u32le(plain) % CONTENT_TAR_BLOCK == 0 ? STEP_DONE : STEP_BAD;
}

enum step content_end(struct sig_input *in, uint64_t data, uint64_t size, bool is_tar)
{
    const uint8_t *head = size < 6 ? NULL : sig_bytes(in, data, 6);

    if (size < 6)
        return STEP_DONE;
    if (head == NULL)
        return STEP_WAIT;
    if (memcmp(head,
               "\x7f"
               "ELF",
               4) == 0 &&
        size >= CONTENT_ELF_HEAD)
        return content_end_elf(in, data, size);
    if ((bytes_u16le(head) == 0x8664 || bytes_u16le(head) == 0x014c) && head[3] < 64 &&
        size >= CONTENT_COFF_HEAD)
        return content_end_coff(in, data, size);
    if (memcmp(head, "\xfd\x37zXZ\0", 6) == 0)
        return content_end_xz(in, data, size);
    if (is_tar && memcmp(head, "\x1f\x8b\x08", 3) == 0)
        return content_end_gzip(in, data, size);
    return STEP_DONE;
}
