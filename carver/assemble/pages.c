/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/pages.c - see pages.h. */
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "carver/assemble/guess.h"
#include "carver/assemble/pages.h"

enum {
    PAGES_SECTORS = 2048,    /* of two pages that lie around each other, or between pieces */
    PAGES_SHORT = 4,         /* sectors of a first piece that says too little for guess.h, */
    PAGES_RUN = 64,          /* behind which so many at most are no text, */
    PAGES_BESIDE = 8,        /* and those behind the place are no better */
    PAGES_WRONG = 10000,     /* the chance to be wrong, of GUESS_ONE, of a page in a braid, */
    PAGES_WRONG_RUN = 20000, /* and of one behind other bytes */
};

/* What is being looked at: image offsets, all but the ends of files on sectors. */
struct pages {
    const struct fork_job *job;
    struct trial *trial;
    uint64_t from; /* work that was done before */
};

/* Two pages, A B A B. */
struct pages_braid {
    const struct start *first, *second;
    uint64_t cut;        /* where the second one begins, and the first one's first piece ends, */
    uint64_t low, end;   /* the first place of its second piece, and where that ends, */
    uint64_t rest, stop; /* and where the second one's second piece begins and ends */
    uint64_t at;         /* the place that was found */
};

static bool pages_is_text(const uint8_t *bytes, uint32_t len)
{
    bool text = len > 0;

    for (uint32_t i = 0; text && i < len; i++)
        text = bytes[i] >= ' '
                   ? bytes[i] != 0x7f
                   : bytes[i] == '\n' || bytes[i] == '\r' || bytes[i] == '\t' || bytes[i] == '\f';
    return text;
}

/* Whether the whole sector there is text, or none is: false of what is neither. */
static bool pages_sector(const struct pages *pages, uint64_t at, bool text)
{
    uint32_t have = 0;
    const uint8_t *bytes = at + LIMIT_SECTOR <= pages->job->image_len
                               ? splice_image(&pages->trial->splice, at, &have)
                               : NULL;

    return bytes != NULL && have >= LIMIT_SECTOR && pages_is_text(bytes, LIMIT_SECTOR) == text;
}

/* The first sector from there on that is no text, or is text; `to` if there is none before. */
static uint64_t pages_run(const struct pages *pages, uint64_t at, bool text, uint64_t to)
{
    while (at < to && pages_sector(pages, at, text))
        at += LIMIT_SECTOR;
    return at;
}

/* Whether the work for one file is done. */
static bool pages_spent(const struct pages *pages)
{
    return pages->trial->work - pages->from > pages->job->budget;
}

/* Reads on: bytes [from, to) of the image. */
static void pages_nest(struct pages *pages, const struct sig *sig, struct sig_nest *nest,
                       uint64_t from, uint64_t to)
{
    while (from < to) {
        uint32_t have = 0;
        const uint8_t *bytes = splice_image(&pages->trial->splice, from, &have);

        if (bytes == NULL || have == 0)
            return;
        have = have < to - from ? have : (uint32_t)(to - from);
        sig->nest(nest, bytes, have);
        pages->trial->work += have;
        from += have;
    }
}

/* The length of the page of two pieces; 0: it comes to no end in the second one. */
static enum err_code pages_len(struct pages *pages, const struct start *start, uint64_t first,
                               uint64_t begin, uint64_t *len, struct sig_result *result,
                               struct err *err)
{
    const uint64_t most = (uint64_t)PAGES_SECTORS * LIMIT_SECTOR;
    const uint64_t left = pages->job->image_len - begin;
    const struct io_range runs[] = { { start->offset, first },
                                     { begin, left < most ? left : most } };
    const enum err_code rc = trial_all(pages->trial, start->sig, runs, 2, result, err);

    *len = rc == ERR_OK && result->verdict == SIG_COMPLETE && result->len > first ? result->len : 0;
    return rc;
}

/* A file of a format with elements that begins there; NULL: there is none. */
static const struct start *pages_start(const struct pages *pages, uint64_t at)
{
    size_t count, i = starts_at(pages->job->starts, at, &count);

    for (const size_t behind = i + count; i < behind; i++)
        if (pages->job->starts->items[i].sig->nest != NULL)
            return &pages->job->starts->items[i];
    return NULL;
}

