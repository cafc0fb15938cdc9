/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/guess_ask.c - see guess_impl.h. */
#include "base/limits.h"
#include "carver/assemble/guess_impl.h"

enum {
    GUESS_TRIES = 1024,              /* ways that the validator is asked about, */
    GUESS_TRIES_PROOF = 128,         /* and where proof is wanted: fork.h tries all later, */
    GUESS_TRIES_TOLD = 16,           /* and soon, where a file tells where it goes on, */
    GUESS_TRIES_TAIL = 2,            /* which its end does for sure */
    GUESS_FITS = 512 * RESEMBLE_BIT, /* see guess_score */
    GUESS_SOON = 8,                  /* what comes an eighth as far ends soon */
    GUESS_WHOLE = 4,  /* of what a believed file's way saves, any other saves this share less: one
                         that is whole has ways as good as each other */
    GUESS_MORE = 128, /* ways that are asked about behind the first one that is proven, and twice
                         those before it */
};

int64_t guess_score(const struct guess_way *way)
{
    return way->saved + ((way->fit & FIT_SLACK) != 0 ? GUESS_FITS : 0) +
           ((way->fit & FIT_NEXT) != 0 ? GUESS_FITS : 0);
}

enum err_code guess_ends(struct guess *guess, uint32_t cut, uint64_t begin,
                         struct sig_result *result, uint64_t *len, struct err *err)
{
    const struct fork_job *job = guess->job;
    const uint64_t bytes = (uint64_t)cut * LIMIT_SECTOR, end = fork_piece_end(job, begin);
    const struct io_range runs[] = { { job->start->offset, bytes }, { begin, end - begin } };

    *len = 0;
    if (end <= begin)
        return ERR_OK;
    const enum err_code rc = guess_from_cut(guess, cut, runs, result, err);
    if (rc == ERR_OK && result->verdict == SIG_COMPLETE && result->len > bytes &&
        (!job->believed || result->len == job->known) &&
        (!guess->proof || trial_proves(guess->trial, result)))
        *len = result->len;
    return rc;
}

bool guess_comes_far(const struct guess *guess, uint32_t cut, uint64_t len)
{
    const uint64_t best = guess->best.len - (uint64_t)guess->best.cut * LIMIT_SECTOR;

    return len != 0 && (len - (uint64_t)cut * LIMIT_SECTOR) * GUESS_SOON >= best;
}

static enum err_code guess_ask(struct guess *guess, struct guess_way *way, struct err *err)
{
    const uint64_t cut = (uint64_t)way->cut * LIMIT_SECTOR;
    const uint64_t begin = guess->job->start->offset + cut + (uint64_t)way->gap * LIMIT_SECTOR;
    struct sig_result result;
    const enum err_code rc = guess_ends(guess, way->cut, begin, &result, &way->len, err);

    way->asked = true;
    guess->tried++;
    if (rc != ERR_OK || way->len == 0)
        return rc;
    /* What lies behind the file is not compared. */
    const uint64_t behind = (way->len - cut) / LIMIT_SECTOR;
    if (behind < GUESS_BEHIND)
        way->saved = guess_saved(guess, way, (uint32_t)behind);
    way->fit = fit_behind(&guess->trial->splice, guess->job->starts, begin + (way->len - cut));
    if (guess->ends++ == 0)
        guess->tried_first = guess->tried;
    if (guess->best.len == 0 || guess_score(way) > guess_score(&guess->best)) {
        guess->best = *way;
        guess->tried_best = guess->tried;
        guess->type = trial_type(guess->trial);
        guess->why = result.why;
    }
    return ERR_OK;
}

/* Ways that are asked about until one comes to an end. */
static uint32_t guess_tries(const struct guess *guess)
{
    if (!guess->proof)
        return GUESS_TRIES;
    if (guess->job->start->sig->tail.len != 0)
        return GUESS_TRIES_TAIL;
    return fork_tells(guess->job->start->sig) ? GUESS_TRIES_TOLD : GUESS_TRIES_PROOF;
}

/* Whether nothing that this way could say matters any more. */
static bool guess_settled(const struct guess *guess, const struct guess_way *way)
{
    if (guess->ends == 0)
        return guess->tried >= guess_tries(guess);
    if (guess->proof)
        return guess->job->start->sig->seam == SIG_SEAM_EXACT || guess->ends > 1 ||
               guess->tried >= 2 * guess->tried_first + GUESS_MORE;
    return guess->tried >= GUESS_TRIES || (way->saved < guess->best.saved - GUESS_NO_RIVAL &&
                                           guess->tried >= 2 * guess->tried_best);
}

uint64_t guess_weight(const struct guess *guess, int64_t worse, int64_t step)
{
    if (guess->job->believed)
        return worse < guess->best.saved / GUESS_WHOLE ? GUESS_WEIGHT : 0;
    if (worse >= GUESS_STEPS * step)
        return 0;
    return worse > 0 ? (uint64_t)GUESS_WEIGHT >> (worse / step) : GUESS_WEIGHT;
}

/* The weights of all ways but the best: of those that were not asked about, too. */
static uint64_t guess_rivals(const struct guess *guess)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < guess->way_count; i++) {
        const struct guess_way *way = &guess->ways[i];
        const int64_t worse = way->asked ? guess_score(&guess->best) - guess_score(way)
                                         : guess->best.saved - way->saved;

        if ((way->asked ? way->len == 0 : worse >= GUESS_NO_RIVAL) ||
            (way->cut == guess->best.cut && way->gap == guess->best.gap))
            continue;
        sum += guess_weight(guess, worse, GUESS_STEP);
    }
    return sum;
}

/*
 * Whether the file would be proven as well where another island begins, far away: of a format that
 * proves its units, those of another file may pass. One that does is enough.
 */
static enum err_code guess_ask_islands(struct guess *guess, uint64_t spent_from, struct err *err)
{
    const struct fork_job *job = guess->job;
    const uint64_t second =
        job->start->offset + (uint64_t)(guess->best.cut + guess->best.gap) * LIMIT_SECTOR;
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && guess->ends == 1 && i < job->islands->count; i++) {
        const uint64_t begin = job->islands->begins[i];
        struct sig_result result;
        uint64_t len = 0;

        if (guess->trial->work - spent_from > job->budget)
            break;
        if (begin == second || begin == job->start->offset)
            continue;
        rc = guess_ends(guess, guess->best.cut, begin, &result, &len, err);
        guess->tried++;
        guess->ends += len != 0;
    }
    return rc;
}

enum err_code guess_ask_all(struct guess *guess, struct err *err)
{
    const uint64_t before = guess->trial->work;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < guess->way_count; i++) {
        struct guess_way *way = &guess->ways[i];

        if (guess_settled(guess, way) || guess->trial->work - before > guess->job->budget)
            break;
        rc = guess_ask(guess, way, err);
    }
    if (rc == ERR_OK && guess->proof && guess->ends == 1 &&
        guess->job->start->sig->seam == SIG_SEAM_UNIT)
        rc = guess_ask_islands(guess, before, err);
    guess->rivals = guess->best.len != 0 ? guess_rivals(guess) : 0;
    return rc;
}
