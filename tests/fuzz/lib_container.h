/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/lib_container.h - what the fuzz targets of own readers of containers share: the bytes
 * become a file, which is opened as one type, and its map and both ends are read.
 *
 * Found: crashes, hangs, memory without bound; runs of the map that are empty, or that lie outside
 * of the image or of the file; reads that succeed outside of the image.
 */
#ifndef BURIN_TESTS_FUZZ_LIB_CONTAINER_H
#define BURIN_TESTS_FUZZ_LIB_CONTAINER_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/image/container.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_READ_LEN = 100000, FUZZ_RUNS = 4096 };

static inline void fuzz_must(bool right)
{
    if (!right)
        abort();
}

/* A new file in memory; its path. */
static inline int fuzz_file(char path[64])
{
    snprintf(path, 64, "/dev/shm/burin-fuzz-%ld", (long)getpid());
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    fuzz_must(fd >= 0);
    return fd;
}

/* A file in memory of len bytes, zeros at first, which stays for all runs; its path. */
static inline int fuzz_kept(char path[64], uint64_t len)
{
    static int fd = -1;

    if (fd < 0) {
        fd = memfd_create("burin-fuzz", MFD_CLOEXEC);
        fuzz_must(fd >= 0 && ftruncate(fd, (off_t)len) == 0);
    }
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

static inline void fuzz_put(int fd, uint64_t at, const uint8_t *bytes, size_t len)
{
    fuzz_must(pwrite(fd, bytes, len, (off_t)at) == (ssize_t)len);
}

static inline void fuzz_walk_map(const struct io_image *image)
{
    const uint64_t size = io_image_size(image);
    struct io_span span;
    struct stat st;
    uint64_t at = 0;

    for (uint32_t i = 0; i < FUZZ_RUNS && at < size; i++) {
        fuzz_must(io_image_map(image, at, &span) && span.len > 0 && span.len <= size - at);
        if (span.how == IO_SPAN_STORED)
            fuzz_must(fstat(span.fd, &st) == 0 && span.len <= (uint64_t)st.st_size &&
                      span.fd_offset <= (uint64_t)st.st_size - span.len);
        at += span.len;
    }
}

/* Opens the file at path as the type, and reads it. */
static inline void fuzz_read(const char *path, const char *type)
{
    static uint8_t dst[FUZZ_READ_LEN];
    struct io_image *image = NULL;
    struct err err = { .text = "" };

    if (io_image_open_here(path, type, &image, &err) == ERR_OK) {
        const uint64_t size = io_image_size(image);
        const size_t len = size < FUZZ_READ_LEN ? (size_t)size : FUZZ_READ_LEN;

        fuzz_must(size > 0);
        fuzz_walk_map(image);
        fuzz_must(io_salvage_read(image, 0, dst, len, NULL, NULL, &err) == ERR_OK);
        fuzz_must(io_salvage_read(image, size - len, dst, len, NULL, NULL, &err) == ERR_OK);
        fuzz_must(io_salvage_read(image, size - len + 1, dst, len, NULL, NULL, &err) == ERR_ARG);
    } else {
        fuzz_must(image == NULL && strlen(err.text) > 0);
    }
    io_image_close(image);
}

/* The same of a file that is removed then. */
static inline void fuzz_open(const char *path, const char *type)
{
    fuzz_read(path, type);
    unlink(path);
}

#endif
