/* carver/case/outdir.c - see outdir.h. */
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

struct outdir_stream {
    struct outdir *dir;
    const char *name; /* static text of the caller */
    FILE *file;
    int fd;
    uint64_t ahead;     /* bytes to set aside behind what was written; 0: none (any more) */
    uint64_t written;   /* bytes */
    uint64_t set_aside; /* bytes of the file, those written included */
    int error;          /* errno of the write that failed */
    char buffer[OUTDIR_BUFFER];
};

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

static void outdir_is_full(const struct outdir *dir)
{
    if (dir->full != NULL)
        dir->full(dir->full_arg);
}

/* Sets room aside for the next len bytes of the stream, and for what comes behind them. */
static void outdir_stream_ahead(struct outdir_stream *stream, size_t len)
{
    const uint64_t end = stream->written + len + stream->ahead;

    if (stream->ahead == 0 || end <= stream->set_aside)
        return;
    if (fallocate(stream->fd, FALLOC_FL_KEEP_SIZE, (off_t)stream->set_aside,
                  (off_t)(end - stream->set_aside)) == 0) {
        stream->set_aside = end;
    } else if (errno == ENOSPC || errno == EDQUOT) {
        outdir_is_full(stream->dir);
    } else if (errno != EINTR) {
        stream->ahead = 0; /* the file system cannot: there is the reserve */
    }
}

static ssize_t outdir_stream_write(void *cookie, const char *bytes, size_t len)
{
    struct outdir_stream *stream = cookie;
    size_t done = 0;

    outdir_stream_ahead(stream, len);
    while (done < len) {
        const ssize_t wrote = write(stream->fd, bytes + done, len - done);

        if (wrote > 0) {
            done += (size_t)wrote;
            stream->written += (uint64_t)wrote;
        } else if (wrote < 0 && errno == EINTR) {
            continue;
        } else if (wrote < 0 && (errno == ENOSPC || errno == EDQUOT) && stream->dir->reserved) {
            outdir_is_full(stream->dir);
            outdir_give_up_reserve(stream->dir);
        } else {
            stream->error = wrote < 0 ? errno : EIO;
            break;
        }
    }
    return (ssize_t)done;
}

enum err_code outdir_stream_open(struct outdir *dir, const char *name, uint64_t ahead,
                                 struct outdir_stream **out, struct err *err)
{
    const cookie_io_functions_t functions = { .write = outdir_stream_write };
    struct outdir_stream *stream = calloc(1, sizeof *stream);
    enum err_code rc;

    *out = NULL;
    if (stream == NULL)
        return ERR_NO_MEMORY(err, sizeof *stream);
    *stream = (struct outdir_stream){ .dir = dir, .name = name, .ahead = ahead };
    stream->fd = openat(dir->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (stream->fd < 0) {
        rc = ERR_RAISE(err, ERR_ENV, "%s/%s: cannot make the file: %s", dir->path, name,
                       strerror(errno));
        goto failed;
    }
    stream->file = fopencookie(stream, "w", functions);
    if (stream->file == NULL ||
        setvbuf(stream->file, stream->buffer, _IOFBF, sizeof stream->buffer) != 0) {
        rc = ERR_NO_MEMORY(err, OUTDIR_BUFFER);
        goto failed;
    }
    outdir_stream_ahead(stream, 0);
    *out = stream;
    return ERR_OK;
failed:
    if (stream->file != NULL)
        fclose(stream->file);
    if (stream->fd >= 0)
        close(stream->fd);
    free(stream);
    return rc;
}

FILE *outdir_stream_file(struct outdir_stream *stream)
{
    return stream->file;
}

enum err_code outdir_stream_flush(struct outdir_stream *stream, bool durable, struct err *err)
{
    bool failed = fflush(stream->file) != 0 || ferror(stream->file);

    if (!failed && durable && fdatasync(stream->fd) != 0 && errno != EINVAL && errno != ENOTSUP) {
        stream->error = errno;
        failed = true;
    }
    if (failed)
        return ERR_RAISE(err, ERR_ENV, "%s/%s: cannot write the report: %s", stream->dir->path,
                         stream->name, strerror(stream->error != 0 ? stream->error : EIO));
    return ERR_OK;
}

enum err_code outdir_stream_close(struct outdir_stream *stream, struct err *err)
{
    if (stream == NULL)
        return ERR_OK;
    stream->ahead = 0; /* this is its end */
    enum err_code rc = outdir_stream_flush(stream, true, err);
    (void)!ftruncate(stream->fd, (off_t)stream->written); /* gives back what was set aside */
    fclose(stream->file);
    if (close(stream->fd) != 0 && rc == ERR_OK)
        rc = ERR_RAISE(err, ERR_ENV, "%s/%s: cannot close the report: %s", stream->dir->path,
                       stream->name, strerror(errno));
    free(stream);
    return rc;
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
