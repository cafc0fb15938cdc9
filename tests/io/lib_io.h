/* SPDX-License-Identifier: Apache-2.0
 * tests/io/lib_io.h - what the tests of io/ share: bytes that tell their offset, temporary folders,
 * a drained reader. */
#ifndef BURIN_TESTS_IO_LIB_IO_H
#define BURIN_TESTS_IO_LIB_IO_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/image.h"
#include "io/reader.h"

/* A small generator with a seed, so that a failure can be run again: xorshift64*. */
static inline uint64_t test_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

static inline uint8_t *test_bytes(size_t len, uint64_t seed)
{
    uint8_t *bytes = malloc(len + 8);
    uint64_t state = seed * 2 + 1;

    assert_non_null(bytes);
    for (size_t i = 0; i < len; i += 8) {
        const uint64_t word = test_random(&state);
        memcpy(bytes + i, &word, 8);
    }
    return bytes;
}

/* A new folder; test_remove_folder takes it away with all that is in it. */
static inline void test_make_folder(char path[64])
{
    snprintf(path, 64, "/tmp/burin-test-XXXXXX");
    assert_non_null(mkdtemp(path));
}

static inline void test_remove_folder(const char *path)
{
    char command[96];

    snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
}

static inline void test_write_file(const char *path, const void *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

#endif
