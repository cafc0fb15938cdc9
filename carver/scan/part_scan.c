/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/part_scan.c - see part_scan.h.
 *
 * A slot is a buffer of one segment. It is lent to the reader, submitted to the matcher when it is
 * full, and collected when its hits are there. Then it is kept for a while as a part of the
 * lookback that validators read from. Slots go round in a ring, always in the order of the image,
 * so four counters say all:
 *
 *   released <= collected <= submitted <= lent <= released + slots
 */
#include "carver/scan/part_scan.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "carver/plan/lookback.h"
#include "carver/scan/scan_text.h"
#include "carver/text/text_teller.h"
#include "io/leftover.h"
#include "io/reader.h"

#define SCAN_TIME_MAX UINT64_C(5000000000) /* nanoseconds, behind which a part ends */

struct part_scanner {
    struct part_scanner_options options;
    const struct scan_how *how;
    uint32_t slot_count, keep; /* keep: collected segments that stay in memory */
    struct plan *plan;         /* NULL with hits_only and no validators: never */
    struct known_blocks *blocks;
    struct text_teller teller; /* with options.texts */
    struct io_reader *reader;  /* NULL before the first part */
    struct part_way way;       /* of the part under way, and of the reader */
    struct lookback lookback;
    uint8_t *before; /* the range's bytes before the part */
    uint32_t before_max;
    char backend[PART_NAME_MAX];

    /* The part under way. */
    struct part *part;
    uint64_t lent, submitted, collected, released;
    bool all_lent;
    uint64_t end; /* image offset up to which it reads */
    uint64_t begun_ns;
    bool torn;  /* an error came while a segment was planned: what was found is not whole */
    bool reads; /* turns.done has not been called */
    /* Segments of a part that is read in turn, handed out already for the hash of the image. */
    uint64_t fetched;
    enum err_code fetch_rc; /* of the one behind them */
    struct err fetch_err;
    struct io_segment read[LIMIT_SLOTS];
    uint8_t *tail; /* the last bytes read, for the carry of the next segment */
    uint32_t tail_len;
    struct match_segment segments[LIMIT_SLOTS];
};

static bool scan_checks(const struct part_scanner *s)
{
    return !s->options.job->plan.hits_only;
}

enum err_code part_scanner_open(const struct part_scanner_options *options,
                                struct part_scanner **out, struct err *err)
{
    struct part_scanner *s = calloc(1, sizeof *s);
    enum err_code rc = ERR_OK;

    *out = NULL;
    if (s == NULL)
        return ERR_NO_MEMORY(err, sizeof *s);
    s->options = *options;
    s->how = options->job->how;
    s->slot_count = match_slot_count(options->matcher);
    s->keep = scan_checks(s) ? PLAN_BATCH / s->how->segment_len + 1 : 0;
    if (s->keep > s->slot_count - 2)
        s->keep = s->slot_count - 2;
    s->lookback.image = options->image;
    s->before_max = match_carry(options->matcher);
    if (options->known != NULL && known_scan_wants(options->known, true)) {
        rc = known_blocks_open(options->known, options->hasher, &s->blocks, err);
        if (rc == ERR_OK && known_blocks_before(s->blocks) > s->before_max)
            s->before_max = known_blocks_before(s->blocks);
    }
    s->before = malloc(s->before_max + 1u);
    s->tail = malloc(match_carry(options->matcher) + 1u);
    if (rc == ERR_OK && (s->before == NULL || s->tail == NULL))
        rc = ERR_NO_MEMORY(err, s->before_max);
    if (rc == ERR_OK)
        rc = plan_open(&options->job->plan, &s->lookback, &s->plan, err);
    if (rc == ERR_OK && options->texts)
        rc = text_teller_open(&s->teller, scan_text_sig(options->job), &s->lookback, err);
    if (rc == ERR_OK)
        *out = s;
    else
        part_scanner_close(s);
    return rc;
}

void part_scanner_close(struct part_scanner *s)
{
    if (s == NULL)
        return;
    part_scanner_end(s);
    known_blocks_close(s->blocks);
    free(s);
}

void part_scanner_end(struct part_scanner *s)
{
    io_reader_close(s->reader);
    s->reader = NULL;
    plan_close(s->plan);
    s->plan = NULL;
    text_teller_close(&s->teller);
    free(s->before);
    s->before = NULL;
    free(s->tail);
    s->tail = NULL;
}

