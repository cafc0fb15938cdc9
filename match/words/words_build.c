/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_build.c - a dictionary into the tables of words.h. */
#include <stdlib.h>

#include "match/pattern/literals.h"
#include "match/words/words_choose.h"
#include "match/words/words_couples.h"
#include "match/words/words_dense.h"
#include "match/words/words_ride.h"
#include "match/words/words_sets.h"
#include "match/words/words_sieve.h"
#include "match/words/words_tables.h"

enum {
    BUILD_TABLES_EACH = 20,        /* bytes of the second bitmap and of heads for an entry, */
    BUILD_TABLES_LEAST = 16 << 20, /* and of all groups' bitmaps; */
    BUILD_DENSE_EACH = 128,        /* and of a program for dense text, where there is one */
};

struct build {
    const struct match_dictionary *dictionary;
    struct words_program *program;
    struct words_picks picks;
    uint64_t *rests; /* [picks.count]: see words_entry.rest */
    uint64_t rest_used;
};

/* The entry of a pick; see words_entry_fn. */
static void build_entry(const void *arg, uint32_t pick_index, struct words_entry *entry)
{
    const struct build *build = arg;
    const struct words_pick *pick = &build->picks.items[pick_index];
    const struct match_pattern *pattern = match_dictionary_get(build->dictionary, pick->pattern);
    const uint32_t len = pattern->len, last = len > WORDS_WORD ? len - WORDS_WORD : 0;

    *entry = (struct words_entry){ .pattern = pick->pattern,
                                   .len = (uint8_t)len,
                                   .at = pick->at,
                                   .last = (uint8_t)last,
                                   .more = len > 2 * WORDS_WORD,
                                   .rest = build->rests[pick_index] };
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
static uint64_t build_rest(struct build *build, const struct match_pattern *pattern)
{
    const uint64_t at = build->rest_used;
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

/* The fingerprint of a pick, or of one with a masked byte each that it stands for. */
static void build_item(const struct build *build, const struct words_group *group,
                       uint32_t pick_index, struct words_items *items)
{
    const struct words_pick *pick = &build->picks.items[pick_index];
    const struct match_pattern *pattern = match_dictionary_get(build->dictionary, pick->pattern);
    uint8_t fingerprint[WORDS_FINGERPRINT + WORDS_WORD] = { 0 };

    if (pick->run > 0) {
        memcpy(fingerprint, pattern->bytes + pick->at, pick->fingerprint);
        words_items_add(items, (struct words_item){ words_hash(group, fingerprint), pick_index },
                        words_start(group, fingerprint));
        return;
    }
    const uint8_t mask = match_pattern_mask(pattern, pick->at), byte = pattern->bytes[pick->at];
    bool taken[256] = { false };
    for (uint32_t value = 0; value < 256; value++)
        if (((value ^ byte) & mask) == 0)
            taken[words_fold(value, group->fold)] = true;
    for (uint32_t value = 0; value < 256; value++) {
        fingerprint[0] = (uint8_t)value;
        if (taken[value])
            words_items_add(
                items, (struct words_item){ words_hash(group, fingerprint), pick_index }, value);
    }
}

/* Most fingerprints that a pick stands for. */
static uint32_t build_values(const struct build *build, const struct words_pick *pick)
{
    const struct match_pattern *pattern = match_dictionary_get(build->dictionary, pick->pattern);

    return pick->run > 0 ? 1
                         : 1u << (8 - __builtin_popcount(match_pattern_mask(pattern, pick->at)));
}

/* Of picks [first, past), which have fingerprints of one length, and are couples or are not. */
static enum err_code build_group(struct build *build, uint32_t first, uint32_t past,
                                 struct err *err)
{
    const struct words_form *form = build->program->form;
    struct words_group *group = &build->program->groups[build->program->group_count++];
    struct words_items items = { 0 };
    enum err_code rc = ERR_OK;
    uint32_t values = 0;
    bool folds = false;

    for (uint32_t i = first; i < past; i++) {
        folds = folds ||
                match_dictionary_get(build->dictionary, build->picks.items[i].pattern)->fold_case;
        values += build_values(build, &build->picks.items[i]);
    }
    words_group_init(group, build->picks.items[first].fingerprint, folds);
    if (form->pairs) {
        group->pairs = calloc(1, WORDS_PAIRS);
        if (group->pairs == NULL)
            rc = ERR_NO_MEMORY(err, WORDS_PAIRS);
    }
    if (rc == ERR_OK)
        rc = words_items_open(values, &items, err);
    for (uint32_t i = first; i < past && rc == ERR_OK; i++)
        build_item(build, group, i, &items);
    if (rc == ERR_OK)
        rc = words_tables_fill(form, group, &items, build_entry, build, err);
    if (rc == ERR_OK)
        rc = words_sets_fill(group, items.starts, items.count, err);
    if (rc == ERR_OK && build->picks.items[first].every > 1) {
        if (!words_couples_fill(group, items.starts, items.count))
            rc = ERR_NO_MEMORY(err, sizeof *group->couples);
    } else if (rc == ERR_OK && words_sieve_suits(form, group, items.count) &&
               !words_sieve_fill(group, items.starts, items.count)) {
        rc = ERR_NO_MEMORY(err, sizeof *group->sieve);
    }
    words_items_free(&items);
    return rc;
}

static enum err_code build_groups(struct build *build, struct err *err)
{
    const struct words_picks *picks = &build->picks;
    size_t rest = 1;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < picks->count; i++) {
        const uint32_t len = match_dictionary_get(build->dictionary, picks->items[i].pattern)->len;

        rest += len > 2 * WORDS_WORD ? 2 * len : 0;
    }
    build->program->rest = malloc(rest);
    build->rests = malloc((picks->count + (size_t)1) * sizeof *build->rests);
    if (build->rests == NULL || build->program->rest == NULL)
        return ERR_NO_MEMORY(err, rest + (picks->count + (size_t)1) * sizeof *build->rests);
    for (uint32_t i = 0; i < picks->count; i++) {
        const struct match_pattern *pattern =
            match_dictionary_get(build->dictionary, picks->items[i].pattern);

        build->rests[i] = build_rest(build, pattern);
        if (pattern->len > build->program->longest)
            build->program->longest = pattern->len;
        if (picks->items[i].at > build->program->reach)
            build->program->reach = picks->items[i].at;
    }
    for (uint32_t first = 0, past; first < picks->count && rc == ERR_OK; first = past) {
        for (past = first + 1; past < picks->count &&
                               picks->items[past].fingerprint == picks->items[first].fingerprint &&
                               picks->items[past].every == picks->items[first].every;
             past++)
            ;
        rc = build_group(build, first, past, err);
    }
    return rc;
}

/* Whether each pattern has a fingerprint of its own bytes: what a pattern of masks alone is watched
 * through is in any text. */
static bool build_has_fingerprints(const struct words_picks *picks)
{
    bool has = picks->count > 0;

    for (uint32_t i = 0; i < picks->count; i++)
        has = has && picks->items[i].run > 0;
    return has;
}

enum err_code words_build(const struct match_dictionary *dictionary, const struct words_form *form,
                          struct words_program **out, struct err *err)
{
    struct build build = { .dictionary = dictionary };

    *out = NULL;
    if (!words_suits(dictionary))
        return ERR_RAISE(err, ERR_FULL,
                         "masks leave the patterns more than %d fingerprints; split the dictionary",
                         WORDS_MASKED_MAX);
    build.program = calloc(1, sizeof *build.program);
    if (build.program == NULL)
        return ERR_NO_MEMORY(err, sizeof *build.program);
    build.program->form = form;
    enum err_code rc = words_choose(dictionary, form, &build.picks, err);
    if (rc == ERR_OK)
        rc = build_groups(&build, err);
    if (rc == ERR_OK)
        words_ride(build.program);
    if (rc == ERR_OK && build_has_fingerprints(&build.picks) && !words_dense_open(build.program))
        rc = ERR_NO_MEMORY(err, sizeof *build.program);
    free(build.picks.items);
    free(build.rests);
    if (rc != ERR_OK)
        words_destroy(build.program);
    else
        *out = build.program;
    return rc;
}

bool words_suits(const struct match_dictionary *dictionary)
{
    uint64_t masked = 0;

    for (uint32_t i = 0; i < match_dictionary_count(dictionary); i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);
        uint32_t most = pattern->mask == NULL ? 8 : 0;

        for (uint32_t k = 0; k < pattern->len && most < 8; k++) {
            const uint32_t bits = (uint32_t)__builtin_popcount(pattern->mask[k]);
            most = bits > most ? bits : most;
        }
        masked += pattern->kind == MATCH_LITERAL && most < 8 ? 1u << (8 - most) : 0;
    }
    return masked <= WORDS_MASKED_MAX;
}

