/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/ico.c - Windows icons and cursors.
 *
 *   u16 0 | u16 1 (cursor: 2) | u16 count | entries: width, height, colours, 0, u16 planes, bits
 * (cursor: hot spot), u32 size, place pictures: a whole PNG file, or a DIB header of twice the
 * height, colours, pixels, mask
 *
 * Numbers are little-endian. Zeros and ones make a weak header: entries must be credible, pictures
 * fill the file without gaps, and each is a PNG whose chunks are right, or a DIB that agrees with
 * its entry.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/plausible.h"
#include "signatures/lib/step.h"
#include "signatures/picture/picture_facts.h"
#include "signatures/picture/png_walk.h"
#include "signatures/sig.h"

enum {
    ICO_HEADER = 6,
    ICO_ENTRY = 16,
    ICO_COUNT_MAX = 100, /* real ones have up to some thirty */
    ICO_GAP = 16,        /* bytes between two pictures */
    ICO_DIB = 40,
    ICO_DIB_MAX = 124,
    ICO_SLACK = 64, /* bytes behind the mask */
    ICO_PROFILE_MAX =
        64 << 10, /* where the header is a long one: a colour profile may stand there */
    ICO_PNG_HEAD = 33,
    ICO_SIDE_MAX = 1024,
    ICO_WRONG_SHARE = 8, /* one pixel of so many may be hidden by the mask and not by alpha, or the
                            other way round */
    ICO_PICTURE_MAX = 16 << 20,
};

struct ico_picture {
    uint32_t width, height; /* as the entry has it; 0: 256 or more */
    uint64_t at, end;
};

struct ico_state {
    uint32_t picture;
    bool png; /* some picture is one */
    struct png_walk walk;
    struct plausible plausible;
};

/* All entries, by place. NULL: right. */
static const char *ico_entries(const uint8_t *bytes, uint32_t count, struct ico_picture *pictures)
{
    uint64_t end = ICO_HEADER + (uint64_t)count * ICO_ENTRY;

    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *entry = bytes + (size_t)ICO_ENTRY * i;
        const uint32_t size = bytes_u32le(entry + 8);
        const struct ico_picture picture = { .width = entry[0],
                                             .height = entry[1],
                                             .at = bytes_u32le(entry + 12),
                                             .end = bytes_u32le(entry + 12) + (uint64_t)size };
        uint32_t k = i;

        if (size < ICO_DIB || size > ICO_PICTURE_MAX || (entry[3] != 0 && entry[3] != 0xff))
            return "invalid entry";
        for (; k > 0 && pictures[k - 1].at > picture.at; k--)
            pictures[k] = pictures[k - 1];
        pictures[k] = picture;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (pictures[i].at < end || pictures[i].at - end > ICO_GAP)
            return "the pictures do not follow one another";
        end = pictures[i].end;
    }
    return NULL;
}

static bool ico_side_ok(uint32_t entry, uint32_t real)
{
    return real >= 1 && real <= ICO_SIDE_MAX &&
           (entry == (real & 0xff) || (entry == 0 && real >= 256));
}

