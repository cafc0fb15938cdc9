/* SPDX-License-Identifier: Apache-2.0
 * tests/match/regex/test_regex_random.c - every way in which expressions are looked for finds the
 * same, and what they mean.
 *
 * Method: expressions drawn at random, texts drawn from few letters so that much matches, and an
 * oracle that reads the expression by itself (regex_oracle.h). Each start is asked of the automaton
 * that is made on the way, of the table, of all starts at a time by table and by rows in all their
 * forms, with sinks of all sizes; and of the matcher, cut into segments anywhere.
 */
#include <stdio.h>

#include "match/regex/regex_item.h"
#include "match/regex/regex_parse.h"
#include "tests/match/match_test.h"
#include "tests/match/regex_oracle.h"

enum {
    ROUNDS = ASAN_OR_ALL(120, 240),
    TEXT_MAX = 3000,
    EXPRESSION_MAX = 120, /* bytes, about */
    WORK_MAX = 1500,      /* of the oracle for one start: else the expression is left out */
    CACHE_WORDS = 2 * REGEX_DFA_WORDS_MIN,
};

static uint64_t seed;

static uint32_t roll(uint32_t below)
{
    return test_random(&seed, below);
}

struct draft {
    char text[2 * EXPRESSION_MAX];
};

static void draft_add(struct draft *draft, const char *text)
{
    if (strlen(draft->text) < EXPRESSION_MAX)
        strcat(draft->text, text);
}

static void draft_part(struct draft *draft, uint32_t depth);

static void draft_repeat(struct draft *draft, uint32_t depth)
{
    static const char *const signs[] = { "*", "+", "?" };
    const uint32_t most = roll(4) == 0 ? 60 : 5, min = roll(most), max = min + 1 + roll(most);
    char counts[32] = "";

    draft_add(draft, "(");
    draft_part(draft, depth - 1);
    draft_add(draft, ")");
    switch (roll(6)) {
    case 0:
        snprintf(counts, sizeof counts, "{%u,%u}", min, max);
        break;
    case 1:
        snprintf(counts, sizeof counts, "{%u}", max);
        break;
    case 2:
        snprintf(counts, sizeof counts, "{%u,}", min);
        break;
    default:
        snprintf(counts, sizeof counts, "%s", signs[roll(3)]);
    }
    draft_add(draft, counts);
    if (roll(20) == 0)
        draft_add(draft, "?");
}

/* Recursion is as deep as `depth` says. */
static void draft_part(struct draft *draft, uint32_t depth)
{
    static const char *const atoms[] = { "a",  "b",      "c",     "ab",    "[ab]",  "[^a]",
                                         ".",  "abc",    "aabaa", "[a-c]", "\\x61", "(?:a|bc)",
                                         "x?", "[^a-x]", ".*",    "\\w" };
    const uint32_t kind = depth == 0 ? 0 : roll(7);

    if (kind <= 1) {
        draft_add(draft, atoms[roll(sizeof atoms / sizeof atoms[0])]);
    } else if (kind <= 3) {
        draft_part(draft, depth - 1);
        draft_part(draft, depth - 1);
    } else if (kind == 4) {
        draft_add(draft, "(");
        draft_part(draft, depth - 1);
        draft_add(draft, "|");
        draft_part(draft, depth - 1);
        draft_add(draft, ")");
    } else {
        draft_repeat(draft, depth);
    }
}

/* One expression with a text, and the match of each start by the oracle. */
struct trial {
    struct draft draft;
    bool fold;
    struct regex_item item;
    struct arena arena;
    struct oracle oracle;
    uint32_t len;
    uint8_t text[TEXT_MAX];
    uint32_t want[TEXT_MAX];
};

static void trial_text(struct trial *t)
{
    const uint32_t kind = roll(4);

    t->len = roll(8) == 0 ? 1200 + roll(TEXT_MAX - 1200) : 20 + roll(300);
    for (uint32_t i = 0; i < t->len; i++)
        t->text[i] = (uint8_t)(kind == 0   ? "abcA"[roll(4)]
                               : kind == 1 ? (roll(50) ? 'a' : 'b')
                               : kind == 2 ? "abcxyzab"[roll(8)]
                                           : "ab"[i / 3 % 2]);
}

