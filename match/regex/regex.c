/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex.c - see regex.h: all expressions of a dictionary, and how one goes over a text.
 */
#include <stdlib.h>

#include "match/regex.h"
#include "match/regex/regex_scratch.h"

enum {
    REGEX_PROGRAMS = LIMIT_REGEX_MEMORY / 2, /* bytes of compiled expressions, at most */
    REGEX_CHECK_MEMORY = 16 << 20,           /* bytes for one that is only looked at */
    REGEX_PIECE = 32 << 10,                  /* starts after which it is decided how to go on, */
    REGEX_SLOW = 64 << 10,   /* for which a slow text is not expected to become a fast one, */
    REGEX_STOP = 64 << 10,   /* and after which one may be asked to stop */
    REGEX_CREDIT = 8 << 10,  /* steps of an automaton that a text may take at once, */
    REGEX_LEARN = 128 << 10, /* with those that make the states of one that is new; */
    REGEX_STEPS_MIN = 4,     /* and for each byte besides: */
    REGEX_STEPS_MAX = 48,
    REGEX_COST_PER_STEP = 8,   /* as many as take as long as a byte of regex_rows.h, */
    REGEX_STATES_PER_STEP = 4, /* or of regex_table.h */
};

struct match_regexes {
    struct arena arena; /* of the items and what they hold */
    uint32_t count;
    struct regex_item *items;
    struct regex_scratches scratches;
    bool open; /* there are scratches */
};

/* One expression on its way through a text. */
struct regex_walk {
    const struct regex_item *item;
    const struct match_text *text;
    struct match_sink *sink;
    struct regex_scratch *scratch;
    struct regex_slot *slot; /* NULL: the item has a table */
    struct regex_pace pace;
    uint32_t steps;    /* credit for each byte */
    uint32_t asked_at; /* whether to stop */
};

enum err_code match_regex_check(const struct match_pattern *pattern, uint32_t *at, struct err *err)
{
    struct regex_item *item = malloc(sizeof *item);
    struct arena arena;

    *at = 0;
    if (item == NULL)
        return ERR_NO_MEMORY(err, sizeof *item);
    arena_init(&arena, REGEX_CHECK_MEMORY);
    const enum err_code rc = regex_item_compile(pattern, 0, &arena, item, at, err);
    arena_release(&arena);
    free(item);
    return rc;
}

static enum err_code regexes_compile(struct match_regexes *all,
                                     const struct match_dictionary *dictionary, struct err *err)
{
    const uint32_t patterns = match_dictionary_count(dictionary);
    enum err_code rc = ERR_OK;
    uint32_t done = 0, at;

    all->items = arena_alloc(&all->arena, all->count * sizeof *all->items);
    if (all->items == NULL)
        return ERR_RAISE(err, ERR_FULL, "%u regular expressions are too many; use fewer",
                         all->count);
    for (uint32_t i = 0; i < patterns && rc == ERR_OK; i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);

        if (pattern->kind == MATCH_REGEX)
            rc = regex_item_compile(pattern, i, &all->arena, &all->items[done++], &at, err);
    }
    return rc;
}

enum err_code match_regexes_open(const struct match_dictionary *dictionary, uint32_t threads,
                                 struct match_regexes **out, struct err *err)
{
    const uint32_t patterns = match_dictionary_count(dictionary);
    uint32_t count = 0;

    *out = NULL;
    for (uint32_t i = 0; i < patterns; i++)
        count += match_dictionary_get(dictionary, i)->kind == MATCH_REGEX;
    if (count == 0)
        return ERR_OK;
    struct match_regexes *all = calloc(1, sizeof *all);
    if (all == NULL)
        return ERR_NO_MEMORY(err, sizeof *all);
    all->count = count;
    arena_init(&all->arena, REGEX_PROGRAMS);
    enum err_code rc = regexes_compile(all, dictionary, err);
    if (rc == ERR_OK) {
        const size_t room = LIMIT_REGEX_MEMORY - all->arena.used;

        all->open = true;
        rc = regex_scratches_open(&all->scratches, all->items, count, room, threads, err);
    }
    if (rc != ERR_OK) {
        match_regexes_close(all);
        return rc;
    }
    *out = all;
    return ERR_OK;
}

