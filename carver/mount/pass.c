/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/pass.c - see pass.h. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "carver/mount/pass.h"

void pass_open(struct pass *pass)
{
    if (pipe2(pass->ends, O_CLOEXEC | O_NONBLOCK) != 0)
        *pass = (struct pass){ { -1, -1 } };
    else if (fcntl(pass->ends[1], F_SETPIPE_SZ, 2 * PASS_MAX) < 2 * PASS_MAX)
        pass_close(pass); /* a user may have only so much in pipes */
}

void pass_close(struct pass *pass)
{
    for (int i = 0; i < 2; i++)
        if (pass->ends[i] >= 0)
            close(pass->ends[i]);
    *pass = (struct pass){ { -1, -1 } };
}

void pass_renew(struct pass *pass)
{
    pass_close(pass);
    pass_open(pass);
}

bool pass_take(struct pass *pass, int fd, uint64_t at, size_t len)
{
    off_t from = (off_t)at;
    size_t taken = 0;

    if (pass->ends[1] < 0 || len < PASS_MIN || len > PASS_MAX)
        return false;
    while (taken < len) {
        const ssize_t got = splice(fd, &from, pass->ends[1], NULL, len - taken, 0);

        if (got <= 0 && !(got < 0 && errno == EINTR))
            break;
        taken += got > 0 ? (size_t)got : 0;
    }
    if (taken == len)
        return true;
    if (taken > 0)
        pass_renew(pass);
    return false;
}
