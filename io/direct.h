/* io/direct.h - files opened a second time, with O_DIRECT (io/ only). */
#ifndef BURIN_IO_DIRECT_H
#define BURIN_IO_DIRECT_H

#include <stdint.h>

struct io_direct_file {
    int fd;         /* the image's */
    int direct;     /* the same file with O_DIRECT; -1: refused */
    uint32_t align; /* bytes, of offset, length and memory */
};

struct io_direct {
    struct io_direct_file *files; /* owned, in the order in which the stream came to them */
    uint32_t count;
};

/* The file behind the image's fd, opened when it is asked for first. NULL without memory. Valid until the next call. */
struct io_direct_file *io_direct_find(struct io_direct *direct, int fd);

/* From now on fd is read without O_DIRECT. */
void io_direct_refuse(struct io_direct *direct, int fd);

void io_direct_release(struct io_direct *direct);

#endif
