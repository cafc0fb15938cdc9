/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/mount_table.c - see mount_table.h. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "carver/mount/mount_table.h"

/* Whether the path of a line, in which a backslash and three octal digits stand for a byte, is it.
 */
static bool table_is(const char *path, size_t len, const char *folder)
{
    for (size_t i = 0; i < len; folder++) {
        char byte = path[i++];

        if (byte == '\\' && i + 3 <= len) {
            byte = (char)((path[i] - '0') << 6 | (path[i + 1] - '0') << 3 | (path[i + 2] - '0'));
            i += 3;
        }
        if (*folder == '\0' || byte != *folder)
            return false;
    }
    return *folder == '\0';
}

/* The number at *at, with this byte behind it, and moves *at behind that. */
static bool table_number(const char **at, char behind, unsigned *out)
{
    char *end;
    const unsigned long number = strtoul(*at, &end, 10);

    if (end == *at || *end != behind || number > UINT_MAX)
        return false;
    *at = end + 1;
    *out = (unsigned)number;
    return true;
}

bool mount_table_find_in(FILE *in, const char *folder, dev_t *device)
{
    char *line = NULL;
    size_t room = 0;
    bool found = false;

    while (getline(&line, &room, in) > 0) {
        unsigned ignored, major_number, minor_number;
        const char *at = line;

        /* Number, number of the parent, device, root of the file system, folder. */
        if (!table_number(&at, ' ', &ignored) || !table_number(&at, ' ', &ignored) ||
            !table_number(&at, ':', &major_number) || !table_number(&at, ' ', &minor_number))
            continue;
        at += strcspn(at, " \n");
        at += *at == ' ';
        if (!table_is(at, strcspn(at, " \n"), folder))
            continue;
        *device = makedev(major_number, minor_number);
        found = true;
    }
    free(line);
    return found;
}

bool mount_table_find(const char *folder, dev_t *device)
{
    FILE *in = fopen("/proc/self/mountinfo", "re");

    if (in == NULL)
        return false;
    const bool found = mount_table_find_in(in, folder, device);
    fclose(in);
    return found;
}
