/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/exfat_entry.h - entry sets of folders of exFAT.
 *
 * Source: "exFAT file system specification", Microsoft, sections 6 and 7.
 */
#ifndef BURIN_IO_LEFTOVER_EXFAT_ENTRY_H
#define BURIN_IO_LEFTOVER_EXFAT_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    EXFAT_ENTRY_BYTES = 32,
    EXFAT_NAME_UNITS = 255,
    EXFAT_NAME_MAX = EXFAT_NAME_UNITS * 3 + 1, /* bytes in UTF-8, with the NUL */
};

/* A sector of 512 bytes has a stream extension among entries of a folder. */
bool exfat_entries_may(const uint8_t *sector);

struct exfat_set {
    uint32_t first;       /* cluster */
    uint64_t size, valid; /* bytes of the file, and bytes of it that were written */
    int64_t modified;     /* the clock of the writer, taken for UTC; INT64_MIN: not known */
    bool deleted, folder;
    bool chained; /* the table has a chain; else the clusters follow each other */
    uint16_t units[EXFAT_NAME_UNITS];
    uint32_t unit_count; /* so far */
    uint32_t name_len;   /* units that the name has */
    bool stream;         /* the stream extension has come: there is a file */
};

/*
 * Takes the next entry. True: the set before it has ended and is in out; it has a file where
 * out->stream is true. A set in which nothing ends is at its end with any other entry, or with an
 * `entry` of NULL. now goes from one entry to the next; zeroed: none.
 */
bool exfat_entry_take(const uint8_t *entry, struct exfat_set *now, struct exfat_set *out);

#endif
