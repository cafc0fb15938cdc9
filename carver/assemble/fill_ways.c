/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/fill_ways.c - see fill_impl.h. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "carver/assemble/fill_impl.h"
#include "carver/assemble/fit.h"

enum {
    FILL_RACE = 2048,           /* bytes of a way that are looked at first */
    FILL_WAY = 1024,            /* work of a way, beside that of the validator, */
    FILL_COPY = 64,             /* and bytes of a state that are copied in one unit of work */
    FILL_WAY_MOST = 1 << 20,    /* work of one way: wrong bytes may unpack to much, */
    FILL_FIRST_MOST = 16 << 20, /* and of the first piece, which is read once */
    FILL_WAY_TIMES = 24,        /* and for each byte of the file */
    FILL_STEP_BYTES = 1 << 14,  /* bytes that are shown before that is looked at */
    FILL_FITS = 6,              /* an end that looks like one is by so many steps better, */
    FILL_UNFIT = 32,            /* and one that does not, worse */
    FILL_LEARN = 4,             /* sectors before the seam that are learnt from */
};

bool fill_spent(const struct fill *fill)
{
    return fill->trial->work - fill->spent_from >= fill->job->budget + fill->more;
}

const uint8_t *fill_last(const struct fill *fill)
{
    const struct resemble *window = &fill->tail->window;

    return window->bytes + (size_t)window->sectors * LIMIT_SECTOR - EDGES_BYTES;
}

struct sig_result fill_feed(struct trial *trial, uint64_t from, uint64_t visible)
{
    const uint64_t before = trial->work;
    const uint64_t first = from == 0 ? FILL_FIRST_MOST : FILL_WAY_MOST;
    const uint64_t times = from == 0 ? 0 : FILL_WAY_TIMES;
    uint64_t shown = from + FILL_STEP_BYTES;
    struct sig_result result;

    for (;;) {
        trial->splice.visible = shown < visible ? shown : visible;
        result = trial_run(trial);
        if (result.verdict != SIG_MORE || shown >= visible)
            return result;
        if (trial->work - before > first + times * shown)
            return sig_reject("it unpacks to more than is looked at");
        const uint64_t next = shown + FILL_STEP_BYTES;
        shown = trial->in.wanted > next ? trial->in.wanted : next;
    }
}

enum err_code fill_show(struct fill *fill, uint64_t begin, uint64_t end, uint64_t most,
                        struct sig_result *result, struct err *err)
{
    struct trial *trial = fill->trial;

    fill->runs[fill->count] = (struct io_range){ begin, end - begin };
    const enum err_code rc = splice_set(&trial->splice, fill->runs, fill->count + 1, err);
    if (rc != ERR_OK)
        return rc;
    trial->work += FILL_WAY + fill->state_size / FILL_COPY;
    trial->in = fill->in;
    trial_copy(fill->job->start->sig, trial->state, fill->state);
    *result = fill_feed(trial, fill->cut, fill->cut + (most < end - begin ? most : end - begin));
    return splice_error(&trial->splice, err);
}

bool fill_goes_on(const struct fill *fill, const struct sig_result *result)
{
    return result->verdict == SIG_MORE ||
           (result->verdict == SIG_COMPLETE && result->len > splice_len(&fill->trial->splice));
}

/* Whether the validator takes a way as far as it has seen it. */
static bool fill_takes(const struct fill *fill, const struct sig_result *result)
{
    return result->verdict == SIG_MORE ||
           (result->verdict == SIG_COMPLETE && result->len > fill->cut);
}

enum err_code fill_race(struct fill *fill, uint64_t begin, uint64_t end, bool *takes,
                        struct err *err)
{
    struct sig_result result;
    const enum err_code rc = fill_show(fill, begin, end, FILL_RACE, &result, err);

    *takes = rc == ERR_OK && fill_takes(fill, &result);
    return rc;
}

static void fill_tail_close(struct fill_tail *tail)
{
    if (tail == NULL)
        return;
    resemble_close(&tail->window);
    free(tail->alike);
    free(tail);
}

void fill_forget(struct fill *fill)
{
    for (uint32_t i = 0; i < FILL_TAILS; i++)
        fill_tail_close(fill->tails[i]);
}

