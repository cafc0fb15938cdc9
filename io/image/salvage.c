/* SPDX-License-Identifier: Apache-2.0
 * io/image/salvage.c - reading what can be read of a range.
 *
 * A read that fails is cut in eight at sector boundaries and each piece tried again, so that one
 * bad sector in a request of n sectors costs log8 n more reads that fail, which may take seconds
 * each, and loses nothing beside it. Where all other pieces can be read, the last one cannot, and
 * is cut at once. Places that take too long are stepped over (bad_places.h). After the first
 * failure, and near others, the page cache is left out: it would give up a page for a sector, and
 * ask for it more than once. What is known to have never been read costs no read at all.
 */
#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "io/image/image_impl.h"

enum { SALVAGE_PIECES = 8 /* that a read which fails is cut into */ };

struct salvage {
    struct io_image *image;
    io_bad_range_fn bad;
    void *arg;
    uint32_t unit;  /* bytes: what fails in one unit of the file is not cut further */
    uint64_t shift; /* from image offsets to those of the file, in which units are counted */
    struct io_bad_range open;  /* joined so far, not yet reported; len 0: none */
    struct io_bad_list *later; /* what is to be tried again; NULL: nothing is */
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

/* What has failed, and what is not tried because of it, is zeros and is remembered. */
static enum err_code salvage_lose(struct salvage *salvage, uint8_t *dst,
                                  const struct io_bad_range *range)
{
    if (salvage->later != NULL && range->source == IO_BAD_READ && range->status == IO_STATUS_BAD) {
        memset(dst, 0, (size_t)range->len);
        io_bad_list_add(salvage->later, range);
        return salvage->later->failed ? ERR_NO_MEMORY(salvage->err, sizeof *range) : ERR_OK;
    }
    salvage_give_up(salvage, dst, range);
    return io_bad_places_add(&salvage->image->places, range)
               ? ERR_OK
               : ERR_NO_MEMORY(salvage->err, sizeof *range);
}

static enum err_code salvage_try(struct salvage *salvage, uint64_t offset, uint8_t *dst, size_t len,
                                 bool again, struct io_failure *failure)
{
    struct io_bad_places *places = &salvage->image->places;
    const uint64_t since_ns = io_bad_places_now(places);
    const enum err_code rc =
        io_image_try_read(salvage->image, offset, dst, len, again, failure, salvage->err);

    if (rc == ERR_IO && failure->source == IO_BAD_READ && salvage->image->patience.on &&
        io_patience_network(failure->cause))
        return ERR_RAISE(salvage->err, ERR_ENV,
                         "%s: cannot be read at offset %" PRIu64
                         ": %s; that is no word about the medium: try again when its server can be "
                         "reached",
                         io_image_part_path(salvage->image, 0), offset, strerror(failure->cause));
    /* What a library takes to unpack damaged data is no time of a disk. */
    if (rc == ERR_IO && failure->source == IO_BAD_READ && failure->cause != 0)
        io_bad_places_failed(places, offset, since_ns);
    return rc;
}

/* Too long was spent on this window: a little is tried now and then, and nothing is cut. */
static enum err_code salvage_steps(struct salvage *salvage, uint64_t offset, uint8_t *dst,
                                   size_t len)
{
    struct io_bad_places *places = &salvage->image->places;
    const uint64_t end = offset + len;
    enum err_code rc = ERR_OK;

    for (uint64_t at = offset, step, until; rc == ERR_OK && at < end; at += step, dst += step) {
        struct io_failure failure = { .source = IO_BAD_READ };
        const uint64_t most =
            at < end && end - at < IO_BAD_PLACES_PROBE ? end - at : IO_BAD_PLACES_PROBE;
        const bool tries = !io_bad_places_slow(places, at, &until) || until <= at;

        step = tries ? most : until < end ? until - at : end - at;
        if (tries)
            rc = salvage_try(salvage, at, dst, (size_t)step, true, &failure);
        if (tries && rc == ERR_IO)
            io_bad_places_step(places, at, at + step);
        else if (tries && rc == ERR_OK)
            io_bad_places_stepped(places, at);
        if (!tries || rc == ERR_IO) {
            const struct io_bad_range left = { at, step, failure.cause, failure.source,
                                               IO_STATUS_UNTRIMMED };
            rc = salvage_lose(salvage, dst, &left);
        }
    }
    return rc;
}

static enum err_code salvage_cut(struct salvage *salvage, uint64_t offset, uint8_t *dst, size_t len,
                                 uint32_t unit, bool *lost);

/*
 * again: a read of it has failed before. fails: a read of it would fail, for one of more bytes has,
 * and the others can be read.
 */
static enum err_code salvage_piece(struct salvage *salvage, uint64_t offset, uint8_t *dst,
                                   size_t len, bool again, bool fails, bool *lost)
{
    struct io_failure failure = { .unit = salvage->unit };
    uint64_t until;
    enum err_code rc = ERR_IO;

    *lost = true;
    if (io_bad_places_slow(&salvage->image->places, offset, &until))
        return salvage_steps(salvage, offset, dst, len);
    const uint64_t at = offset + salvage->shift;
    if (!fails || (at + len - 1) / salvage->unit == at / salvage->unit) {
        rc = salvage_try(salvage, offset, dst, len, again, &failure);
        *lost = rc != ERR_OK;
        if (rc != ERR_IO)
            return rc;
        if (!again && salvage->image->ops->read_again != NULL)
            return salvage_piece(salvage, offset, dst, len, true, false, lost);
        salvage->unit = failure.unit;
    }
    if ((at + len - 1) / failure.unit == at / failure.unit) {
        const struct io_bad_range bad = { offset, len, failure.cause, failure.source,
                                          IO_STATUS_BAD };
        return salvage_lose(salvage, dst, &bad);
    }
    return salvage_cut(salvage, offset, dst, len, failure.unit, lost);
}

/* What has failed, piece by piece. Recursion is at most log8(len / unit) + 2 deep. */
static enum err_code salvage_cut(struct salvage *salvage, uint64_t offset, uint8_t *dst, size_t len,
                                 uint32_t unit, bool *lost)
{
    const uint64_t at = offset + salvage->shift, first = at / unit;
    const uint64_t units = (at + len - 1) / unit - first + 1;
    const uint64_t pieces = units < SALVAGE_PIECES ? units : SALVAGE_PIECES;
    enum err_code rc = ERR_OK;
    size_t done = 0;

    *lost = false;
    for (uint64_t i = 1; rc == ERR_OK && i <= pieces; i++) {
        const size_t end = i == pieces ? len : (size_t)((first + units * i / pieces) * unit - at);
        bool piece_lost = false;

        rc = salvage_piece(salvage, offset + done, dst + done, end - done, true,
                           i == pieces && !*lost, &piece_lost);
        *lost |= piece_lost;
        done = end;
    }
    return rc;
}

/* Asks for all of a piece, and again after pauses: a hiccup of a network passes. */
static enum err_code salvage_patiently(struct salvage *salvage, uint64_t offset, uint8_t *dst,
                                       size_t len, bool again)
{
    struct io_failure failure = { .cause = 0 };
    uint64_t until;

    if (io_bad_places_slow(&salvage->image->places, offset, &until))
        return ERR_IO;
    enum err_code rc = salvage_try(salvage, offset, dst, len, again, &failure);
    for (uint32_t i = 0; rc == ERR_IO && failure.source == IO_BAD_READ &&
                         io_patience_wait(&salvage->image->patience, i);
         i++)
        rc = salvage_try(salvage, offset, dst, len, true, &failure);
    return rc;
}

/* Reads the start of a range, as far as it is of one run; *step is how far that is. */
static enum err_code salvage_run(struct salvage *salvage, uint64_t offset, uint8_t *dst,
                                 uint64_t len, bool again, uint64_t *step)
{
    struct io_span span;
    const bool mapped = io_image_map(salvage->image, offset, &span);

    bool lost;

    salvage->shift = mapped && span.how == IO_SPAN_STORED ? span.fd_offset - offset : 0;
    *step = mapped && span.len < len ? span.len : len;
    if (mapped && span.how == IO_SPAN_ZERO) {
        memset(dst, 0, (size_t)*step);
        return ERR_OK;
    }
    salvage->unit = salvage->image->salvage_unit == 0 ? LIMIT_SECTOR : salvage->image->salvage_unit;
    if (salvage->image->patience.on) {
        const enum err_code rc = salvage_patiently(salvage, offset, dst, (size_t)*step, again);

        if (rc != ERR_IO)
            return rc;
        again = true;
    }
    again = again || io_bad_places_near(&salvage->image->places, offset);
    return salvage_piece(salvage, offset, dst, (size_t)*step, again, false, &lost);
}

/*
 * The first range that ends behind offset and is known to hold no bytes: because they were never
 * read, or could not be before. False: none.
 */
static bool salvage_known(struct io_image *image, uint64_t offset, struct io_bad_range *out)
{
    const struct io_bad_range *unread = io_bad_list_find(&image->unread, offset);
    const bool found = io_bad_places_find(&image->places, offset, out);

    if (unread != NULL && (!found || unread->offset <= out->offset || unread->offset <= offset))
        *out = *unread;
    return found || unread != NULL;
}

/* What the image knows to have never been read, or to fail, is left out. */
static enum err_code salvage_all(struct salvage *salvage, uint64_t offset, uint8_t *dst, size_t len,
                                 bool again)
{
    const uint64_t end = offset + len;
    enum err_code rc = ERR_OK;

    for (uint64_t at = offset, step; rc == ERR_OK && at < end; at += step, dst += step) {
        struct io_bad_range known;
        const bool is = salvage_known(salvage->image, at, &known) && known.offset < end;
        const uint64_t begin = is ? known.offset : end;

        if (begin > at) {
            rc = salvage_run(salvage, at, dst, begin - at, again, &step);
            continue;
        }
        const uint64_t last = known.offset + known.len;
        step = (last < end ? last : end) - at;
        known.offset = at;
        known.len = step;
        salvage_give_up(salvage, dst, &known);
    }
    salvage_flush(salvage);
    return rc;
}

/* Tries a place that has failed, piece by piece. What fails again is left in *rest. */
static enum err_code salvage_retry(struct salvage *salvage, const struct io_bad_range *place,
                                   uint8_t *dst, struct io_bad_list *rest)
{
    const uint32_t unit =
        salvage->image->salvage_unit == 0 ? LIMIT_SECTOR : salvage->image->salvage_unit;
    const uint64_t end = place->offset + place->len;
    enum err_code rc = ERR_OK;

    for (uint64_t at = place->offset, step, until; rc == ERR_OK && at < end; at += step) {
        struct io_failure failure = { .cause = place->cause };
        const uint64_t left = end - at, most = unit - at % unit;

        step = left < most ? left : most;
        rc = io_bad_places_slow(&salvage->image->places, at, &until)
                 ? ERR_IO
                 : salvage_try(salvage, at, dst + (at - place->offset), (size_t)step, true,
                               &failure);
        if (rc != ERR_IO)
            continue;
        const struct io_bad_range bad = { at, step, failure.cause, IO_BAD_READ, IO_STATUS_BAD };
        memset(dst + (at - place->offset), 0, (size_t)step);
        io_bad_list_add(rest, &bad);
        rc = rest->failed ? ERR_NO_MEMORY(salvage->err, sizeof bad) : ERR_OK;
    }
    return rc;
}

/* What failed is tried again, all of it once and then again. */
static enum err_code salvage_retry_all(struct salvage *salvage, uint64_t offset, uint8_t *dst)
{
    struct io_bad_list *later = salvage->later;
    enum err_code rc = ERR_OK;

