/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/jpeg_more.c - the further pictures of a multi-picture file; CIPA DC-007.
 *
 * An APP2 segment of the first picture ("MPF", then a TIFF header and a directory) lists previews,
 * other views, gain maps: size and place, counted from that TIFF header. They stand behind the
 * first picture's EOI and belong to the file as long as each is a whole JPEG where the list says.
 *
 * Cameras of Minolta and Olympus put a preview there and say so in the Exif segment's maker note,
 * in two entries that follow each other: place, counted from the Exif's TIFF header, and size.
 * Minolta's overwrite the preview's first byte.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/two_bytes.h"
#include "signatures/picture/jpeg.h"

enum {
    JPEG_MORE_HEAD = 4, /* "MPF" and a NUL */
    JPEG_MORE_TAG = 0xb002,
    JPEG_MORE_ENTRY = 16,
    JPEG_MORE_EXIF = 6,       /* "Exif" and two NULs */
    JPEG_MORE_PREVIEW = 24,   /* bytes of the two entries */
    JPEG_MORE_GAP = 64 << 10, /* bytes between two pictures: some cameras begin them on a block */
};

static uint32_t jpeg_more_number(const uint8_t *p, bool big, uint32_t width)
{
    if (width == 2)
        return big ? bytes_u16be(p) : bytes_u16le(p);
    return big ? bytes_u32be(p) : bytes_u32le(p);
}

/* Takes one entry of the list; they must come in the order of their places. */
static void jpeg_more_take(struct jpeg_more *more, uint64_t at, uint32_t size)
{
    if (more->count == JPEG_MORE_MAX || (more->count > 0 && at < more->end[more->count - 1]))
        return;
    more->at[more->count] = at;
    more->end[more->count++] = at + size;
}

void jpeg_more_list(struct jpeg_more *more, const uint8_t *body, uint32_t len, uint64_t base)
{
    if (len < JPEG_MORE_HEAD + 10 || memcmp(body, "MPF", JPEG_MORE_HEAD) != 0)
        return;
    const uint8_t *tiff = body + JPEG_MORE_HEAD;
    const uint32_t room = len - JPEG_MORE_HEAD;
    const bool big = tiff[0] == 'M';
    const uint32_t directory = jpeg_more_number(tiff + 4, big, 4);

    if (directory > room - 2)
        return;
    const uint32_t count = jpeg_more_number(tiff + directory, big, 2);
    for (uint32_t i = 0; i < count && directory + 2 + 12 * (i + 1) <= room; i++) {
        const uint8_t *entry = tiff + directory + 2 + (size_t)12 * i;
        const uint32_t size = jpeg_more_number(entry + 4, big, 4),
                       list = jpeg_more_number(entry + 8, big, 4);

        if (jpeg_more_number(entry, big, 2) != JPEG_MORE_TAG || list > room || size > room - list)
            continue;
        for (uint32_t k = 0; k + JPEG_MORE_ENTRY <= size; k += JPEG_MORE_ENTRY) {
            const uint32_t place = jpeg_more_number(tiff + list + k + 8, big, 4);

            if (place != 0) /* 0: the first picture */
                jpeg_more_take(more, base + JPEG_MORE_HEAD + place,
                               jpeg_more_number(tiff + list + k + 4, big, 4));
        }
        return;
    }
}

/* The first place in [at, end) where an entry begins that may give a preview's place; NULL: there
 * is none. In both orders 0x88 and a zero stand in it. */
static const uint8_t *jpeg_more_entry(const uint8_t *at, const uint8_t *end, bool big)
{
    const uint8_t *entry = (const uint8_t *)(big ? "\0\x88\0\4\0\0\0\1" : "\x88\0\4\0\1\0\0\0");
    const uint32_t into = big;

    for (; (at = two_bytes_find(at + into, end + into, 0x88, 0, 0)) != NULL; at = at - into + 1)
        if (memcmp(at - into, entry, 8) == 0)
            return at - into;
    return NULL;
}

void jpeg_more_preview(struct jpeg_more *more, const uint8_t *body, uint32_t len, uint64_t base)
{
    if (len < JPEG_MORE_EXIF + JPEG_MORE_PREVIEW || memcmp(body, "Exif\0", JPEG_MORE_EXIF) != 0)
        return;
    const bool is_big = body[JPEG_MORE_EXIF] == 'M';
    const uint8_t *at = body + JPEG_MORE_EXIF, *end = body + len - JPEG_MORE_PREVIEW + 1;

    for (; (at = jpeg_more_entry(at, end, is_big)) != NULL; at++) {
        const uint32_t place = jpeg_more_number(at + 8, is_big, 4),
                       size = jpeg_more_number(at + 20, is_big, 4);
        uint8_t second[8];

        memcpy(second, at, sizeof second);
        second[is_big ? 1 : 0]++; /* 0x88 is the place, 0x89 the size */
        if (memcmp(at + 12, second, sizeof second) == 0 && place > len && size > 4) {
            jpeg_more_take(more, base + JPEG_MORE_EXIF + place, size);
            more->first_byte_lost = true;
            return;
        }
    }
}

enum step jpeg_more_next(struct sig_input *in, struct jpeg_more *more, uint64_t end, uint64_t *at)
{
    if (more->next > 0 && more->end[more->next - 1] >= end &&
        more->end[more->next - 1] - end <= JPEG_MORE_GAP) {
        sig_open_field(in, end, more->end[more->next - 1]);
        end = more->end[more->next - 1];
    }
    more->whole = end;
    if (more->next == more->count || more->at[more->next] < end ||
        more->at[more->next] - end > JPEG_MORE_GAP)
        return STEP_BAD;
    const uint8_t *soi = sig_bytes(in, more->at[more->next], 3);
    if (soi == NULL)
        return STEP_WAIT;
    if ((soi[0] != 0xff && !more->first_byte_lost) || soi[1] != JPEG_SOI || soi[2] != 0xff)
        return STEP_BAD;
    *at = more->at[more->next++];
    sig_open_field(in, end, *at);
    return STEP_DONE;
}
