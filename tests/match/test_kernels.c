/* SPDX-License-Identifier: Apache-2.0
 * tests/match/test_kernels.c - every kernel of every engine, on texts so small that it may run
 * under compute-sanitizer.
 *
 * Method: each engine with a device behind it searches a text for each of a few dictionaries, which
 * between them take all ways through the engines: cells of 16 and of 32 bits, the filter, the
 * windows of words with either stride, and both. It goes there in segments, under each strategy,
 * with room for all hits and once for few, and lies there whole, read in each launch that the
 * kernel comes in. Hits are those of the CPU's engine ac. Without a device the stand-in on the host
 * is searched. tests/match/sanitize.sh runs this.
 *
 * Labels: gpu slow
 */
#include <stdalign.h>
#include <stdio.h>

#include "match/device/device_host.h"
#include "tests/match/match_test.h"

enum {
    TEXT_LEN = 12307,
    SEGMENT = 4096,
    OFFSET = 1000,
    WORD_MAX = 16,
    HITS_FEW = 500,
    ONE_BY_ONE = 200
};

struct kernels_case {
    const char *name;
    bool signatures;
    uint32_t words, word_least;
    bool launches; /* all that there are */
    enum match_strategy strategy;
    uint32_t hits_max;
};

static const struct kernels_case kernels_cases[] = {
    { .name = "signatures", .signatures = true, .launches = true, .strategy = MATCH_STRATEGY_B },
    { .name = "few hits fit",
      .signatures = true,
      .strategy = MATCH_STRATEGY_A,
      .hits_max = HITS_FEW },
    { .name = "words", .words = 500, .word_least = 5 },
    { .name = "long words", .words = 100, .word_least = 7, .launches = true },
    { .name = "both", .signatures = true, .words = 450, .word_least = 5 },
    { .name = "many states", .words = ASAN_OR_ALL(2000, 8000), .word_least = 12, .launches = true },
};
enum { CASES = sizeof kernels_cases / sizeof kernels_cases[0] };

