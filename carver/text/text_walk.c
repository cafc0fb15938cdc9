/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_walk.c - see text_walk.h. */
#include "carver/text/text_walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/limits.h"
#include "carver/text/text_ask.h"
#include "carver/text/text_before.h"

enum {
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
    return text_source_bytes(&walk->view.source, at, len);
}

/* Whether the bytes before the cluster are the same text: then it begins before. */
static bool text_goes_on(struct text_walk *t, uint64_t at)
{
    const struct io_range *had = at >= TEXT_BEFORE ? occupied_at(t->occupied, at - 1) : NULL;

    if (at < TEXT_BEFORE || (had != NULL && had->offset < at))
        return false;
    return text_is_before(&t->view.source, at);
}

/* Whether a file system says that no file begins here. */
static bool text_is_known_inside(const struct text_walk *t, uint64_t at)
{
    const struct io_area area =
        t->job->map != NULL ? io_fsmap_find(t->job->map, at) : (struct io_area){ 0 };

    return area.kind == IO_AREA_META || (area.kind == IO_AREA_FILE && area.file_offset != 0);
}

/* Most clusters are told by their first bytes. */
static bool text_begins(struct text_walk *t, uint64_t at)
{
    const uint8_t *bytes = text_walk_bytes(t, at, TEXT_FIRST);
    const bool wide =
        bytes != NULL && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);

    return bytes != NULL && (wide || text_chars(bytes, TEXT_FIRST) == TEXT_FIRST) &&
           !text_goes_on(t, at) && !text_is_known_inside(t, at) &&
           !text_is_listed(&t->view.source, at);
}

/* Keeps a text that is wanted; *next becomes the image offset behind which to go on. */
static enum err_code text_keep(struct text_walk *t, const struct text_row *row, uint64_t *next,
                               struct err *err)
{
    const struct text_image *job = t->job;

    *next = row->offset + row->len;
    if (row->type == NULL ||
        (job->wanted != NULL && !job->wanted(job->wanted_arg, job->sig, row->type)))
        return ERR_OK;
    const enum err_code rc = grow_items(&t->rows, t->count, &t->room, sizeof *row, err);
    if (rc == ERR_OK)
        t->rows[t->count++] = *row;
    return rc;
}

/* Asks the validator. */
static enum err_code text_one(struct text_walk *t, uint64_t at, uint64_t limit, uint64_t *next,
                              struct err *err)
{
    struct text_ask ask;
    struct text_row row;

    text_ask_begin(&ask, t->job->sig, t->state, &t->view.source, at, limit);
    const bool said = text_ask_on(&ask, &row);
    const enum err_code rc = lookback_view_error(&t->view, err);

    *next = at + 1;
    return rc == ERR_OK && said ? text_keep(t, &row, next, err) : rc;
}

/* What begins at a place that nobody has, by what was said of it, or by its bytes. */
static enum err_code text_at(struct text_walk *t, uint64_t at, uint64_t limit, uint64_t *next,
                             struct err *err)
{
    const struct text_spots *spots = t->job->spots;
    const struct text_said *said = spots != NULL ? text_spots_said(spots, at) : NULL;
    struct text_row row;

    if (limit - at < LIMIT_SECTOR) /* where a file begins in the middle of a sector, none ends */
        return ERR_OK;
    if (at % t->job->align != 0)
        return ERR_OK;
    if (said != NULL && text_said_reach(said) <= limit) {
        if (text_is_known_inside(t, at))
            return ERR_OK;
        text_said_row(t->job->sig, said, &row);
        return text_keep(t, &row, next, err);
    }
    return text_begins(t, at) ? text_one(t, at, limit, next, err)
                              : lookback_view_error(&t->view, err);
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

            rc = text_at(walk, *at, limit, &next, err);
        }
        *at = text_walk_next(walk, next);
    }
    return rc;
}
