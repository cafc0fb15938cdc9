/* SPDX-License-Identifier: Apache-2.0
 * match/auto/auto.c - `--engine auto`: finds the engine that is the fastest on this machine, for
 * this dictionary, on these bytes.
 *
 *   lines of engines.def, number and lengths of the patterns --> candidates, the likeliest first
 *   candidates --> some segments: each candidate scans some pieces, and is timed
 *              --> the other segments: the fastest candidate scans them
 *
 * The number and the lengths of the patterns rule some engines out: one cannot take so many
 * patterns, the table of another would be too large. Which of the others is the fastest depends on
 * the text, so it is measured during the scan: the candidates take turns at neighbouring pieces of
 * a segment, which are alike, and those that are near each other then share some segments, half and
 * half. All engines find the same hits, so what is chosen changes nothing but
 * the time, and no piece is scanned twice. trials.h decides when a measurement is worth its time.
 *
 * The scan begins with the likeliest candidate. When it has gone on for some MiB, a thread compiles
 * the others from the dictionary, which must outlive the program: a short scan would end sooner.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/thread.h"
#include "match/auto/trials.h"
#include "match/engine.h"

enum {
    AUTO_FEW = 48, /* most patterns that are few: see enum match_role */
    /* Bytes of a piece that a candidate scans in one turn of a trial */
    AUTO_PIECE = 32 << 10,
    AUTO_PIECE_MIN = 4096,     /* bytes of the shortest piece, for a short text */
    AUTO_HALF_MIN = 128 << 10, /* bytes of half a text, for a heat */
    /* Bytes that are scanned before the others are compiled, which takes as long on one thread */
    AUTO_ALONE = 16 << 20,
};

/* No line of engines.def is left out for want of room. */
enum {
    AUTO_LISTED = 0
#define ENGINE(id, role) +(MATCH_##role >= MATCH_AUTO)
#include "match/engines.def"
#undef ENGINE
};
_Static_assert((int)AUTO_LISTED <= (int)TRIALS_MAX,
               "engines.def has more candidates than trials.h");
enum {
    AUTO_ANY = 0
#define ENGINE(id, role) +(MATCH_##role == MATCH_AUTO_ANY)
#include "match/engines.def"
#undef ENGINE
};
_Static_assert(AUTO_ANY == 1, "one line of engines.def has AUTO_ANY");

struct auto_candidate {
    const struct match_engine *engine;
    void *program;
};

/* Changes while threads scan. */
struct auto_running {
    struct match_trials trials;
    _Atomic uint64_t alone;  /* bytes that the first candidate has scanned, up to AUTO_ALONE */
    struct auto_engine *all; /* whose others are compiled, */
    struct thread late;      /* by this thread */
};

struct auto_engine {
    struct auto_candidate candidates[TRIALS_MAX]; /* those that trials count do not change */
    uint32_t count, patterns, shortest, longest;  /* candidates; literals; bytes of a literal */
    struct auto_running *running;
    const struct match_dictionary *dictionary;
    struct match_setup setup;
};

static const char *auto_missing(void)
{
    return NULL;
}

/* Takes the engine as a candidate if it runs here and suits the dictionary. */
static void auto_add(struct auto_engine *automatic, const struct match_engine *engine)
{
    if (engine->missing() == NULL && engine->suits(automatic->dictionary))
        automatic->candidates[automatic->count++] = (struct auto_candidate){ .engine = engine };
}

/* The candidates of engines.def: the one for so many patterns, then the others in their order. */
static void auto_candidates(struct auto_engine *automatic)
{
    const enum match_role likeliest =
        automatic->patterns <= AUTO_FEW ? MATCH_AUTO_FEW : MATCH_AUTO_MANY;
    uint32_t count;
    const struct match_listed *listed = match_engine_list(&count);

    for (uint32_t i = 0; i < count; i++)
        if (listed[i].role == likeliest)
            auto_add(automatic, listed[i].engine);
    for (uint32_t i = 0; i < count; i++)
        if (listed[i].role >= MATCH_AUTO && listed[i].role != likeliest)
            auto_add(automatic, listed[i].engine);
}

/*
 * No candidate can be compiled, so the engine that takes any dictionary is the only one. When that
 * cannot be compiled either, its error says why.
 */
static enum err_code auto_compile_any(struct auto_engine *automatic, struct err *err)
{
    struct auto_candidate *candidate = &automatic->candidates[0];
    uint32_t count;
    const struct match_listed *listed = match_engine_list(&count);

    while (listed->role != MATCH_AUTO_ANY)
        listed++;
    *candidate = (struct auto_candidate){ .engine = listed->engine };
    const enum err_code rc = candidate->engine->compile(automatic->dictionary, &automatic->setup,
                                                        &candidate->program, err);
    automatic->count = rc == ERR_OK;
    return rc;
}

