/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/cli/test_progress.c - the progress line.
 *
 * Lines are worked out by hand. What goes to the stream is looked at with the clock of the progress
 * moved back, so that nothing waits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/cli/progress.h"

static const uint64_t second = 1000000000;
static const uint64_t mib = 1048576;

static void sizes_for_people(void **state)
{
    static const struct {
        uint64_t bytes;
        const char *want;
    } rows[] = {
        { 0, "0 B" },
        { 1023, "1023 B" },
        { 1024, "1.0 KiB" },
        { 1536, "1.5 KiB" },
        { 1048575, "1.0 MiB" },
        { 1048576, "1.0 MiB" },
        { 1610612736, "1.5 GiB" },
        { UINT64_MAX, "16.0 EiB" },
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
    const struct progress_state half = { 512 * mib, 2048 * mib, 12345, 67, 2 * second };
    progress_format("scan", &half, 0, line);
    assert_string_equal(
        line, "scan  25%, 0:06 left, 67 objects, 268.4 MB/s, 512.0 MiB of 2.0 GiB, 12345 hits");
    progress_format("scan", &half, 200, line);
    assert_string_equal(line, "scan  25%, 0:06 left [#####---------------] 67 objects, 268.4 MB/s, "
                              "512.0 MiB of 2.0 GiB, 12345 hits");

    const struct progress_state done = { 3000, 2048, UINT64_MAX, UINT64_MAX,
                                         second }; /* never above the total */
    progress_format("carve", &done, 0, line);
    assert_string_equal(line, "carve 100%, 0.0 MB/s, 2.0 KiB of 2.0 KiB");
    progress_format("carve", &done, 80, line);
    assert_string_equal(line, "carve 100% [####################] 0.0 MB/s, 2.0 KiB of 2.0 KiB");

    const struct progress_state slow = { mib, 4001 * mib, UINT64_MAX, 1, second }; /* 4000 s */
    progress_format("scan", &slow, 0, line);
    assert_string_equal(line, "scan   0%, 1:06:40 left, 1 object, 1.0 MB/s, 1.0 MiB of 3.9 GiB");

    const struct progress_state endless = { 4096, 0, 5, UINT64_MAX, second };
    progress_format("scan", &endless, 0, line);
    assert_string_equal(line, "scan 0.0 MB/s, 4.0 KiB, 5 hits");
    progress_format("scan", &endless, 80, line);
    assert_string_equal(line, "scan 0.0 MB/s, 4.0 KiB, 5 hits");

    const struct progress_state nothing = { 0, 100, 0, 0, 0 };
    progress_format("scan", &nothing, 0, line);
    assert_string_equal(line, "scan   0%, 0 objects, 0.0 MB/s, 0 B of 100 B, 0 hits");
}

/*
 * What has no room is left out whole, the least important first; a line has one character less than
 * the terminal.
 */
static void narrow_terminals(void **state)
{
    static const struct {
        uint32_t columns;
        const char *want;
    } rows[] = {
        { 110, "scan  25%, 0:06 left [#####---------------] 67 objects, 268.4 MB/s, 512.0 MiB of "
               "2.0 GiB, 12345 hits" },
        { 101, "scan  25%, 0:06 left [#####---------------] 67 objects, 268.4 MB/s, 512.0 MiB of "
               "2.0 GiB, 12345 hits" },
        { 100, "scan  25%, 0:06 left [##--------] 67 objects, 268.4 MB/s, 512.0 MiB of 2.0 GiB, "
               "12345 hits" },
        { 86,
          "scan  25%, 0:06 left [#----] 67 objects, 268.4 MB/s, 512.0 MiB of 2.0 GiB, 12345 hits" },
        { 80, "scan  25%, 0:06 left [#----] 67 objects, 268.4 MB/s, 512.0 MiB of 2.0 GiB" },
        { 60, "scan  25%, 0:06 left [#----] 67 objects, 268.4 MB/s" },
        { 40, "scan  25%, 0:06 left [#----] 67 objects" },
        { 39, "scan  25%, 0:06 left [#----]" },
        { 21, "scan  25%, 0:06 left" },
        { 20, "scan  25% [#----]" },
        { 10, "scan  25%" },
        { 1, "" },
    };
    const struct progress_state half = { 512 * mib, 2048 * mib, 12345, 67, 2 * second };
    const struct progress_state huge = { UINT64_MAX / 3, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 1,
                                         UINT64_MAX };
    char line[PROGRESS_LINE_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        progress_format("scan", &half, rows[i].columns, line);
        assert_string_equal(line, rows[i].want);
    }
    for (uint32_t columns = 1; columns < 2 * PROGRESS_LINE_MAX; columns++) {
        progress_format("search", &huge, columns, line);
        assert_true(strlen(line) < columns && strlen(line) < PROGRESS_LINE_MAX);
    }
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
    progress_start(&c->progress, "scan", 100, quiet ? PROGRESS_QUIET : PROGRESS_AUTO);
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
    assert_int_equal(strncmp(c.text, "scan  10%, ", 11), 0);
    assert_non_null(strstr(c.text, " left, 2 objects, 0.0 MB/s, 10 B of 100 B, 1 hit\n"));
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
    assert_non_null(
        strstr(c.text, " left [#####-----] 0 objects, 0.0 MB/s, 50 B of 100 B, 0 hits"));
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

/* In front of all else, so that a narrow terminal has it too. */
static void what_is_slow(void **state)
{
    struct capture c;

    (void)state;
    capture_begin(&c, true, false);
    c.progress.terminal = false;
    c.progress.started -= 60 * second;
    progress_slow(&c.progress, 1048576, 40);
    progress_update(&c.progress, 50, 0, 0);
    assert_non_null(strstr(c.text, "scan, slow at 1048576 for 40 s:  50%, "));
    c.progress.told -= 60 * second;
    progress_slow(&c.progress, 0, 0);
    const char *line = c.text + c.len;
    progress_update(&c.progress, 60, 0, 0);
    assert_non_null(strstr(line, "scan  60%, "));
    progress_end(&c.progress);
    capture_end(&c);
}

/* A line each second, and one at the end; numbers that are not known are null. */
static void a_program_gets_json(void **state)
{
    struct capture c;

    (void)state;
    capture_begin(&c, true, false); /* also on a terminal */
    c.progress.how = PROGRESS_JSON;
    c.progress.terminal = false;
    progress_update(&c.progress, 10, 0, 0); /* too soon */
    assert_int_equal(c.len, 0);
    c.progress.started -= 2 * second;
    progress_update(&c.progress, 25, 7, UINT64_MAX);
    const char *line = c.text;
    assert_non_null(
        strstr(line, "\"progress\": \"scan\", \"position\": 25, \"total\": 100, \"percent\": 25, "
                     "\"objects\": null, \"hits\": 7, \"seconds\": 2"));
    assert_non_null(strstr(line, "\"seconds_left\": 6, \"slow_at\": null, \"slow_seconds\": null, "
                                 "\"ended\": false}\n"));
    assert_int_equal(line[0], '{');
    c.progress.told -= 2 * second;
    progress_slow(&c.progress, 4096, 12);
    line = c.text + c.len;
    progress_update(&c.progress, 25, 7, UINT64_MAX);
    assert_non_null(strstr(line, "\"slow_at\": 4096, \"slow_seconds\": 12, \"ended\": false}\n"));
    const size_t told = c.len;
    progress_update(&c.progress, 30, 8, 9); /* too soon; but the last line has it */
    assert_int_equal(c.len, told);
    progress_end(&c.progress);
    line = c.text + told;
    assert_non_null(strstr(
        line, "\"position\": 30, \"total\": 100, \"percent\": 30, \"objects\": 9, \"hits\": 8,"));
    assert_non_null(strstr(line, "\"ended\": true}\n"));
    progress_end(&c.progress);
    assert_int_equal(strchr(line, '\n') - c.text, c.len - 1);
    capture_end(&c);
}

static void words_of_progress(void **state)
{
    enum progress_how how = PROGRESS_AUTO;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(progress_word("json", &how, &err), ERR_OK);
    assert_int_equal(how, PROGRESS_JSON);
    assert_int_equal(progress_word("none", &how, &err), ERR_OK);
    assert_int_equal(how, PROGRESS_QUIET);
    assert_int_equal(progress_word("auto", &how, &err), ERR_OK);
    assert_int_equal(how, PROGRESS_AUTO);
    assert_int_equal(progress_word("bar", &how, &err), ERR_ARG);
    assert_int_equal(progress_unless_quiet(PROGRESS_AUTO, true), PROGRESS_QUIET);
    assert_int_equal(progress_unless_quiet(PROGRESS_AUTO, false), PROGRESS_AUTO);
    assert_int_equal(progress_unless_quiet(PROGRESS_JSON, true), PROGRESS_JSON);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_for_people),
        cmocka_unit_test(lines),
        cmocka_unit_test(narrow_terminals),
        cmocka_unit_test(a_log_gets_a_line_every_thirty_seconds),
        cmocka_unit_test(a_terminal_gets_a_bar_that_is_erased),
        cmocka_unit_test(quiet_says_nothing),
        cmocka_unit_test(what_is_slow),
        cmocka_unit_test(a_program_gets_json),
        cmocka_unit_test(words_of_progress),
    };
    return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
