/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/fork.c - see fork.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "carver/assemble/fork.h"

enum {
    FORK_MARKS = 64,      /* states that are kept */
    FORK_STEP = 8192,     /* bytes between them, or a cluster */
    FORK_FAR = 8 * 1024,  /* a piece that is right so far may be one of several, */
    FORK_FARTHER = 2,     /* if no other one comes a quarter as far */
    FORK_BITS_LEAST = 32, /* of proof, beside the logarithm of what was tried */
    FORK_BITS_EXACT = 56, /* every byte was checked, by structure and by a sum of 32 bits */
    FORK_BITS_UNIT = 48,
    FORK_SEARCHES = 256, /* so many searches share the work that one file may be */
    FORK_WAY = 2048,     /* work of a way, beside that of the validator, */
    FORK_COPY = 16,      /* and bytes of a state that are copied in one unit of work */
    FORK_ASKED_LEAST = 128,
    FORK_PASSES = 3,
};

/* The validator's state when it had seen the object up to here. */
struct fork_mark {
    bool used;
    uint64_t visible; /* object offset */
    struct sig_input in;
};

/* A way on: the piece before it ends at the cut, and the next one begins there. */
struct fork_way {
    uint64_t cut, begin; /* object offset; image offset */
    uint64_t far;        /* object offset that it came to */
};

struct fork {
    const struct fork_job *job;
    struct trial *trial;
    struct io_range runs[FORK_PIECES + 1]; /* the last one is open: it goes as far as it can */
    uint32_t count;
    struct fork_mark marks[FORK_MARKS];
    uint8_t *states; /* of the marks, and behind them that of the cut that is tried */
    uint32_t next;   /* mark to be written */
    struct fork_mark cut;
    uint64_t spent_from, way_from; /* trial.work when it began; when it began to search */
    uint64_t way_most;             /* work for one search */
    uint64_t tried;
    struct fork_way best, second; /* that failed later */
    struct places places;
    struct sig_result result; /* of the last run */
};

static bool fork_spent(const struct fork *fork)
{
    return fork->trial->work - fork->spent_from >= fork->job->budget;
}

/* Whether the way that is tried has searched for long enough: on others it may be found sooner. */
static bool fork_way_spent(const struct fork *fork)
{
    return fork_spent(fork) || fork->trial->work - fork->way_from >= fork->way_most;
}

/* Image offset at which a piece that begins here ends at the latest: where others own. A container
 * holds whole files, which end it nowhere. */
static uint64_t fork_piece_end(const struct fork *fork, uint64_t begin)
{
    const struct fork_job *job = fork->job;
    const bool holds = (job->start->sig->flags & SIG_CONTAINER) != 0;

    if (!holds) {
        const size_t i = islands_from(job->islands, begin);

        return i < job->islands->count && job->islands->begins[i] <= begin ? job->islands->ends[i]
                                                                           : begin;
    }
    for (size_t i = ground_from(job->ground, begin); i < job->ground->count; i++)
        if (job->ground->items[i].owner <= GROUND_FILE_SYSTEM && job->ground->items[i].end > begin)
            return job->ground->items[i].begin > begin ? job->ground->items[i].begin : begin;
    return job->image_len;
}

/* The pieces as they are now; the validator goes on from where it is. */
static enum err_code fork_lay(struct fork *fork, struct err *err)
{
    struct trial *trial = fork->trial;
    const enum err_code rc = splice_set(&trial->splice, fork->runs, fork->count, err);

    if (rc != ERR_OK)
        return rc;
    trial->in.limit = trial->in.sig->size_max; /* behind the last piece there may be another one */
    return ERR_OK;
}

static size_t fork_state_size(const struct fork *fork)
{
    const size_t size = sig_state_size(fork->job->start->sig, true);

    return size > 0 ? size : 1;
}

static void fork_keep(const struct fork *fork, struct fork_mark *mark, uint8_t *state)
{
    mark->used = true;
    mark->visible = fork->trial->splice.visible;
    mark->in = fork->trial->in;
    memcpy(state, fork->trial->state, fork_state_size(fork));
}

static void fork_back(struct fork *fork, const struct fork_mark *mark, const uint8_t *state)
{
    fork->trial->in = mark->in;
    fork->trial->splice.visible = mark->visible;
    memcpy(fork->trial->state, state, fork_state_size(fork));
}

