/* SPDX-License-Identifier: Apache-2.0
 * io/image/zip_directory.c - see zip_directory.h. */
#include "io/image/zip_directory.h"

#include <inttypes.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hex.h"

enum {
    END_LEN = 22, /* the record at the end of the file, in front of the comment */
    END_AT_COUNT = 10,
    END_AT_LEN = 12,
    END_AT_PLACE = 16,
    END_AT_COMMENT_LEN = 20,
    END64_LEN = 56,
    END64_AT_COUNT = 32,
    END64_AT_LEN = 40,
    END64_AT_PLACE = 48,
    LOCATOR_LEN = 20,
    ENTRY_LEN = 46, /* of the directory, in front of the name */
    ENTRY_AT_FLAGS = 8,
    ENTRY_AT_METHOD = 10,
    ENTRY_AT_CRC = 16,
    ENTRY_AT_STORED = 20,
    ENTRY_AT_LEN = 24,
    ENTRY_AT_NAME_LEN = 28,
    ENTRY_AT_EXTRA_LEN = 30,
    ENTRY_AT_COMMENT_LEN = 32,
    ENTRY_AT_HEADER = 42,
    HEADER_LEN = 30, /* in front of a member, its name and extra field follow */
    HEADER_AT_FLAGS = 6,
    HEADER_AT_METHOD = 8,
    HEADER_AT_NAME_LEN = 26,
    HEADER_AT_EXTRA_LEN = 28,
    EXTRA_ZIP64 = 1,
    FLAG_ENCRYPTED = 1,
    FLAG_TOLD_BEHIND = 8, /* CRC-32 and sizes stand behind the member, where they have no magic */
    METHOD_STORED = 0,
    METHOD_DEFLATE = 8,
};

static enum err_code zip_damaged(const struct io_zip *zip, const char *what, uint64_t value,
                                 struct err *err)
{
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: is damaged or cut short: %s %" PRIu64 "; copy it again from its source",
                     zip->path, what, value);
}

/* Undoes %xx in place; returns the new length. */
static uint16_t zip_undo(char *name, uint16_t len)
{
    uint16_t made = 0, from = len > 0 && name[0] == '/' ? 1 : 0;

    while (from < len) {
        const bool is = name[from] == '%' && len - from > 2 && hex_digit(name[from + 1]) >= 0 &&
                        hex_digit(name[from + 2]) >= 0;

        name[made++] =
            is ? (char)(hex_digit(name[from + 1]) << 4 | hex_digit(name[from + 2])) : name[from];
        from = (uint16_t)(from + (is ? 3 : 1));
    }
    return made;
}

static int zip_compare_name(const char *a, size_t a_len, const char *b, size_t b_len)
{
    const int order = memcmp(a, b, a_len < b_len ? a_len : b_len);

    return order != 0 ? order : (a_len > b_len) - (a_len < b_len);
}

static int zip_compare(const void *a, const void *b)
{
    const struct io_zip_member *x = a, *y = b;

    return zip_compare_name(x->name, x->name_len, y->name, y->name_len);
}

/* The fields of an entry that are too small for their value stand in this extra field. */
static bool zip_extra(struct io_zip_member *member, const uint8_t *extra, size_t len)
{
    uint64_t *const fields[] = { &member->len, &member->stored_len, &member->header };
    size_t at = 0;

    while (len - at >= 4 && bytes_u16le(extra + at) != EXTRA_ZIP64 &&
           bytes_u16le(extra + at + 2) <= len - at - 4)
        at += 4 + (size_t)bytes_u16le(extra + at + 2);
    const bool is = len - at >= 4 && bytes_u16le(extra + at) == EXTRA_ZIP64 &&
                    bytes_u16le(extra + at + 2) <= len - at - 4;
    const size_t end = is ? at + 4 + bytes_u16le(extra + at + 2) : 0;

    at += 4;
    for (uint32_t i = 0; i < 3; i++) {
        if (*fields[i] != UINT32_MAX)
            continue;
        if (at + 8 > end)
            return false;
        *fields[i] = bytes_u64le(extra + at);
        at += 8;
    }
    return true;
}

/* Entry number i, which begins at *at of the directory's bytes; *at: behind it. */
static enum err_code zip_entry(struct io_zip *zip, uint32_t i, size_t *at, struct err *err)
{
    struct io_zip_member *member = &zip->items[i];
    uint8_t *entry = zip->bytes + *at;
    const size_t left = zip->bytes_len - *at;

