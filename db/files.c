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
    FILES_SHM_KEPT = 3,          /* bytes that stay when it is cut */
    FILES_SHM_PAGES_AT = 136,    /* behind both headers and the counters; numbers of pages */
    FILES_SHM_HASH_AT = 16384,   /* u16 places in that list, from 1 on; 0: none */
    FILES_SHM_HASH_LEN = 8192,
    FILES_SHM_USED_AT = 128,         /* the byte that who has it open holds a lock on */
    FILES_JOURNAL_PART = 512,        /* bytes that its head takes in a case file's folder */
    FILES_JOURNAL_RECORD = 4096 + 8, /* a page of a case file, its number and its checksum */
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

/* Zeros from this byte on. */
static bool files_is_zeros(const struct files_one *file, uint64_t from)
{
    uint8_t block[4096];
    ssize_t got;

    for (uint64_t at = from; at < file->size; at += (uint64_t)got) {
        got = pread(file->fd, block, sizeof block, (off_t)at);
        if (got <= 0 || block[0] != 0 || memcmp(block, block + 1, (size_t)got - 1) != 0)
            return false;
    }
    return true;
}

/* Who opens the index first cuts it to three bytes, which may be those of the header before. */
static bool files_is_shm_cut(const struct files_one *file)
{
    static const uint32_t version = FILES_SHM_VERSION;

    return file->head_len >= FILES_SHM_KEPT && (files_starts(file, "\0\0\0", FILES_SHM_KEPT) ||
                                                files_starts(file, &version, FILES_SHM_KEPT));
}

/*
 * Where SQLite makes the index anew from a -wal file, pages come first and the headers last. Each
 * place that the table names holds the number of a page then.
 */
static bool files_is_shm_begun(const struct files_one *file)
{
    enum { COUNT = (FILES_SHM_HASH_AT - FILES_SHM_PAGES_AT) / 4 };
    uint8_t block[FILES_SHM_FIRST];
    uint16_t place;
    uint32_t page;

    if (file->size % FILES_SHM_FIRST != 0 || !files_is_shm_cut(file) ||
        pread(file->fd, block, sizeof block, 0) != (ssize_t)sizeof block)
        return false;
    for (uint32_t i = FILES_SHM_KEPT; i < FILES_SHM_PAGES_AT; i++)
        if (block[i] != 0)
            return false;
    for (uint32_t i = 0; i < FILES_SHM_HASH_LEN; i++) {
        memcpy(&place, block + FILES_SHM_HASH_AT + i * sizeof place, sizeof place);
        if (place > COUNT)
            return false;
        memcpy(&page, block + FILES_SHM_PAGES_AT + (place - 1u) % COUNT * sizeof page, sizeof page);
        if (place != 0 && page == 0)
            return false;
    }
    return true;
}

/* SQLite makes it of zeros, and writes the second copy of its header before the first. */
static bool files_is_shm(const struct files_one *file)
{
    uint32_t first = 0, second = 0;

    if (file->size <= FILES_SHM_FIRST &&
        (files_is_zeros(file, 0) ||
         (files_is_shm_cut(file) && files_is_zeros(file, FILES_SHM_KEPT))))
        return true;
    if (file->head_len < FILES_SHM_COPY + sizeof second)
        return false;
    memcpy(&first, file->head, sizeof first);
    memcpy(&second, file->head + FILES_SHM_COPY, sizeof second);
    return ((first == FILES_SHM_VERSION || first == 0) && second == FILES_SHM_VERSION) ||
           files_is_shm_begun(file);
}

/* What stands in it is made anew from the -wal file: without one it is in use, or left over. */
static bool files_is_shm_left(const struct files_one *file)
{
    struct flock range = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = FILES_SHM_USED_AT, .l_len = 1
    };

    return file->size >= FILES_SHM_FIRST && files_is_shm(file) && !files_is_zeros(file, 0) &&
           fcntl(file->fd, F_GETLK, &range) == 0 && range.l_type == F_UNLCK;
}

static bool files_is_power(uint32_t value, uint32_t least, uint32_t most)
{
    return value >= least && value <= most && (value & (value - 1)) == 0;
}

/*
 * One whose transaction has ended, where the connection keeps its lock: zeros stand for the head,
 * and behind it the first page that it held.
 */
