/* SPDX-License-Identifier: Apache-2.0
 * tests/match/papers/pfac/test_pfac.c - the failureless automaton: its numbers, its hash functions,
 * its tables, and its longest matches.
 *
 * Method: the numbers of an automaton and the answers are those of the paper's own example (Chien
 * et al., Figures 1, 2 and 12) or are worked out here in another way: remainders by the machine's
 * division, for every pair that Lemma 2 is about; tables against the list of edges, for every state
 * and byte; longest matches against the oracle's, those that begin at one place sorted out.
 *
 * Labels: gpu
 */
#include "match/device/device_host.h"
#include "match/papers/pfac/pfac_gpu.h"
#include "tests/match/match_test.h"

enum { TEXT_LEN = 6000, MEMORY = 256 << 20 };

static void lemma_2_holds_for_every_pair(void **state)
{
    (void)state;
    for (uint32_t factor = 0; factor < PFAC_MFPH_PRIME; factor++)
        for (uint32_t byte = 0; byte < PFAC_MFPH_PRIME; byte++)
            assert_int_equal(pfac_mod_257(factor, byte), factor * byte % PFAC_MFPH_PRIME);
}

static void a_cell_is_the_remainder_modulo_the_size(void **state)
{
    (void)state;
    for (uint32_t factor = 1; factor < PFAC_MFPH_PRIME; factor++)
        for (uint32_t byte = 0; byte < 256; byte++)
            for (uint32_t size = 1; size <= 256; size *= 2)
                assert_int_equal(pfac_mfph_cell(factor, size - 1, byte),
                                 factor * byte % PFAC_MFPH_PRIME % size);
}

static void check_mod(uint64_t x, uint32_t n)
{
    const double whole = (double)x;

    if (x >= (uint64_t)1e13)
        return;
    assert_true((uint64_t)pfac_mod_divided(whole, n) == x % n);
    assert_true((uint64_t)pfac_mod_reciprocal(whole, n, pfac_reciprocal(n)) == x % n);
}

/* Around multiples, where a quotient that is a little off shows, and anywhere. */
static void remainders_of_doubles_are_exact(void **state)
{
    static const uint32_t sizes[] = { 1,  2,  3,     4,       9,     13,
                                      16, 25, 27753, 1000003, 65536, PFAC_PH_PRIME };
    uint64_t random = 5;

    (void)state;
    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (uint32_t k = 0; k < 20000; k++) {
            const uint64_t most = 10000000000000u / sizes[i];
            const uint64_t high = test_random(&random, UINT32_MAX),
                           low = test_random(&random, UINT32_MAX);
            const uint64_t quotient = k < 100   ? k
                                      : k < 200 ? most - (k - 100)
                                                : (high << 20 ^ low) % most;

            check_mod(quotient * sizes[i], sizes[i]);
            check_mod(quotient * sizes[i] + sizes[i] - 1, sizes[i]);
            check_mod(quotient * sizes[i] + low % sizes[i], sizes[i]);
        }
}

/* All but those of Lemma 1's kind have a cell for each byte. */
static void sizes_are_those_of_figure_12(void **state)
{
    (void)state;
    for (uint32_t branches = 1; branches <= 256; branches++) {
        const uint32_t size = pfac_mfph_size(branches);

        assert_int_equal(size & (size - 1), 0);
        assert_true(size == 256 ? branches >= 12
                                : size >= branches * branches && size < 4 * branches * branches);
    }
}

static struct match_dictionary *dictionary_of(const char *const *patterns, uint32_t count,
                                              bool fold)
{
    struct match_dictionary *dictionary = NULL;

    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < count; i++)
        test_add(dictionary, patterns[i], NULL, (uint32_t)strlen(patterns[i]), fold);
    return dictionary;
}

static const char *const papers[] = {
    "s", "h", "he", "she", "hers", "her", "his", "iis", "is", "ii"
};
enum { PAPERS = sizeof papers / sizeof papers[0] };

