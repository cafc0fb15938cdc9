/* tests/match/test_matcher.c - slots, pieces, engines by name, and the edges of the interface. */
#include "match/slot.h"
#include "tests/match/match_test.h"

static struct match_dictionary *dictionary_of(const char *pattern, uint32_t len)
{
    struct match_dictionary *dictionary = NULL;

    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    if (len > 0)
        test_add(dictionary, pattern, NULL, len, false);
    return dictionary;
}

static struct match_matcher *open_matcher(const struct match_dictionary *dictionary,
                                          struct match_options options)
{
    struct match_matcher *matcher = NULL;

    TEST_OK(match_open(dictionary, &options, &matcher, &test_err));
    return matcher;
}

static void slots_are_aligned_and_have_room_for_the_carry(void **state)
{
    static const uint32_t lens[] = { 1, 5000, 65536, 3 << 20 };

    (void)state;
    struct match_dictionary *dictionary = dictionary_of("0123456789", 10);
    test_add_regex(dictionary, "a", false);
    for (uint32_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        struct match_matcher *matcher = open_matcher(
            dictionary, (struct match_options){ .threads = 1, .slots = 3, .segment_len = lens[i] });

        assert_int_equal(match_slot_count(matcher), 3);
        assert_int_equal(match_carry(matcher), LIMIT_REGEX_MATCH_LEN - 1);
        for (uint32_t slot = 0; slot < 3; slot++) {
            uint8_t *bytes = match_slot_bytes(matcher, slot);

            assert_int_equal((uintptr_t)bytes % 4096, 0);
            memset(bytes - match_carry(matcher), 0xaa, match_carry(matcher) + lens[i]);
        }
        match_close(matcher);
    }
    match_dictionary_destroy(dictionary);
}

/* A hit at every byte: many pieces, none larger than asked for, in order, none lost. */
/* What a match_look was shown: calls, bytes, and their sum. */
struct looked {
    _Atomic uint64_t calls, bytes, sum;
};

static void look(void *arg, uint32_t slot, const uint8_t *bytes, uint32_t len)
{
    struct looked *looked = arg;
    uint64_t sum = 0;

    assert_true(slot < LIMIT_SLOTS);
    for (uint32_t i = 0; i < len; i++)
        sum += bytes[i];
    looked->calls++;
    looked->bytes += len;
    looked->sum += sum;
}

static void dense_segments_come_in_pieces(void **state)
{
    enum { LEN = 50000, HITS_MAX = 700 };
    struct match_dictionary *dictionary = dictionary_of("\0\0\0", 3);

    (void)state;
    for (uint32_t e = 0; e < match_engine_count(); e++) {
        if (match_engine_get(e).missing != NULL)
            continue;
        struct match_matcher *matcher =
            open_matcher(dictionary, (struct match_options){ .engine = match_engine_get(e).name,
                                                             .threads = 2,
                                                             .slots = 1,
                                                             .segment_len = LEN,
                                                             .hits_max = HITS_MAX });
        const struct match_segment segment = { .offset = 2, .fresh_len = LEN, .carry_len = 2 };
        struct match_hits hits;
        struct looked looked = { 0 };
        uint64_t next = 0;

        match_set_look(matcher, look, &looked);
        memset(match_slot_bytes(matcher, 0) - 2, 0, LEN + 2);
        match_submit(matcher, 0, &(struct match_source){ .segment = segment });
        do {
            TEST_OK(match_collect(matcher, 0, &hits, &test_err));
            assert_true(hits.count <= HITS_MAX);
            for (uint32_t i = 0; i < hits.count; i++)
                assert_int_equal(hits.items[i].offset, next++);
        } while (hits.more);
        assert_int_equal(next, LEN);
        assert_int_equal(looked.calls, 1); /* however many pieces there are */
        assert_int_equal(looked.bytes, LEN);
        match_close(matcher);
    }
    match_dictionary_destroy(dictionary);
}

/* More patterns end at one byte than were asked for in one piece: the room grows to hold them. */
static void room_for_all_patterns_at_one_byte(void **state)
{
    enum { PATTERNS = 300 };
    static const uint32_t at[] = { 0, 1, 3 };
    struct match_dictionary *dictionary = dictionary_of("x", 1);
    struct test_hits got = { 0 };

    (void)state;
    for (uint32_t i = 1; i < PATTERNS; i++)
        test_add(dictionary, "x", NULL, 1, false);
    struct match_matcher *matcher = open_matcher(
        dictionary,
        (struct match_options){ .threads = 1, .slots = 1, .segment_len = 64, .hits_max = 1 });
    test_scan(matcher, (const uint8_t *)"xx.x", 4, 0, NULL, 0, &got);
    assert_int_equal(got.count, 3 * PATTERNS);
    for (uint32_t i = 0; i < got.count; i++) {
        assert_int_equal(got.items[i].offset, at[i / PATTERNS]);
        assert_int_equal(got.items[i].pattern, i % PATTERNS);
    }
    match_close(matcher);
    match_dictionary_destroy(dictionary);
    free(got.items);
}

