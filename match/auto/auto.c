/*
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
 * a segment, which are alike. All engines find the same hits, so the choice changes nothing but the
 * time, and no piece is scanned twice. trials.h decides when a measurement is worth its time.
 *
 * The scan begins with the likeliest candidate. A thread compiles the others meanwhile from the
 * dictionary, which must outlive the program.
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
    CHOOSE_FEW = 48, /* most patterns that are few: see enum match_role */
    /* Bytes of a piece that a candidate scans in one turn of a trial */
    CHOOSE_PIECE = 32 << 10,
    CHOOSE_PIECE_MIN = 4096, /* bytes of the shortest piece, for a short text */
};

/* No line of engines.def is left out for want of room. */
enum {
    CHOOSE_LISTED = 0
#define ENGINE(id, role) +(MATCH_##role >= MATCH_AUTO)
#include "match/engines.def"
#undef ENGINE
};
_Static_assert((int)CHOOSE_LISTED <= (int)CHOICE_MAX,
               "engines.def has more candidates than trials.h");
enum {
    CHOOSE_ANY = 0
#define ENGINE(id, role) +(MATCH_##role == MATCH_AUTO_ANY)
#include "match/engines.def"
#undef ENGINE
};
_Static_assert(CHOOSE_ANY == 1, "one line of engines.def has AUTO_ANY");

struct choose_candidate {
    const struct match_engine *engine;
    void *program;
};

struct choose {
    struct choose_candidate candidates[CHOICE_MAX]; /* those below choice->count do not change */
    uint32_t count, patterns, shortest, longest;    /* candidates; literals; bytes of a literal */
    struct match_choice *choice;                    /* changes while threads scan */
    const struct match_dictionary *dictionary;
    struct match_setup setup;
    struct thread late; /* compiles all but the first candidate */
};

static const char *choose_missing(void)
{
    return NULL;
}

/* Takes the engine as a candidate if it runs here and suits the dictionary. */
static void choose_add(struct choose *choose, const struct match_engine *engine)
{
    if (engine->missing() == NULL && engine->suits(choose->dictionary))
        choose->candidates[choose->count++] = (struct choose_candidate){ .engine = engine };
}

/* The candidates of engines.def: the one for so many patterns, then the others in their order. */
static void choose_candidates(struct choose *choose)
{
    const enum match_role likeliest =
        choose->patterns <= CHOOSE_FEW ? MATCH_AUTO_FEW : MATCH_AUTO_MANY;
    uint32_t count;
    const struct match_listed *listed = match_engine_list(&count);

    for (uint32_t i = 0; i < count; i++)
        if (listed[i].role == likeliest)
            choose_add(choose, listed[i].engine);
    for (uint32_t i = 0; i < count; i++)
        if (listed[i].role >= MATCH_AUTO && listed[i].role != likeliest)
            choose_add(choose, listed[i].engine);
}

/*
 * No candidate can be compiled, so the engine that takes any dictionary is the only one. When that
 * cannot be compiled either, its error says why.
 */
static enum err_code choose_compile_any(struct choose *choose, struct err *err)
{
    struct choose_candidate *candidate = &choose->candidates[0];
    uint32_t count;
    const struct match_listed *listed = match_engine_list(&count);

    while (listed->role != MATCH_AUTO_ANY)
        listed++;
    *candidate = (struct choose_candidate){ .engine = listed->engine };
    const enum err_code rc =
        candidate->engine->compile(choose->dictionary, &choose->setup, &candidate->program, err);
    choose->count = rc == ERR_OK;
    return rc;
}

/* Compiles candidate `at`; one that cannot be compiled is none. */
static bool choose_compile_one(struct choose *choose, uint32_t at)
{
    struct choose_candidate *candidate = &choose->candidates[at];

    if (candidate->engine->compile(choose->dictionary, &choose->setup, &candidate->program, NULL) ==
        ERR_OK)
        return true;
    choose->count--;
    memmove(candidate, candidate + 1, (choose->count - at) * sizeof *candidate);
    return false;
}

static void choose_compile_others(void *arg)
{
    struct choose *choose = arg;

    for (uint32_t at = 1; at < choose->count;)
        at += choose_compile_one(choose, at);
    choice_open(choose->choice, choose->count);
}

/* A scan need not wait for engines that it may never need. */
static void choose_compile_late(struct choose *choose)
{
    choice_open(choose->choice, 1);
    if (choose->count == 1)
        return;
    if (thread_start(&choose->late, "compile", choose_compile_others, choose, NULL) != ERR_OK)
        choose_compile_others(choose);
}

static void choose_release(void *program)
{
    struct choose *choose = program;

    if (choose == NULL)
        return;
    thread_join(&choose->late);
    for (uint32_t i = 0; i < choice_count(choose->choice); i++) {
        const struct choose_candidate *candidate = &choose->candidates[i];

        assert(candidate->engine != NULL);
        candidate->engine->release(candidate->program);
    }
    free(choose->choice);
    free(choose);
}

/* Number and lengths of the literals. */
static void choose_measure(struct choose *choose, const struct match_dictionary *dictionary)
{
    for (uint32_t i = 0; i < match_dictionary_count(dictionary); i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);

        if (pattern->kind != MATCH_LITERAL)
            continue;
        choose->shortest = choose->patterns == 0 || pattern->len < choose->shortest
                               ? pattern->len
                               : choose->shortest;
        choose->longest = pattern->len > choose->longest ? pattern->len : choose->longest;
        choose->patterns++;
    }
}

