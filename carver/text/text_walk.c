/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_walk.c - see text_walk.h. */
#include "carver/text/text_walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/grow.h"
#include "base/limits.h"
#include "carver/text/text_summed.h"

enum {
    TEXT_BLOCK_MIN = 1024, /* bytes of a block of ext2 */
    TEXT_BLOCK_MAX = 4096,
    TEXT_LIST = 8,        /* numbers that follow each other: no other bytes do */
    TEXT_ASK = 64 << 20,  /* bytes between two looks at whether to stop */
    TEXT_READ = 16 << 10, /* bytes of one read: most of what is looked at are a few of a sector */
};

enum err_code text_walk_open(const struct text_image *job, const struct occupied *occupied,
                             struct text_walk *out, struct err *err)
{
    *out = (struct text_walk){
        .job = job,
        .occupied = occupied,
        .lookback = { .image = job->image, .limit = job->end, .block = TEXT_READ },
        .state = malloc(job->sig->state_size),
    };
    lookback_view_open(&out->lookback, &out->view);
    return out->state != NULL ? ERR_OK : ERR_NO_MEMORY(err, job->sig->state_size);
}

void text_walk_close(struct text_walk *walk)
{
    lookback_view_close(&walk->view);
    free(walk->state);
    free(walk->rows);
    *walk = (struct text_walk){ 0 };
}

const uint8_t *text_walk_bytes(struct text_walk *walk, uint64_t at, uint32_t len)
{
    uint32_t have = 0;
    const uint8_t *bytes = walk->view.source.view(&walk->view.source, at, len, &have);

    return have >= len ? bytes : NULL;
}

/* Whether the bytes before the cluster are the same text: then it begins before. */
static bool text_goes_on(struct text_walk *t, uint64_t at)
{
    const struct io_range *had = at >= TEXT_BEFORE ? occupied_at(t->occupied, at - 1) : NULL;

    if (at < TEXT_BEFORE || (had != NULL && had->offset < at))
        return false;
    const uint8_t *bytes = text_walk_bytes(t, at - TEXT_BEFORE, TEXT_BEFORE);
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
static bool text_is_listed(struct text_walk *t, uint64_t at)
{
    bool listed = false;

    for (uint64_t block = TEXT_BLOCK_MIN; !listed && block <= TEXT_BLOCK_MAX && block <= at;
         block *= 2) {
        const uint8_t *bytes = text_walk_bytes(t, at - block, LIMIT_SECTOR);

        listed = bytes != NULL && text_is_list(bytes);
    }
    return listed;
}

/* Whether it is known that no file begins here. */
static bool text_is_inside(struct text_walk *t, uint64_t at)
{
    const struct io_area area =
        t->job->map != NULL ? io_fsmap_find(t->job->map, at) : (struct io_area){ 0 };

    return area.kind == IO_AREA_META || (area.kind == IO_AREA_FILE && area.file_offset != 0) ||
           text_is_listed(t, at);
}

/* Most clusters are told by their first bytes. */
static bool text_begins(struct text_walk *t, uint64_t at, uint64_t limit)
{
    if (limit - at < LIMIT_SECTOR) /* where a file begins in the middle of a sector, none ends */
        return false;
    if (at % t->job->align != 0)
        return false;
    const uint8_t *bytes = text_walk_bytes(t, at, TEXT_FIRST);
    const bool wide =
        bytes != NULL && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);

    return bytes != NULL && (wide || text_chars(bytes, TEXT_FIRST) == TEXT_FIRST) &&
           !text_goes_on(t, at) && !text_is_inside(t, at);
}

/* Asks the validator; *next becomes the image offset behind which to go on. */
static enum err_code text_one(struct text_walk *t, uint64_t at, uint64_t limit, uint64_t *next,
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
    if (rc == ERR_OK)
        rc = grow_items(&t->rows, t->count, &t->room, sizeof row, err);
    if (rc == ERR_OK)
        t->rows[t->count++] = row;
    return rc;
}

uint64_t text_walk_next(const struct text_walk *walk, uint64_t at)
{
    const struct text_spots *spots = walk->job->spots;

    for (uint64_t next = at;; next = at) {
        at = occupied_cluster(walk->occupied, next);
        const struct io_range *had = at > 0 ? occupied_at(walk->occupied, at - 1) : NULL;

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
static enum err_code text_ask(struct text_walk *t, uint64_t at, struct err *err)
{
    const struct text_image *job = t->job;

    if (at - t->asked < TEXT_ASK)
        return ERR_OK;
    t->asked = at;
    return job->stop != NULL && job->stop() ? ERR_RAISE(err, ERR_INTERRUPTED, "interrupted")
                                            : ERR_OK;
}

enum err_code text_walk_on(struct text_walk *walk, uint64_t *at, uint64_t to, struct err *err)
{
    const struct text_image *job = walk->job;
    enum err_code rc = ERR_OK;

    to = to < job->end ? to : job->end;
    walk->asked = *at;
    for (*at = text_walk_next(walk, *at);
         rc == ERR_OK && *at < to && walk->count < TEXT_WALK_ROWS;) {
        const struct io_range *had = occupied_at(walk->occupied, *at);
        uint64_t next = *at + 1;

        rc = text_ask(walk, *at, err);
        if (rc != ERR_OK)
            break;
        if (had != NULL && had->offset <= *at) {
            next = had->offset + had->len;
        } else {
            const uint64_t limit = had != NULL && had->offset < job->end ? had->offset : job->end;

            if (text_begins(walk, *at, limit))
                rc = text_one(walk, *at, limit, &next, err);
            else
                rc = lookback_view_error(&walk->view, err);
        }
        *at = text_walk_next(walk, next);
    }
    return rc;
}