/* Compiles candidate `at`; one that cannot be compiled is none. */
static bool auto_compile_one(struct auto_engine *automatic, uint32_t at)
{
    struct auto_candidate *candidate = &automatic->candidates[at];

    if (candidate->engine->compile(automatic->dictionary, &automatic->setup, &candidate->program,
                                   NULL) == ERR_OK)
        return true;
    automatic->count--;
    memmove(candidate, candidate + 1, (automatic->count - at) * sizeof *candidate);
    return false;
}

static void auto_compile_others(void *arg)
{
    struct auto_engine *automatic = arg;

    for (uint32_t at = 1; at < automatic->count;)
        at += auto_compile_one(automatic, at);
    trials_open(&automatic->running->trials, automatic->count);
}

/* One more text was scanned: the one that makes them AUTO_ALONE bytes has the others compiled.
 * Where no thread can be had, the first candidate stays alone. */
static void auto_compile_late(struct auto_running *running, uint32_t bytes)
{
    if (atomic_load_explicit(&running->alone, memory_order_relaxed) >= AUTO_ALONE)
        return;
    const uint64_t before = atomic_fetch_add_explicit(&running->alone, bytes, memory_order_relaxed);
    if (before < AUTO_ALONE && before + bytes >= AUTO_ALONE && running->all->count > 1)
        (void)!thread_start(&running->late, "compile", auto_compile_others, running->all, NULL);
}

/* Number and lengths of the literals. */
static void auto_measure(struct auto_engine *automatic, const struct match_dictionary *dictionary)
{
    for (uint32_t i = 0; i < match_dictionary_count(dictionary); i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);

        if (pattern->kind != MATCH_LITERAL)
            continue;
        automatic->shortest = automatic->patterns == 0 || pattern->len < automatic->shortest
                                  ? pattern->len
                                  : automatic->shortest;
        automatic->longest = pattern->len > automatic->longest ? pattern->len : automatic->longest;
        automatic->patterns++;
    }
}

const struct match_engine *match_auto_first(const struct match_dictionary *dictionary)
{
    struct auto_engine automatic = { .dictionary = dictionary };

    auto_measure(&automatic, dictionary);
    auto_candidates(&automatic);
    return automatic.count > 0 ? automatic.candidates[0].engine : NULL;
}

static void auto_release(void *program)
{
    struct auto_engine *automatic = program;

    if (automatic == NULL)
        return;
    thread_join(&automatic->running->late);
    for (uint32_t i = 0; i < trials_count(&automatic->running->trials); i++) {
        const struct auto_candidate *candidate = &automatic->candidates[i];

        assert(candidate->engine != NULL);
        candidate->engine->release(candidate->program);
    }
    free(automatic->running);
    free(automatic);
}

static enum err_code auto_compile(const struct match_dictionary *dictionary,
                                  const struct match_setup *setup, void **program, struct err *err)
{
    struct auto_engine *automatic = calloc(1, sizeof *automatic);

    *program = NULL;
    if (automatic != NULL)
        automatic->running = calloc(1, sizeof *automatic->running);
    if (automatic == NULL || automatic->running == NULL) {
        free(automatic);
        return ERR_NO_MEMORY(err, sizeof *automatic + sizeof *automatic->running);
    }
    automatic->running->all = automatic;
    automatic->dictionary = dictionary;
    automatic->setup = *setup;
    auto_measure(automatic, dictionary);
    auto_candidates(automatic);
    while (automatic->count > 0 && !auto_compile_one(automatic, 0))
        ;
    if (automatic->count == 0) {
        const enum err_code rc = auto_compile_any(automatic, err);

        if (rc != ERR_OK) {
            auto_release(automatic);
            return rc;
        }
    }
    trials_open(&automatic->running->trials, 1);
    *program = automatic;
    return ERR_OK;
}

/*
 * Shares text from *at on out among the candidates, and moves *at on; false when the sink is full.
 */
static bool auto_try(const struct auto_engine *automatic, const uint32_t invited[TRIALS_MAX],
                     uint32_t count, uint32_t piece, const struct match_text *text, uint32_t *at,
                     struct match_sink *sink)
{
    struct trials_time times[TRIALS_MAX] = { 0 }, all = { 0 };
    const uint64_t begin = clock_now(CLOCK_THREAD_CPUTIME_ID);
    uint64_t before = begin;
    bool fits = true;

    for (uint32_t i = 0; fits && i < count; i++) {
        const struct auto_candidate *candidate = &automatic->candidates[invited[i]];
        uint64_t turns[TRIALS_TURNS] = { 0 };

        for (uint32_t turn = 0; fits && turn < TRIALS_TURNS; turn++, *at += piece) {
            fits = candidate->engine->scan(candidate->program, text, *at, *at + piece, sink);
            const uint64_t now = clock_now(CLOCK_THREAD_CPUTIME_ID);
            turns[turn] = now - before;
            all.bytes += piece;
            before = now;
        }
        times[invited[i]] = trials_of_turns(turns, piece);
    }
    all.ns = before - begin;
    if (!fits)
        memset(times, 0, sizeof times);
    trials_end(&automatic->running->trials, times, all);
    return fits;
}

