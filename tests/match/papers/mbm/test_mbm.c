/* SPDX-License-Identifier: Apache-2.0
 * tests/match/papers/mbm/test_mbm.c - multi-pattern Boyer-Moore: its functions by hand and by their
 * definitions, and what it finds.
 *
 * Method: for three keywords the trie and all shifts were worked out on paper; for random ones they
 * are computed again from the definitions, by comparing every two words of the trie. Then long
 * texts, zeros, and a keyword list of the greatest size.
 */
#include "tests/match/engine_test.h"

#include "match/papers/mbm/mbm.h"

static struct mbm *build_words(const char *const *words, uint32_t count, bool fold)
{
    struct match_dictionary *dictionary = NULL;
    struct mbm *mbm = NULL;

    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < count; i++)
        test_add(dictionary, words[i], NULL, (uint32_t)strlen(words[i]), fold);
    TEST_OK(mbm_build(dictionary, &mbm, &test_err));
    match_dictionary_destroy(dictionary);
    return mbm;
}

/* The node of a path, read from the keyword's last letter. */
static uint32_t node_of(const struct mbm *mbm, const char *path)
{
    uint32_t node = 0;

    for (; *path != 0; path++) {
        node = mbm_child(mbm, node, (uint8_t)*path);
        assert_int_not_equal(node, 0);
    }
    return node;
}

/* acb, aba and bab, reversed: bca, aba, bab. */
static void shifts_are_those_worked_out_by_hand(void **state)
{
    static const char *const words[] = { "acb", "aba", "bab" };
    static const struct {
        const char *path;
        uint32_t shift1, shift2, outputs;
    } want[] = {
        { "", 1, 3, 0 },   /* any word ends in nothing: the next letter may begin one */
        { "b", 1, 2, 0 },  /* ab ends in b; of the keywords, bab does */
        { "bc", 3, 2, 0 }, /* nothing ends in bc; shift2 of b */
        { "bca", 3, 2, 1 }, { "a", 1, 2, 0 }, /* ba; bca and aba */
        { "ab", 1, 1, 0 },                    /* bab; bab */
        { "aba", 3, 1, 1 },                   /* nothing; shift2 of ab */
        { "ba", 1, 1, 0 },  { "bab", 3, 1, 1 },
    };
    struct mbm *mbm = build_words(words, 3, false);

    (void)state;
    assert_int_equal(mbm->shortest, 3);
    assert_int_equal(mbm->node_count, sizeof want / sizeof want[0]);
    for (uint32_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        const struct mbm_node *node = &mbm->nodes[node_of(mbm, want[i].path)];

        if (node->shift1 != want[i].shift1 || node->shift2 != want[i].shift2)
            fail_msg("%s: shifts %u and %u, want %u and %u", want[i].path, node->shift1,
                     node->shift2, want[i].shift1, want[i].shift2);
        assert_int_equal(node[1].first - node[0].first, want[i].outputs);
    }
    assert_int_equal(mbm->bad['a'], 1);
    assert_int_equal(mbm->bad['b'], 1);
    assert_int_equal(mbm->bad['c'], 2);
    assert_int_equal(mbm->bad['d'], 4);
    assert_int_equal(mbm->skip['a'], 0);
    assert_int_equal(mbm->skip['c'], 1);
    assert_int_equal(mbm->skip['d'], 3);
    mbm_destroy(mbm);
}

enum { NODES_MAX = 200, DEPTH_MAX = 12 };

struct words {
    uint8_t letters[NODES_MAX][DEPTH_MAX];
    uint32_t lens[NODES_MAX];
};

/* Fathers have lower numbers than their children. */
static void collect_words(const struct mbm *mbm, struct words *words)
{
    memset(words, 0, sizeof *words);
    for (uint32_t v = 0; v < mbm->node_count; v++) {
        for (uint32_t letter = 0; letter < 256; letter++) {
            const uint32_t child = mbm_child(mbm, v, (uint8_t)letter);

            if (child == 0)
                continue;
            assert_true(child > v && child < NODES_MAX);
            memcpy(words->letters[child], words->letters[v], words->lens[v]);
            words->letters[child][words->lens[v]] = (uint8_t)letter;
            words->lens[child] = words->lens[v] + 1;
            assert_true(words->lens[child] < DEPTH_MAX);
        }
    }
}

static bool ends_in(const struct words *words, uint32_t u, uint32_t v)
{
    return words->lens[u] > words->lens[v] &&
           memcmp(words->letters[u] + words->lens[u] - words->lens[v], words->letters[v],
                  words->lens[v]) == 0;
}