void match_regexes_close(struct match_regexes *all)
{
    if (all == NULL)
        return;
    if (all->open)
        regex_scratches_close(&all->scratches);
    arena_release(&all->arena);
    free(all);
}

size_t match_regexes_bytes(const struct match_regexes *all)
{
    return all->arena.used + all->scratches.count * all->scratches.size;
}

/*
 * The starts from *low on, before *high, at which matches may begin that hold the text they all
 * hold; *low may become larger and *high smaller.
 */
static void regex_narrow(const struct regex_walk *walk, uint32_t *low, uint32_t *high)
{
    const struct regex_need *need = &walk->item->need;
    const uint32_t len = walk->text->len;
    const uint32_t at = regex_need_find(need, walk->text->bytes, *low + need->near, len);

    if (at >= len) {
        *low = *high;
        return;
    }
    if (at > *low + need->far)
        *low = at - need->far < *high ? at - need->far : *high;
    if (at - need->near + 1 < *high)
        *high = at - need->near + 1;
}

/* Bytes of the match that begins at text[at]; 0: there is none. */
static uint32_t regex_match(const struct regex_walk *walk, uint32_t at, int64_t *effort)
{
    const struct regex_item *item = walk->item;
    const uint8_t *bytes = walk->text->bytes + at;
    const uint32_t left = walk->text->len - at, window = left < item->window ? left : item->window;

    if (walk->slot == NULL)
        return regex_table_match(&item->table, &item->nfa, bytes, window, effort);
    return regex_dfa_match(&walk->slot->dfa, bytes, window, item->shortest, effort);
}

/*
 * Starts [from, to) one after the other, as long as that is fast and there is room; returns the
 * first one that is not decided.
 */
static uint32_t regex_starts(struct regex_walk *walk, uint32_t from, uint32_t to)
{
    const struct match_text *text = walk->text;
    const struct regex_item *item = walk->item;
    struct match_sink *sink = walk->sink;
    int64_t effort = 0;
    uint32_t at = from;

    for (; at < to; at++) {
        const int64_t credit = walk->pace.credit + (int64_t)walk->steps * (at - from);

        if (!regex_set_has(&item->begins, text->bytes[at]))
            continue;
        if (sink->count == sink->max || effort > credit)
            break;
        const uint32_t len = regex_match(walk, at, &effort);
        if (len > 0)
            sink->items[sink->count++] =
                (struct hit){ .offset = text->offset + at, .pattern = item->pattern, .len = len };
    }
    walk->pace.credit += (int64_t)walk->steps * (at - from) - effort;
    if (walk->pace.credit > REGEX_LEARN)
        walk->pace.credit = REGEX_LEARN;
    return at;
}

/* Starts [from, to), all at a time; returns as regex_starts. */
static uint32_t regex_slow(const struct regex_walk *walk, uint32_t from, uint32_t to)
{
    const struct regex_item *item = walk->item;
    const struct regex_task task = { .nfa = &item->nfa,
                                     .pattern = item->pattern,
                                     .window = item->window,
                                     .text = walk->text,
                                     .from = from,
                                     .to = to,
                                     .sink = walk->sink,
                                     .memory = walk->scratch->slow };

    if (item->slow_by_rows)
        return regex_rows_scan(&item->rows, &task);
    return regex_table_scan(&item->table, &task);
}

static void regex_slower(struct regex_pace *pace, uint32_t bytes)
{
    pace->slow -= pace->slow < bytes ? pace->slow : bytes;
}

