/* SPDX-License-Identifier: Apache-2.0
 * match/auto/trials.h - what `auto` has measured about its candidates, which candidate is the
 * fastest, and when to measure again. For auto.c only.
 *
 * A trial measures: the candidates scan neighbouring pieces of the text in turn, so slow candidates
 * cost time. The cost of a trial is its time less the time that the fastest candidate would have
 * needed for the same text. The costs of all trials together are kept to a small part of the time
 * of the scan. So a scan never takes much longer than with the fastest candidate alone, however
 * slow the others are. Candidates that are nearly as fast as the fastest cost little and are tried
 * often.
 *
 * A trial's pieces are short, and the tables of the candidate are in the cache. In a scan they are
 * not, for in between the text is read and other work is done, and an engine with large tables
 * loses more by that. So candidates that are near each other in trials share whole texts, half and
 * half: a heat. What heats say decides between them.
 *
 * Threads: all threads of a scan share the trials. Its numbers need not be exact.
 */
#ifndef BURIN_MATCH_AUTO_TRIALS_H
#define BURIN_MATCH_AUTO_TRIALS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    TRIALS_MAX = 4, /* most candidates */
    /*
     * Pieces that each candidate scans in a trial, one after the other. The first piece only brings
     * the candidate's tables into the cache.
     */
    TRIALS_TURNS = 4,
};

/* A time: `bytes` bytes were scanned in `ns` nanoseconds. */
struct trials_time {
    uint64_t bytes, ns;
};

struct match_trials {
    _Atomic uint32_t count;   /* number of candidates */
    _Atomic uint32_t best;    /* number of the candidate that scans */
    _Atomic bool trying;      /* a thread is running a trial */
    _Atomic uint32_t trials;  /* trials that have ended */
    _Atomic uint64_t since;   /* bytes scanned since the last trial */
    _Atomic uint64_t worked;  /* nanoseconds of all scans and trials */
    _Atomic uint64_t spent;   /* nanoseconds that all trials cost */
    _Atomic uint64_t last;    /* nanoseconds that the last trial cost */
    _Atomic uint64_t usual;   /* mean of the best candidate's scans, nanoseconds for 2^30 bytes */
    _Atomic uint32_t unusual; /* scans far from `usual` since the last one that was near it */
    /* Each candidate's nanoseconds for 2^30 bytes; 0: not known */
    _Atomic uint64_t pace[TRIALS_MAX];
    _Atomic uint64_t whole[TRIALS_MAX]; /* likewise, as heats say */
    _Atomic uint32_t heats;             /* that have ended since the data became what it is */
    _Atomic uint32_t scans;             /* since the last one */
};

static inline uint32_t trials_best(const struct match_trials *results)
{
    return atomic_load_explicit(&results->best, memory_order_acquire);
}

static inline uint32_t trials_count(const struct match_trials *results)
{
    return atomic_load_explicit(&results->count, memory_order_acquire);
}

/* Sets the number of candidates; it never becomes smaller. */
static inline void trials_open(struct match_trials *results, uint32_t count)
{
    atomic_store_explicit(&results->count, count, memory_order_release);
}

/* Nanoseconds that a candidate takes for 2^30 bytes; 0: not known. */
static inline uint64_t trials_pace(const struct match_trials *results, uint32_t candidate)
{
    return atomic_load_explicit(&results->pace[candidate], memory_order_relaxed);
}

/* Whether no trial has ended yet. */
static inline bool trials_is_first(const struct match_trials *results)
{
    return atomic_load_explicit(&results->trials, memory_order_relaxed) == 0;
}

/*
 * Begins a trial if it is time for one. Writes the numbers of the candidates that take part to
 * invited and returns how many they are. 0: no trial is held now. Otherwise trials_end must follow.
 */
uint32_t trials_begin(struct match_trials *results, uint32_t invited[TRIALS_MAX]);

/*
 * The time of a candidate that follows from its turns. turns: nanoseconds of each turn; piece:
 * bytes of a piece. The first turn is ignored; the median of the others counts. Turns are short, so
 * one during which the processor did something else would make any candidate the slowest.
 */
struct trials_time trials_of_turns(const uint64_t turns[TRIALS_TURNS], uint32_t piece);

/*
 * Ends a trial. times: the time of each candidate; 0 bytes for one that took no part. all: the time
 * of the whole trial, with the turns that do not count. A trial that was given up has 0 bytes for
 * every candidate.
 */
void trials_end(struct match_trials *results, const struct trials_time times[TRIALS_MAX],
                struct trials_time all);

/*
 * Begins a heat if it is time for one: pair[0] is to scan the first half of the text, pair[1] the
 * other. False: no heat is held now. Otherwise trials_heat_end must follow, with the times of both;
 * of 0 bytes where it was given up.
 */
bool trials_heat(struct match_trials *results, uint32_t pair[2]);
void trials_heat_end(struct match_trials *results, const uint32_t pair[2],
                     const struct trials_time times[2]);

/* Adds a scan of the best candidate: its bytes and its time. */
void trials_worked(struct match_trials *results, struct trials_time time);

#endif
