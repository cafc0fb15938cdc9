/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/mft_record.c - see mft_record.h. */
#include "io/leftover/mft_record.h"

#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "io/leftover/names.h"

enum {
    RECORD_HEAD = 48,
    RECORD_IN_USE = 1,
    RECORD_FOLDER = 2,
    INDEX_HEAD = 24,         /* bytes of a block of an index before what it says of its entries, */
    INDEX_ENTRIES_HEAD = 16, /* and of that */
    ATTRIBUTE_HEAD = 24,     /* bytes of a resident one before its value, without a name */
    ATTRIBUTE_NONRESIDENT_HEAD = 64,
    ATTRIBUTE_STANDARD = 0x10,
    ATTRIBUTE_NAME = 0x30,
    ATTRIBUTE_DATA = 0x80,
    ATTRIBUTE_PACKED = 0xc0ff, /* flags: compressed, encrypted, sparse */
    NAME_HEAD = 66,            /* bytes of a $FILE_NAME before the name */
    NAME_DOS = 2,              /* a short name, beside a long one */
};

#define ATTRIBUTE_END UINT32_C(0xffffffff)
#define RECORD_NUMBER_MASK ((UINT64_C(1) << 48) - 1)
#define RECORD_CLUSTER_MAX (INT64_C(1) << 52)
/* From 1601 to 1970, in units of 100 nanoseconds. */
#define RECORD_EPOCH UINT64_C(116444736000000000)

/* Whether all sectors end in the number that says that they were written together. */
static bool record_is_whole(const uint8_t *bytes, uint32_t len)
{
    const uint32_t at = bytes_u16le(bytes + 4), count = bytes_u16le(bytes + 6);

    if (count != len / LIMIT_SECTOR + 1 || at < 40 || at % 2 != 0 ||
        at + 2 * count > LIMIT_SECTOR - 2)
        return false;
    for (uint32_t i = 1; i < count; i++)
        if (memcmp(bytes + (size_t)LIMIT_SECTOR * i - 2, bytes + at, 2) != 0)
            return false;
    return true;
}

/* Puts the ends of the sectors back. */
static bool record_fix(uint8_t *bytes, uint32_t len)
{
    const uint32_t at = bytes_u16le(bytes + 4);

    if (!record_is_whole(bytes, len))
        return false;
    for (uint32_t i = 1; i <= len / LIMIT_SECTOR; i++)
        memcpy(bytes + (size_t)LIMIT_SECTOR * i - 2, bytes + at + 2 * (size_t)i, 2);
    return true;
}

/* The value of a resident attribute; NULL: it has fewer bytes. */
static const uint8_t *record_value(const uint8_t *attribute, uint32_t len, uint32_t want,
                                   uint32_t *have)
{
    if (len < ATTRIBUTE_HEAD || attribute[8] != 0)
        return NULL;
    const uint32_t at = bytes_u16le(attribute + 20);
    *have = bytes_u32le(attribute + 16);
    return at <= len && *have <= len - at && *have >= want ? attribute + at : NULL;
}

static void record_name(struct mft_record *record, const uint8_t *attribute, uint32_t len)
{
    uint32_t have = 0;
    const uint8_t *value = record_value(attribute, len, NAME_HEAD, &have);
    uint16_t units[255];

    if (value == NULL || (value[65] == NAME_DOS && record->name[0] != '\0'))
        return;
    const uint32_t count = value[64];
    if (have - NAME_HEAD < 2 * count)
        return;
    for (uint32_t i = 0; i < count; i++)
        units[i] = bytes_u16le(value + NAME_HEAD + 2 * (size_t)i);
    names_utf8(units, count, record->name);
}

static void record_times(struct mft_record *record, const uint8_t *attribute, uint32_t len)
{
    uint32_t have = 0;
    const uint8_t *value = record_value(attribute, len, 16, &have);
    const uint64_t stamp = value != NULL ? bytes_u64le(value + 8) : 0;

    if (stamp >= RECORD_EPOCH)
        record->modified = (int64_t)((stamp - RECORD_EPOCH) / 10000000);
}

static void record_data(struct mft_record *record, const uint8_t *attribute, uint32_t len)
{
    if (attribute[9] != 0 || len < ATTRIBUTE_NONRESIDENT_HEAD || attribute[8] != 1 ||
        (bytes_u16le(attribute + 12) & ATTRIBUTE_PACKED) != 0)
        return;
    const uint64_t vcn = bytes_u64le(attribute + 16), last = bytes_u64le(attribute + 24);
    const uint32_t at = bytes_u16le(attribute + 32);

    if (at < ATTRIBUTE_NONRESIDENT_HEAD || at >= len || last < vcn ||
        last >= (uint64_t)RECORD_CLUSTER_MAX)
        return;
    if (vcn == 0) {
        record->allocated = bytes_u64le(attribute + 40);
        record->size = bytes_u64le(attribute + 48);
        if (record->size == 0 || record->size > record->allocated ||
            bytes_u64le(attribute + 56) < record->size)
            return;
    }
    record->has_data = true;
    record->vcn = vcn;
    record->next_vcn = last + 1;
    record->runs = attribute + at;
    record->runs_len = len - at;
}

