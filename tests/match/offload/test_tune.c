/* SPDX-License-Identifier: Apache-2.0
 * tests/match/offload/test_tune.c - the launches of kernels that are remembered: the cache of
 * match/offload/tune.h, and the search that fills it.
 *
 * Method: what is remembered comes back for the same engine, device and dictionary and for no
 * other; then the file is cut at every length and changed at every byte, and must be taken as it
 * was or not at all; folders that cannot be written or are not there are no error. An engine on the
 * stand-in is tuned, and goes on with what was found, now and when it is compiled again.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "match/device/device_host.h"
#include "match/offload/tune.h"
#include "tests/match/match_test.h"

static const struct match_launch launches[] = { { 64, 57 }, { 256, 17 }, { 1024, 4 } };
enum { SHAPES = sizeof launches / sizeof launches[0] };

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/burin-tune-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("XDG_CACHE_HOME", folder, 1), 0);
    return 0;
}

static int drop_folder(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static struct device_info device = { .name = "NVIDIA H200", .processors = 132, .version = 90 };

static bool recall(const char *engine, uint64_t dictionary, struct match_launch *out)
{
    const struct tune_key key = { .engine = engine, .device = &device, .dictionary = dictionary };

    return tune_recall(&key, launches, SHAPES, out);
}

static bool remember(const char *engine, uint64_t dictionary, struct match_launch launch)
{
    const struct tune_key key = { .engine = engine, .device = &device, .dictionary = dictionary };

    return tune_remember(&key, launch);
}

static void what_is_remembered_comes_back(void **state)
{
    struct match_launch got = { 0, 0 };

    (void)state;
    assert_false(recall("ac4", 7, &got));
    assert_true(remember("ac4", 7, launches[1]));
    assert_true(recall("ac4", 7, &got));
    assert_int_equal(got.threads, 256);
    assert_int_equal(got.words, 17);
    assert_true(remember("ac4", 7, launches[0]));
    assert_true(recall("ac4", 7, &got));
    assert_int_equal(got.threads, 64);
    assert_false(recall("ac3", 7, &got));
    assert_false(recall("ac4", 8, &got));
    device.processors--;
    assert_false(recall("ac4", 7, &got));
    device.processors++;
    assert_true(
        remember("ac4", 9, (struct match_launch){ 3, 3 })); /* of another version of the kernel */
    assert_false(recall("ac4", 9, &got));
}

/* The one file in the cache. */
static void find_file(char *path, size_t size)
{
    char command[128];

    snprintf(command, sizeof command, "ls %s/burin/tune/*", folder);
    FILE *list = popen(command, "r");
    assert_non_null(list);
    assert_non_null(fgets(path, (int)size, list));
    path[strcspn(path, "\n")] = '\0';
    assert_null(fgets(command, sizeof command, list));
    pclose(list);
}

static void write_file(const char *path, const char *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    fclose(file);
}

static void a_damaged_file_is_no_file(void **state)
{
    char path[256], bytes[1024], damaged[1024];
    struct match_launch got;

    (void)state;
    assert_true(remember("ac4", 7, launches[1]));
    find_file(path, sizeof path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t len = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t cut = 0; cut < len; cut++) {
        write_file(path, bytes, cut);
        assert_false(recall("ac4", 7, &got));
    }
    for (size_t at = 0; at < len; at++)
        for (int bit = 0; bit < 8; bit++) {
            memcpy(damaged, bytes, len);
            damaged[at] = (char)(damaged[at] ^ 1 << bit);
            write_file(path, damaged, len);
            got = launches[1];
            if (recall("ac4", 7, &got)) /* it may be another launch that there is, or white space in
                                           another form */
                assert_true(got.threads == 64 || got.threads == 256 || got.threads == 1024);
        }
    memset(damaged, 'x', sizeof damaged);
    write_file(path, damaged, sizeof damaged);
    assert_false(recall("ac4", 7, &got));
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(recall("ac4", 7, &got));
    assert_false(remember("ac4", 7, launches[0]));
}