static void the_papers_example_has_its_numbers(void **state)
{
    struct match_dictionary *dictionary = dictionary_of(papers, PAPERS, false);
    struct pfac *pfac = NULL;
    struct pfac_table table;

    (void)state;
    TEST_OK(pfac_build(dictionary, &pfac, &test_err));
    assert_int_equal(pfac->states, 14);
    assert_int_equal(pfac->states - pfac->finding, PAPERS); /* F */
    assert_int_equal(pfac_edges(pfac), 13);                 /* R */
    assert_int_equal(pfac_leaves(pfac), 5);                 /* L */
    assert_int_equal(pfac->longest, 4);
    assert_true(pfac->whole && !pfac->folds);
    assert_int_equal(pfac_branches(pfac, 0), 3); /* h, i, s */

    /* One edge from he, her, hi, ii, s and sh, two from h and i, three from the root. */
    TEST_OK(pfac_table_build(pfac, PFAC_MFPH, &table, &test_err));
    assert_int_equal(table.slots, 6 * 1 + 2 * 4 + 16);
    pfac_table_release(&table);

    /* Section 2.3: fewer than 5 R cells. */
    TEST_OK(pfac_table_build(pfac, PFAC_PH, &table, &test_err));
    assert_int_equal(table.bins, 13);
    assert_true(table.slots >= 13 && table.slots < 5 * 13);
    assert_int_equal(table.rows_size, 13 * 12);
    pfac_table_release(&table);
    TEST_OK(pfac_table_build(pfac, PFAC_PH_RECIPROCAL, &table, &test_err));
    assert_int_equal(table.rows_size, 13 * 28);
    pfac_table_release(&table);
    pfac_destroy(pfac);
    match_dictionary_destroy(dictionary);
}

/* The state that an edge leads to, by the list; 0: there is none. */
static uint32_t edge_of(const struct pfac *pfac, uint32_t from, uint32_t byte)
{
    for (uint32_t e = pfac->first[from]; e < pfac->first[from + 1]; e++)
        if (pfac->bytes[e] == byte)
            return pfac->next[e];
    return 0;
}

/* Goes down the whole tree and tries every byte in every state; how states look in the table is
 * found on the way. */
static void check_table(const struct pfac *pfac, enum pfac_kind kind)
{
    struct pfac_block *block = NULL;
    struct pfac_state *at = calloc(pfac->leaf, sizeof *at);
    uint32_t *order = malloc(pfac->leaf * sizeof *order), known = 1;

    assert_true(at != NULL && order != NULL);
    TEST_OK(pfac_block_build(pfac, kind, &block, &test_err));
    const struct pfac_view view = pfac_block_view(block, block);
    at[0] = pfac_start(&view);
    order[0] = 0;
    for (uint32_t i = 0; i < known; i++)
        for (uint32_t byte = 0; byte < 256; byte++) {
            const uint32_t next = edge_of(pfac, order[i], byte);
            struct pfac_state state = at[order[i]];

            assert_int_equal(pfac_step(&view, kind, &state, byte), next != 0);
            if (next == 0)
                continue;
            assert_int_equal(pfac_finds(&view, kind, &state), next >= pfac->finding);
            assert_int_equal(pfac_ends(&view, kind, &state), next >= pfac->leaf);
            if (next >= pfac->finding)
                assert_int_equal(pfac_index(&view, kind, &state), next - pfac->finding);
            if (next < pfac->leaf) {
                at[next] = state;
                order[known++] = next;
            }
        }
    assert_int_equal(known, pfac->leaf);
    free(block);
    free(order);
    free(at);
}

/* Shapes of trees: the paper's, chains, a comb, every branch count, letters of DNA, all bytes of
 * two places. */
static struct match_dictionary *launch(uint32_t number)
{
    struct match_dictionary *dictionary = NULL;
    uint64_t random = number + 1;
    uint8_t bytes[LIMIT_PATTERN_LEN];