/* Shows the object up to here. True: the validator wants more. */
static bool fork_show(struct fork *fork, uint64_t visible)
{
    fork->trial->splice.visible = visible;
    fork->result = trial_run(fork->trial);
    return fork->result.verdict == SIG_MORE;
}

/* Reads on, and keeps states, until the validator wants no more, or there is no more. */
static void fork_feed(struct fork *fork, bool keep)
{
    struct trial *trial = fork->trial;
    const uint64_t unit = fork->job->islands->unit, step = unit > FORK_STEP ? unit : FORK_STEP;
    const uint64_t len = splice_len(&trial->splice);
    uint64_t visible = trial->splice.visible;

    while (visible < len && !fork_way_spent(fork)) {
        const uint64_t wanted = (trial->in.wanted + unit - 1) / unit * unit;

        visible = visible + step > wanted ? visible + step : wanted;
        if (visible > len)
            visible = len;
        const uint64_t before = trial->splice.visible;
        if (!fork_show(fork, visible))
            return;
        if (trial->in.find_at > before)
            continue; /* it searches, and is where it was */
        fork->way_from = trial->work;
        if (keep && visible < len) {
            fork_keep(fork, &fork->marks[fork->next],
                      fork->states + fork->next * fork_state_size(fork));
            fork->next = (fork->next + 1) % FORK_MARKS;
        }
    }
}

/* Sets the validator to where it had seen the object up to the cut; false: it cannot be. */
static bool fork_to_cut(struct fork *fork, uint64_t cut)
{
    const struct fork_mark *best = NULL;
    uint32_t at = 0;

    for (uint32_t i = 0; i < FORK_MARKS; i++)
        if (fork->marks[i].used && fork->marks[i].visible <= cut &&
            (best == NULL || fork->marks[i].visible > best->visible)) {
            best = &fork->marks[i];
            at = i;
        }
    if (best == NULL)
        return false;
    fork_back(fork, best, fork->states + at * fork_state_size(fork));
    if (best->visible < cut && !fork_show(fork, cut))
        return false;
    fork->trial->splice.visible = cut;
    fork_keep(fork, &fork->cut, fork->states + FORK_MARKS * fork_state_size(fork));
    return true;
}

/* Notes a way that failed: the one that came farthest, and the next best that begins elsewhere. */
static void fork_note(struct fork *fork, const struct fork_way *way)
{
    if (way->far - way->cut > fork->best.far - fork->best.cut) {
        if (fork->best.begin != way->begin)
            fork->second = fork->best;
        fork->best = *way;
    } else if (way->begin != fork->best.begin &&
               way->far - way->cut > fork->second.far - fork->second.cut)
        fork->second = *way;
}

/* Goes on from the cut with bytes at image offset begin. True: to the end of a proven file. */
static enum err_code fork_way(struct fork *fork, uint64_t cut, uint64_t begin, bool *ended,
                              struct err *err)
{
    const uint64_t end = fork_piece_end(fork, begin);
    const uint32_t last = fork->count - 1;
    const struct io_range before = fork->runs[last];
    const uint64_t sum = splice_len(&fork->trial->splice) - before.len;
    struct fork_way way = { cut, begin, cut };
    enum err_code rc = ERR_OK;

    *ended = false;
    if (end <= begin)
        return ERR_OK;
    fork->tried++;
    fork->trial->work += FORK_WAY + fork_state_size(fork) / FORK_COPY;
    fork->runs[last].len = cut - sum;
    fork->runs[fork->count++] = (struct io_range){ begin, end - begin };
    fork_back(fork, &fork->cut, fork->states + FORK_MARKS * fork_state_size(fork));
    rc = fork_lay(fork, err);
    const uint64_t len = rc == ERR_OK ? splice_len(&fork->trial->splice) : 0;
    const uint64_t soon = cut + LIMIT_SECTOR, race = cut + FORK_RACE;
    fork->way_from = fork->trial->work;
    bool more = rc == ERR_OK && fork_show(fork, soon < len ? soon : len);
    if (more && soon < len && soon < race)
        more = fork_show(fork, race < len ? race : len);
    if (more)
        fork_feed(fork, false);
    if (rc == ERR_OK && fork->result.verdict == SIG_MORE && fork->trial->splice.visible == len) {
        fork->trial->in.limit = len < fork->trial->in.limit ? len : fork->trial->in.limit;
        fork_show(fork, len); /* there is no more */
    }
    if (rc == ERR_OK) {
        /* What it has searched only, is not right. */
        const bool searched = fork->result.verdict == SIG_MORE && fork->trial->in.find_at > cut;
        const uint64_t far = searched ? fork->trial->in.valid : fork->trial->in.reached;

        way.far = far > cut ? far : cut;
        *ended = trial_proves(fork->trial, &fork->result) && fork->result.len > cut;
        if (!*ended && fork->result.verdict != SIG_COMPLETE)
            fork_note(fork, &way);
    }
    fork->count--;
    fork->runs[last] = before;
    return rc == ERR_OK ? fork_lay(fork, err) : rc;
}