static void no_cache_is_no_error(void **state)
{
    char path[128];
    struct match_launch got;

    (void)state;
    snprintf(path, sizeof path, "%s/file", folder);
    write_file(path, "x", 1);
    setenv("XDG_CACHE_HOME", path, 1);
    assert_false(remember("ac4", 7, launches[0]));
    assert_false(recall("ac4", 7, &got));
    setenv("XDG_CACHE_HOME", "not/from/the/root", 1);
    setenv("HOME", "", 1);
    assert_false(remember("ac4", 7, launches[0]));
    assert_false(recall("ac4", 7, &got));
    setenv("HOME", folder, 1);
    assert_true(remember("ac4", 7, launches[0]));
    assert_true(recall("ac4", 7, &got));
    snprintf(path, sizeof path, "%s/.cache/burin/tune", folder);
    assert_int_equal(access(path, F_OK), 0);
}

static struct match_dictionary *make_dictionary(const char *word, bool fold_case)
{
    struct match_dictionary *dictionary = NULL;

    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    test_add(dictionary, word, NULL, (uint32_t)strlen(word), fold_case);
    return dictionary;
}

static void other_dictionaries_have_other_digests(void **state)
{
    static const char *const words[] = { "alpha", "alphb", "alph" };
    uint64_t digests[6];

    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        struct match_dictionary *dictionary = make_dictionary(words[i / 2], i % 2 != 0);

        digests[i] = tune_digest(dictionary);
        assert_int_equal(digests[i], tune_digest(dictionary));
        for (uint32_t k = 0; k < i; k++)
            assert_true(digests[k] != digests[i]);
        match_dictionary_destroy(dictionary);
    }
}

static void an_engine_goes_on_with_what_was_found(void **state)
{
    enum { LEN = 5000, RUNS = 2 };
    static uint8_t text[LEN];
    struct match_dictionary *dictionary = make_dictionary("alpha", false);
    const struct match_engine *engine = match_engine_named("shift-and");
    struct device_host host;
    double seconds[RUNS];
    struct match_timing timing = { .runs = RUNS, .seconds = seconds };
    struct match_launch best = { 0, 0 };

    (void)state;
    device_host_init(&host, 1, 64 << 20);
    const struct device_provider provider = device_host_provider(&host);
    const struct match_resident_setup resident = { .devices = &provider,
                                                   .bytes = text,
                                                   .len = LEN };
    const struct match_setup setup = { .threads = 1,
                                       .segment_len = 4096,
                                       .slots = 1,
                                       .carry = 4,
                                       .hits_max = 100,
                                       .devices = &provider };
    TEST_OK(match_resident_open(&resident, &timing.resident, &test_err));
    for (uint32_t round = 0; round < 2; round++) {
        void *program = NULL;
        uint32_t count = 0;
        bool among = false;

        TEST_OK(engine->compile(dictionary, &setup, &program, &test_err));
        const struct match_launch *list = engine->offload->lab->launches(program, &count);
        assert_true(count > 1);
        TEST_OK(engine->offload->lab->time(program, &timing, &test_err));
        assert_int_equal(timing.used.threads, round == 0 ? 0 : best.threads);
        if (round == 0)
            TEST_OK(engine->offload->lab->tune(program, &timing, &best, &test_err));
        for (uint32_t i = 0; i < count; i++)
            among |= list[i].threads == best.threads && list[i].words == best.words;
        assert_true(among);
        timing.launch = (struct match_launch){ 0, 0 };
        TEST_OK(engine->offload->lab->time(program, &timing, &test_err));
        assert_int_equal(timing.used.words, best.words);
        engine->release(program);
    }
    match_resident_close(timing.resident);
    device_host_release(&host);
    match_dictionary_destroy(dictionary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_remembered_comes_back, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(a_damaged_file_is_no_file, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(no_cache_is_no_error, make_folder, drop_folder),
        cmocka_unit_test(other_dictionaries_have_other_digests),
        cmocka_unit_test_setup_teardown(an_engine_goes_on_with_what_was_found, make_folder,
                                        drop_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
