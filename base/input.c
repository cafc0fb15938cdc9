/* SPDX-License-Identifier: Apache-2.0
 * base/input.c - see input.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input.h"

enum { INPUT_FIRST = 64 << 10 }; /* bytes read at first */

/* NULL for a plain file. */
static const char *input_other(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return NULL;
    case S_IFDIR:
        return "a folder";
    case S_IFIFO:
        return "a pipe";
    case S_IFSOCK:
        return "a socket";
    default:
        return "a device";
    }
}

enum err_code input_open(const char *path, FILE **out, struct err *err)
{
    const char *other = NULL;
    struct stat info;
    int fd = -1;

    *out = NULL;
    /* Twice: so that no device is opened, and for what may have come in the place of the file. */
    if (stat(path, &info) == 0 && (other = input_other(info.st_mode)) == NULL) {
        fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        if (fd >= 0 && fstat(fd, &info) == 0)
            other = input_other(info.st_mode);
    }
    if (other == NULL && fd >= 0)
        *out = fdopen(fd, "r");
    if (*out != NULL)
        return ERR_OK;
    const int failed = errno;
    if (fd >= 0)
        close(fd);
    if (other != NULL)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: %s, not a file; write what is to be read into a file first", path,
                         other);
    return ERR_RAISE(err, failed == ENOMEM ? ERR_ENV : ERR_INPUT, "%s: cannot be opened: %s", path,
                     strerror(failed));
}

enum err_code input_read(FILE *file, const char *path, size_t most, char **text, size_t *len,
                         struct err *err)
{
    size_t room = 0, got;

    *text = NULL;
    *len = 0;
    do {
        if (*len == room) {
            room = room == 0 ? INPUT_FIRST : room * 2;
            char *grown = realloc(*text, room);

            if (grown == NULL)
                return ERR_NO_MEMORY(err, room);
            *text = grown;
        }
        got = fread(*text + *len, 1, room - *len, file);
        *len += got;
    } while (got > 0 && *len <= most);
    if (ferror(file))
        return ERR_RAISE(err, ERR_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    return ERR_OK;
}
