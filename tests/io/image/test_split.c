/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_split.c - split images: any part names the set, and a set that is not whole
 * is refused.
 *
 * Method: files are laid into a folder by name and size; part k is filled with the byte 'a' + k, so
 * that the bytes read tell which files were joined, and in which order.
 */
#include <sys/stat.h>

#include "tests/io/lib_io.h"

enum { PARTS_MAX = 8, PATH_MAX_TEST = 160 };

struct part {
    const char *name;
    size_t len;
};

static void lay(const char *folder, const struct part *parts)
{
    for (uint32_t i = 0; i < PARTS_MAX && parts[i].name != NULL; i++) {
        char path[PATH_MAX_TEST], bytes[4096];

        memset(bytes, 'a' + (int)i, sizeof bytes);
        snprintf(path, sizeof path, "%s/%s", folder, parts[i].name);
        assert_true(parts[i].len <= sizeof bytes);
        test_write_file(path, bytes, parts[i].len);
    }
}

/* The bytes of the image, one letter for each run: "abc" for three parts. */
static void read_runs(struct io_image *image, char *runs, size_t runs_max)
{
    const uint64_t size = io_image_size(image);
    uint8_t *bytes = malloc(size);
    struct err err = { 0 };
    size_t count = 0;

    assert_int_equal(io_image_read_at(image, 0, bytes, size, &err), ERR_OK);
    for (uint64_t i = 0; i < size; i++)
        if (i == 0 || bytes[i] != bytes[i - 1]) {
            assert_true(count + 1 < runs_max);
            runs[count++] = (char)bytes[i];
        }
    runs[count] = '\0';
    free(bytes);
}

/* Opens each of the given names. runs: what is read; NULL: an error that says word. */
static void check(const struct part *parts, const char *const *opened, const char *runs,
                  const char *word)
{
    char folder[64], path[PATH_MAX_TEST], got[64];

    test_make_folder(folder);
    lay(folder, parts);
    for (; *opened != NULL; opened++) {
        struct io_image *image = NULL;
        struct err err = { 0 };

        snprintf(path, sizeof path, "%s/%s", folder, *opened);
        const enum err_code rc = io_image_open(path, NULL, &image, &err);
        if (runs == NULL) {
            if (rc != ERR_INPUT || strstr(err.text, word) == NULL)
                fail_msg("%s: %d, \"%s\" does not say \"%s\"", *opened, rc, err.text, word);
            continue;
        }
        if (rc != ERR_OK)
            fail_msg("%s: %s", *opened, err.text);
        read_runs(image, got, sizeof got);
        assert_string_equal(got, runs);
        assert_string_equal(io_image_format(image), strlen(runs) > 1 ? "split raw" : "raw");
        assert_int_equal(io_image_part_count(image), strlen(runs));
        io_image_close(image);
    }
    test_remove_folder(folder);
}

#define NAMES(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
#define PARTS(...)                                                                                 \
    (const struct part[PARTS_MAX + 1])                                                             \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            NULL, 0                                                                                \
        }                                                                                          \
    }

static void any_part_names_the_set(void **state)
{
    (void)state;
    check(PARTS({ "i.001", 1000 }, { "i.002", 1000 }, { "i.003", 7 }),
          NAMES("i.001", "i.002", "i.003"), "abc", NULL);
    check(PARTS({ "i.000", 512 }, { "i.001", 512 }), NAMES("i.000", "i.001"), "ab", NULL);
    check(PARTS({ "i.00", 512 }, { "i.01", 512 }, { "i.02", 1 }), NAMES("i.00", "i.02"), "abc",
          NULL);
    check(PARTS({ "i.dd.aa", 512 }, { "i.dd.ab", 512 }), NAMES("i.dd.aa", "i.dd.ab"), "ab", NULL);
    check(PARTS({ "i.AAA", 512 }, { "i.AAB", 100 }), NAMES("i.AAA", "i.AAB"), "ab", NULL);
    check(PARTS({ "i.1.00001", 512 }, { "i.1.00002", 100 }), NAMES("i.1.00002"), "ab", NULL);
}

static void neighbours_of_other_sets_are_left_alone(void **state)
{
    (void)state;
    check(PARTS({ "i.001", 512 }, { "i.002", 512 }, { "j.003", 512 }, { "i.01", 512 },
                { "i.log", 9 }, { "i.0001", 9 }),
          NAMES("i.001", "i.002"), "ab", NULL);
    check(PARTS({ "i.aa", 512 }, { "i.ab", 512 }, { "i.db", 100 }, { "i.AC", 9 }), NAMES("i.aa"),
          "ab", NULL);
    check(PARTS({ "i.raw", 512 }, { "i.aaa", 512 }, { "i.aab", 512 }), NAMES("i.raw"), "a", NULL);
}

static void a_file_with_a_number_is_a_file(void **state)
{
    (void)state;
    check(PARTS({ "i.001", 77 }), NAMES("i.001"), "a", NULL);
    check(PARTS({ "disk.2024", 77 }, { "disk.2025", 77 }), NAMES("disk.2024"), "a", NULL);
    check(PARTS({ "libc.so.6", 77 }, { "libc.so.7", 77 }), NAMES("libc.so.6"), "a", NULL);
    check(PARTS({ "i.dd", 77 }), NAMES("i.dd"), "a", NULL);
}

