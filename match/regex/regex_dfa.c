/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_dfa.c - see regex_dfa.h.
 *
 * A state in the cache: the next one of its chain, the number of its positions, where each class of
 * bytes leads, and the positions, ascending, two a word. It goes by the index of the first of the
 * places that classes lead to; the highest bit of such a number says that a match may end there.
 */
#include <assert.h>
#include <string.h>

#include "match/regex/regex_dfa.h"

enum {
    DFA_UNKNOWN = 0,        /* not made yet */
    DFA_DEAD = 1,           /* no match is left */
    DFA_HEAD = 2,           /* words before the places of a state */
    DFA_COST = 64,          /* of making a state, in steps, */
    DFA_COST_POSITION = 4,  /* and for each position */
    DFA_COMPLETE = 4 << 20, /* steps that all states may take: some ms */
};

#define DFA_ENDS ((uint32_t)1 << 31)

static const uint16_t *dfa_list(const struct regex_dfa *dfa, uint32_t state)
{
    return (const uint16_t *)(dfa->memory + (state & ~DFA_ENDS) + dfa->nfa->classes);
}

static uint32_t dfa_count(const struct regex_dfa *dfa, uint32_t state)
{
    return dfa->memory[(state & ~DFA_ENDS) - 1];
}

/* Adds the positions that stand at a place to work->seen; true when the end is there, too. */
static bool dfa_reach(const struct regex_nfa *nfa, struct regex_dfa_work *work, uint16_t place)
{
    uint32_t waiting = 0;
    bool ends = false;

    for (;;) {
        const uint32_t fork = place - nfa->positions;

        if (place == REGEX_END) {
            ends = true;
        } else if (place < nfa->positions) {
            work->seen[place >> 6] |= (uint64_t)1 << (place & 63);
        } else if ((work->seen_fork[fork >> 6] >> (fork & 63) & 1) == 0) {
            work->seen_fork[fork >> 6] |= (uint64_t)1 << (fork & 63);
            work->stack[waiting++] = nfa->fork[fork][1];
            place = nfa->fork[fork][0];
            continue;
        }
        if (waiting == 0)
            return ends;
        place = work->stack[--waiting];
    }
}

static void dfa_clear(const struct regex_nfa *nfa, struct regex_dfa_work *work)
{
    memset(work->seen, 0, (nfa->positions / 64 + 1) * sizeof *work->seen);
    memset(work->seen_fork, 0, (nfa->forks / 64 + 1) * sizeof *work->seen_fork);
}

/* work->seen as a list; *hash goes by it. */
static uint32_t dfa_listed(const struct regex_nfa *nfa, struct regex_dfa_work *work, uint32_t *hash)
{
    uint64_t mix = 0;
    uint32_t count = 0;

    for (uint32_t w = 0; w <= nfa->positions / 64; w++) {
        mix = (mix ^ work->seen[w]) * 0x9e3779b97f4a7c15u;
        mix ^= mix >> 29;
        for (uint64_t left = work->seen[w]; left != 0; left &= left - 1)
            work->list[count++] = (uint16_t)(w * 64 + (uint32_t)__builtin_ctzll(left));
    }
    *hash = (uint32_t)(mix >> 32);
    return count;
}

static void dfa_empty(struct regex_dfa *dfa)
{
    memset(dfa->memory, 0, REGEX_DFA_HEADS * sizeof *dfa->memory);
    dfa->used = REGEX_DFA_HEADS;
    dfa->start = DFA_UNKNOWN;
    dfa->emptied++;
}

void regex_dfa_init(struct regex_dfa *dfa, const struct regex_nfa *nfa, struct regex_dfa_work *work,
                    uint32_t *memory, uint32_t words)
{
    assert(words >= REGEX_DFA_WORDS_MIN);
    *dfa = (struct regex_dfa){ .nfa = nfa, .work = work, .memory = memory, .words = words };
    dfa_empty(dfa);
}

