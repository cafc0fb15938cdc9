/* match/words_scan.c - text through the steps of words.h; what all forms of the engine share. */
#include "match/words.h"

enum {
    WORDS_BATCH = 256,                   /* candidates whose entries are fetched together */
    WORDS_BEFORE = WORDS_PAD,            /* bytes before the last places of a text that its copy has */
    WORDS_LAST = WORDS_PAD + WORDS_STEP, /* places in the copy */
};

/* What one call of scan works on. */
struct words_scan {
    const struct words_program *program;
    const struct match_text *text; /* WORDS_PAD bytes behind the last place may be read */
    uint32_t from, to;             /* last bytes of matches to report */
    struct match_sink *sink;
};

/* Whether the middle of a long pattern stands at text too. */
static bool words_equal(const struct words_scan *scan, const struct words_entry *entry, const uint8_t *text)
{
    const uint8_t *bytes = scan->program->rest + entry->rest, *masks = bytes + entry->len;

    for (uint32_t i = WORDS_WORD; i < entry->last;
         i += WORDS_WORD) { /* the last step overlaps the last word: no harm */
        if (((words_load(text + i) ^ words_load(bytes + i)) & words_load(masks + i)) != 0)
            return false;
    }
    return true;
}

/* Whether both words of an entry stand in text from there on. */
static inline bool words_has_both(const struct words_entry *entry, const uint8_t *text)
{
    return (((words_load(text) ^ entry->want[0]) & entry->mask[0]) |
            ((words_load(text + entry->last) ^ entry->want[1]) & entry->mask[1])) == 0;
}

/* A hit, if the entry's pattern stands at text[start]; false when the sink is full. */
static bool words_compare(const struct words_scan *scan, const struct words_entry *entry, uint32_t start)
{
    const struct match_text *text = scan->text;
    const uint32_t past = start + entry->len;
    struct match_sink *sink = scan->sink;

    if (!words_has_both(entry, text->bytes + start) || past <= scan->from || past > scan->to ||
        (entry->more && !words_equal(scan, entry, text->bytes + start)))
        return true;
    if (sink->count == sink->max)
        return false;
    sink->items[sink->count++] =
        (struct hit){ .offset = text->offset + start, .pattern = entry->pattern, .len = entry->len };
    return true;
}

/* The same for the entries behind a head at a place where patterns might begin before the text. */
static bool words_verify(const struct words_scan *scan, const struct words_group *group, uint32_t place, uint32_t head)
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
static bool words_take_each(const struct words_scan *scan, const struct words_group *group, const uint64_t *leads,
                            uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct words_entry *entry = &group->entries[leads[i] >> 32];

        if (!words_compare(scan, entry, (uint32_t)leads[i] - entry->at))
            return false;
    }
    return true;
}

/* Hits of those leads that are matches: both words of their entries are there. False when the sink is full. */
static inline bool words_take(const struct words_scan *scan, const struct words_group *group, const uint64_t *leads,
                              uint32_t count)
{
    const struct match_text *text = scan->text;
    struct match_sink *sink = scan->sink;
    uint32_t found = sink->count;

    if (sink->max - found <= count)
        return words_take_each(scan, group, leads, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct words_entry *entry = &group->entries[leads[i] >> 32];
        const uint32_t start = (uint32_t)leads[i] - entry->at, past = start + entry->len;

        sink->items[found] =
            (struct hit){ .offset = text->offset + start, .pattern = entry->pattern, .len = entry->len };
        found += (uint32_t)(past > scan->from) & (uint32_t)(past <= scan->to) &
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
 * Entries of up to WORDS_BATCH candidates, places of text from at on. What lies in far caches, heads and then entries, is asked for in one loop and
 * used in the next.
 */
static inline void words_lead(const struct words_group *group, const uint8_t *text, uint32_t at, const uint16_t *places,
                              uint32_t count, struct words_batch *batch)
{
    for (uint32_t i = 0; i < count; i++) {
        batch->heads[i] = (uint32_t)(words_hash(group, text + at + places[i]) >> group->heads_shift);
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
 * Those of `count` leads in batch->next that have both words of their entries are batch->leads then, and batch->next those whose hash has a further
 * entry, with that one. No branch depends on what is found: it would be guessed wrong where text is full of words that nearly match.
 */
static inline uint32_t words_sift(const struct words_group *group, const uint8_t *text, struct words_batch *batch,
                                  uint32_t *count)
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
static bool words_candidates(const struct words_scan *scan, const struct words_group *group, uint32_t at,
                             const uint16_t *places, uint32_t count)
{
    const uint8_t *text = scan->text->bytes;
    struct words_batch batch;
    uint32_t done = 0;

    for (; done < count && at + places[done] < LIMIT_PATTERN_LEN; done++) { /* a pattern might begin before the text */
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

/* All matches whose window begins in [at, end). */
static bool words_run(const struct words_scan *scan, uint32_t at, uint32_t end)
{
    const words_find_fn find = scan->program->form->find;
    uint16_t places[WORDS_BLOCK + WORDS_STEP];

    for (; at < end; at += WORDS_BLOCK) {
        const uint8_t *bytes = scan->text->bytes + at;
        const uint32_t len = end - at < WORDS_BLOCK ? end - at : WORDS_BLOCK;

        for (uint32_t g = 0; g < scan->program->group_count; g++) {
            const struct words_group *group = &scan->program->groups[g];
            uint32_t count = find(group, bytes, (len + WORDS_STEP - 1) / WORDS_STEP * WORDS_STEP, places);

            while (count > 0 && places[count - 1] >= len)
                count--;
            if (!words_candidates(scan, group, at, places, count))
                return false;
        }
    }
    return true;
}

/* The same behind the last place from which WORDS_PAD bytes can be read: in a copy with zeros behind it. */
static bool words_run_last(const struct words_scan *scan, uint32_t at, uint32_t end)
{
    uint8_t copy[WORDS_BEFORE + WORDS_LAST + WORDS_PAD];
    const uint32_t shift = at > WORDS_BEFORE ? at - WORDS_BEFORE : 0;
    const struct match_text text = { .bytes = copy,
                                     .len = scan->text->len - shift,
                                     .offset = scan->text->offset + shift };
    struct words_scan last = *scan;

    memcpy(copy, scan->text->bytes + shift, text.len);
    memset(copy + text.len, 0, sizeof copy - text.len);
    last.text = &text;
    last.from = scan->from > shift ? scan->from - shift : 0;
    last.to = scan->to - shift;
    return words_run(&last, at - shift, end - shift);
}

bool words_scan(const void *program, const struct match_text *text, uint32_t from, uint32_t to, struct match_sink *sink)
{
    const struct words_program *words = program;
    const struct words_scan scan = { .program = words, .text = text, .from = from, .to = to, .sink = sink };
    const uint32_t before = words->longest > 0 ? words->longest - 1 : 0;
    const uint32_t begin = from > before ? from - before : 0; /* of the first match that can end in [from, to) */
    const uint32_t safe = text->len > WORDS_PAD ? text->len - WORDS_PAD : 0;
    const uint32_t limit = to < safe ? to : safe;
    const uint32_t middle = limit > begin ? limit : begin;
    const uint32_t found = sink->count;

    if (from >= to)
        return true;
    if ((begin < middle && !words_run(&scan, begin, middle)) || (middle < to && !words_run_last(&scan, middle, to))) {
        sink->count = found;
        return false;
    }
    return true;
}
