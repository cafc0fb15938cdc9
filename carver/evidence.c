/* carver/evidence.c - see evidence.h. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "carver/evidence.h"

/* The device that holds path, or, while path does not exist, its nearest folder that does. */
static bool evidence_device(const char *path, dev_t *device)
{
    char folder[PATH_MAX];
    struct stat info;

    if (stat(path, &info) == 0) {
        *device = info.st_dev;
        return true;
    }
    if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder)
        return false;
    for (char *slash = strrchr(folder, '/'); slash != NULL; slash = strrchr(folder, '/')) {
        *slash = '\0';
        if (stat(folder[0] != '\0' ? folder : "/", &info) == 0) {
            *device = info.st_dev;
            return true;
        }
    }
    if (stat(".", &info) != 0)
        return false;
    *device = info.st_dev;
    return true;
}

enum err_code evidence_refuse_output(const struct io_image *image, const char *path, const char *what, struct err *err)
{
    dev_t device;

    if (io_image_is_part(image, path))
        return ERR_RAISE(err, ERR_INPUT, "%s: %s would be written over the evidence; choose another place", path, what);
    if (!evidence_device(path, &device))
        return ERR_OK;
    for (uint32_t i = 0; i < io_image_part_count(image); i++) {
        struct stat part;

        if (stat(io_image_part_path(image, i), &part) == 0 && S_ISBLK(part.st_mode) && part.st_rdev == device)
            return ERR_RAISE(err, ERR_INPUT, "%s: %s would be written into a file system on %s, which is the evidence; choose another disk",
                             path, what, io_image_part_path(image, i));
    }
    return ERR_OK;
}
