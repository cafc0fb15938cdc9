/* SPDX-License-Identifier: Apache-2.0
 * carver/case/outdir.c - see outdir.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "carver/case/outdir.h"
#include "carver/cli/progress.h"

static const char outdir_reserve_name[] = ".reserve";

static enum err_code outdir_check_empty(int fd, const char *path, struct err *err)
{
    enum err_code rc = ERR_OK;
    const int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;

    if (entries == NULL) {
        if (copy >= 0)
            close(copy);
        return ERR_RAISE(err, ERR_ENV, "%s: cannot list the folder: %s", path, strerror(errno));
    }
    for (const struct dirent *entry; rc == ERR_OK && (entry = readdir(entries)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            rc = ERR_RAISE(
                err, ERR_INPUT,
                "%s is not empty, and burin overwrites nothing; name a new or an empty folder",
                path);
    closedir(entries);
    return rc;
}

enum err_code outdir_open(const char *path, struct outdir *out, struct err *err)
{
    enum err_code rc = ERR_OK;

    *out = (struct outdir){ .fd = -1 };
    out->made = mkdir(path, 0700) == 0;
    if (!out->made && errno != EEXIST) {
        if (errno == ENOENT)
            return ERR_RAISE(err, ERR_INPUT,
                             "%s: the folder above it does not exist; make that first", path);
        return ERR_RAISE(err, errno == ENOTDIR ? ERR_INPUT : ERR_ENV,
                         "%s: cannot make the folder: %s", path, strerror(errno));
    }
    out->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (out->fd < 0)
        return ERR_RAISE(err, errno == ENOTDIR ? ERR_INPUT : ERR_ENV,
                         "%s: cannot open the folder: %s", path, strerror(errno));
    rc = outdir_check_empty(out->fd, path, err);
    if (rc == ERR_OK && faccessat(out->fd, ".", W_OK | X_OK, AT_EACCESS) != 0)
        rc = ERR_RAISE(err, ERR_ENV, "%s: cannot write into the folder: %s", path, strerror(errno));
    if (rc == ERR_OK) {
        char *full = realpath(path, NULL);

        if (full == NULL || strlen(full) >= sizeof out->path)
            rc = ERR_RAISE(err, ERR_ENV, "%s: cannot find the full path of the folder", path);
        else
            memcpy(out->path, full, strlen(full) + 1);
        free(full);
    }
    if (rc != ERR_OK)
        outdir_close(out);
    return rc;
}

void outdir_close(struct outdir *dir)
{
    if (dir->fd >= 0) {
        outdir_give_up_reserve(dir);
        close(dir->fd);
        if (dir->made)
            rmdir(dir->path); /* only goes if nothing came of it */
        dir->fd = -1;
    }
}

/* Opens a folder; ENOSYS: the kernel, or a filter of system calls, does not know how. */
static int outdir_open_beneath(int above, const char *path)
{
    const struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
                                  .resolve =
                                      RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV };
    const int fd = (int)syscall(SYS_openat2, above, path, &how, sizeof how);

    if (fd < 0 && errno == EPERM)
        errno = ENOSYS;
    return fd;
}

/* Makes the folder, or takes one that is there, and opens it. */
static int outdir_step(int above, const char *name)
{
    if (mkdirat(above, name, 0700) != 0 && errno != EEXIST)
        return -1;
    const int fd = outdir_open_beneath(above, name);
    if (fd >= 0 || errno != ENOSYS)
        return fd;
    return openat(above, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int outdir_folder(const struct outdir *dir, const char *path)
{
    char step[OUTDIR_NAME_MAX];
    int fd = outdir_open_beneath(dir->fd, path); /* nearly always it is there */

    if (fd >= 0)
        return fd;
    for (int above = dir->fd;; above = fd) {
        const size_t len = strcspn(path, "/");

        snprintf(step, sizeof step, "%.*s", (int)len, path);
        fd = outdir_step(above, step);
        if (above != dir->fd) {
            const int failed = errno;

            close(above);
            errno = failed;
        }
        if (fd < 0 || path[len] == '\0')
            return fd;
        path += len + 1;
    }
}

enum err_code outdir_need(const struct outdir *dir, uint64_t bytes, uint64_t files, struct err *err)
{
    char need_text[32], have_text[32];
    struct statvfs info;

    if (fstatvfs(dir->fd, &info) != 0)
        return ERR_RAISE(err, ERR_ENV, "%s: cannot find out the free space: %s", dir->path,
                         strerror(errno));
    /* Each file wastes half a block on average, and never more than one. */
    const uint64_t waste = files * info.f_frsize;
    const uint64_t have = (uint64_t)info.f_bavail * info.f_frsize;
    const uint64_t need =
        bytes > UINT64_MAX - waste - OUTDIR_RESERVE ? UINT64_MAX : bytes + waste + OUTDIR_RESERVE;
    if (need > have) {
        progress_bytes(need, need_text);
        progress_bytes(have, have_text);
        return ERR_RAISE(err, ERR_ENV,
                         "%s: not enough space: %" PRIu64 " files need %s (%" PRIu64
                         " bytes), %s are available (%" PRIu64
                         " bytes); use another disk, or fewer --types",
                         dir->path, files, need_text, need, have_text, have);
    }
    if (info.f_files != 0 && info.f_favail < files + OUTDIR_FILES)
        return ERR_RAISE(err, ERR_ENV,
                         "%s: the file system has room for %" PRIu64 " more files, %" PRIu64
                         " are needed",
                         dir->path, (uint64_t)info.f_favail, files + OUTDIR_FILES);
    return ERR_OK;
}

enum err_code outdir_reserve(struct outdir *dir, struct err *err)
{
    const int fd = openat(dir->fd, outdir_reserve_name,
                          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

    if (fd < 0)
        return ERR_RAISE(err, ERR_ENV, "%s: cannot make a file: %s", dir->path, strerror(errno));
    dir->reserved = true;
    const int failed = posix_fallocate(fd, 0, OUTDIR_RESERVE);
    close(fd);
    if (failed != 0) {
        outdir_give_up_reserve(dir);
        return ERR_RAISE(err, ERR_ENV, "%s: cannot reserve %d bytes for the reports: %s", dir->path,
                         OUTDIR_RESERVE, strerror(failed));
    }
    return ERR_OK;
}

void outdir_give_up_reserve(struct outdir *dir)
{
    if (dir->reserved)
        unlinkat(dir->fd, outdir_reserve_name, 0);
    dir->reserved = false;
}

enum err_code outdir_sync(struct outdir *dir, struct err *err)
{
    if (syncfs(dir->fd) != 0)
        return ERR_RAISE(err, ERR_ENV, "%s: the written data did not reach the disk: %s", dir->path,
                         strerror(errno));
    return ERR_OK;
}

void outdir_safe_name(char out[OUTDIR_NAME_MAX], const char *name, const char *fallback)
{
    size_t len = 0;

    for (const char *p = name; *p != '\0' && len < OUTDIR_NAME_MAX - 1; p++) {
        const bool kept = (*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z') ||
                          (*p >= '0' && *p <= '9') || *p == '_' || *p == '+' || *p == '-' ||
                          (*p == '.' && len > 0);

        out[len++] = kept ? *p : '_';
    }
    out[len] = '\0';
    if (len == 0)
        snprintf(out, OUTDIR_NAME_MAX, "%s", fallback);
}
