/*
 * match/auto/choice.h - which of some engines is the fastest: what `auto` has learned, and when to learn more. Of choose.c alone.
 *
 * Learning is a trial: the candidates take turns at pieces of the text, so that slow ones cost time. What trials have cost beyond what
 * the fastest would have needed is kept to a small part of the time spent scanning; so a scan is never much longer than with the
 * fastest candidate alone, however slow the others are, and those that are near each other are tried often.
 *
 * Threads share a choice; none of its numbers must be exact.
 */
#ifndef BURIN_MATCH_AUTO_CHOICE_H
#define BURIN_MATCH_AUTO_CHOICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    CHOICE_MAX = 4, /* candidates */
    CHOICE_TURNS =
        4, /* pieces of each candidate in a trial, in a row; the first one only brings its tables into the cache */
};

/* Bytes that took so many nanoseconds. */
struct choice_time {
    uint64_t bytes, ns;
};

struct match_choice {
    _Atomic uint32_t count;            /* of candidates */
    _Atomic uint32_t best;             /* the candidate that scans */
    _Atomic bool trying;               /* some thread holds a trial */
    _Atomic uint32_t trials;           /* held so far */
    _Atomic uint64_t since;            /* bytes scanned since the last one */
    _Atomic uint64_t worked;           /* nanoseconds of scanning, and of them */
    _Atomic uint64_t spent;            /* those that trials cost too much, */
    _Atomic uint64_t last;             /* and the last one of them */
    _Atomic uint64_t usual;            /* nanoseconds for 2^30 bytes of the best one's scans, the mean, */
    _Atomic uint32_t unusual;          /* and scans in turn that are far from it */
    _Atomic uint64_t pace[CHOICE_MAX]; /* nanoseconds for 2^30 bytes; 0: not known */
};

static inline uint32_t choice_best(const struct match_choice *choice)
{
    return atomic_load_explicit(&choice->best, memory_order_acquire);
}

static inline uint32_t choice_count(const struct match_choice *choice)
{
    return atomic_load_explicit(&choice->count, memory_order_acquire);
}

/* From now on there are so many candidates: as many as before, and more. */
static inline void choice_open(struct match_choice *choice, uint32_t count)
{
    atomic_store_explicit(&choice->count, count, memory_order_release);
}

/* Nanoseconds that a candidate takes for 2^30 bytes, or 0. */
static inline uint64_t choice_pace(const struct match_choice *choice, uint32_t candidate)
{
    return atomic_load_explicit(&choice->pace[candidate], memory_order_relaxed);
}

/* Whether there was no trial yet. */
static inline bool choice_is_first(const struct match_choice *choice)
{
    return atomic_load_explicit(&choice->trials, memory_order_relaxed) == 0;
}

/* The candidates that take part in a trial, by number, in invited; how many. 0: there is none now. Otherwise choice_end must follow. */
uint32_t choice_begin(struct match_choice *choice, uint32_t invited[CHOICE_MAX]);

/*
 * What a candidate's turns at pieces of so many bytes say, in nanoseconds: the middle one of the others than the first. Turns are short, and a
 * processor that was called away in one of them would make any candidate the slowest.
 */
struct choice_time choice_of_turns(const uint64_t turns[CHOICE_TURNS], uint32_t piece);

/*
 * Times of the candidates, 0 bytes for those that took no part, and of all of it, with what was not worth measuring. A trial that had
 * to be given up has no times.
 */
void choice_end(struct match_choice *choice, const struct choice_time times[CHOICE_MAX], struct choice_time all);

/* What the best candidate scanned, and how long that took. */
void choice_worked(struct match_choice *choice, struct choice_time time);

#endif
