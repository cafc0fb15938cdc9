/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/carve/test_write_back.c - what was written is sent to the disk now and then, and
 * what does not reach it is told once and for all.
 *
 * Method: this program's own syncfs stands in front of the C library's.
 */
#include "tests/carver/carve_fixture.h"

#include <errno.h>
#include <stdatomic.h>

#include "carver/carve/write_back.h"

static _Atomic int sync_calls, sync_fails, sync_fd;

/* Fails as Linux does: a failed write is told to the first who asks, and to nobody else. */
int syncfs(int fd)
{
    const bool fails = sync_fails > 0;

    if (fails)
        sync_fails--;
    sync_fd = fd;
    sync_calls++;
    errno = fails ? EIO : 0;
    return fails ? -1 : 0;
}

static void sync_wait(int calls)
{
    while (sync_calls < calls)
        usleep(1000);
}

static struct write_back *back_open(struct fixture *f, struct outdir *dir)
{
    struct write_back *back = NULL;
    struct err err = { 0 };

    sync_calls = sync_fails = 0;
    OK(outdir_open(f->out, dir, &err));
    OK(write_back_open(dir, &back, &err));
    return back;
}

static void every_step_is_sent_to_the_disk(void **state)
{
    struct outdir dir;
    struct err err = { 0 };
    struct write_back *back = back_open(*state, &dir);

    write_back_wrote(back, WRITE_BACK_STEP - 1);
    OK(write_back_check(back, &err));
    assert_int_equal(sync_calls, 0);
    write_back_wrote(back, 1);
    sync_wait(1);
    assert_int_equal(sync_fd, dir.fd);
    write_back_wrote(back, WRITE_BACK_STEP - 1);
    write_back_wrote(back, 2);
    sync_wait(2);
    write_back_wrote(back, 10 * (uint64_t)WRITE_BACK_STEP);
    sync_wait(3);
    OK(write_back_close(back, &err));
    assert_int_equal(sync_calls, 3);
    outdir_close(&dir);
}

static void a_failure_is_kept(void **state)
{
    struct outdir dir;
    struct err err = { 0 };
    struct write_back *back = back_open(*state, &dir);

    sync_fails = 1;
    write_back_wrote(back, WRITE_BACK_STEP);
    while (write_back_check(back, &err) == ERR_OK)
        usleep(1000);
    assert_non_null(strstr(err.text, "did not reach the disk: Input/output error"));
    write_back_wrote(back, WRITE_BACK_STEP); /* this time syncfs says that all is well */
    sync_wait(2);
    for (int i = 0; i < 2; i++) {
        err = (struct err){ 0 };
        assert_int_equal(write_back_check(back, &err), ERR_ENV);
        assert_non_null(strstr(err.text, "did not reach the disk: Input/output error"));
    }
    err = (struct err){ 0 };
    assert_int_equal(write_back_close(back, &err), ERR_ENV);
    assert_non_null(strstr(err.text, "did not reach the disk: Input/output error"));
    outdir_close(&dir);
}

static void without_one_nothing_happens(void **state)
{
    struct err err = { 0 };

    (void)state;
    sync_calls = 0;
    write_back_wrote(NULL, UINT64_MAX);
    OK(write_back_check(NULL, &err));
    OK(write_back_close(NULL, &err));
    assert_int_equal(sync_calls, 0);
}

#define BACK_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BACK_TEST(every_step_is_sent_to_the_disk),
        BACK_TEST(a_failure_is_kept),
        BACK_TEST(without_one_nothing_happens),
    };
    return cmocka_run_group_tests_name("write_back", tests, NULL, NULL);
}
