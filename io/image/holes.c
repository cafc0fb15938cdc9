/* SPDX-License-Identifier: Apache-2.0
 * io/image/holes.c - see holes.h. */
#include <errno.h>
#include <unistd.h>

#include "io/image/holes.h"

enum {
    HOLES_JOINED = 64, /* stretches of bytes with short holes between them that are one answer */
    HOLES_BLOCK = 512, /* bytes of st_blocks */
};

void io_holes_open(struct io_holes *holes, const struct stat *st)
{
    *holes = (struct io_holes){ 0 };
    pthread_mutex_init(&holes->lock, NULL);
    holes->asks = S_ISREG(st->st_mode) && st->st_blocks < st->st_size / HOLES_BLOCK;
}

void io_holes_close(struct io_holes *holes)
{
    pthread_mutex_destroy(&holes->lock);
}

static bool holes_recall(const struct io_holes *holes, uint64_t at, uint64_t *end, bool *hole)
{
    for (uint32_t i = 0; i < IO_HOLES_KEPT; i++)
        if (at >= holes->kept[i].from && at < holes->kept[i].to) {
            *end = holes->kept[i].to;
            *hole = holes->kept[i].hole;
            return true;
        }
    return false;
}

/* Where the file has bytes again from byte `at` on; its size: nowhere. False: that is not told. */
static bool holes_data(int fd, uint64_t size, uint64_t at, uint64_t *out)
{
    const off_t data = lseek(fd, (off_t)at, SEEK_DATA);

    *out = data >= 0 && (uint64_t)data < size ? (uint64_t)data : size;
    return data >= (off_t)at || (data < 0 && errno == ENXIO);
}

/* Where the bytes end that stand at byte `at`. */
static uint64_t holes_data_end(int fd, uint64_t size, uint64_t at)
{
    uint64_t data = at;

    for (uint32_t i = 0; i < HOLES_JOINED; i++) {
        const off_t end = lseek(fd, (off_t)data, SEEK_HOLE);

        if (end <= (off_t)data || (uint64_t)end >= size ||
            !holes_data(fd, size, (uint64_t)end, &data))
            return size;
        if (data - (uint64_t)end >= IO_HOLES_LEAST || data == size)
            return (uint64_t)end;
    }
    return data;
}

/* Asks the file system; what it does not tell is no hole. */
static bool holes_ask(int fd, uint64_t size, uint64_t at, uint64_t *end)
{
    const bool told = holes_data(fd, size, at, end);
    const bool hole = told && *end - at >= IO_HOLES_LEAST;

    if (!hole)
        *end = told && *end < size ? holes_data_end(fd, size, *end) : size;
    return hole;
}

bool io_holes_at(struct io_holes *holes, int fd, uint64_t size, uint64_t at, uint64_t *end)
{
    bool hole = false;

    *end = size;
    if (!holes->asks)
        return false;
    pthread_mutex_lock(&holes->lock);
    if (!holes_recall(holes, at, end, &hole)) {
        hole = holes_ask(fd, size, at, end);
        holes->kept[holes->next].from = at;
        holes->kept[holes->next].to = *end;
        holes->kept[holes->next].hole = hole;
        holes->next = (holes->next + 1) % IO_HOLES_KEPT;
    }
    pthread_mutex_unlock(&holes->lock);
    return hole;
}