/* Whether the word of v begins that of u, or is it: v is on the path to u. */
static bool begins(const struct words *words, uint32_t v, uint32_t u)
{
    return words->lens[v] <= words->lens[u] &&
           memcmp(words->letters[u], words->letters[v], words->lens[v]) == 0;
}

static void check_definitions(const struct mbm *mbm)
{
    struct words words;

    collect_words(mbm, &words);
    for (uint32_t v = 0; v < mbm->node_count; v++) {
        uint32_t shift1 = mbm->shortest, shift2 = shift1;

        for (uint32_t u = 0; u < mbm->node_count; u++)
            if (ends_in(&words, u, v) && words.lens[u] - words.lens[v] < shift1)
                shift1 = words.lens[u] - words.lens[v];
        for (uint32_t father = 1; father < mbm->node_count;
             father++) { /* v's fathers and v itself */
            if (!begins(&words, father, v))
                continue;
            for (uint32_t u = 0; u < mbm->node_count; u++)
                if (mbm->nodes[u].first < mbm->nodes[u + 1].first && ends_in(&words, u, father) &&
                    words.lens[u] - words.lens[father] < shift2)
                    shift2 = words.lens[u] - words.lens[father];
        }
        assert_int_equal(mbm->nodes[v].shift1, shift1);
        assert_int_equal(mbm->nodes[v].shift2, shift2);
    }
    for (uint32_t letter = 0; letter < 256; letter++) {
        uint32_t bad = mbm->shortest + 1;

        for (uint32_t v = 1; v < mbm->node_count; v++)
            if (words.letters[v][words.lens[v] - 1] == letter && words.lens[v] < bad)
                bad = words.lens[v];
        assert_int_equal(mbm->bad[letter], bad);
    }
}

static void shifts_are_those_of_the_definitions(void **state)
{
    uint64_t random = 11;

    (void)state;
    for (uint32_t round = 0; round < 300; round++) {
        char texts[16][DEPTH_MAX];
        const char *words[16];
        const uint32_t count = 1 + test_random(&random, 16), least = 1 + test_random(&random, 5);

        for (uint32_t i = 0; i < count; i++) {
            const uint32_t len = least + test_random(&random, 6);

            for (uint32_t k = 0; k < len; k++)
                texts[i][k] = (char)('a' + test_random(&random, 1 + round % 4));
            texts[i][len] = 0;
            words[i] = texts[i];
        }
        struct mbm *mbm = build_words(words, count, round % 2);
        check_definitions(mbm);
        mbm_destroy(mbm);
    }
}

/* Keywords are the longest runs without a mask; a pattern that is masked everywhere goes by the
 * place that says most. */
static void masked_patterns_go_by_their_longest_run(void **state)
{
    struct match_dictionary *dictionary = NULL;
    struct mbm *mbm = NULL;

    (void)state;
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    test_add(dictionary, "ab..cde.", "\xff\xff\0\0\xff\xff\xff\0", 8, false);
    test_add(dictionary, "\xf0\x0f", "\xf0\x7f", 2, false);
    TEST_OK(mbm_build(dictionary, &mbm, &test_err));
    assert_int_equal(mbm->shortest, 1);
    assert_int_equal(mbm->tail, 1);
    assert_int_equal(mbm->node_count, 1 + 3 + 2);
    const uint32_t cde = node_of(mbm, "edc"), last = node_of(mbm, "\x8f");
    assert_int_equal(mbm->outputs[mbm->nodes[cde].first].literal, 0);
    assert_int_equal(mbm->outputs[mbm->nodes[cde].first].tail, 1);
    assert_int_equal(mbm->outputs[mbm->nodes[last].first].literal, 1);
    assert_int_equal(mbm->outputs[mbm->nodes[last].first].tail, 0);
    assert_int_equal(node_of(mbm, "\x0f"), last - 1);
    mbm_destroy(mbm);
    match_dictionary_destroy(dictionary);
}

static void long_texts_agree_with_the_oracle(void **state)
{
    (void)state;
    test_long_texts(&match_mbm_engine, 1);
}

/* 100,000 keywords, many of them suffixes of others, folded: every one that is planted is found. */
static void a_keyword_list_of_the_greatest_size(void **state)
{
    (void)state;
    test_keyword_list(&match_mbm_engine, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shifts_are_those_worked_out_by_hand),
        cmocka_unit_test(shifts_are_those_of_the_definitions),
        cmocka_unit_test(masked_patterns_go_by_their_longest_run),
        cmocka_unit_test(long_texts_agree_with_the_oracle),
        cmocka_unit_test(a_keyword_list_of_the_greatest_size),
    };
    return cmocka_run_group_tests_name("multi-pattern Boyer-Moore", tests, NULL, NULL);
}
