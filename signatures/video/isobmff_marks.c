/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/isobmff_marks.c - where in a film that is in pieces its tables lie.
 *
 * Boxes say how long they are, the one of the media data, too: behind it stands the one that has
 * the tables (moov), with its header (mvhd) first. ISO/IEC 14496-12, 4.2 and 8.2.
 */
#include "base/bytes.h"
#include "signatures/lib/marks.h"
#include "signatures/video/isobmff.h"

enum {
    MARKS_BOX = 8,       /* bytes of a box's head, */
    MARKS_WIDE = 16,     /* and of a long one's */
    MARKS_BOXES = 8,     /* before the media data */
    MARKS_MVHD = 128,    /* bytes of mvhd, fewer than */
    MARKS_MOOV = 1 << 28 /* and of moov */
};

/* The object offset behind the media data; 0: the head does not tell. */
static uint64_t marks_moov(const uint8_t *head)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < MARKS_BOXES && at + MARKS_WIDE <= SIG_MARK; i++) {
        const uint32_t type = bytes_u32be(head + at + 4), size = bytes_u32be(head + at);
        const uint64_t len = size == 1 ? bytes_u64be(head + at + MARKS_BOX) : size;

        if (type == ISOBMFF_4CC('m', 'd', 'a', 't'))
            return len >= MARKS_BOX && len < UINT64_MAX - at ? at + len : 0;
        if (len < MARKS_BOX || len > SIG_MARK || !isobmff_is_name(type))
            return 0;
        at += (uint32_t)len;
    }
    return 0;
}

/* Heads of boxes that lie in one sector tell the mark: that of moov, or of mvhd behind it. */
static uint64_t marks_head(uint64_t moov)
{
    return moov % SIG_MARK <= SIG_MARK - MARKS_BOX ? moov : moov + MARKS_BOX;
}

uint32_t isobmff_marks(const uint8_t *head, struct sig_mark *out)
{
    const uint64_t moov = marks_moov(head);
    uint32_t count = 0;

    if (moov >= SIG_MARK)
        marks_add(out, &count, marks_head(moov), 0);
    return count;
}

bool isobmff_is_mark(const uint8_t *head, const struct sig_mark *mark, const uint8_t *sector)
{
    const uint64_t moov = marks_moov(head), at = marks_head(moov);
    const uint8_t *box = sector + at % SIG_MARK;
    const uint32_t len = bytes_u32be(box), type = bytes_u32be(box + 4);

    (void)mark;
    if (at == moov)
        return type == ISOBMFF_4CC('m', 'o', 'o', 'v') && len < MARKS_MOOV;
    return type == ISOBMFF_4CC('m', 'v', 'h', 'd') && len < MARKS_MVHD;
}
