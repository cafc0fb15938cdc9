/* SPDX-License-Identifier: Apache-2.0
 * signatures/font/eot.c - Embedded OpenType: a header with the font's names, and the font itself.
 *
 *   u32le file length | u32le font length | u32le version | u32le flags | 10 bytes PANOSE | charset
 * | italic | u32le weight | u16le type | "LP" | 24 bytes of ranges | u32le the font's
 * checkSumAdjustment | 16 zeros | 0 0 | names, each u16le length | UTF-16 | 0 0 | (2.1) u16le
 * length | root string | (2.2) more of that kind | font
 *
 * The names must lead exactly to where the two lengths say that the font begins. A font stored as
 * it is is read like one that stands alone; a compressed one can only be looked at.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/font/sfnt.h"
#include "signatures/lib/plausible.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    EOT_HEAD = 82, /* up to the length of the first name */
    EOT_NAMES = 4, /* family, style, version, full name */
    EOT_COMPRESSED = 1 << 2,
    EOT_ENCRYPTED = 1 << 28, /* every byte exclusive-or 0x50 */
    EOT_KEY = 0x50,
    EOT_FLAGS =
        0x1000003f | 1 << 6 | 1 << 7, /* those that have a meaning, and two that writers set */
    EOT_HEADERS_MAX = 1 << 20,
    EOT_VERSION_1 = 0x10000,
    EOT_VERSION_2_2 = 0x20002,
};

struct eot_state {
    struct sfnt_state font;
    struct plausible plausible;
};

/* Steps *at over a length and as many bytes, which stand before the object offset `to`. */
static enum step eot_string(struct sig_input *in, uint64_t *at, uint64_t to)
{
    const uint8_t *length = sig_bytes(in, *at, 2);

    if (length == NULL)
        return STEP_WAIT;
    *at += 2 + bytes_u16le(length);
    return *at <= to ? STEP_DONE : STEP_BAD;
}

/* The names and what follows them have to end at `font`. */
static enum step eot_names(struct sig_input *in, uint32_t version, uint64_t font)
{
    uint64_t at = EOT_HEAD;
    enum step step = STEP_DONE;

    for (int i = 0; step == STEP_DONE && i < EOT_NAMES; i++) {
        at += i > 0 ? 2 : 0; /* padding */
        step = eot_string(in, &at, font);
    }
    if (step == STEP_DONE && version != EOT_VERSION_1) {
        at += 2;
        step = eot_string(in, &at, font); /* root string */
    }
    if (step == STEP_DONE && version == EOT_VERSION_2_2) {
        at += 4 + 4 + 2; /* its checksum, a code page, padding */
        step = eot_string(in, &at, font);
        at += 4;
        if (step == STEP_DONE) {
            const uint8_t *length = sig_bytes(in, at, 4); /* of a font of end-user characters */

            if (length == NULL)
                return STEP_WAIT;
            at += 4 + (uint64_t)bytes_u32le(length);
        }
    }
    return step == STEP_DONE && at != font ? STEP_BAD : step;
}

static struct sig_result eot_font(struct sig_input *in, struct eot_state *state, uint64_t font,
                                  uint64_t size, uint32_t adjustment)
{
    const char *why = NULL;
    uint64_t end;
    const enum step step = sfnt_walk(in, &state->font, font, &end, &why);

    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, why);
    if (end > size || size - end > 3)
        return sig_breaks(in, "the end of the font differs from the end of the file");
    for (uint32_t i = 0; i < state->font.count; i++)
        if (state->font.tables[i].head) {
            const uint8_t *own = sig_bytes(in, font + state->font.tables[i].offset + 8, 4);

            if (own == NULL)
                return sig_short(in);
            if (bytes_u32be(own) != adjustment)
                return sig_breaks(in, "the font differs from the one in the header");
        }
    return sig_complete(in, size, "the checksum of every table is right");
}

static struct sig_result eot_check(struct sig_input *in, void *memory)
{
    struct eot_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, EOT_HEAD);

    if (head == NULL)
        return sig_short(in);
    const uint32_t size = bytes_u32le(head), font_size = bytes_u32le(head + 4),
                   version = bytes_u32le(head + 8);
    const uint32_t flags = bytes_u32le(head + 12), adjustment = bytes_u32le(head + 60);
    if ((version != EOT_VERSION_1 && version != 0x20001 && version != EOT_VERSION_2_2) ||
        (flags & ~(uint32_t)EOT_FLAGS) != 0)
        return sig_reject("invalid version or flags");
    if (head[27] > 1 || bytes_u32le(head + 28) > 1000)
        return sig_reject("invalid font style");
    if (font_size < 12 || size <= font_size + EOT_HEAD || size - font_size > EOT_HEADERS_MAX)
        return sig_reject("the lengths contradict each other");
    const uint64_t font = size - font_size;
    const enum step step = eot_names(in, version, font);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_reject("the names do not end where the font begins");
    sig_valid(in, font);
    if ((flags & (EOT_COMPRESSED | EOT_ENCRYPTED)) == 0)
        return eot_font(in, state, font, size, adjustment);
    const uint8_t key = flags & EOT_ENCRYPTED ? EOT_KEY : 0, *kind = sig_bytes(in, font, 4);
    if (kind == NULL)
        return sig_short(in);
    /* The compression has versions 1 to 3; fonts begin with 0, 'O' or 't'. */
    const uint8_t first = kind[0] ^ key;
    if (flags & EOT_COMPRESSED ? first < 1 || first > 3
                               : first != 0 && first != 'O' && first != 't')
        return sig_breaks(in, "invalid start of the font");
    const enum plausible_kind plausible =
        flags & EOT_COMPRESSED ? PLAUSIBLE_COMPRESSED : PLAUSIBLE_ANY;
    return plausible_believe(in, &state->plausible, plausible, font, size, size,
                             "the lengths of the header agree");
}

/* At 8, the version; at 34, the magic number; from 64 on, zeros. */
#define EOT_ANY_22 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define EOT_ANY_28 EOT_ANY_22 "\0\0\0\0\0\0"
#define EOT_ZERO_18 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define EOT_HEADER(version)                                                                        \
    {                                                                                              \
        .bytes = version EOT_ANY_22 "LP" EOT_ANY_28 EOT_ZERO_18,                                   \
        .mask = "\xff\xff\xff\xff" EOT_ANY_22 "\xff\xff" EOT_ANY_28                                \
                "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",        \
        .len = 74, .at = 8                                                                         \
    }

const struct sig sig_eot = {
    .name = "eot",
    .what = "Embedded OpenType font",
    .proves =
        "names lead to the font; its directory and the checksum of every table are right, or it "
        "looks compressed",
    .source = "W3C Submission, Embedded OpenType (EOT) File Format, 2008",
    .types = (const struct sig_type[]){ { "eot", "eot" }, { 0 } },
    .headers = { EOT_HEADER("\0\0\1\0"), EOT_HEADER("\1\0\2\0"), EOT_HEADER("\2\0\2\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = EOT_HEAD + 4,
    .size_max = UINT64_C(1) << 28,
    .state_size = sizeof(struct eot_state),
    .check = eot_check,
};
