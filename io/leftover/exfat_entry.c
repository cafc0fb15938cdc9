/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/exfat_entry.c - see exfat_entry.h. */
#include "io/leftover/exfat_entry.h"

#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "io/leftover/names.h"

enum {
    EXFAT_IN_USE = 0x80,
    EXFAT_FILE = 0x05, /* without the bit of use, as those below */
    EXFAT_STREAM = 0x40,
    EXFAT_NAME = 0x41,
    EXFAT_FOLDER = 0x10,
    EXFAT_POSSIBLE = 0x01, /* flag of a stream: clusters may be allocated */
    EXFAT_NO_CHAIN = 0x02,
    EXFAT_NAME_PART = 15, /* units of UTF-16 in an entry */
    EXFAT_FLAGS = 0x03,
};

static bool exfat_stream_form(const uint8_t *entry)
{
    return (entry[0] & ~EXFAT_IN_USE) == EXFAT_STREAM && (entry[1] & ~EXFAT_FLAGS) == 0 &&
           (entry[1] & EXFAT_POSSIBLE) != 0 && entry[2] == 0 && entry[3] != 0 &&
           bytes_u16le(entry + 6) == 0 && bytes_u32le(entry + 16) == 0 &&
           bytes_u32le(entry + 20) >= 2 && bytes_u64le(entry + 8) <= bytes_u64le(entry + 24) &&
           bytes_u64le(entry + 24) != 0;
}

bool exfat_entries_may(const uint8_t *sector)
{
    for (uint32_t at = 0; at < LIMIT_SECTOR; at += EXFAT_ENTRY_BYTES)
        if ((sector[at] & ~EXFAT_IN_USE) == EXFAT_STREAM && exfat_stream_form(sector + at))
            return true;
    return false;
}

static void exfat_stream(const uint8_t *entry, struct exfat_set *now)
{
    now->stream = true;
    now->chained = (entry[1] & EXFAT_NO_CHAIN) == 0;
    now->name_len = entry[3];
    now->valid = bytes_u64le(entry + 8);
    now->first = bytes_u32le(entry + 20);
    now->size = bytes_u64le(entry + 24);
}

bool exfat_entry_take(const uint8_t *entry, struct exfat_set *now, struct exfat_set *out)
{
    const uint8_t kind = entry == NULL ? 0 : entry[0] & (uint8_t)~EXFAT_IN_USE;
    const bool deleted = entry != NULL && (entry[0] & EXFAT_IN_USE) == 0;

    if (kind == EXFAT_NAME && now->stream && deleted == now->deleted &&
        now->unit_count < now->name_len) {
        for (uint32_t i = 0; i < EXFAT_NAME_PART && now->unit_count < now->name_len; i++)
            now->units[now->unit_count++] = bytes_u16le(entry + 2 + 2 * (size_t)i);
        return false;
    }
    const bool ended = now->stream;
    if (ended)
        *out = *now;
    if (kind == EXFAT_STREAM && exfat_stream_form(entry)) {
        if (ended || deleted != now->deleted) /* its first entry lies elsewhere */
            *now = (struct exfat_set){ .deleted = deleted, .modified = INT64_MIN };
        exfat_stream(entry, now);
        return ended;
    }
    *now = (struct exfat_set){ .deleted = deleted, .modified = INT64_MIN };
    if (kind == EXFAT_FILE) {
        now->folder = (bytes_u16le(entry + 4) & EXFAT_FOLDER) != 0;
        now->modified = names_dos_time(bytes_u16le(entry + 14), bytes_u16le(entry + 12));
    }
    return ended;
}
