/* carver/evidence.c - see evidence.h. What stands on what is read from sysfs: /sys/dev/block/MAJOR:MINOR. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "carver/evidence.h"

enum { EVIDENCE_DEPTH_MAX = 8 /* loop on LVM on md on partition on disk, and some */ };

struct evidence {
    const char *sysfs;
    const struct io_image *image;
};

static bool evidence_device(const struct evidence *evidence, dev_t dev, uint32_t depth);

static bool evidence_is_device(const struct evidence *evidence, dev_t dev)
{
    for (uint32_t i = 0; i < io_image_part_count(evidence->image); i++) {
        struct stat part;

        if (stat(io_image_part_path(evidence->image, i), &part) == 0 && S_ISBLK(part.st_mode) && part.st_rdev == dev)
            return true;
    }
    return false;
}

/* The first line of the file at path; false where there is none. */
static bool evidence_read(const char *path, char line[PATH_MAX])
{
    FILE *in = fopen(path, "re");
    bool ok = false;

    if (in != NULL) {
        ok = fgets(line, PATH_MAX, in) != NULL;
        fclose(in);
    }
    if (ok)
        line[strcspn(line, "\n")] = '\0';
    return ok;
}

/* The device whose number stands in the file FOLDER/dev, as MAJOR:MINOR. */
static bool evidence_dev_of(const struct evidence *evidence, const char *folder, uint32_t depth)
{
    char path[PATH_MAX], line[PATH_MAX], *colon, *end;

    if (snprintf(path, sizeof path, "%s/dev", folder) >= (int)sizeof path || !evidence_read(path, line))
        return false;
    const unsigned long major_number = strtoul(line, &colon, 10);
    if (colon == line || *colon != ':')
        return false;
    const unsigned long minor_number = strtoul(colon + 1, &end, 10);
    if (end == colon + 1)
        return false;
    return evidence_device(evidence, makedev((unsigned)major_number, (unsigned)minor_number), depth);
}

/* What a device mapper or md device is built on. */
static bool evidence_slaves(const struct evidence *evidence, const char *folder, uint32_t depth)
{
    char path[PATH_MAX];
    bool found = false;

    if (snprintf(path, sizeof path, "%s/slaves", folder) >= (int)sizeof path)
        return false;
    DIR *slaves = opendir(path);
    if (slaves == NULL)
        return false;
    for (const struct dirent *entry; !found && (entry = readdir(slaves)) != NULL;) {
        char slave[PATH_MAX];

        if (entry->d_name[0] != '.' && snprintf(slave, sizeof slave, "%s/%s", path, entry->d_name) < (int)sizeof slave)
            found = evidence_dev_of(evidence, slave, depth);
    }
    closedir(slaves);
    return found;
}

static bool evidence_device(const struct evidence *evidence, dev_t dev, uint32_t depth)
{
    char folder[PATH_MAX], path[PATH_MAX], line[PATH_MAX];
    struct stat info;

    if (depth == EVIDENCE_DEPTH_MAX)
        return false;
    if (evidence_is_device(evidence, dev))
        return true;
    snprintf(path, sizeof path, "%.1024s/dev/block/%u:%u", evidence->sysfs, major(dev), minor(dev));
    if (realpath(path, folder) == NULL)
        return false;
    /* A partition lies in its disk's folder. */
    if (snprintf(path, sizeof path, "%s/partition", folder) < (int)sizeof path && stat(path, &info) == 0) {
        if (snprintf(path, sizeof path, "%s/..", folder) < (int)sizeof path &&
            evidence_dev_of(evidence, path, depth + 1))
            return true;
    }
    if (evidence_slaves(evidence, folder, depth + 1))
        return true;
    /* A loop device over an evidence file, or over a file that lies on an evidence device. */
    if (snprintf(path, sizeof path, "%s/loop/backing_file", folder) < (int)sizeof path && evidence_read(path, line)) {
        if (io_image_is_part(evidence->image, line))
            return true;
        if (stat(line, &info) == 0)
            return evidence_device(evidence, info.st_dev, depth + 1);
    }
    return false;
}

bool evidence_holds_device(const char *sysfs, const struct io_image *image, dev_t dev)
{
    const struct evidence evidence = { sysfs, image };

    return evidence_device(&evidence, dev, 0);
}

/* True when mount point `point` holds the absolute path. */
static bool evidence_below(const char *path, const char *point)
{
    const size_t len = strlen(point);

    return strncmp(path, point, len) == 0 && (path[len] == '\0' || path[len] == '/' || strcmp(point, "/") == 0);
}

/*
 * File systems with a device number of their own (btrfs, overlays) have major 0; the table of mounts names the device then.
 * Each line: id parent major:minor root MOUNT-POINT options ... - type SOURCE options.
 */
static bool evidence_mount_source(const char *path, dev_t *dev)
{
    char line[3 * PATH_MAX], point[PATH_MAX], source[PATH_MAX];
    size_t longest = 0;
    struct stat info;
    FILE *in = fopen("/proc/self/mountinfo", "re");

    if (in == NULL)
        return false;
    while (fgets(line, sizeof line, in) != NULL) {
        const char *tail = strstr(line, " - ");

        if (tail == NULL || sscanf(line, "%*s %*s %*s %*s %4095s", point) != 1 ||
            sscanf(tail, " - %*s %4095s", source) != 1)
            continue;
        if (strlen(point) >= longest && evidence_below(path, point) && stat(source, &info) == 0 &&
            S_ISBLK(info.st_mode)) {
            longest = strlen(point);
            *dev = info.st_rdev;
        }
    }
    fclose(in);
    return longest != 0;
}

/* The path itself, or its nearest folder that exists, without links. */
static bool evidence_resolve(const char *path, char resolved[PATH_MAX])
{
    char folder[PATH_MAX];

    if (realpath(path, resolved) != NULL)
        return true;
    if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder)
        return false;
    for (char *slash = strrchr(folder, '/'); slash != NULL; slash = strrchr(folder, '/')) {
        *slash = '\0';
        if (realpath(folder[0] != '\0' ? folder : "/", resolved) != NULL)
            return true;
    }
    return realpath(".", resolved) != NULL;
}

enum err_code evidence_refuse_output(const struct io_image *image, const char *path, const char *what, struct err *err)
{
    const struct evidence evidence = { "/sys", image };
    char resolved[PATH_MAX];
    struct stat info;

    if (io_image_is_part(image, path))
        return ERR_RAISE(err, ERR_INPUT, "%s: %s would be written over the evidence; choose another place", path, what);
    if (!evidence_resolve(path, resolved) || stat(resolved, &info) != 0)
        return ERR_OK; /* making it will say what is wrong */
    dev_t dev = info.st_dev;
    if (major(dev) == 0 && !evidence_mount_source(resolved, &dev))
        return ERR_OK;
    if (evidence_device(&evidence, dev, 0))
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: %s would be written into a file system on %s, which is the evidence; choose another disk",
                         path, what, io_image_part_path(image, 0));
    return ERR_OK;
}
