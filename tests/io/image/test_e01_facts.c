/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_e01_facts.c - what an E01 says of its image.
 *
 * Method: ewfacquire is told what to write down; md5sum and sha1sum of coreutils know the hashes.
 */
#include "io/image/e01_facts.h"
#include "io/image/file.h"
#include "tests/io/lib_container.h"

enum { SAID_MAX = 1 << 14 };

static bool say(void *arg, const char *name, const char *value)
{
    char *said = arg;
    const size_t used = strlen(said);

    snprintf(said + used, SAID_MAX - used, "%s=%s\n", name, value);
    return true;
}

static enum err_code each(void *arg, const struct io_ewf_section *section, struct err *err)
{
    (void)err;
    assert_true(io_e01_facts(section, say, arg));
    return ERR_OK;
}

static void say_all(const struct disk *disk, const char *name, char said[SAID_MAX])
{
    char path[256];
    struct err err = { 0 };
    struct stat st;
    bool last;
    int fd;

    snprintf(path, sizeof path, "%s/%s", disk->folder, name);
    said[0] = '\0';
    assert_int_equal(io_file_open(path, &fd, &st, &err), ERR_OK);
    if (io_ewf_walk(path, fd, (uint64_t)st.st_size, 1, each, said, &last, &err) != ERR_OK)
        fail_msg("%s", err.text);
    close(fd);
}

static void has(const char *said, const char *line)
{
    if (strstr(said, line) == NULL)
        fail_msg("no \"%s\" in\n%s", line, said);
}

/* A line "NAME=HASH" by a tool of coreutils. */
static void has_hash(const struct disk *disk, const char *said, const char *name)
{
    char line[256], path[256];

    snprintf(line, sizeof line, "%ssum disk.raw | sed 's/ .*//; s/^/%s=/' >hash", name, name);
    shell(disk, line);
    snprintf(path, sizeof path, "%s/hash", disk->folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    has(said, line);
}

static void what_was_written_down(void **state)
{
    static const char *const formats[] = { "encase2", "encase4", "encase5",
                                           "encase6", "ftk",     "linen6" };
    const struct disk *disk = *state;
    char said[SAID_MAX], line[256];

    for (uint32_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        snprintf(line, sizeof line,
                 "-u -q -f %s -c best -d sha1 -C 2026-17 -D 'USB \xc3\xa4\xf0\x9f\x92\xbe' -E 1 "
                 "-e 'A. Examiner' -N seized -t %s disk.raw",
                 formats[i], formats[i]);
        tool(disk, "env LC_ALL=C.UTF-8 ewfacquire", line);
        snprintf(line, sizeof line, "%s.E01", formats[i]);
        say_all(disk, line, said);
        has(said, "case number=2026-17\n");
        has(said, "evidence number=1\n");
        has(said, "examiner=A. Examiner\n");
        has(said, "notes=seized\n");
        has_hash(disk, said, "md5");
        if (i == 3)
            has_hash(disk, said, "sha1");
        if (i == 3)
            has(said, "description=USB \xc3\xa4\xf0\x9f\x92\xbe\n");
    }
}

/* A changed byte of the first text: what is in it is left out, and the others are taken. */
static void what_is_damaged_says_nothing(void **state)
{
    const struct disk *disk = *state;
    char said[SAID_MAX], whole[SAID_MAX];

    tool(disk, "ewfacquire", "-u -q -f encase6 -c best -d sha1 -C 2026-17 -t one disk.raw");
    say_all(disk, "one.E01", whole);
    flip(disk, "one.E01", 100);
    say_all(disk, "one.E01", said);
    has(said, "case number=2026-17\n"); /* header2 comes by twice */
    assert_true(strlen(said) < strlen(whole));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_written_down, make, clean),
        cmocka_unit_test_setup_teardown(what_is_damaged_says_nothing, make, clean),
    };
    return cmocka_run_group_tests_name("io facts of an E01", tests, NULL, NULL);
}
