/* SPDX-License-Identifier: Apache-2.0
 * carver/case/evidence_device.c - see evidence_system.h. What a block device stands on is read from
 * sysfs.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/sysfs.h"
#include "carver/case/evidence_system.h"

/* Where one answer is looked for. */
struct device_search {
    const struct evidence_system *system;
    const struct io_image *image;
};

static bool device_is_part(const struct io_image *image, dev_t dev)
{
    for (uint32_t i = 0; i < io_image_part_count(image); i++) {
        struct stat part;

        if (stat(io_image_part_path(image, i), &part) == 0 && S_ISBLK(part.st_mode) &&
            part.st_rdev == dev)
            return true;
    }
    return false;
}

static enum evidence_answer device_of_folder(const struct device_search *search, const char *folder,
                                             uint32_t depth)
{
    dev_t dev;

    return sysfs_number(folder, &dev)
               ? evidence_of_device(search->system, search->image, dev, depth)
               : EVIDENCE_UNKNOWN;
}

enum evidence_answer evidence_of_links(const struct evidence_system *system,
                                       const struct io_image *image, const char *folder,
                                       uint32_t depth)
{
    const struct device_search search = { system, image };
    enum evidence_answer answer = EVIDENCE_APART;
    DIR *links = opendir(folder);

    if (links == NULL)
        return EVIDENCE_UNKNOWN;
    errno = 0;
    for (const struct dirent *entry; answer != EVIDENCE_ON_IT && (entry = readdir(links)) != NULL;
         errno = 0) {
        char path[PATH_MAX];

        if (entry->d_name[0] == '.')
            continue;
        const bool fits =
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path;
        answer = evidence_worse(answer,
                                fits ? device_of_folder(&search, path, depth) : EVIDENCE_UNKNOWN);
    }
    if (errno != 0)
        answer = evidence_worse(answer, EVIDENCE_UNKNOWN);
    closedir(links);
    return answer;
}

/* Of a loop device: its file is a part of the evidence, or lies on it. */
static enum evidence_answer device_of_file(const struct device_search *search, const char *file,
                                           uint32_t depth)
{
    char type[EVIDENCE_TYPE_TEXT];
    struct evidence_place place;

    if (io_image_is_part(search->image, file))
        return EVIDENCE_ON_IT;
    return search->system->place(file, &place)
               ? evidence_of_place(search->system, search->image, &place, depth, type)
               : EVIDENCE_UNKNOWN;
}

/* Does FOLDER/slaves hold a link? *path becomes its name. */
static bool device_has_links(const char *folder, char path[PATH_MAX])
{
    bool has = false;

    if (snprintf(path, PATH_MAX, "%s/slaves", folder) >= PATH_MAX)
        return false;
    DIR *links = opendir(path);
    if (links == NULL)
        return false;
    for (const struct dirent *entry; !has && (entry = readdir(links)) != NULL;)
        has = entry->d_name[0] != '.';
    closedir(links);
    return has;
}

/* What stands below a device that sysfs knows. */
static enum evidence_answer device_below(const struct device_search *search, const char *folder,
                                         dev_t dev, uint32_t depth)
{
    char path[PATH_MAX], text[PATH_MAX];

    if (sysfs_has(folder, "partition")) /* it lies in the folder of its disk */
        return snprintf(path, sizeof path, "%s/..", folder) < (int)sizeof path
                   ? device_of_folder(search, path, depth)
                   : EVIDENCE_UNKNOWN;
    if (sysfs_has(folder, "loop"))
        return sysfs_text(folder, "loop/backing_file", text) ? device_of_file(search, text, depth)
                                                             : EVIDENCE_UNKNOWN;
    if (device_has_links(folder, path))
        return evidence_of_links(search->system, search->image, path, depth);
    /*
     * Hardware ends the way; what is made by software of something that is not named (nbd, zvol)
     * may be made of anything.
     */
    return sysfs_has(folder, "device") || sysfs_in_memory(folder, dev) ? EVIDENCE_APART
                                                                       : EVIDENCE_UNKNOWN;
}

enum evidence_answer evidence_of_device(const struct evidence_system *system,
                                        const struct io_image *image, dev_t dev, uint32_t depth)
{
    const struct device_search search = { system, image };
    char folder[PATH_MAX];

    if (device_is_part(image, dev))
        return EVIDENCE_ON_IT;
    if (depth >= EVIDENCE_DEPTH_MAX)
        return EVIDENCE_UNKNOWN;
    if (!sysfs_device(system->sysfs, dev, folder))
        return EVIDENCE_UNKNOWN;
    return device_below(&search, folder, dev, depth + 1);
}

bool evidence_has_device(const struct evidence_system *system, const struct io_image *image)
{
    char folder[PATH_MAX], text[PATH_MAX];
    struct stat part;
    bool has = false;

    for (uint32_t i = 0; i < io_image_part_count(image) && !has; i++)
        has = !io_image_is_address(io_image_part_path(image, i)) &&
              (stat(io_image_part_path(image, i), &part) != 0 || S_ISBLK(part.st_mode));
    snprintf(folder, sizeof folder, "%.1024s/dev/block", system->sysfs);
    DIR *devices = has ? NULL : opendir(folder);
    if (devices == NULL)
        return has;
    for (const struct dirent *entry; !has && (entry = readdir(devices)) != NULL;) {
        char path[PATH_MAX];

        if (entry->d_name[0] == '.' ||
            snprintf(path, sizeof path, "%s/%s/loop", folder, entry->d_name) >= (int)sizeof path)
            continue;
        has = sysfs_text(path, "backing_file", text) && io_image_is_part(image, text);
    }
    closedir(devices);
    return has;
}
