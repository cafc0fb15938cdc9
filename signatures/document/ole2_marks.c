/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/ole2_marks.c - the sectors of a compound file that its header tells of.
 *
 *   header: the places of the allocation table, the first sectors of the directory and of the mini
 *   table
 *
 * A sector of the table says for each of 128 sectors which one follows, mostly the next one, and
 * marks its own sectors: no two files of different places have the same one where such a mark
 * stands. The directory begins with the root storage, whose stream the mini table has to cover.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/document/ole2.h"
#include "signatures/lib/marks.h"

enum {
    MARKS_ENTRIES = SIG_MARK / 4, /* of a sector of a table */
    MARKS_FATS = 109,             /* sectors of the table whose places the header has */
    MARKS_DIRECTORY = MARKS_FATS, /* numbers of the marks behind those */
    MARKS_MINI,
    MARKS_CHILD = 1 << 16, /* entries of a directory */
    MARKS_STEPS = 8,       /* entries of a table that lead to the next sector, at least; */
    MARKS_MINI_STEPS = 4   /* of the mini table */
};

static uint64_t marks_offset(uint32_t sector)
{
    return ((uint64_t)sector + 1) * SIG_MARK;
}

static uint32_t marks_fats(const uint8_t *head)
{
    const uint32_t count = bytes_u32le(head + 44);

    return count < MARKS_FATS ? count : MARKS_FATS;
}

uint32_t ole2_marks(const uint8_t *head, struct sig_mark *out)
{
    const uint32_t mini = bytes_u32le(head + 60);
    uint32_t count = 0;

    if (bytes_u16le(head + 30) != 9)
        return 0;
    for (uint32_t i = 0; i < marks_fats(head); i++)
        marks_add(out, &count, marks_offset(bytes_u32le(head + 76 + 4 * i)), i);
    marks_add(out, &count, marks_offset(bytes_u32le(head + 48)), MARKS_DIRECTORY);
    if (mini < OLE2_DIFAT && bytes_u32le(head + 64) > 0)
        marks_add(out, &count, marks_offset(mini), MARKS_MINI);
    return count;
}

/* What a sector of the table must say of this one; 0: anything that is no sector of the table. */
static uint32_t marks_listed(const uint8_t *head, uint32_t sector)
{
    for (uint32_t i = 0; i < marks_fats(head); i++)
        if (bytes_u32le(head + 76 + 4 * i) == sector)
            return OLE2_FAT;
    return 0;
}

static bool marks_is_fat(const uint8_t *head, uint32_t number, const uint8_t *sector)
{
    const uint32_t all = bytes_u32le(head + 44) * MARKS_ENTRIES, from = number * MARKS_ENTRIES;
    const uint32_t directory = bytes_u32le(head + 48);
    uint32_t steps = 0, before = OLE2_NONE;

    for (uint32_t i = 0; i < MARKS_ENTRIES; i++) {
        const uint32_t value = bytes_u32le(sector + 4 * i);

        if ((value < OLE2_DIFAT && (value >= all || value == from + i || value == before)) ||
            (value == OLE2_NONE && directory == from + i))
            return false;
        steps += value == from + i + 1;
        before = value;
    }
    /* Most of what is none has been left by now. */
    for (uint32_t i = 0; i < MARKS_ENTRIES; i++)
        if ((bytes_u32le(sector + 4 * i) == OLE2_FAT) != (marks_listed(head, from + i) == OLE2_FAT))
            return false;
    return steps >= MARKS_STEPS;
}

static bool marks_may_be_directory(const uint8_t *sector)
{
    return sector[66] == 5 && (sector[0] == 'R' || bytes_u32le(sector + 68) == OLE2_NONE);
}

/* The root storage has no siblings. Some writers give it no name, or one of their own. */
static bool marks_is_root(const uint8_t *sector)
{
    static const uint8_t root[] = "R\0o\0o\0t\0 \0E\0n\0t\0r\0y\0";

    return sector[66] == 5 &&
           (memcmp(sector, root, sizeof root) == 0 ||
            (bytes_u16le(sector + 64) <= 64 && bytes_u32le(sector + 68) == OLE2_NONE &&
             bytes_u32le(sector + 72) == OLE2_NONE && bytes_u32le(sector + 76) < MARKS_CHILD));
}

static bool marks_is_directory(const uint8_t *head, const uint8_t *sector)
{
    const uint32_t start = bytes_u32le(sector + 116), mini = bytes_u32le(sector + 120);
    const uint32_t all = bytes_u32le(head + 44) * MARKS_ENTRIES;
    const uint64_t room =
        (uint64_t)bytes_u32le(head + 64) * MARKS_ENTRIES * 64; /* bytes of the mini stream */

    return marks_is_root(sector) &&
           (mini == 0 || (start < all && mini <= room && (room - mini) / 64 < MARKS_ENTRIES));
}

static bool marks_is_mini(const uint8_t *head, const uint8_t *sector)
{
    const uint32_t sectors = bytes_u32le(head + 64);
    uint32_t steps = 0, before = OLE2_NONE;

    for (uint32_t i = 0; i < MARKS_ENTRIES; i++) {
        const uint32_t value = bytes_u32le(sector + 4 * i);

        if (value < OLE2_END && (value / MARKS_ENTRIES >= sectors || value == i || value == before))
            return false;
        steps += value == i + 1;
        before = value;
    }
    return steps >= MARKS_MINI_STEPS;
}

/* Whether the first entries of a sector may be those of a table, of entries below `all`. */
static bool marks_may_be_table(const uint8_t *sector, uint32_t none, uint32_t all)
{
    const uint32_t first = bytes_u32le(sector), second = bytes_u32le(sector + 4);

    return (first >= none || first < all) && (second >= none || (second < all && second != first));
}

bool ole2_may_be_mark(const uint8_t *head, const uint8_t *sector)
{
    const uint32_t mini = bytes_u32le(head + 64);

    return marks_may_be_directory(sector) ||
           marks_may_be_table(sector, OLE2_DIFAT, bytes_u32le(head + 44) * MARKS_ENTRIES) ||
           marks_may_be_table(sector, OLE2_END,
                              mini < UINT32_MAX / MARKS_ENTRIES ? mini * MARKS_ENTRIES
                                                                : UINT32_MAX);
}

bool ole2_is_mark(const uint8_t *head, const struct sig_mark *mark, const uint8_t *sector)
{
    if (mark->number == MARKS_DIRECTORY)
        return marks_is_directory(head, sector);
    if (mark->number == MARKS_MINI)
        return marks_is_mini(head, sector);
    return marks_is_fat(head, mark->number, sector);
}

/* The first sector of the table is the one that is filled first. */
bool ole2_is_vague(uint32_t number)
{
    return number != 0 && number != MARKS_DIRECTORY;
}
