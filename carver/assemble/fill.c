/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/fill.c - see fill.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "carver/assemble/fill_impl.h"

enum { FILL_BITS_LEAST = 32 /* of proof, beside the logarithm of what was tried */ };

void fill_keep(struct fill *fill)
{
    fill->in = fill->trial->in;
    trial_copy(fill->job->start->sig, fill->state, fill->trial->state);
}

/* Reads the first piece, which has so many bytes. */
static enum err_code fill_first(struct fill *fill, uint64_t len, struct sig_result *result,
                                struct err *err)
{
    const struct start *start = fill->job->start;

    fill->runs[0] = (struct io_range){ start->offset, len };
    fill->count = 1;
    fill->cut = len;
    const enum err_code rc = trial_begin(fill->trial, start->sig, fill->runs, 1, err);
    if (rc != ERR_OK)
        return rc;
    fill->trial->in.limit = start->sig->size_max; /* behind it there is another piece */
    *result = fill_feed(fill->trial, 0, len);
    fill_keep(fill);
    return splice_error(&fill->trial->splice, err);
}

/*
 * Reads the first piece, up to the end of its hole, or up to where it breaks: what follows there
 * may be nobody's that is known. *on: it is right, and the file goes on.
 */
static enum err_code fill_begin(struct fill *fill, bool *on, struct err *err)
{
    const struct fill_job *job = fill->job;
    const uint64_t start = job->start->offset;
    const size_t i = islands_from(job->islands, start);

    *on = false;
    if (i >= job->islands->count || job->islands->begins[i] > start ||
        !islands_on_cluster(job->islands, start))
        return ERR_OK;
    const uint64_t unit = job->islands->unit, hole = job->islands->ends[i] - start;
    uint64_t cuts[] = { hole, 0, 0 };
    enum err_code rc = ERR_OK;
    for (uint32_t k = 0; rc == ERR_OK && !*on && k < sizeof cuts / sizeof cuts[0]; k++) {
        struct sig_result result = { 0 };

        if (cuts[k] == 0 || cuts[k] > hole)
            continue;
        rc = fill_first(fill, cuts[k], &result, err);
        *on = rc == ERR_OK && fill_goes_on(fill, &result);
        if (k == 0 && result.verdict == SIG_BREAKS) {
            cuts[1] = (result.len + unit - 1) / unit * unit;
            cuts[2] = result.len / unit * unit;
        }
    }
    return rc;
}

/* Whether other bytes would prove the file as well: units of another one may pass. */
static bool fill_is_one(const struct fill *fill)
{
    uint32_t proven = 0;

    for (uint32_t i = 0; i < fill->way_count; i++)
        proven += fill->ways[i].proven;
    return proven == 1 || fill->job->start->sig->seam == SIG_SEAM_EXACT;
}

/* Tells the file that ends in the best way, if it is proven, or likely enough. */
static enum err_code fill_tell(struct fill *fill, struct whole *out, struct err *err)
{
    const struct fill_way *best = &fill->ways[fill->best];
    const bool exact = fill->job->start->sig->seam == SIG_SEAM_EXACT;
    const uint32_t bits = exact ? FORK_BITS_EXACT : FORK_BITS_UNIT;

    if (best->proven ? !fill_is_one(fill) || fill->tried >> (bits - FILL_BITS_LEAST) != 0
                     : fill->wrong > GUESS_MOST)
        return ERR_OK;
    fill->runs[fill->count] = (struct io_range){ best->begin, best->len - fill->cut };
    out->start = fill->job->start;
    out->type = best->type;
    out->why = best->why;
    out->tried = fill->tried;
    out->proven = best->proven;
    out->bits = best->proven ? bits : 0;
    /* What is not proven is never sure. */
    out->wrong = best->proven ? 0 : fill->wrong > 0 ? (uint32_t)fill->wrong : 1;
    out->kind = best->proven ? "decoder" : "resemblance";
    if (best->proven)
        snprintf(out->text, sizeof out->text,
                 "the validator checks %s; its pieces fill holes of the image",
                 exact ? "every byte" : "each unit");
    else
        snprintf(out->text, sizeof out->text,
                 "the pieces fill holes, and resemble each other more than others do");
    return whole_keep(out, fill->runs, fill->count + 1, best->len, err);
}

/* The ways that go on, other than the best one, for when that leads nowhere. */
static void fill_note_others(struct fill *fill)
{
    struct fill_others *others = &fill->others[fill->count];

    *others = (struct fill_others){ 0 };
    for (uint32_t i = 0; i < fill->asked && others->count < FILL_OTHERS; i++) {
        const struct fill_way *way = &fill->ways[i];

        if (i != fill->best && !way->dead && way->len == 0)
            others->ways[others->count++] = (struct io_range){ way->begin, way->end - way->begin };
    }
}

