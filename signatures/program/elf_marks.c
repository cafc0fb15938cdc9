/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/elf_marks.c - the sectors of an ELF file that its header tells of.
 *
 *   header: the place of the section headers, the first of which is empty; program headers: the
 *   places of the dynamic table and of the index of unwinding records, which begins with its
 *   version and three encodings (LSB Core, 10.6.2)
 *
 * Of program headers those count that lie in the first sector.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/marks.h"
#include "signatures/program/elf.h"

enum {
    MARKS_SECTIONS, /* numbers of the marks; the program headers come behind */
    MARKS_SEGMENTS,
    MARKS_DYNAMIC = 2,         /* types of segments */
    MARKS_UNWIND = 0x6474e550, /* GNU_EH_FRAME */
    MARKS_TAG_MAX = 40,        /* of a first entry of the dynamic table */
    MARKS_TYPE_MAX = 20,       /* of a first section */
    MARKS_NAME_MAX = 1 << 20,  /* bytes of the names of all sections */
    MARKS_DYNAMIC_LEN = 16,    /* bytes that are looked at; of the index: */
    MARKS_UNWIND_LEN = 4
};

/* Whether so many bytes from object offset at on lie in one sector, behind the first one. */
static bool marks_may(uint64_t at, uint32_t len)
{
    return at >= SIG_MARK && at % SIG_MARK + len <= SIG_MARK;
}

/* The place of a segment that is a mark; 0: it is none. */
static uint64_t marks_segment(const uint8_t *head, const struct elf_header *header, uint32_t number)
{
    const uint64_t entry = header->segments_at + (uint64_t)number * header->segment_size;

    if (entry + header->segment_size > SIG_MARK)
        return 0;
    const uint32_t type = elf_u32(header, head + entry);
    const uint64_t at = elf_word(header, head + entry + (header->wide ? 8 : 4));
    if (type == MARKS_DYNAMIC && marks_may(at, MARKS_DYNAMIC_LEN))
        return at;
    return type == MARKS_UNWIND && marks_may(at, MARKS_UNWIND_LEN) ? at : 0;
}

uint32_t elf_marks(const uint8_t *head, struct sig_mark *out)
{
    struct elf_header header;
    uint32_t count = 0;

    if (elf_header(head, &header) != NULL || header.segments_at > SIG_MARK)
        return 0;
    if (header.section_count > 1 && marks_may(header.sections_at, 2 * header.section_size))
        marks_add(out, &count, header.sections_at, MARKS_SECTIONS);
    for (uint32_t i = 0; i < header.segment_count; i++) {
        const uint64_t at = marks_segment(head, &header, i);

        if (at != 0)
            marks_add(out, &count, at, MARKS_SEGMENTS + i);
    }
    return count;
}

/* The empty section header, and a first one that names what lies before. */
static bool marks_is_sections(const struct elf_header *header, const uint8_t *p)
{
    static const uint8_t empty[64];
    const uint8_t *first = p + header->section_size;
    const uint32_t word = header->wide ? 8 : 4, type = elf_u32(header, first + 4);
    const uint64_t at = elf_word(header, first + 8 + 2 * (size_t)word);

    return memcmp(p, empty, header->section_size) == 0 && elf_u32(header, first) != 0 &&
           elf_u32(header, first) < MARKS_NAME_MAX && type != 0 &&
           (type < MARKS_TYPE_MAX || type >= 0x60000000) && at >= header->head_size &&
           at < header->sections_at;
}

bool elf_is_mark(const uint8_t *head, const struct sig_mark *mark, const uint8_t *sector)
{
    static const uint8_t unwind[MARKS_UNWIND_LEN] = { 1, 0x1b, 3, 0x3b };
    struct elf_header header;

    if (elf_header(head, &header) != NULL)
        return false;
    if (mark->number == MARKS_SECTIONS)
        return marks_is_sections(&header, sector + header.sections_at % SIG_MARK);
    const uint32_t number = mark->number - MARKS_SEGMENTS;
    const uint8_t *entry = head + header.segments_at + (size_t)number * header.segment_size;
    const uint8_t *p = sector + marks_segment(head, &header, number) % SIG_MARK;

    if (elf_u32(&header, entry) == MARKS_UNWIND)
        return memcmp(p, unwind, sizeof unwind) == 0;
    const uint64_t tag = elf_word(&header, p);
    return tag != 0 && tag <= MARKS_TAG_MAX &&
           elf_word(&header, p + (header.wide ? 8 : 4)) < UINT32_MAX;
}
