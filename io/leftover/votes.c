/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/votes.c - see votes.h. */
#include "io/leftover/votes.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/limits.h"
#include "base/share.h"

enum {
    VOTES_STRIPES = 4, /* parts of the firsts of a poll, each for a thread */
    VOTES_MANY = 5,    /* threads share polls; fewer have a poll each, and touch little memory */
    VOTES_POLLS = 12,  /* that are counted at the same time */
    VOTES_LINE = 32,   /* slots that are passed over together; a table has more */
    VOTES_MARKS = 15,  /* bits of a slot's number that marks tell apart: 4 KiB of the first cache */
};

/* A place that many pairs stand for. */
struct votes_best {
    uint64_t place, lead; /* of the places of the slot the one with most votes, if over half */
    uint32_t slot;
    uint16_t votes;
};

/* What a poll is counted in, and then the next one. */
struct votes_room {
    struct votes_best best[VOTES_STRIPES][VOTES_PLACES];
    uint64_t marks[(1u << VOTES_MARKS) / 64];
    uint64_t sectors[]; /* of the starts that vote, ascending */
};

struct votes {
    struct votes_poll *poll;
    struct votes_room *room;
    /* [table_count << VOTES_BITS]: those of the stripes, or one; later the first is that of all */
    uint16_t *tables;
    uint32_t table_count; /* VOTES_STRIPES or 1 */
    uint64_t first_step, start_step;
    size_t sector_count; /* in room->sectors */
    uint32_t bits; /* of the number of a slot: there are about as many slots as pairs, or more */
};

/* Of a stripe, or of all. */
static uint16_t *votes_table(const struct votes *votes, uint32_t stripe)
{
    return votes->tables + ((size_t)(stripe % votes->table_count) << votes->bits);
}

static void votes_clear(const struct votes *votes, uint32_t table)
{
    memset(votes_table(votes, table), 0, sizeof *votes->tables << votes->bits);
}

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

/* The first of a stripe, and how far it is to the next. */
static uint64_t votes_first(const struct votes *votes, uint32_t stripe, uint64_t *step)
{
    *step = votes->first_step * VOTES_STRIPES;
    return votes->first_step * stripe;
}

