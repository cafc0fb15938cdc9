/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_cells.c - see words_cells.h. */
#include <stdlib.h>
#include <sys/mman.h>

#include "base/uninitialized.h"
#include "match/words/words_cells.h"

enum {
    CELLS_TWINS_MIN =
        8, /* words, log 2: one for each byte, where fingerprints have no more in common */
    CELLS_TWINS_FIRST = 12, /* those that fit in the first cache: two for a fingerprint; else one
                               for two fingerprints */
    CELLS_HUGE_PAGE = 2 << 20,
};

/* Memory of zeros, in huge pages where it is large. */
static void *cells_room(size_t size)
{
    const size_t unit = size >= CELLS_HUGE_PAGE / 4 ? CELLS_HUGE_PAGE : sizeof(struct words_line);
    void *room = aligned_alloc(unit, (size + unit - 1) / unit * unit);

    if (room == NULL)
        return NULL;
    if (unit == CELLS_HUGE_PAGE)
        (void)madvise(room, size, MADV_HUGEPAGE);
    memset(room, 0, size);
    return room;
}

static uint32_t cells_log(uint32_t count)
{
    uint32_t log = 0;

    while (1u << log < count)
        log++;
    return log;
}

static bool cells_twins(struct words_group *group, const struct words_fingerprint *fingerprints,
                        uint32_t count)
{
    const uint32_t log = cells_log(count) + 1;
    uint32_t bits = log <= CELLS_TWINS_FIRST      ? log
                    : log - 2 > CELLS_TWINS_FIRST ? log - 2
                                                  : CELLS_TWINS_FIRST;

    bits = bits < CELLS_TWINS_MIN ? CELLS_TWINS_MIN : bits;
    group->twins = cells_room(sizeof *group->twins << bits);
    if (group->twins == NULL)
        return false;
    group->twins_shift = 64 - bits;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t odd = 0; odd < 2;
             odd++) { /* as the second of two, behind a byte that does not matter */
            const uint64_t both = fingerprints[i].bytes >> 8 * (WORDS_WORD - group->fingerprint)
                                                               << 8 * odd,
                           hash = words_twin_hash(group, both);
            const uint64_t byte = (odd ? both >> 8 * group->fingerprint : both) & 0xff;

            group->twins[hash >> group->twins_shift] |=
                (UINT64_C(1) << words_twin_first(byte, hash) | UINT64_C(1)
                                                                   << words_twin_second(byte, hash))
                << 32 * odd;
        }
    }
    return true;
}

/* The upper bits depend on all bytes of the fingerprint, which are the last ones. */
static inline uint64_t cells_hash(const struct words_group *group, uint64_t bytes)
{
    const uint32_t before = 8 * (WORDS_WORD - group->fingerprint);

    return (bytes >> before << before) * WORDS_TWIN_KEY;
}

static void cells_put(struct words_line *line, uint32_t cell,
                      const struct words_fingerprint *fingerprint)
{
    line->want[cell] = fingerprint->bytes >> fingerprint->cut;
    line->cuts[cell] = fingerprint->cut;
    line->refs[cell] = fingerprint->ref;
    line->at[cell] = fingerprint->at;
    line->whole = (uint8_t)(line->whole | (uint32_t)fingerprint->whole << cell);
}

/* Lines without patterns. */
static struct words_line *cells_lines(size_t count)
{
    struct words_line *lines = cells_room(count * sizeof *lines);

    for (size_t i = 0; lines != NULL && i < count * WORDS_CELLS;
         i++) { /* seven bytes are never that */
        lines[i / WORDS_CELLS].want[i % WORDS_CELLS] = UINT64_MAX;
        lines[i / WORDS_CELLS].cuts[i % WORDS_CELLS] = 8;
    }
    return lines;
}