    for (uint32_t n = 0; rc == ERR_OK && n < salvage->image->retry_bad && later->count > 0; n++) {
        struct io_bad_list rest = { 0 };

        for (uint32_t i = 0; rc == ERR_OK && i < later->count; i++)
            rc = salvage_retry(salvage, &later->items[i], dst + (later->items[i].offset - offset),
                               &rest);
        io_bad_list_release(later);
        *later = rest;
    }
    return rc;
}

static void salvage_collect(void *arg, const struct io_bad_range *range)
{
    io_bad_list_add(arg, range);
}

/* Others may read the place too: it counts as bad when it was tried often enough. */
static enum err_code salvage_with_retries(struct salvage *salvage, uint64_t offset, uint8_t *dst,
                                          size_t len, bool again)
{
    struct io_bad_list all = { 0 }, later = { 0 };
    const io_bad_range_fn bad = salvage->bad;
    void *arg = salvage->arg;

    salvage->bad = salvage_collect;
    salvage->arg = &all;
    salvage->later = &later;
    enum err_code rc = salvage_all(salvage, offset, dst, len, again);
    if (rc == ERR_OK)
        rc = salvage_retry_all(salvage, offset, dst);
    for (uint32_t i = 0; rc == ERR_OK && i < later.count; i++) {
        io_bad_list_remember(&all, &later.items[i]);
        if (all.failed || !io_bad_places_add(&salvage->image->places, &later.items[i]))
            rc = ERR_NO_MEMORY(salvage->err, sizeof later.items[i]);
    }
    if (rc == ERR_OK && all.failed)
        rc = ERR_NO_MEMORY(salvage->err, all.room * sizeof *all.items);
    for (uint32_t i = 0; rc == ERR_OK && bad != NULL && i < all.count; i++)
        bad(arg, &all.items[i]);
    io_bad_list_release(&all);
    io_bad_list_release(&later);
    salvage->bad = bad;
    salvage->arg = arg;
    salvage->later = NULL;
    return rc;
}

static enum err_code salvage_read(struct io_image *image, uint64_t offset, uint8_t *dst, size_t len,
                                  bool again, io_bad_range_fn bad, void *arg, struct err *err)
{
    struct salvage salvage = { .image = image, .bad = bad, .arg = arg, .err = err };
    const enum err_code rc = io_image_check_range(image, offset, len, err);

    if (rc != ERR_OK)
        return rc;
    return image->retry_bad > 0 ? salvage_with_retries(&salvage, offset, dst, len, again)
                                : salvage_all(&salvage, offset, dst, len, again);
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