static void counters_run_over_as_their_tools_let_them(void **state)
{
    static const struct {
        const char *first, *second, *low;
    } rows[] = { { "i.999", "i.1000", "i.001" },
                 { "i.yz", "i.zaaa", "i.aa" },
                 { "i.89", "i.9000", "i.00" } };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char folder[64], path[PATH_MAX_TEST], command[512];
        struct io_image *image;
        struct err err = { 0 };
        const bool digits = i != 1;
        const int count = i == 0 ? 4200 : i == 1 ? 652 : 92;

        test_make_folder(folder);
        /* GNU split and seq write the names, so that they do not come from the code under test. */
        if (i == 0)
            snprintf(command, sizeof command,
                     "cd %s && for n in $(seq -f %%03.0f 1 4200); do printf %%4s $n > i.$n; done",
                     folder);
        else
            snprintf(command, sizeof command,
                     "cd %s && seq -f %%04.0f 0 %d | tr -d '\\n' | split %s -b 4 - i.", folder,
                     count - 1, digits ? "-d" : "");
        assert_int_equal(system(command), 0);
        snprintf(path, sizeof path, "%s/%s", folder, rows[i].second);
        if (io_image_open(path, NULL, &image, &err) != ERR_OK)
            fail_msg("%s: %s", rows[i].second, err.text);
        assert_int_equal(io_image_part_count(image), count);
        for (int n = 0; n < count; n++) {
            char got[5] = { 0 }, want[5];
            snprintf(want, sizeof want, i == 0 ? (n < 999 ? " %03d" : "%04d") : "%04d",
                     i == 0 ? n + 1 : n);
            assert_int_equal(io_image_read_at(image, (uint64_t)n * 4, (uint8_t *)got, 4, &err),
                             ERR_OK);
            assert_string_equal(got, want);
        }
        io_image_close(image);
        test_remove_folder(folder);
    }
}

static void a_missing_part_is_named(void **state)
{
    (void)state;
    check(PARTS({ "i.001", 512 }, { "i.003", 512 }), NAMES("i.001", "i.003"), NULL,
          "/i.002: this part");
    check(PARTS({ "i.001", 512 }, { "i.002", 512 }, { "i.009", 5 }), NAMES("i.001", "i.009"), NULL,
          "/i.003: this");
    check(PARTS({ "i.aa", 512 }, { "i.ac", 512 }), NAMES("i.aa", "i.ac"), NULL, "/i.ab: this part");
    check(PARTS({ "i.002", 512 }, { "i.003", 512 }), NAMES("i.002", "i.003"), NULL,
          "/i.001, is missing");
    check(PARTS({ "i.002", 512 }), NAMES("i.002"), NULL, "/i.001, is missing");
    check(PARTS({ "i.ab", 512 }, { "i.ac", 512 }), NAMES("i.ab"), NULL, "/i.aa, is missing");
}

static void a_part_of_another_size_is_named(void **state)
{
    (void)state;
    check(PARTS({ "i.001", 512 }, { "i.002", 500 }, { "i.003", 512 }), NAMES("i.001"), NULL,
          "/i.002: this part");
    check(PARTS({ "i.001", 511 }, { "i.002", 512 }), NAMES("i.002"), NULL, "/i.001: this part");
    check(PARTS({ "i.001", 512 }, { "i.002", 512 }, { "i.003", 0 }), NAMES("i.001"), NULL,
          "/i.003: this part");
}

static void a_container_in_parts_is_refused(void **state)
{
    char folder[64], path[PATH_MAX_TEST];
    struct io_image *image;
    struct err err = { 0 };

    (void)state;
    test_make_folder(folder);
    snprintf(path, sizeof path, "%s/i.001", folder);
    test_write_file(path, "QFI\xfb\0\0\0\3", 8);
    snprintf(path, sizeof path, "%s/i.002", folder);
    test_write_file(path, "........", 8);
    assert_int_equal(io_image_open(path, NULL, &image, &err), ERR_INPUT);
    assert_non_null(strstr(err.text, "QCOW"));
    test_remove_folder(folder);
}

static void spans_end_with_their_part(void **state)
{
    char folder[64], path[PATH_MAX_TEST];
    struct io_image *image;
    struct io_span first, second;
    struct err err = { 0 };

    (void)state;
    test_make_folder(folder);
    lay(folder, PARTS({ "i.001", 1001 }, { "i.002", 500 }));
    snprintf(path, sizeof path, "%s/i.001", folder);
    assert_int_equal(io_image_open(path, NULL, &image, &err), ERR_OK);
    assert_true(io_image_map(image, 1000, &first));
    assert_int_equal(first.fd_offset, 1000);
    assert_int_equal(first.len, 1);
    assert_true(io_image_map(image, 1001, &second));
    assert_int_equal(second.fd_offset, 0);
    assert_int_equal(second.len, 500);
    assert_int_not_equal(first.fd, second.fd);
    assert_false(io_image_map(image, 1501, &second));
    snprintf(path, sizeof path, "%s/i.002", folder);
    assert_true(io_image_is_part(image, path));
    io_image_close(image);
    test_remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_part_names_the_set),
        cmocka_unit_test(neighbours_of_other_sets_are_left_alone),
        cmocka_unit_test(a_file_with_a_number_is_a_file),
        cmocka_unit_test(counters_run_over_as_their_tools_let_them),
        cmocka_unit_test(a_missing_part_is_named),
        cmocka_unit_test(a_part_of_another_size_is_named),
        cmocka_unit_test(a_container_in_parts_is_refused),
        cmocka_unit_test(spans_end_with_their_part),
    };
    return cmocka_run_group_tests_name("io split", tests, NULL, NULL);
}