/* Whether the file has this byte of the image already, before its last piece. */
static bool fork_has(const struct fork *fork, uint64_t begin)
{
    bool has = false;

    for (uint32_t i = 0; i + 1 < fork->count; i++)
        has = has ||
              (begin >= fork->runs[i].offset && begin - fork->runs[i].offset < fork->runs[i].len);
    return has;
}

/* What the ways of one seam gave. */
struct fork_ends {
    uint32_t count; /* ways that came to the end with different bytes */
    uint64_t tried; /* ways, when the first one did */
    struct fork_way way;
    struct sig_result result;
    const struct sig_type *type;
};

static void fork_end(struct fork *fork, uint64_t cut, uint64_t begin, struct fork_ends *ends)
{
    if (ends->count++ == 0)
        ends->tried = fork->tried;
    ends->way = (struct fork_way){ cut, begin, fork->result.len };
    ends->result = fork->result;
    ends->type = trial_type(fork->trial);
}

/*
 * Whether no other way of this seam is to be tried: another end may show that the first one proves
 * nothing. As many ways as were tried before it are asked for that, or all of them, where wrong
 * bytes may pass to the end.
 */
static bool fork_settled(const struct fork *fork, const struct fork_ends *ends)
{
    const struct sig *sig = fork->job->start->sig;
    const uint32_t enough = sig->seam == SIG_SEAM_EXACT ? 1 : 2;
    const bool asked =
        ends->count > 0 && sig->seam_lag == 0 && fork->tried >= 2 * ends->tried + FORK_ASKED_LEAST;

    return fork_spent(fork) || ends->count >= enough || asked;
}

/*
 * Whether the file that came to its end has these bytes, elsewhere: they go on for long where some
 * before them are left out, and that says nothing.
 */
static bool fork_explains(const struct fork_ends *ends, uint64_t cut, uint64_t begin)
{
    const struct fork_way *way = &ends->way;

    return ends->count > 0 && begin >= way->begin &&
           begin - way->begin < ends->result.len - way->cut && begin - cut != way->begin - way->cut;
}

/* The cuts of a piece that are tried, all object offsets, and which ways on from them. */
struct fork_span {
    uint64_t low, high; /* the first cut and the last one */
    uint64_t broke;     /* where the validator saw that something is wrong */
    bool up, down;      /* from low or high alone, or from both in turn */
    uint32_t pass;
};

/*
 * The pass in which a way is tried: first those that look like what is before them. Where wrong
 * bytes may pass, what lies before the break comes after what lies behind it: the piece's own bytes
 * go on for long, when some are left out.
 */
static uint32_t fork_pass(struct fork *fork, const struct fork_span *span, uint64_t begin,
                          uint8_t looks)
{
    const struct io_range *last = &fork->runs[fork->count - 1];
    const uint64_t sum = splice_len(&fork->trial->splice) - last->len;
    const bool own = begin >= last->offset && begin - last->offset + sum < span->broke;

    if (!places_alike(&fork->places, begin, looks))
        return 2;
    return own && fork->job->start->sig->seam_lag != 0 ? 1 : 0;
}

/* Tries the ways on from one cut that belong to the pass. */
static enum err_code fork_cut(struct fork *fork, uint64_t cut, const struct fork_span *span,
                              struct fork_ends *ends, struct err *err)
{
    const struct io_range *last = &fork->runs[fork->count - 1];
    const uint64_t sum = splice_len(&fork->trial->splice) - last->len;
    const uint64_t cut_at = last->offset + (cut - sum);
    uint64_t begin;
    enum err_code rc = ERR_OK;