/* Takes the best way for a piece in the middle. */
static enum err_code fill_go_on(struct fill *fill, struct err *err)
{
    const struct fill_way *best = &fill->ways[fill->best];
    struct sig_result result;

    fill_note_others(fill);
    const enum err_code rc = fill_show(fill, best->begin, best->end, UINT64_MAX, &result, err);
    fill->count++;
    fill->cut += best->end - best->begin;
    fill_keep(fill);
    return rc;
}

/* Takes the next way to the last piece that has one. *on: there is one. */
static enum err_code fill_go_back(struct fill *fill, bool *on, struct err *err)
{
    const struct sig *sig = fill->job->start->sig;
    struct fill_others *others = NULL;

    while (fill->count > 1 && others == NULL) {
        others = &fill->others[fill->count - 1];
        fill->cut -= fill->runs[fill->count - 1].len;
        if (others->next == others->count) {
            others = NULL;
            fill->count--;
        }
    }
    *on = others != NULL;
    if (others == NULL)
        return ERR_OK;
    fill->runs[fill->count - 1] = others->ways[others->next++];
    fill->cut += fill->runs[fill->count - 1].len;
    fill->wrong = GUESS_ONE; /* what resembles most was none */
    const enum err_code rc = trial_begin(fill->trial, sig, fill->runs, fill->count, err);
    if (rc != ERR_OK)
        return rc;
    fill->trial->in.limit = sig->size_max;
    (void)fill_feed(fill->trial, 0, fill->cut);
    fill_keep(fill);
    return splice_error(&fill->trial->splice, err);
}

/* The file by the likeliest way through the holes. */
static enum err_code fill_by_paths(struct fill *fill, struct whole *out, struct err *err)
{
    bool on, found = false;
    enum err_code rc = fill_begin(fill, &on, err);

    if (rc == ERR_OK && on)
        rc = fill_paths(fill, &found, err);
    return rc == ERR_OK && found ? fill_tell(fill, out, err) : rc;
}

/* Goes from piece to piece, as long as the file may be proven in the end, or is likely so far. */
static enum err_code fill_pieces(struct fill *fill, struct whole *out, struct err *err)
{
    const bool proves = fill->job->start->sig->seam >= SIG_SEAM_UNIT;
    bool on;
    enum err_code rc = fill_begin(fill, &on, err);

    while (rc == ERR_OK && on && !fill_spent(fill)) {
        uint64_t wrong = 0;

        rc = fill_search(fill, err);
        const struct fill_way *best = &fill->ways[fill->best];
        const bool any = fill->best < fill->way_count;
        if (rc == ERR_OK && any && !best->proven && fill->wrong <= GUESS_MOST)
            rc = fill_wrong(fill, &wrong, err);
        fill->wrong += wrong;
        if (rc == ERR_OK && any && best->len != 0)
            rc = fill_tell(fill, out, err);
        on = proves || (any && fill->wrong <= GUESS_MOST);
        if (rc != ERR_OK || out->start != NULL || !on)
            return rc;
        rc = any && best->len == 0 && fill->count + 1 < FILL_PIECES ? fill_go_on(fill, err)
                                                                    : fill_go_back(fill, &on, err);
    }
    return rc;
}

/* The file, as it can be proven, or as it is likely. */
static enum err_code fill_whole(struct fill *fill, struct whole *out, struct err *err)
{
    const struct fill_job *job = fill->job;
    const bool proves = job->start->sig->seam >= SIG_SEAM_UNIT;
    enum err_code rc = ERR_OK;

    /* What can be proven was looked for before what is likely is. */
    if (!job->likely || (job->filled->follows && !proves))
        rc = fill_by_paths(fill, out, err);
    if (rc != ERR_OK || !job->likely || out->start != NULL)
        return rc;
    fill->wrong = 0;
    fill->spent_from = fill->trial->work;
    fill->more = 0;
    return fill_pieces(fill, out, err);
}

enum err_code fill_try(const struct fill_job *job, struct trial *trial, struct whole *out,
                       struct err *err)
{
    const size_t size = sig_state_size(job->start->sig, true);
    struct fill *fill = calloc(1, sizeof *fill);
    enum err_code rc = ERR_OK;

    if (fill == NULL)
        return ERR_NO_MEMORY(err, sizeof *fill);
    fill->job = job;
    fill->trial = trial;
    fill->spent_from = trial->work;
    fill->state_size = size;
    fill->state = malloc(size > 0 ? size : 1);
    fill->spare = malloc(size > 0 ? size : 1);
    if (fill->state == NULL || fill->spare == NULL)
        rc = ERR_NO_MEMORY(err, size);
    if (rc == ERR_OK)
        rc = fill_whole(fill, out, err);
    if (rc == ERR_OK)
        rc = splice_error(&trial->splice, err);
    fill_forget(fill);
    free(fill->state);
    free(fill->spare);
    free(fill);
    return rc;
}
