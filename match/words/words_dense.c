/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_dense.c - see words_dense.h. */
#include <stdlib.h>

#include "match/words/words_dense.h"
#include "match/words/words_rare.h"
#include "match/words/words_sieve.h"
#include "match/words/words_tables.h"

enum {
    DENSE_ENOUGH_MIN = 4096,
    DENSE_ENOUGH_EACH = 160, /* bytes for each pattern: its part of a program takes 0.3 us to make,
                                and so do they to scan */
    DENSE_SAMPLE_MIN = 4096,
    DENSE_SAMPLE_LEAST = 1 << 14, /* where there is not more at hand */
    DENSE_SAMPLE_MAX = 1 << 20,   /* bytes of text in which fingerprints are counted, */
    DENSE_SAMPLE_EACH = 64,       /* for each pattern */
    DENSE_COST_FEW = 15, /* of a place in dense text, with few patterns, and with many, whose tables
                            are out of the near caches */
    DENSE_COST_MANY = 50,
    DENSE_PAUSE_MIN = 1 << 18, /* dense bytes to go with the sparse program where it was no worse */
    DENSE_PAUSE_MAX = 1 << 26,
    DENSE_CELLS_MIN =
        6000, /* patterns: a sieve or a map of fewer, and then tables, are faster than cells */
};

/* Patterns and their fingerprints, for words_entry_fn. */
struct dense_entries {
    const struct words_rare *rare;
    const struct words_fingerprint *fingerprints;
};

static void dense_entry(const void *arg, uint32_t number, struct words_entry *entry)
{
    const struct dense_entries *entries = arg;
    const struct words_fingerprint *fingerprint = &entries->fingerprints[number];

    *entry = *entries->rare->patterns[fingerprint->number];
    entry->at = fingerprint->at;
    entry->ends = false;
}

/* The tables of a group that has no cells. False: there is no memory. */
static bool dense_tables(const struct words_rare *rare, const struct words_form *form,
                         struct words_group *group, const struct words_fingerprint *fingerprints,
                         uint32_t count)
{
    const struct dense_entries entries = { rare, fingerprints };
    struct words_items items;

    if (words_items_open(count, &items, NULL) != ERR_OK)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t bytes = fingerprints[i].bytes >> 8 * (WORDS_WORD - group->fingerprint);
        uint8_t fingerprint[2 * WORDS_WORD] = { 0 };

        memcpy(fingerprint, &bytes, sizeof bytes);
        words_items_add(&items, (struct words_item){ words_hash(group, fingerprint), i },
                        words_start(group, fingerprint));
    }
    group->dense_seven = group->dense_halves = group->dense_pairs = true;
    const bool made =
        words_tables_fill(form, group, &items, dense_entry, &entries, NULL) == ERR_OK &&
        (!words_sieve_suits(form, group, count) || words_sieve_fill(group, items.starts, count));
    words_items_free(&items);
    return made;
}

/* The group of the patterns of one level. False: there is no memory. */
static bool dense_group(const struct words_rare *rare, uint32_t level,
                        struct words_program *program)
{
    struct words_group *group = &program->groups[program->group_count++];
    struct words_fingerprint *fingerprints = calloc(rare->count + (size_t)1, sizeof *fingerprints);
    uint32_t count = 0;

    if (fingerprints == NULL)
        return false;
    words_group_init(group, words_rare_levels[level], rare->fold != 0);
    words_rare_count(rare, group->fingerprint);
    for (uint32_t i = 0; i < rare->count; i++) {
        if (rare->levels[i] != level)
            continue;
        words_rare_fingerprint(rare, i, group->fingerprint, &fingerprints[count]);
        program->reach =
            fingerprints[count].at > program->reach ? fingerprints[count].at : program->reach;
        count++;
    }
    const bool made = program->form->cells != NULL && count > DENSE_CELLS_MIN
                          ? words_cells_fill(group, fingerprints, count)
                          : dense_tables(rare, program->form, group, fingerprints, count);
    free(fingerprints);
    return made;
}

static bool dense_build(const struct words_rare *rare, struct words_program *program)
{
    bool made = true;

    program->form = rare->sparse->form;
    program->longest = rare->sparse->longest;
    program->sparse = rare->sparse;
    program->rest = rare->sparse->rest;
    for (uint32_t level = 0; level < WORDS_RARE_LEVELS && made; level++)
        if (rare->set >> level & 1)
            made = dense_group(rare, level, program);
    return made;
}

