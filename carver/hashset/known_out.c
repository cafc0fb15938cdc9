/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_out.c - see known_out.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "carver/hashset/known_out.h"
#include "carver/hashset/known_set.h"
#include "carver/hashset/known_sort.h"

enum err_code known_out_init(struct known_out *out, int fd, const char *path, struct err *err)
{
    *out = (struct known_out){ .fd = fd, .path = path };
    out->buffer = malloc(KNOWN_OUT);
    return out->buffer != NULL ? ERR_OK : ERR_NO_MEMORY(err, KNOWN_OUT);
}

void known_out_release(struct known_out *out)
{
    if (out->fd >= 0)
        close(out->fd);
    free(out->buffer);
    *out = (struct known_out){ .fd = -1 };
}

enum err_code known_out_flush(struct known_out *out, struct err *err)
{
    const size_t len = out->used;

    out->used = 0;
    return known_write_all(out->fd, out->buffer, len, out->path, err);
}

enum err_code known_out_put(struct known_out *out, const void *bytes, size_t len, struct err *err)
{
    enum err_code rc = ERR_OK;

    out->at += len;
    if (out->used + len > KNOWN_OUT)
        rc = known_out_flush(out, err);
    if (rc == ERR_OK && len > KNOWN_OUT)
        return known_write_all(out->fd, bytes, len, out->path, err);
    if (rc == ERR_OK && len > 0) {
        memcpy(out->buffer + out->used, bytes, len);
        out->used += len;
    }
    return rc;
}

enum err_code known_out_page(struct known_out *out, struct err *err)
{
    static const uint8_t zeros[KNOWN_PAGE];

    return known_out_put(out, zeros, (size_t)((KNOWN_PAGE - out->at % KNOWN_PAGE) % KNOWN_PAGE),
                         err);
}