const char *part_scanner_backend(const struct part_scanner *s)
{
    return s->backend;
}

uint64_t part_scanner_turn_len(const struct part_scanner *s)
{
    return (uint64_t)(s->slot_count - 1) * s->how->segment_len; /* one is for the look ahead */
}

uint32_t part_scanner_before(const struct part_scanner *s)
{
    return s->before_max;
}

const char *part_scanner_lost(const struct part_scanner *s)
{
    return s->blocks != NULL ? known_blocks_lost(s->blocks) : "";
}

static uint32_t scan_slot(const struct part_scanner *s, uint64_t counter)
{
    return (uint32_t)(counter % s->slot_count);
}

/* The bytes in front of the part, which were scanned with the part before. */
static enum err_code scan_before(struct part_scanner *s, struct err *err)
{
    const struct plan_part *place = &s->part->place;
    const uint64_t all = place->from - place->range_begin;
    const uint32_t len = all < s->before_max ? (uint32_t)all : s->before_max;
    const uint32_t carry = match_carry(s->options.matcher);
    enum err_code rc = ERR_OK;

    if (len > 0)
        rc = io_salvage_read(s->options.image, place->from - len, s->before, len, NULL, NULL, err);
    s->tail_len = len < carry ? len : carry;
    memcpy(s->tail, s->before + (len - s->tail_len), s->tail_len);
    if (s->blocks != NULL)
        known_blocks_begin(s->blocks, s->before, len);
    return rc;
}

static enum err_code scan_sums(struct part_scanner *s, struct err *err)
{
    const uint64_t len = s->end - s->part->place.from, segment = s->how->segment_len;
    const uint64_t reach = (len + segment - 1) / segment * segment;
    enum err_code rc = ERR_OK;

    if (s->part->sums != NULL && sums_reach(s->part->sums) < reach) {
        sums_close(s->part->sums);
        s->part->sums = NULL;
    }
    if (s->part->sums == NULL)
        rc = sums_open(&s->lookback, 1, s->how->segment_len, reach, &s->part->sums, err);
    if (rc != ERR_OK)
        return rc;
    sums_attach(s->part->sums, &s->lookback);
    sums_begin(s->part->sums, s->part->place.from);
    return ERR_OK;
}

static const char *scan_backend(const struct part_scanner *s)
{
    struct io_span span;

    if (s->how->io != NULL || !s->way.page_cache || !io_image_map(s->options.image, 0, &span))
        return s->how->io;
    return "cache";
}

static enum err_code scan_open_reader(struct part_scanner *s, struct part_way way, struct err *err)
{
    const struct io_range range = { s->part->place.from, s->end - s->part->place.from };

    const bool again = s->reader != NULL && s->way.page_cache == way.page_cache;

    s->way = way;
    if (again)
        return io_reader_again(s->reader, &range, 1, err);
    io_reader_close(s->reader);
    s->reader = NULL;
    const struct io_reader_options options = { .ranges = &range,
                                               .range_count = 1,
                                               .segment_len = s->how->segment_len,
                                               .depth = s->slot_count,
                                               .backend = scan_backend(s) };
    return io_reader_open(s->options.image, &options, &s->reader, err);
}

/* Image offset up to which a part is read. */
static uint64_t scan_reach(const struct plan_part *place)
{
    const uint64_t left = place->range_end - place->to;

    return place->to + (left < PLAN_LOOKAHEAD ? left : PLAN_LOOKAHEAD);
}

static enum err_code scan_begin(struct part_scanner *s, struct part *part, struct part_way way,
                                struct err *err)
{
    const struct plan_part *place = &part->place;

    assert(!way.in_turn || place->to - place->from <= part_scanner_turn_len(s));
    s->part = part;
    s->reads = true;
    s->lookback.wait = NULL;
    s->lent = s->submitted = s->collected = s->released = s->fetched = 0;
    s->all_lent = s->torn = false;
    s->fetch_rc = ERR_OK;
    s->end = scan_reach(place);
    s->begun_ns = clock_now(CLOCK_MONOTONIC);
    while (s->lookback.count > 0)
        lookback_pop(&s->lookback);

