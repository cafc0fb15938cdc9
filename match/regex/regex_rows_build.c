/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_rows_build.c - an expression as runs and ports; see regex_rows.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "match/regex/regex_rows.h"

enum {
    BUILD_NOWHERE = REGEX_END - 1, /* a place from which no match comes that is short enough */
    BUILD_FORKS_MAX = 4 * ROWS_RUNS_MAX,
    BUILD_BODY_MAX = 2048,
};

/*
 * A text of so many bytes, and so many bytes of a set, are that many runs, which is less work than
 * a ring.
 */
static const struct build_short {
    uint32_t text, set;
} build_shorts[] = { { 8, 6 },
                     { 2, 3 } }; /* tried one after the other: the second makes fewer runs */

struct rows_build {
    struct build_short brief;
    const struct regex_tree *tree;
    const struct regex_nfa *nfa;
    const char *why;
    uint32_t runs, forks, bodies;
    struct rows_run run[ROWS_RUNS_MAX];
    uint16_t next[ROWS_RUNS_MAX]; /* places behind the runs */
    uint16_t fork[BUILD_FORKS_MAX][2];
    uint16_t body[BUILD_BODY_MAX];
    uint16_t string[LIMIT_PATTERN_LEN],
        times[LIMIT_PATTERN_LEN]; /* texts being gathered, from their ends */
    uint32_t string_at;           /* the first set that there is */
};

/* Places are runs, then forks, REGEX_END and BUILD_NOWHERE. */
static uint16_t build_fork(struct rows_build *build, uint16_t one, uint16_t other)
{
    if (build->forks == BUILD_FORKS_MAX) {
        build->why = "it has too many choices when its counts are written out; use smaller counts, "
                     "or {n,} without an end";
        return BUILD_NOWHERE;
    }
    build->fork[build->forks][0] = one;
    build->fork[build->forks][1] = other;
    return (uint16_t)(ROWS_RUNS_MAX + build->forks++);
}

static uint16_t build_run(struct rows_build *build, const struct rows_run *run,
                          const uint16_t *body, uint16_t next)
{
    if (build->runs == ROWS_RUNS_MAX || run->len > BUILD_BODY_MAX - build->bodies) {
        build->why = "it has too many parts when its counts are written out; use smaller counts, "
                     "or {n,} without an end";
        return BUILD_NOWHERE;
    }
    struct rows_run *made = &build->run[build->runs];
    *made = *run;
    made->body = (uint16_t)build->bodies;
    for (uint32_t i = 0; i < run->len; i++)
        build->body[build->bodies++] = body[i];
    build->next[build->runs] = next;
    return (uint16_t)build->runs++;
}

/* min to max times a text of len sets. */
static uint16_t build_times(struct rows_build *build, const uint16_t *body, uint32_t len,
                            uint32_t min, uint32_t max, uint16_t next)
{
    const struct rows_run one = { .kind = ROWS_ONE, .len = 1 };
    uint16_t at = next;

    if (min * len > LIMIT_REGEX_MATCH_LEN)
        return BUILD_NOWHERE;
    if (max * len > LIMIT_REGEX_MATCH_LEN)
        max = LIMIT_REGEX_MATCH_LEN / len;
    if (max == 1 && len <= build->brief.text) {
        for (uint32_t i = len; i > 0; i--)
            at = build_run(build, &one, &body[i - 1], at);
        return at;
    }
    if (len == 1 && max <= build->brief.set) {
        for (uint32_t i = min; i < max; i++)
            at = build_fork(build, build_run(build, &one, body, at), next);
        for (uint32_t i = 0; i < min; i++)
            at = build_run(build, &one, body, at);
        return at;
    }
    return build_run(
        build,
        &(struct rows_run){
            .kind = ROWS_RING, .len = (uint16_t)len, .min = (uint16_t)min, .max = (uint16_t)max },
        body, next);
}

static uint16_t build_set(const struct rows_build *build, const struct regex_node *node)
{
    uint16_t i = 0;

    while (!regex_set_equal(&build->nfa->sets[i], &node->set))
        i++;
    return i;
}