    if (left < ENTRY_LEN || memcmp(entry, "PK\1\2", 4) != 0)
        return zip_damaged(zip, "no member of its directory begins at byte", zip->at + *at, err);
    const uint16_t name_len = bytes_u16le(entry + ENTRY_AT_NAME_LEN),
                   extra_len = bytes_u16le(entry + ENTRY_AT_EXTRA_LEN),
                   comment_len = bytes_u16le(entry + ENTRY_AT_COMMENT_LEN);
    const size_t len = ENTRY_LEN + (size_t)name_len + extra_len + comment_len;
    if (len > left)
        return zip_damaged(zip, "the directory ends in the member at byte", zip->at + *at, err);
    *member = (struct io_zip_member){ .name = (char *)entry + ENTRY_LEN,
                                      .stored_len = bytes_u32le(entry + ENTRY_AT_STORED),
                                      .len = bytes_u32le(entry + ENTRY_AT_LEN),
                                      .header = bytes_u32le(entry + ENTRY_AT_HEADER),
                                      .crc = bytes_u32le(entry + ENTRY_AT_CRC),
                                      .method = bytes_u16le(entry + ENTRY_AT_METHOD),
                                      .flags = bytes_u16le(entry + ENTRY_AT_FLAGS) };
    member->name_len = zip_undo((char *)entry + ENTRY_LEN, name_len);
    if (!zip_extra(member, entry + ENTRY_LEN + name_len, extra_len))
        return zip_damaged(zip, "the sizes are missing of the member at byte", zip->at + *at, err);
    if (member->header >= zip->at || member->stored_len > zip->at - member->header ||
        (member->method == METHOD_STORED && member->stored_len != member->len))
        return zip_damaged(zip, "the sizes are wrong of the member at byte", zip->at + *at, err);
    *at += len;
    return ERR_OK;
}

static enum err_code zip_entries(struct io_zip *zip, uint64_t count, struct err *err)
{
    size_t at = 0;
    enum err_code rc = ERR_OK;

    if (count == 0 || count > zip->bytes_len / ENTRY_LEN)
        return zip_damaged(zip, "members of its directory:", count, err);
    zip->items = malloc((size_t)count * sizeof *zip->items);
    if (zip->items == NULL)
        return ERR_NO_MEMORY(err, (size_t)count * sizeof *zip->items);
    zip->count = (uint32_t)count;
    for (uint32_t i = 0; rc == ERR_OK && i < zip->count; i++)
        rc = zip_entry(zip, i, &at, err);
    if (rc != ERR_OK)
        return rc;
    if (at != zip->bytes_len)
        return zip_damaged(zip, "its directory goes on behind its last member, at byte",
                           zip->at + at, err);
    qsort(zip->items, zip->count, sizeof *zip->items, zip_compare);
    for (uint32_t i = 1; i < zip->count; i++)
        if (zip_compare(&zip->items[i - 1], &zip->items[i]) == 0)
            return ERR_RAISE(err, ERR_INPUT, "%s: is damaged: it has two members named %.*s",
                             zip->path, zip->items[i].name_len, zip->items[i].name);
    return ERR_OK;
}

/* The values of the record of 64 bits, where there is one; *end: where the directory ends. */
static enum err_code zip_end64(struct io_zip *zip, uint64_t values[3], uint64_t *end,
                               struct err *err)
{
    static const uint32_t most[] = { UINT16_MAX, UINT32_MAX, UINT32_MAX };
    uint8_t locator[LOCATOR_LEN], record[END64_LEN];

