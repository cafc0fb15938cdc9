/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_nfa.c - see regex_nfa.h. Built from the end to the start, since each part must
 * know the place behind it.
 */
#include <assert.h>

#include "match/regex/regex_nfa.h"

struct nfa_build {
    const struct regex_tree *tree;
    struct regex_nfa *nfa;
    uint32_t positions, forks; /* made so far */
    uint32_t all;              /* positions that there will be */
};

static uint16_t nfa_set(struct regex_nfa *nfa, const struct regex_set *set)
{
    uint32_t i = 0;

    while (i < nfa->set_count && !regex_set_equal(&nfa->sets[i], set))
        i++;
    if (i == nfa->set_count)
        nfa->sets[nfa->set_count++] = *set;
    return (uint16_t)i;
}

static uint16_t nfa_fork(struct nfa_build *build, uint16_t one, uint16_t other)
{
    const uint32_t fork = build->forks++;

    build->nfa->fork[fork][0] = one;
    build->nfa->fork[fork][1] = other;
    return (uint16_t)(build->all + fork);
}

static uint16_t nfa_part(struct nfa_build *build, uint16_t node, uint16_t next);

static uint16_t nfa_repeat(struct nfa_build *build, const struct regex_node *node, uint16_t next)
{
    const bool endless = node->max == REGEX_ENDLESS;
    uint32_t must = node->min;
    uint16_t at = next;

    if (endless) {
        const uint16_t loop = nfa_fork(build, 0, next);
        const uint16_t body = nfa_part(build, node->left, loop);

        build->nfa->fork[loop - build->all][0] = body;
        at = must > 0 ? body : loop;
        must -= must > 0;
    }
    for (uint32_t i = node->min; i < node->max && !endless; i++)
        at = nfa_fork(build, nfa_part(build, node->left, at), next);
    for (; must > 0; must--)
        at = nfa_part(build, node->left, at);
    return at;
}

/*
 * The place where the node begins. Recursion is as deep as groups lie in one another, at most
 * LIMIT_PATTERN_LEN.
 */
static uint16_t nfa_part(struct nfa_build *build, uint16_t node, uint16_t next)
{
    const struct regex_node *n = &build->tree->nodes[node];

    for (; n->kind == REGEX_CAT; n = &build->tree->nodes[n->left])
        next = nfa_part(build, n->right, next);
    if (n->kind == REGEX_REPEAT)
        return nfa_repeat(build, n, next);
    if (n->kind == REGEX_EMPTY)
        return next;
    if (n->kind == REGEX_SET) {
        const uint32_t position = build->positions++;

        build->nfa->set[position] = nfa_set(build->nfa, &n->set);
        build->nfa->next[position] = next;
        return (uint16_t)position;
    }
    uint16_t others = REGEX_END;
    bool first = true;
    for (; n->kind == REGEX_ALT; n = &build->tree->nodes[n->left], first = false) {
        const uint16_t branch = nfa_part(build, n->right, next);

        others = first ? branch : nfa_fork(build, branch, others);
    }
    return nfa_fork(build, nfa_part(build, (uint16_t)(n - build->tree->nodes), next), others);
}

static bool nfa_classes(struct regex_nfa *nfa, struct arena *arena)
{
    uint16_t parted[256][2] = {
        { 0 }
    }; /* by class: the classes of its bytes without and with the set, plus 1 */

    nfa->classes = 1;
    for (uint32_t s = 0; s < nfa->set_count; s++) {
        uint32_t count = 0;

        memset(parted, 0, sizeof parted);
        for (uint32_t c = 0; c < 256; c++) {
            uint16_t *part = &parted[nfa->class_of[c]][regex_set_has(&nfa->sets[s], (uint8_t)c)];

            if (*part == 0)
                *part = (uint16_t)++count;
            nfa->class_of[c] = (uint8_t)(*part - 1);
        }
        nfa->classes = count;
    }
    nfa->sample = arena_alloc(arena, nfa->classes);
    for (uint32_t c = 0; c < 256 && nfa->sample != NULL; c++)
        nfa->sample[nfa->class_of[c]] = (uint8_t)c;
    return nfa->sample != NULL;
}

bool regex_nfa_build(const struct regex_tree *tree, struct arena *arena, struct regex_nfa *nfa)
{
    const struct regex_node *root = &tree->nodes[tree->root];
    uint32_t sets = 0;

    for (uint32_t i = 0; i < tree->count; i++)
        sets += tree->nodes[i].kind == REGEX_SET;
    *nfa = (struct regex_nfa){ .positions = root->positions, .forks = root->forks };
    nfa->set = arena_alloc(arena, root->positions * sizeof *nfa->set);
    nfa->next = arena_alloc(arena, root->positions * sizeof *nfa->next);
    nfa->fork = arena_alloc(arena, (root->forks + 1) * sizeof *nfa->fork);
    nfa->sets = arena_alloc(arena, sets * sizeof *nfa->sets);
    if (nfa->set == NULL || nfa->next == NULL || nfa->fork == NULL || nfa->sets == NULL)
        return false;

    struct nfa_build build = { .tree = tree, .nfa = nfa, .all = root->positions };
    nfa->start = nfa_part(&build, tree->root, REGEX_END);
    assert(build.positions == nfa->positions && build.forks <= nfa->forks);
    nfa->forks = build.forks;
    return nfa_classes(nfa, arena);
}
