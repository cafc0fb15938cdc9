/* match/words_build.c - a dictionary into the tables of words.h. */
#include <stdlib.h>
#include <sys/mman.h>

#include "match/literals.h"
#include "match/words_choose.h"
#include "match/words_sets.h"
#include "match/words_sieve.h"

enum {
    BUILD_ENTRIES_MAX = 1 << 22, /* 256 MiB */
    BUILD_BITMAP_FIRST = 18,     /* bits, log 2: fits in the first cache */
    BUILD_BITMAP_SECOND = 21,    /* in the second, with room for other things */
    BUILD_BITMAP_SPARSE = 5,     /* a bit in so many is set, log 2; with room in the first cache, two more */
    BUILD_SECOND_SPARSE = 4,
    BUILD_SECOND_COUNT = 1 << 12, /* windows: fewer leave a bitmap empty enough that is in the first cache */
    BUILD_HEADS_FIRST = 14,       /* with so many there is room for two more: hardly two windows have the same */
    BUILD_HEADS_BITS = 20,
    BUILD_MAP_MAX = 8000,   /* windows: more would fill the map; */
    BUILD_MAP_FEW = 1000,   /* for fewer than these it is */
    BUILD_MAP_BITS = 14,    /* hashes, log 2, else twice as many: it fits in the first cache */
    BUILD_SIEVE_MIN = 64,   /* windows: the sets of fewer are sharp enough, */
    BUILD_SIEVE_MAX = 6000, /* and of more let nearly all through */
    BUILD_LINE = 64,
    BUILD_HUGE_PAGE = 2 << 20,
};

static const uint64_t build_keys[2] = { 0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu }; /* odd, of no pattern */

struct build {
    const struct match_dictionary *dictionary;
    struct words_program *program;
    struct words_picks picks;
    uint32_t rest_used;
};

/* One window of one pattern of a group. */
struct build_item {
    uint64_t hash;
    uint32_t pick;
};

struct build_items {
    struct build_item *items;
    uint64_t *starts;
    uint32_t count, max;
};

static uint32_t build_log(uint32_t count)
{
    uint32_t log = 0;

    while (1u << log < count)
        log++;
    return log;
}

static void build_entry(struct build *build, const struct words_pick *pick, uint32_t rest, struct words_entry *entry)
{
    const struct match_pattern *pattern = match_dictionary_get(build->dictionary, pick->pattern);
    const uint32_t len = pattern->len, last = len > WORDS_WORD ? len - WORDS_WORD : 0;

    *entry = (struct words_entry){ .pattern = pick->pattern,
                                   .len = (uint8_t)len,
                                   .at = pick->at,
                                   .last = (uint8_t)last,
                                   .more = len > 2 * WORDS_WORD,
                                   .rest = rest };
    for (uint32_t i = 0; i < WORDS_WORD && i < len; i++) {
        entry->want[0] |= (uint64_t)pattern->bytes[i] << 8 * i;
        entry->mask[0] |= (uint64_t)match_pattern_mask(pattern, i) << 8 * i;
        if (last > 0) {
            entry->want[1] |= (uint64_t)pattern->bytes[last + i] << 8 * i;
            entry->mask[1] |= (uint64_t)match_pattern_mask(pattern, last + i) << 8 * i;
        }
    }
}

/* Where the bytes and masks of a long pattern are in program.rest; 0 for others. */
static uint32_t build_rest(struct build *build, const struct match_pattern *pattern)
{
    const uint32_t at = build->rest_used;
    uint8_t *rest = build->program->rest + at;

    if (pattern->len <= 2 * WORDS_WORD)
        return 0;
    for (uint32_t i = 0; i < pattern->len; i++) {
        rest[i] = pattern->bytes[i];
        rest[pattern->len + i] = match_pattern_mask(pattern, i);
    }
    build->rest_used += 2 * pattern->len;
    return at;
}