/* The page before this one that goes on to where this one begins, all of it text; NULL: none. */
static const struct start *pages_before(const struct pages *pages)
{
    const struct start *start = pages->job->start;
    const struct start *before = start;
    uint64_t at;

    while (before > pages->job->starts->items &&
           (before->offset == start->offset || before->sig->nest == NULL))
        before--;
    if (before->sig != start->sig || before->offset == start->offset ||
        start->offset - before->offset > (uint64_t)PAGES_SECTORS * LIMIT_SECTOR)
        return NULL;
    at = pages_run(pages, before->offset, true, start->offset);
    return at == start->offset ? before : NULL;
}

/*
 * Where two pages that meet at the cut lie, if they lie around each other: the text behind the cut
 * goes to the end of the first one, and the second one goes on right behind that.
 */
static enum err_code pages_around(struct pages *pages, struct pages_braid *braid, bool *around,
                                  struct err *err)
{
    const uint64_t first = braid->cut - braid->first->offset;
    const uint64_t text =
        pages_run(pages, braid->cut, true, braid->cut + (uint64_t)PAGES_SECTORS * LIMIT_SECTOR);
    struct sig_result result;
    uint64_t len = 0;

    *around = false;
    braid->low = braid->cut + LIMIT_SECTOR;
    if (first == 0 || text <= braid->low)
        return ERR_OK;
    /* Its last sector is filled up. */
    enum err_code rc =
        pages_len(pages, braid->first, first, text - LIMIT_SECTOR, &len, &result, err);
    if (rc != ERR_OK || len == 0)
        return rc;
    braid->end = text - LIMIT_SECTOR + (len - first);
    braid->rest = (braid->end + LIMIT_SECTOR - 1) / LIMIT_SECTOR * LIMIT_SECTOR;
    if (braid->rest != text + LIMIT_SECTOR || pages_start(pages, braid->rest) != NULL ||
        !pages_sector(pages, braid->rest, true))
        return ERR_OK;
    rc = pages_len(pages, braid->second, LIMIT_SECTOR, braid->rest, &len, &result, err);
    if (rc != ERR_OK || len == 0)
        return rc;
    braid->stop = braid->rest + (len - LIMIT_SECTOR);
    *around = true;
    return ERR_OK;
}

/* Finds the place with the fewest faults in both pages. *found: there is one alone. */
static void pages_divide(struct pages *pages, struct pages_braid *braid, bool *found)
{
    const struct sig *sig = braid->first->sig;
    struct sig_nest first = { .depth = 0 }, second = { .depth = 0 };
    uint32_t best = UINT32_MAX, count = 0;

    pages_nest(pages, sig, &first, braid->first->offset, braid->cut);
    for (uint64_t at = braid->cut; at < braid->end; at += LIMIT_SECTOR) {
        if (at > braid->cut) {
            struct sig_nest one = first, other = second;

            pages_nest(pages, sig, &one, at, braid->end);
            pages_nest(pages, sig, &other, braid->rest, braid->stop);
            const uint32_t wrong = sig->nest_wrong(&one) + sig->nest_wrong(&other);
            count = wrong < best ? 1 : count + (wrong == best);
            braid->at = wrong < best ? at : braid->at;
            best = wrong < best ? wrong : best;
        }
        pages_nest(pages, sig, &second, at,
                   at + LIMIT_SECTOR < braid->end ? at + LIMIT_SECTOR : braid->end);
        if (pages_spent(pages))
            return;
    }
    *found = count == 1;
}

static enum err_code pages_tell(struct pages *pages, uint64_t first, uint64_t begin, uint32_t wrong,
                                const char *text, struct whole *out, struct err *err)
{
    const struct start *start = pages->job->start;
    struct sig_result result;
    uint64_t len = 0;
    const enum err_code rc = pages_len(pages, start, first, begin, &len, &result, err);

    if (rc != ERR_OK || len == 0)
        return rc;
    const struct io_range runs[] = { { start->offset, first }, { begin, len - first } };
    out->start = start;
    out->type = trial_type(pages->trial);
    out->why = result.why;
    out->tried = 1;
    out->wrong = wrong;
    out->kind = "resemblance";
    snprintf(out->text, sizeof out->text, "%s", text);
    return whole_keep(out, runs, 2, len, err);
}

