/* SPDX-License-Identifier: Apache-2.0
 * carver/file_source.c - see file_source.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "carver/file_source.h"

/* Reads len bytes at offset; false with source->error set when that fails. A file cut short
 * meanwhile is an error too. */
static bool file_source_read(struct file_source *source, uint64_t offset, uint8_t *bytes,
                             uint32_t len)
{
    for (uint32_t done = 0; done < len;) {
        const ssize_t got = pread(source->fd, bytes + done, len - done, (off_t)(offset + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            source->error = got < 0 ? errno : EIO;
            return false;
        }
        done += (uint32_t)got;
    }
    return true;
}

static const uint8_t *file_source_view(struct sig_source *base, uint64_t at, uint32_t want,
                                       uint32_t *have)
{
    struct file_source *source = (struct file_source *)base;
    uint32_t oldest = 0;

    if (at >= source->size || want > source->size - at)
        return NULL;
    for (uint32_t i = 0; i < FILE_SOURCE_BLOCKS; i++) {
        const uint64_t begin = source->blocks[i].offset;
        const uint32_t len = source->blocks[i].len;

        if (at >= begin && at - begin < len && want <= len - (at - begin)) {
            source->blocks[i].used = ++source->clock;
            *have = len - (uint32_t)(at - begin);
            return source->blocks[i].bytes + (at - begin);
        }
        if (source->blocks[i].used < source->blocks[oldest].used)
            oldest = i;
    }
    const uint64_t left = source->size - at;
    const uint32_t len = left < FILE_SOURCE_BLOCK ? (uint32_t)left : FILE_SOURCE_BLOCK;
    source->blocks[oldest].len = 0;
    if (!file_source_read(source, at, source->blocks[oldest].bytes, len))
        return NULL;
    source->blocks[oldest].offset = at;
    source->blocks[oldest].len = len;
    source->blocks[oldest].used = ++source->clock;
    *have = len;
    return source->blocks[oldest].bytes;
}

enum err_code file_source_init(struct file_source *source, struct err *err)
{
    _Static_assert((int)FILE_SOURCE_BLOCK >= (int)SIG_BYTES_MAX,
                   "a block holds what a validator may ask for");

    *source = (struct file_source){ .source = { .view = file_source_view }, .fd = -1 };
    for (uint32_t i = 0; i < FILE_SOURCE_BLOCKS; i++) {
        source->blocks[i].bytes = malloc(FILE_SOURCE_BLOCK);
        if (source->blocks[i].bytes == NULL)
            return ERR_NO_MEMORY(err, FILE_SOURCE_BLOCK);
    }
    return ERR_OK;
}

void file_source_release(struct file_source *source)
{
    file_source_close(source);
    for (uint32_t i = 0; i < FILE_SOURCE_BLOCKS; i++)
        free(source->blocks[i].bytes);
}

enum err_code file_source_open(struct file_source *source, const char *path, struct err *err)
{
    struct stat info;

    file_source_close(source);
    source->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK |
                                O_NOCTTY); /* not to wait for the writer of a pipe */
    if (source->fd < 0 || fstat(source->fd, &info) != 0)
        return ERR_RAISE(err, ERR_INPUT, "%s", strerror(errno));
    if (S_ISDIR(info.st_mode))
        return ERR_RAISE(err, ERR_INPUT, "a directory");
    if (!S_ISREG(info.st_mode))
        return ERR_RAISE(err, ERR_INPUT, "not a regular file");
    source->size = (uint64_t)info.st_size;
    return ERR_OK;
}

void file_source_close(struct file_source *source)
{
    if (source->fd >= 0)
        close(source->fd);
    source->fd = -1;
    source->size = 0;
    source->error = 0;
    for (uint32_t i = 0; i < FILE_SOURCE_BLOCKS; i++) {
        source->blocks[i].len = 0;
        source->blocks[i].used = 0;
    }
}