/*
 * Of each pattern, while its group is made: its entry, its pick and where its rest is, its item and
 * start, and its part of the tables, which round up to powers of two; twice where it has couples.
 */
uint64_t words_bytes(const struct match_dictionary *dictionary)
{
    const uint64_t each = sizeof(struct words_entry) + sizeof(struct words_pick) +
                          sizeof(uint64_t) + sizeof(struct words_item) + sizeof(uint64_t) +
                          BUILD_TABLES_EACH;
    uint64_t bytes = BUILD_TABLES_LEAST, literals = 0;

    for (uint32_t i = 0; i < match_dictionary_count(dictionary); i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);

        if (pattern->kind != MATCH_LITERAL)
            continue;
        const uint64_t copies =
            literals < (uint64_t)WORDS_GROUPS * WORDS_COUPLES_MAX ? WORDS_COUPLE : 1;
        bytes += copies * (each + (pattern->len > 2 * WORDS_WORD ? 2 * pattern->len : 0));
        literals++;
    }
    return bytes + (literals <= WORDS_DENSE_MAX ? literals * BUILD_DENSE_EACH : 0);
}

void words_destroy(struct words_program *program)
{
    if (program == NULL)
        return;
    words_dense_close(program);
    for (uint32_t g = 0; g < program->group_count; g++)
        words_group_free(&program->groups[g]);
    free(program->rest);
    free(program);
}