/* The state with the positions of work->seen; in an empty cache when there is no room for it. */
static uint32_t dfa_state(struct regex_dfa *dfa, bool ends, int64_t *effort)
{
    const uint32_t classes = dfa->nfa->classes, mark = ends ? DFA_ENDS : 0;
    uint32_t hash;
    const uint32_t count = dfa_listed(dfa->nfa, dfa->work, &hash);
    uint32_t *head = &dfa->memory[hash % REGEX_DFA_HEADS];
    const uint32_t size = DFA_HEAD + classes + (count + 1) / 2;

    *effort += DFA_COST + DFA_COST_POSITION * count + (dfa->nfa->positions + dfa->nfa->forks) / 64;
    if (count == 0 && !ends)
        return DFA_DEAD;
    for (uint32_t state = *head; state != 0;
         state = dfa->memory[(state & ~DFA_ENDS) - DFA_HEAD], *effort += 4)
        if ((state & DFA_ENDS) == mark && dfa_count(dfa, state) == count &&
            memcmp(dfa_list(dfa, state), dfa->work->list, count * sizeof *dfa->work->list) == 0)
            return state;
    if (size > dfa->words - dfa->used)
        dfa_empty(dfa);
    assert(size <= dfa->words - dfa->used);
    const uint32_t at = dfa->used + DFA_HEAD;
    dfa->used += size;
    dfa->memory[at - DFA_HEAD] = *head;
    dfa->memory[at - 1] = count;
    memset(&dfa->memory[at], 0, classes * sizeof *dfa->memory);
    memcpy(&dfa->memory[at + classes], dfa->work->list, count * sizeof *dfa->work->list);
    *head = at | mark;
    return *head;
}

/* Where a class of bytes leads from a state, which may be gone then. */
static uint32_t dfa_make(struct regex_dfa *dfa, uint32_t state, uint32_t class, int64_t *effort)
{
    const struct regex_nfa *nfa = dfa->nfa;
    const uint16_t *list = dfa_list(dfa, state);
    const uint32_t count = dfa_count(dfa, state), emptied = dfa->emptied;
    bool ends = false;

    dfa_clear(nfa, dfa->work);
    *effort += count;
    for (uint32_t i = 0; i < count; i++)
        if (regex_set_has(&nfa->sets[nfa->set[list[i]]], nfa->sample[class]))
            ends |= dfa_reach(nfa, dfa->work, nfa->next[list[i]]);
    const uint32_t next = dfa_state(dfa, ends, effort);
    if (dfa->emptied == emptied)
        dfa->memory[(state & ~DFA_ENDS) + class] = next;
    return next;
}

/* Sees to it that there is a state to begin with. */
static void dfa_begin(struct regex_dfa *dfa, int64_t *effort)
{
    if (dfa->start != DFA_UNKNOWN)
        return;
    dfa_clear(dfa->nfa, dfa->work);
    const bool ends = dfa_reach(dfa->nfa, dfa->work, dfa->nfa->start);
    dfa->start = dfa_state(dfa, ends, effort);
}

uint32_t regex_dfa_match(struct regex_dfa *dfa, const uint8_t *bytes, uint32_t len, bool shortest,
                         int64_t *effort)
{
    uint32_t longest = 0, at = 0;

    dfa_begin(dfa, effort);
    for (uint32_t state = dfa->start; at < len; at++) {
        const uint32_t class = dfa->nfa->class_of[bytes[at]];
        uint32_t next = dfa->memory[(state & ~DFA_ENDS) + class];

        if (next == DFA_UNKNOWN)
            next = dfa_make(dfa, state, class, effort);
        if (next == DFA_DEAD)
            break;
        state = next;
        if ((state & DFA_ENDS) != 0) {
            longest = at + 1;
            if (shortest)
                break;
        }
    }
    *effort += at + 1;
    return longest;
}

uint32_t regex_dfa_complete(struct regex_dfa *dfa, uint32_t most, uint32_t *places)
{
    const uint32_t emptied = dfa->emptied, classes = dfa->nfa->classes;
    uint32_t states = 0;
    int64_t effort = 0;

    dfa_begin(dfa, &effort);
    /* States stand one behind the other in the order in which they were made. */
    for (uint32_t at = REGEX_DFA_HEADS + DFA_HEAD; at < dfa->used;) {
        if (states == most)
            return 0;
        places[states++] = at;
        for (uint32_t c = 0; c < classes; c++)
            (void)dfa_make(dfa, at, c, &effort);
        if (dfa->emptied != emptied || effort > DFA_COMPLETE)
            return 0;
        at += classes + (dfa_count(dfa, at) + 1) / 2 + DFA_HEAD;
    }
    for (uint32_t i = 0; i < states; i++)
        dfa->memory[places[i] - DFA_HEAD] = i + 1; /* no chains any more, but numbers */
    return states;
}

uint32_t regex_dfa_next(const struct regex_dfa *dfa, uint32_t place, uint32_t class, bool *ends)
{
    const uint32_t next = dfa->memory[place + class];

    *ends = (next & DFA_ENDS) != 0;
    return next == DFA_DEAD ? 0 : dfa->memory[(next & ~DFA_ENDS) - DFA_HEAD];
}
