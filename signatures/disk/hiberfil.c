/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/hiberfil.c - the memory of a Windows computer that hibernates: hiberfil.sys.
 *
 *   "hibr", "HIBR", "wake", "WAKE", "RSTR" | version, or kind of image | checksum | length of this
 * header | page of this header | page size, 4096: at 20 in systems of 32 bits, at 24 in those of 64
 * | ... | time
 *
 * The header tells how many pages are used, each system in its own way, and none tells how long the
 * file is: as long as Windows made it for the memory of its computer. So it is never called whole.
 * What is right is its first page; examiners read the rest from there on.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    HIBERFIL_PAGE = 4096,
    HIBERFIL_HEAD_MIN = 0x60,
    HIBERFIL_HEAD_MAX = 0x800,
    HIBERFIL_KIND_MAX = 32, /* versions and kinds of images */
    /* FILETIME's upper half: 1999 to 2100 */
    HIBERFIL_TIME_FIRST = 0x01be0000,
    HIBERFIL_TIME_LAST = 0x02740000,
};

static struct sig_result hiberfil_check(struct sig_input *in, void *memory)
{
    const uint8_t *page = sig_bytes(in, 0, HIBERFIL_PAGE);

    (void)memory;
    if (page == NULL)
        return sig_short(in);
    const uint32_t kind = bytes_u32le(page + 4), len = bytes_u32le(page + 12),
                   time = bytes_u32le(page + 36);
    if (kind > HIBERFIL_KIND_MAX || len < HIBERFIL_HEAD_MIN || len > HIBERFIL_HEAD_MAX ||
        len % 4 != 0)
        return sig_reject("unknown kind or length of the header");
    if (bytes_u32le(page + 20) != HIBERFIL_PAGE && bytes_u32le(page + 24) != HIBERFIL_PAGE)
        return sig_reject("the page size is missing in the header");
    if (time < HIBERFIL_TIME_FIRST || time > HIBERFIL_TIME_LAST)
        return sig_reject("the time in the header is out of range");
    sig_valid(in, HIBERFIL_PAGE);
    return sig_breaks(in, "no length is stored; it is at most the size of the memory");
}

const struct sig sig_hiberfil = {
    .name = "hiberfil",
    .what = "memory of a hibernating Windows (hiberfil.sys), its first page",
    .proves = "never whole: kind, length, page size and time of its first page",
    .source = "Nicolas Ruff and Matthieu Suiche, SandMan (2008); volatility, hibernation file "
              "(PO_MEMORY_IMAGE)",
    .types = (const struct sig_type[]){ { "hiberfil", "sys" }, { 0 } },
    .headers = { SIG_MASKED("hibr\0\0\0\0", "\xff\xff\xff\xff\xc0\xff\xff\xff"),
                 SIG_MASKED("HIBR\0\0\0\0", "\xff\xff\xff\xff\xc0\xff\xff\xff"),
                 SIG_MASKED("wake\0\0\0\0", "\xff\xff\xff\xff\xc0\xff\xff\xff"),
                 SIG_MASKED("WAKE\0\0\0\0", "\xff\xff\xff\xff\xc0\xff\xff\xff"),
                 SIG_MASKED("RSTR\0\0\0\0", "\xff\xff\xff\xff\xc0\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = HIBERFIL_PAGE,
    .size_max = UINT64_C(1) << 40,
    .check = hiberfil_check,
};
