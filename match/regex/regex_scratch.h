/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_scratch.h - the working memory that threads borrow while they look for
 * expressions.
 *
 * There is as much as threads were announced, each with a cache for every expression that needs
 * one, as far as it fits into a number of bytes: with less room several expressions share a cache,
 * and then several threads a scratch. All of it is allocated at once.
 */
#ifndef BURIN_MATCH_REGEX_REGEX_SCRATCH_H
#define BURIN_MATCH_REGEX_REGEX_SCRATCH_H

#include <pthread.h>

#include "match/regex/regex_dfa.h"
#include "match/regex/regex_item.h"

/* How a text is gone over: start by start as long as that is fast, else all starts at a time. */
struct regex_pace {
    int64_t credit; /* steps that may still be taken before it counts as slow */
    uint32_t slow;  /* bytes to go over all at a time, then */
};

/* The cache of an automaton that is made on the way, and whose it is. */
struct regex_slot {
    uint32_t owner; /* regex_item.slot, counted from 1; 0: nobody's */
    struct regex_dfa dfa;
    struct regex_pace pace;
};

/* What one thread needs. */
struct regex_scratch {
    struct regex_scratch *next; /* of those that nobody has */
    void *slow;                 /* what regex_table_scan and regex_rows_scan work in */
    struct regex_slot *slots;
    uint8_t *caches;
    struct regex_dfa_work work;
};

struct regex_scratches {
    uint32_t large; /* expressions that need a cache */
    uint32_t slots; /* of a scratch */
    size_t cache;   /* bytes of a slot's */
    size_t slow;    /* bytes of a scratch's */
    size_t size;    /* bytes of a scratch, in all */
    uint32_t count; /* of scratches */
    uint8_t *memory;

    pthread_mutex_t lock; /* guards free */
    pthread_cond_t returned;
    struct regex_scratch *free;
};

/*
 * room: bytes, at least 2 MiB. threads: that will borrow at a time. Numbers the items that need a
 * cache. Errors: ERR_ENV no memory. To be closed in any case.
 */
ERR_MUST_CHECK enum err_code regex_scratches_open(struct regex_scratches *all,
                                                  struct regex_item *items, uint32_t count,
                                                  size_t room, uint32_t threads, struct err *err);
void regex_scratches_close(struct regex_scratches *all);

/* Waits until there is one. */
struct regex_scratch *regex_scratches_borrow(struct regex_scratches *all);
void regex_scratches_return(struct regex_scratches *all, struct regex_scratch *scratch);

/*
 * The slot of an item, or NULL when it has a table. It is as the scratch's last borrower left it,
 * or new, with an empty cache and that much credit.
 */
struct regex_slot *regex_scratch_slot(const struct regex_scratches *all,
                                      struct regex_scratch *scratch, const struct regex_item *item,
                                      int64_t credit);

#endif
