/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_item.c - see regex_item.h. */
#include <stdio.h>
#include <stdlib.h>

#include "match/regex/regex_item.h"
#include "match/regex/regex_parse.h"

enum {
    ITEM_QUOTE_MAX = 160, /* of an expression in a message, NUL included */
    ITEM_TABLE_FAST = 64, /* states of a table that is not worth being compared with rows */
};

/*
 * What a byte takes at most where starts are followed by a table, in the units of regex_rows.cost;
 * measured.
 */
#define ITEM_TABLE_COST(states) (100 + 2 * (states))

/* The expression as it may be shown to a person: printable, and cut to fit. */
static const char *item_quote(const struct match_pattern *pattern, char out[ITEM_QUOTE_MAX])
{
    static const char digits[] = "0123456789abcdef";
    size_t used = 0;
    uint32_t i = 0;

    for (; i < pattern->len && used + 4 + sizeof "..." <= ITEM_QUOTE_MAX; i++) {
        const uint8_t c = pattern->bytes[i];

        if (c >= 0x20 && c < 0x7f) {
            out[used++] = (char)c;
            continue;
        }
        out[used++] = '\\';
        out[used++] = 'x';
        out[used++] = digits[c >> 4];
        out[used++] = digits[c & 15];
    }
    snprintf(out + used, ITEM_QUOTE_MAX - used, "%s", i < pattern->len ? "..." : "");
    return out;
}

static enum err_code item_refuse(const struct match_pattern *pattern,
                                 const struct regex_fault *fault, uint32_t *at, struct err *err)
{
    char quoted[ITEM_QUOTE_MAX];

    *at = fault->at;
    return ERR_RAISE(err, ERR_INPUT, "the regular expression /%s/ %s: %s",
                     item_quote(pattern, quoted),
                     fault->syntax ? "is wrong" : "cannot be looked for", fault->why);
}

static enum err_code item_full(struct err *err)
{
    return ERR_RAISE(
        err, ERR_FULL,
        "the regular expressions need more than %d MiB together; use fewer, or smaller counts",
        LIMIT_REGEX_MEMORY >> 20);
}

/* What no search can find, or what would take too much to look for. */
static enum err_code item_check(const struct match_pattern *pattern, const struct regex_tree *tree,
                                uint32_t *at, struct err *err)
{
    const struct regex_node *root = &tree->nodes[tree->root];
    struct regex_fault fault = { .why = NULL };
    char quoted[ITEM_QUOTE_MAX];

    *at = 0;
    if (root->positions > LIMIT_REGEX_POSITIONS || root->forks > REGEX_FORKS_MAX)
        return ERR_RAISE(err, ERR_INPUT,
                         "the regular expression /%s/ cannot be looked for: it has %u%s bytes when "
                         "its counts are written "
                         "out, and at most %d can be; use smaller counts",
                         item_quote(pattern, quoted), root->positions,
                         root->positions == 1 << 30 ? " or more" : "", LIMIT_REGEX_POSITIONS);
    if (root->longest == 0)
        fault.why = "it can match nothing but the empty string";
    else if (root->shortest > LIMIT_REGEX_MATCH_LEN)
        fault.why = "no match of it has 1024 bytes or fewer, and longer ones are not looked for";
    else if (tree->lazy && root->shortest == 0)
        fault.why = "with a repeat that takes as little as possible its match is always the empty "
                    "string; take the ? "
                    "off, or write what follows";
    return fault.why == NULL ? ERR_OK : item_refuse(pattern, &fault, at, err);
}

/* Makes the whole automaton, if it is small. */
static enum err_code item_table(struct arena *arena, struct regex_item *item, struct err *err)
{
    const uint32_t words =
        REGEX_DFA_WORDS_MIN + TABLE_STATES_MAX * (item->nfa.classes + item->nfa.positions / 2 + 3);
    const size_t size = sizeof(struct regex_dfa_work) + words * sizeof(uint32_t);
    struct regex_dfa_work *work = malloc(size);
    struct regex_dfa dfa;

    if (work == NULL)
        return ERR_NO_MEMORY(err, size);
    regex_dfa_init(&dfa, &item->nfa, work, (uint32_t *)(work + 1), words);
    const bool fits = regex_table_build(&dfa, item->shortest, arena, &item->table);
    free(work);
    return fits ? ERR_OK : item_full(err);
}

static enum err_code item_build(const struct match_pattern *pattern, const struct regex_tree *tree,
                                struct arena *arena, struct regex_item *item, struct err *err)
{
    const uint16_t longest = tree->nodes[tree->root].longest;
    const char *why = NULL;
    uint32_t nowhere;

    item->window = longest < LIMIT_REGEX_MATCH_LEN ? longest : LIMIT_REGEX_MATCH_LEN;
    item->shortest = tree->lazy;
    regex_need_choose(tree, &item->need);
    if (!regex_nfa_build(tree, arena, &item->nfa))
        return item_full(err);
    enum err_code rc = item_table(arena, item, err);
    if (rc != ERR_OK)
        return rc;
    if ((item->table.states == 0 || item->table.states > ITEM_TABLE_FAST) &&
        !regex_rows_build(tree, &item->nfa, arena, &item->rows, &why))
        return item_full(err);
    if (item->table.states == 0 && why != NULL)
        return item_refuse(pattern, &(struct regex_fault){ .why = why }, &nowhere, err);
    item->slow_by_rows =
        item->rows.run_count > 0 && why == NULL &&
        (item->table.states == 0 || item->rows.cost < ITEM_TABLE_COST(item->table.states));
    for (uint32_t c = 0; c < 256; c++)
        if (item->table.states > 0
                ? item->table.next[item->table.start + item->nfa.class_of[c]] != 0
                : (item->rows.takes[item->nfa.class_of[c]] & item->rows.begins) != 0)
            regex_set_add(&item->begins, (uint8_t)c);
    return ERR_OK;
}

enum err_code regex_item_compile(const struct match_pattern *pattern, uint32_t number,
                                 struct arena *arena, struct regex_item *item, uint32_t *at,
                                 struct err *err)
{
    const bool wide = pattern->zeros_before + pattern->zeros_after > 0;
    struct regex_tree *read = calloc(1, sizeof *read);
    struct regex_tree *tree = wide ? calloc(1, sizeof *tree) : read;
    struct regex_fault fault;
    enum err_code rc = ERR_OK;

    *at = 0;
    *item = (struct regex_item){ .pattern = number };
    if (read == NULL || tree == NULL)
        rc = ERR_NO_MEMORY(err, sizeof *tree);
    else if (pattern->len > LIMIT_PATTERN_LEN)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "a regular expression of %u bytes is too long: the limit is %d; shorten it",
                       pattern->len, LIMIT_PATTERN_LEN);
    else if (!regex_parse(pattern->bytes, pattern->len, pattern->fold_case, pattern->escapes, read,
                          &fault))
        rc = item_refuse(pattern, &fault, at, err);
    if (rc == ERR_OK && wide)
        regex_tree_widen(read, pattern->zeros_before, pattern->zeros_after, tree);
    if (rc == ERR_OK)
        rc = item_check(pattern, tree, at, err);
    if (rc == ERR_OK)
        rc = item_build(pattern, tree, arena, item, err);
    if (wide)
        free(tree);
    free(read);
    return rc;
}
