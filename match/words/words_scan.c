/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_scan.c - text through the steps of words.h; what all forms of the engine share.
 */
#include "base/uninitialized.h"
#include "match/words/words_cells.h"
#include "match/words/words_dense.h"

enum {
    WORDS_PROBE = 4096,       /* places that tell whether text is dense, */
    WORDS_STAY = 32768,       /* and how many, at first, to go on without another probe, */
    WORDS_STAY_MAX = 1 << 19, /* and when it was dense for long */
    WORDS_BATCH = 256,        /* candidates whose entries are fetched together */
    WORDS_BEFORE = WORDS_PAD, /* bytes before the last places of a text that its copy has */
    WORDS_LAST = WORDS_PAD + WORDS_STEP, /* places in the copy */
};

bool words_compare(const struct words_scan *scan, const struct words_entry *entry, uint32_t start)
{
    const struct match_text *text = scan->text;
    const uint32_t past = start + entry->len;
    struct match_sink *sink = scan->sink;

    if (!words_has_both(entry, text->bytes + start) || past <= scan->from || past > scan->to ||
        start < scan->first || start >= scan->past ||
        (entry->more && !words_equal(scan, entry, text->bytes + start)))
        return true;
    if (sink->count == sink->max)
        return false;
    sink->items[sink->count++] = (struct hit){ .offset = text->offset + start,
                                               .pattern = entry->pattern,
                                               .len = entry->len };
    return true;
}

/* The same for the entries behind a head at a place where patterns might begin before the text. */
static bool words_verify(const struct words_scan *scan, const struct words_group *group,
                         uint32_t place, uint32_t head)
{
    const struct words_entry *entry = &group->entries[head & WORDS_HEAD_FIRST];

    for (bool more = true; more; entry++) {
        more = !entry->ends;
        if (place >= entry->at && !words_compare(scan, entry, place - entry->at))
            return false;
    }
    return true;
}

/* The same for leads. */
static bool words_take_each(const struct words_scan *scan, const struct words_group *group,
                            const uint64_t *leads, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct words_entry *entry = &group->entries[leads[i] >> 32];

        if (!words_compare(scan, entry, (uint32_t)leads[i] - entry->at))
            return false;
    }
    return true;
}

/* Hits of those leads that are matches: both words of their entries are there. False when the sink
 * is full. */
static inline bool words_take(const struct words_scan *scan, const struct words_group *group,
                              const uint64_t *leads, uint32_t count)
{
    const struct match_text *text = scan->text;
    struct match_sink *sink = scan->sink;
    uint32_t found = sink->count;

    if (sink->max - found <= count)
        return words_take_each(scan, group, leads, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct words_entry *entry = &group->entries[leads[i] >> 32];
        const uint32_t start = (uint32_t)leads[i] - entry->at, past = start + entry->len;

        sink->items[found] = (struct hit){ .offset = text->offset + start,
                                           .pattern = entry->pattern,
                                           .len = entry->len };
        found += (uint32_t)(past > scan->from) & (uint32_t)(past <= scan->to) &
                 (uint32_t)(start >= scan->first) & (uint32_t)(start < scan->past) &
                 (uint32_t)(!entry->more || words_equal(scan, entry, text->bytes + start));
    }
    sink->count = found;
    return true;
}

/* Room for a batch: an entry in the upper half of a lead, a place of text in the lower. */
struct words_batch {
    uint32_t heads[WORDS_BATCH];
    uint64_t leads[WORDS_BATCH], next[WORDS_BATCH];
};

/*
 * Entries of up to WORDS_BATCH candidates, places of text from at on. What lies in far caches,
 * heads and then entries, is asked for in one loop and used in the next.
 */
static inline void words_lead(const struct words_group *group, const uint8_t *text, uint32_t at,
                              const uint16_t *places, uint32_t count, struct words_batch *batch)
{
    for (uint32_t i = 0; i < count; i++) {
        batch->heads[i] =
            (uint32_t)(words_hash(group, text + at + places[i]) >> group->heads_shift);
        __builtin_prefetch(&group->heads[batch->heads[i]]);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t head = group->heads[batch->heads[i]], entry = head & WORDS_HEAD_FIRST;

        batch->next[i] = (uint64_t)entry << 32 | (at + places[i]);
        __builtin_prefetch(&group->entries[entry]);
        __builtin_prefetch(&group->entries[entry + (head >> WORDS_HEAD_BITS)]);
    }
}

/*
 * Those of `count` leads in batch->next that have both words of their entries are batch->leads
 * then, and batch->next those whose hash has a further entry, with that one. No branch depends on
 * what is found: it would be guessed wrong where text is full of words that nearly match.
 */
