/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_hold.c - whether a match of an expression can hold a text: match_regex_can_hold
 * in match/regex.h.
 *
 * A walk over the places of the automaton, each together with how much of the text has been seen
 * just before it (Knuth, Morris and Pratt, Fast Pattern Matching in Strings, SIAM J. Comput. 6,
 * 1977). Each pair is looked at once.
 */
#include <stdlib.h>
#include <string.h>

#include "match/regex.h"
#include "match/regex/regex_item.h"

enum { HOLD_STATES = MATCH_HOLD_MAX + 1, HOLD_ARENA = 32 << 20 /* bytes */ };

struct hold {
    const struct regex_nfa *nfa;
    const uint8_t *text;
    uint32_t len;
    uint8_t next[HOLD_STATES][256]; /* how much of the text is seen behind a byte; len stays len */
    uint8_t *seen;                  /* [places * HOLD_STATES], a bit each */
    uint32_t *stack;                /* pairs that are still to be looked at */
    uint32_t depth;
};

static void hold_table(struct hold *hold)
{
    uint32_t border = 0; /* the state behind the text without its first byte */

    for (uint32_t c = 0; c < 256; c++)
        hold->next[0][c] = c == hold->text[0];
    for (uint32_t k = 1; k < hold->len; k++) {
        memcpy(hold->next[k], hold->next[border], 256);
        hold->next[k][hold->text[k]] = (uint8_t)(k + 1);
        border = hold->next[border][hold->text[k]];
    }
    memset(hold->next[hold->len], (int)hold->len, 256);
}

static void hold_reach(struct hold *hold, uint32_t place, uint32_t state)
{
    const uint32_t pair = place * HOLD_STATES + state;

    if ((hold->seen[pair / 8] >> (pair % 8) & 1) != 0)
        return;
    hold->seen[pair / 8] |= (uint8_t)(1 << (pair % 8));
    hold->stack[hold->depth++] = pair;
}

/* Goes to the places behind one; true when that is the end, with all of the text seen. */
static bool hold_step(struct hold *hold, uint32_t place, uint32_t state)
{
    const struct regex_nfa *nfa = hold->nfa;

    for (uint32_t side = 0; place >= nfa->positions && side < 2; side++) {
        const uint32_t to = nfa->fork[place - nfa->positions][side];

        if (to == REGEX_END && state == hold->len)
            return true;
        if (to != REGEX_END)
            hold_reach(hold, to, state);
    }
    if (place >= nfa->positions)
        return false;
    const struct regex_set *set = &nfa->sets[nfa->set[place]];
    const uint32_t to = nfa->next[place];
    for (uint32_t c = 0; c < 256; c++) {
        const uint32_t behind = hold->next[state][c];

        if (!regex_set_has(set, (uint8_t)c))
            continue;
        if (to == REGEX_END && behind == hold->len)
            return true;
        if (to != REGEX_END)
            hold_reach(hold, to, behind);
    }
    return false;
}

static enum err_code hold_walk(struct hold *hold, bool *can, struct err *err)
{
    const size_t pairs = (size_t)(hold->nfa->positions + hold->nfa->forks) * HOLD_STATES;

    *can = false;
    hold->seen = calloc(pairs / 8 + 1, 1);
    hold->stack = malloc((pairs + 1) * sizeof *hold->stack);
    if (hold->seen == NULL || hold->stack == NULL)
        return ERR_NO_MEMORY(err, pairs * sizeof *hold->stack);
    hold_table(hold);
    if (hold->nfa->start != REGEX_END)
        hold_reach(hold, hold->nfa->start, 0);
    while (hold->depth > 0 && !*can) {
        const uint32_t pair = hold->stack[--hold->depth];

        *can = hold_step(hold, pair / HOLD_STATES, pair % HOLD_STATES);
    }
    return ERR_OK;
}

enum err_code match_regex_can_hold(const struct match_pattern *pattern, const uint8_t *text,
                                   uint32_t len, bool *can, struct err *err)
{
    struct hold *hold = calloc(1, sizeof *hold);
    struct regex_item item;
    struct arena arena;
    uint32_t at;

    *can = false;
    arena_init(&arena, HOLD_ARENA);
    enum err_code rc = ERR_OK;
    if (hold == NULL)
        return ERR_NO_MEMORY(err, sizeof *hold);
    if (len == 0 || len > MATCH_HOLD_MAX)
        rc = ERR_RAISE(err, ERR_ARG, "a text of %u bytes; write 1 to %d", len, MATCH_HOLD_MAX);
    if (rc == ERR_OK)
        rc = regex_item_compile(pattern, 0, &arena, &item, &at, err);
    if (rc == ERR_OK) {
        hold->nfa = &item.nfa;
        hold->text = text;
        hold->len = len;
        rc = hold_walk(hold, can, err);
        free(hold->seen);
        free(hold->stack);
    }
    free(hold);
    arena_release(&arena);
    return rc;
}
