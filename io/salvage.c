/*
 * io/salvage.c - reading what can be read of a range.
 *
 * A read that fails is cut in two at a sector boundary and each half tried again, so that one bad sector in a request of
 * n sectors costs about 2 log2 n more reads and loses nothing beside it. What is known to have never been read costs none.
 */
#include <string.h>

#include "base/limits.h"
#include "io/image_impl.h"

struct salvage {
    struct io_image *image;
    uint32_t unit; /* bytes; what fails in one piece is not cut further */
    io_bad_range_fn bad;
    void *arg;
    struct io_bad_range open; /* joined so far, not yet reported; len 0: none */
};

static void salvage_flush(struct salvage *salvage)
{
    if (salvage->open.len > 0 && salvage->bad != NULL)
        salvage->bad(salvage->arg, &salvage->open);
    salvage->open.len = 0;
}

/* Zeros stand for the bytes of the range, which belong at dst. */
static void salvage_give_up(struct salvage *salvage, uint8_t *dst, const struct io_bad_range *range)
{
    struct io_bad_range *open = &salvage->open;

    memset(dst, 0, (size_t)range->len);
    if (open->len > 0 && open->offset + open->len == range->offset && open->cause == range->cause &&
        open->source == range->source) {
        open->len += range->len;
        return;
    }
    salvage_flush(salvage);
    *open = *range;
}

/* Recursion is at most log2(len / unit) deep. */
static void salvage_piece(struct salvage *salvage, uint64_t offset, uint8_t *dst, size_t len)
{
    struct io_failure failure;

    if (io_image_try_read(salvage->image, offset, dst, len, &failure, NULL) == ERR_OK)
        return;
    const uint64_t first = offset / salvage->unit;
    const uint64_t units = (offset + len - 1) / salvage->unit - first + 1;
    if (units == 1) {
        const struct io_bad_range bad = { offset, len, failure.cause, failure.source };

        salvage_give_up(salvage, dst, &bad);
        return;
    }
    const size_t half = (size_t)((first + units / 2) * salvage->unit - offset);
    salvage_piece(salvage, offset, dst, half);
    salvage_piece(salvage, offset + half, dst + half, len - half);
}

/* What the image knows to have never been read is left out. */
static void salvage_all(struct salvage *salvage, uint64_t offset, uint8_t *dst, size_t len)
{
    const uint64_t end = offset + len;

    for (uint64_t at = offset, step; at < end; at += step, dst += step) {
        const struct io_bad_range *unread = io_bad_list_find(&salvage->image->unread, at);
        const uint64_t begin = unread == NULL || unread->offset > end ? end : unread->offset;

        if (begin > at) {
            step = begin - at;
            salvage_piece(salvage, at, dst, (size_t)step);
            continue;
        }
        const uint64_t last = unread->offset + unread->len;
        step = (last < end ? last : end) - at;
        const struct io_bad_range bad = { at, step, unread->cause, unread->source };
        salvage_give_up(salvage, dst, &bad);
    }
    salvage_flush(salvage);
}

enum err_code io_salvage_read(struct io_image *image, uint64_t offset, uint8_t *dst, size_t len, io_bad_range_fn bad,
                              void *arg, struct err *err)
{
    const uint32_t unit = image->salvage_unit == 0 ? LIMIT_SECTOR : image->salvage_unit;
    struct salvage salvage = { .image = image, .unit = unit, .bad = bad, .arg = arg };
    enum err_code rc = io_image_check_range(image, offset, len, err);

    if (rc == ERR_OK)
        salvage_all(&salvage, offset, dst, len);
    return rc;
}
