/*
 * tests/match/test_engines.c - every engine gives the answers in one table.
 *
 * Method: each row is scanned at every alignment 0..66 and cut in two at every byte, so block edges, vector edges and the
 * carry between segments are all crossed. The answers are written by hand. An engine that cannot run here is reported as
 * skipped, never as passed.
 */
#include "tests/match/match_test.h"

enum { PAD_MAX = 66, HITS_MAX = 12, PATTERNS_MAX = 4, TEXT_MAX = 600 };

#define S(literal)                                                                                                     \
    {                                                                                                                  \
        .bytes = (literal), .len = sizeof(literal) - 1                                                                 \
    }
#define I(literal)                                                                                                     \
    {                                                                                                                  \
        .bytes = (literal), .len = sizeof(literal) - 1, .fold_case = true                                              \
    }
#define M(literal, mask_literal)                                                                                       \
    {                                                                                                                  \
        .bytes = (literal), .mask = (mask_literal), .len = sizeof(literal) - 1                                         \
    }
#define MI(literal, mask_literal)                                                                                      \
    {                                                                                                                  \
        .bytes = (literal), .mask = (mask_literal), .len = sizeof(literal) - 1, .fold_case = true                      \
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
    { "suffix of another", { S("abcd"), S("cd"), S("d") }, TEXT("abcd"), 3, { { 0, 0 }, { 2, 1 }, { 3, 2 } } },
    { "inside another", { S("abcd"), S("bc") }, TEXT("abcd"), 2, { { 0, 0 }, { 1, 1 } } },
    { "false start", { S("aab") }, TEXT("aaab"), 1, { { 1, 0 } } },
    { "fails over to another", { S("abcx"), S("bcd") }, TEXT("abcd"), 1, { { 1, 1 } } },
    { "fails over twice", { S("abab!"), S("bac"), S("ac") }, TEXT("ababac"), 2, { { 3, 1 }, { 4, 2 } } },
    { "high bytes", { S("\xff\xd8\xff") }, TEXT("\xff\xff\xd8\xff\xe0"), 1, { { 1, 0 } } },
    { "NUL bytes", { S("\0\0\1"), S("\0\0") }, TEXT("\0\0\0\1"), 3, { { 0, 1 }, { 1, 0 }, { 1, 1 } } },
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
    { "wildcards behind", { M("BM??", "\xff\xff\0\0") }, TEXT("BMBM12BM3"), 2, { { 0, 0 }, { 2, 0 } } },
    { "wildcards at both ends", { M("?x?", "\0\xff\0") }, TEXT("axaxbx"), 2, { { 0, 0 }, { 2, 0 } } },
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
    { "a mask that folds", { M("AB", "\xdf\xdf") }, TEXT("abABaBAb"), 4, { { 0, 0 }, { 2, 0 }, { 4, 0 }, { 6, 0 } } },
    { "mask and folding", { MI("a1", "\xfe\xff") }, TEXT("a1A1`1@1b1"), 4, { { 0, 0 }, { 2, 0 }, { 4, 0 }, { 6, 0 } } },
    { "masked and whole together",
      { M("a?c", "\xff\0\xff"), S("abc"), S("bc") },
      TEXT("abcaxc"),
      4,
      { { 0, 0 }, { 0, 1 }, { 1, 2 }, { 3, 0 } } },
    { "overlap with wildcards", { M("a?a", "\xff\0\xff") }, TEXT("aaaaa"), 3, { { 0, 0 }, { 1, 0 }, { 2, 0 } } },
};

enum { CASES_COUNT = sizeof cases / sizeof cases[0] };

static struct match_matcher *open_matcher(const struct match_dictionary *dictionary, const char *engine)
{
    const struct match_options options = { .engine = engine, .threads = 1, .lanes = 2, .segment_len = TEXT_MAX };
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
            fail_msg("%s: pad %u, cut %u: %u hits, want %u", c->name, pad, cut, got.count, want.count);
    }
    free(want.items);
    free(got.items);
}

static void engine_answers_the_table(void **state)
{
    const struct match_engine *engine = *state;

    if (engine->missing() != NULL)
        skip();
    for (uint32_t i = 0; i < CASES_COUNT; i++) {
        struct match_dictionary *dictionary = NULL;

        TEST_OK(match_dictionary_create(&dictionary, &test_err));
        for (uint32_t k = 0; k < PATTERNS_MAX && cases[i].patterns[k].len > 0; k++)
            test_add(dictionary, cases[i].patterns[k].bytes, cases[i].patterns[k].mask, cases[i].patterns[k].len,
                     cases[i].patterns[k].fold_case);
        struct match_matcher *matcher = open_matcher(dictionary, engine->name);
        for (uint32_t pad = 0; pad <= PAD_MAX; pad++)
            check_case(matcher, &cases[i], pad);
        match_close(matcher);
        match_dictionary_destroy(dictionary);
    }
}

#define ENGINE(id)                                                                                                     \
    { #id " answers the table", engine_answers_the_table, NULL, NULL, (void *)(uintptr_t)&match_##id##_engine },
int main(void)
{
    const struct CMUnitTest tests[] = {
#include "match/engines.def"
    };
    return cmocka_run_group_tests_name("match engines", tests, NULL, NULL);
}
