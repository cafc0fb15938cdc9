/* SPDX-License-Identifier: Apache-2.0
 * tests/match/test_engines.c - every engine gives the answers in one table, and finds patterns of
 * every length.
 *
 * Method: each row is scanned at every alignment 0..256 and cut in two at every byte, so block
 * edges, vector edges and the carry between segments are all crossed; at some alignments through
 * the whole matcher, at all of them by the engine alone. The answers are written by hand. Then one
 * pattern of each length, overlapping itself in several ways and cut likewise, is compared with the
 * naive engine. An engine that cannot run here is reported as skipped, never as passed. Those with
 * a device behind them go through the matcher alone, on the stand-in on the host where there is no
 * device.
 *
 * Labels: gpu slow
 */
#include "match/device/device_host.h"
#include "tests/match/match_test.h"

enum {
    PAD_MAX = 256,
    PAD_STEP_THREADS = 16, /* for engines that start threads in each scan */
    PAD_MATCHER_MAX = 17,  /* through the matcher */
    HITS_MAX = 12,
    PATTERNS_MAX = 4,
    TEXT_MAX = 600,
    LONG_MAX = 2048,
    LAUNCHES = 3,
};

#define PAD_STEP FEW_OR_ALL(13, 5, 1)
#define PAD_MATCHER_STEP FEW_OR_ALL(8, 3, 1)
#define LONG_CUTS FEW_OR_ALL(8, 16, 48) /* places at which a long text is cut */
#define LENS_ALL FEW_OR_ALL(12, 40, LIMIT_PATTERN_LEN)
/* For engines that open a device for each. */
#define LENS_STEP_DEVICE FEW_OR_ALL(15, 7, 7)
#define LENS_WIDTH FEW_OR_ALL(64, 16, 1)
#define LAUNCHES_STEP FEW_OR_ALL(LAUNCHES, 1, 1) /* kinds of patterns: one a length, or all */

#define S(literal)                                                                                 \
    {                                                                                              \
        .bytes = (literal), .len = sizeof(literal) - 1                                             \
    }
#define I(literal)                                                                                 \
    {                                                                                              \
        .bytes = (literal), .len = sizeof(literal) - 1, .fold_case = true                          \
    }
#define M(literal, mask_literal)                                                                   \
    {                                                                                              \
        .bytes = (literal), .mask = (mask_literal), .len = sizeof(literal) - 1                     \
    }
#define MI(literal, mask_literal)                                                                  \
    {                                                                                              \
        .bytes = (literal), .mask = (mask_literal), .len = sizeof(literal) - 1, .fold_case = true  \
    }
#define TEXT(literal) .text = (literal), .text_len = sizeof(literal) - 1

