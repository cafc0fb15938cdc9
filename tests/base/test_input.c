/* SPDX-License-Identifier: Apache-2.0
 * tests/base/test_input.c - only plain files are read for what to do, and nothing is waited for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/input.h"

static char folder[] = "/tmp/burin-input-XXXXXX";

static int enter(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    char command[64];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return chdir("/") == 0 ? system(command) : -1;
}

static void refused(const char *path, const char *why)
{
    struct err err = { 0 };
    FILE *file = stdin;

    assert_int_equal(input_open(path, &file, &err), ERR_INPUT);
    assert_null(file);
    if (strncmp(err.text, path, strlen(path)) != 0 || strstr(err.text, why) == NULL)
        fail_msg("%s: %s", path, err.text);
}

static void plain_files_are_read(void **state)
{
    struct err err = { 0 };
    char line[8] = "";
    FILE *file = fopen("plain", "w");

    (void)state;
    assert_non_null(file);
    assert_true(fputs("word\n", file) >= 0 && fclose(file) == 0);
    assert_int_equal(symlink("plain", "link"), 0);
    assert_int_equal(input_open("link", &file, &err), ERR_OK);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "word\n");
    fclose(file);
}

static void others_are_refused(void **state)
{
    const struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "socket" };
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    (void)state;
    assert_true(fd >= 0 && bind(fd, (const struct sockaddr *)&name, sizeof name) == 0);
    close(fd);
    assert_int_equal(mkfifo("pipe", 0600), 0);
    refused("pipe", "a pipe");
    refused("socket", "a socket");
    refused(".", "a folder");
    refused("/dev/zero", "a device");
    refused("none", "No such file");
}

/* Files of lengths around those at which room is made, and around the most that is wanted. */
static void a_file_is_read_whole_or_told_to_be_too_long(void **state)
{
    enum { MOST = 200000 };
    static const size_t lens[] = { 0,      1,        65535,        65536,    65537,
                                   131073, MOST - 1, (size_t)MOST, MOST + 1, 3 * MOST };

    (void)state;
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        struct err err;
        FILE *file = fopen("long", "w+");
        char *text = NULL;
        size_t len = 7;

        assert_non_null(file);
        for (size_t k = 0; k < lens[i]; k++)
            fputc((int)(k * 31 % 251), file);
        rewind(file);
        assert_int_equal(input_read(file, "long", MOST, &text, &len, &err), ERR_OK);
        if (lens[i] <= MOST)
            assert_int_equal(len, lens[i]);
        else
            assert_true(len > MOST && len <= lens[i]);
        for (size_t k = 0; k < len; k++)
            assert_int_equal((uint8_t)text[k], k * 31 % 251);
        free(text);
        fclose(file);
        remove("long");
    }
}

static void a_folder_cannot_be_read(void **state)
{
    struct err err;
    FILE *file = fopen(".", "r");
    char *text = NULL;
    size_t len = 7;

    (void)state;
    assert_non_null(file);
    assert_int_equal(input_read(file, "the folder", 100, &text, &len, &err), ERR_INPUT);
    assert_non_null(strstr(err.text, "the folder: cannot be read: "));
    free(text);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_whole_or_told_to_be_too_long),
        cmocka_unit_test(a_folder_cannot_be_read),
        cmocka_unit_test(plain_files_are_read),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests_name("input", tests, enter, leave);
}
