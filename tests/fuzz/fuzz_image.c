/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_image.c - a file of any bytes, opened as an image and read at both ends.
 *
 * Found: crashes in the search for a container, in the chains of E01 sections and in VMDK
 * descriptors, and in the libraries that decode the containers; reads that succeed outside of what
 * the image says it holds; hangs.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/image/container.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libtsk 4.11.1 forgets what it has allocated when an open or a read fails. Ours must not. Names of
 * libraries are there for machines on which nothing finds those of functions. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libvmdk\nleak:tsk_malloc\nleak:libtsk\nleak:libewf\nleak:af_\nleak:libafflib\n"
           "leak:libcerror\n";
}

/* libewf asks for what a damaged table says a chunk has, up to 4 GiB; it gets no more than a chunk
 * may have. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=256";
}

enum { READ_LEN = 100000 };

static void must(bool right)
{
    if (!right)
        abort();
}

/* libewf finds files by their names, so the name is that of an E01; the other containers do not
 * mind. */
static void write_input(const char *path, const uint8_t *data, size_t size)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    must(fd >= 0 && write(fd, data, size) == (ssize_t)size && close(fd) == 0);
}

static void read_both_ends(struct io_image *image)
{
    static uint8_t dst[READ_LEN];
    const uint64_t size = io_image_size(image);
    const size_t len = size < READ_LEN ? (size_t)size : READ_LEN;
    struct err err;

    must(size > 0 && io_image_part_count(image) == 1);
    must(io_salvage_read(image, 0, dst, len, NULL, NULL, &err) == ERR_OK);
    must(io_salvage_read(image, size - len, dst, len, NULL, NULL, &err) == ERR_OK);
    must(io_salvage_read(image, size - len + 1, dst, len, NULL, NULL, &err) == ERR_ARG);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct io_image *image = NULL;
    struct err err = { .text = "" };
    char path[64];

    snprintf(path, sizeof path, "/dev/shm/burin-fuzz-%ld.E01", (long)getpid());
    write_input(path, data, size);
    if (io_image_open_here(path, NULL, &image, &err) == ERR_OK)
        read_both_ends(image);
    else
        must(image == NULL && strlen(err.text) > 0);
    io_image_close(image);
    unlink(path);
    return 0;
}
