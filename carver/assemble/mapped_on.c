/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/mapped_on.c - see mapped_impl.h.
 *
 * Landmarks leave open where a piece ends, and whether there is one more behind the last of them.
 * Where the validator walks records, what it says of the first one that is wrong tells both. With a
 * cut that is too late it breaks behind the right one, in the first record whose header is foreign:
 * so the cut is in that sector or little before it, if it goes on from there in the next piece. And
 * where no piece is known that it goes on in, all places around are asked: records seldom go on
 * in a place that is not theirs.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "carver/assemble/mapped_impl.h"

enum {
    ON_LONG = 17,                            /* sectors of a record, at most, */
    ON_NEAR = 4096,                          /* sectors behind a break that are asked first, */
    ON_BACK = 1024,                          /* those before it, */
    ON_FAR = LANDMARKS_REACH / LIMIT_SECTOR, /* and on each side, if none of these goes on */
    ON_BEFORE = 8,                           /* cuts before that, all of which are refused, */
    ON_EARLIER = 4,      /* sectors before the break from which that is tried, too */
    ON_SHIFTS = 4,       /* that come farther than others, which are tried on */
    ON_STEPS = 8,        /* that are taken for one file */
    ON_PLACES = 1 << 16, /* places that are asked for one file, */
    ON_EACH = 512,       /* and work of each beside that of the validator */
};

/* What the validator says of pieces that are cut as late as they may be. */
struct on_said {
    bool whole, breaks;
    uint64_t at; /* object offset of the sector in which it breaks */
};

/* A place at which the file goes on. */
struct on_shift {
    int64_t shift;
    struct on_said said;
};

struct on {
    struct mapped *mapped;
    struct landmarks_way *way; /* what is known, and what is tried */
    struct sig_input in;       /* the validator at the cut, */
    uint8_t *state;            /* and what it knows */
    struct on_shift shifts[ON_SHIFTS];
    uint32_t shift_count, steps, places;
    uint64_t from; /* work that was done before */
};

static struct on_said on_said(const struct sig_result *result)
{
    return (struct on_said){ .whole = result->verdict == SIG_COMPLETE,
                             .breaks = result->verdict == SIG_BREAKS,
                             .at = result->len / LIMIT_SECTOR * LIMIT_SECTOR };
}

static bool on_spent(const struct on *on)
{
    return on->places >= ON_PLACES || on->mapped->trial->work - on->from > on->mapped->job->budget;
}

/* The pieces of the way, each as long as it may be; 0: they cannot lie so. */
static uint32_t on_lay(const struct on *on, struct io_range runs[LANDMARKS_PIECES])
{
    const struct fork_job *job = on->mapped->job;
    const struct landmarks_way *way = on->way;

    for (uint32_t i = 0; i < way->count; i++) {
        const uint64_t from = i == 0 ? 0 : way->pieces[i].from;
        const uint64_t begin = job->start->offset + from + (uint64_t)way->pieces[i].shift;
        const bool last = i + 1 == way->count;

        if (begin >= job->image_len || (!last && way->pieces[i + 1].from <= from))
            return 0;
        runs[i] = (struct io_range){ begin, last ? fork_piece_end(job, begin) - begin
                                                 : way->pieces[i + 1].from - from };
        if (runs[i].len == 0 || runs[i].len > job->image_len - begin)
            return 0;
    }
    return way->count;
}

static enum err_code on_ask(struct on *on, struct on_said *said, struct err *err)
{
    struct io_range runs[LANDMARKS_PIECES];
    const uint32_t count = on_lay(on, runs);
    struct sig_result result = { .why = "" };
    enum err_code rc = ERR_OK;

    *said = (struct on_said){ 0 };
    if (count == 0)
        return ERR_OK;
    on->mapped->tried++;
    rc = trial_all(on->mapped->trial, on->mapped->job->start->sig, runs, count, &result, err);
    *said = on_said(&result);
    if (result.verdict == SIG_REJECT || result.verdict == SIG_MORE)
        *said = (struct on_said){ 0 };
    return rc;
}

/* Whether the validator has come on from where it broke. */
static bool on_came_on(const struct on_said *said, uint64_t broke)
{
    return said->whole || (said->breaks && said->at != broke);
}

/* Whether it has come farther in the order of the file. */
static bool on_farther(const struct on_said *a, const struct on_said *b)
{
    return a->whole != b->whole ? a->whole : a->at > b->at;
}

/* Keeps the validator as it is when it has read the pieces up to a cut in the last one, if it wants
 * to see what is behind. */
static enum err_code on_mark(struct on *on, uint64_t cut, bool *wants, struct err *err)
{
    struct trial *trial = on->mapped->trial;
    const struct sig *sig = on->mapped->job->start->sig;
    struct io_range runs[LANDMARKS_PIECES];
    const uint32_t count = on_lay(on, runs);

