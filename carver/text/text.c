/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text.c - see text.h. */
#include "carver/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "carver/plan/lookback.h"
#include "carver/text/occupied.h"
#include "carver/text/text_rows.h"
#include "carver/text/text_summed.h"

enum {
    TEXT_BLOCK_MIN = 1024, /* bytes of a block of ext2 */
    TEXT_BLOCK_MAX = 4096,
    TEXT_LIST = 8,        /* numbers that follow each other: no other bytes do */
    TEXT_ASK = 64 << 20,  /* bytes between two looks at whether to stop */
    TEXT_READ = 16 << 10, /* bytes of one read: most of what is looked at are a few of a sector */
};

struct text {
    const struct text_image *job;
    struct occupied occupied;
    struct lookback lookback;
    struct lookback_view view;
    struct text_rows rows;
    void *state;     /* of the validator */
    uint64_t asked;  /* image offset at which the caller was asked last */
    uint64_t before; /* bytes of the ranges before the one under way */
};

static const uint8_t *text_bytes(struct text *t, uint64_t at, uint32_t len)
{
    uint32_t have = 0;
    const uint8_t *bytes = t->view.source.view(&t->view.source, at, len, &have);

    return have >= len ? bytes : NULL;
}

/* Whether the bytes before the cluster are the same text: then it begins before. */
static bool text_goes_on(struct text *t, uint64_t at)
{
    const struct io_range *had = at >= TEXT_BEFORE ? occupied_at(&t->occupied, at - 1) : NULL;

    if (at < TEXT_BEFORE || (had != NULL && had->offset < at))
        return false;
    const uint8_t *bytes = text_bytes(t, at - TEXT_BEFORE, TEXT_BEFORE);
    return bytes != NULL && text_chars(bytes, TEXT_BEFORE) == TEXT_BEFORE;
}

/* Whether it is a list of blocks: one behind the other, or few of them and then zeros. */
static bool text_is_list(const uint8_t *sector)
{
    const uint32_t first = bytes_u32le(sector);
    uint32_t steps = 1, end;

    while (first != 0 && steps < TEXT_LIST && bytes_u32le(sector + steps * 4) == first + steps)
        steps++;
    for (end = steps * 4; steps < TEXT_LIST && end < LIMIT_SECTOR && sector[end] == 0;)
        end++;
    return first != 0 && (steps == TEXT_LIST || end == LIMIT_SECTOR);
}

/* Whether the block before is the list of an ext2 file's further blocks, which go on here. */
static bool text_is_listed(struct text *t, uint64_t at)
{
    bool listed = false;

    for (uint64_t block = TEXT_BLOCK_MIN; !listed && block <= TEXT_BLOCK_MAX && block <= at;
         block *= 2) {
        const uint8_t *bytes = text_bytes(t, at - block, LIMIT_SECTOR);

        listed = bytes != NULL && text_is_list(bytes);
    }
    return listed;
}

/* Whether it is known that no file begins here. */
static bool text_is_inside(struct text *t, uint64_t at)
{
    const struct io_area area =
        t->job->map != NULL ? io_fsmap_find(t->job->map, at) : (struct io_area){ 0 };

    return area.kind == IO_AREA_META || (area.kind == IO_AREA_FILE && area.file_offset != 0) ||
           text_is_listed(t, at);
}

/* Most clusters are told by their first bytes. */
static bool text_begins(struct text *t, uint64_t at, uint64_t limit)
{
    if (limit - at < LIMIT_SECTOR) /* where a file begins in the middle of a sector, none ends */
        return false;
    if (at % t->job->align != 0)
        return false;
    const uint8_t *bytes = text_bytes(t, at, TEXT_FIRST);
    const bool wide =
        bytes != NULL && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);

    return bytes != NULL && (wide || text_chars(bytes, TEXT_FIRST) == TEXT_FIRST) &&
           !text_goes_on(t, at) && !text_is_inside(t, at);
}

/* Asks the validator; *next becomes the image offset behind which to go on. */
static enum err_code text_one(struct text *t, uint64_t at, uint64_t limit, uint64_t *next,
                              struct err *err)
{
    const struct text_image *job = t->job;
    const struct sig *sig = job->sig;
    const uint64_t left = limit - at;
    struct text_summed summed;
    struct sig_input in = { .source = &summed.source,
                            .sig = sig,
                            .type = &sig->types[0],
                            .start = at,
                            .limit = left < sig->size_max ? left : sig->size_max };

