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

/* A candidate on its way to the comparison. */
struct words_candidate {
    uint32_t place, first, past; /* entries[first, past) */
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

/* Compares the entries of a candidate; false when the sink is full. */
static inline bool words_verify(const struct words_scan *scan, const struct words_group *group,
                                const struct words_candidate *candidate)
{
    const struct match_text *text = scan->text;
    struct match_sink *sink = scan->sink;

    for (uint32_t i = candidate->first; i < candidate->past; i++) {
        const struct words_entry *entry = &group->entries[i];
        const uint32_t start = candidate->place - entry->at, past = start + entry->len;

        if (candidate->place < entry->at)
            continue;
        const uint8_t *bytes = text->bytes + start;
        if ((((words_load(bytes) ^ entry->want[0]) & entry->mask[0]) |
             ((words_load(bytes + entry->last) ^ entry->want[1]) & entry->mask[1])) != 0)
            continue;
        if (past <= scan->from || past > scan->to || (entry->more && !words_equal(scan, entry, bytes)))
            continue;
        if (sink->count == sink->max)
            return false;
        sink->items[sink->count++] =
            (struct hit){ .offset = text->offset + start, .pattern = entry->pattern, .len = entry->len };
    }
    return true;
}

/* Candidates are places of text from at on. */
static bool words_candidates(const struct words_scan *scan, const struct words_group *group, uint32_t at,
                             const uint16_t *places, uint32_t count)
{
    const uint8_t *bytes = scan->text->bytes + at;
    struct words_candidate batch[WORDS_BATCH];

    for (uint32_t done = 0; done < count; done += WORDS_BATCH) {
        const uint32_t here = count - done < WORDS_BATCH ? count - done : WORDS_BATCH;

        for (uint32_t i = 0; i < here; i++) {
            const uint32_t place = places[done + i];
            const uint64_t hash = words_hash(group, bytes + place) >> group->heads_shift;

            batch[i] = (struct words_candidate){ at + place, group->heads[hash], group->heads[hash + 1] };
            __builtin_prefetch(&group->entries[batch[i].first]);
        }
        for (uint32_t i = 0; i < here; i++)
            if (!words_verify(scan, group, &batch[i]))
                return false;
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
