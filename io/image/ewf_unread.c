/* SPDX-License-Identifier: Apache-2.0
 * io/image/ewf_unread.c - see ewf_unread.h.
 *
 * The body of a section "error2" is
 *     u32le number of entries | 512 bytes | u32le checksum of these 516
 *     u32le first sector, u32le number of sectors: for each entry | u32le checksum of the entries
 * Checksums are Adler-32. Source: libewf, "Expert Witness Compression Format (EWF)", "Error2
 * section".
 */
#include <inttypes.h>
#include <libdeflate.h>
#include <string.h>

#include "base/bytes.h"
#include "io/image/ewf_unread.h"
#include "io/image/file.h"

enum {
    UNREAD_HEAD_LEN = 520,
    UNREAD_SUM_LEN = 4,
    UNREAD_ENTRY_LEN = 8,
    UNREAD_BLOCK = 512,           /* entries read at a time */
    UNREAD_ENTRIES_MAX = 1 << 20, /* of an image; no disk with more bad places is read to its end */
    UNREAD_DISORDER_MAX = 1 << 28, /* entries times those out of order: a second of libewf */
};

static enum err_code unread_damaged(const char *path, uint64_t at, const char *what,
                                    struct err *err)
{
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: the list at %" PRIu64
                     " of sectors that were not read when this E01 was made is damaged: %s; "
                     "copy the image again from its source",
                     path, at, what);
}

static enum err_code unread_take(struct io_ewf_unread *unread, const uint8_t *entry,
                                 struct err *err)
{
    const struct io_bad_range run = { bytes_u32le(entry), bytes_u32le(entry + 4), 0,
                                      IO_BAD_ACQUISITION, IO_STATUS_BAD };

    unread->entries++;
    unread->disordered += run.offset < unread->end;
    unread->end = run.offset + run.len;
    io_bad_list_add(&unread->sectors, &run);
    return unread->sectors.failed ? ERR_NO_MEMORY(err, unread->sectors.room * sizeof run) : ERR_OK;
}

/* Reads the entries at `at`, and their checksum. */
static enum err_code unread_entries(struct io_ewf_unread *unread, const char *path, int fd,
                                    uint64_t at, uint32_t count, struct err *err)
{
    uint8_t block[UNREAD_BLOCK * UNREAD_ENTRY_LEN];
    uint32_t adler = 1; /* of nothing */
    enum err_code rc = ERR_OK;

    while (count > 0) {
        const uint32_t some = count < UNREAD_BLOCK ? count : UNREAD_BLOCK;
        const size_t len = (size_t)some * UNREAD_ENTRY_LEN;

        if (io_file_pread(fd, at, block, len) != 0)
            return unread_damaged(path, at, "it cannot be read", err);
        adler = libdeflate_adler32(adler, block, len);
        for (uint32_t i = 0; rc == ERR_OK && i < some; i++)
            rc = unread_take(unread, block + (size_t)i * UNREAD_ENTRY_LEN, err);
        if (rc != ERR_OK)
            return rc;
        at += len;
        count -= some;
    }
    if (io_file_pread(fd, at, block, UNREAD_SUM_LEN) != 0)
        return unread_damaged(path, at, "it cannot be read", err);
    if (bytes_u32le(block) != adler)
        return unread_damaged(path, at, "its checksum is wrong", err);
    return ERR_OK;
}

enum err_code io_ewf_unread_add(struct io_ewf_unread *unread, const char *path, int fd, uint64_t at,
                                uint64_t end, struct err *err)
{
    uint8_t head[UNREAD_HEAD_LEN];

    if (end < at || end - at < sizeof head)
        return unread_damaged(path, at, "it is cut short", err);
    if (io_file_pread(fd, at, head, sizeof head) != 0)
        return unread_damaged(path, at, "it cannot be read", err);
    const uint32_t count = bytes_u32le(head);
    const uint32_t sum = bytes_u32le(head + sizeof head - UNREAD_SUM_LEN);
    const uint64_t room = end - at - sizeof head;
    if (libdeflate_adler32(1, head, sizeof head - UNREAD_SUM_LEN) != sum)
        return unread_damaged(path, at, "its checksum is wrong", err);
    if (count == 0)
        return ERR_OK;
    if (room < UNREAD_SUM_LEN || count > (room - UNREAD_SUM_LEN) / UNREAD_ENTRY_LEN)
        return unread_damaged(path, at, "it has more entries than room for them", err);
    if (count > UNREAD_ENTRIES_MAX - unread->entries)
        return unread_damaged(path, at, "it has more than a million entries", err);
    const enum err_code rc = unread_entries(unread, path, fd, at + sizeof head, count, err);
    if (rc == ERR_OK && (uint64_t)unread->entries * unread->disordered > UNREAD_DISORDER_MAX)
        return unread_damaged(path, at, "too many of its entries are out of order", err);
    return rc;
}

enum err_code io_ewf_unread_bytes(const struct io_ewf_unread *unread, uint32_t sector_size,
                                  uint64_t size, struct io_bad_list *out, struct err *err)
{
    for (uint32_t i = 0; i < unread->sectors.count; i++) {
        struct io_bad_range range = unread->sectors.items[i];

        if (range.len == 0 || range.offset > (size - 1) / sector_size)
            continue;
        range.offset *= sector_size;
        range.len *= sector_size;
        if (range.len > size - range.offset)
            range.len = size - range.offset;
        io_bad_list_add(out, &range);
    }
    io_bad_list_settle(out);
    return out->failed ? ERR_NO_MEMORY(err, out->room * sizeof *out->items) : ERR_OK;
}

void io_ewf_unread_release(struct io_ewf_unread *unread)
{
    io_bad_list_release(&unread->sectors);
}
