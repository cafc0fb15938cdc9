/* SPDX-License-Identifier: Apache-2.0
 * carver/case/unread.c - see unread.h. */
#include <stdlib.h>
#include <string.h>

#include "carver/case/unread.h"

#include "base/bisect.h"
#include "base/grow.h"

enum err_code unread_add(struct unread *unread, uint64_t offset, uint64_t len, struct err *err)
{
    struct db_extent *last = unread->count > 0 ? &unread->ranges[unread->count - 1] : NULL;

    if (last != NULL && offset <= last->offset + last->len) {
        if (offset + len > last->offset + last->len)
            last->len = offset + len - last->offset;
        return ERR_OK;
    }
    const enum err_code rc =
        grow_items(&unread->ranges, unread->count, &unread->room, sizeof *unread->ranges, err);

    if (rc == ERR_OK)
        unread->ranges[unread->count++] = (struct db_extent){ offset, len };
    return rc;
}

static enum err_code unread_take(void *arg, const struct db_bad_range *range, struct err *err)
{
    return unread_add(arg, range->offset, range->len, err);
}

enum err_code unread_load(struct db_case *db, int64_t image_id, int64_t run_id, struct unread *out,
                          struct err *err)
{
    *out = (struct unread){ 0 };
    const enum err_code rc = db_bad_ranges_walk(db, image_id, run_id, unread_take, out, err);

    if (rc != ERR_OK)
        unread_release(out);
    return rc;
}

void unread_release(struct unread *unread)
{
    free(unread->ranges);
    *unread = (struct unread){ 0 };
}

static bool unread_ends(const void *range, uint64_t at)
{
    const struct db_extent *unread = range;

    return unread->offset + unread->len <= at;
}

/* The first range that ends behind offset. */
static size_t unread_find(const struct unread *unread, uint64_t offset)
{
    return bisect(unread->ranges, unread->count, sizeof *unread->ranges, unread_ends, offset);
}

/* The part of a range that lies in [offset, end). */
static struct db_extent unread_part(const struct db_extent *range, uint64_t offset, uint64_t end)
{
    const uint64_t from = range->offset > offset ? range->offset : offset;
    const uint64_t to = range->offset + range->len < end ? range->offset + range->len : end;

    return (struct db_extent){ from, to - from };
}

uint64_t unread_bytes(const struct unread *unread, uint64_t offset, uint64_t len)
{
    const uint64_t end = offset + len;
    uint64_t bytes = 0;

    for (size_t i = unread_find(unread, offset);
         i < unread->count && unread->ranges[i].offset < end; i++)
        bytes += unread_part(&unread->ranges[i], offset, end).len;
    return bytes;
}

bool unread_first(const struct unread *unread, uint64_t offset, uint64_t len, uint64_t *first)
{
    const size_t at = unread_find(unread, offset);

    if (at == unread->count || unread->ranges[at].offset >= offset + len)
        return false;
    *first = unread_part(&unread->ranges[at], offset, offset + len).offset;
    return true;
}

enum err_code unread_read(const struct unread *unread, struct io_image *image, uint64_t offset,
                          uint8_t *dst, size_t len, io_bad_range_fn bad, void *arg, struct err *err)
{
    const uint64_t end = offset + len;
    uint64_t at = offset;
    enum err_code rc = ERR_OK;

    for (size_t i = unread_find(unread, offset);
         rc == ERR_OK && i < unread->count && unread->ranges[i].offset < end; i++) {
        const struct db_extent hole = unread_part(&unread->ranges[i], offset, end);

        if (hole.offset > at)
            rc = io_salvage_read(image, at, dst + (at - offset), hole.offset - at, bad, arg, err);
        memset(dst + (hole.offset - offset), 0, hole.len);
        at = hole.offset + hole.len;
    }
    if (rc == ERR_OK && at < end)
        rc = io_salvage_read(image, at, dst + (at - offset), end - at, bad, arg, err);
    return rc;
}
