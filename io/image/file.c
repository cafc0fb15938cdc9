/* SPDX-License-Identifier: Apache-2.0
 * io/image/file.c - see file.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/limits.h"
#include "io/image/file.h"

/* O_NONBLOCK keeps the open of a FIFO from hanging; O_NOATIME is for the owner and root only. */
static int file_open_flags(const char *path)
{
    const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    int fd = open(path, flags | O_NOATIME);

    if (fd < 0 && (errno == EPERM || errno == EINVAL))
        fd = open(path, flags);
    return fd;
}

/*
 * Opens what a descriptor of O_PATH stands for, and nothing that has come to its path since.
 * Without /proc it is opened by its path.
 */
static int file_open_place(int place, const char *path)
{
    char name[32];

    snprintf(name, sizeof name, "/proc/self/fd/%d", place);
    const int fd = file_open_flags(name);
    return fd < 0 && (errno == ENOENT || errno == ENOTDIR) ? file_open_flags(path) : fd;
}

/* Split images of thousands of parts need more descriptors than the usual soft limit of 1024. */
static bool file_raise_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max)
        return false;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static const char *file_kind(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "a directory";
    case S_IFIFO:
        return "a pipe";
    case S_IFSOCK:
        return "a socket";
    case S_IFCHR:
        return "a character device";
    default:
        return "neither a file nor a block device";
    }
}

static enum err_code file_open_failed(const char *path, int cause, struct err *err)
{
    struct stat st;

    switch (cause) {
    case ENOENT:
    case ENOTDIR:
        return ERR_RAISE(err, ERR_INPUT, "%s: %s; check the path of the image", path,
                         strerror(cause));
    case EACCES:
    case EPERM:
        return ERR_RAISE(err, ERR_INPUT, "%s: %s; run as a user who may read it", path,
                         strerror(cause));
    case EMFILE:
        return ERR_RAISE(err, ERR_ENV,
                         "%s: cannot be opened: %s; raise the limit (ulimit -n) or join the parts",
                         path, strerror(cause));
    case ENFILE:
    case ENOMEM:
        return ERR_RAISE(err, ERR_ENV, "%s: cannot be opened: %s", path, strerror(cause));
    default: /* a socket cannot be opened at all: ENXIO */
        if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
            return ERR_RAISE(err, ERR_INPUT, "%s: is %s; give an image file or a block device",
                             path, file_kind(st.st_mode));
        return ERR_RAISE(err, ERR_INPUT, "%s: cannot be opened: %s", path, strerror(cause));
    }
}

static enum err_code file_check(const char *path, int fd, struct stat *st, struct err *err)
{
    if (fstat(fd, st) != 0)
        return ERR_RAISE(err, ERR_INPUT, "%s: cannot be examined: %s", path, strerror(errno));
    if (S_ISDIR(st->st_mode))
        return ERR_RAISE(err, ERR_INPUT, "%s: is a directory; give the image file in it", path);
    if (!S_ISREG(st->st_mode) && !S_ISBLK(st->st_mode))
        return ERR_RAISE(
            err, ERR_INPUT,
            "%s: is %s, which can be read only once; save it to a file first and give that", path,
            file_kind(st->st_mode));
    return ERR_OK;
}

/*
 * The path may come from a case file, and to open a tape, a watchdog or another character device
 * does something: what it is is seen before.
 */
enum err_code io_file_open(const char *path, int *fd, struct stat *st, struct err *err)
{
    int place = open(path, O_PATH | O_CLOEXEC);

    if (place < 0 && errno == EMFILE && file_raise_limit())
        place = open(path, O_PATH | O_CLOEXEC);
    if (place < 0)
        return file_open_failed(path, errno, err);
    enum err_code rc = file_check(path, place, st, err);
    int opened = rc == ERR_OK ? file_open_place(place, path) : -1;
    if (rc == ERR_OK && opened < 0 && errno == EMFILE && file_raise_limit())
        opened = file_open_place(place, path);
    if (rc == ERR_OK && opened < 0)
        rc = file_open_failed(path, errno, err);
    close(place);
    if (rc != ERR_OK)
        return rc;
    rc = file_check(path, opened, st, err);
    if (rc == ERR_OK && fcntl(opened, F_SETFL, fcntl(opened, F_GETFL) & ~O_NONBLOCK) != 0)
        rc = ERR_RAISE(err, ERR_ENV, "%s: fcntl: %s", path, strerror(errno));
    if (rc != ERR_OK) {
        close(opened);
        return rc;
    }
    *fd = opened;
    return ERR_OK;
}

enum err_code io_file_size(const char *path, int fd, const struct stat *st, uint64_t *size,
                           uint32_t *sector_size, struct err *err)
{
    int sector = 0;

    *sector_size = LIMIT_SECTOR;
    if (!S_ISBLK(st->st_mode)) {
        *size = (uint64_t)st->st_size;
        return ERR_OK;
    }
    if (ioctl(fd, BLKGETSIZE64, size) != 0)
        return ERR_RAISE(err, ERR_INPUT, "%s: the device does not tell its size: %s", path,
                         strerror(errno));
    if (ioctl(fd, BLKSSZGET, &sector) == 0 && sector > LIMIT_SECTOR)
        *sector_size = (uint32_t)sector;
    return ERR_OK;
}

int io_file_pread(int fd, uint64_t offset, uint8_t *dst, size_t len)
{
    size_t done;

    return io_file_pread_some(fd, offset, dst, len, &done);
}

int io_file_pread_some(int fd, uint64_t offset, uint8_t *dst, size_t len, size_t *done)
{
    *done = 0;
    while (*done < len) {
        const ssize_t got = pread(fd, dst + *done, len - *done, (off_t)(offset + *done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errno;
        if (got == 0)
            return EIO; /* the file has become shorter since it was opened */
        *done += (size_t)got;
    }
    return 0;
}

/* Whether a read that failed says nothing of its place, and all that follow would fail as well. */
static bool file_is_gone(int fd, uint64_t size, int cause)
{
    uint64_t now;

    switch (cause) {
    case ENODEV:
    case ENXIO:
    case ENOMEDIUM:
    case ENOTCONN:
    case ESHUTDOWN:
    case ESTALE:
    case ENOMEM:
        return true;
    default: /* a file has no such size to ask for: ENOTTY */
        return ioctl(fd, BLKGETSIZE64, &now) == 0 ? now < size : errno == ENODEV || errno == ENXIO;
    }
}

enum err_code io_file_result(int fd, const char *path, uint64_t size, uint64_t offset, size_t len,
                             int cause, struct err *err)
{
    if (cause == 0)
        return ERR_OK;
    if (!file_is_gone(fd, size, cause))
        return ERR_RAISE(err, ERR_IO, "%s: bytes %" PRIu64 "+%zu: %s", path, offset, len,
                         strerror(cause));
    return ERR_RAISE(err, ERR_ENV,
                     "%s: cannot be read any more, from byte %" PRIu64
                     " on: %s; is it still connected?",
                     path, offset, strerror(cause));
}
