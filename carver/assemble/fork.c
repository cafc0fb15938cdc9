/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/fork.c - see fork.h. */
#include <stdio.h>
#include <stdlib.h>

#include "carver/assemble/fork_impl.h"
#include "carver/assemble/guess.h"

enum {
    FORK_BITS_LEAST = 32, /* of proof, beside the logarithm of what was tried */
    FORK_SEARCHES = 256,  /* so many searches share the work that one file may be */
    /* Of pieces of another file of the kind that are shorter than what passes for long, so many of
     * 10^6 come to the end of the file: of JPEG without restart markers at most 100, measured on
     * 22,763 wrong pieces, mostly shorter ones than those. */
    FORK_ALIKE = 50,
    FORK_FEW = 32, /* fewer tries than this are no chance */
};

static uint32_t fork_log2(uint64_t value)
{
    uint32_t bits = 0;

    while (value > 1) {
        value = (value + 1) / 2;
        bits++;
    }
    return bits;
}

/*
 * The chance, of 10^6, that the last piece is another file's: where those may pass for a while, and
 * it is shorter than that, one of many that were tried may have come to the end.
 */
static uint64_t fork_wrong(const struct fork *fork, const struct fork_ends *ends)
{
    const uint64_t last = ends->result.len - ends->way.cut;

    return last < fork->job->start->sig->seam_lag && fork->tried >= FORK_FEW
               ? fork->tried * FORK_ALIKE
               : 0;
}

/* The file is whole: its pieces are those that are laid out, and the way that came to the end. */
static enum err_code fork_whole(struct fork *fork, const struct fork_ends *ends, struct whole *out,
                                struct err *err)
{
    const struct start *start = fork->job->start;
    const uint32_t bits = start->sig->seam == SIG_SEAM_EXACT ? FORK_BITS_EXACT : FORK_BITS_UNIT;
    const uint32_t last = fork->count - 1;
    const uint64_t sum = splice_len(&fork->trial->splice) - fork->runs[last].len;
    const uint64_t wrong = fork_wrong(fork, ends);

    if (bits < FORK_BITS_LEAST + fork_log2(fork->tried) || wrong > GUESS_MOST)
        return ERR_OK;
    fork->runs[last].len = ends->way.cut - sum;
    fork->runs[last + 1] = (struct io_range){ ends->way.begin, ends->result.len - ends->way.cut };
    out->start = start;
    out->type = ends->type;
    out->proven = true;
    out->kind = "decoder";
    out->why = ends->result.why;
    out->tried = fork->tried;
    out->bits = bits;
    out->wrong = (uint32_t)wrong;
    snprintf(out->text, sizeof out->text,
             "the validator checks %s; the only place of those tried that fits%s",
             start->sig->seam == SIG_SEAM_EXACT ? "every byte" : "each unit",
             wrong > 0 ? ", and others may by chance" : "");
    return whole_keep(out, fork->runs, last + 2, ends->result.len, err);
}

/* Takes the way that came farthest for a piece in the middle, if no other one comes near. */
static enum err_code fork_go_on(struct fork *fork, bool *on, struct err *err)
{
    const struct fork_way best = fork->best;
    const uint32_t last = fork->count - 1;
    const uint64_t sum = splice_len(&fork->trial->splice) - fork->runs[last].len;

    *on = fork->count < FORK_PIECES && fork_stands_out(fork) && fork_to_cut(fork, best.cut);
    if (!*on)
        return ERR_OK;
    fork->runs[last].len = best.cut - sum;
    fork->runs[fork->count++] =
        (struct io_range){ best.begin, fork_piece_end(fork->job, best.begin) - best.begin };
    const enum err_code rc = fork_lay(fork, err);
    if (rc != ERR_OK)
        return rc;
    fork->trial->splice.visible = best.cut;
    fork_mark_first(fork);
    fork->way_from = fork->trial->work;
    fork->way_most = fork->job->budget;
    fork_feed(fork, true);
    return ERR_OK;
}

/* Reads the first piece; *on: the file may go on behind it. */
static enum err_code fork_begin(struct fork *fork, bool *on, struct err *err)
{
    const struct start *start = fork->job->start;
    const uint64_t end = fork_piece_end(fork->job, start->offset), unit = fork->job->islands->unit;

    *on = false;
    if (end <= start->offset)
        return ERR_OK;
    fork->runs[0] = (struct io_range){ start->offset, end - start->offset };
    fork->count = 1;
    const enum err_code rc = trial_begin(fork->trial, start->sig, fork->runs, 1, err);
    if (rc != ERR_OK)
        return rc;
    fork->trial->in.limit = start->sig->size_max;
    fork->trial->splice.visible = 0;
    fork_mark_first(fork);
    fork->way_from = fork->trial->work;
    fork->way_most = fork->job->budget;
    if (!fork_show(fork, unit < end - start->offset ? unit : end - start->offset) &&
        fork->result.verdict == SIG_REJECT)
        return ERR_OK; /* it is none from the first cluster on */
    fork_feed(fork, true);
    fork->sound = start->object || fork->trial->in.valid > 0;
    *on = true;
    return ERR_OK;
}

/* Goes from piece to piece. *went_on: over a seam that was not the last one. */
static enum err_code fork_pieces(struct fork *fork, bool greedy, struct whole *out, bool *went_on,
                                 struct err *err)
{
    bool on;
    enum err_code rc = fork_begin(fork, &on, err);

    *went_on = false;
    while (rc == ERR_OK && on && fork->result.verdict != SIG_COMPLETE && !fork_spent(fork)) {
        struct fork_ends ends = { 0 };

        fork->best = fork->second = (struct fork_way){ 0 };
        fork->way_most = fork->job->budget / FORK_SEARCHES;
        rc = fork_search(fork, greedy, &ends, err);
        if (rc == ERR_OK && ends.count == 1 && fork->job->start->sig->seam_lag != 0)
            rc = fork_slides(fork, &ends, err);
        if (rc == ERR_OK && ends.count == 1 &&
            (fork->job->start->sig->seam_lag == 0 || !fork_spent(fork)))
            return fork_whole(fork, &ends, out, err);
        on = ends.count == 0;
        if (rc == ERR_OK && on)
            rc = fork_go_on(fork, &on, err);
        *went_on = *went_on || on;
    }
    return rc;
}

enum err_code fork_try(const struct fork_job *job, struct trial *trial, struct whole *out,
                       bool *spent, struct err *err)
{
    struct fork *fork = calloc(1, sizeof *fork);
    bool went_on = false;
    enum err_code rc = ERR_OK;

    if (fork == NULL)
        return ERR_NO_MEMORY(err, sizeof *fork);
    fork->job = job;
    fork->trial = trial;
    fork->spent_from = trial->work;
    fork->places = (struct places){ .islands = job->islands,
                                    .splice = &trial->splice,
                                    .image_len = job->image_len,
                                    .looks = trial->looks };
    fork->states = malloc((FORK_MARKS + 1) * fork_state_size(fork));
    if (fork->states == NULL)
        rc = ERR_NO_MEMORY(err, (FORK_MARKS + 1) * fork_state_size(fork));
    if (rc == ERR_OK)
        rc = fork_pieces(fork, true, out, &went_on, err);
    if (rc == ERR_OK && out->start == NULL && went_on)
        rc = fork_pieces(fork, false, out, &went_on, err);
    if (rc == ERR_OK)
        rc = splice_error(&trial->splice, err);
    *spent = out->start == NULL && fork->sound && fork_spent(fork);
    free(fork->states);
    free(fork);
    return rc;
}
