/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/fork_search.c - see fork_impl.h. */
#include "base/limits.h"
#include "carver/assemble/fork_impl.h"

enum {
    FORK_ASKED_LEAST = 128,
    FORK_CUTS_SEEN = 4096,        /* cuts that are tried where ends can be seen, */
    FORK_FULL = 8,                /* places where others own, behind the last byte that is sure */
    FORK_SELDOM = 16,             /* part of a file's work for such places, of each kind */
    FORK_CUTS_NEAR = 8,           /* and with the places where other objects break */
    FORK_LOOK = 1024,             /* work of looking at the places behind a cut */
    FORK_EDGES_APART = 64 * 1024, /* bytes between two ends that can be seen, */
    FORK_EDGES_FEW = 4,           /* of which one sector in so many looks like the file */
};

/* Which ways are tried, one pass after the other. */
enum fork_pass {
    FORK_PASS_FULL,  /* nothing is wrong with the piece: the next one begins where an island does */
    FORK_PASS_TAIL,  /* where the end of the file says that a piece lies, or the unit that breaks */
    FORK_PASS_EDGES, /* both ends can be seen */
    FORK_PASS_BREAKS, /* where other objects break: a piece of the file may lie there */
    FORK_PASS_SCAN,   /* where the scan of a JPEG may go on, far away */
    FORK_PASS_ALIKE,  /* what begins there looks like what is before the cut */
    FORK_PASS_OWN,    /* the same, and it lies before the break */
    FORK_PASS_OTHER,
    FORK_PASSES,
};

/* Whether the file has this byte of the image already, before its last piece. */
static bool fork_has(const struct fork *fork, uint64_t begin)
{
    bool has = false;

    for (uint32_t i = 0; i + 1 < fork->count; i++)
        has = has ||
              (begin >= fork->runs[i].offset && begin - fork->runs[i].offset < fork->runs[i].len);
    return has;
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
    bool greedy;        /* one way that stands out is enough */
    enum fork_pass pass;
};

/*
 * Whether what lies between the cut and the place looks foreign, and what lies around it does not:
 * then both are where the pieces end and begin.
 */
static bool fork_edges(struct fork *fork, uint64_t cut_at, uint64_t begin, uint8_t looks)
{
    struct places *places = &fork->places;
    uint64_t sectors = 0, alike = 0;

    if (looks == 0 || begin <= cut_at || begin - cut_at > FORK_EDGES_APART ||
        !places_alike(places, begin, looks) || places_alike(places, cut_at, looks) ||
        places_alike(places, begin - LIMIT_SECTOR, looks))
        return false;
    for (uint64_t at = cut_at; at < begin; at += LIMIT_SECTOR) {
        sectors++;
        alike += places_alike(places, at, looks);
    }
    return alike * FORK_EDGES_FEW <= sectors;
}

/*
 * The pass in which a way is tried: first those whose ends can be seen, then those that look like
 * what is before them. Where wrong bytes may pass, what lies before the break comes after what lies
 * behind it: the piece's own bytes go on for long, when some are left out.
 */
static enum fork_pass fork_pass(struct fork *fork, const struct fork_span *span, uint64_t cut_at,
                                uint64_t begin, uint8_t looks)
{
    const struct io_range *last = &fork->runs[fork->count - 1];
    const uint64_t sum = splice_len(&fork->trial->splice) - last->len;
    const bool own = begin >= last->offset && begin - last->offset + sum < span->broke;

    if (fork_edges(fork, cut_at, begin, looks))
        return FORK_PASS_EDGES;
    if (!places_alike(&fork->places, begin, looks))
        return FORK_PASS_OTHER;
    return own && fork->job->start->sig->seam_lag != 0 ? FORK_PASS_OWN : FORK_PASS_ALIKE;
}

/* The same of the places that shifts give for a cut at this image offset. */
static bool fork_shifted(const struct fork *fork, uint64_t cut_at, uint32_t number, uint64_t *begin)
{
    if (number >= fork->units.shift_count)
        return false;
    /* What would lie before the image lies behind its end so. */
    *begin = cut_at + (uint64_t)fork->units.shifts[number];
    if (*begin >= fork->job->image_len)
        *begin = UINT64_MAX;
    return true;
}

/* The same of the far places that are looked for where a scan is cut. */
static bool fork_scans(struct fork *fork, uint64_t cut_at, uint32_t number, uint64_t *begin)
{
    if (!fork->looked) {
        const struct memo_question question = { .words = { FORK_ASKS_STUFFED, cut_at },
                                                .count = 2 };

        if (!memo_knows(fork->job->memo, &question, &fork->stuffed, sizeof fork->stuffed)) {
            stuffed_find(&fork->places, cut_at, &fork->stuffed);
            if (splice_error(&fork->trial->splice, NULL) == ERR_OK)
                memo_keep(fork->job->memo, &question, &fork->stuffed, sizeof fork->stuffed);
        }
        fork->trial->work += fork->stuffed.read / FORK_READ;
        fork->looked = true;
    }
    return stuffed_begin(&fork->stuffed, number, begin);
}

