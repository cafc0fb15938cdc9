/* signatures/ar_content.c - see ar.h. */
#include <isa-l/crc.h>

#include "signatures/ar.h"

enum {
    AR_ELF_HEAD = 64,
    AR_COFF_HEAD = 20,
    AR_COFF_SYMBOL = 18,
    AR_XZ_FOOT = 12,
    AR_GZIP_MIN = 18,
    AR_TAR_BLOCK = 512,
};

/* The section headers come last, and the first of them is empty but for its size. */
static enum ar_step ar_elf(struct sig_input *in, uint64_t data, uint64_t size)
{
    const uint8_t *head = sig_bytes(in, data, AR_ELF_HEAD);

    if (head == NULL)
        return AR_WAIT;
    const bool wide = head[4] == 2;
    const uint64_t table = wide ? bytes_u64le(head + 40) : bytes_u32le(head + 32);
    const uint32_t count = bytes_u16le(head + (wide ? 60 : 48)), entry = wide ? 64 : 40;
    if (head[5] != 1 || table == 0) /* big-endian, or without sections */
        return AR_DONE;
    if (table > size || (count + UINT64_C(1)) * entry > size - table + entry)
        return AR_BAD;
    const uint8_t *first = sig_bytes(in, data + table, 24);
    if (first == NULL)
        return AR_WAIT;
    for (uint32_t i = 0; i < 24; i++)
        if (first[i] != 0)
            return AR_BAD;
    return AR_DONE;
}

/* Behind the symbols stand the strings, which begin with their size. */
static enum ar_step ar_coff(struct sig_input *in, uint64_t data, uint64_t size)
{
    const uint8_t *head = sig_bytes(in, data, AR_COFF_HEAD);

    if (head == NULL)
        return AR_WAIT;
    const uint64_t symbols = bytes_u32le(head + 8), count = bytes_u32le(head + 12);
    const uint64_t strings = symbols + count * AR_COFF_SYMBOL;
    if (symbols == 0)
        return AR_DONE;
    if (strings + 4 > size)
        return AR_BAD;
    const uint8_t *len = sig_bytes(in, data + strings, 4);
    if (len == NULL)
        return AR_WAIT;
    return bytes_u32le(len) >= 4 && bytes_u32le(len) <= size - strings ? AR_DONE : AR_BAD;
}

static enum ar_step ar_xz(struct sig_input *in, uint64_t data, uint64_t size)
{
    const uint8_t *foot = size < 2 * AR_XZ_FOOT ? NULL : sig_bytes(in, data + size - AR_XZ_FOOT, AR_XZ_FOOT);

    if (size < 2 * AR_XZ_FOOT)
        return AR_BAD;
    if (foot == NULL)
        return AR_WAIT;
    return foot[10] == 'Y' && foot[11] == 'Z' && crc32_gzip_refl(0, foot + 4, 6) == bytes_u32le(foot) ? AR_DONE
                                                                                                      : AR_BAD;
}

static enum ar_step ar_gzip(struct sig_input *in, uint64_t data, uint64_t size)
{
    const uint8_t *plain = size < AR_GZIP_MIN ? NULL : sig_bytes(in, data + size - 4, 4);

    if (size < AR_GZIP_MIN)
        return AR_BAD;
    if (plain == NULL)
        return AR_WAIT;
    return bytes_u32le(plain) % AR_TAR_BLOCK == 0 ? AR_DONE : AR_BAD;
}

enum ar_step ar_content(struct sig_input *in, uint64_t data, uint64_t size, bool debian)
{
    const uint8_t *head = size < 6 ? NULL : sig_bytes(in, data, 6);

    if (size < 6)
        return AR_DONE;
    if (head == NULL)
        return AR_WAIT;
    if (memcmp(head,
               "\x7f"
               "ELF",
               4) == 0 &&
        size >= AR_ELF_HEAD)
        return ar_elf(in, data, size);
    if ((bytes_u16le(head) == 0x8664 || bytes_u16le(head) == 0x014c) && head[3] < 64 && size >= AR_COFF_HEAD)
        return ar_coff(in, data, size);
    if (memcmp(head, "\xfd\x37zXZ\0", 6) == 0)
        return ar_xz(in, data, size);
    if (debian && memcmp(head, "\x1f\x8b\x08", 3) == 0)
        return ar_gzip(in, data, size);
    return AR_DONE;
}
