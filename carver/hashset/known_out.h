/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_out.h - a file that is written from its start on, a megabyte at a time. */
#ifndef BURIN_CARVER_HASHSET_KNOWN_OUT_H
#define BURIN_CARVER_HASHSET_KNOWN_OUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { KNOWN_OUT = 1 << 20 /* bytes written at a time */ };

/* A file that is written from its start on. */
struct known_out {
    int fd;
    const char *path;
    uint8_t *buffer; /* KNOWN_OUT bytes */
    size_t used;
    uint64_t at; /* bytes given so far */
};

/* fd is the file's from here on, even when this fails; path stays the caller's. */
ERR_MUST_CHECK enum err_code known_out_init(struct known_out *out, int fd, const char *path,
                                            struct err *err);
void known_out_release(struct known_out *out); /* closes the file; with fd -1: a no-op */

ERR_MUST_CHECK enum err_code known_out_put(struct known_out *out, const void *bytes, size_t len,
                                           struct err *err);
ERR_MUST_CHECK enum err_code known_out_page(struct known_out *out,
                                            struct err *err); /* zeros up to the next page */
ERR_MUST_CHECK enum err_code known_out_flush(struct known_out *out, struct err *err);

#endif
