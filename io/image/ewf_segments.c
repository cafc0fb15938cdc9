/* SPDX-License-Identifier: Apache-2.0
 * io/image/ewf_segments.c - see ewf_segments.h.
 *
 * A file is a 13-byte header that ends in its number, then sections of
 *     16-byte type | u64le offset of the next one | u64le size | 40 bytes | u32le checksum
 * of which the last is "next" where another file follows, and "done" at the end of the image.
 * Source: libewf, "Expert Witness Compression Format (EWF)", sections 2.1 and 3.
 */
#include "io/image/ewf_segments.h"

#include <ctype.h>
#include <inttypes.h>
#include <libdeflate.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "io/image/file.h"

enum {
    EWF_AT_NUMBER = 9, /* u16le, from 1 */
    EWF_AT_SUM = IO_EWF_SECTION_LEN - 4,
    EWF_SECTIONS_MAX = 1 << 20, /* of one file; a table and its sectors hold 512 MiB */
    EWF_DIGITS_MAX = 99,
    EWF_ENDING_LEN = 4, /* ".E01" */
    EWF_LETTERS = 26,
};

/* The three letters of file `number`, after .E99: .EAA to .EZZ, .FAA, ... */
static bool ewf_letters(char first, uint32_t number, char out[3])
{
    const char a = islower((unsigned char)first) ? 'a' : 'A';
    const uint32_t n = number - EWF_DIGITS_MAX - 1;
    const uint32_t head = (uint32_t)(first - a) + n / (EWF_LETTERS * EWF_LETTERS);

    if (head >= EWF_LETTERS)
        return false;
    out[0] = (char)(a + (int)head);
    out[1] = (char)(a + (int)(n / EWF_LETTERS % EWF_LETTERS));
    out[2] = (char)(a + (int)(n % EWF_LETTERS));
    return true;
}

/* What the name of the image's first file begins its ending with: 'E', 'e', 'S' or 's'. */
static char ewf_first_letter(const char *ending)
{
    const char first = ending[1];
    const bool digits = isdigit((unsigned char)ending[2]) && isdigit((unsigned char)ending[3]);

    if (digits || !isalpha((unsigned char)first))
        return first;
    return islower((unsigned char)first) ? 'e' : 'E'; /* .FAA is of an .E01 */
}

bool io_ewf_name(const char *path, uint32_t number, char name[LIMIT_PATH])
{
    const size_t len = strlen(path);
    const char *ending = len >= EWF_ENDING_LEN ? path + len - EWF_ENDING_LEN : "";

    if (len < LIMIT_PATH && ending[0] == '.' && strchr(ending, '/') == NULL) {
        char three[3] = { ewf_first_letter(ending), (char)('0' + number / 10 % 10),
                          (char)('0' + number % 10) };

        if (isalpha((unsigned char)three[0]) &&
            (number <= EWF_DIGITS_MAX || ewf_letters(three[0], number, three))) {
            snprintf(name, LIMIT_PATH, "%.*s%.3s", (int)(len - 3), path, three);
            return true;
        }
    }
    if (number <= EWF_DIGITS_MAX && len > 2 && len < LIMIT_PATH)
        snprintf(name, LIMIT_PATH, "%.*s%02" PRIu32, (int)(len - 2), path, number);
    else
        snprintf(name, LIMIT_PATH, "file %" PRIu32 " of the image of %s", number, path);
    return false;
}

enum err_code io_ewf_missing(const char *path, uint32_t number, struct err *err)
{
    char name[LIMIT_PATH];

    (void)io_ewf_name(path, number, name);
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: this part of the E01 image is missing; put all its parts into one folder",
                     name);
}

