/* SPDX-License-Identifier: Apache-2.0
 * io/reader/residency.c - see residency.h. */
#include <sys/mman.h>
#include <unistd.h>

#include "io/reader/residency.h"

static const size_t residency_window_len =
    (size_t)1 << 30; /* address space only; no memory stands behind it */

void io_residency_init(struct io_residency *residency)
{
    *residency = (struct io_residency){ .page_len = (uint32_t)sysconf(_SC_PAGESIZE), .fd = -1 };
}

bool io_residency_ask(struct io_residency *residency, int fd, uint64_t first_page,
                      uint32_t page_count, uint8_t *pages)
{
    const uint64_t offset = first_page * residency->page_len;
    const size_t len = (size_t)page_count * residency->page_len;

    if (residency->window == NULL || residency->fd != fd || offset < residency->offset ||
        offset + len > residency->offset + residency_window_len) {
        io_residency_release(residency);
        void *window = mmap(NULL, residency_window_len, PROT_READ, MAP_SHARED | MAP_NORESERVE, fd,
                            (off_t)offset);
        if (window == MAP_FAILED)
            return false;
        residency->fd = fd;
        residency->window = window;
        residency->offset = offset;
    }
    return mincore((char *)residency->window + (offset - residency->offset), len, pages) == 0;
}

void io_residency_release(struct io_residency *residency)
{
    if (residency->window != NULL)
        munmap(residency->window, residency_window_len);
    residency->window = NULL;
}
