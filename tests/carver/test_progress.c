/*
 * tests/carver/test_progress.c - the progress line.
 *
 * Lines are worked out by hand. What goes to the stream is looked at with the clock of the progress moved back, so that nothing waits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/progress.h"

static const uint64_t second = 1000000000;
static const uint64_t mib = 1048576;

static void sizes_for_people(void **state)
{
    static const struct {
        uint64_t bytes;
        const char *want;
    } rows[] = {
        { 0, "0 B" },           { 1023, "1023 B" },     { 1024, "1.0 KiB" },       { 1536, "1.5 KiB" },
        { 1048575, "1.0 MiB" }, { 1048576, "1.0 MiB" }, { 1610612736, "1.5 GiB" }, { UINT64_MAX, "16.0 EiB" },
    };
    char text[32];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        progress_bytes(rows[i].bytes, text);
        assert_string_equal(text, rows[i].want);
    }
}

static void lines(void **state)
{
    char line[PROGRESS_LINE_MAX];

    (void)state;
    /* 512 MiB of 2 GiB in 2 s: 268.4 MB/s; 1536 MiB are left: 6 s. */
    struct progress_state half = { 512 * mib, 2048 * mib, 12345, 67, 2 * second };
    progress_format("scan", &half, 0, line);
    assert_string_equal(line, "scan  25% 512.0 MiB of 2.0 GiB, 268.4 MB/s, 12345 hits, 67 objects, 0:06 left");
    progress_format("scan", &half, 200, line);
    assert_string_equal(
        line, "scan  25% [#####---------------] 512.0 MiB of 2.0 GiB, 268.4 MB/s, 12345 hits, 67 objects, 0:06 left");
    progress_format("scan", &half, 20, line);
    assert_string_equal(line, "scan  25% [#####---");

    struct progress_state done = { 3000, 2048, UINT64_MAX, UINT64_MAX, second }; /* never above the total */
    progress_format("carve", &done, 0, line);
    assert_string_equal(line, "carve 100% 2.0 KiB of 2.0 KiB, 0.0 MB/s");

    struct progress_state slow = { mib, 4001 * mib, UINT64_MAX, 1, second }; /* 4000 s */
    progress_format("scan", &slow, 0, line);
    assert_string_equal(line, "scan   0% 1.0 MiB of 3.9 GiB, 1.0 MB/s, 1 objects, 1:06:40 left");

    struct progress_state endless = { 4096, 0, 5, UINT64_MAX, second };
    progress_format("scan", &endless, 0, line);
    assert_string_equal(line, "scan 4.0 KiB, 0.0 MB/s, 5 hits");

    struct progress_state nothing = { 0, 100, 0, 0, 0 };
    progress_format("scan", &nothing, 0, line);
    assert_string_equal(line, "scan   0% 0 B of 100 B, 0.0 MB/s, 0 hits, 0 objects");
}

struct capture {
    char *text;
    size_t len;
    FILE *out;
    struct progress progress;
};

static void capture_begin(struct capture *c, bool terminal, bool quiet)
{
    *c = (struct capture){ 0 };
    c->out = open_memstream(&c->text, &c->len);
    assert_non_null(c->out);
    progress_start(&c->progress, "scan", 100, quiet);
    c->progress.out = c->out;
    c->progress.terminal = terminal;
}

static void capture_end(struct capture *c)
{
    fclose(c->out);
    free(c->text);
}

static void a_log_gets_a_line_every_thirty_seconds(void **state)
{
    struct capture c;

    (void)state;
    capture_begin(&c, false, false);
    progress_update(&c.progress, 10, 0, 0);
    assert_int_equal(c.len, 0);
    c.progress.started -= 31 * second;
    progress_update(&c.progress, 10, 1, 2);
    progress_update(&c.progress, 11, 1, 2); /* too soon */
    assert_int_equal(strncmp(c.text, "scan  10% 10 B of 100 B, 0.0 MB/s, 1 hits, 2 objects, ", 54), 0);
    assert_ptr_equal(strchr(c.text, '\n'), c.text + c.len - 1);
    progress_end(&c.progress);
    assert_null(strchr(c.text, '\r'));
    capture_end(&c);
}

static void a_terminal_gets_a_bar_that_is_erased(void **state)
{
    struct capture c;

    (void)state;
    capture_begin(&c, true, false);
    c.progress.started -= second;
    progress_update(&c.progress, 50, 0, 0);
    assert_int_equal(c.text[0], '\r');
    assert_non_null(strstr(c.text, "[##########----------]"));
    const size_t drawn = c.len;
    progress_update(&c.progress, 51, 0, 0); /* not ten times a second */
    assert_int_equal(c.len, drawn);
    progress_end(&c.progress);
    assert_string_equal(c.text + drawn, "\r\033[K");
    progress_end(&c.progress);
    progress_update(&c.progress, 52, 0, 0);
    assert_int_equal(c.len, drawn + 4);
    capture_end(&c);
}

static void quiet_says_nothing(void **state)
{
    struct capture c;

    (void)state;
    capture_begin(&c, true, true);
    c.progress.started -= 60 * second;
    progress_update(&c.progress, 50, 0, 0);
    progress_end(&c.progress);
    assert_int_equal(c.len, 0);
    capture_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_for_people),
        cmocka_unit_test(lines),
        cmocka_unit_test(a_log_gets_a_line_every_thirty_seconds),
        cmocka_unit_test(a_terminal_gets_a_bar_that_is_erased),
        cmocka_unit_test(quiet_says_nothing),
    };
    return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