/* Starts [from, *to) of one expression; *to becomes smaller when there is no room. */
static enum err_code regex_scan(struct regex_walk *walk, uint32_t from, uint32_t *to,
                                bool (*stop)(void))
{
    for (uint32_t at = from, reached; at < *to; at = reached) {
        uint32_t low = at, high = *to;

        if (stop != NULL && at >= walk->asked_at) {
            if (stop())
                return ERR_INTERRUPTED;
            walk->asked_at = at + REGEX_STOP;
        }
        if (walk->item->need.len > 0)
            regex_narrow(walk, &low, &high);
        regex_slower(&walk->pace, low - at);
        const bool slow = walk->pace.slow > 0;
        if (slow || high - low > REGEX_PIECE)
            high = *to - low < REGEX_PIECE ? *to : low + REGEX_PIECE;
        reached = slow ? regex_slow(walk, low, high) : regex_starts(walk, low, high);
        regex_slower(&walk->pace, reached - low);
        if (reached < high && walk->sink->count == walk->sink->max)
            *to = reached;
        else if (reached < high)
            walk->pace = (struct regex_pace){ .credit = REGEX_CREDIT, .slow = REGEX_SLOW };
    }
    return ERR_OK;
}

static uint32_t regex_steps(const struct regex_item *item)
{
    const uint32_t steps = item->slow_by_rows ? item->rows.cost / REGEX_COST_PER_STEP
                                              : item->table.states / REGEX_STATES_PER_STEP;

    if (steps < REGEX_STEPS_MIN)
        return REGEX_STEPS_MIN;
    return steps < REGEX_STEPS_MAX ? steps : REGEX_STEPS_MAX;
}

/* Takes out of the sink what was appended from `first` on and begins at text[to] or behind. */
static void regexes_cut(const struct match_text *text, uint32_t to, struct match_sink *sink,
                        uint32_t first)
{
    uint32_t kept = first;

    for (uint32_t i = first; i < sink->count; i++)
        if (sink->items[i].offset - text->offset < to)
            sink->items[kept++] = sink->items[i];
    sink->count = kept;
}

/* One expression beside those before it, whose hits stand in the sink from `first` on. */
static enum err_code regexes_one(struct regex_walk *walk, uint32_t from, uint32_t *to,
                                 bool (*stop)(void), uint32_t first)
{
    for (;;) {
        uint32_t reached = *to;

        const enum err_code rc = regex_scan(walk, from, &reached, stop);
        if (rc != ERR_OK || reached == *to)
            return rc;
        const bool stuck =
            reached == from && *to - from > 1; /* the others have taken all the room */
        *to = stuck ? from + (*to - from) / 2 : reached;
        regexes_cut(walk->text, *to, walk->sink, first);
        if (!stuck)
            return ERR_OK;
    }
}

enum err_code match_regexes_scan(struct match_regexes *all, const struct match_text *text,
                                 uint32_t from, uint32_t *to, bool (*stop)(void),
                                 struct match_sink *sink, struct err *err)
{
    const uint32_t first = sink->count;
    struct regex_scratch *scratch = regex_scratches_borrow(&all->scratches);
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < all->count && rc == ERR_OK; i++) {
        const struct regex_item *item = &all->items[i];
        struct regex_slot *slot = regex_scratch_slot(&all->scratches, scratch, item, REGEX_LEARN);
        struct regex_walk walk = { .item = item,
                                   .text = text,
                                   .sink = sink,
                                   .scratch = scratch,
                                   .slot = slot,
                                   .pace = { .credit = REGEX_CREDIT },
                                   .steps = regex_steps(item) };

        if (slot != NULL)
            walk.pace = slot->pace; /* it may be the next piece of the same text */
        rc = regexes_one(&walk, from, to, stop, first);
        if (slot != NULL)
            slot->pace = walk.pace;
    }
    regex_scratches_return(&all->scratches, scratch);
    if (rc == ERR_OK)
        return ERR_OK;
    sink->count = first;
    return ERR_RAISE(err, rc, "stopped on request");
}