    if (number == 0)
        return dictionary_of(papers, PAPERS, false);
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < 600; i++) {
        uint32_t len = 1 + test_random(&random, 20);

        for (uint32_t k = 0; k < sizeof bytes; k++)
            bytes[k] = (uint8_t)test_random(&random, 256);
        for (uint32_t k = 0; k < sizeof bytes && number != 2; k++)
            bytes[k] = number == 1 ? 'a' : (uint8_t) "ACGT"[bytes[k] % 4];
        if (number == 1)
            len = i % LIMIT_PATTERN_LEN + 1;
        if (number == 4) { /* a state of each number of branches, up to 256 */
            bytes[0] = (uint8_t)(test_random(&random, 256) & test_random(&random, 256) &
                                 test_random(&random, 256));
            bytes[1] = (uint8_t)(i * 7);
            len = 2;
        }
        if (number == 5) {
            bytes[0] = (uint8_t)(i / 256);
            bytes[1] = (uint8_t)i;
            len = 2 + i % 2;
        }
        test_add(dictionary, bytes, NULL, len, false);
    }
    return dictionary;
}

enum { SHAPES = 6 };

static void every_table_has_every_edge_and_no_other(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SHAPES; i++) {
        struct match_dictionary *dictionary = launch(i);
        struct pfac *pfac = NULL;

        TEST_OK(pfac_build(dictionary, &pfac, &test_err));
        for (enum pfac_kind kind = PFAC_2D; kind < PFAC_KINDS; kind++)
            check_table(pfac, kind);
        pfac_destroy(pfac);
        match_dictionary_destroy(dictionary);
    }
}

/* Theorem 1, worked out anew from the counts of branches and leaves. */
static void the_space_is_within_theorem_1(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SHAPES; i++) {
        struct match_dictionary *dictionary = launch(i);
        struct pfac_table table, linked;
        struct pfac *pfac = NULL;
        uint64_t slots = 0, edges = 0, leaves = 0;

        TEST_OK(pfac_build(dictionary, &pfac, &test_err));
        for (uint32_t s = 0; s < pfac->states; s++) {
            const uint32_t branches = s < pfac->leaf ? pfac_branches(pfac, s) : 0;

            slots += pfac_mfph_size(branches);
            edges += branches;
            leaves += branches == 0;
        }
        TEST_OK(pfac_table_build(pfac, PFAC_MFPH, &table, &test_err));
        TEST_OK(pfac_table_build(pfac, PFAC_LINKED, &linked, &test_err));
        assert_true(table.slots == slots);
        assert_true((double)slots <= 21.4 * (double)edges);
        assert_true((double)slots <=
                    (1 + 71 * (double)(leaves - 1) / (double)(pfac->states - 1)) * (double)edges +
                        1e-6);
        assert_true(slots <= pfac_mfph_bound(pfac));
        assert_true(linked.slots <= slots + (pfac->leaf - pfac->finding));
        pfac_table_release(&table);
        pfac_table_release(&linked);
        pfac_destroy(pfac);
        match_dictionary_destroy(dictionary);
    }
}

static void tables_that_cannot_be_say_so(void **state)
{
    struct pfac pfac = { .states = 5000000, .leaf = 5000000 };
    struct pfac_table table;

    (void)state;
    assert_int_equal(pfac_table_build(&pfac, PFAC_2D, &table, &test_err), ERR_FULL);
    assert_non_null(strstr(test_err.text, "pfac:mfph"));
    assert_int_equal(pfac_table_build(&pfac, PFAC_PH, &table, &test_err), ERR_FULL);
    assert_non_null(strstr(test_err.text, "pfac:mfph"));
}

static void note_hit(void *arg, const struct hit *hit)
{
    test_hits_add(arg, hit, 1);
}

