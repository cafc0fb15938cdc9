/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/lead.c - see lead.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/assemble/lead.h"

/* How the file may lie. */
struct lead_way {
    const struct start *start;
    const struct sig_type *type;
    const char *why; /* of the validator */
    uint64_t len;
    uint32_t clusters; /* of the first piece */
    bool checked,
        proven; /* the validator checked content; and would see a wrong cluster anywhere */
};

struct lead {
    const struct claim *claim;
    const struct starts *starts;
    const struct ground *ground;
    struct io_range *runs; /* [count]: two pieces before those that are listed */
    uint32_t count;
    uint64_t first;     /* image offset of the first block that is listed */
    uint64_t bytes;     /* of the file's blocks */
    uint64_t work_most; /* of the trial: what it may have done at the end */
    uint64_t tried;
    uint32_t before; /* clusters that are free right before `first` */
    struct lead_way best;
    uint32_t ways; /* of which one is the best */
};

static bool lead_is_free(const struct lead *lead, uint64_t at)
{
    return ground_owner(lead->ground, at, at + lead->claim->unit, NULL, 0) == NULL;
}

/* How many clusters are free before or behind this place, one after another, `most` at most. */
static uint32_t lead_free(const struct lead *lead, uint64_t at, bool before, uint32_t most)
{
    const uint64_t unit = lead->claim->unit, begin = lead->claim->area.offset;
    const uint64_t end = begin + lead->claim->area.len;
    uint32_t count = 0;

    if (before)
        while (count < most && at >= begin + unit && lead_is_free(lead, at - unit)) {
            at -= unit;
            count++;
        }
    else
        while (count < most && at + unit <= end && lead_is_free(lead, at)) {
            at += unit;
            count++;
        }
    return count;
}

/* Starts around a place, from near to far. */
struct lead_around {
    uint64_t at;
    size_t below, above; /* those that come next, of numbers below - 1 and above */
};

static struct lead_around lead_around(const struct lead *lead, uint64_t at)
{
    size_t count;
    const size_t first = starts_at(lead->starts, at, &count);

    return (struct lead_around){ at, first, first };
}

/* Whether a file with such blocks may begin there. */
static bool lead_may(const struct lead *lead, const struct start *start)
{
    const struct io_range area = lead->claim->area;

    return (start->sig->seam >= SIG_SEAM_UNIT || !start->weak) && start->offset >= area.offset &&
           start->offset - area.offset < area.len &&
           (start->offset - lead->first) % lead->claim->unit == 0 &&
           lead_is_free(lead, start->offset);
}

/* The next start that may be it; NULL: there is none that is near enough. */
static const struct start *lead_next(const struct lead *lead, struct lead_around *around)
{
    const struct starts *starts = lead->starts;

    while (around->above - around->below < LEAD_LOOK &&
           (around->below > 0 || around->above < starts->count)) {
        const uint64_t below =
            around->below > 0 ? around->at - starts->items[around->below - 1].offset : UINT64_MAX;
        const uint64_t above = around->above < starts->count
                                   ? starts->items[around->above].offset - around->at
                                   : UINT64_MAX;
        const size_t next = below <= above ? --around->below : around->above++;

        if (lead_may(lead, &starts->items[next]))
            return &starts->items[next];
    }
    return NULL;
}

/* The first piece has so many clusters. False: the pieces lie over each other, or are one. */
static bool lead_lay_out(struct lead *lead, uint64_t begin, uint32_t clusters)
{
    const uint64_t unit = lead->claim->unit, rest = (lead->claim->lead - clusters) * unit;
    const uint64_t end = lead->runs[1].offset + lead->runs[1].len;

    lead->runs[0] = (struct io_range){ begin, clusters * unit };
    lead->runs[1] = (struct io_range){ lead->first - rest, end - (lead->first - rest) };
    return begin > lead->first || begin + clusters * unit < lead->runs[1].offset;
}

static enum err_code lead_keep(struct lead *lead, const struct lead_way *way, struct whole *out,
                               struct err *err)
{
    out->start = way->start;
    out->type = way->type;
    out->proven = way->checked;
    out->kind = "indirect";
    out->why = way->why;
    out->tried = lead->tried;
    out->bits = way->proven ? WHOLE_EXACT_BITS : 8;
    out->wrong = way->proven ? 0 : LEAD_WRONG;
    snprintf(out->text, sizeof out->text,
             "%s, and what leads to it; the validator reads to its end", lead->claim->text);
    (void)lead_lay_out(lead, way->start->offset, way->clusters);
    return whole_keep(out, lead->runs, lead->count, way->len, err);
}