static void nothing_comes_of_nothing(void **state)
{
    const struct match_segment empty = { .ends_range = true };
    struct match_hits hits;

    (void)state;
    struct match_dictionary *dictionary = dictionary_of("abc", 3);
    test_add_regex(dictionary, "a*", false);
    struct match_matcher *matcher = open_matcher(
        dictionary, (struct match_options){ .threads = 1, .slots = 1, .segment_len = 64 });
    match_submit(matcher, 0, &(struct match_source){ .segment = empty });
    TEST_OK(match_collect(matcher, 0, &hits, &test_err));
    assert_int_equal(hits.count, 0);
    assert_false(hits.more);
    match_close(matcher);
    match_dictionary_destroy(dictionary);

    dictionary = dictionary_of("", 0);
    matcher = open_matcher(dictionary,
                           (struct match_options){ .threads = 1, .slots = 1, .segment_len = 64 });
    struct test_hits got = { 0 };
    test_scan(matcher, (const uint8_t *)"anything", 8, 0, NULL, 0, &got);
    assert_int_equal(got.count, 0);
    match_close(matcher);
    match_dictionary_destroy(dictionary);
    match_close(NULL);
}

static void work_in_flight_is_waited_for(void **state)
{
    enum { LEN = 1 << 20 };
    struct match_dictionary *dictionary = dictionary_of("\1\2\3", 3);

    (void)state;
    struct match_matcher *matcher = open_matcher(
        dictionary, (struct match_options){ .threads = 2, .slots = 4, .segment_len = LEN });
    for (uint32_t slot = 0; slot < 4; slot++) {
        const struct match_segment segment = { .offset = (uint64_t)slot * LEN, .fresh_len = LEN };

        memset(match_slot_bytes(matcher, slot), (int)slot, LEN);
        match_submit(matcher, slot, &(struct match_source){ .segment = segment });
    }
    match_close(matcher);
    match_dictionary_destroy(dictionary);
}

/* As many threads and slots as there may be, on segments that are hardly worth handing over. */
static void many_threads_share_small_segments(void **state)
{
    enum { SEGMENTS = 1000, SEGMENT = 257, LEN = SEGMENTS * SEGMENT };
    static const char *const engines[] = { "auto", "ac", "naive" };
    static uint32_t cuts[SEGMENTS - 1]; /* each is set before it is read */
    struct match_dictionary *dictionary = dictionary_of("abc", 3);
    struct test_hits want = { 0 }, got = { 0 };
    uint8_t *text = malloc(LEN);
    uint64_t random = 5;

    (void)state;
    assert_non_null(text);
    test_add(dictionary, "ca", NULL, 2, true);
    for (uint32_t i = 0; i < LEN; i++)
        text[i] = (uint8_t)('a' + test_random(&random, 4));
    for (uint32_t i = 0; i < SEGMENTS - 1; i++)
        cuts[i] = (i + 1) * SEGMENT;
    test_naive(dictionary, text, LEN, 0, &want);
    for (size_t e = 0; e < sizeof engines / sizeof engines[0]; e++) {
        struct match_matcher *matcher =
            open_matcher(dictionary, (struct match_options){ .engine = engines[e],
                                                             .threads = LIMIT_THREADS,
                                                             .slots = LIMIT_SLOTS,
                                                             .segment_len = SEGMENT });

        got.count = 0;
        test_scan(matcher, text, LEN, 0, cuts, SEGMENTS - 1, &got);
        test_hits_sort(&got);
        assert_true(test_hits_equal(&want, &got));
        match_close(matcher);
    }
    free(text);
    free(want.items);
    free(got.items);
    match_dictionary_destroy(dictionary);
}

