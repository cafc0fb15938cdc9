/* SPDX-License-Identifier: Apache-2.0
 * io/system/storage.c - see storage.h. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/limits.h"
#include "base/sysfs.h"
#include "io/storage.h"
#include "io/system/in_memory.h"
#include "io/system/sys.h"

enum {
    STORAGE_DEPTH_MAX = 8, /* loop on LVM on md on partition on disk, and some */
    STORAGE_SAMPLES = 32,
};

static struct io_storage storage_device(const char *sysfs, dev_t dev, uint32_t depth);

static struct io_storage storage_unknown(void)
{
    return (struct io_storage){ .kind = IO_STORAGE_UNKNOWN };
}

static bool storage_same(const struct io_storage *a, const struct io_storage *b)
{
    return a->kind == b->kind && strcmp(a->name, b->name) == 0;
}

static struct io_storage storage_file(const char *sysfs, const char *path, uint32_t depth)
{
    struct statfs system;
    struct stat file;

    if (stat(path, &file) != 0)
        return storage_unknown();
    if (S_ISBLK(file.st_mode))
        return storage_device(sysfs, file.st_rdev, depth);
    if (statfs(path, &system) == 0 && io_in_memory(&system))
        return (struct io_storage){ .kind = IO_STORAGE_MEMORY };
    return storage_device(sysfs, file.st_dev, depth);
}

/*
 * What the devices are that a volume or an array is made of. Of different disks, it serves many
 * readers at a time. False: it is made of none.
 */
static bool storage_below(const char *sysfs, const char *folder, uint32_t depth,
                          struct io_storage *out)
{
    char path[PATH_MAX], name[PATH_MAX];
    uint32_t count = 0;

    if (snprintf(path, sizeof path, "%s/slaves", folder) >= (int)sizeof path)
        return false;
    DIR *links = opendir(path);
    if (links == NULL)
        return false;
    for (const struct dirent *entry; (entry = readdir(links)) != NULL;) {
        struct io_storage one = storage_unknown();
        dev_t dev;

        if (entry->d_name[0] == '.')
            continue;
        if (snprintf(name, sizeof name, "%s/%s", path, entry->d_name) < (int)sizeof name &&
            sysfs_number(name, &dev))
            one = storage_device(sysfs, dev, depth);
        if (count++ == 0)
            *out = one;
        else if (!storage_same(out, &one)) {
            const char *slash = strrchr(folder, '/');

            *out = (struct io_storage){ .kind = IO_STORAGE_MANY };
            snprintf(out->name, sizeof out->name, "%.*s", IO_STORAGE_NAME - 1, slash + 1);
            break;
        }
    }
    closedir(links);
    return count > 0;
}

/* A device that nothing else stands behind. The way to its folder says how it is connected. */
static struct io_storage storage_disk(const char *folder, dev_t dev)
{
    /* Virtual disks are said to spin unless somebody has told the machine otherwise. */
    static const char *const virtual[] = { "/virtual/", "/virtio", "/vbd-", "/VMBUS" };
    struct io_storage disk = storage_unknown();
    char text[PATH_MAX];
    bool known = true;

    snprintf(disk.name, sizeof disk.name, "%.*s", IO_STORAGE_NAME - 1, strrchr(folder, '/') + 1);
    if (sysfs_in_memory(folder, dev) || strstr(folder, "/pmem") != NULL) {
        disk.kind = IO_STORAGE_MEMORY;
        return disk;
    }
    if (strstr(folder, "/nvme") != NULL) {
        disk.kind = IO_STORAGE_MANY;
        return disk;
    }
    for (size_t i = 0; i < sizeof virtual / sizeof virtual[0]; i++)
        known = known && strstr(folder, virtual[i]) == NULL;
    if (known && sysfs_text(folder, "queue/rotational", text) && strcmp(text, "1") == 0)
        disk.kind = IO_STORAGE_SPINNING;
    return disk;
}

static struct io_storage storage_device(const char *sysfs, dev_t dev, uint32_t depth)
{
    struct io_storage below = storage_unknown();
    char folder[PATH_MAX], text[PATH_MAX];

    if (depth >= STORAGE_DEPTH_MAX || !sysfs_device(sysfs, dev, folder))
        return storage_unknown();
    if (sysfs_has(folder, "partition")) { /* it lies in the folder of its disk */
        *strrchr(folder, '/') = '\0';
        return sysfs_number(folder, &dev) ? storage_device(sysfs, dev, depth + 1)
                                          : storage_unknown();
    }
    if (sysfs_has(folder, "loop"))
        return sysfs_text(folder, "loop/backing_file", text) ? storage_file(sysfs, text, depth + 1)
                                                             : storage_unknown();
    return storage_below(sysfs, folder, depth + 1, &below) ? below : storage_disk(folder, dev);
}

struct io_storage io_storage_of_device(const char *sysfs, dev_t dev)
{
    return storage_device(sysfs, dev, 0);
}

struct io_storage io_storage_of_image(const char *sysfs, const struct io_image *image)
{
    const uint32_t count = io_image_part_count(image);
    struct io_storage worst = { .kind = count > 0 ? IO_STORAGE_MEMORY : IO_STORAGE_UNKNOWN };

    for (uint32_t i = 0; i < count; i++) {
        const struct io_storage one = storage_file(sysfs, io_image_part_path(image, i), 0);

        if (i == 0 || one.kind > worst.kind)
            worst = one;
    }
    return worst;
}

bool io_storage_is_cached(const struct io_image *image, uint64_t offset, uint64_t len)
{
    const struct io_sys *sys = &io_sys_kernel;
    bool cached = len > 0;

    for (uint64_t i = 0; cached && i < STORAGE_SAMPLES; i++) {
        const uint64_t at = offset + (len - 1) / STORAGE_SAMPLES * i;
        struct io_span span;
        uint8_t byte;

        cached =
            io_image_map(image, at, &span) &&
            (span.how == IO_SPAN_ZERO ||
             (span.fd >= 0 && sys->pread_cached(sys->arg, span.fd, &byte, 1, span.fd_offset) == 1));
    }
    return cached;
}

/*
 * Gives the advice for the files of the first runs, which are all of a raw image. False: some run
 * has to be decoded.
 */
static bool storage_advise(const struct io_image *image, int advice)
{
    struct io_span span = { .fd = -1 };
    int last = -1;
    uint64_t at = 0;

    for (uint32_t i = 0; i < LIMIT_IMAGE_PARTS && io_image_map(image, at, &span); i++) {
        if (span.how == IO_SPAN_ASK)
            return false;
        if (span.how == IO_SPAN_STORED && span.fd != last)
            posix_fadvise(span.fd, 0, 0, advice); /* only advice: may fail */
        last = span.how == IO_SPAN_STORED ? span.fd : last;
        at += span.len;
    }
    return true;
}

void io_storage_stop_read_ahead(const struct io_image *image)
{
    /* Who decodes reads a little at a time, and lives by what the kernel reads ahead. */
    if (!storage_advise(image, POSIX_FADV_RANDOM))
        (void)storage_advise(image, POSIX_FADV_NORMAL);
}
