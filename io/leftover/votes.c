/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/votes.c - see votes.h. */
#include "io/leftover/votes.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/limits.h"
#include "base/share.h"

enum {
    VOTES_THREADS = 16,
    VOTES_MARKS = 15, /* bits of a slot's number that marks tell apart: 4 KiB of the first cache */
};

/* What a thread counts in. */
struct votes_room {
    uint16_t table[VOTES_TABLE];
    uint64_t sectors[VOTES_STARTS]; /* of the starts that vote, ascending */
    uint64_t marks[(1u << VOTES_MARKS) / 64];
};

struct votes {
    const struct votes_poll *poll;
    struct votes_room *room;
    uint64_t first_step, start_step;
    size_t sector_count; /* in room->sectors */
    uint32_t bits; /* of the number of a slot: there are about as many slots as pairs, or more */
};

static bool votes_before(const void *item, uint64_t at)
{
    return *(const uint64_t *)item < at;
}

/* The slot of a place, of which this is the sector. */
static uint32_t votes_slot(const struct votes *votes, uint64_t sector)
{
    return (uint32_t)((sector * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - votes->bits));
}

/* A start that is on no sector has no vote: a cluster is a number of sectors. */
static void votes_sectors(struct votes *votes)
{
    const struct votes_poll *poll = votes->poll;

    for (uint64_t s = 0; s < poll->start_count; s += votes->start_step)
        if (poll->starts[s] % LIMIT_SECTOR == 0)
            votes->room->sectors[votes->sector_count++] = poll->starts[s] / LIMIT_SECTOR;
}

/*
 * The sectors between cluster 0 and a cluster, and the first start that does not lie before so
 * many; false: the image cannot hold them.
 */
static bool votes_ahead(const struct votes *votes, uint64_t first, uint64_t *ahead, size_t *from)
{
    const struct votes_poll *poll = votes->poll;

    *ahead = first * poll->unit / LIMIT_SECTOR;
    *from = bisect(votes->room->sectors, votes->sector_count, sizeof *votes->room->sectors,
                   votes_before, *ahead);
    return first <= poll->starts[poll->start_count - 1] / poll->unit;
}

static uint32_t votes_bits(const struct votes *votes)
{
    const uint64_t pairs = (votes->poll->count / votes->first_step + 1) *
                           (votes->poll->start_count / votes->start_step + 1);
    uint32_t bits = VOTES_BITS_LEAST;

    while (bits < VOTES_BITS && pairs >> bits != 0)
        bits++;
    return bits;
}