static enum err_code build_item_add(struct build_items *items, struct build_item item, uint64_t start, struct err *err)
{
    if (items->count == items->max) {
        const uint32_t max = items->max * 2 + 256;
        struct build_item *grown =
            max <= 2 * BUILD_ENTRIES_MAX + 256 ? realloc(items->items, max * sizeof *grown) : NULL;

        if (grown != NULL)
            items->items = grown;
        uint64_t *starts = grown != NULL ? realloc(items->starts, max * sizeof *starts) : NULL;
        if (starts == NULL)
            return ERR_NO_MEMORY(err, max * (sizeof *grown + sizeof *starts));
        items->starts = starts;
        items->max = max;
    }
    if (items->count == BUILD_ENTRIES_MAX)
        return ERR_RAISE(err, ERR_FULL, "masks leave the patterns more than %d windows; split the dictionary",
                         BUILD_ENTRIES_MAX);
    items->starts[items->count] = start;
    items->items[items->count++] = item;
    return ERR_OK;
}

/* The window of a pick, or of one with a masked byte each that it stands for. */
static enum err_code build_item(const struct build *build, const struct words_group *group, uint32_t pick_index,
                                struct build_items *items, struct err *err)
{
    const struct words_pick *pick = &build->picks.items[pick_index];
    const struct match_pattern *pattern = match_dictionary_get(build->dictionary, pick->pattern);
    uint8_t window[WORDS_WINDOW + WORDS_WORD] = { 0 };
    uint64_t start = 0;

    if (pick->run > 0) {
        memcpy(window, pattern->bytes + pick->at, pick->window);
        for (uint32_t i = 0; i < group->depth; i++)
            start = start << 8 | words_fold(window[i], group->fold);
        return build_item_add(items, (struct build_item){ words_hash(group, window), pick_index }, start, err);
    }
    const uint8_t mask = match_pattern_mask(pattern, pick->at), byte = pattern->bytes[pick->at];
    bool taken[256] = { false };
    enum err_code rc = ERR_OK;
    for (uint32_t value = 0; value < 256; value++)
        if (((value ^ byte) & mask) == 0)
            taken[words_fold(value, group->fold)] = true;
    for (uint32_t value = 0; value < 256 && rc == ERR_OK; value++) {
        window[0] = (uint8_t)value;
        if (taken[value])
            rc = build_item_add(items, (struct build_item){ words_hash(group, window), pick_index }, value, err);
    }
    return rc;
}

/* The map of the windows in items, if it is of use. */
static enum err_code build_map(const struct words_form *form, struct words_group *group,
                               const struct build_items *items, struct err *err)
{
    const uint32_t bits = BUILD_MAP_BITS + (items->count >= BUILD_MAP_FEW);

    if (!form->map || group->window < 3 || items->count > BUILD_MAP_MAX)
        return ERR_OK;
    group->map_shift = 64 - bits;
    group->map = calloc(1, (size_t)1 << bits);
    if (group->map == NULL)
        return ERR_NO_MEMORY(err, (size_t)1 << bits);
    for (uint32_t i = 0; i < items->count; i++)
        group->map[items->items[i].hash >> group->map_shift] = 1;
    return ERR_OK;
}

/*
 * Room for the tables of a group, of zeros: text that is full of words is looked up all over them, so they lie together, in huge pages where
 * they are large.
 */
static enum err_code build_room(struct words_group *group, uint32_t entries, size_t bitmap, size_t second, size_t heads,
                                struct err *err)
{
    const size_t heads_at = (bitmap + second + BUILD_LINE - 1) / BUILD_LINE * BUILD_LINE;
    const size_t entries_at = (heads_at + heads + BUILD_LINE - 1) / BUILD_LINE * BUILD_LINE;
    const size_t all =
        entries_at + (entries + (size_t)1) * sizeof *group->entries; /* and one that is asked for ahead */
    const size_t unit = all >= BUILD_HUGE_PAGE ? BUILD_HUGE_PAGE : BUILD_LINE, size = (all + unit - 1) / unit * unit;
    uint8_t *tables = aligned_alloc(unit, size);