static inline uint32_t words_sift(const struct words_group *group, const uint8_t *text,
                                  struct words_batch *batch, uint32_t *count)
{
    const uint32_t all = *count;
    uint32_t kept = 0, more = 0;

    for (uint32_t i = 0; i < all; i++) {
        const uint64_t lead = batch->next[i];
        const struct words_entry *entry = &group->entries[lead >> 32];

        batch->leads[kept] = lead;
        kept += words_has_both(entry, text + (uint32_t)lead - entry->at);
        batch->next[more] = lead + (UINT64_C(1) << 32);
        more += !entry->ends;
    }
    *count = more;
    return kept;
}

/* Candidates are places of text from at on. */
static bool words_candidates(const struct words_scan *scan, const struct words_group *group,
                             uint32_t at, const uint16_t *places, uint32_t count)
{
    const uint8_t *text = scan->text->bytes;
    struct words_batch batch UNINITIALIZED;
    uint32_t done = 0;

    for (; done < count && at + places[done] < LIMIT_PATTERN_LEN;
         done++) { /* a pattern might begin before the text */
        const uint64_t hash = words_hash(group, text + at + places[done]);

        if (!words_verify(scan, group, at + places[done], group->heads[hash >> group->heads_shift]))
            return false;
    }
    for (; done < count; done += WORDS_BATCH) {
        uint32_t next = count - done < WORDS_BATCH ? count - done : WORDS_BATCH;

        words_lead(group, text, at, places + done, next, &batch);
        while (next > 0) {
            const uint32_t kept = words_sift(group, text, &batch, &next);

            if (!words_take(scan, group, batch.leads, kept))
                return false;
        }
    }
    return true;
}

/* What the steps cost, for one program to be weighed against the other: tenths of a tick of 2.6
 * GHz, measured. */
enum { COST_PLACE = 3, COST_TWINS = 10, COST_LOOK = 32, COST_CANDIDATE = 270, COST_CELLS = 220 };

/* The matches of a group at places among the len from text `at` on; adds up what they cost. */
static bool words_found(const struct words_scan *scan, const struct words_group *group, uint32_t at,
                        uint32_t len, const uint16_t *places, struct words_counts found,
                        uint64_t *cost)
{
    uint32_t count = found.candidates;

    while (count > 0 && places[count - 1] >= len)
        count--;
    *cost += group->twins != NULL ? (uint64_t)len * COST_TWINS + (uint64_t)count * COST_CELLS
                                  : (uint64_t)len * COST_PLACE + (uint64_t)found.looks * COST_LOOK +
                                        (uint64_t)count * COST_CANDIDATE;
    return group->twins != NULL ? words_cells_take(scan, group, at, places, count)
                                : words_candidates(scan, group, at, places, count);
}

/* All matches whose fingerprint begins in [at, end); adds up what it costs. */
static bool words_run(const struct words_scan *scan, uint32_t at, uint32_t end, uint64_t *cost)
{
    const words_find_fn find = scan->program->form->find;
    uint16_t places[WORDS_BLOCK + WORDS_STEP] UNINITIALIZED;
    uint16_t rider_places[WORDS_BLOCK + WORDS_STEP] UNINITIALIZED;

    for (; at < end; at += WORDS_BLOCK) {
        const uint8_t *bytes = scan->text->bytes + at;
        const uint32_t len = end - at < WORDS_BLOCK ? end - at : WORDS_BLOCK;

        for (uint32_t g = 0; g < scan->program->group_count; g++) {
            const struct words_group *group = &scan->program->groups[g], *rider = group->rider;
            struct words_ridden ridden = { .places = rider_places };

            if (group->rides)
                continue;
            const struct words_counts found = find(
                group, bytes, (len + WORDS_STEP - 1) / WORDS_STEP * WORDS_STEP, places, &ridden);
            if (!words_found(scan, group, at, len, places, found, cost))
                return false;
            if (rider == NULL)
                continue;
            const struct words_counts beside = {
                words_filter(rider, bytes, rider_places, ridden.count), ridden.count
            };
            if (!words_found(scan, rider, at, len, rider_places, beside, cost))
                return false;
        }
    }
    return true;
}

/* How dense the text is in which a scan is. */
struct words_mood {
    const struct words_program *sparse;
    uint32_t begin;      /* of the text that may be looked at */
    uint32_t piece;      /* places to look at next */
    uint32_t stay, left; /* places to do with the dense program, and how many of them are left */
    uint64_t done, cost; /* places that it has done since, and what they cost */
};