/* False: the expression is refused, or too much for the oracle. */
static bool trial_open(struct trial *t)
{
    struct match_pattern pattern = { .kind = MATCH_REGEX };
    uint32_t at;

    t->draft.text[0] = '\0';
    draft_part(&t->draft, 1 + roll(5));
    t->fold = roll(4) == 0;
    pattern.bytes = (const uint8_t *)t->draft.text;
    pattern.len = (uint32_t)strlen(t->draft.text);
    pattern.fold_case = t->fold;
    assert_true(oracle_read(&t->oracle, pattern.bytes, pattern.len, t->fold));
    arena_init(&t->arena, 16 << 20);
    if (regex_item_compile(&pattern, 7, &t->arena, &t->item, &at, &test_err) != ERR_OK) {
        arena_release(&t->arena);
        return false;
    }
    trial_text(t);
    t->oracle.most = WORK_MAX;
    for (uint32_t i = 0; i < t->len; i++) {
        t->want[i] = oracle_match(&t->oracle, t->text + i, t->len - i);
        if (t->oracle.work == WORK_MAX) {
            arena_release(&t->arena);
            return false;
        }
    }
    return true;
}

static void trial_fail(const struct trial *t, const char *what, uint32_t at, uint32_t got)
{
    fail_msg("%s: /%s/%s on %u bytes: at %u a match of %u, want %u; text %.*s", what, t->draft.text,
             t->fold ? "i" : "", t->len, at, got, t->want[at],
             (int)(t->len - at < 60 ? t->len - at : 60), t->text + at);
}

static void trial_starts(const struct trial *t)
{
    static uint32_t cache[CACHE_WORDS];
    static struct regex_dfa_work work;
    struct regex_dfa dfa;
    int64_t effort = 0;

    regex_dfa_init(&dfa, &t->item.nfa, &work, cache, roll(2) ? REGEX_DFA_WORDS_MIN : CACHE_WORDS);
    for (uint32_t at = 0; at < t->len; at++) {
        const uint32_t left = t->len - at, window = left < t->item.window ? left : t->item.window;
        const uint8_t *bytes = t->text + at;
        uint32_t got = regex_dfa_match(&dfa, bytes, window, t->item.shortest, &effort);

        if (got != t->want[at])
            trial_fail(t, "automaton", at, got);
        if (t->item.table.states == 0)
            continue;
        got = regex_table_match(&t->item.table, &t->item.nfa, bytes, window, &effort);
        if (got != t->want[at])
            trial_fail(t, "table", at, got);
    }
}

/* All at a time: a stretch of starts, and what the text has room for. */
static void trial_stretch(struct trial *t, const char *what, void *memory,
                          uint32_t (*scan)(const struct trial *t, const struct regex_task *task))
{
    static struct hit hits[TEXT_MAX];
    const struct match_text text = { .bytes = t->text, .len = t->len, .offset = 0 };
    struct match_sink sink = { .items = hits, .max = roll(3) ? TEXT_MAX : 1 + roll(40) };
    struct regex_task task = {
        .nfa = &t->item.nfa, .pattern = 7, .window = t->item.window, .text = &text, .sink = &sink
    };
    uint32_t given = 0;

    task.memory = memory;
    task.from = roll(3) ? 0 : roll(t->len);
    task.to = roll(2) ? t->len : task.from + roll(t->len - task.from + 1);
    const uint32_t reached = scan(t, &task);
    assert_true(reached == task.to || (reached < task.to && sink.count == sink.max));
    for (uint32_t at = task.from; at < reached; at++) {
        if (t->want[at] == 0)
            continue;
        if (given == sink.count || hits[given].offset != at || hits[given].len != t->want[at])
            trial_fail(t, what, at,
                       given < sink.count && hits[given].offset == at ? hits[given].len : 0);
        given++;
    }
    if (given != sink.count)
        fail_msg("%s: /%s/ has a hit at %u too many", what, t->draft.text,
                 (uint32_t)hits[given].offset);
}

static uint32_t scan_table(const struct trial *t, const struct regex_task *task)
{
    return regex_table_scan(&t->item.table, task);
}

static uint32_t scan_portable(const struct trial *t, const struct regex_task *task)
{
    return regex_rows_scan_portable(&t->item.rows, task);
}

static uint32_t scan_best(const struct trial *t, const struct regex_task *task)
{
    return regex_rows_scan(&t->item.rows, task);
}

/* Rows, also where the table is faster; false: the expression is too much for them. */
static bool trial_rows(struct trial *t)
{
    static struct regex_tree tree;
    struct regex_fault fault;
    const char *why;

    assert_true(regex_parse((const uint8_t *)t->draft.text, (uint32_t)strlen(t->draft.text),
                            t->fold, false, &tree, &fault));
    assert_true(regex_rows_build(&tree, &t->item.nfa, &t->arena, &t->item.rows, &why));
    return why == NULL;
}