/* Learns what so many sectors before image offset end have. */
static enum err_code fill_tail_open(const struct fill *fill, uint64_t end, uint32_t sectors,
                                    struct fill_tail **out, struct err *err)
{
    const size_t holes = fill->job->holes->count;
    struct fill_tail *tail = calloc(1, sizeof *tail);
    uint64_t ats[FILL_TAIL];

    *out = tail;
    if (tail == NULL)
        return ERR_NO_MEMORY(err, sizeof *tail);
    tail->end = end;
    tail->alike = malloc((holes + 1) * sizeof *tail->alike);
    if (tail->alike == NULL)
        return ERR_NO_MEMORY(err, holes * sizeof *tail->alike);
    for (size_t i = 0; i < holes; i++)
        tail->alike[i] = INT64_MIN;
    for (uint32_t i = 0; i < sectors; i++)
        ats[i] = end - (uint64_t)(sectors - i) * LIMIT_SECTOR;
    const enum err_code rc =
        resemble_open_at(&tail->window, fill->job->table, &fill->trial->splice, ats, sectors, err);
    if (rc == ERR_OK)
        resemble_add_grams(&tail->window, (struct resemble_range){ 0, sectors }, &tail->strings);
    return rc;
}

/* The place of what is known of these sectors; or that of what was not wanted for longest. */
static struct fill_tail **fill_tail_of(struct fill *fill, uint64_t end, uint32_t sectors)
{
    struct fill_tail **place = &fill->tails[0];

    for (uint32_t i = 0; i < FILL_TAILS; i++) {
        struct fill_tail **other = &fill->tails[i];

        if (*other != NULL && (*other)->end == end && (*other)->window.sectors == sectors)
            return other;
        if (*place != NULL && (*other == NULL || (*other)->use < (*place)->use))
            place = other;
    }
    fill_tail_close(*place);
    *place = NULL;
    return place;
}

enum err_code fill_learn(struct fill *fill, struct err *err)
{
    const struct io_range *last = &fill->runs[fill->count - 1];
    const uint64_t all = last->len / LIMIT_SECTOR, end = last->offset + last->len;
    const uint32_t sectors = all < FILL_TAIL ? (uint32_t)all : FILL_TAIL;
    const uint32_t learn = sectors < FILL_LEARN ? sectors : FILL_LEARN;
    const uint64_t at = fill->cut - (uint64_t)learn * LIMIT_SECTOR;
    struct fill_tail **place = fill_tail_of(fill, end, sectors);
    enum err_code rc = ERR_OK;

    if (*place == NULL)
        rc = fill_tail_open(fill, end, sectors, place, err);
    if (rc != ERR_OK)
        return rc;
    struct fill_tail *tail = *place;
    if (!tail->has_edges || tail->edges_at != at % EDGES_PLACES)
        edges_learn(&tail->edges, tail->window.bytes + (size_t)(sectors - learn) * LIMIT_SECTOR,
                    learn * LIMIT_SECTOR, at);
    tail->has_edges = true;
    tail->edges_at = (uint32_t)(at % EDGES_PLACES);
    tail->use = ++fill->tail_uses;
    fill->tail = tail;
    return ERR_OK;
}

/* What is saved by so many sectors of a hole, but for the edges. */
static int64_t fill_alike(const struct fill *fill, uint32_t hole, uint32_t sectors)
{
    const struct fill_job *job = fill->job;
    const struct resemble *tail = &fill->tail->window, *heads = &job->holes->heads;
    const uint32_t from = hole * HOLES_HEAD, to = tail->sectors;
    const struct resemble_range head = { from, from + sectors }, far = { 0, to },
                                near = { to > FILL_NEAR ? to - FILL_NEAR : 0, to };

    return (resemble_saved_with(tail, near, heads, head) +
            resemble_saved_with(tail, far, heads, head)) /
               2 +
           resemble_shared(job->sample, heads, &fill->tail->strings, NULL, head);
}

