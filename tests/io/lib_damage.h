/* SPDX-License-Identifier: Apache-2.0
 * tests/io/lib_damage.h - a container is cut short and changed bit by bit: what is read of it must
 * be the disk's bytes, or said to be bad.
 */
#ifndef BURIN_TESTS_IO_LIB_DAMAGE_H
#define BURIN_TESTS_IO_LIB_DAMAGE_H

#include <fcntl.h>
#include <sys/stat.h>

#include "io/image/container.h"
#include "tests/asan.h"
#include "tests/io/lib_container.h"

/* One bit of so many is changed where there are thousands, each of which is read 3 MiB of. */
#define DAMAGE_SHARE FEW_OR_ALL(8, 4, 1)

enum damage { DAMAGE_REFUSED, DAMAGE_NONE, DAMAGE_TOLD, DAMAGE_SILENT };

struct damaged {
    const struct disk *disk;
    const char *type; /* of --image-type */
    char path[256];   /* of the copy that is damaged */
    uint8_t *bytes;   /* of the sound container */
    size_t len;
    uint8_t *got;       /* DISK_LEN bytes */
    uint32_t counts[4]; /* by enum damage */
};

static inline void damaged_begin(struct damaged *d, const struct disk *disk, const char *name,
                                 const char *type)
{
    char path[192];
    struct stat st;

    *d = (struct damaged){ .disk = disk, .type = type };
    snprintf(path, sizeof path, "%s/%s", disk->folder, name);
    snprintf(d->path, sizeof d->path, "%s/damaged-%s", disk->folder, name);
    assert_int_equal(stat(path, &st), 0);
    d->len = (size_t)st.st_size;
    d->bytes = malloc(d->len);
    d->got = malloc(DISK_LEN);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(d->bytes, 1, d->len, file), d->len);
    fclose(file);
    test_write_file(d->path, d->bytes, d->len);
}

static inline void damaged_end(struct damaged *d)
{
    unlink(d->path);
    free(d->bytes);
    free(d->got);
}

static inline void damaged_is_bad(void *arg, const struct io_bad_range *range)
{
    const struct damaged *d = arg;

    const uint64_t most = range->offset < DISK_LEN ? DISK_LEN - range->offset : 0;

    if (most > 0)
        memcpy(d->got + range->offset, d->disk->bytes + range->offset,
               range->len < most ? range->len : most);
}

/* What becomes of the damaged file. */
static inline enum damage damaged_look(struct damaged *d)
{
    struct io_image *image = NULL;
    struct err err = { 0 };
    enum damage found = DAMAGE_SILENT;

    if (io_image_open_here(d->path, d->type, &image, &err) != ERR_OK) {
        assert_int_not_equal(strlen(err.text), 0);
        found = DAMAGE_REFUSED;
    } else if (io_image_size(image) >= DISK_LEN && io_image_size(image) <= DISK_LEN + (1 << 20)) {
        if (io_image_read_at(image, 0, d->got, DISK_LEN, &err) == ERR_OK)
            found = DAMAGE_NONE;
        else if (io_salvage_read(image, 0, d->got, DISK_LEN, damaged_is_bad, d, &err) == ERR_OK)
            found = DAMAGE_TOLD;
        if (memcmp(d->got, d->disk->bytes, DISK_LEN) != 0)
            found = DAMAGE_SILENT;
    }
    io_image_close(image);
    d->counts[found]++;
    return found;
}

static inline void damaged_put(const struct damaged *d, size_t at, const uint8_t *bytes, size_t len)
{
    const int fd = open(d->path, O_WRONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, len, (off_t)at), len);
    close(fd);
}

/* Changes one bit of `share` (1, 2, 4 or 8) of len bytes at `at`, one at a time; says which ones
 * changed what is read. */
static inline void damaged_flip_some(struct damaged *d, size_t at, size_t len, uint32_t share)
{
    for (size_t i = at; i < at + len; i++) {
        for (uint32_t bit = (uint32_t)(i % share); bit < 8; bit += share) {
            const uint8_t changed = d->bytes[i] ^ (uint8_t)(1u << bit);

            damaged_put(d, i, &changed, 1);
            if (damaged_look(d) == DAMAGE_SILENT)
                print_message("byte %zu, bit %u: other bytes are read\n", i, bit);
        }
        damaged_put(d, i, d->bytes + i, 1);
    }
}

static inline void damaged_flip(struct damaged *d, size_t at, size_t len)
{
    damaged_flip_some(d, at, len, 1);
}

/* Cuts the file at every multiple of step, and a byte before its end. */
static inline void damaged_cut(struct damaged *d, size_t step)
{
    for (size_t len = d->len - 1; len > 0; len = len > step ? (len - 1) / step * step : 0) {
        assert_int_equal(truncate(d->path, (off_t)len), 0);
        if (damaged_look(d) == DAMAGE_SILENT)
            fail_msg("cut at %zu: other bytes are read", len);
    }
    test_write_file(d->path, d->bytes, d->len);
}

#endif