static const struct engine_case {
    const char *name;
    struct {
        const char *bytes, *mask;
        uint32_t len;
        bool fold_case;
    } patterns[PATTERNS_MAX]; /* len 0 ends */
    const char *text;
    uint32_t text_len;
    uint32_t want_count;
    struct {
        uint32_t at, pattern;
    } want[HITS_MAX];
} cases[] = {
    { "absent", { S("PNG") }, TEXT("no such"), 0, { { 0, 0 } } },
    { "one byte", { S("x") }, TEXT("axxb"), 2, { { 1, 0 }, { 2, 0 } } },
    { "the whole text", { S("whole") }, TEXT("whole"), 1, { { 0, 0 } } },
    { "longer than the text", { S("whole text") }, TEXT("whole tex"), 0, { { 0, 0 } } },
    { "overlaps itself", { S("aa") }, TEXT("aaaa"), 3, { { 0, 0 }, { 1, 0 }, { 2, 0 } } },
    { "overlaps itself apart", { S("aba") }, TEXT("ababa"), 2, { { 0, 0 }, { 2, 0 } } },
    { "prefix of another", { S("ab"), S("abcd") }, TEXT("xabcd"), 2, { { 1, 0 }, { 1, 1 } } },
    { "suffix of another",
      { S("abcd"), S("cd"), S("d") },
      TEXT("abcd"),
      3,
      { { 0, 0 }, { 2, 1 }, { 3, 2 } } },
    { "inside another", { S("abcd"), S("bc") }, TEXT("abcd"), 2, { { 0, 0 }, { 1, 1 } } },
    { "false start", { S("aab") }, TEXT("aaab"), 1, { { 1, 0 } } },
    { "fails over to another", { S("abcx"), S("bcd") }, TEXT("abcd"), 1, { { 1, 1 } } },
    { "fails over twice",
      { S("abab!"), S("bac"), S("ac") },
      TEXT("ababac"),
      2,
      { { 3, 1 }, { 4, 2 } } },
    { "high bytes", { S("\xff\xd8\xff") }, TEXT("\xff\xff\xd8\xff\xe0"), 1, { { 1, 0 } } },
    { "NUL bytes",
      { S("\0\0\1"), S("\0\0") },
      TEXT("\0\0\0\1"),
      3,
      { { 0, 1 }, { 1, 0 }, { 1, 1 } } },
    { "twice the same pattern", { S("ab"), S("ab") }, TEXT("cab"), 2, { { 1, 0 }, { 1, 1 } } },
    { "case kept", { S("BM") }, TEXT("BMbmBmbM"), 1, { { 0, 0 } } },
    { "case folded", { I("<Ht1") }, TEXT("<ht1<HT1<hT1"), 3, { { 0, 0 }, { 4, 0 }, { 8, 0 } } },
    { "case folded and kept together",
      { I("ab"), S("Ab"), S("ab") },
      TEXT("abAbaB"),
      5,
      { { 0, 0 }, { 0, 2 }, { 2, 0 }, { 2, 1 }, { 4, 0 } } },
    { "only letters fold", { I("@[`{") }, TEXT("@[`{`{@["), 1, { { 0, 0 } } },
    { "high bytes do not fold",
      { I("\xc3\xa4"
          "a") },
      TEXT("\xc3\xa4"
           "A\xe3\x84"
           "a"),
      1,
      { { 0, 0 } } },
    { "wildcards inside",
      { M("RIFF....AVI", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff") },
      TEXT("RIFF1234AVIRIFF123AVI"),
      1,
      { { 0, 0 } } },
    { "wildcards in front",
      { M("????moov", "\0\0\0\0\xff\xff\xff\xff") },
      TEXT("abcdmoovmoov"),
      2,
      { { 0, 0 }, { 4, 0 } } },
    { "wildcards behind",
      { M("BM??", "\xff\xff\0\0") },
      TEXT("BMBM12BM3"),
      2,
      { { 0, 0 }, { 2, 0 } } },
    { "wildcards at both ends",
      { M("?x?", "\0\xff\0") },
      TEXT("axaxbx"),
      2,
      { { 0, 0 }, { 2, 0 } } },
    { "not by its zeros",
      { M("BM????\0\0\0\0", "\xff\xff\0\0\0\0\xff\xff\xff\xff") },
      TEXT("BMabcd\0\0\0\0\0BM\0\0\0\0\0\0\0\1"),
      1,
      { { 0, 0 } } },
    { "half a byte masked",
      { M("\xff\xe0", "\xff\xe0") },
      TEXT("\xff\xff\xe0\xff\xdf\xff\xf3"),
      3,
      { { 0, 0 }, { 1, 0 }, { 5, 0 } } },
    { "one bit of every byte",
      { M("\x80\x00", "\x80\x80") },
      TEXT("a\x81"
           "b\xff\xff\0"),
      2,
      { { 1, 0 }, { 4, 0 } } },
    { "masked bits of the pattern do not count",
      { M("\xff\x0f", "\xf0\xff") },
      TEXT("\xf1\x0f\xe1\x0f"),
      1,
      { { 0, 0 } } },
    { "a mask that folds",
      { M("AB", "\xdf\xdf") },
      TEXT("abABaBAb"),
      4,
      { { 0, 0 }, { 2, 0 }, { 4, 0 }, { 6, 0 } } },
    { "mask and folding",
      { MI("a1", "\xfe\xff") },
      TEXT("a1A1`1@1b1"),
      4,
      { { 0, 0 }, { 2, 0 }, { 4, 0 }, { 6, 0 } } },
    { "masked and whole together",
      { M("a?c", "\xff\0\xff"), S("abc"), S("bc") },
      TEXT("abcaxc"),
      4,
      { { 0, 0 }, { 0, 1 }, { 1, 2 }, { 3, 0 } } },
    { "overlap with wildcards",
      { M("a?a", "\xff\0\xff") },
      TEXT("aaaaa"),
      3,
      { { 0, 0 }, { 1, 0 }, { 2, 0 } } },
};

enum { CASES_COUNT = sizeof cases / sizeof cases[0] };

static struct match_matcher *open_matcher(const struct match_dictionary *dictionary,
                                          const char *engine, uint32_t segment_len,
                                          const struct device_provider *devices)
{
    const struct match_options options = {
        .engine = engine, .threads = 1, .slots = 2, .segment_len = segment_len, .devices = devices
    };
    struct match_matcher *matcher = NULL;

    TEST_OK(match_open(dictionary, &options, &matcher, &test_err));
    assert_string_equal(match_engine(matcher), engine);
    return matcher;
}

static void check_case(struct match_matcher *matcher, const struct engine_case *c, uint32_t pad)
{
    const uint32_t len = pad + c->text_len;
    struct test_hits want = { 0 }, got = { 0 };
    uint8_t text[TEXT_MAX];

    memset(text, '.', pad);
    memcpy(text + pad, c->text, c->text_len);
    for (uint32_t i = 0; i < c->want_count; i++) {
        uint32_t pattern = c->want[i].pattern;
        const struct hit hit = { .offset = 7000 + pad + c->want[i].at,
                                 .pattern = pattern,
                                 .len = c->patterns[pattern].len };
        test_hits_add(&want, &hit, 1);
    }
    for (uint32_t cut = 0; cut <= len; cut++) {
        got.count = 0;
        test_scan(matcher, text, len, 7000, &cut, 1, &got);
        test_hits_sort(&got);
        if (!test_hits_equal(&want, &got))
            fail_msg("%s: pad %u, cut %u: %u hits, want %u", c->name, pad, cut, got.count,
                     want.count);
    }
    free(want.items);
    free(got.items);
}

/* The answers when the engine scans [0, cut) and then [cut, len), as match_slot would ask for them.
 */
static void scan_in_two(const struct match_engine *engine, const void *program,
                        const uint8_t *bytes, uint32_t len, uint32_t cut, uint32_t carry,
                        struct test_hits *out)
{
    const uint32_t before = cut < carry ? cut : carry;
    const struct match_text texts[2] = {
        { .bytes = bytes, .len = cut, .offset = 7000 },
        { .bytes = bytes + cut - before, .len = len - cut + before, .offset = 7000 + cut - before }
    };

    out->count = 0;
    for (uint32_t i = 0; i < 2; i++) {
        struct match_sink sink = { .items = out->items + out->count, .max = out->max - out->count };

        if (!engine->scan(program, &texts[i], i == 0 ? 0 : before, texts[i].len, &sink))
            fail_msg("%s: %u hits do not fit", engine->name, out->max);
        out->count += sink.count;
    }
    test_hits_sort(out);
}

static void check_case_alone(const struct match_engine *engine, const void *program, uint32_t carry,
                             const struct engine_case *c, uint32_t pad)
{
    const uint32_t len = pad + c->text_len;
    struct hit want_items[HITS_MAX], got_items[2 * HITS_MAX + PATTERNS_MAX];
    struct test_hits want = { .items = want_items, .count = c->want_count };
    struct test_hits got = { .items = got_items, .max = sizeof got_items / sizeof got_items[0] };
    uint8_t *text = malloc(len); /* of its own, so that reading behind it is seen */

    assert_non_null(text);
    memset(text, '.', pad);
    memcpy(text + pad, c->text, c->text_len);
    for (uint32_t i = 0; i < c->want_count; i++)
        want_items[i] = (struct hit){ .offset = 7000 + pad + c->want[i].at,
                                      .pattern = c->want[i].pattern,
                                      .len = c->patterns[c->want[i].pattern].len };
    for (uint32_t cut = 0; cut <= len; cut++) {
        scan_in_two(engine, program, text, len, cut, carry, &got);
        if (!test_hits_equal(&want, &got))
            fail_msg("%s alone: pad %u, cut %u: %u hits, want %u", c->name, pad, cut, got.count,
                     want.count);
    }
    free(text);
}

/* The devices for an engine that wants one. */
enum { MEMORY = 64 << 20 };

static const struct device_provider *open_devices(const struct match_engine *engine,
                                                  struct device_host *host,
                                                  struct device_provider *provider)
{
    device_host_init(host, 1, MEMORY);
    *provider = device_host_provider(host);
    return engine->offload == NULL || engine->missing() == NULL ? NULL : provider;
}

static void engine_answers_the_table(void **state)
{
    const struct match_engine *engine = *state;
    const struct match_setup setup = { .threads = 2, .segment_len = TEXT_MAX };
    struct device_provider provider;
    struct device_host host;

    if (engine->missing() != NULL && engine->offload == NULL)
        skip();
    const struct device_provider *devices = open_devices(engine, &host, &provider);
    for (uint32_t i = 0; i < CASES_COUNT; i++) {
        struct match_dictionary *dictionary = NULL;
        void *program = NULL;

        TEST_OK(match_dictionary_create(&dictionary, &test_err));
        for (uint32_t k = 0; k < PATTERNS_MAX && cases[i].patterns[k].len > 0; k++)
            test_add(dictionary, cases[i].patterns[k].bytes, cases[i].patterns[k].mask,
                     cases[i].patterns[k].len, cases[i].patterns[k].fold_case);
        struct match_matcher *matcher = open_matcher(dictionary, engine->name, TEXT_MAX, devices);
        for (uint32_t pad = 0; pad <= PAD_MATCHER_MAX; pad += PAD_MATCHER_STEP)
            check_case(matcher, &cases[i], pad);
        match_close(matcher);
        if (engine->offload == NULL)
            TEST_OK(engine->compile(dictionary, &setup, &program, &test_err));
        for (uint32_t pad = 0; program != NULL && pad <= PAD_MAX;
             pad += engine->threads_itself ? PAD_STEP_THREADS : PAD_STEP)
            check_case_alone(engine, program, match_dictionary_carry(dictionary), &cases[i], pad);
        engine->release(program);
        match_dictionary_destroy(dictionary);
    }
    device_host_release(&host);
}

/* A pattern of that length: of few different bytes, of one byte, or of two in turn; with masks and
 * folding now and then. */
static void long_pattern(uint64_t *random, uint32_t len, uint32_t launch, uint8_t *bytes,
                         uint8_t *mask)
{
    for (uint32_t i = 0; i < len; i++) {
        const uint8_t any = (uint8_t)('A' + test_random(random, 60));

        bytes[i] = launch == 0 ? any : launch == 1 || i % 2 == 0 ? 'a' : 'b';
        mask[i] = test_random(random, 4) != 0 ? 0xff : 0xdf;
    }
}

/* The pattern as the first and the last bytes of the text, twice overlapping, and once spoilt in
 * its last byte. */
static uint32_t long_text(uint64_t *random, const uint8_t *bytes, uint32_t len, uint8_t *text)
{
    uint32_t at = len;

    memset(text, 'a', LONG_MAX);
    memcpy(text, bytes, len);
    at += test_random(random, 70);
    memcpy(text + at, bytes, len);
    memcpy(text + at + len / 2, bytes, len);
    at += len / 2 + len + test_random(random, 9);
    memcpy(text + at, bytes, len);
    text[at + len - 1] ^= 1;
    at += len + test_random(random, 3);
    memcpy(text + at, bytes, len);
    return at + len;
}

/* As scan_in_two, through a matcher. */
static void match_in_two(const struct match_engine *engine,
                         const struct match_dictionary *dictionary, const uint8_t *text,
                         uint32_t len, uint32_t step, const struct test_hits *want)
{
    struct device_provider provider;
    struct device_host host;
    const struct device_provider *devices = open_devices(engine, &host, &provider);
    struct match_matcher *matcher = open_matcher(dictionary, engine->name, LONG_MAX, devices);

    for (uint32_t cut = 0; cut <= len; cut += step) {
        struct test_hits got = { 0 };

        test_scan(matcher, text, len, 7000, &cut, 1, &got);
        test_hits_sort(&got);
        if (!test_hits_equal(want, &got))
            fail_msg("%s: longest %u, cut %u: %u hits, naive has %u", engine->name,
                     match_dictionary_carry(dictionary) + 1, cut, got.count, want->count);
        free(got.items);
    }
    match_close(matcher);
    device_host_release(&host);
}

static void check_length(const struct match_engine *engine, uint32_t len, uint32_t launch)
{
    const struct match_setup setup = { .threads = 2, .segment_len = LONG_MAX };
    uint64_t random = len * 3 + launch + 1;
    uint8_t bytes[LIMIT_PATTERN_LEN], mask[LIMIT_PATTERN_LEN], text[LONG_MAX];
    struct test_hits want = { 0 },
                     got = { .items = calloc(LONG_MAX, sizeof *got.items), .max = LONG_MAX };
    struct match_dictionary *dictionary = NULL;
    void *program = NULL;

    assert_non_null(got.items);
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    long_pattern(&random, len, launch, bytes, mask);
    test_add(dictionary, bytes, len % 3 == 0 ? mask : NULL, len, len % 5 == 0);
    const uint32_t text_len = long_text(&random, bytes, len, text);
    test_oracle(dictionary, text, text_len, 7000, &want);
    const uint32_t step = engine->threads_itself || engine->offload != NULL
                              ? text_len / 4 + 1
                              : text_len / LONG_CUTS + 1;
    if (engine->offload != NULL)
        match_in_two(engine, dictionary, text, text_len, step, &want);
    else
        TEST_OK(engine->compile(dictionary, &setup, &program, &test_err));
    for (uint32_t cut = 0; program != NULL && cut <= text_len; cut += step) {
        scan_in_two(engine, program, text, text_len, cut, match_dictionary_carry(dictionary), &got);
        if (!test_hits_equal(&want, &got))
            fail_msg("%s: length %u, launch %u, cut %u: %u hits, naive has %u", engine->name, len,
                     launch, cut, got.count, want.count);
    }
    engine->release(program);
    match_dictionary_destroy(dictionary);
    free(want.items);
    free(got.items);
}

/* Whether a length is tried: each of the short ones, then those around the multiples of a width of
 * vectors, and the greatest. */
static bool length_matters(uint32_t len)
{
    return len <= LENS_ALL || (len + 1) % LENS_WIDTH <= 2 || len == LIMIT_PATTERN_LEN;
}

static void engine_finds_patterns_of_every_length(void **state)
{
    const struct match_engine *engine = *state;

    if (engine->missing() != NULL && engine->offload == NULL)
        skip();
    for (uint32_t len = 1; len <= LIMIT_PATTERN_LEN;
         len += engine->offload == NULL ? 1 : LENS_STEP_DEVICE)
        for (uint32_t launch = 0; launch < LAUNCHES && length_matters(len); launch++)
            if (launch % LAUNCHES_STEP == len % LAUNCHES_STEP)
                check_length(engine, len, launch);
}

#define ENGINE(id, role)                                                                           \
    { #id " answers the table", engine_answers_the_table, NULL, NULL,                              \
      (void *)(uintptr_t)&match_##id##_engine },                                                   \
        { #id " finds every length", engine_finds_patterns_of_every_length, NULL, NULL,            \
          (void *)(uintptr_t)&match_##id##_engine },
/* An argument chooses tests: "rk_cuda*". */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
#include "match/engines.def"
    };

    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests_name("match engines", tests, NULL, NULL);
}
