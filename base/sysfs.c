/* SPDX-License-Identifier: Apache-2.0
 * base/sysfs.c - see sysfs.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/sysfs.h"

enum { SYSFS_RAM_MAJOR = 1 /* Documentation/admin-guide/devices.txt */ };

bool sysfs_device(const char *sysfs, dev_t dev, char folder[PATH_MAX])
{
    char path[PATH_MAX];

    return snprintf(path, sizeof path, "%s/dev/block/%u:%u", sysfs, major(dev), minor(dev)) <
               (int)sizeof path &&
           realpath(path, folder) != NULL;
}

bool sysfs_text(const char *folder, const char *name, char out[PATH_MAX])
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return false;
    FILE *in = fopen(path, "re");
    if (in == NULL)
        return false;
    size_t len = fread(out, 1, PATH_MAX, in); /* of a file's name, which may hold line feeds */
    const bool ok = !ferror(in) && len > 0 && len < PATH_MAX && memchr(out, '\0', len) == NULL;
    fclose(in);
    if (!ok)
        return false;
    if (out[len - 1] == '\n')
        len--;
    out[len] = '\0';
    return true;
}

bool sysfs_has(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat info;

    return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
           stat(path, &info) == 0;
}

bool sysfs_number(const char *folder, dev_t *dev)
{
    char text[PATH_MAX], *colon, *end;

    if (!sysfs_text(folder, "dev", text))
        return false;
    const unsigned long major_number = strtoul(text, &colon, 10);
    if (colon == text || *colon != ':')
        return false;
    const unsigned long minor_number = strtoul(colon + 1, &end, 10);
    if (end == colon + 1)
        return false;
    *dev = makedev((unsigned)major_number, (unsigned)minor_number);
    return true;
}

bool sysfs_in_memory(const char *folder, dev_t dev)
{
    char text[PATH_MAX];

    if (major(dev) == SYSFS_RAM_MAJOR)
        return true;
    return sysfs_has(folder, "mm_stat") &&
           (!sysfs_text(folder, "backing_dev", text) || strcmp(text, "none") == 0);
}