/*
 * The sets of a node that is a text of fixed length, before out[*at]; false when it is none.
 * Recursion is as deep as groups lie in one another.
 */
static bool build_string(const struct rows_build *build, const struct regex_node *node,
                         uint16_t *out, uint32_t *at)
{
    const struct regex_node *nodes = build->tree->nodes;

    for (; node->kind == REGEX_CAT; node = &nodes[node->left])
        if (!build_string(build, &nodes[node->right], out, at))
            return false;
    if (node->kind != REGEX_SET || *at == 0)
        return false;
    out[--*at] = build_set(build, node);
    return true;
}

static uint16_t build_part(struct rows_build *build, const struct regex_node *n, uint16_t next);

/* A text of fixed length, min times or more. */
static uint16_t build_endless(struct rows_build *build, const uint16_t *body, uint32_t len,
                              uint32_t min, uint16_t next)
{
    uint16_t at, loop;

    if (len == 1) {
        at = build_run(build, &(struct rows_run){ .kind = ROWS_MANY, .len = 1 }, body, next);
        if (min == 0)
            return build_fork(build, at, next);
    } else {
        loop = build_fork(build, 0, next);
        at = build_times(build, body, len, 1, 1, loop);
        if (build->why != NULL)
            return BUILD_NOWHERE;
        build->fork[loop - ROWS_RUNS_MAX][0] = at;
        if (min == 0)
            return loop;
    }
    return min > 1 ? build_times(build, body, len, min - 1, min - 1, at) : at;
}

static uint16_t build_repeat(struct rows_build *build, const struct regex_node *node, uint16_t next)
{
    const struct regex_node *what = &build->tree->nodes[node->left];
    const bool endless = node->max == REGEX_ENDLESS;
    uint32_t must = node->min, first = LIMIT_PATTERN_LEN;
    uint16_t at = next;

    if (build_string(build, what, build->times, &first)) {
        const uint16_t *body = &build->times[first];
        const uint32_t len = LIMIT_PATTERN_LEN - first;

        if (endless)
            return build_endless(build, body, len, must, next);
        at = build_times(build, body, len, must > 0 ? must : 1, node->max, next);
        return must > 0 ? at : build_fork(build, at, next);
    }
    if (endless) {
        const uint16_t loop = build_fork(build, 0, next);
        const uint16_t inside = build_part(build, what, loop);

        if (build->why != NULL)
            return BUILD_NOWHERE;
        build->fork[loop - ROWS_RUNS_MAX][0] = inside;
        at = must > 0 ? inside : loop;
        must -= must > 0;
    }
    for (uint32_t i = node->min; i < node->max && !endless && build->why == NULL; i++)
        at = build_fork(build, build_part(build, what, at), next);
    for (; must > 0 && build->why == NULL; must--)
        at = build_part(build, what, at);
    return at;
}

/* Ends a text that was gathered from its end. */
static uint16_t build_gathered(struct rows_build *build, uint16_t next)
{
    const uint32_t first = build->string_at;

    build->string_at = LIMIT_PATTERN_LEN;
    return first == LIMIT_PATTERN_LEN
               ? next
               : build_times(build, &build->string[first], LIMIT_PATTERN_LEN - first, 1, 1, next);
}

static uint16_t build_alternatives(struct rows_build *build, const struct regex_node *n,
                                   uint16_t next)
{
    uint16_t others = BUILD_NOWHERE;

    for (; n->kind == REGEX_ALT && build->why == NULL; n = &build->tree->nodes[n->left])
        others = build_fork(build, build_part(build, &build->tree->nodes[n->right], next), others);
    return build->why != NULL ? BUILD_NOWHERE
                              : build_fork(build, build_part(build, n, next), others);
}

/*
 * The place where the node begins. Recursion is as deep as groups lie in one another, at most
 * LIMIT_PATTERN_LEN.
 */
