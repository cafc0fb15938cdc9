/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/test_file_source.c - a plain file as a source of validators: every view is what the
 * file holds, blocks or not.
 *
 * Method: views at random places and of random lengths are compared with the bytes that were
 * written.
 */
#include "tests/carver/carve_fixture.h"

#include <sys/stat.h>

#include "carver/file_source.h"

static void views_are_the_files_bytes(void **state)
{
    struct fixture *f = *state;
    struct file_source source;
    struct err err = { 0 };
    uint64_t random = 88172645463325252u;

    OK(file_source_init(&source, &err));
    OK(file_source_open(&source, f->image, &err));
    assert_int_equal(source.size, FIXTURE_IMAGE);
    for (int i = 0; i < 20000; i++) {
        random ^= random << 13; /* xorshift64 */
        random ^= random >> 7;
        random ^= random << 17;
        const uint32_t at = (uint32_t)(random % FIXTURE_IMAGE);
        uint32_t want = 1 + (uint32_t)((random >> 24) % (i % 2 == 0 ? 16 : SIG_BYTES_MAX)),
                 have = 0;

        if (want > FIXTURE_IMAGE - at)
            want = FIXTURE_IMAGE - at;
        const uint8_t *bytes = source.source.view(&source.source, at, want, &have);
        assert_non_null(bytes);
        assert_true(have >= want && have <= FIXTURE_IMAGE - at);
        assert_memory_equal(bytes, f->bytes + at, have);
    }
    file_source_release(&source);
}

static void nothing_lies_behind_the_end(void **state)
{
    struct fixture *f = *state;
    struct file_source source;
    struct err err = { 0 };
    uint32_t have;

    OK(file_source_init(&source, &err));
    OK(file_source_open(&source, f->image, &err));
    assert_null(source.source.view(&source.source, FIXTURE_IMAGE, 1, &have));
    assert_null(source.source.view(&source.source, FIXTURE_IMAGE - 1, 2, &have));
    assert_null(source.source.view(&source.source, UINT64_MAX, 1, &have));
    assert_int_equal(source.error, 0);
    file_source_release(&source);
}

/* A file that loses its end while it is read: an error, not a wait without end. */
static void a_file_cut_short_is_an_error(void **state)
{
    struct fixture *f = *state;
    struct file_source source;
    struct err err = { 0 };
    uint32_t have;

    OK(file_source_init(&source, &err));
    OK(file_source_open(&source, f->image, &err));
    assert_int_equal(truncate(f->image, 1000), 0);
    assert_null(source.source.view(&source.source, 500000, 10, &have));
    assert_int_not_equal(source.error, 0);
    file_source_release(&source);
}

static void what_is_no_file_is_refused(void **state)
{
    struct fixture *f = *state;
    struct file_source source;
    struct err err = { 0 };
    char pipe_path[128];

    snprintf(pipe_path, sizeof pipe_path, "%s/pipe", f->folder);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    OK(file_source_init(&source, &err));
    assert_int_equal(file_source_open(&source, f->folder, &err), ERR_INPUT);
    assert_non_null(strstr(err.text, "directory"));
    assert_int_equal(file_source_open(&source, pipe_path, &err),
                     ERR_INPUT); /* and does not wait for a writer */
    assert_int_equal(file_source_open(&source, "/dev/null", &err), ERR_INPUT);
    assert_int_equal(file_source_open(&source, "/nowhere/at/all", &err), ERR_INPUT);
    assert_non_null(strstr(err.text, "No such file"));
    OK(file_source_open(&source, f->image, &err)); /* and is still of use */
    file_source_release(&source);
}

#define SOURCE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SOURCE_TEST(views_are_the_files_bytes),
        SOURCE_TEST(nothing_lies_behind_the_end),
        SOURCE_TEST(a_file_cut_short_is_an_error),
        SOURCE_TEST(what_is_no_file_is_refused),
    };
    return cmocka_run_group_tests_name("file_source", tests, NULL, NULL);
}
