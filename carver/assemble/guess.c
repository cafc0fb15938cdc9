/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/guess.c - see guess.h. */
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "carver/assemble/guess_impl.h"

enum {
    GUESS_CUTS_MAX = RESEMBLE_SECTORS / 2, /* sectors before the break where the cut may be */
    GUESS_DOUBT = 16,
    GUESS_SAME = 4,     /* clusters */
    GUESS_BELIEVED = 4, /* times as many files whose length is believed are as they should be, */
    GUESS_BELIEVED_SAVED = 6000 * RESEMBLE_BIT, /* unless a way is as good as this */
    GUESS_UNFIT = 3,
    GUESS_FIT_MOST = 40000, /* the chance of what fits at its end, of GUESS_ONE, at most */
    GUESS_REFUSED = 2, /* refused ways say as much as one would: many differ in a sector alone */
};

/* Whether the end could be told from what lies behind it, and does not look like one. */
static bool guess_unfit(const struct guess *guess)
{
    return guess->best.fit == FIT_KNOWN;
}

/*
 * Whether the second piece begins where that of the best way does, but for a few clusters, and the
 * file is by as much longer or shorter. One that is cut elsewhere and is as long is no such way.
 */
static bool guess_same_place(const struct guess *guess, const struct guess_way *way)
{
    const uint32_t best = guess->best.cut + guess->best.gap, begin = way->cut + way->gap;
    const uint32_t step = guess->job->islands->unit / LIMIT_SECTOR;

    return way->gap != guess->best.gap &&
           (begin > best ? begin - best : best - begin) <= GUESS_SAME * step;
}

/*
 * By how much it is less likely that a wrong way is the only one that the validator takes: the more
 * others it refused, here and all over the image. What hardly resembles the file at all is not
 * worth that.
 */
static uint64_t guess_refused(const struct guess *guess, const struct guess_null *null)
{
    uint64_t refused = 0;

    if (null->ends != 0 || guess->best.saved < GUESS_NO_RIVAL)
        return 1;
    for (uint32_t i = 0; i < guess->way_count; i++) {
        const struct guess_way *way = &guess->ways[i];

        if (!way->asked || (way->cut == guess->best.cut && way->gap == guess->best.gap) ||
            guess_same_place(guess, way))
            continue;
        if (guess_comes_far(guess, way->cut, way->len))
            return 1;
        refused++;
    }
    return 1 + (refused + null->asked) / GUESS_REFUSED;
}

/* The same by the other ways alone, without the doubt. */
static uint64_t guess_rivals_wrong(const struct guess *guess)
{
    return guess->rivals * GUESS_ONE / (guess->rivals + GUESS_WEIGHT);
}

/*
 * How likely it is that the way is wrong, of GUESS_ONE: by the other ways, and by the places all
 * over the image that would do as well, one of which each of the ways tried may have met.
 * GUESS_DOUBT times that was what images with known files showed, and GUESS_UNFIT times more where
 * the end does not look like one. Where it does, that is as good as another witness: of those of
 * which up to one in twenty other places would do as well, nearly all were right.
 */
static uint64_t guess_wrong(const struct guess *guess, const struct guess_null *null)
{
    const uint64_t places = resemble_sample_count(guess->sample);
    const uint64_t unfit = (guess_unfit(guess) ? UINT64_C(1) * GUESS_UNFIT : 1) *
                           (guess->job->believed ? UINT64_C(1) * GUESS_BELIEVED : 1);
    const uint64_t met = (1ull + null->count) * guess->tried_best * unfit * GUESS_ONE /
                         (places + 1) / guess_refused(guess, null);
    const bool fits = (guess->best.fit & (FIT_SLACK | FIT_NEXT)) != 0 && !guess->job->believed;
    const uint64_t rivals = guess_rivals_wrong(guess) * GUESS_DOUBT;
    const uint64_t wrong = met < GUESS_ONE / GUESS_DOUBT ? met * GUESS_DOUBT : GUESS_ONE;

    return (fits && met <= GUESS_MOST && wrong > GUESS_FIT_MOST ? GUESS_FIT_MOST : wrong) + rivals;
}

static void guess_tell_proof(const struct guess *guess, struct whole *out)
{
    const enum sig_seam seam = guess->job->start->sig->seam;

    out->proven = true;
    out->kind = "decoder";
    out->bits = seam == SIG_SEAM_EXACT ? FORK_BITS_EXACT : FORK_BITS_UNIT;
    snprintf(out->text, sizeof out->text,
             "the validator checks %s; the only place of those tried that fits",
             seam == SIG_SEAM_EXACT ? "every byte" : "each unit");
}

