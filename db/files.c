/* SPDX-License-Identifier: Apache-2.0
 * db/files.c - see files.h. Headers of SQLite's files: https://www.sqlite.org/fileformat2.html, 3
 * and 4.1, and https://www.sqlite.org/walformat.html, 2.2.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "db/connection.h"
#include "db/files.h"
#include "db/lock.h"

enum {
    FILES_HEAD = 80,         /* bytes of a file that are looked at */
    FILES_JOURNAL_HEAD = 28, /* bytes; in it, both big-endian: */
    FILES_JOURNAL_SECTOR = 20,
    FILES_JOURNAL_PAGE = 24,
    FILES_ID_AT = 68,            /* of the application's number in a database */
    FILES_SHM_VERSION = 3007000, /* of the index of a -wal file, in the machine's byte order */
    FILES_SHM_COPY = 48,         /* where the header of that index stands again */
    FILES_SHM_FIRST = 32768,     /* bytes; a new index is at most so long and holds zeros */
};

struct files_one {
    const char *name;
    int fd;
    uint64_t size;
    uint8_t head[FILES_HEAD];
    uint32_t head_len;
};

static bool files_starts(const struct files_one *file, const void *magic, size_t len)
{
    return file->head_len >= len && memcmp(file->head, magic, len) == 0;
}

static bool files_is_wal(const struct files_one *file)
{
    const uint32_t magic = file->head_len >= 4 ? bytes_u32be(file->head) : 0;

    return magic == 0x377f0682 || magic == 0x377f0683;
}

static bool files_is_zeros(const struct files_one *file)
{
    uint8_t block[4096];
    ssize_t got;

    for (uint64_t at = 0; at < file->size; at += (uint64_t)got) {
        got = pread(file->fd, block, sizeof block, (off_t)at);
        if (got <= 0 || block[0] != 0 || memcmp(block, block + 1, (size_t)got - 1) != 0)
            return false;
    }
    return true;
}

/*
 * SQLite makes it of zeros, and writes the second copy of its header before the first. One that was
 * left between these steps is refused, and can be removed by hand: SQLite makes it again.
 */
static bool files_is_shm(const struct files_one *file)
{
    uint32_t first = 0, second = 0;

    if (file->size <= FILES_SHM_FIRST && files_is_zeros(file))
        return true;
    if (file->head_len < FILES_SHM_COPY + sizeof second)
        return false;
    memcpy(&first, file->head, sizeof first);
    memcpy(&second, file->head + FILES_SHM_COPY, sizeof second);
    return (first == FILES_SHM_VERSION || first == 0) && second == FILES_SHM_VERSION;
}

static bool files_is_power(uint32_t value, uint32_t least, uint32_t most)
{
    return value >= least && value <= most && (value & (value - 1)) == 0;
}

/*
 * SQLite writes the magic and the number of pages when the pages are on the disk; until then zeros
 * stand for them, and the sizes of a sector and of a page behind.
 */
static bool files_is_journal(const struct files_one *file)
{
    static const uint8_t unfinished[12];

    if (file->head_len < FILES_JOURNAL_HEAD)
        return false;
    return files_starts(file, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8) ||
           (files_starts(file, unfinished, sizeof unfinished) &&
            files_is_power(bytes_u32be(file->head + FILES_JOURNAL_SECTOR), 32, 65536) &&
            files_is_power(bytes_u32be(file->head + FILES_JOURNAL_PAGE), 512, 65536));
}

static bool files_is_lock(const struct files_one *file)
{
    return files_starts(file, DB_LOCK_HEAD, sizeof DB_LOCK_HEAD - 1);
}

static bool files_is_new(const struct files_one *file)
{
    return files_starts(file, "SQLite format 3", 16) && file->head_len >= FILES_ID_AT + 4 &&
           bytes_u32be(file->head + FILES_ID_AT) == DB_APPLICATION_ID;
}

static bool files_is_seal(const struct files_one *file)
{
    return files_starts(file, DB_SEAL_HEAD, sizeof DB_SEAL_HEAD - 1);
}

/* By enum db_file. The case file itself has no check here: case.c looks at it. */
static const struct {
    const char *suffix;
    bool (*is_ours)(const struct files_one *file);
    bool stays; /* may be there without a case file */
} files_table[DB_FILES_COUNT] = {
    { "", NULL, true },
    { "-wal", files_is_wal, false },
    { "-shm", files_is_shm, false },
    { "-journal", files_is_journal, false },
    { ".lock", files_is_lock, true },
    { ".new", files_is_new, true },
    { ".seal", files_is_seal, true },
};

