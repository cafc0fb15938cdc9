/* SPDX-License-Identifier: Apache-2.0
 * io/system/again.c - see again.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "io/system/again.h"
#include "io/system/direct.h"

enum {
    AGAIN_PAGE = 4096, /* bytes: the least that the page cache reads; alignment of a buffer */
    AGAIN_BUFFER = 128 << 10, /* bytes of one read */
};

void io_again_init(struct io_again *again)
{
    *again = (struct io_again){ .files = NULL };
    pthread_mutex_init(&again->lock, NULL); /* cannot fail with default attributes on Linux */
}

/* Where the system does not say what O_DIRECT asks for, a sector is tried before a page. */
static struct io_again_file again_open(int fd)
{
    struct io_again_file file = { .fd = fd, .own = io_direct_open(fd, O_DIRECT), .direct = true };

    file.align = io_direct_align(fd).offset;
    if (file.align < LIMIT_SECTOR)
        file.align = LIMIT_SECTOR;
    if (file.own < 0 || file.align > AGAIN_BUFFER || (file.align & (file.align - 1)) != 0) {
        if (file.own >= 0)
            close(file.own);
        file.own = io_direct_open(fd, 0);
        file.align = AGAIN_PAGE;
        file.direct = false;
    }
    if (file.own >= 0)
        posix_fadvise(file.own, 0, 0,
                      POSIX_FADV_RANDOM); /* no reading ahead; only advice: may fail */
    else
        file.own = fd; /* out of descriptors */
    return file;
}

/* Called with the lock held. NULL: no memory. */
static struct io_again_file *again_find(struct io_again *again, int fd)
{
    for (uint32_t i = again->count; i-- > 0;)
        if (again->files[i].fd == fd)
            return &again->files[i];
    struct io_again_file *grown = realloc(again->files, (again->count + 1) * sizeof *grown);
    if (grown == NULL)
        return NULL;
    again->files = grown;
    grown[again->count] = again_open(fd);
    return &grown[again->count++];
}

/*
 * The file as it was used before was refused: from now on with larger pieces, or through the page
 * cache.
 */
static void again_relax(struct io_again *again, const struct io_again_file *used)
{
    pthread_mutex_lock(&again->lock);
    struct io_again_file *file = again_find(again, used->fd);
    if (file != NULL && file->direct && file->align == used->align) {
        file->direct = file->align < AGAIN_PAGE;
        file->align = AGAIN_PAGE;
        if (!file->direct)
            fcntl(file->own, F_SETFL, fcntl(file->own, F_GETFL) & ~O_DIRECT);
    }
    pthread_mutex_unlock(&again->lock);
}

/*
 * Reads the aligned bytes around [offset, offset + len), which are at most AGAIN_BUFFER: how many
 * of it, or -errno.
 */
static ssize_t again_piece(const struct io_again_file *file, uint64_t offset, uint8_t *dst,
                           size_t len, uint8_t *buffer)
{
    const size_t into = (size_t)(offset % file->align);
    const size_t want = (into + len + file->align - 1) / file->align * file->align;
    ssize_t got;

    do
        got = pread(file->own, buffer, want, (off_t)(offset - into));
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return -errno;
    const size_t there = (size_t)got > into ? (size_t)got - into : 0,
                 used = there < len ? there : len;
    memcpy(dst, buffer + into, used);
    return (ssize_t)used;
}

static bool again_ask(struct io_again *again, int fd, struct io_again_file *out)
{
    pthread_mutex_lock(&again->lock);
    const struct io_again_file *file = again_find(again, fd);
    if (file != NULL)
        *out = *file;
    pthread_mutex_unlock(&again->lock);
    return file != NULL;
}

int io_again_read(struct io_again *again, int fd, uint64_t offset, uint8_t *dst, size_t len,
                  uint32_t *unit)
{
    uint8_t *buffer = aligned_alloc(AGAIN_PAGE, AGAIN_BUFFER);
    struct io_again_file file;
    int cause = 0;

    while (len > 0 && cause == 0) {
        if (buffer == NULL || !again_ask(again, fd, &file)) {
            cause = ENOMEM;
            break;
        }
        const size_t most = AGAIN_BUFFER - (size_t)(offset % file.align);
        const ssize_t got = again_piece(&file, offset, dst, len < most ? len : most, buffer);
        *unit = file.align;
        if (got == -EINVAL && file.direct) {
            again_relax(again, &file);
        } else if (got <= 0) {
            cause = got < 0 ? (int)-got : EIO;
        } else {
            offset += (uint64_t)got;
            dst += got;
            len -= (size_t)got;
        }
    }
    free(buffer);
    return cause;
}

void io_again_release(struct io_again *again)
{
    for (uint32_t i = 0; i < again->count; i++)
        if (again->files[i].own != again->files[i].fd)
            close(again->files[i].own);
    free(again->files);
    pthread_mutex_destroy(&again->lock);
}