    const uint8_t looks = places_before(&fork->places, last->offset, cut_at);
    if ((looks == 0 && span->pass == 2) || !fork_to_cut(fork, cut))
        return ERR_OK;
    for (uint32_t i = 0; rc == ERR_OK && places_begin(&fork->places, cut_at, i, &begin); i++) {
        bool ended = false;

        if (fork_settled(fork, ends))
            break;
        if (begin == UINT64_MAX || fork_has(fork, begin) ||
            (begin >= last->offset && begin <= cut_at) || fork_explains(ends, cut, begin) ||
            fork_pass(fork, span, begin, looks) != span->pass)
            continue;
        rc = fork_way(fork, cut, begin, &ended, err);
        if (rc == ERR_OK && ended)
            fork_end(fork, cut, begin, ends);
    }
    return rc;
}

/* Bytes before the break in which the cut is looked for. */
static uint64_t fork_lag(const struct fork *fork)
{
    const uint32_t lag = fork->job->start->sig->seam_lag;

    return lag != 0 ? lag : FORK_CUT_BYTES;
}

/*
 * Tries all cuts from low to high, object offsets: where wrong bytes are seen at once, the cut is
 * right before the break; where they are seen at the end of a unit, right behind the last one that
 * is sure. Where the validator has searched for what should have come, it is there, too.
 */
static enum err_code fork_between(struct fork *fork, struct fork_span span, struct fork_ends *ends,
                                  struct err *err)
{
    const uint64_t unit = fork->job->islands->unit, len = splice_len(&fork->trial->splice);
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < FORK_CUTS && span.high >= span.low; i++) {
        const bool down = span.down || (i % 2 == 0 && !span.up);
        const uint64_t cut = down ? span.high : span.low;

        if (fork_settled(fork, ends))
            break;
        if (cut <= len)
            rc = fork_cut(fork, cut, &span, ends, err);
        if (down)
            span.high -= unit;
        else
            span.low += unit;
    }
    return rc;
}

/* Tries all cuts of the last piece, which breaks or ends. */
static enum err_code fork_cuts(struct fork *fork, struct fork_ends *ends, struct err *err)
{
    const struct islands *islands = fork->job->islands;
    const struct io_range *last = &fork->runs[fork->count - 1];
    const uint64_t unit = islands->unit, len = splice_len(&fork->trial->splice);
    const uint64_t sum = len - last->len, sure = fork->trial->in.sure, lag = fork_lag(fork);
    const uint64_t broke = fork->trial->splice.visible < len ? fork->trial->splice.visible : len;
    /* The first cluster border behind the beginning of the piece, as an object offset. */
    const uint64_t first = sum + unit - (last->offset - islands->phase) % unit;
    const bool searched = fork->trial->in.find_at > fork->trial->in.valid + lag;
    struct fork_span span = { .low = sure > first ? sure : first,
                              .broke = broke,
                              .up = searched,
                              .down = !searched && sure <= sum };
    enum err_code rc = ERR_OK;

    if (broke < first)
        return ERR_OK;
    if (broke > lag && span.low < broke - lag && !searched)
        span.low = broke - lag;
    span.high = first + (broke - first + (broke < len ? unit - 1 : 0)) / unit * unit;
    span.low = first + (span.low - first + unit - 1) / unit * unit;
    for (; rc == ERR_OK && ends->count == 0 && span.pass < FORK_PASSES; span.pass++)
        rc = fork_between(fork, span, ends, err);
    return rc;
}

static uint32_t fork_log2(uint64_t value)
{
    uint32_t bits = 0;

    while (value > 1) {
        value = (value + 1) / 2;
        bits++;
    }
    return bits;
}

/* The file is whole: its pieces are those that are laid out, and the way that came to the end. */
static enum err_code fork_whole(struct fork *fork, const struct fork_ends *ends, struct whole *out,
                                struct err *err)
{
    const struct start *start = fork->job->start;
    const uint32_t bits = start->sig->seam == SIG_SEAM_EXACT ? FORK_BITS_EXACT : FORK_BITS_UNIT;
    const uint32_t last = fork->count - 1;
    const uint64_t sum = splice_len(&fork->trial->splice) - fork->runs[last].len;

