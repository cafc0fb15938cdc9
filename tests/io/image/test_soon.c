/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_soon.c - what is said to be read soon comes into the page cache, and nothing
 * else does.
 *
 * Method: mincore(2) says which pages of the file the kernel has. Where it keeps all of them, as on
 * tmpfs, there is nothing to see.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tests/io/lib_io.h"

enum { PAGES = 256, LOOKS = 2000, LOOK_NS = 5000000, BEGIN = 32, END = 96 };

struct soon {
    int fd;
    size_t page;
    void *map;
    struct io_image *image;
};

/* How many of the pages from `begin` on, before `end`, the kernel has. */
static uint32_t has(const struct soon *soon, uint32_t begin, uint32_t end)
{
    unsigned char there[PAGES];
    uint32_t count = 0;

    assert_int_equal(mincore(soon->map, PAGES * soon->page, there), 0);
    for (uint32_t i = begin; i < end; i++)
        count += there[i] & 1;
    return count;
}

static void open_image(struct soon *soon, const char *path)
{
    uint8_t page[65536];

    soon->page = (size_t)sysconf(_SC_PAGESIZE);
    assert_true(soon->page <= sizeof page);
    soon->fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(soon->fd >= 0);
    for (uint32_t i = 0; i < PAGES; i++) {
        memset(page, (int)i + 1, sizeof page);
        assert_int_equal(write(soon->fd, page, soon->page), (ssize_t)soon->page);
    }
    soon->map = mmap(NULL, PAGES * soon->page, PROT_READ, MAP_SHARED, soon->fd, 0);
    assert_true(soon->map != MAP_FAILED);
    assert_int_equal(io_image_open(path, "raw", &soon->image, NULL), ERR_OK);
    assert_int_equal(fsync(soon->fd), 0);
    assert_int_equal(posix_fadvise(soon->fd, 0, 0, POSIX_FADV_DONTNEED), 0);
}

static void close_image(struct soon *soon)
{
    io_image_close(soon->image);
    assert_int_equal(munmap(soon->map, PAGES * soon->page), 0);
    close(soon->fd);
}

static void pages_come_that_were_asked_for(void **state)
{
    char folder[64], path[96];
    struct soon soon;

    (void)state;
    test_make_folder(folder);
    snprintf(path, sizeof path, "%s/image", folder);
    open_image(&soon, path);
    unlink(path);
    rmdir(folder);
    if (has(&soon, 0, PAGES) > 0) {
        close_image(&soon);
        skip();
    }
    io_image_max_read(soon.image, 1 << 30, NULL); /* who reads slowly asks for nothing early */
    io_image_soon(soon.image, BEGIN * soon.page, (END - BEGIN) * soon.page);
    assert_int_equal(has(&soon, 0, PAGES), 0);
    io_image_max_read(soon.image, 0, NULL);

    io_image_soon(soon.image, BEGIN * soon.page, (END - BEGIN) * soon.page);
    io_image_soon(soon.image, PAGES * soon.page, 1 << 20); /* behind the image: nothing */
    for (int i = 0; i < LOOKS && has(&soon, BEGIN, END) < END - BEGIN; i++)
        nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
    assert_int_equal(has(&soon, BEGIN, END), END - BEGIN);
    assert_int_equal(has(&soon, 0, BEGIN), 0);
    assert_int_equal(has(&soon, END, PAGES), 0);
    close_image(&soon);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pages_come_that_were_asked_for) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
