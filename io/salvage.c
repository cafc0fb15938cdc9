/*
 * io/salvage.c - reading what can be read of a range.
 *
 * A read that fails is cut in two at a sector boundary and each half tried again, so that one bad sector in a request of
 * n sectors costs about 2 log2 n more reads and loses nothing beside it.
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

static void salvage_report(struct salvage *salvage, uint64_t offset, uint64_t len, int cause)
{
    struct io_bad_range *open = &salvage->open;

    if (open->len > 0 && open->offset + open->len == offset && open->cause == cause) {
        open->len += len;
        return;
    }
    salvage_flush(salvage);
    *open = (struct io_bad_range){ offset, len, cause };
}

/* Recursion is at most log2(len / unit) deep. */
static void salvage_piece(struct salvage *salvage, uint64_t offset, uint8_t *dst, size_t len)
{
    int cause;

    if (io_image_try_read(salvage->image, offset, dst, len, &cause, NULL) == ERR_OK)
        return;
    const uint64_t first = offset / salvage->unit;
    const uint64_t units = (offset + len - 1) / salvage->unit - first + 1;
    if (units == 1) {
        memset(dst, 0, len);
        salvage_report(salvage, offset, len, cause);
        return;
    }
    const size_t half = (size_t)((first + units / 2) * salvage->unit - offset);
    salvage_piece(salvage, offset, dst, half);
    salvage_piece(salvage, offset + half, dst + half, len - half);
}

enum err_code io_salvage_read(struct io_image *image, uint64_t offset, uint8_t *dst, size_t len, io_bad_range_fn bad,
                              void *arg, struct err *err)
{
    const uint32_t unit = image->salvage_unit == 0 ? LIMIT_SECTOR : image->salvage_unit;
    struct salvage salvage = { .image = image, .unit = unit, .bad = bad, .arg = arg };
    enum err_code rc = io_image_check_range(image, offset, len, err);

    if (rc == ERR_OK && len > 0) {
        salvage_piece(&salvage, offset, dst, len);
        salvage_flush(&salvage);
    }
    return rc;
}