static uint16_t build_part(struct rows_build *build, const struct regex_node *n, uint16_t next)
{
    for (bool more = true; more && build->why == NULL; n = &build->tree->nodes[n->left]) {
        const struct regex_node *last = n->kind == REGEX_CAT ? &build->tree->nodes[n->right] : n;

        more = n->kind == REGEX_CAT;
        if (last->kind == REGEX_SET) {
            if (build->string_at == 0)
                next = build_gathered(build, next);
            build->string[--build->string_at] = build_set(build, last);
            continue;
        }
        next = build_gathered(build, next);
        if (last->kind == REGEX_REPEAT)
            next = build_repeat(build, last, next);
        else if (last->kind == REGEX_ALT)
            next = build_alternatives(build, last, next);
        else if (last->kind == REGEX_CAT)
            next = build_part(build, last, next);
    }
    return build_gathered(build, next);
}

static void build_mask(uint64_t *mask, uint32_t bit)
{
    *mask |= (uint64_t)1 << bit;
}

/* The runs that stand at a place; true when the end does, too. */
static bool build_reach(const struct rows_build *build, uint16_t place, uint64_t *runs)
{
    uint64_t seen[BUILD_FORKS_MAX / 64] = { 0 };
    uint16_t stack[BUILD_FORKS_MAX + 1];
    uint32_t waiting = 0;
    bool ends = false;

    stack[waiting++] = place;
    while (waiting > 0) {
        place = stack[--waiting];
        if (place == REGEX_END) {
            ends = true;
        } else if (place < ROWS_RUNS_MAX) {
            build_mask(runs, place);
        } else if (place != BUILD_NOWHERE) {
            const uint32_t fork = place - ROWS_RUNS_MAX;

            if ((seen[fork / 64] >> (fork % 64) & 1) != 0)
                continue;
            seen[fork / 64] |= (uint64_t)1 << (fork % 64);
            stack[waiting++] = build->fork[fork][0];
            place = build->fork[fork][1];
            stack[waiting++] = place;
        }
    }
    return ends;
}

/* The port that stands for a place. */
static uint32_t build_port(const struct rows_build *build, struct regex_rows *rows, uint16_t place)
{
    uint32_t i = 0;

    while (i < rows->port_count && rows->ports[i].place != place)
        i++;
    if (i == rows->port_count) {
        rows->ports[rows->port_count++] = (struct rows_port){ .place = place };
        rows->ports[i].ends = build_reach(build, place, &rows->ports[i].to);
    }
    return i;
}

static void build_ports(const struct rows_build *build, struct regex_rows *rows)
{
    for (uint32_t r = 0; r < rows->run_count; r++) {
        const uint32_t port = build_port(build, rows, build->next[r]);

        rows->runs[r].port = (uint16_t)port;
        build_mask(&rows->ports[port].from, r);
        if (rows->ports[port].ends)
            build_mask(&rows->ends, r);
    }
    for (uint32_t p = 0; p < rows->port_count; p++)
        for (uint32_t r = 0; r < rows->run_count; r++)
            if ((rows->ports[p].to >> r & 1) != 0)
                build_mask(&rows->runs[r].feeds, p);
}

/* Rings, queues and the bits of bodies; false when there are too many. */
static bool build_rings(struct regex_rows *rows)
{
    uint32_t bits = 0;

    for (uint32_t r = 0; r < rows->run_count; r++) {
        struct rows_run *run = &rows->runs[r];

        if (run->kind == ROWS_MANY)
            build_mask(&rows->many, r);
        if (run->kind != ROWS_RING)
            continue;
        build_mask(&rows->rings, r);
        run->queue = rows->queue_count;
        run->ring = rows->ring_count;
        rows->queue_count += run->len;
        rows->ring_count += (uint32_t)run->len * run->max;
        bits += run->len > 1 ? run->len : 0;
        run->end_bit = (uint16_t)(bits - 1);
    }
    rows->step_words = (bits + 63) / 64;
    return rows->ring_count <= ROWS_RING_MAX && rows->queue_count <= ROWS_QUEUES_MAX;
}