/* Tells the best way, if it is proven or likely enough. */
static enum err_code guess_tell(struct guess *guess, struct whole *out, struct err *err)
{
    const struct fork_job *job = guess->job;
    const struct guess_way *best = &guess->best;
    const uint64_t cut = (uint64_t)best->cut * LIMIT_SECTOR;
    const uint64_t begin = job->start->offset + cut + (uint64_t)best->gap * LIMIT_SECTOR;
    const struct io_range runs[] = { { job->start->offset, cut }, { begin, best->len - cut } };
    struct guess_null null = { 0 };

    const bool units = job->start->sig->seam >= SIG_SEAM_UNIT; /* but for what is open */
    if (guess->proof ? guess->ends != 1
                     : !units && best->saved <= (job->believed ? GUESS_BELIEVED_SAVED : 0))
        return ERR_OK;
    if (!guess->proof) {
        bool slides = false;
        enum err_code rc = ERR_OK;

        /* Other places only add to what the other ways say. */
        if (guess_rivals_wrong(guess) > GUESS_MOST / GUESS_DOUBT)
            return ERR_OK;
        rc = guess_may_slide(guess, &slides, err);
        if (rc == ERR_OK && !slides)
            rc = guess_slides(guess, err);
        slides = slides || guess_rivals_wrong(guess) > GUESS_MOST / GUESS_DOUBT;
        if (rc == ERR_OK && !slides)
            rc = guess_nulls(guess, &null, err);
        if (rc != ERR_OK || slides)
            return rc;
    }
    const uint64_t wrong = guess->proof ? 0 : guess_wrong(guess, &null);
    if (wrong > GUESS_MOST)
        return ERR_OK;
    out->start = job->start;
    out->type = guess->type;
    out->why = guess->why;
    out->tried = guess->tried;
    out->wrong = (uint32_t)wrong;
    if (guess->proof)
        guess_tell_proof(guess, out);
    else {
        out->kind = "resemblance";
        snprintf(out->text, sizeof out->text,
                 "the pieces resemble each other, and not what lies between; %u of %u other places "
                 "would do as well",
                 null.count, resemble_sample_count(guess->sample));
    }
    return whole_keep(out, runs, 2, best->len, err);
}

/*
 * Whether a file whose length is believed may have other bytes in it: what lies behind its end is
 * no end, and as much farther as lies between its pieces there is one. Notes which gaps do.
 */
static bool guess_ends_elsewhere(struct guess *guess)
{
    const struct fork_job *job = guess->job;
    struct splice *splice = &guess->trial->splice;
    const uint64_t end = job->start->offset + job->known;
    bool any = false;

    if (fit_behind(splice, job->starts, end) != FIT_KNOWN)
        return false;
    for (uint32_t n = 1; n <= GUESS_GAPS; n++) {
        const uint32_t fit =
            fit_behind(splice, job->starts, end + (uint64_t)n * job->islands->unit);

        guess->fits[n] = (fit & (FIT_SLACK | FIT_NEXT)) != 0;
        any = any || guess->fits[n];
    }
    return any;
}

/* As guess_begin, of a file whose length is believed. */
static enum err_code guess_begin_believed(struct guess *guess, const struct resemble_table *table,
                                          bool *on, struct err *err)
{
    const struct fork_job *job = guess->job;
    const uint32_t step = job->islands->unit / LIMIT_SECTOR;
    const uint64_t last = job->known / LIMIT_SECTOR / step * step;
    const uint64_t sectors = last + (uint64_t)GUESS_GAPS * step + GUESS_BEHIND;

    if (last < 3 * step || sectors > RESEMBLE_SECTORS || !guess_ends_elsewhere(guess))
        return ERR_OK;
    /* A last cluster or two, which are not full, say too little. */
    guess->low = step;
    guess->high = (uint32_t)last - 2 * step;
    guess->trial->work += sectors * LIMIT_SECTOR;
    *on = true;
    return resemble_open(&guess->window, table, &guess->trial->splice, job->image_len,
                         job->start->offset, (uint32_t)sectors, err);
}