/* The page as one of two that lie around each other. */
static enum err_code pages_try_braid(struct pages *pages, struct pages_braid *braid,
                                     struct whole *out, bool *around, struct err *err)
{
    const bool is_first = braid->first == pages->job->start;
    bool found = false;
    enum err_code rc = pages_around(pages, braid, around, err);

    if (rc != ERR_OK || !*around)
        return rc;
    pages_divide(pages, braid, &found);
    if (!found)
        return ERR_OK;
    return pages_tell(pages, is_first ? braid->cut - braid->first->offset : braid->at - braid->cut,
                      is_first ? braid->at : braid->rest, PAGES_WRONG,
                      "two pages around each other: so their elements nest best", out, err);
}

/* Whether the elements nest no better without the first sectors of this second piece, and worse
 * without some. */
static bool pages_nests(struct pages *pages, uint64_t first, uint64_t begin, uint64_t end)
{
    const struct start *start = pages->job->start;
    struct sig_nest before = { .depth = 0 };
    uint32_t best = 0;
    bool nests = true, worse = false;

    pages_nest(pages, start->sig, &before, start->offset, start->offset + first);
    for (uint32_t i = 0; nests && !pages_spent(pages) && i <= PAGES_BESIDE; i++) {
        const uint64_t at = begin + (uint64_t)i * LIMIT_SECTOR;
        struct sig_nest nest = before;

        if (at >= end)
            break;
        pages_nest(pages, start->sig, &nest, at, end);
        const uint32_t wrong = start->sig->nest_wrong(&nest);
        best = i == 0 ? wrong : best;
        nests = wrong >= best;
        worse = worse || wrong > best;
    }
    return nests && worse && !pages_spent(pages);
}

/* The page as one that goes on behind bytes that are no text. */
static enum err_code pages_try_run(struct pages *pages, uint64_t cut, struct whole *out,
                                   struct err *err)
{
    const uint64_t first = cut - pages->job->start->offset;
    const uint64_t begin = pages_run(pages, cut, false, cut + (uint64_t)PAGES_RUN * LIMIT_SECTOR);
    struct sig_result result;
    uint64_t len = 0;

    if (first == 0 || first > PAGES_SHORT * LIMIT_SECTOR || !pages_sector(pages, begin, true) ||
        pages_start(pages, begin) != NULL)
        return ERR_OK;
    const enum err_code rc = pages_len(pages, pages->job->start, first, begin, &len, &result, err);
    if (rc != ERR_OK || len == 0 || !pages_nests(pages, first, begin, begin + (len - first)))
        return rc;
    return pages_tell(pages, first, begin, PAGES_WRONG_RUN,
                      "the first text behind what is none, and its elements nest", out, err);
}

enum err_code pages_try(const struct fork_job *job, struct trial *trial, struct whole *out,
                        bool *around, struct err *err)
{
    struct pages pages = { .job = job, .trial = trial, .from = trial->work };
    const struct start *start = job->start;
    struct pages_braid braid = { .first = start };
    enum err_code rc = ERR_OK;

    *around = false;
    braid.cut = start->offset;
    do
        braid.cut += LIMIT_SECTOR;
    while (braid.cut < start->offset + (uint64_t)PAGES_SECTORS * LIMIT_SECTOR &&
           pages_sector(&pages, braid.cut - LIMIT_SECTOR, true) &&
           (braid.second = pages_start(&pages, braid.cut)) == NULL);
    if (braid.second != NULL && braid.second->sig == start->sig)
        rc = pages_try_braid(&pages, &braid, out, around, err);
    if (rc != ERR_OK || *around)
        return rc;
    struct pages_braid other = { .first = pages_before(&pages),
                                 .second = start,
                                 .cut = start->offset };
    if (other.first != NULL)
        rc = pages_try_braid(&pages, &other, out, around, err);
    if (rc != ERR_OK || *around || braid.second != NULL)
        return rc;
    return pages_try_run(&pages, braid.cut - LIMIT_SECTOR, out, err);
}