/* Follows the chain of sections to its end. *last: nothing follows this file. */
static enum err_code ewf_walk_chain(const char *path, int fd, uint64_t size, io_ewf_section_fn each,
                                    void *arg, bool *last, struct err *err)
{
    uint8_t head[IO_EWF_SECTION_LEN];
    uint64_t at = IO_EWF_HEADER_LEN;

    for (uint32_t i = 0; i < EWF_SECTIONS_MAX; i++) {
        if (size < IO_EWF_SECTION_LEN || at > size - IO_EWF_SECTION_LEN)
            return ERR_RAISE(err, ERR_INPUT,
                             "%s: this part of the E01 image is cut short: it has %" PRIu64
                             " bytes, and a section begins at %" PRIu64
                             "; copy it again from its source",
                             path, size, at);
        const int cause = io_file_pread(fd, at, head, sizeof head);
        if (cause != 0)
            return ERR_RAISE(err, ERR_INPUT, "%s: the section at %" PRIu64 " cannot be read: %s",
                             path, at, strerror(cause));
        const uint64_t next = bytes_u64le(head + IO_EWF_TYPE_LEN);
        struct io_ewf_section section = {
            .path = path,
            .fd = fd,
            .at = at + IO_EWF_SECTION_LEN,
            .end = next < size ? next : size,
            .sound = libdeflate_adler32(1, head, EWF_AT_SUM) == bytes_u32le(head + EWF_AT_SUM),
        };
        memcpy(section.type, head, IO_EWF_TYPE_LEN);
        *last = strcmp(section.type, "done") == 0;
        const bool ends = *last || strcmp(section.type, "next") == 0;
        if (!ends && next <= at)
            break;
        const enum err_code rc = each(arg, &section, err);
        if (rc != ERR_OK || ends)
            return rc;
        at = next;
    }
    return ERR_RAISE(err, ERR_INPUT, "%s: the sections of this E01 file are damaged at %" PRIu64,
                     path, at);
}

enum err_code io_ewf_walk(const char *path, int fd, uint64_t size, uint32_t number,
                          io_ewf_section_fn each, void *arg, bool *last, struct err *err)
{
    static const uint8_t magic[] = { 'E', 'V', 'F', 0x09, '\r', '\n', 0xff, 0 };
    uint8_t header[IO_EWF_HEADER_LEN];

    if (size < IO_EWF_HEADER_LEN || io_file_pread(fd, 0, header, sizeof header) != 0)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: the header of this E01 file cannot be read; it is cut short", path);
    if (memcmp(header, magic, sizeof magic) != 0)
        return ERR_RAISE(err, ERR_INPUT, "%s: does not begin as an E01 file does", path);
    if (bytes_u16le(header + EWF_AT_NUMBER) > number)
        return io_ewf_missing(path, number, err);
    if (bytes_u16le(header + EWF_AT_NUMBER) < number)
        return ERR_RAISE(
            err, ERR_INPUT,
            "%s: says that it is part %u of its E01 image, but stands as part %" PRIu32, path,
            bytes_u16le(header + EWF_AT_NUMBER), number);
    return ewf_walk_chain(path, fd, size, each, arg, last, err);
}

static enum err_code ewf_take_unread(void *arg, const struct io_ewf_section *section,
                                     struct err *err)
{
    if (strcmp(section->type, "error2") != 0)
        return ERR_OK;
    return io_ewf_unread_add(arg, section->path, section->fd, section->at, section->end, err);
}

enum err_code io_ewf_check_segments(char *const *paths, uint32_t count,
                                    struct io_ewf_unread *unread, struct err *err)
{
    enum err_code rc = ERR_OK;
    bool last = false;

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        struct stat st;
        int fd;

        rc = io_file_open(paths[i], &fd, &st, err);
        if (rc != ERR_OK)
            return rc;
        rc = io_ewf_walk(paths[i], fd, (uint64_t)st.st_size, i + 1, ewf_take_unread, unread, &last,
                         err);
        close(fd);
    }
    if (rc == ERR_OK && !last)
        rc = io_ewf_missing(paths[count - 1], count + 1, err);
    return rc;
}
