/* SPDX-License-Identifier: Apache-2.0
 * io/image/aff_pages.c - see aff_pages.h.
 *
 * A file is 8 bytes of magic, then segments of
 *     "AFF\0" | u32be length of the name | u32be length of the data | u32be argument
 *     name | data | "ATT\0" | u32be length of the segment
 * The first segment of a name counts, as for afflib.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/grow.h"
#include "io/image/aff_pages.h"
#include "io/image/file.h"

enum {
    AFF_MAGIC_LEN = 8,
    AFF_HEAD_LEN = 16,
    AFF_TAIL_LEN = 8,
    AFF_NAME_MAX = 64,
    AFF_PAGE_MAX = 16 << 20,    /* bytes; afflib unpacks no larger ones, and keeps 32 of them */
    AFF_SEGMENTS_MAX = 1 << 22, /* more than 16 TiB have, in pages of 16 MiB */
    AFF_DIGITS_MAX = 18,        /* of the number of a page */
};

struct aff_segment {
    uint64_t data; /* offset in the file */
    uint32_t data_len, argument;
    char name[AFF_NAME_MAX + 1];
};

/* Reads the head of the segment at `at`, whose name is as long as it says. */
static bool aff_segment_at(int fd, uint64_t at, uint64_t size, struct aff_segment *segment)
{
    uint8_t head[AFF_HEAD_LEN];

    if (io_file_pread(fd, at, head, sizeof head) != 0 || memcmp(head, "AFF", 4) != 0)
        return false;
    const uint32_t name_len = bytes_u32be(head + 4);
    segment->data_len = bytes_u32be(head + 8);
    segment->argument = bytes_u32be(head + 12);
    segment->data = at + AFF_HEAD_LEN + name_len;
    if (name_len > AFF_NAME_MAX || segment->data + segment->data_len + AFF_TAIL_LEN > size)
        return false;
    memset(segment->name, 0, sizeof segment->name);
    return io_file_pread(fd, at + AFF_HEAD_LEN, (uint8_t *)segment->name, name_len) == 0;
}

/* The number of "page12", or of "seg12" as it was called once. False: the segment is no page. */
static bool aff_page_number(const char *name, uint64_t *number)
{
    const char *digits = strncmp(name, "page", 4) == 0  ? name + 4
                         : strncmp(name, "seg", 3) == 0 ? name + 3
                                                        : "";
    const size_t len = strspn(digits, "0123456789");

    if (len == 0 || len > AFF_DIGITS_MAX || digits[len] != '\0' || (digits[0] == '0' && len > 1))
        return false;
    *number = strtoull(digits, NULL, 10);
    return true;
}

static enum err_code aff_add_page(struct io_aff_pages *pages, uint64_t number, struct err *err)
{
    const enum err_code rc =
        grow_items(&pages->numbers, pages->count, &pages->room, sizeof *pages->numbers, err);

    if (rc == ERR_OK)
        pages->numbers[pages->count++] = number;
    return rc;
}

/* Bytes that are all the same mark nothing: disks are full of such sectors. */
static void aff_take_flag(struct io_aff_pages *pages, int fd, const struct aff_segment *segment)
{
    uint8_t *flag = pages->flag;

    pages->has_flag = segment->data_len == sizeof pages->flag &&
                      io_file_pread(fd, segment->data, flag, sizeof pages->flag) == 0 &&
                      memcmp(flag, flag + 1, sizeof pages->flag - 1) != 0;
}

/* Sizes in pages->page_len and, under its old name, in *old. */
static enum err_code aff_take(struct io_aff_pages *pages, int fd, const struct aff_segment *segment,
                              uint32_t *old, struct err *err)
{
    uint64_t number;

    if (aff_page_number(segment->name, &number))
        return aff_add_page(pages, number, err);
    if (strcmp(segment->name, "pagesize") == 0 && pages->page_len == 0)
        pages->page_len = segment->argument;
    else if (strcmp(segment->name, "segsize") == 0 && *old == 0)
        *old = segment->argument;
    else if (strcmp(segment->name, "badflag") == 0 && !pages->has_flag)
        aff_take_flag(pages, fd, segment);
    return ERR_OK;
}