    if (tables == NULL)
        return ERR_NO_MEMORY(err, size);
    if (unit == BUILD_HUGE_PAGE)
        (void)madvise(tables, size, MADV_HUGEPAGE);
    memset(tables, 0, size);
    group->tables = tables;
    group->bitmap = (uint64_t *)(void *)tables;
    group->second = second > 0 ? (uint64_t *)(void *)(tables + bitmap) : NULL;
    group->heads = (uint32_t *)(void *)(tables + heads_at);
    group->entries = (struct words_entry *)(void *)(tables + entries_at);
    return ERR_OK;
}

/* Bitmap, heads and entries of the windows in items. */
static enum err_code build_tables(struct build *build, struct words_group *group, const struct build_items *items,
                                  const uint32_t *rests, struct err *err)
{
    const uint32_t log = build_log(items->count), all = 8 * (group->window < 2 ? 1 : 2);
    const bool is_doubted = items->count > BUILD_SECOND_COUNT && group->window > 2;
    uint32_t bits = log + BUILD_BITMAP_SPARSE, heads = log + 1;

    if (bits < BUILD_BITMAP_FIRST)
        bits = bits + 2 < BUILD_BITMAP_FIRST ? bits + 2 : BUILD_BITMAP_FIRST;
    bits = bits < all ? all : bits > BUILD_BITMAP_SECOND ? BUILD_BITMAP_SECOND : bits;
    if (heads < BUILD_HEADS_FIRST)
        heads = heads + 2 < BUILD_HEADS_FIRST ? heads + 2 : BUILD_HEADS_FIRST;
    heads = heads < 8 ? 8 : heads > BUILD_HEADS_BITS ? BUILD_HEADS_BITS : heads; /* never more than of the bitmap */
    group->bitmap_shift = 64 - bits;
    group->heads_shift = 64 - heads;
    group->second_shift = 64 - log - BUILD_SECOND_SPARSE;
    const enum err_code rc = build_room(group, items->count, ((size_t)1 << bits) / 8,
                                        is_doubted ? ((size_t)1 << (log + BUILD_SECOND_SPARSE)) / 8 : 0,
                                        (((size_t)1 << heads) + 2) * sizeof *group->heads, err);
    if (rc != ERR_OK)
        return rc;
    for (uint32_t i = 0; i < items->count; i++) {
        const uint64_t bit = items->items[i].hash >> group->bitmap_shift;

        group->bitmap[bit / 64] |= (uint64_t)1 << bit % 64;
        group->heads[(items->items[i].hash >> group->heads_shift) + 2]++;
        if (group->second != NULL) {
            const uint64_t other = items->items[i].hash * WORDS_SECOND >> group->second_shift;

            group->second[other / 64] |= (uint64_t)1 << other % 64;
        }
    }
    for (size_t h = 2; h < ((size_t)1 << heads) + 2; h++)
        group->heads[h] += group->heads[h - 1];
    for (uint32_t i = 0; i < items->count; i++) { /* each hash's place moves on to where it ends */
        uint32_t *place = &group->heads[(items->items[i].hash >> group->heads_shift) + 1];

        const uint32_t pick = items->items[i].pick;
        build_entry(build, &build->picks.items[pick], rests[pick], &group->entries[(*place)++]);
    }
    for (size_t h = 0; h < (size_t)1 << heads; h++) {
        const uint32_t first = group->heads[h], past = group->heads[h + 1];

        if (first < past)
            group->entries[past - 1].ends = true;
        group->heads[h] |= past > first + 1 ? WORDS_HEAD_SEVERAL : 0;
    }
    return ERR_OK;
}

/* Of picks [first, past), which have windows of one length. */
static enum err_code build_group(struct build *build, uint32_t first, uint32_t past, const uint32_t *rests,
                                 struct err *err)
{
    struct words_group *group = &build->program->groups[build->program->group_count++];
    struct build_items items = { 0 };
    enum err_code rc = ERR_OK;

