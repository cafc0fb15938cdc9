/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/fat_entry.c - see fat_entry.h. */
#include "io/leftover/fat_entry.h"

#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "io/leftover/names.h"

enum {
    FAT_READ_ONLY = 0x01,
    FAT_LABEL = 0x08,
    FAT_FOLDER = 0x10,
    FAT_LONG = 0x0f,
    FAT_ATTRIBUTES = 0x3f,
    FAT_DELETED = 0xe5,
    FAT_PART_UNITS = 13,   /* of UTF-16 in an entry of a long name */
    FAT_SHORT = 11,        /* bytes of a short name, */
    FAT_STEM = 8,          /* and of its part before the dot */
    FAT_LOWER_STEM = 0x08, /* Windows NT: the stem is in lower case */
    FAT_LOWER_TAIL = 0x10,
};

/* Bytes that a short name may have behind the first; those above 127 are of a code page. */
static bool fat_short_byte(uint8_t byte)
{
    return byte >= 0x20 && byte != 0x7f && (byte < 'a' || byte > 'z' || byte >= 0x80) &&
           memchr("\"*+,./:;<=>?[\\]|", byte, 16) == NULL;
}

static bool fat_dots(const uint8_t *entry)
{
    return entry[0] == '.' && (entry[1] == '.' || entry[1] == ' ') &&
           memcmp(entry + 2, "         ", 9) == 0;
}

static bool fat_time_valid(const uint8_t *entry)
{
    const uint32_t date = bytes_u16le(entry + 24), clock = bytes_u16le(entry + 22);
    const uint32_t month = date >> 5 & 15, day = date & 31;

    return date == 0 || (month >= 1 && month <= 12 && day >= 1 && (clock >> 11) < 24 &&
                         (clock >> 5 & 63) < 60 && (clock & 31) < 30);
}

/* The form of an entry that is in use, or was. */
static bool fat_entry_form(const uint8_t *entry)
{
    const uint8_t kind = entry[11];

    if (kind == FAT_LONG)
        return entry[12] == 0 && entry[26] == 0 && entry[27] == 0 &&
               (entry[0] == FAT_DELETED || ((entry[0] & 0x1f) >= 1 && (entry[0] & 0x1f) <= 20));
    if ((kind & ~FAT_ATTRIBUTES) != 0 || !fat_time_valid(entry))
        return false;
    if (fat_dots(entry))
        return (kind & FAT_FOLDER) != 0;
    if (entry[0] == ' ' ||
        (entry[0] != FAT_DELETED && entry[0] != 0x05 && !fat_short_byte(entry[0])))
        return false;
    for (uint32_t i = 1; i < FAT_SHORT; i++)
        if (!fat_short_byte(entry[i]))
            return false;
    return true;
}

bool fat_entries_may(const uint8_t *sector)
{
    if ((sector[11] & ~FAT_ATTRIBUTES) != 0 || sector[0] == 0)
        return false;
    for (uint32_t at = 0; at < LIMIT_SECTOR; at += FAT_ENTRY_BYTES) {
        if (sector[at] == 0)
            return true; /* the end of the folder: what lies behind is whatever was there */
        if (!fat_entry_form(sector + at))
            return false;
    }
    return true;
}

static void fat_name_part(struct fat_name *name, const uint8_t *entry)
{
    static const uint8_t places[FAT_PART_UNITS] = { 1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30 };
    uint16_t part[FAT_PART_UNITS];

    if (name->ended || (name->parts > 0 && name->sum != entry[13]))
        name->parts = 0;
    name->ended = false;
    name->sum = entry[13];
    if (name->parts == FAT_NAME_UNITS / FAT_PART_UNITS)
        name->parts = 0;
    for (uint32_t i = 0; i < FAT_PART_UNITS; i++)
        part[i] = bytes_u16le(entry + places[i]);
    /* A part that comes later stands before those that came. */
    memmove(name->units + FAT_PART_UNITS, name->units,
            (size_t)name->parts * FAT_PART_UNITS * sizeof *name->units);
    memcpy(name->units, part, sizeof part);
    name->parts++;
}

static uint8_t fat_short_sum(const uint8_t *entry)
{
    uint8_t sum = 0;

    for (uint32_t i = 0; i < FAT_SHORT; i++)
        sum = (uint8_t)((uint8_t)(sum << 7 | sum >> 1) + entry[i]);
    return sum;
}

/* Adds the bytes of a part of a short name without the spaces behind it; returns how many. */
static uint32_t fat_short_part(const uint8_t *bytes, uint32_t len, bool lower, uint16_t *units)
{
    while (len > 0 && bytes[len - 1] == ' ')
        len--;
    for (uint32_t i = 0; i < len; i++)
        /* Which code page wrote a byte above 127 is not known. */
        units[i] = bytes[i] >= 0x80                              ? 0xfffd
                   : lower && bytes[i] >= 'A' && bytes[i] <= 'Z' ? (uint16_t)(bytes[i] + 32)
                                                                 : bytes[i];
    return len;
}

static void fat_short_name(const uint8_t *entry, char *out)
{
    uint16_t units[FAT_SHORT + 1];
    uint32_t count = fat_short_part(entry, FAT_STEM, (entry[12] & FAT_LOWER_STEM) != 0, units);

    if (entry[0] == FAT_DELETED && count > 0)
        units[0] = '_'; /* what it was is gone */
    units[count] = '.';
    const uint32_t tail = fat_short_part(entry + FAT_STEM, FAT_SHORT - FAT_STEM,
                                         (entry[12] & FAT_LOWER_TAIL) != 0, units + count + 1);
    count += tail > 0 ? 1 + tail : 0;
    names_utf8(units, count, out);
}

bool fat_entry_read(const uint8_t *entry, struct fat_name *so_far, struct fat_entry *out,
                    char *name)
{
    if (entry[0] == 0 || !fat_entry_form(entry)) {
        so_far->parts = 0;
        return false;
    }
    if (entry[11] == FAT_LONG) {
        fat_name_part(so_far, entry);
        return false;
    }
    *out = (struct fat_entry){
        .first = (uint32_t)bytes_u16le(entry + 20) << 16 | bytes_u16le(entry + 26),
        .size = bytes_u32le(entry + 28),
        .modified = names_dos_time(bytes_u16le(entry + 24), bytes_u16le(entry + 22)),
        .deleted = entry[0] == FAT_DELETED,
        .folder = (entry[11] & FAT_FOLDER) != 0,
        .self = fat_dots(entry) && entry[1] == ' '
    };
    /* The first byte of a deleted entry's short name is gone, and so the sum cannot be checked. */
    if (so_far->parts > 0 && (out->deleted || so_far->sum == fat_short_sum(entry)))
        names_utf8(so_far->units, so_far->parts * FAT_PART_UNITS, name);
    else
        fat_short_name(entry, name);
    so_far->parts = 0;
    return (entry[11] & FAT_LABEL) == 0;
}