/*
 * Tries where a file that begins here may be cut. *way: the one that is proven; or the only one
 * that the validator agrees with, or the one that both holes say; way->start is NULL: there is
 * none.
 */
static enum err_code lead_start(struct lead *lead, const struct start *start, struct trial *trial,
                                struct lead_way *way, struct err *err)
{
    const struct claim *claim = lead->claim;
    const struct io_range first = { start->offset, claim->unit };
    const uint32_t most = lead_free(lead, start->offset, false, claim->lead);
    uint32_t fixed, agree = 0;
    bool found, told = false;
    enum err_code rc = trial_header(trial, start->sig, &first, 1, &found, &fixed, err);

    *way = (struct lead_way){ 0 };
    for (uint32_t n = found ? most : 0;
         rc == ERR_OK && n > 0 && claim->lead - n <= lead->before && trial->work < lead->work_most;
         n--) {
        struct sig_result result;

        if (!lead_lay_out(lead, start->offset, n))
            continue;
        lead->tried++;
        rc = trial_all(trial, start->sig, lead->runs, lead->count, &result, err);
        if (rc != ERR_OK || !claim_agrees(claim, &result, lead->bytes))
            continue;
        const bool proven = trial_proves(trial, &result);
        if (agree++ == 0 || proven) {
            *way = (struct lead_way){ .start = start,
                                      .type = trial_type(trial),
                                      .why = result.why,
                                      .len = result.len,
                                      .clusters = n,
                                      .checked = result.proven,
                                      .proven = proven };
            told = n == most && (n == claim->lead || claim->lead - n == lead->before);
        }
        if (proven)
            return ERR_OK;
    }
    if (agree > 1 && !told)
        way->start = NULL;
    return rc;
}

/* Tries the starts around a place, those of numbers [from, to) left out. */
static enum err_code lead_tries(struct lead *lead, struct lead_around *around, size_t from,
                                size_t to, struct trial *trial, struct err *err)
{
    const struct start *start;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < LEAD_STARTS && rc == ERR_OK && !lead->best.proven &&
                         trial->work < lead->work_most && (start = lead_next(lead, around)) != NULL;
         i++) {
        const size_t number = (size_t)(start - lead->starts->items);
        struct lead_way way = { 0 };

        if (number < from || number >= to)
            rc = lead_start(lead, start, trial, &way, err);
        if (rc == ERR_OK && way.start != NULL) {
            lead->best = way;
            lead->ways++;
        }
    }
    return rc;
}

bool lead_is_open(const struct claim *claim, const struct io_range *runs,
                  const struct ground *ground)
{
    return claim->lead > 1 && claim->unit > 0 &&
           ground_owner(ground, runs[0].offset, runs[0].offset + claim->unit, NULL, 0) == NULL;
}

enum err_code lead_try(const struct claim *claim, const struct io_range *runs,
                       const struct starts *starts, const struct ground *ground, uint64_t work,
                       struct trial *trial, struct whole *out, struct err *err)
{
    struct lead lead = { .claim = claim,
                         .starts = starts,
                         .ground = ground,
                         .work_most = trial->work + work,
                         .count = claim->run_count + 1,
                         .first = runs[0].offset,
                         .bytes = (uint64_t)claim->lead * claim->unit +
                                  claim_bytes(runs, claim->run_count) };
    enum err_code rc;

    lead.before = lead_free(&lead, lead.first, true, claim->lead - 1);
    lead.runs = malloc(lead.count * sizeof *lead.runs);
    if (lead.runs == NULL)
        return ERR_NO_MEMORY(err, lead.count * sizeof *lead.runs);
    memcpy(lead.runs + 1, runs, claim->run_count * sizeof *runs);
    /* A list mostly lies in the group of blocks in which its file was to begin. */
    struct lead_around data = lead_around(&lead, lead.first);
    struct lead_around list = lead_around(&lead, claim->listed);
    rc = lead_tries(&lead, &data, 0, 0, trial, err);
    if (rc == ERR_OK)
        rc = lead_tries(&lead, &list, data.below, data.above, trial, err);
    /* Where not all were tried, nobody knows that no other would do. */
    const bool all = trial->work < lead.work_most;
    if (rc == ERR_OK && (lead.best.proven || (all && lead.ways == 1)))
        rc = lead_keep(&lead, &lead.best, out, err);
    free(lead.runs);
    return rc;
}