    group->window = build->picks.items[first].window;
    group->depth = group->window < WORDS_DEPTH ? group->window : WORDS_DEPTH;
    for (uint32_t i = first; i < past; i++)
        if (match_dictionary_get(build->dictionary, build->picks.items[i].pattern)->fold_case)
            group->fold = 0x2020202020202020u;
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t behind = (i + 1) * WORDS_WORD > group->window ? (i + 1) * WORDS_WORD - group->window : 0;
        group->key[i] = behind < WORDS_WORD ? build_keys[i] << 8 * behind : 0;
    }
    if (build->program->form->pairs) {
        group->pairs = calloc(1, WORDS_PAIRS);
        if (group->pairs == NULL)
            rc = ERR_NO_MEMORY(err, WORDS_PAIRS);
    }
    for (uint32_t i = first; i < past && rc == ERR_OK; i++)
        rc = build_item(build, group, i, &items, err);
    if (rc == ERR_OK)
        rc = build_tables(build, group, &items, rests, err);
    if (rc == ERR_OK)
        rc = build_map(build->program->form, group, &items, err);
    if (rc == ERR_OK)
        rc = words_sets_fill(group, items.starts, items.count, err);
    if (rc == ERR_OK && build->program->form->sieve && group->depth >= WORDS_SIEVE_DEPTH &&
        items.count > BUILD_SIEVE_MIN && items.count < BUILD_SIEVE_MAX &&
        !words_sieve_fill(group, items.starts, items.count))
        rc = ERR_NO_MEMORY(err, sizeof *group->sieve);
    free(items.items);
    free(items.starts);
    return rc;
}

static enum err_code build_groups(struct build *build, struct err *err)
{
    const struct words_picks *picks = &build->picks;
    uint32_t *rests = calloc(picks->count + 1, sizeof *rests);
    size_t rest = 1;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < picks->count; i++)
        rest += 2 * match_dictionary_get(build->dictionary, picks->items[i].pattern)->len;
    build->program->rest = malloc(rest);
    if (rests == NULL || build->program->rest == NULL) {
        free(rests);
        return ERR_NO_MEMORY(err, rest);
    }
    for (uint32_t i = 0; i < picks->count; i++) {
        const struct match_pattern *pattern = match_dictionary_get(build->dictionary, picks->items[i].pattern);

        rests[i] = build_rest(build, pattern);
        if (pattern->len > build->program->longest)
            build->program->longest = pattern->len;
    }
    for (uint32_t first = 0, past; first < picks->count && rc == ERR_OK; first = past) {
        for (past = first + 1; past < picks->count && picks->items[past].window == picks->items[first].window; past++)
            ;
        rc = build_group(build, first, past, rests, err);
    }
    free(rests);
    return rc;
}

enum err_code words_build(const struct match_dictionary *dictionary, const struct words_form *form,
                          struct words_program **out, struct err *err)
{
    struct build build = { .dictionary = dictionary };

    *out = NULL;
    build.program = calloc(1, sizeof *build.program);
    if (build.program == NULL)
        return ERR_NO_MEMORY(err, sizeof *build.program);
    build.program->form = form;
    enum err_code rc = words_choose(dictionary, form, &build.picks, err);
    if (rc == ERR_OK)
        rc = build_groups(&build, err);
    free(build.picks.items);
    if (rc != ERR_OK)
        words_destroy(build.program);
    else
        *out = build.program;
    return rc;
}

bool words_suits(const struct match_dictionary *dictionary)
{
    uint64_t windows = 0;

    for (uint32_t i = 0; i < match_dictionary_count(dictionary); i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);
        uint32_t most = pattern->mask == NULL ? 8 : 0;

        for (uint32_t k = 0; k < pattern->len && most < 8; k++) {
            const uint32_t bits = (uint32_t)__builtin_popcount(pattern->mask[k]);
            most = bits > most ? bits : most;
        }
        windows += pattern->kind == MATCH_LITERAL ? 2u << (8 - most) : 0;
    }
    return windows <= BUILD_ENTRIES_MAX;
}

void words_destroy(struct words_program *program)
{
    if (program == NULL)
        return;
    for (uint32_t g = 0; g < program->group_count; g++) {
        free(program->groups[g].tables);
        free(program->groups[g].pairs);
        free(program->groups[g].map);
        free(program->groups[g].sieve);
    }
    free(program->rest);
    free(program);
}
