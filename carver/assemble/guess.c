/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/guess.c - see guess.h. */
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "carver/assemble/guess_impl.h"

enum {
    GUESS_CUTS_MAX = RESEMBLE_SECTORS / 2, /* sectors before the break where the cut may be */
    GUESS_DOUBT = 16,
    GUESS_UNFIT = 3,
    GUESS_TEXT_APART = 2, /* sectors from where a text breaks, that are too many */
    GUESS_REFUSED = 2,    /* refused ways say as much as one would: many differ in a sector alone */
};

/* Whether the end could be told from what lies behind it, and does not look like one. */
static bool guess_unfit(const struct guess *guess)
{
    return guess->best.fit == GUESS_FIT_KNOWN;
}

/*
 * By how much it is less likely that a wrong way is the only one that the validator takes: the more
 * others it refused, here and all over the image. What hardly resembles the file at all is not
 * worth that.
 */
static uint64_t guess_refused(const struct guess *guess, const struct guess_null *null)
{
    if (guess->ends != 1 || null->ends != 0 || guess->best.saved < GUESS_NO_RIVAL)
        return 1;
    return 1 + (guess->tried - 1 + null->asked) / GUESS_REFUSED;
}

/*
 * Whether the first piece is text, and the cut is not where its validator broke: a validator that
 * knows no places sees at once what is no text, and bytes of another text seldom lie there.
 */
static bool guess_cuts_text(const struct guess *guess)
{
    const struct resemble_range piece = guess_before(guess, guess->best.cut, GUESS_NEAR);

    return guess->job->start->sig->seam == SIG_SEAM_NONE &&
           guess_apart(guess, guess->best.cut) >= GUESS_TEXT_APART &&
           resemble_is_text(&guess->window, &piece);
}

/*
 * How likely it is that the way is wrong, of GUESS_ONE: by the other ways, and by the places all
 * over the image that would do as well, one of which each of the ways tried may have met.
 * GUESS_DOUBT times that was what images with known files showed, and GUESS_UNFIT times more where
 * the end does not look like one.
 */
static uint64_t guess_wrong(const struct guess *guess, const struct guess_null *null)
{
    const uint64_t places = resemble_sample_count(guess->sample);
    const uint64_t unfit = guess_unfit(guess) ? GUESS_UNFIT : 1;
    const uint64_t met =
        (1ull + null->count) * guess->tried_best * unfit * GUESS_ONE / (places + 1);
    const uint64_t wrong = met / guess_refused(guess, null) +
                           guess->rivals * GUESS_ONE / (guess->rivals + GUESS_WEIGHT);

    return wrong < GUESS_ONE / GUESS_DOUBT ? wrong * GUESS_DOUBT : GUESS_ONE;
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

    if (guess->proof ? guess->ends != 1 : best->saved <= 0 || guess_cuts_text(guess))
        return ERR_OK;
    if (!guess->proof) {
        const enum err_code rc = guess_nulls(guess, &null, err);

        if (rc != ERR_OK)
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
    const uint64_t sectors = last - guess->first + (uint64_t)GUESS_GAPS * step + GUESS_BEHIND;
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