/* What each class of bytes does. */
static void build_classes(const struct regex_nfa *nfa, struct regex_rows *rows)
{
    for (uint32_t r = 0; r < rows->run_count; r++) {
        const struct rows_run *run = &rows->runs[r];
        const uint32_t first_bit = run->end_bit + 1u - run->len;

        for (uint32_t c = 0; c < nfa->classes; c++)
            if (regex_set_has(&nfa->sets[rows->body[run->body]], nfa->sample[c]))
                build_mask(&rows->takes[c], r);
        for (uint32_t i = 0; i < run->len && run->kind == ROWS_RING && run->len > 1; i++) {
            const uint32_t bit = first_bit + i;

            if (i == 0)
                rows->step_starts[bit / 64] |= (uint64_t)1 << (bit % 64);
            for (uint32_t c = 0; c < nfa->classes; c++)
                if (regex_set_has(&nfa->sets[rows->body[run->body + i]], nfa->sample[c]))
                    rows->steps[c * rows->step_words + bit / 64] |= (uint64_t)1 << (bit % 64);
        }
    }
}

static bool build_tables(const struct rows_build *build, struct arena *arena,
                         struct regex_rows *rows, const char **why)
{
    const struct regex_nfa *nfa = build->nfa;

    rows->run_count = build->runs;
    rows->runs = arena_alloc(arena, (build->runs + 1) * sizeof *rows->runs);
    rows->ports = arena_alloc(arena, (build->runs + 1) * sizeof *rows->ports);
    rows->body = arena_alloc(arena, (build->bodies + 1) * sizeof *rows->body);
    rows->takes = arena_alloc(arena, nfa->classes * sizeof *rows->takes);
    if (rows->runs == NULL || rows->ports == NULL || rows->body == NULL || rows->takes == NULL)
        return false;
    memcpy(rows->runs, build->run, build->runs * sizeof *rows->runs);
    memcpy(rows->body, build->body, build->bodies * sizeof *rows->body);
    build_ports(build, rows);
    if (!build_rings(rows)) {
        *why = "its counts are too large; use smaller ones, or {n,} without an end";
        return true;
    }
    rows->steps = arena_alloc(arena, (nfa->classes * rows->step_words + 1) * sizeof *rows->steps);
    rows->step_starts = arena_alloc(arena, (rows->step_words + 1) * sizeof *rows->step_starts);
    if (rows->steps == NULL || rows->step_starts == NULL)
        return false;
    build_classes(nfa, rows);
    rows->cost = regex_rows_cost(rows, nfa->classes);
    if (rows->cost > ROWS_COST_MAX)
        *why = "it has too many parts when its counts are written out, and would take too long on "
               "some data; use smaller "
               "counts, or {n,} without an end";
    return true;
}

/* One try; *why as in regex_rows_build. */
static bool build_try(struct rows_build *build, struct arena *arena, struct regex_rows *rows,
                      const char **why)
{
    const struct regex_node *root = &build->tree->nodes[build->tree->root];

    *rows = (struct regex_rows){ .shortest = build->tree->lazy };
    rows->window = root->longest < LIMIT_REGEX_MATCH_LEN ? root->longest : LIMIT_REGEX_MATCH_LEN;
    rows->words = (rows->window + 127) / 64;
    const uint16_t start = build_part(build, root, REGEX_END);
    *why = build->why;
    if (*why != NULL)
        return true;
    build_reach(build, start, &rows->begins);
    return build_tables(build, arena, rows, why);
}

bool regex_rows_build(const struct regex_tree *tree, const struct regex_nfa *nfa,
                      struct arena *arena, struct regex_rows *rows, const char **why)
{
    struct rows_build *build = malloc(sizeof *build);
    bool right = build != NULL;

    *why = "";
    for (size_t i = 0; right && *why != NULL && i < sizeof build_shorts / sizeof build_shorts[0];
         i++) {
        *build = (struct rows_build){
            .brief = build_shorts[i], .tree = tree, .nfa = nfa, .string_at = LIMIT_PATTERN_LEN
        };
        right = build_try(build, arena, rows, why);
    }
    free(build);
    return right;
}