/* What a form finds in a text that is on the device. */
static void lab_time_form(const struct match_engine *engine,
                          const struct match_dictionary *dictionary, uint8_t *text, uint32_t len,
                          const struct device_provider *provider, struct test_hits *out)
{
    const struct match_setup setup = { .threads = 1,
                                       .segment_len = 4096,
                                       .slots = 1,
                                       .carry = match_dictionary_carry(dictionary),
                                       .hits_max = 10000,
                                       .device_mask = 1,
                                       .devices = provider };
    const struct match_resident_setup whole = { .devices = provider, .bytes = text, .len = len };
    double seconds[1];
    struct match_resident *resident = NULL;
    void *program = NULL;

    out->count = 0;
    TEST_OK(match_resident_open(&whole, &resident, &test_err));
    TEST_OK(engine->compile(dictionary, &setup, &program, &test_err));
    struct match_timing measure = {
        .resident = resident, .runs = 1, .seconds = seconds, .each = note_hit, .arg = out
    };
    TEST_OK(engine->offload->lab->time(program, &measure, &test_err));
    assert_int_equal(measure.hits, out->count);
    engine->release(program);
    match_resident_close(resident);
    test_hits_sort(out);
}

/* Of hits in order, those of the greatest length at their place. */
static void keep_longest(struct test_hits *hits)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < hits->count;) {
        uint32_t end = i, longest = 0;

        for (; end < hits->count && hits->items[end].offset == hits->items[i].offset; end++)
            longest = hits->items[end].len > longest ? hits->items[end].len : longest;
        for (; i < end; i++)
            if (hits->items[i].len == longest)
                hits->items[kept++] = hits->items[i];
    }
    hits->count = kept;
}

static void check_forms(const struct match_dictionary *dictionary, uint8_t *text, uint32_t len,
                        bool with_longest, const struct device_provider *provider)
{
    struct test_hits all = { 0 }, got = { 0 };

    test_oracle(dictionary, text, len, 0, &all);
    for (int longest = 0; longest <= (int)with_longest; longest++) {
        if (longest)
            keep_longest(&all);
        for (enum pfac_kind kind = PFAC_2D; kind < PFAC_KINDS; kind++)
            for (enum pfac_walks walks = PFAC_EACH; walks < PFAC_WALKS; walks++) {
                const struct match_engine *engine = match_pfac_form(kind, walks, longest);

                lab_time_form(engine, dictionary, text, len, provider, &got);
                if (!test_hits_equal(&all, &got))
                    fail_msg("%s, walks %d, longest %d: %u hits, want %u", engine->name, (int)walks,
                             longest, got.count, all.count);
            }
    }
    free(all.items);
    free(got.items);
}

/* Section I: "hershey" with the paper's patterns; each place's longest is what Figure 2 says. */
static void the_papers_text_has_its_matches(void **state)
{
    static const struct {
        uint32_t at;
        const char *longest;
    } want[] = { { 0, "hers" }, { 3, "she" }, { 4, "he" } };
    struct match_dictionary *dictionary = dictionary_of(papers, PAPERS, false);
    uint8_t text[] = "hershey";
    struct test_hits got = { 0 };
    struct device_host host;

    (void)state;
    device_host_init(&host, 1, MEMORY);
    const struct device_provider provider = device_host_provider(&host);
    for (enum pfac_kind kind = PFAC_2D; kind < PFAC_KINDS; kind++) {
        lab_time_form(match_pfac_form(kind, PFAC_EACH, true), dictionary, text, 7, &provider, &got);
        assert_int_equal(got.count, sizeof want / sizeof want[0]);
        for (uint32_t i = 0; i < got.count; i++) {
            assert_int_equal(got.items[i].offset, want[i].at);
            assert_string_equal(papers[got.items[i].pattern], want[i].longest);
        }
    }
    free(got.items);
    match_dictionary_destroy(dictionary);
    device_host_release(&host);
}