void db_file_name(const char *path, enum db_file which, char out[DB_FILE_NAME_MAX])
{
    snprintf(out, DB_FILE_NAME_MAX, "%s%s", path, files_table[which].suffix);
}

enum err_code db_file_absolute(const char *path, char out[PATH_MAX], struct err *err)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;

    if (realpath(path, out) != NULL) /* it exists; through a link, we mean what the link means */
        return ERR_OK;
    if (strlen(path) >= sizeof folder || name[0] == '\0')
        return ERR_RAISE(err, ERR_ARG, "%s: not the name of a file; name the case file with --case",
                         path);
    snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - path + 1) : 1,
             slash != NULL ? path : ".");
    if (realpath(folder, out) == NULL)
        return ERR_RAISE(err, ERR_ENV,
                         "%s: %s: %s; make the folder, or name another case file with --case", path,
                         folder, strerror(errno));
    const size_t len = strlen(out);
    if (len + strlen(name) + 16 > PATH_MAX)
        return ERR_RAISE(err, ERR_ENV,
                         "%s: the path is too long; name another case file with --case", path);
    sprintf(out + len, "%s%s", len > 1 ? "/" : "", name);
    return ERR_OK;
}

/* Opens nothing that could block or be changed by opening it: what lies there may be anything. */
static enum err_code files_check_one(const char *name, bool (*is_ours)(const struct files_one *),
                                     bool may_be, bool look, struct err *err)
{
    struct files_one file = { .name = name };
    struct stat st;

    if (lstat(name, &st) != 0)
        return errno == ENOENT
                   ? ERR_OK
                   : ERR_RAISE(err, ERR_ENV, "%s: cannot be looked at: %s", name, strerror(errno));
    if (!S_ISREG(st.st_mode) || st.st_nlink > 1)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: %s, and a case file would write to it; move it away, or name another "
                         "case file with --case",
                         name, S_ISREG(st.st_mode) ? "the file has other names too" : "not a file");
    if (!may_be)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: it is there without its case file, and may hold what that one lacks; "
                         "move it away, or name another case file with --case",
                         name);
    if (!look)
        return ERR_OK;
    file.fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file.fd < 0)
        return errno == ENOENT ? ERR_OK : ERR_RAISE(err, ERR_ENV, "%s: %s", name, strerror(errno));
    const ssize_t got = pread(file.fd, file.head, sizeof file.head, 0);
    file.size = (uint64_t)st.st_size;
    file.head_len = got > 0 ? (uint32_t)got : 0;
    const bool ours = got == 0 || is_ours(&file);
    close(file.fd);
    return ours ? ERR_OK
                : ERR_RAISE(err, ERR_INPUT,
                            "%s: no file that belongs to a case file, and one would be written "
                            "over it; move it away, or name another case file with --case",
                            name);
}

enum err_code db_files_check(const char *absolute, struct err *err)
{
    char name[DB_FILE_NAME_MAX];
    struct stat st;
    const bool there = lstat(absolute, &st) == 0;
    /* Who writes has looked, and closing a file would end the locks that this process has on it. */
    const bool look = !db_lock_held(absolute, NULL);
    enum err_code rc = ERR_OK;

    for (uint32_t i = DB_FILE_WAL; rc == ERR_OK && i < DB_FILES_COUNT; i++) {
        db_file_name(absolute, (enum db_file)i, name);
        rc =
            files_check_one(name, files_table[i].is_ours, there || files_table[i].stays, look, err);
    }
    return rc;
}

bool db_file_is_case(const char *path)
{
    char head[16] = "", absolute[PATH_MAX], name[DB_FILE_NAME_MAX];
    const size_t len = strlen(path);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const ssize_t got = fd < 0 ? 0 : read(fd, head, sizeof head);

    if (fd < 0)
        return true;
    close(fd);
    if ((got == sizeof head && memcmp(head, "SQLite format 3", sizeof head) == 0) ||
        (len >= 6 && strcmp(path + len - 6, ".burin") == 0))
        return true;
    if (db_file_absolute(path, absolute, NULL) != ERR_OK)
        return false;
    db_file_name(absolute, DB_FILE_SEAL, name); /* one with a damaged head is one too */
    return access(name, F_OK) == 0;
}