    enum err_code rc = scan_before(s, err);
    if (rc == ERR_OK && scan_checks(s))
        rc = scan_sums(s, err);
    if (rc == ERR_OK)
        rc = scan_open_reader(s, way, err);
    if (rc != ERR_OK)
        return rc;
    snprintf(s->backend, sizeof s->backend, "%s", io_reader_backend(s->reader));
    plan_begin(s->plan, place, &part->found, scan_checks(s) ? part->sums : NULL);
    if (s->options.texts)
        text_teller_begin(&s->teller, &part->texts, place->range_begin, place->range_end);
    return ERR_OK;
}

/* Lends every free slot to the reader. */
static enum err_code scan_lend(struct part_scanner *s, struct err *err)
{
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && !s->all_lent && s->lent - s->released < s->slot_count) {
        bool lent = false;

        rc = io_reader_lend(s->reader, match_slot_bytes(s->options.matcher, scan_slot(s, s->lent)),
                            NULL, &lent, err);
        s->all_lent = !lent;
        s->lent += lent;
    }
    return rc;
}

static void scan_waited(const struct part_scanner *s, uint64_t since_ns)
{
    atomic_fetch_add_explicit(s->options.waited_ns, clock_now(CLOCK_MONOTONIC) - since_ns,
                              memory_order_relaxed);
}

/* Others may read now. */
static void scan_has_read(struct part_scanner *s)
{
    if (s->reads)
        s->options.turns.done(s->options.turns.arg, s->part);
    s->reads = false;
}

/* Gets the oldest segment that was lent from the reader. */
static enum err_code scan_fetch(struct part_scanner *s, struct io_segment *out, struct err *err)
{
    const struct io_bad_range *bad;
    uint32_t count;
    const uint64_t since_ns = clock_now(CLOCK_MONOTONIC);
    enum err_code rc = io_reader_next(s->reader, out, err);

    scan_waited(s, since_ns);
    if (rc != ERR_OK)
        return rc;
    io_reader_bad_ranges(s->reader, &bad, &count);
    rc = part_add_bad(s->part, bad, count, err);
    if (rc == ERR_OK && s->options.hash != NULL)
        image_hash_put(s->options.hash, out->offset, out->bytes, out->len, bad, count);
    return rc;
}

/* Reads the whole part; and hashes it, before another part is read. */
static void scan_fill(struct part_scanner *s)
{
    const uint64_t since_ns = clock_now(CLOCK_MONOTONIC);

    io_reader_fill(s->reader);
    scan_waited(s, since_ns);
    while (s->options.hash != NULL && s->fetched < s->lent && s->fetch_rc == ERR_OK) {
        s->fetch_rc = scan_fetch(s, &s->read[scan_slot(s, s->fetched)], &s->fetch_err);
        s->fetched += s->fetch_rc == ERR_OK;
    }
    scan_has_read(s);
    s->lookback.wait = s->options.turns.wait;
    s->lookback.wait_arg = s->options.turns.arg;
}

/* Puts the bytes before the segment in front of it, and remembers its own last bytes for the next
 * one. */
static uint32_t scan_carry(struct part_scanner *s, const struct io_segment *read)
{
    const uint32_t carry = match_carry(s->options.matcher), len = s->tail_len;
    const uint32_t keep = len + read->len < carry ? len + read->len : carry;

    memcpy(read->bytes - len, s->tail, len);
    memcpy(s->tail, read->bytes + read->len - keep, keep);
    s->tail_len = keep;
    return len;
}

/* The oldest slot that was lent and not yet submitted. */
static enum err_code scan_read(struct part_scanner *s, struct io_segment *out, struct err *err)
{
    if (s->submitted < s->fetched) {
        *out = s->read[scan_slot(s, s->submitted)];
        return ERR_OK;
    }
    if (s->fetch_rc == ERR_OK)
        return scan_fetch(s, out, err);
    *err = s->fetch_err;
    return s->fetch_rc;
}

/* Marks the sectors of the part that may hold what file systems leave behind, and those that may
 * begin text. carry: the bytes of the image before the segment, in front of it. */