    if (*end < LOCATOR_LEN + END64_LEN)
        return ERR_OK;
    enum err_code rc = io_pieces_load(zip->pieces, zip->file, *end - LOCATOR_LEN, locator,
                                      sizeof locator, "the end of its directory", err);
    if (rc != ERR_OK || memcmp(locator, "PK\6\7", 4) != 0)
        return rc;
    const uint64_t at = bytes_u64le(locator + 8);
    if (at > *end - LOCATOR_LEN - END64_LEN)
        return zip_damaged(zip, "its directory ends at byte", at, err);
    rc = io_pieces_load(zip->pieces, zip->file, at, record, sizeof record,
                        "the end of its directory", err);
    if (rc != ERR_OK)
        return rc;
    if (memcmp(record, "PK\6\6", 4) != 0 || bytes_u64le(record + 4) + 12 != *end - LOCATOR_LEN - at)
        return zip_damaged(zip, "its directory does not end at byte", at, err);
    const uint64_t wide[] = { bytes_u64le(record + END64_AT_COUNT),
                              bytes_u64le(record + END64_AT_LEN),
                              bytes_u64le(record + END64_AT_PLACE) };
    for (uint32_t i = 0; i < 3; i++) {
        if (values[i] != most[i] && values[i] != wide[i])
            return zip_damaged(zip, "the ends of its directory differ:", values[i], err);
        values[i] = wide[i];
    }
    *end = at;
    return ERR_OK;
}

/* Finds the record at the end of the file: the one behind which as much comment stands as it says.
 */
static enum err_code zip_end(struct io_zip *zip, uint64_t size, uint64_t values[3], uint64_t *end,
                             struct err *err)
{
    const size_t len = size < END_LEN + ZIP_COMMENT_MAX ? (size_t)size : END_LEN + ZIP_COMMENT_MAX;
    uint8_t *tail = malloc(len);
    bool found = false;

    if (tail == NULL)
        return ERR_NO_MEMORY(err, len);
    enum err_code rc =
        io_pieces_load(zip->pieces, zip->file, size - len, tail, len, "its end", err);
    for (size_t back = END_LEN; rc == ERR_OK && !found && back <= len; back++) {
        const uint8_t *record = tail + len - back;

        if (memcmp(record, "PK\5\6", 4) != 0 ||
            bytes_u16le(record + END_AT_COMMENT_LEN) != back - END_LEN)
            continue;
        found = true;
        memcpy(zip->comment, record + END_LEN, back - END_LEN);
        values[0] = bytes_u16le(record + END_AT_COUNT);
        values[1] = bytes_u32le(record + END_AT_LEN);
        values[2] = bytes_u32le(record + END_AT_PLACE);
        *end = size - back;
    }
    free(tail);
    if (rc == ERR_OK && !found)
        rc = zip_damaged(zip, "no directory stands at its end, byte", size, err);
    return rc == ERR_OK ? zip_end64(zip, values, end, err) : rc;
}

enum err_code io_zip_open(const struct io_pieces *pieces, uint32_t file, const char *path,
                          uint64_t size, struct io_zip *out, struct err *err)
{
    uint64_t values[3] = { 0 }, end = 0; /* members; bytes of the directory; its place */

    *out = (struct io_zip){ .pieces = pieces, .file = file, .path = path };
    enum err_code rc = zip_end(out, size, values, &end, err);
    if (rc != ERR_OK)
        return rc;
    if (values[1] > ZIP_DIRECTORY_MAX || values[2] > end || values[1] != end - values[2])
        return zip_damaged(out, "its directory is said to begin at byte", values[2], err);
    out->at = values[2];
    out->bytes_len = (size_t)values[1];
    out->bytes = malloc(out->bytes_len + 1);
    if (out->bytes == NULL)
        return ERR_NO_MEMORY(err, out->bytes_len + 1);
    rc = io_pieces_load(pieces, file, out->at, out->bytes, out->bytes_len, "its directory", err);
    return rc == ERR_OK ? zip_entries(out, values[0], err) : rc;
}