static void add_signatures(struct match_dictionary *dictionary)
{
    test_add(dictionary, "ab", NULL, 2, false);
    test_add(dictionary, "abcabc", NULL, 6, true);
    test_add(dictionary, "c??????????a", "\xff\0\0\0\0\0\0\0\0\0\0\xff", 12, false);
    test_add(dictionary, "\xff\xe0", "\xff\xe0", 2, false);
    test_add(dictionary, "\0\0\0\1", NULL, 4, false);
    test_add(dictionary, "aabbccaabbccaabbcc", NULL, 18, true);
    test_add(dictionary, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", NULL, 20, false);
}

/* Words of a made-up language, some of which stand in the text. */
static void add_words(struct match_dictionary *dictionary, const struct kernels_case *c,
                      uint8_t *text)
{
    uint64_t seed = 0x3017d5;

    for (uint32_t i = 0; i < c->words; i++) {
        const uint32_t len = c->word_least + test_random(&seed, WORD_MAX - c->word_least + 1);
        char word[WORD_MAX];

        for (uint32_t k = 0; k < len; k++)
            word[k] = "etaoinshrdlucmfwypvbgkjqxz"[test_random(&seed, k % 2 == 0 ? 26 : 9)];
        test_add(dictionary, word, NULL, len, i % 2 == 0);
        if (i % (c->words / 50 + 1) == 0)
            memcpy(text + test_random(&seed, TEXT_LEN - WORD_MAX), word, len);
    }
}

/* What the tests of one case share: made for the first of them. */
struct kernels_made {
    struct match_dictionary *dictionary; /* NULL: not made yet */
    alignas(16) uint8_t text[TEXT_LEN];
    struct test_hits want;
};

struct kernels_test {
    const struct match_engine *engine;
    const struct kernels_case *c;
    struct kernels_made *made;
    struct device_host host;
    struct device_provider stand_in;
    const struct device_provider *provider; /* NULL: the devices of the machine */
};

static void find_wanted(struct kernels_made *made)
{
    enum { ROOM = 1 << 20 };
    const struct match_text whole = { .bytes = made->text, .len = TEXT_LEN, .offset = OFFSET };
    struct match_sink sink = { .items = malloc(ROOM * sizeof *sink.items), .max = ROOM };
    void *program = NULL;

    assert_non_null(sink.items);
    TEST_OK(match_ac_engine.compile(made->dictionary, &(struct match_setup){ .threads = 1 },
                                    &program, &test_err));
    assert_true(match_ac_engine.scan(program, &whole, 0, TEXT_LEN, &sink));
    match_ac_engine.release(program);
    test_hits_add(&made->want, sink.items, sink.count);
    test_hits_sort(&made->want);
    free(sink.items);
}

static void kernels_make(const struct kernels_case *c, struct kernels_made *made)
{
    static const uint8_t letters[] = "abcABC\xff\xe3\0\1";
    uint64_t seed = 0x5a71;

    for (uint32_t i = 0; i < TEXT_LEN; i++)
        made->text[i] = i / 500 % 23 == 1 ? 0
                        : i / 1000 % 3 == 0
                            ? letters[test_random(&seed, 10)]
                            : (uint8_t) "etaoinshrdlu mfwyp\xff"[test_random(&seed, 19)];
    memcpy(made->text + TEXT_LEN / 2, "aabbccAABBCCaabbcc", 18);
    TEST_OK(match_dictionary_create(&made->dictionary, &test_err));
    if (c->signatures)
        add_signatures(made->dictionary);
    add_words(made->dictionary, c, made->text);
    find_wanted(made);
    assert_true(made->want.count > 10);
}

static void kernels_open(struct kernels_test *t)
{
    if (t->made->dictionary == NULL)
        kernels_make(t->c, t->made);
    if (t->engine->missing() == NULL)
        return;
    device_host_init(&t->host, 1, (uint64_t)1 << 30);
    t->stand_in = device_host_provider(&t->host);
    t->provider = &t->stand_in;
}

static void kernels_close(struct kernels_test *t)
{
    if (t->provider != NULL)
        device_host_release(&t->host);
}

static void check_hits(const struct kernels_test *t, struct test_hits *got, const char *what)
{
    test_hits_sort(got);
    if (!test_hits_equal(&t->made->want, got))
        fail_msg("%s, %s, %s: %u hits, want %u", t->engine->name, t->c->name, what, got->count,
                 t->made->want.count);
    free(got->items);
    *got = (struct test_hits){ 0 };
}

/* Through slots and back. */
static void check_scan(const struct kernels_test *t)
{
    static const uint32_t cuts[] = { SEGMENT, 2 * SEGMENT, 3 * SEGMENT };
    const struct match_options options = { .engine = t->engine->name,
                                           .threads = 1,
                                           .slots = 3,
                                           .segment_len = SEGMENT,
                                           .hits_max = t->c->hits_max,
                                           .strategy = t->c->strategy,
                                           .devices = t->provider };
    struct test_hits got = { 0 };
    struct match_matcher *matcher = NULL;

    TEST_OK(match_open(t->made->dictionary, &options, &matcher, &test_err));
    test_scan(matcher, t->made->text, TEXT_LEN, OFFSET, cuts, sizeof cuts / sizeof cuts[0], &got);
    match_close(matcher);
    check_hits(t, &got, "in segments");
}

static void measured_hit(void *arg, const struct hit *hit)
{
    const struct hit moved = { .offset = hit->offset + OFFSET,
                               .pattern = hit->pattern,
                               .len = hit->len };

    test_hits_add(arg, &moved, 1);
}

/* In the device's memory, in stretches, in a launch. */
static void check_launch(const struct kernels_test *t, void *program,
                         struct match_resident *resident, struct match_launch launch)
{
    double seconds = 0;
    char what[64];
    struct test_hits got = { 0 };
    struct match_timing measure = { .resident = resident,
                                    .stretch = SEGMENT,
                                    .launch = launch,
                                    .runs = 1,
                                    .each = measured_hit,
                                    .arg = &got,
                                    .seconds = &seconds };

    TEST_OK(t->engine->offload->lab->time(program, &measure, &test_err));
    snprintf(what, sizeof what, "%u threads of %u words", launch.threads, launch.words);
    if (TEXT_LEN % 16 != 0 && strstr(t->engine->name, "zero-copy") != NULL)
        free(got.items); /* text in place is measured up to a multiple of 16 bytes */
    else
        check_hits(t, &got, what);
}

static void check_launches(const struct kernels_test *t)
{
    const struct match_resident_setup text = { .devices = t->provider,
                                               .bytes = t->made->text,
                                               .len = TEXT_LEN };
    const struct match_setup setup = { .threads = 1,
                                       .segment_len = SEGMENT,
                                       .slots = 1,
                                       .carry = 32,
                                       .hits_max = 1000,
                                       .devices = t->provider };
    struct match_resident *resident = NULL;
    void *program = NULL;
    uint32_t count = 0;

    TEST_OK(match_resident_open(&text, &resident, &test_err));
    TEST_OK(t->engine->compile(t->made->dictionary, &setup, &program, &test_err));
    const struct match_launch *launches = t->engine->offload->lab->launches(program, &count);
    check_launch(t, program, resident, (struct match_launch){ 0 });
    for (uint32_t i = 0; i < count && t->c->launches; i++)
        check_launch(t, program, resident, launches[i]);
    t->engine->release(program);
    match_resident_close(resident);
}

static void every_kernel_finds_what_ac_finds(void **state)
{
    struct kernels_test *t = *state;

    kernels_open(t);
    check_scan(t);
    check_launches(t);
    kernels_close(t);
}

/* It goes over the text once for each pattern, and has no states. */
static bool takes_one_by_one(const struct match_engine *engine)
{
    return strcmp(engine->name, "match-str:cuda") == 0 ||
           strcmp(engine->name, "quick-search:cuda") == 0;
}

/* An argument chooses tests: "ac4: *". */
int main(int argc, char **argv)
{
    enum { TESTS_MAX = 512, NAME = 96 };
    static char texts[TESTS_MAX][NAME];
    static struct CMUnitTest tests[TESTS_MAX];
    static struct kernels_test states[TESTS_MAX];
    static struct kernels_made made[CASES];
    uint32_t count = 0;

    setvbuf(stdout, NULL, _IOLBF, 0); /* a tool's reports stand between the lines */
    for (uint32_t i = 0; i < match_engine_count(); i++) {
        const struct match_engine *engine = match_engine_named(match_engine_get(i).name);

        for (uint32_t k = 0; k < CASES && engine->offload != NULL && count < TESTS_MAX; k++) {
            if (takes_one_by_one(engine) && kernels_cases[k].words > ONE_BY_ONE)
                continue;
            states[count] =
                (struct kernels_test){ .engine = engine, .c = &kernels_cases[k], .made = &made[k] };
            snprintf(texts[count], NAME, "%s: %s", engine->name, kernels_cases[k].name);
            tests[count] = (struct CMUnitTest){ .name = texts[count],
                                                .test_func = every_kernel_finds_what_ac_finds,
                                                .initial_state = &states[count] };
            count++;
        }
    }
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = _cmocka_run_group_tests("kernels", tests, count, NULL, NULL);
    for (uint32_t k = 0; k < CASES; k++) {
        match_dictionary_destroy(made[k].dictionary);
        free(made[k].want.items);
    }
    return failed;
}