    *wants = false;
    if (count == 0)
        return ERR_OK;
    const uint64_t from = count > 1 ? on->way->pieces[count - 1].from : 0;
    if (cut <= from || cut - from > runs[count - 1].len)
        return ERR_OK;
    runs[count - 1].len = cut - from;
    const enum err_code rc = trial_begin(trial, sig, runs, count, err);
    if (rc != ERR_OK)
        return rc;
    trial->in.limit = sig->size_max; /* more comes behind the cut */
    *wants = trial_run(trial).verdict == SIG_MORE;
    on->in = trial->in;
    trial_copy(sig, on->state, trial->state);
    return splice_error(&trial->splice, err);
}

/* Asks how far the file comes that goes on at this image offset behind the cut. */
static enum err_code on_ask_place(struct on *on, uint64_t cut, uint64_t begin, struct on_said *said,
                                  struct err *err)
{
    struct trial *trial = on->mapped->trial;
    const struct sig *sig = on->mapped->job->start->sig;
    struct io_range runs[LANDMARKS_PIECES];
    const uint32_t count = on_lay(on, runs), last = count - 1;
    const uint64_t end = fork_piece_end(on->mapped->job, begin);

    *said = (struct on_said){ 0 };
    if (end <= begin)
        return ERR_OK;
    runs[last].len = cut - (last > 0 ? on->way->pieces[last].from : 0);
    runs[count] = (struct io_range){ begin, end - begin };
    const enum err_code rc = splice_set(&trial->splice, runs, count + 1, err);
    if (rc != ERR_OK)
        return rc;
    const uint64_t len = splice_len(&trial->splice);
    trial->in = on->in;
    trial->in.limit = len < sig->size_max ? len : sig->size_max;
    trial_copy(sig, trial->state, on->state);
    on->places++;
    trial->work += ON_EACH;
    on->mapped->tried++;
    const struct sig_result result = trial_run(trial);
    if (result.verdict == SIG_COMPLETE || result.verdict == SIG_BREAKS)
        *said = on_said(&result);
    return splice_error(&trial->splice, err);
}

static void on_keep(struct on *on, const struct on_shift *shift)
{
    uint32_t at = on->shift_count < ON_SHIFTS ? on->shift_count++ : ON_SHIFTS;

    for (; at > 0 && on_farther(&shift->said, &on->shifts[at - 1].said); at--)
        if (at < ON_SHIFTS)
            on->shifts[at] = on->shifts[at - 1];
    if (at < ON_SHIFTS)
        on->shifts[at] = *shift;
}

/* Asks one place, so many sectors behind the last piece, or before it. */
static enum err_code on_look(struct on *on, uint64_t cut, int64_t sectors, uint64_t broke,
                             struct err *err)
{
    const struct fork_job *job = on->mapped->job;
    const int64_t shift =
        on->way->pieces[on->way->count - 1].shift + sectors * (int64_t)LIMIT_SECTOR;
    const uint64_t begin = job->start->offset + cut + (uint64_t)shift;
    struct on_shift found = { .shift = shift };

    if (begin > job->image_len - LIMIT_SECTOR)
        return ERR_OK;
    const enum err_code rc = on_ask_place(on, cut, begin, &found.said, err);
    if (rc == ERR_OK && on_came_on(&found.said, broke))
        on_keep(on, &found);
    return rc;
}

/* Looks for the places at which the file goes on behind a cut in its last piece. */
static enum err_code on_find(struct on *on, uint64_t cut, uint64_t broke, int64_t from, int64_t far,
                             int64_t back, struct err *err)
{
    bool wants = false;
    enum err_code rc = on_mark(on, cut, &wants, err);

    for (int64_t n = from; rc == ERR_OK && wants && !on_spent(on) && (n <= far || n <= back); n++) {
        if (n <= far)
            rc = on_look(on, cut, n, broke, err);
        if (rc == ERR_OK && n <= back)
            rc = on_look(on, cut, -n, broke, err);
    }
    return rc;
}

/* The same of cuts near the break, and farther away. */
static enum err_code on_find_all(struct on *on, uint64_t broke, struct err *err)
{
    const uint64_t least = on->way->pieces[on->way->count - 1].to;
    enum err_code rc = ERR_OK;

    on->shift_count = 0;
    for (uint32_t k = 0; rc == ERR_OK && k < ON_EARLIER && on->shift_count == 0; k++)
        if (broke >= least + k * LIMIT_SECTOR)
            rc = on_find(on, broke - k * LIMIT_SECTOR, broke, 1, ON_NEAR, ON_BACK, err);
    if (rc == ERR_OK && on->shift_count == 0)
        rc = on_find(on, broke, broke, ON_BACK + 1, ON_FAR, ON_FAR, err);
    return rc;
}