static enum err_code aff_walk(struct io_aff_pages *pages, const char *path, int fd, uint64_t size,
                              struct err *err)
{
    struct aff_segment segment;
    uint32_t old = 0;
    uint64_t at = AFF_MAGIC_LEN;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && size - at >= AFF_HEAD_LEN; i++) {
        if (i == AFF_SEGMENTS_MAX || !aff_segment_at(fd, at, size, &segment))
            return ERR_RAISE(
                err, ERR_INPUT,
                "%s: this AFF file is damaged or cut short: there is no whole segment at %" PRIu64
                "; copy it again from its source",
                path, at);
        rc = aff_take(pages, fd, &segment, &old, err);
        at = segment.data + segment.data_len + AFF_TAIL_LEN;
    }
    if (pages->page_len == 0)
        pages->page_len = old;
    if (rc == ERR_OK && (pages->page_len == 0 || pages->page_len > AFF_PAGE_MAX ||
                         pages->page_len % LIMIT_SECTOR != 0))
        rc = ERR_RAISE(err, ERR_INPUT, "%s: this AFF file is damaged: pages of %" PRIu32 " bytes",
                       path, pages->page_len);
    return rc;
}

enum err_code io_aff_pages_read(const char *path, struct io_aff_pages *out, struct err *err)
{
    uint8_t magic[AFF_MAGIC_LEN];
    struct stat st;
    int fd;

    *out = (struct io_aff_pages){ 0 };
    enum err_code rc = io_file_open(path, &fd, &st, err);
    if (rc != ERR_OK)
        return rc;
    if (st.st_size < AFF_MAGIC_LEN || io_file_pread(fd, 0, magic, sizeof magic) != 0 ||
        memcmp(magic, "AFF10\r\n", sizeof magic) != 0)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: does not begin as an AFF file does", path);
    else
        rc = aff_walk(out, path, fd, (uint64_t)st.st_size, err);
    close(fd);
    return rc;
}

static int aff_compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

enum err_code io_aff_pages_missing(struct io_aff_pages *pages, const char *path, uint64_t size,
                                   struct io_bad_list *out, struct err *err)
{
    const uint64_t wanted = (size - 1) / pages->page_len + 1;
    uint64_t next = 0; /* the page that comes next if none is missing */

    if (pages->count > 1)
        qsort(pages->numbers, pages->count, sizeof *pages->numbers, aff_compare);
    for (uint32_t i = 0; i < pages->count && pages->numbers[i] < wanted; i++) {
        const uint64_t page = pages->numbers[i];

        if (page > next) {
            const struct io_bad_range range = { next * pages->page_len,
                                                (page - next) * pages->page_len, 0,
                                                IO_BAD_ACQUISITION, IO_STATUS_BAD };
            io_bad_list_add(out, &range);
        }
        next = page + 1;
    }
    if (out->failed)
        return ERR_NO_MEMORY(err, out->room * sizeof *out->items);
    if (next < wanted)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: this AFF file is damaged or cut short: the image in it has %" PRIu64
                         " bytes, and its pages end at %" PRIu64 "; copy it again from its source",
                         path, size, next * pages->page_len);
    return ERR_OK;
}

bool io_aff_pages_marked(const struct io_aff_pages *pages, const uint8_t *bytes, size_t len)
{
    if (!pages->has_flag)
        return false;
    for (size_t at = 0; at + sizeof pages->flag <= len; at += sizeof pages->flag)
        if (memcmp(bytes + at, pages->flag, sizeof pages->flag) == 0)
            return true;
    return false;
}

void io_aff_pages_release(struct io_aff_pages *pages)
{
    free(pages->numbers);
    *pages = (struct io_aff_pages){ 0 };
}
