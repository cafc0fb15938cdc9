/* SPDX-License-Identifier: Apache-2.0
 * io/reader/residency.h - which pages of a file the page cache holds, asked without reading or
 * changing anything.
 *
 * A read with RWF_NOWAIT would tell too, but where it finds nothing it starts a read-ahead, and the
 * bytes would come from the disk twice: once into the page cache and once through O_DIRECT.
 */
#ifndef BURIN_IO_READER_RESIDENCY_H
#define BURIN_IO_READER_RESIDENCY_H

#include <stdbool.h>
#include <stdint.h>

struct io_residency {
    uint32_t page_len; /* bytes */
    int fd;            /* whose window it is */
    void *window;      /* mapped, never touched; NULL: none */
    uint64_t offset;   /* of the window in the file */
};

void io_residency_init(struct io_residency *residency);

/*
 * pages[i] bit 0: page first_page + i of the file is in the page cache. False where the kernel does
 * not tell. To one who neither owns the file nor may write it, the kernel says that all pages are
 * there.
 */
bool io_residency_ask(struct io_residency *residency, int fd, uint64_t first_page,
                      uint32_t page_count, uint8_t *pages);

void io_residency_release(struct io_residency *residency);

#endif
