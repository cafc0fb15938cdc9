/* SPDX-License-Identifier: Apache-2.0
 * signatures/font/psf.c - PSF: fonts of the Linux console.
 *
 *   1: 36 04 | mode: 1, 512 letters, else 256; 2 and 4, a table follows | bytes of a letter |
 * letters | for each letter u16le, up to ffff 2: 72 b5 4a 86 | u32le 0 | u32le bytes of the head |
 * flags: 1, a table follows | letters | bytes of a letter | height, width | letters | for each
 * letter UTF-8 and fe, up to ff
 *
 * Version 1 without a table has two bytes of magic alone: it is not looked for.
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    PSF_HEAD_1 = 4,
    PSF_HEAD_2 = 32,
    PSF_WIDE = 1,        /* mode of version 1: 512 letters */
    PSF_TABLE = 6,       /* mode of version 1: a table follows */
    PSF_UNITS_MAX = 512, /* in the table, of a letter */
    PSF_LETTERS_MAX = 1 << 16,
    PSF_SIDE_MAX = 512,
};

struct psf_state {
    uint64_t at;      /* the next unit of the table; 0: not begun */
    uint32_t letters; /* whose tables have ended */
    uint32_t units;   /* of this letter */
};

/* Walks the table of all letters, which ends the file. */
static struct sig_result psf_table(struct sig_input *in, struct psf_state *state, uint32_t letters,
                                   uint32_t width)
{
    while (state->letters < letters) {
        const uint8_t *p = sig_bytes(in, state->at, width);

        if (p == NULL)
            return sig_short(in);
        const uint32_t unit = width == 1 ? *p : bytes_u16le(p);
        const bool end = unit == (width == 1 ? UINT8_MAX : UINT16_MAX);
        state->units = end ? 0 : state->units + 1;
        if (state->units > PSF_UNITS_MAX || (width == 1 && unit < ' '))
            return sig_reject("the table of letters is wrong");
        state->letters += end;
        state->at += width;
        /* Random bytes may be the ends of some letters. */
        if (state->letters == letters / 2)
            sig_valid(in, state->at);
    }
    return sig_complete(in, state->at, "the table has every letter");
}

static struct sig_result psf_check(struct sig_input *in, void *memory)
{
    struct psf_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, PSF_HEAD_1);

    if (p == NULL)
        return sig_short(in);
    const uint32_t letters = (p[2] & PSF_WIDE) != 0 ? 512 : 256;
    if (p[3] == 0 || (p[2] & PSF_TABLE) == 0)
        return sig_reject("there is no table of letters");
    if (state->at == 0)
        state->at = PSF_HEAD_1 + letters * p[3];
    return psf_table(in, state, letters, 2);
}

static struct sig_result psf_2_check(struct sig_input *in, void *memory)
{
    struct psf_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, PSF_HEAD_2);

    if (p == NULL)
        return sig_short(in);
    const uint32_t head = bytes_u32le(p + 8), letters = bytes_u32le(p + 16),
                   bytes = bytes_u32le(p + 20), height = bytes_u32le(p + 24),
                   width = bytes_u32le(p + 28);
    const bool table = bytes_u32le(p + 12) == 1;
    if (head < PSF_HEAD_2 || head > 512 || bytes_u32le(p + 12) > 1 || letters == 0 ||
        letters > PSF_LETTERS_MAX || height == 0 || height > PSF_SIDE_MAX || width == 0 ||
        width > PSF_SIDE_MAX || bytes != height * ((width + 7) / 8))
        return sig_reject("height and width do not agree with the bytes of a letter");
    sig_valid(in, PSF_HEAD_2);
    if (!table)
        return sig_believe(in, head + (uint64_t)letters * bytes,
                           "as many letters as the head says");
    if (state->at == 0)
        state->at = head + (uint64_t)letters * bytes;
    return psf_table(in, state, letters, 1);
}

const struct sig sig_psf = {
    .name = "psf",
    .what = "font of the Linux console, version 1 with its table",
    .proves = "the table has every letter; the letters are not looked at",
    .source = "A. Brouwer, Linux console fonts: PSF1 (kbd, psf.h)",
    .types = (const struct sig_type[]){ { "psf", "psf" }, { 0 } },
    .headers = { SIG_MASKED("\x36\4\2\0", "\xff\xff\xfa\xc0"),
                 SIG_MASKED("\x36\4\4\0", "\xff\xff\xfc\xc0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = PSF_HEAD_1 + 256 * 3,
    .size_max = 1 << 20,
    .state_size = sizeof(struct psf_state),
    .check = psf_check,
};

const struct sig sig_psf_2 = {
    .name = "psf2",
    .what = "font of the Linux console, version 2",
    .proves = "height and width agree with the bytes of a letter; the table has every letter",
    .source = "A. Brouwer, Linux console fonts: PSF2 (kbd, psf.h)",
    .types = (const struct sig_type[]){ { "psf2", "psfu" }, { 0 } },
    .headers = { SIG_PATTERN("\x72\xb5\x4a\x86\0\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = PSF_HEAD_2 + 1,
    .size_max = 1 << 26,
    .state_size = sizeof(struct psf_state),
    .check = psf_2_check,
};
