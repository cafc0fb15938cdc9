/*
 * io/image/salvage.c - reading what can be read of a range.
 *
 * A read that fails is cut in two at a sector boundary and each half tried again, so that one bad
 * sector in a request of n sectors costs about 2 log2 n more reads and loses nothing beside it.
 * After the first failure the page cache is left out, which would give up a page for a sector. What
 * is known to have never been read costs no read at all.
 */
#include <string.h>

#include "io/image/image_impl.h"

struct salvage {
    struct io_image *image;
    io_bad_range_fn bad;
    void *arg;
    uint64_t shift; /* from image offsets to those of the file, in which units are counted */
    struct io_bad_range open; /* joined so far, not yet reported; len 0: none */
    struct err *err;
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
        open->source == range->source && open->status == range->status) {
        open->len += range->len;
        return;
    }
    salvage_flush(salvage);
    *open = *range;
}

/* Recursion is at most log2(len / unit) + 1 deep. again: a read of it has failed before. */
static enum err_code salvage_piece(struct salvage *salvage, uint64_t offset, uint8_t *dst,
                                   size_t len, bool again)
{
    struct io_failure failure;
    enum err_code rc =
        io_image_try_read(salvage->image, offset, dst, len, again, &failure, salvage->err);

    if (rc != ERR_IO)
        return rc;
    if (!again && salvage->image->ops->read_again != NULL)
        return salvage_piece(salvage, offset, dst, len, true);
    const uint64_t at = offset + salvage->shift, first = at / failure.unit;
    const uint64_t units = (at + len - 1) / failure.unit - first + 1;
    if (units == 1) {
        const struct io_bad_range bad = { offset, len, failure.cause, failure.source,
                                          IO_STATUS_BAD };

        salvage_give_up(salvage, dst, &bad);
        return ERR_OK;
    }
    const size_t half = (size_t)((first + units / 2) * failure.unit - at);
    rc = salvage_piece(salvage, offset, dst, half, true);
    return rc == ERR_OK ? salvage_piece(salvage, offset + half, dst + half, len - half, true) : rc;
}

/* Reads the start of a range, as far as it is of one run; *step is how far that is. */
static enum err_code salvage_run(struct salvage *salvage, uint64_t offset, uint8_t *dst,
                                 uint64_t len, bool again, uint64_t *step)
{
    struct io_span span;
    const bool mapped = io_image_map(salvage->image, offset, &span);

    salvage->shift = mapped && span.how == IO_SPAN_STORED ? span.fd_offset - offset : 0;
    *step = mapped && span.len < len ? span.len : len;
    return salvage_piece(salvage, offset, dst, (size_t)*step, again);
}

/* What the image knows to have never been read is left out. */
static enum err_code salvage_all(struct salvage *salvage, uint64_t offset, uint8_t *dst, size_t len,
                                 bool again)
{
    const uint64_t end = offset + len;
    enum err_code rc = ERR_OK;

    for (uint64_t at = offset, step; rc == ERR_OK && at < end; at += step, dst += step) {
        const struct io_bad_range *unread = io_bad_list_find(&salvage->image->unread, at);
        const uint64_t begin = unread == NULL || unread->offset > end ? end : unread->offset;

        if (begin > at) {
            rc = salvage_run(salvage, at, dst, begin - at, again, &step);
            continue;
        }
        const uint64_t last = unread->offset + unread->len;
        step = (last < end ? last : end) - at;
        const struct io_bad_range bad = { at, step, unread->cause, unread->source, unread->status };
        salvage_give_up(salvage, dst, &bad);
    }
    salvage_flush(salvage);
    return rc;
}

static enum err_code salvage_read(struct io_image *image, uint64_t offset, uint8_t *dst, size_t len,
                                  bool again, io_bad_range_fn bad, void *arg, struct err *err)
{
    struct salvage salvage = { .image = image, .bad = bad, .arg = arg, .err = err };
    const enum err_code rc = io_image_check_range(image, offset, len, err);

    return rc == ERR_OK ? salvage_all(&salvage, offset, dst, len, again) : rc;
}

enum err_code io_salvage_read(struct io_image *image, uint64_t offset, uint8_t *dst, size_t len,
                              io_bad_range_fn bad, void *arg, struct err *err)
{
    return salvage_read(image, offset, dst, len, false, bad, arg, err);
}

enum err_code io_salvage_again(struct io_image *image, uint64_t offset, uint8_t *dst, size_t len,
                               io_bad_range_fn bad, void *arg, struct err *err)
{
    return salvage_read(image, offset, dst, len, true, bad, arg, err);
}
