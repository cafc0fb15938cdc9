/* carver/mount/mount_table.c - see mount_table.h. */
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

bool mount_table_find_in(FILE *in, const char *folder, dev_t *device)
{
    char *line = NULL;
    size_t room = 0;
    bool found = false;

    while (getline(&line, &room, in) > 0) {
        unsigned major_number, minor_number;
        int at = 0;

        /* Number, number of the parent, device, root of the file system, folder. */
        if (sscanf(line, "%*u %*u %u:%u %*s %n", &major_number, &minor_number, &at) < 2 || at == 0)
            continue;
        if (!table_is(line + at, strcspn(line + at, " \n"), folder))
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