/* Letters that match often, folded, kept and masked; long runs of one byte, in which walks are
 * long. */
static void check_texts(const struct device_provider *provider)
{
    static uint8_t text[TEXT_LEN];
    uint64_t random = 77;

    for (uint32_t round = 0; round < 6; round++) {
        struct match_dictionary *dictionary = dictionary_of(papers, PAPERS, round % 2 == 1);

        test_add(dictionary, "SHE", NULL, 3,
                 round == 3); /* in a folding automaton one that is to be compared */
        test_add(dictionary, "hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh", NULL, 40, false);
        if (round >= 4)
            test_add(dictionary, "s\0?s", "\xff\0\0\xff", 4, false);
        for (uint32_t i = 0; i < TEXT_LEN; i++)
            text[i] = i / 300 % 4 == 1 ? 'h' : (uint8_t) "hersihSEI."[test_random(&random, 10)];
        check_forms(dictionary, text, TEXT_LEN, round < 4, provider);
        match_dictionary_destroy(dictionary);
    }
    for (uint32_t i = 0; i < SHAPES; i++) {
        struct match_dictionary *dictionary = launch(i);

        for (uint32_t k = 0; k < TEXT_LEN; k++)
            text[k] = i == 5 ? (uint8_t)test_random(&random, 4)
                             : (uint8_t) "aabbACGT"[test_random(&random, 8)];
        check_forms(dictionary, text, 2000, true, provider);
        match_dictionary_destroy(dictionary);
    }
}

static void every_form_finds_what_it_should(void **state)
{
    struct device_host host;

    (void)state;
    device_host_init(&host, 1, MEMORY);
    const struct device_provider provider = device_host_provider(&host);
    check_texts(&provider);
    device_host_release(&host);
}

static void the_real_device_finds_the_same(void **state)
{
    (void)state;
    if (device_cuda_missing() != NULL)
        skip();
    const struct device_provider provider = device_cuda();
    check_texts(&provider);
}

static void masked_patterns_have_no_longest(void **state)
{
    struct match_dictionary *dictionary = dictionary_of(papers, PAPERS, false);
    struct device_host host;
    void *program = NULL;

    (void)state;
    test_add(dictionary, "s?s", "\xff\0\xff", 3, false);
    device_host_init(&host, 1, MEMORY);
    const struct device_provider provider = device_host_provider(&host);
    const struct match_setup setup = { .threads = 1,
                                       .segment_len = 4096,
                                       .slots = 1,
                                       .carry = 3,
                                       .hits_max = 1000,
                                       .device_mask = 1,
                                       .devices = &provider };
    const enum err_code rc = match_pfac_form(PFAC_MFPH, PFAC_QUEUED, true)
                                 ->compile(dictionary, &setup, &program, &test_err);
    assert_int_equal(rc, ERR_ARG);
    assert_non_null(strstr(test_err.text, "masks"));
    assert_int_equal(host.open, 0);
    match_dictionary_destroy(dictionary);
    device_host_release(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lemma_2_holds_for_every_pair),
        cmocka_unit_test(a_cell_is_the_remainder_modulo_the_size),
        cmocka_unit_test(remainders_of_doubles_are_exact),
        cmocka_unit_test(sizes_are_those_of_figure_12),
        cmocka_unit_test(the_papers_example_has_its_numbers),
        cmocka_unit_test(every_table_has_every_edge_and_no_other),
        cmocka_unit_test(the_space_is_within_theorem_1),
        cmocka_unit_test(tables_that_cannot_be_say_so),
        cmocka_unit_test(the_papers_text_has_its_matches),
        cmocka_unit_test(every_form_finds_what_it_should),
        cmocka_unit_test(masked_patterns_have_no_longest),
        cmocka_unit_test(the_real_device_finds_the_same),
    };
    return cmocka_run_group_tests_name("failureless automaton", tests, NULL, NULL);
}