/* The program to go on with at text `at`, behind a piece of so many places that cost so much. */
static const struct words_program *words_next(struct words_mood *mood,
                                              const struct words_scan *scan, uint32_t at,
                                              uint32_t len, uint64_t cost)
{
    if (scan->program != mood->sparse) { /* a probe now and then */
        mood->left -= len < mood->left ? len : mood->left;
        mood->done += len;
        mood->cost += cost;
        mood->piece = mood->left > 0 ? WORDS_BLOCK : WORDS_PROBE;
        return mood->left > 0 ? scan->program : mood->sparse;
    }
    const bool is_dense =
        mood->sparse->late != NULL && cost >= (uint64_t)len * mood->sparse->late->dense_cost;
    mood->piece = mood->piece < WORDS_BLOCK ? 2 * mood->piece : WORDS_BLOCK;
    if (is_dense && mood->done > 0)
        words_dense_judge(mood->sparse, mood->cost * len < cost * mood->done);
    mood->done = mood->cost = 0;
    if (!is_dense) {
        mood->stay = WORDS_STAY;
        return mood->sparse;
    }
    const struct words_sample sample = {
        .text = scan->text->bytes, .from = mood->begin, .at = at, .to = scan->text->len - WORDS_PAD
    };
    const struct words_program *const dense = words_dense_met(mood->sparse, len, &sample);
    if (dense == NULL)
        return mood->sparse;
    mood->left = mood->stay;
    mood->stay = mood->stay < WORDS_STAY_MAX ? 2 * mood->stay : WORDS_STAY_MAX;
    mood->piece = WORDS_BLOCK;
    return dense;
}

/*
 * All matches whose fingerprint begins in [at, end), with the program for the text there.
 * Fingerprints of the two are at different places of a pattern: where one program follows the
 * other, each reports the matches that begin on its side.
 */
static bool words_pieces(struct words_scan *scan, uint32_t at, uint32_t end)
{
    struct words_mood mood = {
        .sparse = scan->program, .begin = at, .piece = WORDS_PROBE, .stay = WORDS_STAY
    };

    while (at < end) {
        const uint32_t len = end - at < mood.piece ? end - at : mood.piece;
        uint64_t cost = 0;

        if (!words_run(scan, at, at + len, &cost))
            return false;
        at += len;
        const struct words_program *const next = words_next(&mood, scan, at, len, cost);
        if (next == scan->program || end - at <= scan->program->reach)
            continue;
        scan->past = at;
        if (!words_run(scan, at, at + scan->program->reach, &cost))
            return false;
        scan->first = at;
        scan->past = UINT32_MAX;
        scan->program = next;
    }
    return true;
}

/* The same behind the last place from which WORDS_PAD bytes can be read: in a copy with zeros
 * behind it, with the program of the place before. */
static bool words_run_last(const struct words_scan *scan, uint32_t at, uint32_t end)
{
    uint8_t copy[WORDS_BEFORE + WORDS_LAST + WORDS_PAD];
    const uint32_t shift = at > WORDS_BEFORE ? at - WORDS_BEFORE : 0;
    const struct match_text text = { .bytes = copy,
                                     .len = scan->text->len - shift,
                                     .offset = scan->text->offset + shift };
    struct words_scan last = *scan;
    uint64_t cost = 0;

    memcpy(copy, scan->text->bytes + shift, text.len);
    memset(copy + text.len, 0, sizeof copy - text.len);
    last.text = &text;
    last.from = scan->from > shift ? scan->from - shift : 0;
    last.to = scan->to - shift;
    last.first = scan->first > shift ? scan->first - shift : 0;
    return words_run(&last, at - shift, end - shift, &cost);
}

bool words_scan(const void *program, const struct match_text *text, uint32_t from, uint32_t to,
                struct match_sink *sink)
{
    const struct words_program *words = program;
    struct words_scan scan = {
        .program = words, .text = text, .from = from, .to = to, .past = UINT32_MAX, .sink = sink
    };
    const uint32_t before = words->longest > 0 ? words->longest - 1 : 0;
    const uint32_t begin =
        from > before ? from - before : 0; /* of the first match that can end in [from, to) */
    const uint32_t safe = text->len > WORDS_PAD ? text->len - WORDS_PAD : 0;
    const uint32_t limit = to < safe ? to : safe;
    /* What comes behind it begins an even number of places behind it: see words_group.couples */
    const uint32_t odd = limit < to ? (limit - begin) % 2 : 0;
    const uint32_t middle = limit > begin ? limit - odd : begin;
    const uint32_t found = sink->count;

    if (from >= to)
        return true;
    if ((begin < middle && !words_pieces(&scan, begin, middle)) ||
        (middle < to && !words_run_last(&scan, middle, to))) {
        sink->count = found;
        return false;
    }
    return true;
}