static void engines_are_chosen_by_name(void **state)
{
    const struct match_options unknown = {
        .engine = "sorcery", .threads = 1, .slots = 1, .segment_len = 64
    };
    struct match_dictionary *dictionary = dictionary_of("abc", 3);
    struct match_matcher *matcher = NULL;
    uint32_t first = UINT32_MAX;

    (void)state;
    for (uint32_t i = 0; i < match_engine_count(); i++) {
        const struct match_engine_info info = match_engine_get(i);

        assert_true(strlen(info.name) > 0 && strlen(info.what) > 0 && strlen(info.device) > 0);
        if (info.missing != NULL)
            continue;
        if (first == UINT32_MAX)
            first = i;
        matcher = open_matcher(
            dictionary, (struct match_options){
                            .engine = info.name, .threads = 1, .slots = 1, .segment_len = 64 });
        assert_string_equal(match_engine(matcher), info.name);
        match_close(matcher);
    }
    matcher = open_matcher(
        dictionary,
        (struct match_options){ .engine = "auto", .threads = 1, .slots = 1, .segment_len = 64 });
    assert_string_equal(match_engine(matcher), match_engine_get(first).name);
    match_close(matcher);

    assert_int_equal(match_open(dictionary, &unknown, &matcher, &test_err), ERR_ARG);
    assert_null(matcher);
    assert_non_null(strstr(test_err.text, "sorcery"));
    assert_non_null(strstr(test_err.text, "naive"));
    match_dictionary_destroy(dictionary);
}

/* The vector engine cannot take a keyword list: by itself it is passed over, by name it says so at
 * once. */
static void the_vector_engine_leaves_large_dictionaries_alone(void **state)
{
    const struct match_options by_name = {
        .engine = "simd", .threads = 1, .slots = 1, .segment_len = 64
    };
    struct match_dictionary *dictionary = dictionary_of("abc", 3);
    struct match_matcher *matcher = NULL;

    (void)state;
    if (match_simd_engine.missing() != NULL)
        skip();
    for (uint32_t i = 0; i < 20000; i++)
        test_add(dictionary, &i, NULL, sizeof i, false);
    matcher = open_matcher(dictionary,
                           (struct match_options){ .threads = 1, .slots = 1, .segment_len = 64 });
    assert_string_equal(match_engine(matcher), "words");
    match_close(matcher);
    assert_int_equal(match_open(dictionary, &by_name, &matcher, &test_err), ERR_ARG);
    assert_non_null(strstr(test_err.text, "20001"));
    match_dictionary_destroy(dictionary);
}

/* Memory that is put near to a thread while a reader already writes to it. */
static void touching_a_slot_changes_nothing(void **state)
{
    static const uint32_t lens[] = { 1, 65536, 3 << 20 };

    (void)state;
    for (uint32_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        const struct match_search search = { .engine = &match_ac_engine,
                                             .carry = 9,
                                             .hits_max = 4,
                                             .sink_max = 5,
                                             .segment_len = lens[i] };
        struct match_slot slot;

        TEST_OK(match_slot_init(&slot, 0, &search, &test_err));
        memset(slot.fresh, 0x5a, lens[i] / 2 + 1);
        slot.touch.run(slot.touch.arg);
        for (uint32_t at = 0; at < lens[i]; at += 511)
            assert_int_equal(slot.fresh[at], at < lens[i] / 2 + 1 ? 0x5a : 0);
        match_slot_release(&slot);
    }
}

/* A text that the matcher's threads read, and where they fail, if anywhere. */
struct source {
    struct match_matcher *matcher;
    const uint8_t *text;
    uint32_t len, segment_len, at, fails_at;
};

static enum err_code read_source(void *arg, uint32_t slot, struct match_segment *segment,
                                 struct err *err)
{
    struct source *source = arg;
    const uint32_t left = source->len - source->at;
    const uint32_t len = left < source->segment_len ? left : source->segment_len;
    const uint32_t most = match_carry(source->matcher),
                   carry = source->at < most ? source->at : most;

    if (source->at >= source->fails_at)
        return ERR_RAISE(err, ERR_ENV, "no more than %u bytes", source->fails_at);
    memcpy(match_slot_bytes(source->matcher, slot) - carry, source->text + source->at - carry,
           carry + len);
    *segment = (struct match_segment){
        .offset = 77 + source->at, .fresh_len = len, .carry_len = carry, .ends_range = len == left
    };
    source->at += len;
    return ERR_OK;
}

/* Collects what has been read until the text ends or cannot be read any more; returns how that
 * went. */
static enum err_code scan_source(struct source *source, struct test_hits *out)
{
    const struct match_source reads = { .read = read_source, .arg = source };
    const uint32_t slots = match_slot_count(source->matcher);
    const uint32_t segments = (source->len + source->segment_len - 1) / source->segment_len;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < segments + slots; i++) {
        struct match_hits hits = { .more = i >= slots && i - slots < segments };

        while (rc == ERR_OK && hits.more) {
            rc = match_collect(source->matcher, i % slots, &hits, &test_err);
            test_hits_add(out, hits.items, hits.count);
        }
        if (rc == ERR_OK && i < segments)
            match_submit(source->matcher, i % slots, &reads);
    }
    return rc;
}