const struct io_zip_member *io_zip_find(const struct io_zip *zip, const char *name)
{
    const size_t len = strlen(name);
    uint32_t low = 0, high = zip->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct io_zip_member *member = &zip->items[middle];
        const int order = zip_compare_name(name, len, member->name, member->name_len);

        if (order == 0)
            return member;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/*
 * Whether a member, or what is said of the one before, begins here: nothing else tells that the
 * lengths of a header are right.
 */
static enum err_code zip_begins(const struct io_zip *zip, const struct io_zip_member *member,
                                uint64_t at, struct err *err)
{
    uint8_t next[4];
    const enum err_code rc =
        io_pieces_load(zip->pieces, zip->file, at, next, sizeof next, "the end of a member", err);

    if (rc != ERR_OK || memcmp(next, "PK\3\4", 4) == 0 || memcmp(next, "PK\1\2", 4) == 0 ||
        memcmp(next, "PK\7\x08", 4) == 0 ||
        ((member->flags & FLAG_TOLD_BEHIND) != 0 && bytes_u32le(next) == member->crc))
        return rc;
    return zip_damaged(zip, "a member does not end at byte", at, err);
}

enum err_code io_zip_place(const struct io_zip *zip, const struct io_zip_member *member,
                           uint64_t *at, struct err *err)
{
    uint8_t header[HEADER_LEN];
    char name[UINT16_MAX];
    enum err_code rc = io_pieces_load(zip->pieces, zip->file, member->header, header, sizeof header,
                                      "a member", err);

    if (rc != ERR_OK)
        return rc;
    const uint16_t name_len = bytes_u16le(header + HEADER_AT_NAME_LEN),
                   extra_len = bytes_u16le(header + HEADER_AT_EXTRA_LEN),
                   flags = bytes_u16le(header + HEADER_AT_FLAGS);
    *at = member->header + HEADER_LEN + name_len + extra_len;
    if (memcmp(header, "PK\3\4", 4) != 0 || *at > zip->at || member->stored_len > zip->at - *at ||
        bytes_u16le(header + HEADER_AT_METHOD) != member->method)
        return zip_damaged(zip, "no member begins at byte", member->header, err);
    rc = io_pieces_load(zip->pieces, zip->file, member->header + HEADER_LEN, (uint8_t *)name,
                        name_len, "a member", err);
    if (rc != ERR_OK)
        return rc;
    if (zip_compare_name(name, zip_undo(name, name_len), member->name, member->name_len) != 0)
        return zip_damaged(zip, "another member begins at byte", member->header, err);
    if (((flags | member->flags) & FLAG_ENCRYPTED) != 0)
        return ERR_RAISE(err, ERR_INPUT, "%s: its member %.*s is encrypted", zip->path,
                         member->name_len, member->name);
    return zip_begins(zip, member, *at + member->stored_len, err);
}

/* Unpacks what was stored; false: it is damaged. */
static bool zip_inflate(const struct io_zip_member *member, const uint8_t *stored, uint8_t *bytes)
{
    struct libdeflate_decompressor *deflate = libdeflate_alloc_decompressor();
    size_t made = 0;

    if (deflate == NULL)
        return false;
    const enum libdeflate_result result = libdeflate_deflate_decompress(
        deflate, stored, (size_t)member->stored_len, bytes, (size_t)member->len, &made);
    libdeflate_free_decompressor(deflate);
    return result == LIBDEFLATE_SUCCESS && made == member->len;
}

enum err_code io_zip_load(const struct io_zip *zip, const struct io_zip_member *member,
                          uint8_t **bytes, struct err *err)
{
    const bool packed = member->method == METHOD_DEFLATE;
    uint8_t *stored = NULL, *out = NULL;
    uint64_t at;

    *bytes = NULL;
    enum err_code rc = io_zip_place(zip, member, &at, err);
    if (rc != ERR_OK)
        return rc;
    if (member->len > ZIP_LOAD_MAX || member->stored_len > ZIP_LOAD_MAX ||
        (!packed && member->method != METHOD_STORED))
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: its member %.*s has %" PRIu64
                         " bytes, packed by way %u: this is not known here",
                         zip->path, member->name_len, member->name, member->len, member->method);
    stored = malloc((size_t)member->stored_len + 1);
    out = packed ? malloc((size_t)member->len + 1) : stored;
    if (stored == NULL || out == NULL)
        rc = ERR_NO_MEMORY(err, (size_t)member->len + 1);
    if (rc == ERR_OK)
        rc = io_pieces_load(zip->pieces, zip->file, at, stored, (size_t)member->stored_len,
                            "a member", err);
    if (rc == ERR_OK && ((packed && !zip_inflate(member, stored, out)) ||
                         libdeflate_crc32(0, out, (size_t)member->len) != member->crc))
        rc = zip_damaged(zip, "the checksum is wrong of the member at byte", member->header, err);
    if (packed)
        free(stored);
    if (rc != ERR_OK) {
        free(out);
        return rc;
    }
    out[member->len] = 0;
    *bytes = out;
    return ERR_OK;
}

void io_zip_release(struct io_zip *zip)
{
    free(zip->bytes);
    free(zip->items);
    zip->bytes = NULL;
    zip->items = NULL;
    zip->count = 0;
}
