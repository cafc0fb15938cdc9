/* SPDX-License-Identifier: Apache-2.0
 * carver/case/outdir_stream.c - the reports of an output folder; see outdir.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "carver/case/outdir.h"

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

static void stream_is_full(const struct outdir *dir)
{
    if (dir->full != NULL)
        dir->full(dir->full_arg);
}

/* Sets room aside for the next len bytes of the stream, and for what comes behind them. */
static void stream_ahead(struct outdir_stream *stream, size_t len)
{
    const uint64_t end = stream->written + len + stream->ahead;

    if (stream->ahead == 0 || end <= stream->set_aside)
        return;
    if (fallocate(stream->fd, FALLOC_FL_KEEP_SIZE, (off_t)stream->set_aside,
                  (off_t)(end - stream->set_aside)) == 0) {
        stream->set_aside = end;
    } else if (errno == ENOSPC || errno == EDQUOT) {
        stream_is_full(stream->dir);
    } else if (errno != EINTR) {
        stream->ahead = 0; /* the file system cannot: there is the reserve */
    }
}

static ssize_t stream_write(void *cookie, const char *bytes, size_t len)
{
    struct outdir_stream *stream = cookie;
    size_t done = 0;

    stream_ahead(stream, len);
    while (done < len) {
        const ssize_t wrote = write(stream->fd, bytes + done, len - done);

        if (wrote > 0) {
            done += (size_t)wrote;
            stream->written += (uint64_t)wrote;
        } else if (wrote < 0 && errno == EINTR) {
            continue;
        } else if (wrote < 0 && (errno == ENOSPC || errno == EDQUOT) && stream->dir->reserved) {
            stream_is_full(stream->dir);
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
    const cookie_io_functions_t functions = { .write = stream_write };
    struct outdir_stream *stream = calloc(1, sizeof *stream);
    enum err_code rc;

    *out = NULL;
    if (stream == NULL)
        return ERR_NO_MEMORY(err, sizeof *stream);
    stream->dir = dir;
    stream->name = name;
    stream->ahead = ahead;
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
    stream_ahead(stream, 0);
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