static enum err_code scan_sieve(const struct part_scanner *s, const struct io_segment *read,
                                uint32_t carry, struct err *err)
{
    struct part *part = s->part;
    const uint64_t from = part->place.from, to = part->place.to;
    enum err_code rc = ERR_OK;

    if (from % LIMIT_SECTOR != 0 || read->offset >= to)
        return ERR_OK;
    const size_t len = to - read->offset < read->len ? (size_t)(to - read->offset) : read->len;
    const size_t first = (size_t)((read->offset - from) / LIMIT_SECTOR);
    if (s->options.sieve)
        rc = part_room_marks(part, first + len / LIMIT_SECTOR, err);
    if (rc == ERR_OK && s->options.sieve) {
        part->mark_count = first + len / LIMIT_SECTOR;
        io_leftover_sieve(read->bytes, len, io_image_size(s->options.image), part->marks + first);
    }
    if (rc == ERR_OK && s->options.texts)
        rc = text_sieve(&part->texts, read->bytes, len, carry, read->offset, err);
    return rc;
}

/* Reads the oldest slot that was lent, and gives it to the matcher. */
static enum err_code scan_submit(struct part_scanner *s, struct err *err)
{
    const uint32_t slot = scan_slot(s, s->submitted);
    struct match_segment *segment = &s->segments[slot];
    struct io_segment read;
    enum err_code rc = scan_read(s, &read, err);

    s->submitted++;
    if (rc != ERR_OK)
        return rc;
    *segment =
        (struct match_segment){ .offset = read.offset,
                                .fresh_len = read.len,
                                .carry_len = scan_carry(s, &read),
                                .ends_range = read.offset + read.len == s->part->place.range_end };
    if (s->blocks != NULL)
        rc = known_blocks_look(s->blocks, slot, read.offset, read.bytes, read.len, &s->part->blocks,
                               err);
    if (rc == ERR_OK)
        rc = scan_sieve(s, &read, segment->carry_len, err);
    if (rc == ERR_OK)
        match_submit(s->options.matcher, slot, segment);
    return rc;
}

/* The oldest submitted segment has been searched: it joins the lookback. */
static enum err_code scan_advance(struct part_scanner *s, uint32_t slot, struct err *err)
{
    const struct match_segment *segment = &s->segments[slot];
    const uint8_t *bytes = match_slot_bytes(s->options.matcher, slot);
    enum err_code rc = ERR_OK;

    lookback_push(&s->lookback, &(struct lookback_segment){ .offset = segment->offset,
                                                            .len = segment->fresh_len,
                                                            .carry = segment->carry_len,
                                                            .bytes = bytes });
    s->collected++;
    atomic_fetch_add_explicit(s->options.bytes, segment->fresh_len, memory_order_relaxed);
    if (!scan_checks(s))
        return ERR_OK;
    sums_look(s->part->sums, 0, bytes, segment->fresh_len);
    rc = sums_collect(s->part->sums, 0, segment->fresh_len, err);
    return rc == ERR_OK ? plan_summed(s->plan, err) : rc;
}

/* Hands the planner all hits of a segment; the first piece of them is there. */
static enum err_code scan_plan(struct part_scanner *s, uint32_t slot, struct match_hits hits,
                               struct err *err)
{
    const struct match_segment *segment = &s->segments[slot];
    const uint64_t front = segment->offset + segment->fresh_len;
    const uint64_t carry = match_carry(s->options.matcher);
    enum err_code rc = ERR_OK;

    for (;;) {
        const uint64_t last = hits.count > 0 ? hits.items[hits.count - 1].offset : segment->offset;
        const uint64_t known = !hits.more ? front : last < carry ? 0 : last - carry;

        rc = part_sound_hits(s->part, &hits.items, &hits.count, err);
        if (rc == ERR_OK)
            rc = plan_hits(s->plan, hits.items, hits.count, known, front, err);
        if (rc != ERR_OK || !hits.more)
            break;
        rc = match_collect(s->options.matcher, slot, &hits, err);
        if (rc != ERR_OK)
            break;
    }
    return rc == ERR_OK ? plan_front(s->plan, front, err) : rc;
}

/* Collects the oldest submitted segment and lets the planner work behind it. */
static enum err_code scan_collect(struct part_scanner *s, struct err *err)
{
    const uint32_t slot = scan_slot(s, s->collected);
    const uint64_t offset = s->segments[slot].offset;
    struct match_hits hits;
    enum err_code rc = match_collect(s->options.matcher, slot, &hits, err);

