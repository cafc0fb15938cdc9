/* signatures/archive/content_end.c - see content_end.h. */
#include <isa-l/crc.h>

#include "signatures/archive/content_end.h"

enum {
    CONTENT_ELF_HEAD = 64,
    CONTENT_COFF_HEAD = 20,
    CONTENT_COFF_SYMBOL = 18,
    CONTENT_XZ_FOOT = 12,
    CONTENT_GZIP_MIN = 18,
    CONTENT_TCONTENT_BLOCK = 512,
};

/* The section headers come last, and the first of them is empty but for its size. */
static enum content_end content_end_elf(struct sig_input *in, uint64_t data, uint64_t size)
{
    const uint8_t *head = sig_bytes(in, data, CONTENT_ELF_HEAD);

    if (head == NULL)
        return CONTENT_END_WAIT;
    const bool wide = head[4] == 2;
    const uint64_t table = wide ? bytes_u64le(head + 40) : bytes_u32le(head + 32);
    const uint32_t count = bytes_u16le(head + (wide ? 60 : 48)), entry = wide ? 64 : 40;
    if (head[5] != 1 || table == 0) /* big-endian, or without sections */
        return CONTENT_END_RIGHT;
    if (table > size || (count + UINT64_C(1)) * entry > size - table + entry)
        return CONTENT_END_WRONG;
    const uint8_t *first = sig_bytes(in, data + table, 24);
    if (first == NULL)
        return CONTENT_END_WAIT;
    for (uint32_t i = 0; i < 24; i++)
        if (first[i] != 0)
            return CONTENT_END_WRONG;
    return CONTENT_END_RIGHT;
}

/* Behind the symbols stand the strings, which begin with their size. */
static enum content_end content_end_coff(struct sig_input *in, uint64_t data, uint64_t size)
{
    const uint8_t *head = sig_bytes(in, data, CONTENT_COFF_HEAD);

    if (head == NULL)
        return CONTENT_END_WAIT;
    const uint64_t symbols = bytes_u32le(head + 8), count = bytes_u32le(head + 12);
    const uint64_t strings = symbols + count * CONTENT_COFF_SYMBOL;
    if (symbols == 0)
        return CONTENT_END_RIGHT;
    if (strings + 4 > size)
        return CONTENT_END_WRONG;
    const uint8_t *len = sig_bytes(in, data + strings, 4);
    if (len == NULL)
        return CONTENT_END_WAIT;
    return bytes_u32le(len) >= 4 && bytes_u32le(len) <= size - strings ? CONTENT_END_RIGHT
                                                                       : CONTENT_END_WRONG;
}

static enum content_end content_end_xz(struct sig_input *in, uint64_t data, uint64_t size)
{
    const uint8_t *foot = size < 2 * CONTENT_XZ_FOOT
                              ? NULL
                              : sig_bytes(in, data + size - CONTENT_XZ_FOOT, CONTENT_XZ_FOOT);

    if (size < 2 * CONTENT_XZ_FOOT)
        return CONTENT_END_WRONG;
    if (foot == NULL)
        return CONTENT_END_WAIT;
    return foot[10] == 'Y' && foot[11] == 'Z' &&
                   crc32_gzip_refl(0, foot + 4, 6) == bytes_u32le(foot)
               ? CONTENT_END_RIGHT
               : CONTENT_END_WRONG;
}

static enum content_end content_end_gzip(struct sig_input *in, uint64_t data, uint64_t size)
{
    const uint8_t *plain = size < CONTENT_GZIP_MIN ? NULL : sig_bytes(in, data + size - 4, 4);

    if (size < CONTENT_GZIP_MIN)
        return CONTENT_END_WRONG;
    if (plain == NULL)
        return CONTENT_END_WAIT;
    return bytes_u32le(plain) % CONTENT_TCONTENT_BLOCK == 0 ? CONTENT_END_RIGHT : CONTENT_END_WRONG;
}

enum content_end content_end(struct sig_input *in, uint64_t data, uint64_t size, bool is_tar)
{
    const uint8_t *head = size < 6 ? NULL : sig_bytes(in, data, 6);

    if (size < 6)
        return CONTENT_END_RIGHT;
    if (head == NULL)
        return CONTENT_END_WAIT;
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
    return CONTENT_END_RIGHT;
}