static bool on_goes_on(const struct on_said *said, uint64_t broke)
{
    return said->whole || (said->breaks && said->at > broke);
}

/* Where records are read in order, a cut that is earlier than the record that breaks is refused:
 * then the piece goes up to there at least. */
static enum err_code on_limit(struct on *on, uint32_t piece, uint64_t broke, struct err *err)
{
    struct landmarks_piece *one = &on->way->pieces[piece], *next = one + 1;
    const uint64_t from = next->from;
    bool refused = true;
    enum err_code rc = ERR_OK;

    if (broke <= one->to + (ON_LONG + ON_BEFORE) * LIMIT_SECTOR)
        return ERR_OK;
    for (uint32_t i = 0; rc == ERR_OK && refused && i < ON_BEFORE; i++) {
        struct on_said said;

        next->from = broke - (ON_LONG + 1 + i) * LIMIT_SECTOR;
        rc = on_ask(on, &said, err);
        refused = !on_goes_on(&said, broke);
    }
    next->from = from;
    if (refused) {
        one->to = broke - ON_LONG * LIMIT_SECTOR;
        one->limited = true;
    }
    return rc;
}

/* Goes from the break back to the last cut from which the next piece goes on. */
static enum err_code on_tighten(struct on *on, uint32_t piece, struct on_said *said,
                                struct err *err)
{
    struct landmarks_piece *one = &on->way->pieces[piece], *next = one + 1;
    const struct on_said before = *said;
    const uint64_t from = next->from;
    enum err_code rc = ERR_OK;

    for (uint32_t k = 0; rc == ERR_OK && k <= ON_LONG; k++) {
        if (before.at < one->to + k * LIMIT_SECTOR || before.at - k * LIMIT_SECTOR >= from)
            continue;
        next->from = before.at - k * LIMIT_SECTOR;
        rc = on_ask(on, said, err);
        if (rc == ERR_OK && on_goes_on(said, before.at))
            return on_limit(on, piece, before.at, err);
    }
    next->from = from;
    *said = (struct on_said){ 0 };
    return rc;
}

static enum err_code on_step(struct on *on, struct mapped_whole *best, struct err *err);

/* Tries the shifts at which the file went on, each with all that comes then. */
static enum err_code on_try(struct on *on, uint64_t broke, struct mapped_whole *best,
                            struct err *err)
{
    const struct landmarks_way way = *on->way;
    struct on_shift shifts[ON_SHIFTS];
    const uint32_t count = on->shift_count;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < count; i++)
        shifts[i] = on->shifts[i];
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        if (shifts[0].said.whole && !shifts[i].said.whole)
            break;
        *on->way = way;
        on->way->pieces[on->way->count++] = (struct landmarks_piece){ .shift = shifts[i].shift,
                                                                      .from = broke,
                                                                      .to = broke + LIMIT_SECTOR };
        rc = on_step(on, best, err);
    }
    *on->way = way;
    return rc;
}

static enum err_code on_step(struct on *on, struct mapped_whole *best, struct err *err)
{
    struct on_said said;
    enum err_code rc = on_ask(on, &said, err);

    while (rc == ERR_OK && said.breaks && on->steps++ < ON_STEPS && !on_spent(on)) {
        uint32_t piece = 0;

        while (piece + 1 < on->way->count && on->way->pieces[piece + 1].from <= said.at)
            piece++;
        if (said.at < on->way->pieces[piece].to)
            return ERR_OK;
        if (piece + 1 < on->way->count) {
            rc = on_tighten(on, piece, &said, err);
            continue;
        }
        if (on->way->count == LANDMARKS_PIECES)
            return ERR_OK;
        rc = on_find_all(on, said.at, err);
        return rc == ERR_OK ? on_try(on, said.at, best, err) : rc;
    }
    return rc == ERR_OK && said.whole && on->way->count > 1
               ? mapped_way(on->mapped, on->way, best, err)
               : rc;
}

enum err_code mapped_on(struct mapped *mapped, const struct landmarks_way *way,
                        struct mapped_whole *best, struct err *err)
{
    const size_t size = sig_state_size(mapped->job->start->sig, true);
    struct landmarks_way tried = *way;
    struct on on = { .mapped = mapped,
                     .way = &tried,
                     .state = malloc(size > 0 ? size : 1),
                     .from = mapped->trial->work };

    if (on.state == NULL)
        return ERR_NO_MEMORY(err, size);
    const enum err_code rc = on_step(&on, best, err);
    free(on.state);
    return rc;
}
