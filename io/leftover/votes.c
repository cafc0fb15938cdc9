/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/votes.c - see votes.h. */
#include "io/leftover/votes.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/limits.h"
#include "base/thread.h"

enum { VOTES_THREADS = 16 };

/* Polls that threads take one by one. */
struct votes_hall {
    struct votes_poll *polls;
    uint32_t poll_count;
    const uint64_t *starts;
    uint64_t start_count;
    _Atomic uint32_t next;
};

struct votes_clerk {
    struct votes_hall *hall;
    struct thread thread;
    uint16_t *table; /* [VOTES_TABLE] */
};

struct votes {
    const uint64_t *firsts, *starts;
    uint64_t first_count, start_count, first_step, start_step;
    uint32_t unit;
    uint32_t bits; /* of the number of a slot: there are about as many slots as pairs, or more */
};

/* Bytes between cluster 0 and a cluster, if they are so few that the image could hold them. */
static bool votes_ahead(const struct votes *votes, uint64_t first, uint64_t *ahead)
{
    const uint64_t last = votes->starts[votes->start_count - 1];

    *ahead = first * votes->unit;
    return first <= last / votes->unit;
}

/*
 * Where cluster 0 lies if the bytes ahead of a start are those of a file's first cluster: before
 * the image, or not on a sector, it is no place. A cluster is a number of sectors.
 */
static bool votes_place(uint64_t ahead, uint64_t start, uint64_t *place)
{
    *place = start - ahead;
    return start >= ahead && start % LIMIT_SECTOR == 0;
}

static uint32_t votes_slot(const struct votes *votes, uint64_t place)
{
    return (uint32_t)((place / LIMIT_SECTOR * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - votes->bits));
}

static uint32_t votes_bits(const struct votes *votes)
{
    const uint64_t pairs =
        (votes->first_count / votes->first_step + 1) * (votes->start_count / votes->start_step + 1);
    uint32_t bits = VOTES_BITS_LEAST;

    while (bits < VOTES_BITS && pairs >> bits != 0)
        bits++;
    return bits;
}

static void votes_fill(const struct votes *votes, uint16_t *table)
{
    uint64_t place = 0;

    memset(table, 0, sizeof *table << votes->bits);
    for (uint64_t f = 0; f < votes->first_count; f += votes->first_step) {
        uint64_t ahead;

        if (!votes_ahead(votes, votes->firsts[f], &ahead))
            continue;
        for (uint64_t s = 0; s < votes->start_count; s += votes->start_step)
            if (votes_place(ahead, votes->starts[s], &place)) {
                uint16_t *slot = &table[votes_slot(votes, place)];

                *slot = (uint16_t)(*slot + (*slot < UINT16_MAX));
            }
    }
}

/* A place that many pairs stand for. */
struct votes_best {
    uint64_t place, lead; /* of the places of the slot the one with most votes, if over half */
    uint32_t slot;
    uint16_t votes;
};

/* The slots with most votes, the best first. */
static void votes_top(const struct votes *votes, const uint16_t *table,
                      struct votes_best best[VOTES_PLACES])
{
    memset(best, 0, VOTES_PLACES * sizeof *best);
    for (uint32_t slot = 0; slot < UINT32_C(1) << votes->bits; slot++) {
        uint32_t i = VOTES_PLACES;

        for (; i > 0 && best[i - 1].votes < table[slot]; i--)
            if (i < VOTES_PLACES)
                best[i] = best[i - 1];
        if (i < VOTES_PLACES && table[slot] > 0)
            best[i] = (struct votes_best){ .slot = slot, .votes = table[slot] };
    }
}

static void votes_majorities(const struct votes *votes, const uint16_t *table,
                             struct votes_best best[VOTES_PLACES])
{
    const uint16_t least = best[VOTES_PLACES - 1].votes;
    uint64_t place = 0;

    for (uint64_t f = 0; f < votes->first_count; f += votes->first_step) {
        uint64_t ahead;

        if (!votes_ahead(votes, votes->firsts[f], &ahead))
            continue;
        for (uint64_t s = 0; s < votes->start_count; s += votes->start_step) {
            if (!votes_place(ahead, votes->starts[s], &place) ||
                table[votes_slot(votes, place)] < least)
                continue;
            for (uint32_t i = 0; i < VOTES_PLACES; i++) {
                if (best[i].votes == 0 || best[i].slot != votes_slot(votes, place))
                    continue;
                if (best[i].lead == 0)
                    best[i].place = place;
                best[i].lead += place == best[i].place ? 1 : UINT64_MAX;
            }
        }
    }
}