static enum step ico_png(struct sig_input *in, struct ico_state *state,
                         const struct ico_picture *picture)
{
    const uint8_t *head = sig_bytes(in, picture->at, ICO_PNG_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    if (!ico_side_ok(picture->width, bytes_u32be(head + 16)) ||
        !ico_side_ok(picture->height, bytes_u32be(head + 20)))
        return STEP_BAD;
    switch (png_walk_file(in, &state->walk, picture->at, picture->end, ICO_GAP)) {
    case STEP_DONE:
        return STEP_DONE;
    case STEP_WAIT:
        return STEP_WAIT;
    default:
        return STEP_BAD;
    }
}

/* Pixels with alpha: where the mask hides any pixels, those are the ones that alpha hides. */
static enum step ico_mask(struct sig_input *in, uint64_t pixels, uint64_t mask, uint32_t width,
                          uint32_t height)
{
    const uint32_t row = (width + 31) / 32 * 4, count = width * height;
    uint32_t hidden = 0, wrong = 0;

    if (sig_bytes(in, mask + (uint64_t)row * height - 1, 1) == NULL) /* wait once */
        return STEP_WAIT;
    for (uint32_t y = 0; y < height; y++) {
        uint8_t bits[ICO_SIDE_MAX / 8];
        const uint8_t *bytes = sig_bytes(in, mask + (uint64_t)row * y, row);

        if (bytes == NULL)
            return STEP_WAIT;
        memcpy(bits, bytes, row);
        bytes = sig_bytes(in, pixels + (uint64_t)4 * width * y, 4 * width);
        if (bytes == NULL)
            return STEP_WAIT;
        for (uint32_t x = 0; x < width; x++) {
            const bool hide = (bits[x / 8] >> (7 - x % 8) & 1) != 0;
            const uint8_t alpha = bytes[4 * x + 3];

            hidden += hide;
            wrong += hide ? alpha == 255 : alpha == 0;
        }
    }
    return hidden == 0 || hidden == count || wrong <= count / ICO_WRONG_SHARE ? STEP_DONE
                                                                              : STEP_BAD;
}

static enum step ico_dib(struct sig_input *in, struct ico_state *state,
                         const struct ico_picture *picture, const uint8_t *head)
{
    const uint32_t size = bytes_u32le(head), width = bytes_u32le(head + 4),
                   twice = bytes_u32le(head + 8);
    const uint32_t planes = bytes_u16le(head + 12), bits = bytes_u16le(head + 14),
                   compression = bytes_u32le(head + 16);
    const uint32_t used = bytes_u32le(head + 32);

    if ((size != ICO_DIB && size != ICO_DIB_MAX && size != 108) || planes > 1 || twice % 2 != 0 ||
        !ico_side_ok(picture->width, width) || !ico_side_ok(picture->height, twice / 2) ||
        (bits != 1 && bits != 4 && bits != 8 && bits != 16 && bits != 24 && bits != 32) ||
        (compression != 0 && compression != 3) || used > 256)
        return STEP_BAD;
    const uint64_t height = twice / 2;
    const uint64_t colours = bits > 8 ? 0 : used == 0 ? UINT64_C(1) << bits : used;
    const uint64_t pixels = picture->at + size + 4 * colours;
    const uint64_t pixels_end = pixels + ((uint64_t)width * bits + 31) / 32 * 4 * height;
    const uint64_t mask = /* some pad its rows to more than they should */
        (width + 31) / 32 * 4 * height;
    const uint64_t more = size == ICO_DIB ? ICO_SLACK : ICO_PROFILE_MAX;
    if (picture->end < pixels_end || (bits < 32 && picture->end < pixels_end + mask) ||
        picture->end > pixels_end + 2 * mask + more)
        return STEP_BAD;
    switch (plausible_check(in, &state->plausible,
                            bits >= 24 ? PLAUSIBLE_PIXELS : PLAUSIBLE_SAMPLES_8,
                            bits >= 24 ? bits / 8 : 1, pixels, pixels_end)) {
    case STEP_DONE:
        return bits == 32 && picture->end >= pixels_end + mask
                   ? ico_mask(in, pixels, pixels_end, width, (uint32_t)height)
                   : STEP_DONE;
    case STEP_WAIT:
        return STEP_WAIT;
    default:
        return STEP_BAD;
    }
}

static enum step ico_picture(struct sig_input *in, struct ico_state *state,
                             const struct ico_picture *picture)
{
    uint8_t head[ICO_DIB];
    const uint8_t *bytes = sig_bytes(in, picture->at, ICO_DIB);

    if (bytes == NULL)
        return STEP_WAIT;
    memcpy(head, bytes, sizeof head);
    if (head[0] != 0x89)
        return ico_dib(in, state, picture, head);
    state->png = true;
    return ico_png(in, state, picture);
}

static struct sig_result ico_check(struct sig_input *in, void *memory)
{
    struct ico_state *state = memory;
    struct ico_picture pictures[ICO_COUNT_MAX];
    const uint8_t *head = sig_bytes(in, 0, ICO_HEADER);

    if (head == NULL)
        return sig_short(in);
    const bool cursor = head[2] == 2;
    const uint32_t count = bytes_u16le(head + 4);
    if (count == 0 || count > ICO_COUNT_MAX)
        return sig_reject("the number of pictures is out of range");
    head = sig_bytes(in, ICO_HEADER, count * ICO_ENTRY);
    if (head == NULL)
        return sig_short(in);
    const char *why = ico_entries(head, count, pictures);
    if (why != NULL)
        return sig_reject(why);
    in->type = &in->sig->types[cursor ? 1 : 0];
    for (; state->picture < count; state->picture++) {
        const enum step step = ico_picture(in, state, &pictures[state->picture]);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "a picture contradicts its entry");
        sig_valid(in, pictures[state->picture].end);
        state->walk = (struct png_walk){ 0 };
        state->plausible = (struct plausible){ 0 };
    }
    if (state->png)
        return sig_complete(in, pictures[count - 1].end, "every picture agrees with its entry");
    return sig_believe(in, pictures[count - 1].end, "every picture has the length in its entry");
}

const struct sig sig_ico = {
    .name = "ico",
    .what = "Windows icon or cursor",
    .proves = "pictures follow one another, each as its entry says: PNG with its CRCs, or pixels "
              "and mask",
    .source = "Microsoft, Icons (J. Hornick, 1995); Windows Vista icons (PNG)",
    .types = (const struct sig_type[]){ { "ico", "ico" }, { "cur", "cur" }, { 0 } },
    .headers = { { .bytes = "\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
                   .mask = "\xff\xff\xff\xff\x80\xff\0\0\0\0\xfe\xff\xc0\xff\0\0\0\xff\0\0\xff\xff",
                   .len = 22 },
                 { .bytes = "\0\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
                   .mask = "\xff\xff\xff\xff\x80\xff\0\0\0\0\0\xff\0\xff\0\0\0\xff\0\0\xff\xff",
                   .len = 22 } },
    .flags = SIG_CONTAINER | SIG_SECTOR_ALIGNED,
    .size_min = ICO_HEADER + ICO_ENTRY + ICO_DIB + 8,
    .size_max = 64 << 20,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct ico_state),
    .check = ico_check,
    .facts = ico_facts,
};