static void dense_free(struct words_program *program)
{
    if (program == NULL)
        return;
    for (uint32_t g = 0; g < program->group_count; g++)
        words_group_free(&program->groups[g]);
    free(program); /* its rest is the sparse one's */
}

const struct words_program *words_dense_make(const struct words_program *sparse,
                                             const uint8_t *sample, uint32_t len)
{
    struct words_late *late = sparse->late;
    struct words_program *program;
    struct words_rare rare;

    if (atomic_exchange_explicit(&late->taken, true, memory_order_relaxed))
        return words_dense(sparse);
    if (!words_rare_open(&rare, sparse, sample, len))
        return NULL;
    program = calloc(1, sizeof *program);
    if (program != NULL && !dense_build(&rare, program)) {
        dense_free(program);
        program = NULL;
    }
    words_rare_close(&rare);
    atomic_store_explicit(&late->program, program, memory_order_release);
    return program;
}

/* Makes it from what is around the place, if that is enough. */
static const struct words_program *dense_sample(const struct words_program *sparse,
                                                const struct words_sample *sample)
{
    const uint64_t want = sparse->late->enough / DENSE_ENOUGH_EACH * DENSE_SAMPLE_EACH;
    const uint32_t most = want < DENSE_SAMPLE_MIN   ? DENSE_SAMPLE_MIN
                          : want > DENSE_SAMPLE_MAX ? DENSE_SAMPLE_MAX
                                                    : (uint32_t)want;
    const uint32_t past = sample->to - sample->at > most / 2 ? sample->at + most / 2 : sample->to;
    const uint32_t first = past - sample->from > most ? past - most : sample->from;

    if (past - first < DENSE_SAMPLE_LEAST && past - first < most)
        return NULL;
    return words_dense_make(sparse, sample->text + first, past - first);
}

const struct words_program *words_dense_met(const struct words_program *sparse, uint32_t met,
                                            const struct words_sample *sample)
{
    struct words_late *late = sparse->late;
    const struct words_program *dense = words_dense(sparse);

    if (dense != NULL) {
        if (atomic_load_explicit(&late->pause, memory_order_relaxed) <= 0)
            return dense;
        atomic_fetch_sub_explicit(&late->pause, met, memory_order_relaxed);
        return NULL;
    }
    if (late == NULL || atomic_load_explicit(&late->taken, memory_order_relaxed) ||
        atomic_fetch_add_explicit(&late->met, met, memory_order_relaxed) + met < late->enough)
        return NULL;
    return dense_sample(sparse, sample);
}

void words_dense_judge(const struct words_program *sparse, bool better)
{
    struct words_late *late = sparse->late;
    const int_fast64_t pause = atomic_load_explicit(&late->next_pause, memory_order_relaxed);

    atomic_store_explicit(&late->next_pause,
                          better                    ? DENSE_PAUSE_MIN
                          : pause < DENSE_PAUSE_MAX ? 2 * pause
                                                    : DENSE_PAUSE_MAX,
                          memory_order_relaxed);
    if (!better)
        atomic_store_explicit(&late->pause, pause, memory_order_relaxed);
}

bool words_dense_open(struct words_program *sparse)
{
    uint64_t count = 0;

    for (uint32_t g = 0; g < sparse->group_count; g++)
        count += sparse->groups[g].entry_count / (sparse->groups[g].couples != NULL ? 2 : 1);
    if (count > WORDS_DENSE_MAX)
        return true;
    struct words_late *late = calloc(1, sizeof *late);
    if (late == NULL)
        return false;
    atomic_init(&late->program, NULL);
    atomic_init(&late->taken, false);
    atomic_init(&late->met, 0);
    atomic_init(&late->pause, 0);
    atomic_init(&late->next_pause, DENSE_PAUSE_MIN);
    late->dense_cost = count > DENSE_CELLS_MIN ? DENSE_COST_MANY : DENSE_COST_FEW;
    late->enough =
        count * DENSE_ENOUGH_EACH > DENSE_ENOUGH_MIN ? count * DENSE_ENOUGH_EACH : DENSE_ENOUGH_MIN;
    sparse->late = late;
    return true;
}

void words_dense_close(struct words_program *sparse)
{
    if (sparse->late != NULL)
        dense_free(atomic_load_explicit(&sparse->late->program, memory_order_acquire));
    free(sparse->late);
    sparse->late = NULL;
}
