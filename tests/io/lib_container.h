/* SPDX-License-Identifier: Apache-2.0
 * tests/io/lib_container.h - what tests that make containers share: a folder with a disk in it, and
 * the tools.
 */
#ifndef BURIN_TESTS_IO_LIB_CONTAINER_H
#define BURIN_TESTS_IO_LIB_CONTAINER_H

#include "tests/io/lib_io.h"

enum { DISK_LEN = 3 << 20, CHUNK_LEN = 32 * 1024 };

struct disk {
    char folder[64];
    uint8_t *bytes;
};

static inline int make(void **state)
{
    struct disk *disk = malloc(sizeof *disk);
    char path[96];

    test_make_folder(disk->folder);
    disk->bytes = test_bytes(DISK_LEN, 7);
    memset(disk->bytes + (1 << 20), 0, 600 * 1024);
    snprintf(path, sizeof path, "%s/disk.raw", disk->folder);
    test_write_file(path, disk->bytes, DISK_LEN);
    *state = disk;
    return 0;
}

static inline int clean(void **state)
{
    struct disk *disk = *state;

    test_remove_folder(disk->folder);
    free(disk->bytes);
    free(disk);
    return 0;
}

/* Runs a command in the folder; skips the test when the tool is not installed. */
static inline void tool(const struct disk *disk, const char *name, const char *arguments)
{
    char command[1024];

    snprintf(command, sizeof command, "command -v %s >/dev/null", name);
    if (system(command) != 0) {
        print_message("%s is not installed\n", name);
        skip();
    }
    snprintf(command, sizeof command, "cd %s && %s %s </dev/null >tool.log 2>&1", disk->folder,
             name, arguments);
    if (system(command) != 0)
        fail_msg("%s failed", command);
}

static inline void shell(const struct disk *disk, const char *line)
{
    char command[1024];

    snprintf(command, sizeof command, "cd %s && %s", disk->folder, line);
    assert_int_equal(system(command), 0);
}

/* Turns over all bits of one byte of a file in the folder, so that it changes whatever it was. */
static inline void flip(const struct disk *disk, const char *name, long at)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", disk->folder, name);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    const int byte = fgetc(file);
    assert_true(byte != EOF);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    assert_int_equal(fputc(byte ^ 0xff, file), byte ^ 0xff);
    assert_int_equal(fclose(file), 0);
}

static inline enum err_code open_in(const struct disk *disk, const char *name,
                                    struct io_image **image, struct err *err)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", disk->folder, name);
    return io_image_open(path, NULL, image, err);
}

/* The image at name has the disk's bytes, whole and in pieces, and behind them at most a cylinder
 * of zeros. */
static inline void same_bytes(const struct disk *disk, const char *name, const char *format,
                              uint32_t parts)
{
    struct io_image *image;
    struct err err = { 0 };
    uint8_t *got = malloc(DISK_LEN);
    uint64_t random = 11;

    if (open_in(disk, name, &image, &err) != ERR_OK)
        fail_msg("%s: %s", name, err.text);
    assert_string_equal(io_image_format(image), format);
    assert_int_equal(io_image_part_count(image), parts);
    assert_in_range(io_image_size(image), DISK_LEN,
                    DISK_LEN + (1 << 20)); /* dynamic VHDs round up to cylinders */
    assert_int_equal(io_image_read_at(image, 0, got, DISK_LEN, &err), ERR_OK);
    assert_memory_equal(got, disk->bytes, DISK_LEN);
    for (int i = 0; i < 200; i++) {
        const uint64_t offset = test_random(&random) % DISK_LEN;
        const size_t len = (size_t)(test_random(&random) % (DISK_LEN - offset)) % 70000;
        assert_int_equal(io_image_read_at(image, offset, got, len, &err), ERR_OK);
        assert_memory_equal(got, disk->bytes + offset, len);
    }
    io_image_close(image);
    free(got);
}

static inline void refused(const struct disk *disk, const char *name, const char *word)
{
    struct io_image *image;
    struct err err = { 0 };

    assert_int_equal(open_in(disk, name, &image, &err), ERR_INPUT);
    if (strstr(err.text, word) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", name, err.text, word);
}

#endif
