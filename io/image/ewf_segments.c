/*
 * io/image/ewf_segments.c - see ewf_segments.h.
 *
 * A file is a 13-byte header that ends in its number, then sections of
 *     16-byte type | u64le offset of the next one | u64le size | 40 bytes | u32le checksum
 * of which the last is "next" where another file follows, and "done" at the end of the image.
 * Source: libewf, "Expert Witness Compression Format (EWF)", sections 2.1 and 3.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "io/image/ewf_segments.h"
#include "io/image/file.h"

enum {
    EWF_HEADER_LEN = 13,
    EWF_AT_NUMBER = 9, /* u16le, from 1 */
    EWF_SECTION_LEN = 76,
    EWF_TYPE_LEN = 16,
    EWF_SECTIONS_MAX = 1 << 20, /* of one file; a table and its sectors hold 512 MiB */
};

/* The name of file number, from that of another: .E01 to .E99, then .EAA. */
static void ewf_name(const char *path, uint32_t number, char name[LIMIT_PATH])
{
    const size_t len = strlen(path);

    if (number <= 99 && len > 2 && len < LIMIT_PATH)
        snprintf(name, LIMIT_PATH, "%.*s%02" PRIu32, (int)(len - 2), path, number);
    else
        snprintf(name, LIMIT_PATH, "file %" PRIu32 " of the image of %s", number, path);
}

static enum err_code ewf_missing(const char *path, uint32_t number, struct err *err)
{
    char name[LIMIT_PATH];

    ewf_name(path, number, name);
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: this part of the E01 image is missing; put all its parts into one folder",
                     name);
}

/* Follows the chain of sections to its end. *last: nothing follows this file. */
static enum err_code ewf_check_chain(const char *path, int fd, uint64_t size,
                                     struct io_ewf_unread *unread, bool *last, struct err *err)
{
    uint8_t section[EWF_SECTION_LEN];
    uint64_t at = EWF_HEADER_LEN;

    for (uint32_t i = 0; i < EWF_SECTIONS_MAX; i++) {
        if (size < EWF_SECTION_LEN || at > size - EWF_SECTION_LEN)
            return ERR_RAISE(err, ERR_INPUT,
                             "%s: this part of the E01 image is cut short: it has %" PRIu64
                             " bytes, and a section begins at %" PRIu64
                             "; copy it again from its source",
                             path, size, at);
        const int cause = io_file_pread(fd, at, section, sizeof section);
        if (cause != 0)
            return ERR_RAISE(err, ERR_INPUT, "%s: the section at %" PRIu64 " cannot be read: %s",
                             path, at, strerror(cause));
        *last = strncmp((char *)section, "done", EWF_TYPE_LEN) == 0;
        if (*last || strncmp((char *)section, "next", EWF_TYPE_LEN) == 0)
            return ERR_OK;
        const uint64_t next = bytes_u64le(section + EWF_TYPE_LEN);
        if (next <= at)
            break;
        if (strncmp((char *)section, "error2", EWF_TYPE_LEN) == 0) {
            const uint64_t body = at + EWF_SECTION_LEN, end = next < size ? next : size;
            const enum err_code rc = io_ewf_unread_add(unread, path, fd, body, end, err);
            if (rc != ERR_OK)
                return rc;
        }
        at = next;
    }
    return ERR_RAISE(err, ERR_INPUT, "%s: the sections of this E01 file are damaged at %" PRIu64,
                     path, at);
}

static enum err_code ewf_check_file(const char *path, uint32_t number, struct io_ewf_unread *unread,
                                    bool *last, struct err *err)
{
    static const uint8_t magic[] = { 'E', 'V', 'F', 0x09, '\r', '\n', 0xff, 0 };
    uint8_t header[EWF_HEADER_LEN];
    struct stat st;
    int fd;

    enum err_code rc = io_file_open(path, &fd, &st, err);
    if (rc != ERR_OK)
        return rc;
    if (st.st_size < EWF_HEADER_LEN || io_file_pread(fd, 0, header, sizeof header) != 0)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: the header of this E01 file cannot be read; it is cut short", path);
    else if (memcmp(header, magic, sizeof magic) != 0)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: does not begin as an E01 file does", path);
    else if (bytes_u16le(header + EWF_AT_NUMBER) > number)
        rc = ewf_missing(path, number, err);
    else if (bytes_u16le(header + EWF_AT_NUMBER) < number)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: says that it is part %u of its E01 image, but stands as part %" PRIu32,
                       path, bytes_u16le(header + EWF_AT_NUMBER), number);
    else
        rc = ewf_check_chain(path, fd, (uint64_t)st.st_size, unread, last, err);
    close(fd);
    return rc;
}

enum err_code io_ewf_check_segments(char *const *paths, uint32_t count,
                                    struct io_ewf_unread *unread, struct err *err)
{
    enum err_code rc = ERR_OK;
    bool last = false;

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        rc = ewf_check_file(paths[i], i + 1, unread, &last, err);
    if (rc == ERR_OK && !last)
        rc = ewf_missing(paths[count - 1], count + 1, err);
    return rc;
}