int64_t fill_saved(const struct fill *fill, const struct fill_way *way, uint32_t sectors)
{
    const struct fill_tail *tail = fill->tail;
    const uint8_t *head =
        fill->job->holes->heads.bytes + (size_t)way->hole * HOLES_HEAD * LIMIT_SECTOR;
    int64_t alike = sectors == HOLES_HEAD ? tail->alike[way->hole] : INT64_MIN;

    if (alike == INT64_MIN)
        alike = fill_alike(fill, way->hole, sectors);
    if (sectors == HOLES_HEAD)
        tail->alike[way->hole] = alike;
    return alike + resemble_edges(&tail->edges, fill_last(fill), head, fill->cut);
}

int64_t fill_step(const struct fill_way *best)
{
    const int64_t step = best->saved / FILL_STEPS;

    return step > FILL_STEP ? step : FILL_STEP;
}

/*
 * Whether the file may end in this way: the driver that fills holes so clears the rest of a file's
 * last cluster (filled.h).
 */
static bool fill_may_end(const struct fill *fill, uint64_t end)
{
    const struct islands *islands = fill->job->islands;
    const uint64_t in = (end - islands->phase) % islands->unit;

    return !fill->job->filled->follows || in == 0 ||
           splice_image_zeros(&fill->trial->splice, end, (uint32_t)(islands->unit - in));
}

/*
 * Whether the file is proven to end with the hole: the validator, which wants to see what is behind
 * it, is asked what it says if there is nothing. If it is not, the validator is as it was.
 */
static bool fill_ends(struct fill *fill, struct sig_result *result)
{
    struct trial *trial = fill->trial;
    const struct sig *sig = fill->job->start->sig;
    const uint64_t len = splice_len(&trial->splice);

    if (sig->seam < SIG_SEAM_UNIT || result->verdict != SIG_MORE || trial->in.wanted <= len ||
        len > trial->in.limit)
        return false;
    const struct sig_input in = trial->in;
    trial_copy(sig, fill->spare, trial->state);
    trial->work += fill->state_size / FILL_COPY;
    trial->in.limit = len;
    const struct sig_result ended = trial_run(trial);
    if (ended.len > fill->cut && trial_proves(trial, &ended)) {
        *result = ended;
        return true;
    }
    trial->in = in;
    trial_copy(sig, trial->state, fill->spare);
    return false;
}

enum err_code fill_look(struct fill *fill, struct fill_way *way, struct err *err)
{
    struct trial *trial = fill->trial;
    struct sig_result result = { 0 };
    bool takes = false;
    enum err_code rc = fill_race(fill, way->begin, way->end, &takes, err);

    if (rc == ERR_OK && takes) { /* it goes on from there */
        result = fill_feed(trial, fill->cut + FILL_RACE, fill->cut + (way->end - way->begin));
        rc = splice_error(&trial->splice, err);
    }
    fill->tried++;
    way->asked = true;
    way->dead = rc != ERR_OK || !takes || !fill_takes(fill, &result);
    if (rc == ERR_OK && takes && way->dead && result.len > fill->cut)
        way->far = result.len - fill->cut;
    if (rc != ERR_OK || way->dead || (!fill_ends(fill, &result) && fill_goes_on(fill, &result)))
        return rc;
    way->proven = trial_proves(trial, &result);
    way->dead = !way->proven && !fill_may_end(fill, way->begin + (result.len - fill->cut));
    if (way->dead)
        return ERR_OK;
    way->len = result.len;
    way->type = trial_type(trial);
    way->why = result.why;
    return rc;
}

enum err_code fill_ask(struct fill *fill, struct fill_way *way, struct err *err)
{
    const enum err_code rc = fill_look(fill, way, err);

    if (rc != ERR_OK || way->dead || way->len == 0)
        return rc;
    const uint64_t rest = way->len - fill->cut, behind = rest / LIMIT_SECTOR;
    way->fit = fit_behind(&fill->trial->splice, fill->job->starts, way->begin + rest);
    /* What lies behind the file is not compared. */
    if (behind < HOLES_HEAD)
        way->saved = fill_saved(fill, way, (uint32_t)behind) - way->unlike;
    if ((way->fit & FIT_SLACK) != 0)
        way->saved += FILL_FITS * fill_step(way);
    else if (way->fit == FIT_KNOWN)
        way->saved -= FILL_UNFIT * fill_step(way);
    return ERR_OK;
}
