/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_stdin.c - see known_stdin.h. A stream of our own by glibc's fopencookie(3).
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "carver/hashset/known_stdin.h"

struct known_stdin {
    char head[KNOWN_STDIN_HEAD];
    size_t have, at; /* bytes of head that were read so far; of them, given out since the start */
    bool past;       /* what stands behind head was given out: there is no way back */
};

static ssize_t known_stdin_read(void *cookie, char *out, size_t size)
{
    struct known_stdin *in = cookie;
    const size_t kept = in->have - in->at, room = sizeof in->head - in->have;

    if (kept > 0) {
        size = size < kept ? size : kept;
        memcpy(out, in->head + in->at, size);
        in->at += size;
        return (ssize_t)size;
    }
    const ssize_t got = read(STDIN_FILENO, out, room > 0 && size > room ? room : size);
    if (got <= 0)
        return got;
    if (room > 0) {
        memcpy(in->head + in->have, out, (size_t)got);
        in->at = in->have += (size_t)got;
    } else {
        in->past = true;
    }
    return got;
}

static int known_stdin_seek(void *cookie, off64_t *place, int whence)
{
    struct known_stdin *in = cookie;

    if (in->past || whence != SEEK_SET || *place != 0) {
        errno = ESPIPE;
        return -1;
    }
    in->at = 0;
    return 0;
}

static int known_stdin_close(void *cookie)
{
    free(cookie);
    return 0;
}

FILE *known_stdin_open(void)
{
    const cookie_io_functions_t functions = { .read = known_stdin_read,
                                              .seek = known_stdin_seek,
                                              .close = known_stdin_close };
    struct known_stdin *in = calloc(1, sizeof *in);
    FILE *out = in != NULL ? fopencookie(in, "r", functions) : NULL;

    if (out == NULL)
        free(in);
    return out;
}