static void record_attributes(struct mft_record *record, const uint8_t *bytes, uint32_t used)
{
    uint32_t at = bytes_u16le(bytes + 20), streams = 0;

    while (at % 8 == 0 && at >= 40 && used - at >= ATTRIBUTE_HEAD) {
        const uint8_t *attribute = bytes + at;
        const uint32_t kind = bytes_u32le(attribute), len = bytes_u32le(attribute + 4);

        if (kind == ATTRIBUTE_END || len < ATTRIBUTE_HEAD || len > used - at)
            break;
        if (kind == ATTRIBUTE_STANDARD)
            record_times(record, attribute, len);
        if (kind == ATTRIBUTE_NAME)
            record_name(record, attribute, len);
        if (kind == ATTRIBUTE_DATA && attribute[9] == 0 && streams++ == 0)
            record_data(record, attribute, len);
        at += len;
    }
}

bool mft_record_read(uint8_t *bytes, size_t len, struct mft_record *out)
{
    if (len < RECORD_HEAD || memcmp(bytes, "FILE", 4) != 0)
        return false;
    const uint32_t used = bytes_u32le(bytes + 24), all = bytes_u32le(bytes + 28);
    const uint32_t flags = bytes_u16le(bytes + 22);

    if ((all != 1024 && all != 2048 && all != MFT_RECORD_MAX) || all > len || used > all ||
        used < RECORD_HEAD || bytes_u16le(bytes + 20) > used || !record_fix(bytes, all))
        return false;
    memset(out, 0, sizeof *out);
    out->len = all;
    /* Where the fixups begin before byte 48, the record is of a system that writes no number. */
    out->number = bytes_u16le(bytes + 4) >= RECORD_HEAD ? bytes_u32le(bytes + 44) : UINT64_MAX;
    out->sequence = bytes_u16le(bytes + 16);
    out->in_use = (flags & RECORD_IN_USE) != 0;
    out->folder = (flags & RECORD_FOLDER) != 0;
    out->base = bytes_u64le(bytes + 32) & RECORD_NUMBER_MASK;
    out->base_sequence = bytes_u16le(bytes + 38);
    out->modified = INT64_MIN;
    record_attributes(out, bytes, used);
    return true;
}

uint32_t mft_index_block(const uint8_t *bytes, size_t len)
{
    if (len < INDEX_HEAD + INDEX_ENTRIES_HEAD || memcmp(bytes, "INDX", 4) != 0)
        return 0;
    const uint8_t *head = bytes + INDEX_HEAD;
    const uint32_t first = bytes_u32le(head), used = bytes_u32le(head + 4);
    const uint64_t all = (uint64_t)bytes_u32le(head + 8) + INDEX_HEAD;

    if (all > len || all % LIMIT_SECTOR != 0 || all == 0 || first < INDEX_ENTRIES_HEAD ||
        first % 8 != 0 || first > used || used > all - INDEX_HEAD ||
        !record_is_whole(bytes, (uint32_t)all))
        return 0;
    return (uint32_t)all;
}

struct mft_runs mft_runs_of(const struct mft_record *record)
{
    return (struct mft_runs){ record->runs, record->runs_len, 0 };
}

/* A little-endian number of so many bytes. */
static uint64_t runs_number(const uint8_t *bytes, uint32_t len)
{
    uint64_t out = 0;

    for (uint32_t i = len; i > 0; i--)
        out = out << 8 | bytes[i - 1];
    return out;
}

bool mft_runs_next(struct mft_runs *runs, uint64_t *cluster, uint64_t *count, bool *broken)
{
    *broken = false;
    if (runs->len == 0 || runs->bytes[0] == 0)
        return false;
    const uint32_t count_len = runs->bytes[0] & 15, step_len = runs->bytes[0] >> 4;
    *broken = true;
    if (count_len == 0 || count_len > 7 || step_len == 0 || step_len > 8 ||
        count_len + step_len >= runs->len)
        return false;
    *count = runs_number(runs->bytes + 1, count_len);
    uint64_t step = runs_number(runs->bytes + 1 + count_len, step_len);
    if (step_len < 8 && (step >> (8 * step_len - 1)) != 0)
        step |= UINT64_MAX << (8 * step_len);
    const int64_t moved = (int64_t)step;
    if (*count == 0 || *count >= (uint64_t)RECORD_CLUSTER_MAX || moved < -RECORD_CLUSTER_MAX ||
        moved > RECORD_CLUSTER_MAX)
        return false;
    runs->cluster += moved;
    if (runs->cluster < 0 || runs->cluster > RECORD_CLUSTER_MAX)
        return false;
    *cluster = (uint64_t)runs->cluster;
    runs->bytes += 1 + count_len + step_len;
    runs->len -= 1 + count_len + step_len;
    *broken = false;
    return true;
}