static void votes_fill(const struct votes *votes, uint32_t stripe)
{
    const uint64_t *sectors = votes->room->sectors;
    uint16_t *table = votes_table(votes, stripe);
    uint64_t step;

    for (uint64_t f = votes_first(votes, stripe, &step); f < votes->poll->count; f += step) {
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

/* Adds the counts of all tables to those of the first one. */
static void votes_sum(const struct votes *votes)
{
    uint16_t *all = votes->tables;

    for (uint32_t i = 1; i < votes->table_count; i++) {
        const uint16_t *table = votes_table(votes, i);

        for (uint32_t slot = 0; slot < UINT32_C(1) << votes->bits; slot++) {
            const uint32_t sum = (uint32_t)all[slot] + (uint32_t)table[slot];

            all[slot] = (uint16_t)(sum < UINT16_MAX ? sum : UINT16_MAX);
        }
    }
}

/* The most votes of some slots. */
static uint16_t votes_most(const uint16_t slots[VOTES_LINE])
{
    uint16_t most = 0;

    for (uint32_t i = 0; i < VOTES_LINE; i++)
        most = slots[i] > most ? slots[i] : most;
    return most;
}

/* Puts a slot among the best, behind those that have as many votes. */
static void votes_rank(struct votes_best best[VOTES_PLACES], uint32_t slot, uint16_t votes)
{
    uint32_t i = VOTES_PLACES;

    for (; i > 0 && best[i - 1].votes < votes; i--)
        if (i < VOTES_PLACES)
            best[i] = best[i - 1];
    if (i < VOTES_PLACES)
        best[i] = (struct votes_best){ .slot = slot, .votes = votes };
}

/* The slots with most votes, the best first. */
static void votes_top(const struct votes *votes, struct votes_best best[VOTES_PLACES])
{
    const uint16_t *table = votes->tables;

    memset(best, 0, VOTES_PLACES * sizeof *best);
    for (uint32_t line = 0; line < UINT32_C(1) << votes->bits; line += VOTES_LINE) {
        if (votes_most(table + line) <= best[VOTES_PLACES - 1].votes)
            continue;
        for (uint32_t slot = line; slot < line + VOTES_LINE; slot++)
            votes_rank(best, slot, table[slot]);
    }
}

/* The bit that a slot shares with few others. */
static uint32_t votes_mark(const struct votes *votes, uint32_t slot)
{
    return votes->bits > VOTES_MARKS ? slot >> (votes->bits - VOTES_MARKS) : slot;
}

static void votes_set_marks(const struct votes *votes, const struct votes_best best[VOTES_PLACES])
{
    uint64_t *marks = votes->room->marks;

    memset(marks, 0, sizeof votes->room->marks);
    for (uint32_t i = 0; i < VOTES_PLACES && best[i].votes > 0; i++) {
        const uint32_t mark = votes_mark(votes, best[i].slot);

        marks[mark / 64] |= UINT64_C(1) << mark % 64;
    }
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

static void votes_majorities(const struct votes *votes, uint32_t stripe)
{
    const uint64_t *sectors = votes->room->sectors;
    const uint64_t *marks = votes->room->marks;
    struct votes_best *best = votes->room->best[stripe];
    uint64_t step;

    for (uint64_t f = votes_first(votes, stripe, &step); f < votes->poll->count; f += step) {
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

/* A place that has over half of the votes of all stripes leads in one of them, by more than others
 * do in the others. */
static void votes_join(struct votes_best *best, const struct votes_best *other)
{
    const bool same = best->place == other->place;
    const uint64_t place = best->lead < other->lead ? other->place : best->place;

    best->lead = same                       ? best->lead + other->lead
                 : best->lead < other->lead ? other->lead - best->lead
                                            : best->lead - other->lead;
    best->place = place;
}

/* From now on the table tells of a sector whether a start may lie there. */
static void votes_note_starts(const struct votes *votes)
{
    const struct votes_poll *poll = votes->poll;
    uint16_t *table = votes->tables;

    votes_clear(votes, 0);
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

        if (votes->tables[votes_slot(votes, want / LIMIT_SECTOR)] == 0)
            continue;
        const size_t i = bisect(poll->starts, (size_t)poll->start_count, sizeof *poll->starts,
                                votes_before, want);

        hits += i < poll->start_count && poll->starts[i] == want;
    }
    return hits;
}

/* All stripes have been filled. */
static void votes_choose(const struct votes *votes)
{
    struct votes_room *room = votes->room;

    votes_sum(votes);
    votes_top(votes, room->best[0]);
    votes_set_marks(votes, room->best[0]);
    for (uint32_t i = 1; i < VOTES_STRIPES; i++)
        memcpy(room->best[i], room->best[0], sizeof room->best[i]);
}

static bool votes_enough(uint32_t hits, const struct votes_poll *poll)
{
    return hits >= VOTES_LEAST && hits >= poll->count / 8;
}

/* All stripes have named their majorities. */
static void votes_settle(const struct votes *votes)
{
    struct votes_poll *poll = votes->poll;
    struct votes_best *best = votes->room->best[0];
    uint32_t most = 0, last = 0;
    bool tied = false;

    for (uint32_t k = 1; k < VOTES_STRIPES; k++)
        for (uint32_t i = 0; i < VOTES_PLACES; i++)
            votes_join(&best[i], &votes->room->best[k][i]);
    votes_note_starts(votes);
    for (uint32_t i = 0; i < VOTES_PLACES && best[i].votes > 0; i++) {
        /* Where no place leads, none has more than half of the votes. */
        const uint32_t hits = best[i].lead > 0 ? votes_hits(votes, best[i].place) : 0;

        last = i + 1 == VOTES_PLACES ? hits : 0;
        tied = hits == most || (tied && hits < most);
        if (hits > most) {
            most = hits;
            poll->at = best[i].place;
        }
    }
    if (!tied && votes_enough(most, poll) && most >= VOTES_MARGIN * last)
        poll->hits = most;
}

/* A poll for each thread at a time. */
struct votes_each {
    struct votes *votes; /* [threads] */
    struct votes_poll *polls;
};

/* Whether so many of the firsts lie in the image that their votes can be enough: of clusters that
 * are no clusters, or larger than those of the file system, most do not. */
static bool votes_asks(const struct votes_poll *poll)
{
    uint32_t inside = 0;

    if (poll->count < VOTES_LEAST || poll->start_count < VOTES_LEAST)
        return false;
    for (uint32_t f = 0; f < poll->count; f++)
        inside += poll->firsts[f] <= poll->starts[poll->start_count - 1] / poll->unit;
    return votes_enough(inside, poll);
}

static void votes_fill_piece(void *arg, size_t piece, uint32_t worker)
{
    const struct votes *votes = (const struct votes *)arg + piece / VOTES_STRIPES;
    const uint32_t stripe = (uint32_t)(piece % VOTES_STRIPES);

    (void)worker;
    votes_clear(votes, stripe);
    votes_fill(votes, stripe);
}

static void votes_choose_piece(void *arg, size_t piece, uint32_t worker)
{
    (void)worker;
    votes_choose((struct votes *)arg + piece);
}

static void votes_majorities_piece(void *arg, size_t piece, uint32_t worker)
{
    (void)worker;
    votes_majorities((struct votes *)arg + piece / VOTES_STRIPES,
                     (uint32_t)(piece % VOTES_STRIPES));
}

static void votes_settle_piece(void *arg, size_t piece, uint32_t worker)
{
    (void)worker;
    votes_settle((struct votes *)arg + piece);
}

/* So many polls at the same time, whose stripes have a table each. */
static void votes_count(struct votes *votes, uint32_t count, uint32_t threads)
{
    share_out("votes", (size_t)count * VOTES_STRIPES, threads, votes_fill_piece, votes);
    share_out("votes", count, threads, votes_choose_piece, votes);
    share_out("votes", (size_t)count * VOTES_STRIPES, threads, votes_majorities_piece, votes);
    share_out("votes", count, threads, votes_settle_piece, votes);
}

/* Room for one poll after the other, with a table for each stripe or one for all. */
static enum err_code votes_open(struct votes *votes, uint32_t table_count, struct err *err)
{
    const size_t room = sizeof *votes->room + VOTES_STARTS * sizeof votes->room->sectors[0];
    const size_t tables = (size_t)table_count * sizeof *votes->tables << VOTES_BITS;

    *votes = (struct votes){ .room = malloc(room),
                             .tables = malloc(tables),
                             .table_count = table_count };
    return votes->room != NULL && votes->tables != NULL ? ERR_OK
                                                        : ERR_NO_MEMORY(err, room + tables);
}

/* The room is for this poll now. */
static void votes_begin(struct votes *votes, struct votes_poll *poll)
{
    votes->poll = poll;
    votes->first_step = (poll->count + VOTES_FIRSTS - 1) / VOTES_FIRSTS;
    votes->start_step = (poll->start_count + VOTES_STARTS - 1) / VOTES_STARTS;
    votes->bits = votes_bits(votes);
    votes->sector_count = 0;
    votes_sectors(votes);
}

/* All of a poll, by one thread. */
static void votes_poll_piece(void *arg, size_t piece, uint32_t worker)
{
    const struct votes_each *each = arg;
    struct votes *votes = &each->votes[worker];

    if (!votes_asks(&each->polls[piece]))
        return;
    votes_begin(votes, &each->polls[piece]);
    votes_clear(votes, 0);
    for (uint32_t i = 0; i < VOTES_STRIPES; i++)
        votes_fill(votes, i);
    votes_choose(votes);
    for (uint32_t i = 0; i < VOTES_STRIPES; i++)
        votes_majorities(votes, i);
    votes_settle(votes);
}

/* By few threads, each of which has room for one poll. */
static enum err_code votes_one_each(struct votes *votes, struct votes_poll *polls,
                                    uint32_t poll_count, uint32_t threads, struct err *err)
{
    struct votes_each each = { votes, polls };
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < threads; i++)
        rc = votes_open(&votes[i], 1, err);
    if (rc == ERR_OK)
        share_out("votes", poll_count, threads, votes_poll_piece, &each);
    return rc;
}

/* By many threads, that share polls. */
static enum err_code votes_shared(struct votes *votes, struct votes_poll *polls,
                                  uint32_t poll_count, uint32_t threads, struct err *err)
{
    uint32_t count = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < poll_count; i++) {
        if (votes_asks(&polls[i])) {
            if (votes[count].room == NULL)
                rc = votes_open(&votes[count], VOTES_STRIPES, err);
            if (rc == ERR_OK)
                votes_begin(&votes[count++], &polls[i]);
        }
        if (rc == ERR_OK && (i + 1 == poll_count || count == VOTES_POLLS)) {
            votes_count(votes, count, threads);
            count = 0;
        }
    }
    return rc;
}

enum err_code votes_all(struct votes_poll *polls, uint32_t poll_count, uint32_t threads,
                        struct err *err)
{
    struct votes votes[VOTES_POLLS] = { 0 };

    for (uint32_t i = 0; i < poll_count; i++)
        polls[i].hits = 0;
    const enum err_code rc = threads < VOTES_MANY
                                 ? votes_one_each(votes, polls, poll_count, threads, err)
                                 : votes_shared(votes, polls, poll_count, threads, err);
    for (uint32_t i = 0; i < VOTES_POLLS; i++) {
        free(votes[i].room);
        free(votes[i].tables);
    }
    return rc;
}