    s->torn = rc == ERR_OK;
    if (rc == ERR_OK)
        rc = scan_advance(s, slot, err);
    if (rc == ERR_OK)
        rc = scan_plan(s, slot, hits, err);
    if (rc == ERR_OK && s->options.texts)
        rc = text_teller_on(&s->teller, err);
    if (rc == ERR_OK)
        s->torn = false;
    else
        err_while(err, "scanning at image offset %" PRIu64, offset);
    return rc;
}

/* Frees slots that validators no longer need in memory. */
static enum err_code scan_release(struct part_scanner *s, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (; rc == ERR_OK && s->collected - s->released > s->keep; s->released++) {
        rc = scan_checks(s) ? plan_leave(s->plan, lookback_oldest_end(&s->lookback), err) : ERR_OK;
        lookback_pop(&s->lookback);
    }
    return rc;
}

/* Whether the part should end here: it was stopped, holds much, or takes long. */
static bool scan_enough(const struct part_scanner *s)
{
    return atomic_load_explicit(s->options.stop, memory_order_relaxed) ||
           found_bytes(&s->part->found) > s->options.rows_max ||
           clock_now(CLOCK_MONOTONIC) - s->begun_ns > SCAN_TIME_MAX;
}

/* The place behind which no hit has been planned yet, if a part can end there; else where it was to
 * end. */
static uint64_t scan_cut(const struct part_scanner *s, uint64_t front)
{
    const struct plan_part *place = &s->part->place;
    const uint64_t cut = front < PLAN_LOOKAHEAD ? 0 : front - PLAN_LOOKAHEAD;

    return cut > place->from && cut < place->to && (cut - place->range_begin) % PART_ALIGN == 0
               ? cut
               : place->to;
}

/* Goes over the part. *to: where it ends; after an error 0, if it cannot end where that came. */
static enum err_code scan_loop(struct part_scanner *s, uint64_t *to, struct err *err)
{
    const uint64_t busy = match_beside(s->options.matcher) ? s->slot_count - s->keep : 1;
    uint64_t front = s->part->place.from;
    enum err_code rc = scan_lend(s, err);

    *to = s->part->place.to;
    if (rc == ERR_OK && s->way.in_turn)
        scan_fill(s);
    while (rc == ERR_OK && front < s->end && *to == s->part->place.to) {
        while (rc == ERR_OK && s->submitted < s->lent && s->submitted - s->collected < busy)
            rc = scan_submit(s, err);
        if (rc == ERR_OK)
            rc = scan_collect(s, err);
        if (rc != ERR_OK)
            break;
        const struct match_segment *segment = &s->segments[scan_slot(s, s->collected - 1)];
        front = segment->offset + segment->fresh_len;
        rc = scan_release(s, err);
        s->torn = rc != ERR_OK;
        if (rc == ERR_OK && front < s->end && scan_enough(s))
            *to = scan_cut(s, front);
        if (rc == ERR_OK && *to == s->part->place.to)
            rc = scan_lend(s, err);
    }
    if (rc != ERR_OK) {
        const uint64_t cut = s->torn ? s->part->place.to : scan_cut(s, front);

        *to = cut < s->part->place.to ? cut : 0;
    }
    return rc;
}

/* What is open at the end is written down, and then run to its verdicts. */
static enum err_code scan_tail(struct part_scanner *s, struct err *err)
{
    struct part *part = s->part;
    enum err_code rc = ERR_OK;

    if (!part->last && scan_checks(s)) {
        plan_begin(part->exit, &part->place, &part->found, NULL);
        rc = plan_copy(part->exit, s->plan, err);
        if (rc == ERR_OK)
            rc = plan_tail(s->plan, part->exit, PLAN_FAR, err);
    }
    return rc;
}

/* The bytes that what was found depends on: those that were searched, and those that validators
 * looked at. */
static struct io_range scan_looked(const struct part_scanner *s)
{
    const struct plan_part *place = &s->part->place;
    const uint64_t inside = place->from - place->range_begin;
    uint64_t from = place->from - (inside < s->before_max ? inside : s->before_max);
    uint64_t to = s->end;
    struct io_range looked[2];
    uint32_t count = plan_looked(s->plan, &looked[0]) ? 1 : 0;

    count += s->options.texts && text_teller_looked(&s->teller, &looked[count]) ? 1 : 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t end = looked[i].offset + looked[i].len;