    text_summed_open(&summed, &t->view.source, at);
    memset(t->state, 0, sig_state_clean(sig));
    const struct sig_result result = sig_check(sig, &in, t->state);
    *next = at + (in.valid > 0 ? in.valid : 1);
    if (t->view.rc != ERR_OK || result.verdict == SIG_MORE)
        return lookback_view_error(&t->view, err);
    if (result.verdict == SIG_REJECT ||
        (job->wanted != NULL && !job->wanted(job->wanted_arg, sig, in.type)))
        return ERR_OK;
    const bool whole = result.verdict == SIG_COMPLETE && result.len < left;
    const struct text_row row = {
        .type = in.type,
        .offset = at,
        .len = result.len,
        .complete = whole,
        .slack = whole && (at + result.len) % LIMIT_SECTOR != 0,
        .why = whole || result.verdict == SIG_BREAKS
                   ? result.why
                   : "text to where another file begins, or to the end of what was read",
        .crc64 = text_summed_to(&summed, at + result.len),
    };
    enum err_code rc = lookback_view_error(&t->view, err);
    *next = at + result.len;
    return rc == ERR_OK ? text_rows_add(&t->rows, &row, err) : rc;
}

/* The first cluster from `at` on that has to be looked at: it begins with a sector that was noted,
 * or that nobody has looked at, or right behind an object; or an object has it. */
static uint64_t text_next(const struct text *t, uint64_t at)
{
    const struct text_spots *spots = t->job->spots;

    for (uint64_t next = at;; next = at) {
        at = occupied_cluster(&t->occupied, next);
        const struct io_range *had = at > 0 ? occupied_at(&t->occupied, at - 1) : NULL;

        if (spots == NULL || (had != NULL && had->offset < at))
            return at;
        next = text_spots_next(spots, at);
        if (had != NULL && had->offset < next)
            next = had->offset;
        if (next == at)
            return at;
        at = next;
    }
}

/* Whether to go on, now and then. */
static enum err_code text_ask(struct text *t, uint64_t at, uint64_t done, struct err *err)
{
    const struct text_image *job = t->job;

    if (at - t->asked < TEXT_ASK)
        return ERR_OK;
    t->asked = at;
    if (job->tick != NULL)
        job->tick(job->tick_arg, done, t->rows.found);
    return job->stop != NULL && job->stop() ? ERR_RAISE(err, ERR_INTERRUPTED, "interrupted")
                                            : ERR_OK;
}

static enum err_code text_range(struct text *t, const struct io_range *range, struct err *err)
{
    const struct text_image *job = t->job;
    const uint64_t to =
        range->offset + range->len < job->end ? range->offset + range->len : job->end;
    enum err_code rc = ERR_OK;

    for (uint64_t at = text_next(t, range->offset); rc == ERR_OK && at < to;) {
        const struct io_range *had = occupied_at(&t->occupied, at);
        uint64_t next = at + 1;

        rc = text_ask(t, at, t->before + (at - range->offset), err);
        if (rc != ERR_OK)
            break;
        if (had != NULL && had->offset <= at) {
            next = had->offset + had->len;
        } else {
            const uint64_t limit = had != NULL && had->offset < job->end ? had->offset : job->end;

            if (text_begins(t, at, limit))
                rc = text_one(t, at, limit, &next, err);
            else
                rc = lookback_view_error(&t->view, err);
        }
        at = text_next(t, next);
    }
    t->before += range->len;
    return rc;
}

enum err_code text_image(const struct text_image *job, struct text_totals *totals, struct err *err)
{
    struct text t = { .job = job,
                      .lookback = { .image = job->image, .limit = job->end, .block = TEXT_READ },
                      .state = malloc(job->sig->state_size) };
    enum err_code rc = t.state != NULL ? ERR_OK : ERR_NO_MEMORY(err, job->sig->state_size);

    lookback_view_open(&t.lookback, &t.view);
    if (rc == ERR_OK)
        rc =
            occupied_load(job->db, job->image_id, job->signature_id, job->unread, &t.occupied, err);
    if (rc == ERR_OK)
        rc = text_rows_begin(&t.rows, job->db, job->image_id, job->signature_id, err);
    for (uint32_t i = 0; rc == ERR_OK && !t.occupied.done && i < job->range_count; i++)
        rc = text_range(&t, &job->ranges[i], err);
    if (rc == ERR_OK)
        rc = text_rows_store(&t.rows, err);
    if (rc == ERR_OK && job->tick != NULL)
        job->tick(job->tick_arg, t.before, t.rows.found);
    *totals = (struct text_totals){ .found = t.rows.found, .reread = t.view.reread };
    lookback_view_close(&t.view);
    occupied_release(&t.occupied);
    free(t.state);
    if (rc != ERR_OK && rc != ERR_INTERRUPTED)
        err_while(err, "looking for plain text");
    return rc;
}