static bool votes_before(const void *item, uint64_t at)
{
    return *(const uint64_t *)item < at;
}

/* For how many of all firsts a start lies where it must. */
static uint32_t votes_hits(const struct votes *votes, uint64_t place)
{
    uint32_t hits = 0;

    for (uint64_t f = 0; f < votes->first_count; f++) {
        const uint64_t want = place + votes->firsts[f] * votes->unit;
        const size_t i = bisect(votes->starts, (size_t)votes->start_count, sizeof *votes->starts,
                                votes_before, want);

        hits += i < votes->start_count && votes->starts[i] == want;
    }
    return hits;
}

uint32_t votes_count(const uint64_t *firsts, uint32_t count, const uint64_t *starts,
                     uint64_t start_count, uint32_t unit, uint16_t *table, uint64_t *at)
{
    struct votes votes = { .firsts = firsts,
                           .starts = starts,
                           .first_count = count,
                           .start_count = start_count,
                           .first_step = (count + VOTES_FIRSTS - 1) / VOTES_FIRSTS,
                           .start_step = (start_count + VOTES_STARTS - 1) / VOTES_STARTS,
                           .unit = unit };
    struct votes_best best[VOTES_PLACES];
    uint32_t most = 0, last = 0;
    bool tied = false;

    if (count < VOTES_LEAST || start_count < VOTES_LEAST)
        return 0;
    votes.bits = votes_bits(&votes);
    votes_fill(&votes, table);
    votes_top(&votes, table, best);
    votes_majorities(&votes, table, best);
    for (uint32_t i = 0; i < VOTES_PLACES && best[i].votes > 0; i++) {
        const uint32_t hits = votes_hits(&votes, best[i].place);

        last = i + 1 == VOTES_PLACES ? hits : 0;
        tied = hits == most || (tied && hits < most);
        if (hits > most) {
            most = hits;
            *at = best[i].place;
        }
    }
    return !tied && most >= VOTES_LEAST && most >= count / 8 && most >= VOTES_MARGIN * last ? most
                                                                                            : 0;
}

static void votes_work(void *arg)
{
    const struct votes_clerk *clerk = arg;
    struct votes_hall *hall = clerk->hall;
    uint32_t i;

    while ((i = atomic_fetch_add(&hall->next, 1)) < hall->poll_count) {
        struct votes_poll *poll = &hall->polls[i];

        poll->hits = votes_count(poll->firsts, poll->count, hall->starts, hall->start_count,
                                 poll->unit, clerk->table, &poll->at);
    }
}

enum err_code votes_all(struct votes_poll *polls, uint32_t poll_count, const uint64_t *starts,
                        uint64_t start_count, uint32_t threads, struct err *err)
{
    struct votes_hall hall = {
        .polls = polls, .poll_count = poll_count, .starts = starts, .start_count = start_count
    };
    struct votes_clerk clerks[VOTES_THREADS] = { 0 };
    uint32_t asked = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < poll_count; i++)
        asked += polls[i].count >= VOTES_LEAST && start_count >= VOTES_LEAST;
    threads = threads < asked ? threads : asked;
    threads = threads < VOTES_THREADS ? threads : VOTES_THREADS;
    for (uint32_t i = 0; rc == ERR_OK && (i == 0 || i < threads); i++) {
        clerks[i] = (struct votes_clerk){ .hall = &hall,
                                          .table = malloc(VOTES_TABLE * sizeof *clerks->table) };
        if (clerks[i].table == NULL)
            rc = ERR_NO_MEMORY(err, VOTES_TABLE * sizeof *clerks->table);
        else if (i > 0)
            rc = thread_start(&clerks[i].thread, "votes", votes_work, &clerks[i], err);
    }
    if (rc == ERR_OK)
        votes_work(&clerks[0]);
    for (uint32_t i = 0; i < VOTES_THREADS; i++) {
        thread_join(&clerks[i].thread);
        free(clerks[i].table);
    }
    return rc;
}