static bool files_is_journal_done(const struct files_one *file)
{
    static const uint8_t head[FILES_HEAD];
    uint8_t page[4];

    return file->head_len == FILES_HEAD && files_starts(file, head, sizeof head) &&
           file->size % FILES_JOURNAL_RECORD == FILES_JOURNAL_PART &&
           pread(file->fd, page, sizeof page, FILES_JOURNAL_PART) == (ssize_t)sizeof page &&
           bytes_u32be(page) != 0;
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
            files_is_power(bytes_u32be(file->head + FILES_JOURNAL_PAGE), 512, 65536)) ||
           files_is_journal_done(file);
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

static bool files_is_shards(const struct files_one *file)
{
    return files_starts(file, "/", 1);
}

static bool files_is_any(const struct files_one *file)
{
    (void)file;
    return true;
}

static bool files_is_none(const struct files_one *file)
{
    (void)file;
    return false;
}

/* By enum db_file. The case file itself has no check here: case.c looks at it. */
static const struct {
    const char *suffix;
    bool (*is_ours)(const struct files_one *file);
    bool (*may_stay)(const struct files_one *file); /* when there is no case file */
} files_table[DB_FILES_COUNT] = {
    { "", NULL, files_is_any },
    { "-wal", files_is_wal, files_is_none },
    { "-shm", files_is_shm, files_is_shm_left },
    { "-journal", files_is_journal, files_is_journal_done },
    { ".lock", files_is_lock, files_is_any },
    { ".new", files_is_new, files_is_any },
    { ".seal", files_is_seal, files_is_any },
    { ".shards", files_is_shards, files_is_any },
};

void db_file_name(const char *path, enum db_file which, char out[DB_FILE_NAME_MAX])
{
    snprintf(out, DB_FILE_NAME_MAX, "%s%s", path, files_table[which].suffix);
}

void db_files_shards(const char *absolute, char out[PATH_MAX])
{
    char name[DB_FILE_NAME_MAX];

    out[0] = '\0';
    db_file_name(absolute, DB_FILE_SHARDS, name);
    const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return;
    const ssize_t got = read(fd, out, PATH_MAX - 1);
    out[got > 0 ? got : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    if (out[0] != '/')
        out[0] = '\0';
    close(fd);
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
static enum err_code files_check_one(const char *name, enum db_file which, bool alone,
                                     struct err *err)
{
    struct files_one file = { .name = name };
    struct stat st;

    file.fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file.fd < 0)
        return errno == ENOENT ? ERR_OK : ERR_RAISE(err, ERR_ENV, "%s: %s", name, strerror(errno));
    const ssize_t got = pread(file.fd, file.head, sizeof file.head, 0);
    file.size = fstat(file.fd, &st) == 0 ? (uint64_t)st.st_size : UINT64_MAX;
    file.head_len = got > 0 ? (uint32_t)got : 0;
    const bool ours = got == 0 || files_table[which].is_ours(&file);
    const bool may_stay = !alone || files_table[which].may_stay(&file);
    close(file.fd);
    if (!ours)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: no file that belongs to a case file, and one would be written "
                         "over it; move it away, or name another case file with --case",
                         name);
    return may_stay ? ERR_OK
                    : ERR_RAISE(err, ERR_INPUT,
                                "%s: it is there without its case file, and may hold what that one "
                                "lacks; move it away, or name another case file with --case",
                                name);
}

enum err_code db_files_check(const char *absolute, struct err *err)
{
    char name[DB_FILE_NAME_MAX];
    struct stat st;
    const bool alone = lstat(absolute, &st) != 0;
    /* Who writes has looked, and closing a file would end the locks that this process has on it. */
    const bool look = !db_lock_held(absolute, NULL);
    enum err_code rc = ERR_OK;

    for (uint32_t i = DB_FILE_WAL; rc == ERR_OK && i < DB_FILES_COUNT; i++) {
        db_file_name(absolute, (enum db_file)i, name);
        if (lstat(name, &st) == 0 && (!S_ISREG(st.st_mode) || st.st_nlink > 1))
            rc = ERR_RAISE(err, ERR_INPUT,
                           "%s: %s, and a case file would write to it; move it away, or name "
                           "another case file with --case",
                           name,
                           S_ISREG(st.st_mode) ? "the file has other names too" : "not a file");
        else if (look)
            rc = files_check_one(name, (enum db_file)i, alone, err);
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
