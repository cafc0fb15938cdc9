/* SPDX-License-Identifier: Apache-2.0
 * match/shift_and/filter_build.c - see filter_build.h: the filter of qgrams that are chosen
 * (filter_choose.c) and assigned (filter_assign.c). */
#include <stdlib.h>
#include <string.h>

#include "match/shift_and/filter_build.h"
#include "match/shift_and/filter_parts.h"

static struct filter_entry build_entry(const struct match_pattern *pattern,
                                       const struct filter_qgram *qgram)
{
    const bool behind = pattern->len - qgram->end > qgram->end - FILTER_DEPTH;
    struct filter_entry entry = { .value = qgram->value,
                                  .mask = qgram->mask,
                                  .what = qgram->pattern << 8 | pattern->len,
                                  .end = qgram->end };

    if (qgram->listed)
        return entry;
    filter_word(pattern, (int32_t)qgram->end - (behind ? 0 : 2 * FILTER_DEPTH), &entry.value,
                &entry.mask);
    entry.end |= behind ? (uint32_t)FILTER_BEHIND : 0;
    return entry;
}

/* Listed qgrams by bucket, then the others by their key. */
static int build_by_place(const void *a, const void *b)
{
    const struct filter_qgram *x = a, *y = b;
    const uint32_t u = x->listed ? x->bucket : filter_key(x->value);
    const uint32_t v = y->listed ? y->bucket : filter_key(y->value);

    if (x->listed != y->listed)
        return x->listed ? -1 : 1;
    if (u != v)
        return u < v ? -1 : 1;
    return x->pattern < y->pattern ? -1 : 1;
}

static void build_table(const struct filter_build *build, struct filter *filter)
{
    for (uint32_t byte = 0; byte < 256; byte++)
        for (uint32_t i = 0; i < FILTER_BUCKETS; i++)
            for (uint32_t place = 0; place < FILTER_DEPTH; place++)
                if (build->buckets[i].takes[place][byte] > 0)
                    filter->table[byte] |= 1u << (place * FILTER_BUCKETS + i);
}

static void build_entries(const struct filter_build *build, struct filter *filter)
{
    struct filter_entry *entries = (struct filter_entry *)(filter + 1);
    struct filter_slot *slots = (struct filter_slot *)(entries + build->count);
    const uint32_t mask = (1u << filter->slot_bits) - 1;
    struct filter_slot *last = NULL;

    for (uint32_t i = 0; i < build->count; i++) {
        const struct filter_qgram *qgram = &build->qgrams[i];
        const uint32_t key = filter_key(qgram->value);

        entries[i] = build_entry(match_dictionary_get(build->dictionary, qgram->pattern), qgram);
        if (qgram->listed) {
            for (uint32_t b = qgram->bucket + 1; b <= FILTER_BUCKETS; b++)
                filter->first[b]++;
            continue;
        }
        if (last == NULL || last->key != key) {
            uint32_t at = filter_hash(key, filter->slot_bits);

            while (slots[at].count > 0)
                at = (at + 1) & mask;
            last = &slots[at];
            *last = (struct filter_slot){ .key = key, .first = i };
        }
        last->count++;
    }
}

static enum err_code build_write(struct filter_build *build, struct filter **out, size_t *size,
                                 struct err *err)
{
    uint32_t bits = 4;

    while ((1u << bits) < 2 * build->count)
        bits++;
    *size = sizeof **out + build->count * sizeof(struct filter_entry) +
            sizeof(struct filter_slot) * (1u << bits);
    *out = calloc(1, *size);
    if (*out == NULL)
        return ERR_NO_MEMORY(err, *size);
    (*out)->entry_count = build->count;
    (*out)->slot_bits = bits;
    qsort(build->qgrams, build->count, sizeof *build->qgrams, build_by_place);
    build_table(build, *out);
    build_entries(build, *out);
    return ERR_OK;
}

enum err_code filter_build(const struct match_dictionary *dictionary, const bool *skip,
                           struct filter **out, size_t *size, struct err *err)
{
    const uint32_t patterns = match_dictionary_count(dictionary);
    struct filter_build *build = calloc(1, sizeof *build);
    struct filter_qgram *qgrams = calloc(patterns + 1, sizeof *qgrams);
    enum err_code rc = ERR_OK;

    *out = NULL;
    if (build == NULL || qgrams == NULL) {
        rc = ERR_NO_MEMORY(err, sizeof *build + (patterns + 1) * sizeof *qgrams);
    } else {
        build->dictionary = dictionary;
        build->qgrams = qgrams;
        filter_weigh(build);
        for (uint32_t i = 0; i < patterns; i++)
            if (match_dictionary_get(dictionary, i)->kind == MATCH_LITERAL && !skip[i])
                filter_choose_qgram(build, i, &qgrams[build->count++]);
        filter_assign(build);
        rc = build_write(build, out, size, err);
    }
    free(qgrams);
    free(build);
    return rc;
}
