/* SPDX-License-Identifier: Apache-2.0
 * tests/match/test_real.c - every engine, and the choice among them, finds in real data what the
 * naive engine finds.
 *
 * Method: the beginnings of files of this system, in the order of their names, one behind the other
 * up to 16 MiB (less under a sanitizer); a dictionary of headers, words, masks, runs, short and
 * long patterns; each engine scans it in segments of 1 MiB, and number and an order-free checksum
 * of its hits must be those of the naive engine. What the files are does not matter; where there
 * are hardly any, the test is skipped.
 *
 * Labels: slow
 */
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

#include "tests/match/match_test.h"

#define REAL_LEN FEW_OR_ALL(4 << 20, 6 << 20, 16 << 20)
enum { FILE_MAX = 1 << 17, SEGMENT = 1 << 20, HITS_MAX = 1 << 20, DEPTH_MAX = 12, LEAST = 1 << 20 };

struct real {
    uint8_t *bytes;
    uint32_t len;
    struct match_dictionary *dictionary;
    uint64_t hits, sum;
    struct hit *room; /* [HITS_MAX] */
};

static void real_append(struct real *real, const char *path)
{
    const uint32_t left = REAL_LEN - real->len;
    FILE *file = fopen(path, "rb");

    if (file == NULL)
        return;
    real->len +=
        (uint32_t)fread(real->bytes + real->len, 1, left < FILE_MAX ? left : FILE_MAX, file);
    fclose(file);
}

static void real_gather(struct real *real, const char *folder, uint32_t depth)
{
    struct dirent **names = NULL;
    const int count = depth < DEPTH_MAX ? scandir(folder, &names, NULL, alphasort) : 0;

    for (int i = 0; i < count; i++) {
        char path[4096];
        struct stat info;

        if (real->len < REAL_LEN && names[i]->d_name[0] != '.' &&
            snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name) < (int)sizeof path &&
            lstat(path, &info) == 0) {
            if (S_ISDIR(info.st_mode))
                real_gather(real, path, depth + 1);
            else if (S_ISREG(info.st_mode))
                real_append(real, path);
        }
        free(names[i]);
    }
    free(names);
}

static void real_dictionary(struct match_dictionary *dictionary)
{
    static const char *const literals[] = {
        "\177ELF\2\1\1", "\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF89a", "%PDF-1.", "PK\3\4",
        "\x1f\x8b\x08",  "function",          "copyright",    "the ",   "qzx",     "\xd0\xcf"
    };
    static const char *const folded[] = { "license", "<HTML", "error", "Debian" };
    uint8_t zeros[48] = { 0 };

    for (size_t i = 0; i < sizeof literals / sizeof literals[0]; i++)
        test_add(dictionary, literals[i], NULL, (uint32_t)strlen(literals[i]), false);
    for (size_t i = 0; i < sizeof folded / sizeof folded[0]; i++)
        test_add(dictionary, folded[i], NULL, (uint32_t)strlen(folded[i]), true);
    test_add(dictionary, "RIFF????WAVE", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff", 12, false);
    test_add(dictionary, "\xff\xe0\x40", "\xff\xe0\xc0", 3, false);
    zeros[0] = 1;
    zeros[47] = 2;
    test_add(dictionary, zeros, NULL, sizeof zeros, false);
    test_add(dictionary, zeros + 1, NULL, 40, false); /* zeros alone: dense where there are some */
}

/* All of the data, segment by segment; a stretch whose hits do not fit is halved, as match_slot
 * does. */
static void real_scan(const struct real *real, const struct match_engine *engine, uint64_t *hits,
                      uint64_t *sum)
{
    const struct match_setup setup = { .threads = 2, .segment_len = SEGMENT };
    const uint32_t carry = match_dictionary_carry(real->dictionary);
    void *program = NULL;

    *hits = *sum = 0;
    TEST_OK(engine->compile(real->dictionary, &setup, &program, &test_err));
    for (uint32_t at = 0, part = SEGMENT; at < real->len;) {
        const uint32_t before = at < carry ? at : carry,
                       len = real->len - at < part ? real->len - at : part;
        const struct match_text text = { .bytes = real->bytes + at - before,
                                         .len = before + len,
                                         .offset = at - before };
        struct match_sink sink = { .items = real->room, .max = HITS_MAX };

        if (!engine->scan(program, &text, before, text.len, &sink)) {
            part = len / 2;
            assert_true(part > 0);
            continue;
        }
        for (uint32_t i = 0; i < sink.count; i++)
            *sum += (sink.items[i].offset + 1) * 0x9e3779b97f4a7c15u ^
                    (sink.items[i].pattern + 1) * 0xc2b2ae3d27d4eb4fu ^ sink.items[i].len;
        *hits += sink.count;
        at += len;
        part = SEGMENT;
    }
    engine->release(program);
}

static int real_open(void **state)
{
    struct real *real = calloc(1, sizeof *real);

    assert_non_null(real);
    real->bytes = malloc(REAL_LEN);
    real->room = malloc(HITS_MAX * sizeof *real->room);
    assert_true(real->bytes != NULL && real->room != NULL);
    real_gather(real, "/usr/share", 0);
    if (real->len > REAL_LEN / 2) /* half and half, where there is so much */
        real->len = REAL_LEN / 2;
    real_gather(real, "/usr/lib", 0);
    TEST_OK(match_dictionary_create(&real->dictionary, &test_err));
    real_dictionary(real->dictionary);
    real_scan(real, &match_naive_engine, &real->hits, &real->sum);
    *state = real;
    return 0;
}

static int real_close(void **state)
{
    struct real *real = *state;

    match_dictionary_destroy(real->dictionary);
    free(real->bytes);
    free(real->room);
    free(real);
    return 0;
}

static void engines_agree_on_real_data(void **state)
{
    static const struct match_engine *const engines[] = {
        &match_auto_engine,
#define ENGINE(id, role) &match_##id##_engine,
#include "match/engines.def"
#undef ENGINE
    };
    const struct real *real = *state;

    if (real->len < LEAST)
        skip();
    assert_true(real->hits > 0);
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
        uint64_t hits, sum;

        if (engines[i]->missing() != NULL)
            continue;
        real_scan(real, engines[i], &hits, &sum);
        if (hits != real->hits || sum != real->sum)
            fail_msg("%s: %llu hits in %u bytes, naive has %llu (or others)", engines[i]->name,
                     (unsigned long long)hits, real->len, (unsigned long long)real->hits);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(engines_agree_on_real_data, real_open, real_close),
    };
    return cmocka_run_group_tests_name("match on real data", tests, NULL, NULL);
}