/* The place of this number behind the cut, as places_begin. */
static bool fork_begins(struct fork *fork, const struct fork_span *span, uint64_t cut_at,
                        uint32_t number, uint64_t *begin)
{
    if (span->pass == FORK_PASS_FULL)
        return places_island(&fork->places, cut_at, number, begin);
    if (span->pass == FORK_PASS_BREAKS)
        return places_break(&fork->places, cut_at, number, begin);
    if (span->pass == FORK_PASS_SCAN)
        return fork_scans(fork, cut_at, number, begin);
    return span->pass == FORK_PASS_TAIL ? fork_shifted(fork, cut_at, number, begin)
                                        : places_begin(&fork->places, cut_at, number, begin);
}

/* Whether a pass tries places by what they look like. */
static bool fork_pass_looks(enum fork_pass pass)
{
    return pass == FORK_PASS_EDGES || pass >= FORK_PASS_ALIKE;
}

/* Whether this pass tries nothing behind the cut. */
static bool fork_passes(struct fork *fork, const struct fork_span *span, uint64_t cut_at,
                        uint8_t looks)
{
    if (span->pass == FORK_PASS_SCAN)
        return !places_alike(&fork->places, cut_at - LIMIT_SECTOR, LOOK_DENSE | LOOK_STUFFED);
    if (!fork_pass_looks(span->pass))
        return false;
    return looks == 0 ? span->pass != FORK_PASS_ALIKE
                      : span->pass == FORK_PASS_EDGES && places_alike(&fork->places, cut_at, looks);
}

/* Whether a pass that looks for what is seldom has had its share of the work. */
static bool fork_pass_spent(const struct fork *fork, const struct fork_span *span)
{
    return (span->pass == FORK_PASS_FULL || span->pass == FORK_PASS_BREAKS) &&
           fork->trial->work - fork->pass_from > fork->job->budget / FORK_SELDOM;
}

/* Tries the ways on from one cut that belong to the pass. */
static enum err_code fork_cut(struct fork *fork, uint64_t cut, const struct fork_span *span,
                              struct fork_ends *ends, struct err *err)
{
    const struct io_range *last = &fork->runs[fork->count - 1];
    const uint64_t sum = splice_len(&fork->trial->splice) - last->len;
    const uint64_t cut_at = last->offset + (cut - sum);
    const uint8_t looks = places_before(&fork->places, last->offset, cut_at);
    bool there = false;
    uint64_t begin;
    enum err_code rc = ERR_OK;

    if (fork_passes(fork, span, cut_at, looks))
        return ERR_OK;
    fork->trial->work += FORK_LOOK;
    for (uint32_t i = 0; rc == ERR_OK && fork_begins(fork, span, cut_at, i, &begin); i++) {
        if (fork_settled(fork, ends) || fork_pass_spent(fork, span))
            break;
        if (begin == UINT64_MAX || fork_has(fork, begin) ||
            (begin >= last->offset && begin <= cut_at) || fork_explains(ends, cut, begin) ||
            (fork_pass_looks(span->pass) &&
             fork_pass(fork, span, cut_at, begin, looks) != span->pass))
            continue;
        if (!there && !fork_to_cut(fork, cut))
            break;
        there = true;
        rc = fork_way(fork, cut, begin, ends, err);
    }
    return rc;
}

/* Bytes before the break in which the cut is looked for. */
static uint64_t fork_lag(const struct fork *fork)
{
    const uint32_t lag = fork->job->start->sig->seam_lag;

    return lag != 0 ? lag : FORK_CUT_BYTES;
}

/* Whether a way from this cut came to the end of its piece, and nothing else comes near it. */
static bool fork_may_go_on(const struct fork *fork, const struct fork_span *span, uint64_t cut)
{
    return span->greedy && fork->best.cut == cut && fork->best.to_end && fork_stands_out(fork);
}

/*
 * Tries all cuts from low to high, object offsets: where wrong bytes are seen at once, the cut is
 * right before the break; where they are seen at the end of a unit, right behind the last one that
 * is sure. Where the validator has searched for what should have come, it is there, too.
 */
static enum err_code fork_between(struct fork *fork, struct fork_span span, struct fork_ends *ends,
                                  bool *found, struct err *err)
{
    const uint64_t unit = fork->job->islands->unit, len = splice_len(&fork->trial->splice);
    enum err_code rc = ERR_OK;

    const bool near = span.pass == FORK_PASS_BREAKS || span.pass == FORK_PASS_SCAN;
    const uint32_t most = span.pass <= FORK_PASS_EDGES ? FORK_CUTS_SEEN
                          : near                       ? FORK_CUTS_NEAR
                                                       : FORK_CUTS;
    /* Where bytes of another file pass for a while, its header or random ones do not. */
    const bool breaks = near && fork->job->start->sig->seam_lag != 0;

    for (uint32_t i = 0; rc == ERR_OK && !*found && i < most && span.high >= span.low; i++) {
        const bool down = span.down || breaks || (i % 2 == 0 && !span.up);
        const uint64_t cut = down ? span.high : span.low;

        if (fork_settled(fork, ends) || fork_pass_spent(fork, &span))
            break;
        if (cut <= len)
            rc = fork_cut(fork, cut, &span, ends, err);
        *found = ends->count == 0 && fork_may_go_on(fork, &span, cut);
        if (down)
            span.high -= unit;
        else
            span.low += unit;
    }
    return rc;
}

