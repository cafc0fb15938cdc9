/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/bdmv.c - the small files of Blu-ray and AVCHD: playlists, clip information,
 * movie objects and the index.
 *
 *   kind: "MPLS", "HDMV", "MOBJ", "INDX" | version "0100", "0200", "0300" | u32be places of
 * sections, a 0 for none; extension data last | zeros | at 40 the first section
 *
 * Every section begins with the u32be bytes behind that number. Sections follow one another; the
 * last one ends the file.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum { BDMV_PLACES = 8, BDMV_FIRST = 40, BDMV_SECTIONS_MAX = 6, BDMV_GAP_MAX = 2048 };

static const struct sig_type bdmv_types[] = {
    { "mpls", "mpls" }, { "clpi", "clpi" }, { "bdmv", "bdmv" }, { 0 }
};

/* The number of places in the header, and the type. */
static uint32_t bdmv_kind(const uint8_t *head, const struct sig_type **type)
{
    *type = &bdmv_types[head[1] == 'P' ? 0 : head[0] == 'H' ? 1 : 2];
    return head[1] == 'P' ? 3 : head[0] == 'H' ? 5 : head[0] == 'I' ? 2 : 1;
}

static struct sig_result bdmv_check(struct sig_input *in, void *memory)
{
    uint64_t places[BDMV_SECTIONS_MAX] = { BDMV_FIRST };
    const uint8_t *head = sig_bytes(in, 0, BDMV_FIRST + 4);
    uint64_t end = BDMV_FIRST;

    (void)memory;
    if (head == NULL)
        return sig_short(in);
    const uint32_t count = bdmv_kind(head, &in->type);
    for (uint32_t i = 0; i < count; i++)
        places[i + 1] = bytes_u32be(head + BDMV_PLACES + 4 * i);
    for (uint32_t i = BDMV_PLACES + 4 * count; i < BDMV_FIRST; i++)
        if (head[i] != 0)
            return sig_reject("reserved bytes are not zero");
    for (uint32_t i = 0; i <= count; i++) {
        if (places[i] == 0 && i == count)
            continue;
        if (places[i] < end || places[i] - end > BDMV_GAP_MAX)
            return sig_reject("the sections do not follow one another");
        const uint8_t *length = sig_bytes(in, places[i], 4);
        if (length == NULL)
            return sig_short(in);
        end = places[i] + 4 + bytes_u32be(length);
        /* Clip marks are not used: their section may be empty. */
        if (end > in->sig->size_max || (i == 0 && end < BDMV_FIRST + 8))
            return sig_reject("invalid length of a section");
    }
    sig_valid(in, BDMV_FIRST);
    return sig_believe(in, end, "the sections follow one another to the last one");
}

const struct sig sig_bdmv = {
    .name = "bdmv",
    .what = "Blu-ray and AVCHD: playlist, clip information, movie objects, index",
    .proves = "sections follow one another to the last one; they are not read",
    .source = "libbluray, bdnav: mpls_parse.c, clpi_parse.c, mobj_parse.c, index_parse.c",
    .types = bdmv_types,
    .headers = { SIG_MASKED("MPLS0000\0\0\0\0", "\xff\xff\xff\xff\xff\xfc\xff\xff\xff\0\0\0"),
                 SIG_MASKED("HDMV0000\0\0\0\0", "\xff\xff\xff\xff\xff\xfc\xff\xff\xff\0\0\0"),
                 SIG_MASKED("MOBJ0000\0\0\0\0", "\xff\xff\xff\xff\xff\xfc\xff\xff\xff\0\0\0"),
                 SIG_MASKED("INDX0000\0\0\0\0", "\xff\xff\xff\xff\xff\xfc\xff\xff\xff\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = BDMV_FIRST + 8,
    .size_max = 64 << 20,
    .check = bdmv_check,
};
