/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/content_label.c - see content_label.h. */
#include "io/filesystem/content_label.h"

#include <string.h>

#include "base/bytes.h"

enum {
    LABEL_UNITS = 64,        /* UTF-16 units that are taken */
    LABEL_RECORD_MAX = 4096, /* bytes of a record of NTFS */
    LABEL_RECORD_VOLUME = 3, /* number of the record with the name */
    LABEL_ATTRIBUTE = 0x60,  /* of that record: $VOLUME_NAME */
    LABEL_ENTRY = 32,        /* bytes of an entry of exFAT's folders */
    LABEL_ENTRIES = 16,      /* of them that are looked at */
    LABEL_ENTRY_NAME = 0x83, /* kind of the entry with the name */
    LABEL_NAME_UNITS = 11,
};

void content_label_bytes(const uint8_t *bytes, uint32_t len, char out[CONTENT_LABEL_MAX])
{
    uint32_t end = (uint32_t)strnlen((const char *)bytes, len);

    if (end >= CONTENT_LABEL_MAX)
        end = CONTENT_LABEL_MAX - 1;
    while (end > 0 && bytes[end - 1] == ' ')
        end--;
    memcpy(out, bytes, end);
    out[end] = '\0';
}

static uint32_t label_code(uint32_t code, char *out)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

/* UTF-16LE to UTF-8; half of a pair becomes U+FFFD. */
static void label_utf16(const uint8_t *bytes, uint32_t units, char out[CONTENT_LABEL_MAX])
{
    uint32_t len = 0;

    for (uint32_t i = 0; i < units && i < LABEL_UNITS; i++) {
        uint32_t code = bytes_u16le(bytes + 2 * i);

        if (code == 0)
            break;
        if (code >= 0xd800 && code < 0xdc00 && i + 1 < units) {
            const uint32_t low = bytes_u16le(bytes + 2 * (i + 1));

            if (low >= 0xdc00 && low < 0xe000) {
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                i++;
            }
        }
        if (code >= 0xd800 && code < 0xe000)
            code = 0xfffd;
        len += label_code(code, out + len);
    }
    out[len] = '\0';
}

/* The attribute with the name in a record whose last bytes of sectors are as they were stored: a
 * name lies before them. */
static void label_attribute(const uint8_t *record, uint32_t size, char out[CONTENT_LABEL_MAX])
{
    uint32_t at = bytes_u16le(record + 20);

    while (at <= size - 24) {
        const uint32_t len = bytes_u32le(record + at + 4);

        if (bytes_u32le(record + at) == UINT32_MAX || len < 24 || len > size - at)
            return;
        if (bytes_u32le(record + at) == LABEL_ATTRIBUTE && record[at + 8] == 0) {
            const uint32_t bytes = bytes_u32le(record + at + 16),
                           from = bytes_u16le(record + at + 20);

            if (from <= len && bytes <= len - from)
                label_utf16(record + at + from, bytes / 2, out);
            return;
        }
        at += len;
    }
}

void content_label_ntfs(const struct source *source, const uint8_t *boot, uint32_t cluster,
                        char out[CONTENT_LABEL_MAX])
{
    const int8_t code = (int8_t)boot[64];
    const uint64_t size = code > 0                    ? (uint64_t)code * cluster
                          : code <= -9 && code >= -12 ? UINT64_C(1) << -code
                                                      : 0;
    const uint64_t first = bytes_u64le(boot + 48);
    uint8_t record[LABEL_RECORD_MAX];

    if (size < 512 || size > sizeof record || first > source->size / cluster)
        return;
    if (source_read(source, first * cluster + LABEL_RECORD_VOLUME * size, record, (uint32_t)size) &&
        memcmp(record, "FILE", 4) == 0)
        label_attribute(record, (uint32_t)size, out);
}

void content_label_exfat(const struct source *source, const uint8_t *boot,
                         char out[CONTENT_LABEL_MAX])
{
    const uint64_t heap = bytes_u32le(boot + 88), cluster = bytes_u32le(boot + 96);
    uint8_t entries[LABEL_ENTRY * LABEL_ENTRIES];

    if (cluster < 2)
        return;
    const uint64_t at = (heap + ((cluster - 2) << boot[109])) << boot[108];
    if (!source_read(source, at, entries, sizeof entries))
        return;
    for (uint32_t i = 0; i < LABEL_ENTRIES; i++) {
        const uint8_t *entry = entries + (size_t)i * LABEL_ENTRY;

        if (entry[0] == LABEL_ENTRY_NAME && entry[1] <= LABEL_NAME_UNITS)
            label_utf16(entry + 2, entry[1], out);
    }
}