    if (bits < FORK_BITS_LEAST + fork_log2(fork->tried))
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
    snprintf(out->text, sizeof out->text,
             "the validator checks %s; the only place of those tried that fits",
             start->sig->seam == SIG_SEAM_EXACT ? "every byte" : "each unit");
    return whole_keep(out, fork->runs, last + 2, ends->result.len, err);
}

/* Takes the way that came farthest for a piece in the middle, if no other one comes near. */
static enum err_code fork_go_on(struct fork *fork, bool *on, struct err *err)
{
    const struct fork_way best = fork->best, second = fork->second;
    const uint32_t last = fork->count - 1;
    const uint64_t sum = splice_len(&fork->trial->splice) - fork->runs[last].len;

    *on = fork->count < FORK_PIECES && best.far - best.cut >= FORK_FAR &&
          (second.far - second.cut) * FORK_FARTHER < best.far - best.cut &&
          fork_to_cut(fork, best.cut);
    if (!*on)
        return ERR_OK;
    fork_back(fork, &fork->cut, fork->states + FORK_MARKS * fork_state_size(fork));
    fork->runs[last].len = best.cut - sum;
    fork->runs[fork->count++] =
        (struct io_range){ best.begin, fork_piece_end(fork, best.begin) - best.begin };
    const enum err_code rc = fork_lay(fork, err);
    if (rc != ERR_OK)
        return rc;
    memset(fork->marks, 0, sizeof fork->marks);
    fork->trial->splice.visible = best.cut;
    fork->next = 1;
    fork_keep(fork, &fork->marks[0], fork->states);
    fork->way_from = fork->trial->work;
    fork->way_most = fork->job->budget;
    fork_feed(fork, true);
    return ERR_OK;
}

static enum err_code fork_pieces(struct fork *fork, struct whole *out, struct err *err)
{
    const struct start *start = fork->job->start;
    const uint64_t end = fork_piece_end(fork, start->offset), unit = fork->job->islands->unit;
    bool on = true;
    enum err_code rc;

    if (end <= start->offset)
        return ERR_OK;
    fork->runs[0] = (struct io_range){ start->offset, end - start->offset };
    fork->count = 1;
    rc = trial_begin(fork->trial, start->sig, fork->runs, 1, err);
    if (rc != ERR_OK)
        return rc;
    fork->trial->in.limit = start->sig->size_max;
    fork->trial->splice.visible = 0;
    fork->next = 1;
    fork_keep(fork, &fork->marks[0], fork->states);
    if (!fork_show(fork, unit < end - start->offset ? unit : end - start->offset) &&
        fork->result.verdict == SIG_REJECT)
        return ERR_OK; /* it is none from the first cluster on */
    fork_feed(fork, true);
    while (rc == ERR_OK && on && fork->result.verdict != SIG_COMPLETE && !fork_spent(fork)) {
        struct fork_ends ends = { 0 };

        fork->best = fork->second = (struct fork_way){ 0 };
        fork->way_most = fork->job->budget / FORK_SEARCHES;
        rc = fork_cuts(fork, &ends, err);
        if (rc == ERR_OK && ends.count == 1 && (start->sig->seam_lag == 0 || !fork_spent(fork)))
            return fork_whole(fork, &ends, out, err);
        on = ends.count == 0;
        if (rc == ERR_OK && on)
            rc = fork_go_on(fork, &on, err);
    }
    return rc;
}

enum err_code fork_try(const struct fork_job *job, struct trial *trial, struct whole *out,
                       struct err *err)
{
    struct fork *fork = calloc(1, sizeof *fork);
    enum err_code rc = ERR_OK;

    if (fork == NULL)
        return ERR_NO_MEMORY(err, sizeof *fork);
    fork->job = job;
    fork->trial = trial;
    fork->spent_from = trial->work;
    fork->way_from = trial->work;
    fork->way_most = job->budget;
    fork->places = (struct places){ .islands = job->islands,
                                    .splice = &trial->splice,
                                    .image_len = job->image_len };
    fork->states = malloc((FORK_MARKS + 1) * fork_state_size(fork));
    if (fork->states == NULL)
        rc = ERR_NO_MEMORY(err, (FORK_MARKS + 1) * fork_state_size(fork));
    if (rc == ERR_OK)
        rc = fork_pieces(fork, out, err);
    if (rc == ERR_OK)
        rc = splice_error(&trial->splice, err);
    free(fork->states);
    free(fork);
    return rc;
}
