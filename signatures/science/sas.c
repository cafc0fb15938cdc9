/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/sas.c - SAS: a table of the statistics program (sas7bdat).
 *
 *   32 bytes of magic | at 32 '3': 64-bit | at 35 '3': numbers lie 4 bytes later | at 37: 1,
 * little-endian, else big | at 196: u32 bytes of the header | u32 bytes of a page | pages, 4 or 8
 * bytes
 *
 * Each page tells its kind at 16, with 64 bits at 32.
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum { SAS_HEAD = 224, SAS_SIZES = 196, SAS_KIND_32 = 16, SAS_KIND_64 = 32 };

struct sas_state {
    uint64_t page; /* the number of the next page */
};

static uint32_t sas_u32(const uint8_t *p, bool little)
{
    return little ? bytes_u32le(p) : bytes_u32be(p);
}

/* Kinds of pages: names, data, both, more names, compressed. */
static bool sas_kind(uint32_t kind)
{
    static const uint16_t kinds[] = { 0,      0x0080, 0x0100, 0x0180, 0x0200, 0x0280,
                                      0x0400, 0x4000, 0x8000, 0x9000, 0xc000 };

    for (uint32_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kind == kinds[i])
            return true;
    return false;
}

static struct sig_result sas_check(struct sig_input *in, void *memory)
{
    struct sas_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, SAS_HEAD);

    if (p == NULL)
        return sig_short(in);
    const bool wide = p[32] == '3', little = p[37] == 1;
    const uint8_t *sizes = p + SAS_SIZES + (p[35] == '3' ? 4 : 0);
    const uint64_t head = sas_u32(sizes, little), bytes = sas_u32(sizes + 4, little);
    uint64_t pages = sas_u32(sizes + 8, little);
    if (wide)
        pages = little ? bytes_u64le(sizes + 8) : bytes_u64be(sizes + 8);
    if ((p[32] != '3' && p[32] != '"') || (p[35] != '3' && p[35] != '2') || p[37] > 1 ||
        head < 1024 || head > UINT16_MAX * 4u || head % 1024 != 0 || bytes < 1024 ||
        bytes > 1u << 24 || bytes % 512 != 0 || pages == 0 || pages > in->sig->size_max / bytes)
        return sig_reject("lengths do not agree");
    for (; state->page < pages; state->page++) {
        const uint64_t at = head + state->page * bytes;

        p = sig_bytes(in, at + (wide ? SAS_KIND_64 : SAS_KIND_32), 2);
        if (p == NULL)
            return sig_short(in);
        if (!sas_kind(little ? bytes_u16le(p) : bytes_u16be(p)))
            return state->page == 0 ? sig_reject("unknown kind of page")
                                    : sig_breaks(in, "unknown kind of page");
        sig_valid(in, at);
    }
    return sig_believe(in, head + pages * bytes, "pages of known kinds fill the file");
}

const struct sig sig_sas = {
    .name = "sas7bdat",
    .what = "SAS, a table for statistics",
    .proves = "every page is of a known kind; rows are not read",
    .source = "M. Shotwell, SAS7BDAT Database Binary Format (2013)",
    .types = (const struct sig_type[]){ { "sas7bdat", "sas7bdat" }, { 0 } },
    .headers = { SIG_PATTERN(
        "\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\0"
        "\x09\xc7\x31\x8c\x18\x1f\x10\x11") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 2048,
    .size_max = UINT64_C(1) << 44,
    .state_size = sizeof(struct sas_state),
    .check = sas_check,
};