/* The first cluster border at or behind an object offset of the last piece, or of all before it. */
static uint64_t fork_border(const struct fork *fork, uint64_t first, uint64_t at)
{
    const uint64_t unit = fork->job->islands->unit;

    return at <= first ? first : first + (at - first + unit - 1) / unit * unit;
}

/* Where nothing is wrong with the piece up to where others own, it may end there. */
static enum err_code fork_full(struct fork *fork, struct fork_span span, struct fork_ends *ends,
                               bool *found, struct err *err)
{
    const struct io_range *last = &fork->runs[fork->count - 1];
    const struct islands *islands = fork->job->islands;
    const uint64_t sum = splice_len(&fork->trial->splice) - last->len, broke = span.broke;
    const uint64_t from = last->offset + (span.low > sum ? span.low - sum : 0);
    size_t i = islands_from(islands, from > last->offset ? from - 1 : from);
    enum err_code rc = ERR_OK;

    span.pass = FORK_PASS_FULL;
    fork->pass_from = fork->trial->work;
    for (uint32_t n = 0; rc == ERR_OK && !*found && ends->count == 0 && n < FORK_FULL; n++, i++) {
        if (i >= islands->count || islands->ends[i] - last->offset + sum > broke ||
            islands->ends[i] == fork->job->image_len)
            break;
        span.low = span.high = islands->ends[i] - last->offset + sum;
        rc = fork_between(fork, span, ends, found, err);
    }
    return rc;
}

enum err_code fork_search(struct fork *fork, bool greedy, struct fork_ends *ends, struct err *err)
{
    const struct islands *islands = fork->job->islands;
    const struct io_range *last = &fork->runs[fork->count - 1];
    const struct sig_input *in = &fork->trial->in;
    const uint64_t unit = islands->unit, len = splice_len(&fork->trial->splice);
    const uint64_t sum = len - last->len, sure = in->sure, lag = fork_lag(fork);
    const uint64_t broke = fork->trial->splice.visible < len ? fork->trial->splice.visible : len;
    /* The first cluster border behind the beginning of the piece, as an object offset. */
    const uint64_t first = sum + unit - (last->offset - islands->phase) % unit;
    const bool searched = in->find_at > in->valid + lag;
    const uint64_t valid = in->valid > sum ? fork_border(fork, first, in->valid) + unit : 0;
    const uint64_t doubt = in->doubt > sum ? fork_border(fork, first, in->doubt) : 0;
    struct fork_span span = { .pass = FORK_PASS_TAIL,
                              .low = sure > first ? sure : first,
                              .broke = broke,
                              .up = searched,
                              .down = !searched && sure <= sum,
                              .greedy = greedy };
    bool found = false;
    enum err_code rc = ERR_OK;

    if (broke < first)
        return ERR_OK;
    if (!searched)
        rc = fork_full(fork, span, ends, &found, err);
    if (rc != ERR_OK || found || ends->count > 0)
        return rc;
    rc = fork_ask_tail(fork, err);
    if (rc == ERR_OK)
        rc = fork_ask_unit(fork, err);
    if (rc == ERR_OK)
        rc = fork_unit(fork, ends, err);
    if (rc != ERR_OK || ends->count > 0)
        return rc;
    found = fork->units.cut_count > 0 && fork_stands_out(fork);
    if (fork->units.shift_count == 0)
        span.pass = FORK_PASS_EDGES;
    const uint64_t low = fork_border(fork, first, span.low);
    if (broke > lag && span.low < broke - lag && !searched)
        span.low = broke - lag;
    span.high = fork_border(fork, first, broke < len ? broke : broke - (broke - first) % unit);
    span.low = fork_border(fork, first, span.low);
    for (; rc == ERR_OK && !found && ends->count == 0 && span.pass < FORK_PASSES; span.pass++) {
        struct fork_span before = span, now = span;

        before.low = before.high = doubt;
        fork->pass_from = fork->trial->work;
        fork->told = span.pass == FORK_PASS_TAIL;
        if (span.pass <= FORK_PASS_EDGES)
            now.low = low;
        /* What is read at a time goes farther than what was found right. */
        if ((span.pass == FORK_PASS_BREAKS || span.pass == FORK_PASS_SCAN) && valid >= span.low &&
            valid < span.high)
            now.high = valid;
        if (doubt != 0 && doubt < span.low)
            rc = fork_between(fork, before, ends, &found, err);
        if (rc == ERR_OK && !found && ends->count == 0)
            rc = fork_between(fork, now, ends, &found, err);
    }
    fork->told = false;
    return rc;
}