bool words_cells_fill(struct words_group *group, const struct words_fingerprint *fingerprints,
                      uint32_t count)
{
    const uint32_t log = cells_log(count), bits = log > 0 ? log : 1;
    const size_t homes = (size_t)1 << bits;
    uint32_t *next = calloc(homes + 1, sizeof *next),
             *order = calloc(count + (size_t)1, sizeof *order);
    size_t at = 0, known = 0; /* the next cell; lines before this one are known to be full or not */

    group->lines_shift = 64 - bits;
    group->lines = cells_lines(homes + count / WORDS_CELLS + 1);
    if (next == NULL || order == NULL || group->lines == NULL ||
        !cells_twins(group, fingerprints, count)) {
        free(next);
        free(order);
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        next[(cells_hash(group, fingerprints[i].bytes) >> group->lines_shift) + 1]++;
    for (size_t h = 1; h <= homes; h++)
        next[h] += next[h - 1];
    for (uint32_t i = 0; i < count; i++)
        order[next[cells_hash(group, fingerprints[i].bytes) >> group->lines_shift]++] = i;
    for (uint32_t i = 0; i < count;
         i++) { /* by line; those that a full line has no room for go before those of the next */
        const struct words_fingerprint *fingerprint = &fingerprints[order[i]];
        const size_t home = cells_hash(group, fingerprint->bytes) >> group->lines_shift;

        at = at < home * WORDS_CELLS ? home * WORDS_CELLS : at;
        cells_put(&group->lines[at / WORDS_CELLS], at % WORDS_CELLS, fingerprint);
        for (known = known < home ? home : known; known < at / WORDS_CELLS; known++)
            group->lines[known].full = true;
        at++;
    }
    free(next);
    free(order);
    return true;
}

/* What the hits of a batch need. */
struct cells_hits {
    const struct words_scan *scan;
    const struct words_entry *entries[WORDS_GROUPS]; /* of the sparse program */
};

static inline const struct words_entry *cells_entry(const struct cells_hits *hits, uint64_t lead)
{
    const uint32_t ref = (uint32_t)(lead >> 32);

    return &hits->entries[ref >> WORDS_REF_BITS][ref & ((1u << WORDS_REF_BITS) - 1)];
}

/* Whether a match of text [start, past) is one to report: 1 or 0. */
static inline uint32_t cells_wanted(const struct words_scan *scan, uint32_t start, uint32_t past)
{
    return (uint32_t)(past - scan->from - 1 < scan->to - scan->from) &
           (uint32_t)(start - scan->first < scan->past - scan->first);
}

/* Hits of those found that are matches. No branch depends on which are: it would be guessed wrong.
 * False when the sink has not room for all. */
static bool cells_take(const struct cells_hits *hits, const struct words_found *found)
{
    const struct words_scan *const scan = hits->scan;
    const struct match_text *const text = scan->text;
    struct hit *out = scan->sink->items + scan->sink->count;

    if (scan->sink->max - scan->sink->count < found->count + found->whole_count + 1)
        return false;
    for (uint32_t i = 0; i < found->count; i++)
        __builtin_prefetch(cells_entry(hits, found->leads[i]));
    for (uint32_t i = 0; i < found->whole_count; i++) {
        const uint32_t start = (uint32_t)found->whole[i], ref = (uint32_t)(found->whole[i] >> 32);
        const uint32_t len = ref >> WORDS_WHOLE_BITS;

        *out = (struct hit){ .offset = text->offset + start,
                             .pattern = ref & ((1u << WORDS_WHOLE_BITS) - 1),
                             .len = len };
        out += cells_wanted(scan, start, start + len);
    }
    for (uint32_t i = 0; i < found->count; i++) {
        const struct words_entry *const entry = cells_entry(hits, found->leads[i]);
        const uint32_t start = (uint32_t)found->leads[i];

        *out = (struct hit){ .offset = text->offset + start,
                             .pattern = entry->pattern,
                             .len = entry->len };
        out += (uint32_t)words_has_both(entry, text->bytes + start) &
               cells_wanted(scan, start, start + entry->len) &
               (uint32_t)(!entry->more || words_equal(scan, entry, text->bytes + start));
    }
    scan->sink->count = (uint32_t)(out - scan->sink->items);
    return true;
}

/* The same one by one, with hardly any room. */
static bool cells_take_each(const struct cells_hits *hits, const struct words_found *found)
{
    const struct words_scan *const scan = hits->scan;
    struct match_sink *const sink = scan->sink;

    for (uint32_t i = 0; i < found->whole_count; i++) {
        const uint32_t start = (uint32_t)found->whole[i], ref = (uint32_t)(found->whole[i] >> 32);
        const uint32_t len = ref >> WORDS_WHOLE_BITS;

        if (!cells_wanted(scan, start, start + len))
            continue;
        if (sink->count == sink->max)
            return false;
        sink->items[sink->count++] = (struct hit){ .offset = scan->text->offset + start,
                                                   .pattern = ref & ((1u << WORDS_WHOLE_BITS) - 1),
                                                   .len = len };
    }
    for (uint32_t i = 0; i < found->count; i++)
        if (!words_compare(scan, cells_entry(hits, found->leads[i]), (uint32_t)found->leads[i]))
            return false;
    return true;
}

bool words_cells_take(const struct words_scan *scan, const struct words_group *group, uint32_t at,
                      const uint16_t *places, uint32_t count)
{
    const uint8_t *const ends = scan->text->bytes + group->fingerprint - WORDS_WORD;
    struct cells_hits hits = { .scan = scan };
    struct words_asked asked UNINITIALIZED;
    struct words_found found UNINITIALIZED;

    for (uint32_t g = 0; g < scan->program->sparse->group_count; g++)
        hits.entries[g] = scan->program->sparse->groups[g].entries;

    asked.count = 0;
    for (uint32_t done = 0;
         done < count ||
         asked.count > 0;) { /* places that are to be asked again go with new ones */
        for (; done < count && asked.count < WORDS_CELLS_BATCH; done++) {
            const uint32_t i = asked.count++, place = at + places[done];
            const uint64_t bytes = words_fold(words_load(ends + place), group->fold);

            asked.bytes[i] = bytes;
            asked.places[i] = place;
            asked.lines[i] = (uint32_t)(cells_hash(group, bytes) >> group->lines_shift);
            __builtin_prefetch(&group->lines[asked.lines[i]]);
        }
        scan->program->form->cells(group, &asked, &found);
        if (!cells_take(&hits, &found) && !cells_take_each(&hits, &found))
            return false;
    }
    return true;
}
