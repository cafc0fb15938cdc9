/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/fat_entry.h - entries of folders of FAT12, FAT16 and FAT32.
 *
 * Source: "FAT: General Overview of On-Disk Format", Microsoft, 1.03.
 */
#ifndef BURIN_IO_LEFTOVER_FAT_ENTRY_H
#define BURIN_IO_LEFTOVER_FAT_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FAT_ENTRY_BYTES = 32,
    FAT_NAME_UNITS = 260,                  /* of UTF-16, of a long name */
    FAT_NAME_MAX = FAT_NAME_UNITS * 3 + 1, /* bytes in UTF-8, with the NUL */
};

/* All entries of a sector of 512 bytes have the form of entries, and the first one is in use. */
bool fat_entries_may(const uint8_t *sector);

struct fat_entry {
    uint32_t first;   /* cluster */
    uint32_t size;    /* bytes */
    int64_t modified; /* the clock of the writer, taken for UTC; INT64_MIN: not known */
    bool deleted, folder;
    bool self; /* the entry "." of a folder, which lies at the begin of its first cluster */
};

/* A long name on its way: its parts lie before the entry, the last part first. Zeroed: none. */
struct fat_name {
    uint16_t units[FAT_NAME_UNITS];
    uint32_t parts; /* so far */
    uint8_t sum;    /* of the short name that they belong to */
    bool ended;     /* no part of a long name may follow: the entry it belongs to does */
};

/*
 * Reads an entry. True: it is of a file or a folder; out, and name [FAT_NAME_MAX], are filled.
 * False: it is a part of a long name, or none. so_far goes from one entry to the next.
 */
bool fat_entry_read(const uint8_t *entry, struct fat_name *so_far, struct fat_entry *out,
                    char *name);

#endif