static void segments_are_read_by_the_threads_that_match_them(void **state)
{
    enum { LEN = 300000 };
    static const uint32_t threads[] = { 2, 3, 8 }, fails_at[] = { UINT32_MAX, 200000, 0 };
    struct match_dictionary *dictionary = dictionary_of("abc", 3);
    uint8_t *text = malloc(LEN);
    struct test_hits want = { 0 };
    uint64_t random = 3;

    (void)state;
    assert_non_null(text);
    for (uint32_t i = 0; i < LEN; i++)
        text[i] = (uint8_t)('a' + test_random(&random, 3));
    test_naive(dictionary, text, LEN, 77, &want);
    for (uint32_t round = 0; round < 9; round++) {
        struct source source = {
            .text = text, .len = LEN, .segment_len = 4096, .fails_at = fails_at[round / 3]
        };
        struct test_hits got = { 0 };
        struct looked looked = { 0 };
        uint64_t sum = 0;

        source.matcher = open_matcher(
            dictionary, (struct match_options){
                            .threads = threads[round % 3], .slots = 7, .segment_len = 4096 });
        assert_true(match_can_read(source.matcher));
        match_set_look(source.matcher, look, &looked);
        assert_int_equal(scan_source(&source, &got), round / 3 == 0 ? ERR_OK : ERR_ENV);
        match_drain(source.matcher);
        for (uint32_t i = 0; i < source.at; i++)
            sum += text[i];
        assert_int_equal(looked.bytes, source.at); /* all that was read, and nothing else */
        assert_int_equal(looked.sum, sum);
        if (round / 3 == 0)
            assert_int_equal(got.count, want.count);
        for (uint32_t i = 0; i < got.count; i++)
            assert_int_equal(test_hit_order(&got.items[i], &want.items[i]), 0);
        match_close(source.matcher);
        free(got.items);
    }
    free(want.items);
    free(text);
    match_dictionary_destroy(dictionary);
}

/* An engine that brings its own threads reads nothing in them, and one thread takes no turns. */
static void not_every_matcher_reads(void **state)
{
    struct match_dictionary *dictionary = dictionary_of("abc", 3);

    (void)state;
    for (uint32_t e = 0; e < match_engine_count(); e++) {
        const struct match_engine_info info = match_engine_get(e);
        const struct match_engine *engine = match_engine_named(info.name);

        for (uint32_t threads = 1; threads <= 2 && info.missing == NULL; threads++) {
            struct match_matcher *matcher = open_matcher(
                dictionary,
                (struct match_options){
                    .engine = info.name, .threads = threads, .slots = 1, .segment_len = 4096 });

            assert_int_equal(match_can_read(matcher),
                             threads == 2 && engine->offload == NULL && !engine->threads_itself);
            match_close(matcher);
        }
    }
    match_dictionary_destroy(dictionary);
}

/* A reader that stops half-way: what was submitted behind it is not read, and nobody waits. */
static void slots_are_drained_with_their_errors(void **state)
{
    enum { SLOTS = 5, LEN = 4096 * SLOTS };
    struct match_dictionary *dictionary = dictionary_of("abc", 3);
    uint8_t *text = calloc(1, LEN);

    (void)state;
    assert_non_null(text);
    for (uint32_t failing = 0; failing <= SLOTS; failing++) {
        struct source *source = malloc(sizeof *source);
        struct match_source reads = { .read = read_source, .arg = source };

        assert_non_null(source);
        *source = (struct source){
            .text = text, .len = LEN, .segment_len = 4096, .fails_at = failing * 4096
        };
        struct match_matcher *matcher = source->matcher = open_matcher(
            dictionary,
            (struct match_options){ .threads = 2, .slots = SLOTS, .segment_len = 4096 });
        for (uint32_t slot = 0; slot < SLOTS; slot++)
            match_submit(matcher, slot, &reads);
        match_drain(matcher);
        assert_int_equal(source->at, failing * 4096);
        free(source); /* nobody reads any more */
        match_close(matcher);
    }
    free(text);
    match_dictionary_destroy(dictionary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_are_aligned_and_have_room_for_the_carry),
        cmocka_unit_test(touching_a_slot_changes_nothing),
        cmocka_unit_test(dense_segments_come_in_pieces),
        cmocka_unit_test(room_for_all_patterns_at_one_byte),
        cmocka_unit_test(nothing_comes_of_nothing),
        cmocka_unit_test(segments_are_read_by_the_threads_that_match_them),
        cmocka_unit_test(not_every_matcher_reads),
        cmocka_unit_test(slots_are_drained_with_their_errors),
        cmocka_unit_test(work_in_flight_is_waited_for),
        cmocka_unit_test(many_threads_share_small_segments),
        cmocka_unit_test(engines_are_chosen_by_name),
        cmocka_unit_test(the_vector_engine_leaves_large_dictionaries_alone),
    };
    return cmocka_run_group_tests_name("matcher", tests, NULL, NULL);
}