static enum err_code choose_compile(const struct match_dictionary *dictionary,
                                    const struct match_setup *setup, void **program,
                                    struct err *err)
{
    struct choose *choose = calloc(1, sizeof *choose);

    *program = NULL;
    if (choose != NULL)
        choose->choice = calloc(1, sizeof *choose->choice);
    if (choose == NULL || choose->choice == NULL) {
        free(choose);
        return ERR_NO_MEMORY(err, sizeof *choose + sizeof *choose->choice);
    }
    choose->dictionary = dictionary;
    choose->setup = *setup;
    choose_measure(choose, dictionary);
    choose_candidates(choose);
    while (choose->count > 0 && !choose_compile_one(choose, 0))
        ;
    if (choose->count == 0) {
        const enum err_code rc = choose_compile_any(choose, err);

        if (rc != ERR_OK) {
            choose_release(choose);
            return rc;
        }
    }
    choose_compile_late(choose);
    *program = choose;
    return ERR_OK;
}

/*
 * Shares text from *at on out among the candidates, and moves *at on; false when the sink is full.
 */
static bool choose_try(const struct choose *choose, const uint32_t invited[CHOICE_MAX],
                       uint32_t count, uint32_t piece, const struct match_text *text, uint32_t *at,
                       struct match_sink *sink)
{
    struct choice_time times[CHOICE_MAX] = { 0 }, all = { 0 };
    const uint64_t begin = clock_now(CLOCK_THREAD_CPUTIME_ID);
    uint64_t before = begin;
    bool fits = true;

    for (uint32_t i = 0; fits && i < count; i++) {
        const struct choose_candidate *candidate = &choose->candidates[invited[i]];
        uint64_t turns[CHOICE_TURNS] = { 0 };

        for (uint32_t turn = 0; fits && turn < CHOICE_TURNS; turn++, *at += piece) {
            fits = candidate->engine->scan(candidate->program, text, *at, *at + piece, sink);
            const uint64_t now = clock_now(CLOCK_THREAD_CPUTIME_ID);
            turns[turn] = now - before;
            all.bytes += piece;
            before = now;
        }
        times[invited[i]] = choice_of_turns(turns, piece);
    }
    all.ns = before - begin;
    if (!fits)
        memset(times, 0, sizeof times);
    choice_end(choose->choice, times, all);
    return fits;
}

/*
 * Lets the candidates try, if it is time for that; moves *at behind what they scanned. False when
 * the sink is full.
 */
static bool choose_maybe_try(const struct choose *choose, const struct match_text *text,
                             uint32_t *at, uint32_t to, struct match_sink *sink)
{
    const uint32_t most = (to - *at) / (CHOICE_TURNS * choice_count(choose->choice)) /
                          CHOOSE_PIECE_MIN * CHOOSE_PIECE_MIN;
    uint32_t invited[CHOICE_MAX];

    if (most == 0)
        return true;
    const uint32_t count = choice_begin(choose->choice, invited);
    return count == 0 || choose_try(choose, invited, count,
                                    most < CHOOSE_PIECE ? most : CHOOSE_PIECE, text, at, sink);
}

static bool choose_scan(const void *program, const struct match_text *text, uint32_t from,
                        uint32_t to, struct match_sink *sink)
{
    const struct choose *choose = program;
    const bool watched = choice_count(choose->choice) > 1 && to - from >= CHOOSE_PIECE;
    const uint32_t before = sink->count;
    uint32_t at = from;
    bool fits = !watched || choose_maybe_try(choose, text, &at, to, sink);

    if (fits && at < to) {
        const struct choose_candidate *candidate = &choose->candidates[choice_best(choose->choice)];
        const uint64_t begin = watched ? clock_now(CLOCK_MONOTONIC) : 0;

        fits = candidate->engine->scan(candidate->program, text, at, to, sink);
        if (watched && fits)
            choice_worked(
                choose->choice,
                (struct choice_time){ .bytes = to - at, .ns = clock_now(CLOCK_MONOTONIC) - begin });
    }
    if (!fits)
        sink->count = before;
    return fits;
}

const char *match_choose_name(const void *program)
{
    const struct choose *choose = program;

    return choose == NULL ? match_auto_engine.name
                          : choose->candidates[choice_best(choose->choice)].engine->name;
}

void match_choose_why(const void *program, char *text, size_t size)
{
    const struct choose *choose = program;
    size_t used;

    if (choose == NULL) {
        snprintf(text, size, "no engine: no pattern is a literal");
        return;
    }
    const uint32_t best = choice_best(choose->choice);
    const uint64_t fastest = choice_pace(choose->choice, best);
    snprintf(text, size, "engine %s for %u patterns of %u to %u bytes: %s",
             choose->candidates[best].engine->name, choose->patterns, choose->shortest,
             choose->longest,
             fastest == 0 ? choose->candidates[best].engine->good_for
                          : "the fastest on samples of the data; times of");
    for (uint32_t i = 0; fastest != 0 && i < choice_count(choose->choice); i++) {
        used = strlen(text);
        snprintf(text + used, size - used, "%s %s %.2f", i == 0 ? "" : ",",
                 choose->candidates[i].engine->name,
                 (double)choice_pace(choose->choice, i) / (double)fastest);
    }
}

const struct match_engine match_auto_engine = {
    .name = "auto",
    .what = "the fastest of the others for the dictionary, on samples of the data",
    .device = "CPU",
    .missing = choose_missing,
    .compile = choose_compile,
    .release = choose_release,
    .scan = choose_scan,
};