        from = looked[i].offset < from ? looked[i].offset : from;
        to = end > to ? end : to;
    }
    return (struct io_range){ from, to - from };
}

/* Ends the part at image offset to. */
static enum err_code scan_end(struct part_scanner *s, uint64_t to, struct err *err)
{
    struct part *part = s->part;

    plan_end(s->plan, to);
    part->place.to = to;
    part->last = to == part->place.range_end;
    if (part->mark_count > (to - part->place.from) / LIMIT_SECTOR)
        part->mark_count = (size_t)((to - part->place.from) / LIMIT_SECTOR);
    text_starts_cut(&part->texts, to);
    part->own_count = part->found.object_count;
    const enum err_code rc = scan_tail(s, err);
    part->whole = rc == ERR_OK;
    part->totals = *plan_totals(s->plan);
    part->reread = plan_reread(s->plan) + s->teller.view.reread;
    part->looked = scan_looked(s);
    found_sort_sums(&part->found);
    return rc;
}

enum err_code part_scan(struct part_scanner *s, struct part *part, struct part_way way,
                        struct err *err)
{
    uint64_t to = 0;
    enum err_code rc = scan_begin(s, part, way, err);

    if (rc == ERR_OK)
        rc = scan_loop(s, &to, err);
    scan_has_read(s);
    if (rc == ERR_OK)
        rc = scan_end(s, to, err);
    else if (to != 0) /* what it has come to counts, if the verdicts can still be had */
        (void)!scan_end(s, to, NULL);
    match_drain(s->options.matcher);
    return rc;
}

/* The marks of sectors of zeros; none of them begins text. */
static enum err_code scan_hole_marks(const struct part_scanner *s, struct err *err)
{
    static const uint8_t zeros[LIMIT_SECTOR];
    struct part *part = s->part;
    const size_t count = (size_t)((part->place.to - part->place.from) / LIMIT_SECTOR);
    uint8_t mark = 0;

    if (part->place.from % LIMIT_SECTOR != 0)
        return ERR_OK;
    if (s->options.texts)
        text_sieve_zeros(&part->texts, part->place.from, part->place.to);
    if (!s->options.sieve)
        return ERR_OK;
    const enum err_code rc = part_room_marks(part, count + 1, err);
    if (rc != ERR_OK)
        return rc;
    io_leftover_sieve(zeros, sizeof zeros, io_image_size(s->options.image), &mark);
    memset(part->marks, mark, count);
    part->mark_count = count;
    return ERR_OK;
}

enum err_code part_scan_hole(struct part_scanner *s, struct part *part, struct err *err)
{
    const struct plan_part *place = &part->place;
    const uint64_t to = place->to;
    enum err_code rc = ERR_OK;

    s->part = part;
    s->end = scan_reach(place);
    while (s->lookback.count > 0)
        lookback_pop(&s->lookback);
    if (scan_checks(s)) {
        sums_close(part->sums);
        part->sums = NULL;
        rc = sums_blank(&s->lookback, place->from, to, &part->sums, err);
    }
    if (s->options.texts)
        text_teller_begin(&s->teller, &part->texts, place->range_begin, place->range_end);
    if (rc == ERR_OK)
        rc = scan_hole_marks(s, err);
    if (rc != ERR_OK)
        return rc;
    plan_begin(s->plan, place, &part->found, scan_checks(s) ? part->sums : NULL);
    rc = plan_front(s->plan, to, err);
    atomic_fetch_add_explicit(s->options.bytes, to - place->from, memory_order_relaxed);
    return rc == ERR_OK ? scan_end(s, to, err) : rc;
}

enum err_code part_scanner_silent(struct part_scanner *s, bool *silent, struct err *err)
{
    const uint32_t len = s->how->segment_len;
    const struct match_segment segment = { .fresh_len = len, .ends_range = true };
    struct match_hits hits = { 0 };

    memset(match_slot_bytes(s->options.matcher, 0), 0, len);
    match_submit(s->options.matcher, 0, &segment);
    const enum err_code rc = match_collect(s->options.matcher, 0, &hits, err);
    *silent = rc == ERR_OK && hits.count == 0 && !hits.more && len > 2 * s->before_max;
    match_drain(s->options.matcher);
    return rc;
}