/* Where the first piece may end, and the window around that. *on: somewhere. */
static enum err_code guess_begin(struct guess *guess, const struct resemble_table *table, bool *on,
                                 struct err *err)
{
    const struct fork_job *job = guess->job;
    const uint32_t step = job->islands->unit / LIMIT_SECTOR;
    const uint64_t start = job->start->offset, end = fork_piece_end(job, start);
    const struct io_range run = { start, end - start };
    struct sig_result result = { 0 };

    *on = false;
    if (end <= start)
        return ERR_OK;
    const enum err_code rc = trial_all(guess->trial, job->start->sig, &run, 1, &result, err);
    const struct sig_input *in = &guess->trial->in;
    const bool whole = result.verdict == SIG_COMPLETE;
    if (job->believed) {
        if (rc != ERR_OK || !whole || result.proven || result.len != job->known)
            return rc;
        return guess_begin_believed(guess, table, on, err);
    }
    if (rc != ERR_OK || (whole && (job->known == 0 || job->known >= result.len)))
        return rc;
    if (!guess->proof && job->start->sig->seam >= SIG_SEAM_UNIT && in->open_count == 0)
        return ERR_OK; /* a right way would have been proven */
    const uint64_t least = in->sure > LIMIT_SECTOR && !whole ? in->sure / LIMIT_SECTOR : 1;
    const uint64_t reached = ((whole ? job->known : in->reached) + LIMIT_SECTOR - 1) / LIMIT_SECTOR;
    const uint64_t all = run.len / LIMIT_SECTOR, right = job->known / LIMIT_SECTOR;
    const uint64_t high = (reached < all ? reached : all) / step * step;
    const uint64_t last = whole && right < high ? right : high;
    const bool far = last > GUESS_CUTS_MAX && last - GUESS_CUTS_MAX > least;
    /* Where another file begins inside, the piece ends. */
    const uint64_t low = whole ? last : far ? last - GUESS_CUTS_MAX : least;
    if (last < low || last == 0 || last % step != 0 || last > UINT32_MAX / 2)
        return ERR_OK;
    guess->low = (uint32_t)low;
    guess->high = (uint32_t)last;
    guess->broke = (uint32_t)(right < last ? right : last);
    guess->first = guess->low > GUESS_BEFORE ? guess->low - GUESS_BEFORE : 0;
    const uint64_t owned = guess_owned(guess, guess->high), gaps = (uint64_t)GUESS_GAPS * step;
    const uint64_t sectors = last - guess->first + (owned > gaps ? owned : gaps) + GUESS_BEHIND;
    guess->trial->work += sectors * LIMIT_SECTOR;
    *on = true;
    return resemble_open(&guess->window, table, &guess->trial->splice, job->image_len,
                         start + (uint64_t)guess->first * LIMIT_SECTOR,
                         sectors < RESEMBLE_SECTORS ? (uint32_t)sectors : RESEMBLE_SECTORS, err);
}

enum err_code guess_try(const struct fork_job *job, const struct resemble_table *table,
                        const struct resemble_sample *sample, struct trial *trial,
                        struct whole *out, struct err *err)
{
    struct guess *guess = calloc(1, sizeof *guess);
    bool on = false;

    if (guess == NULL)
        return ERR_NO_MEMORY(err, sizeof *guess);
    guess->job = job;
    guess->trial = trial;
    guess->sample = sample;
    guess->proof = sample == NULL;
    enum err_code rc = guess_begin(guess, table, &on, err);
    if (rc == ERR_OK && on) {
        guess_find_ways(guess);
        rc = guess_ask_all(guess, err);
    }
    if (rc == ERR_OK && guess->best.len != 0)
        rc = guess_tell(guess, out, err);
    if (rc == ERR_OK)
        rc = splice_error(&trial->splice, err);
    guess_forget_marks(guess);
    resemble_close(&guess->window);
    free(guess);
    return rc;
}

enum err_code guess_asks(const struct fork_job *job, const struct resemble_table *table,
                         struct trial *trial, bool *asks, struct err *err)
{
    struct guess *guess = calloc(1, sizeof *guess);

    *asks = false;
    if (guess == NULL)
        return ERR_NO_MEMORY(err, sizeof *guess);
    guess->job = job;
    guess->trial = trial;
    enum err_code rc = guess_begin(guess, table, asks, err);
    if (rc == ERR_OK)
        rc = splice_error(&trial->splice, err);
    resemble_close(&guess->window);
    free(guess);
    return rc;
}
