/* SPDX-License-Identifier: Apache-2.0
 * io/image/reach_key.c - the key of encrypted containers, as the process of io/reach.h keeps it. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/image/reach_link.h"

enum { KEY_PIECE = 4096 };

int io_reach_key_read(int fd, struct err *err)
{
    const int key = memfd_create("burin-key", MFD_CLOEXEC);
    uint8_t piece[KEY_PIECE];
    size_t len = 0;
    ssize_t got;
    bool kept = key >= 0;

    do {
        got = read(fd, piece, sizeof piece);
        kept = kept && (got <= 0 || write(key, piece, (size_t)got) == got);
        len += got > 0 ? (size_t)got : 0;
    } while (kept && (got > 0 || (got < 0 && errno == EINTR)) && len <= IO_REACH_KEY_MAX);
    const int failed = errno;

    explicit_bzero(piece, sizeof piece);
    if (!kept)
        (void)ERR_RAISE(err, ERR_ENV, "no memory for the key: %s", strerror(failed));
    else if (got < 0)
        (void)ERR_RAISE(err, ERR_INPUT, "%s", strerror(failed));
    else if (len == 0)
        (void)ERR_RAISE(err, ERR_INPUT, "the file is empty");
    else if (len > IO_REACH_KEY_MAX)
        (void)ERR_RAISE(err, ERR_INPUT, "the file has more than %d bytes", IO_REACH_KEY_MAX);
    else
        return key;
    if (key >= 0)
        close(key);
    return -1;
}