static void votes_fill(const struct votes *votes)
{
    const uint64_t *sectors = votes->room->sectors;
    uint16_t *table = votes->room->table;

    memset(table, 0, sizeof *table << votes->bits);
    for (uint64_t f = 0; f < votes->poll->count; f += votes->first_step) {
        uint64_t ahead;
        size_t i;

        if (!votes_ahead(votes, votes->poll->firsts[f], &ahead, &i))
            continue;
        for (; i < votes->sector_count; i++) {
            uint16_t *slot = &table[votes_slot(votes, sectors[i] - ahead)];

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
static void votes_top(const struct votes *votes, struct votes_best best[VOTES_PLACES])
{
    const uint16_t *table = votes->room->table;

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

/* The bit that a slot shares with few others. */
static uint32_t votes_mark(const struct votes *votes, uint32_t slot)
{
    return votes->bits > VOTES_MARKS ? slot >> (votes->bits - VOTES_MARKS) : slot;
}

/* A pair whose slot is marked stands for this sector. */
static void votes_majority(struct votes_best best[VOTES_PLACES], uint32_t slot, uint64_t sector)
{
    const uint64_t place = sector * LIMIT_SECTOR;

    for (uint32_t i = 0; i < VOTES_PLACES; i++) {
        if (best[i].votes == 0 || best[i].slot != slot)
            continue;
        if (best[i].lead == 0)
            best[i].place = place;
        best[i].lead += place == best[i].place ? 1 : UINT64_MAX;
    }
}

static void votes_majorities(const struct votes *votes, struct votes_best best[VOTES_PLACES])
{
    const uint64_t *sectors = votes->room->sectors;
    uint64_t *marks = votes->room->marks;

    memset(marks, 0, sizeof votes->room->marks);
    for (uint32_t i = 0; i < VOTES_PLACES && best[i].votes > 0; i++) {
        const uint32_t mark = votes_mark(votes, best[i].slot);

        marks[mark / 64] |= UINT64_C(1) << mark % 64;
    }
    for (uint64_t f = 0; f < votes->poll->count; f += votes->first_step) {
        uint64_t ahead;
        size_t i;

        if (!votes_ahead(votes, votes->poll->firsts[f], &ahead, &i))
            continue;
        for (; i < votes->sector_count; i++) {
            const uint32_t slot = votes_slot(votes, sectors[i] - ahead);
            const uint32_t mark = votes_mark(votes, slot);

            if ((marks[mark / 64] >> mark % 64 & 1) != 0)
                votes_majority(best, slot, sectors[i] - ahead);
        }
    }
}

/* From now on the table tells of a sector whether a start may lie there. */
static void votes_note_starts(const struct votes *votes)
{
    const struct votes_poll *poll = votes->poll;
    uint16_t *table = votes->room->table;

    memset(table, 0, sizeof *table << votes->bits);
    for (uint64_t s = 0; s < poll->start_count; s++)
        table[votes_slot(votes, poll->starts[s] / LIMIT_SECTOR)] = 1;
}

/* For how many of all firsts a start lies where it must. */
static uint32_t votes_hits(const struct votes *votes, uint64_t place)
{
    const struct votes_poll *poll = votes->poll;
    uint32_t hits = 0;

    for (uint64_t f = 0; f < poll->count; f++) {
        const uint64_t want = place + poll->firsts[f] * poll->unit;

        if (votes->room->table[votes_slot(votes, want / LIMIT_SECTOR)] == 0)
            continue;
        const size_t i = bisect(poll->starts, (size_t)poll->start_count, sizeof *poll->starts,
                                votes_before, want);

        hits += i < poll->start_count && poll->starts[i] == want;
    }
    return hits;
}

static void votes_count(struct votes_poll *poll, struct votes_room *room)
{
    struct votes votes = { .poll = poll,
                           .room = room,
                           .first_step = (poll->count + VOTES_FIRSTS - 1) / VOTES_FIRSTS,
                           .start_step = (poll->start_count + VOTES_STARTS - 1) / VOTES_STARTS };
    const uint32_t count = poll->count;
    struct votes_best best[VOTES_PLACES];
    uint32_t most = 0, last = 0;
    bool tied = false;

    votes.bits = votes_bits(&votes);
    votes_sectors(&votes);
    votes_fill(&votes);
    votes_top(&votes, best);
    votes_majorities(&votes, best);
    votes_note_starts(&votes);
    for (uint32_t i = 0; i < VOTES_PLACES && best[i].votes > 0; i++) {
        const uint32_t hits = votes_hits(&votes, best[i].place);

        last = i + 1 == VOTES_PLACES ? hits : 0;
        tied = hits == most || (tied && hits < most);
        if (hits > most) {
            most = hits;
            poll->at = best[i].place;
        }
    }
    if (!tied && most >= VOTES_LEAST && most >= count / 8 && most >= VOTES_MARGIN * last)
        poll->hits = most;
}

static bool votes_asks(const struct votes_poll *poll)
{
    return poll->count >= VOTES_LEAST && poll->start_count >= VOTES_LEAST;
}

/* What threads share. */
struct votes_hall {
    struct votes_poll *polls;
    struct votes_room *rooms[VOTES_THREADS];
};

static void votes_piece(void *arg, size_t piece, uint32_t worker)
{
    const struct votes_hall *hall = arg;

    if (votes_asks(&hall->polls[piece]))
        votes_count(&hall->polls[piece], hall->rooms[worker]);
}

enum err_code votes_all(struct votes_poll *polls, uint32_t poll_count, uint32_t threads,
                        struct err *err)
{
    struct votes_hall hall = { .polls = polls };
    uint32_t asked = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < poll_count; i++) {
        polls[i].hits = 0;
        asked += votes_asks(&polls[i]);
    }
    threads = threads > 0 ? threads : 1;
    threads = threads < asked ? threads : asked;
    threads = threads < VOTES_THREADS ? threads : VOTES_THREADS;
    for (uint32_t i = 0; rc == ERR_OK && i < threads; i++) {
        hall.rooms[i] = malloc(sizeof *hall.rooms[i]);
        if (hall.rooms[i] == NULL)
            rc = ERR_NO_MEMORY(err, sizeof *hall.rooms[i]);
    }
    if (rc == ERR_OK && asked > 0)
        share_out("votes", poll_count, threads, votes_piece, &hall);
    for (uint32_t i = 0; i < threads; i++)
        free(hall.rooms[i]);
    return rc;
}