/*
 * Lets the candidates try, if it is time for that; moves *at behind what they scanned. False when
 * the sink is full.
 */
static bool auto_maybe_try(const struct auto_engine *automatic, const struct match_text *text,
                           uint32_t *at, uint32_t to, struct match_sink *sink)
{
    const uint32_t most = (to - *at) / (TRIALS_TURNS * trials_count(&automatic->running->trials)) /
                          AUTO_PIECE_MIN * AUTO_PIECE_MIN;
    uint32_t invited[TRIALS_MAX];

    if (most == 0)
        return true;
    const uint32_t count = trials_begin(&automatic->running->trials, invited);
    return count == 0 || auto_try(automatic, invited, count, most < AUTO_PIECE ? most : AUTO_PIECE,
                                  text, at, sink);
}

/*
 * Shares the rest of the text between two candidates, if it is time for that; moves *at behind what
 * they scanned. False when the sink is full.
 */
static bool auto_maybe_heat(const struct auto_engine *automatic, const struct match_text *text,
                            uint32_t *at, uint32_t to, struct match_sink *sink)
{
    const uint32_t half = (to - *at) / 2 / AUTO_PIECE_MIN * AUTO_PIECE_MIN;
    const uint32_t ends[2] = { *at + half, to };
    struct trials_time times[2] = { 0 };
    bool fits = true;
    uint32_t pair[2];

    if (half < AUTO_HALF_MIN || !trials_heat(&automatic->running->trials, pair))
        return true;
    for (uint32_t i = 0; fits && i < 2; i++) {
        const struct auto_candidate *candidate = &automatic->candidates[pair[i]];
        const uint64_t begin = clock_now(CLOCK_THREAD_CPUTIME_ID);

        fits = candidate->engine->scan(candidate->program, text, *at, ends[i], sink);
        times[i] = (struct trials_time){ .bytes = ends[i] - *at,
                                         .ns = clock_now(CLOCK_THREAD_CPUTIME_ID) - begin };
        *at = ends[i];
    }
    if (!fits)
        memset(times, 0, sizeof times);
    trials_heat_end(&automatic->running->trials, pair, times);
    return fits;
}

static bool auto_scan(const void *program, const struct match_text *text, uint32_t from,
                      uint32_t to, struct match_sink *sink)
{
    const struct auto_engine *automatic = program;
    const bool watched = trials_count(&automatic->running->trials) > 1 && to - from >= AUTO_PIECE;
    const uint32_t before = sink->count;
    uint32_t at = from;
    bool fits = !watched || auto_maybe_try(automatic, text, &at, to, sink);

    if (fits && watched && at == from)
        fits = auto_maybe_heat(automatic, text, &at, to, sink);
    if (fits && at < to) {
        const struct auto_candidate *candidate =
            &automatic->candidates[trials_best(&automatic->running->trials)];
        const uint64_t begin = watched ? clock_now(CLOCK_MONOTONIC) : 0;

        fits = candidate->engine->scan(candidate->program, text, at, to, sink);
        if (watched && fits)
            trials_worked(
                &automatic->running->trials,
                (struct trials_time){ .bytes = to - at, .ns = clock_now(CLOCK_MONOTONIC) - begin });
    }
    if (!fits)
        sink->count = before;
    auto_compile_late(automatic->running, to - from);
    return fits;
}

const char *match_auto_name(const void *program)
{
    const struct auto_engine *automatic = program;

    return automatic == NULL
               ? match_auto_engine.name
               : automatic->candidates[trials_best(&automatic->running->trials)].engine->name;
}

void match_auto_why(const void *program, char *text, size_t size)
{
    const struct auto_engine *automatic = program;
    size_t used;

    if (automatic == NULL) {
        snprintf(text, size, "no engine: no pattern is a literal");
        return;
    }
    const uint32_t best = trials_best(&automatic->running->trials);
    const uint64_t fastest = trials_pace(&automatic->running->trials, best);
    snprintf(text, size, "engine %s for %u patterns of %u to %u bytes: %s",
             automatic->candidates[best].engine->name, automatic->patterns, automatic->shortest,
             automatic->longest,
             fastest == 0 ? automatic->candidates[best].engine->good_for
                          : "the fastest on samples of the data; times of");
    for (uint32_t i = 0; fastest != 0 && i < trials_count(&automatic->running->trials); i++) {
        used = strlen(text);
        snprintf(text + used, size - used, "%s %s %.2f", i == 0 ? "" : ",",
                 automatic->candidates[i].engine->name,
                 (double)trials_pace(&automatic->running->trials, i) / (double)fastest);
    }
}

const struct match_engine match_auto_engine = {
    .name = "auto",
    .what = "the fastest of the others for the dictionary, on samples of the data",
    .device = "CPU",
    .missing = auto_missing,
    .compile = auto_compile,
    .release = auto_release,
    .scan = auto_scan,
};