static void *trial_memory(size_t size)
{
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);

    assert_non_null(memory);
    memset(memory, 0xa5, size); /* nothing may be taken for granted */
    return memory;
}

static void all_ways_agree_with_the_oracle(void **state)
{
    struct trial *t = malloc(sizeof *t);
    uint32_t tables = 0, rows = 0;

    (void)state;
    assert_non_null(t);
    seed = 20;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (!trial_open(t))
            continue;
        trial_starts(t);
        if (t->item.table.states > 0) {
            void *memory = trial_memory(regex_table_size());

            trial_stretch(t, "all starts by table", memory, scan_table);
            free(memory);
            tables++;
        }
        if (trial_rows(t)) {
            void *memory = trial_memory(regex_rows_size(&t->item.rows));

            trial_stretch(t, "rows, portable", memory, scan_portable);
            trial_stretch(t, "rows", memory, scan_best);
            free(memory);
            rows++;
        }
        arena_release(&t->arena);
    }
    free(t);
    assert_true(tables > ROUNDS / 2 && rows > ROUNDS / 2);
}

/* Several expressions at a time, in segments, with few hits a piece. */
static void matcher_agrees_with_the_oracle(void **state)
{
    struct trial *t = malloc(sizeof *t);
    uint32_t done = 0;

    (void)state;
    assert_non_null(t);
    seed = 21;
    for (uint32_t round = 0; round < ROUNDS / 4; round++) {
        const struct match_options options = { .threads = 1 + roll(3),
                                               .slots = 3,
                                               .segment_len = TEXT_MAX,
                                               .hits_max = roll(2) ? 0 : 2 + roll(50) };
        struct match_dictionary *dictionary = NULL;
        struct match_matcher *matcher = NULL;
        struct test_hits want = { 0 }, got = { 0 };
        uint32_t cuts[3] = { 0 };

        if (!trial_open(t))
            continue;
        TEST_OK(match_dictionary_create(&dictionary, &test_err));
        test_add_regex(dictionary, t->draft.text, t->fold);
        test_add(dictionary, "ab", NULL, 2, false);
        for (uint32_t at = 0; at < t->len; at++) {
            const struct hit regex = { .offset = at, .pattern = 0, .len = t->want[at] };
            const struct hit literal = { .offset = at, .pattern = 1, .len = 2 };

            test_hits_add(&want, &regex, t->want[at] > 0);
            test_hits_add(&want, &literal, at + 2 <= t->len && memcmp(t->text + at, "ab", 2) == 0);
        }
        for (uint32_t i = 0; i < 3; i++)
            cuts[i] = i == 0 ? roll(t->len / 3 + 1) : cuts[i - 1] + roll(t->len / 3 + 1);
        TEST_OK(match_open(dictionary, &options, &matcher, &test_err));
        test_scan(matcher, t->text, t->len, 0, cuts, 3, &got);
        test_hits_sort(&got);
        if (!test_hits_equal(&want, &got))
            fail_msg("/%s/%s on %u bytes cut at %u, %u, %u: %u hits, want %u", t->draft.text,
                     t->fold ? "i" : "", t->len, cuts[0], cuts[1], cuts[2], got.count, want.count);
        match_close(matcher);
        match_dictionary_destroy(dictionary);
        arena_release(&t->arena);
        free(want.items);
        free(got.items);
        done++;
    }
    free(t);
    assert_true(done > ROUNDS / 16);
}

/* The text that every match holds is found wherever it stands. */
static void needed_text_is_found(void **state)
{
    struct trial *t = malloc(sizeof *t);
    uint32_t done = 0;

    (void)state;
    assert_non_null(t);
    seed = 22;
    for (uint32_t round = 0; round < ROUNDS / 2; round++) {
        if (!trial_open(t))
            continue;
        const struct regex_need *need = &t->item.need;
        for (uint32_t at = 0; at < t->len && need->len > 0; at++) {
            const uint32_t found = regex_need_find(need, t->text, at + need->near, t->len);

            if (t->want[at] > 0 && found > at + need->far)
                fail_msg("/%s/: at %u is a match, and its text at %u, but not before %u",
                         t->draft.text, at, found, at + need->far);
            done += t->want[at] > 0;
        }
        arena_release(&t->arena);
    }
    free(t);
    assert_true(done > 4 * ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ways_agree_with_the_oracle),
        cmocka_unit_test(matcher_agrees_with_the_oracle),
        cmocka_unit_test(needed_text_is_found),
    };
    return cmocka_run_group_tests_name("random expressions", tests, NULL, NULL);
}
