/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/carve/test_carve.c - burin carve and burin list on the case of carve_fixture.h.
 *
 * Files are compared with the image by cmp and sha256sum, report.xml is read by xmllint, the case
 * by its own interface.
 */
#include "tests/carver/carve_fixture.h"

#include <sys/stat.h>

extern const struct command command_carve;
extern const struct command command_list;

enum { TEXT_MAX = 65536 };

static void tree_is(const struct fixture *f, const char *want)
{
    char got[TEXT_MAX];

    fixture_shell(f, "cd $F/out && find . -type f | sort | tr '\\n' ' '", got);
    assert_string_equal(got, want);
}

/* FILE below out/ holds image bytes [offset, offset + len). */
static void file_is(const struct fixture *f, const char *file, uint32_t offset, uint32_t len)
{
    char command[512], got[TEXT_MAX];

    snprintf(command, sizeof command,
             "tail -c +%u \"$F/disk image.raw\" | head -c %u | cmp - $F/out/%s 2>&1", offset + 1,
             len, file);
    fixture_shell(f, command, got);
    assert_string_equal(got, "");
}

static void whole_top_level_objects_are_written(void **state)
{
    struct fixture *f = *state;
    enum exit_status status;
    struct err err = { 0 };
    char got[TEXT_MAX];

    fixture_case(f, 1, "done");
    OK(FIXTURE_RUN(f, &command_carve, &status, &err, "--out", f->out, f->case_path));
    assert_int_equal(status, EXIT_DONE);
    tree_is(f, "./audit.txt ./elf/00000000000ffdc0 ./gif/0000000000020080-2.gif "
               "./gif/0000000000020080.gif "
               "./jpg/0000000000001000.jpg ./pdf/0000000000030d40.pdf ./png/0000000000010000.png "
               "./report.xml ");
    file_is(f, "jpg/0000000000001000.jpg", 4096, 5000);
    file_is(f, "gif/0000000000020080.gif", 131200, 50);
    file_is(f, "gif/0000000000020080-2.gif", 131200, 60);
    file_is(f, "pdf/0000000000030d40.pdf", 200000, 100);
    file_is(f, "elf/00000000000ffdc0", 1048000, 576);
    fixture_shell(f,
                  "cd $F; (tail -c +65537 disk\\ image.raw | head -c 1000; tail -c +70001 disk\\ "
                  "image.raw | head -c 234) | "
                  "cmp - out/png/0000000000010000.png 2>&1",
                  got);
    assert_string_equal(got, "");
    fixture_shell(f, "cat $F/stdout; sed \"s#$F#F#; s#[0-9a-f]\\{64\\}#HASH#\" $F/stderr", got);
    assert_string_equal(
        got, "6 files, 6.9 KiB, in F/out\n"
             "scanned without a checksum: 6 files; a change since the scan cannot be seen\n"
             "left out: 1 object inside other objects (see --embedded)\n"
             "left out: 1 other, broken or cut short (see --truncated)\n"
             "F/case: the log ends with entry 10, hash HASH\n");
}

static void options_add_and_take_away(void **state)
{
    struct fixture *f = *state;
    enum exit_status status;
    struct err err = { 0 };
    char got[TEXT_MAX];

    fixture_case(f, 1, "done");
    OK(FIXTURE_RUN(f, &command_carve, &status, &err, "--embedded", "--truncated",
                   "--types=jpg,zip,gif", "--max-size", "4K", "--min-size", "60", "--json", "-q",
                   "-o", f->out, f->case_path));
    tree_is(f, "./audit.txt ./gif/0000000000020080-2.gif ./jpg/0000000000001068.jpg ./report.xml "
               "./truncated/zip/0000000000020000.zip ");
    file_is(f, "truncated/zip/0000000000020000.zip", 131072, 3000);
    fixture_shell(f, "cat $F/stderr; sed \"s#$F#F#\" $F/stdout", got);
    assert_string_equal(
        got,
        "{\n  \"out\": \"F/out\",\n  \"files\": 3,\n  \"bytes\": 3160,\n  \"not_written\": 0,\n"
        "  \"with_unreadable_bytes\": 0,\n  \"left_out_embedded\": 0,\n  \"left_out_truncated\": "
        "0,\n"
        "  \"left_out_by_option\": 5,\n  \"unfinished\": []\n}\n");
}

static void audit_is_in_scalpels_layout(void **state)
{
    struct fixture *f = *state;
    enum exit_status status;
    struct err err = { 0 };
    char got[TEXT_MAX];

    fixture_case(f, 1, "done");
    OK(FIXTURE_RUN(f, &command_carve, &status, &err, "--quiet", "--out", f->out, f->case_path));
    /* By white space, as scalpel's tools read it: file, start, chop, length, image (two words
     * here), sha256, state. */
    fixture_shell(f,
                  "cd $F/out && awk '/^File/ { on = 1; next } on && NF < 7 { exit } on { print $1, "
                  "$2, $3, $4, $5, $6, $8; "
                  "command = \"sha256sum \" $1; command | getline line; if (substr(line, 1, 64) != "
                  "$7) print \"wrong hash\" }' "
                  "audit.txt",
                  got);
    assert_string_equal(got, "jpg/0000000000001000.jpg 4096 NO 5000 disk image.raw complete\n"
                             "png/0000000000010000.png 65536 NO 1234 disk image.raw fragmented\n"
                             "gif/0000000000020080.gif 131200 NO 50 disk image.raw complete\n"
                             "gif/0000000000020080-2.gif 131200 NO 60 disk image.raw footer\n"
                             "pdf/0000000000030d40.pdf 200000 YES 100 disk image.raw truncated\n"
                             "elf/00000000000ffdc0 1048000 NO 576 disk image.raw complete\n");
    fixture_shell(f,
                  "sed -n '2,11p' $F/out/audit.txt | sed \"s#$F#F#g; s/[0-9.]* (build .*)/V/; s/ "
                  "at .*/ at T/\"",
                  got);
    assert_string_equal(
        got,
        "burin version V audit file\nStarted at T\nCommand line:\n"
        "burin carve --quiet --out F/out F/case\n\nOutput directory: F/out\nCase file: F/case\n\n"
        "Opening target \"F/disk image.raw\"\n\n");
    fixture_shell(f, "tail -n 5 $F/out/audit.txt | sed 's/ at .*/ at T/'", got);
    assert_string_equal(
        got,
        "6 files, 7020 bytes; 0 with unreadable bytes; 0 not written\n"
        "Left out: 1 embedded, 1 truncated, 0 by type or size\nStatus: done\n\nCompleted at T\n");
}

/* Every value that report.xml gives, by XPath; the schema is tests/carver/report.xsd. */
static void report_is_dfxml(void **state)
{
    struct fixture *f = *state;
    enum exit_status status;
    struct err err = { 0 };
    char got[TEXT_MAX];

    if (system("xmllint --version >/dev/null 2>&1") != 0)
        skip();
    fixture_case(f, 1, "done");
    OK(FIXTURE_RUN(f, &command_carve, &status, &err, "--quiet", "--out", f->out, f->case_path));
    fixture_shell(f,
                  "xmllint --noout --schema tests/carver/report.xsd $F/out/report.xml 2>&1 | tail "
                  "-n 1 | sed \"s#$F#F#\"",
                  got);
    assert_string_equal(got, "F/out/report.xml validates\n");
    fixture_shell(
        f,
        "xmllint --xpath '//*[local-name()=\"fileobject\"]/*[local-name()=\"filename\"]/text()' "
        "$F/out/report.xml",
        got);
    assert_string_equal(
        got, "jpg/0000000000001000.jpg\npng/0000000000010000.png\ngif/0000000000020080.gif\n"
             "gif/0000000000020080-2.gif\npdf/0000000000030d40.pdf\nelf/00000000000ffdc0\n");
    fixture_shell(
        f,
        "xmllint --xpath '//*[local-name()=\"fileobject\"][2]/*[local-name()=\"byte_runs\"]/*/@*' "
        "$F/out/report.xml "
        "| tr -d '\\n'",
        got);
    assert_string_equal(got, " file_offset=\"0\" img_offset=\"65536\" len=\"1000\" "
                             "file_offset=\"1000\" img_offset=\"70000\" "
                             "len=\"234\"");
    fixture_shell(
        f,
        "xmllint --xpath 'string(//*[local-name()=\"fileobject\"][2]/*[local-name()=\"reason\"])' "
        "$F/out/report.xml",
        got);
    assert_string_equal(got, "two \\x01 & <pieces>\n");
    fixture_shell(f,
                  "xmllint --xpath "
                  "'string(//*[local-name()=\"fileobject\"][1]/*[local-name()=\"hashdigest\"])' "
                  "$F/out/report.xml; "
                  "sha256sum <$F/out/jpg/0000000000001000.jpg | cut -c1-64",
                  got);
    assert_int_equal(strlen(got), 130);
    assert_memory_equal(got, got + 65, 64);
}

static void the_case_knows_what_was_written(void **state)
{
    struct fixture *f = *state;
    struct db_object_cursor *cursor;
    struct db_object object;
    struct db_case *db;
    enum exit_status status;
    struct err err = { 0 };
    char got[TEXT_MAX];
    bool found;
    int64_t broken;

    fixture_case(f, 1, "done");
    OK(FIXTURE_RUN(f, &command_carve, &status, &err, "--quiet", "--out", f->out, f->case_path));
    fixture_shell(f, "cd $F/out && sha256sum jpg/*1000.jpg png/* | cut -c1-64", got);
    OK(db_case_open(f->case_path, DB_READ, &db, &err));
    OK(db_objects_open(db, 0, &cursor, &err));
    for (int64_t id = 1; id <= 8; id++) {
        OK(db_objects_next(cursor, &found, &object, &err));
        assert_true(found);
        assert_int_equal(object.id, id);
        assert_int_equal(object.sha256 != NULL, id != 2 && id != 4);
        if (id == 1)
            assert_memory_equal(object.sha256, got, 64);
        if (id == 3)
            assert_memory_equal(object.sha256, got + 65, 64);
    }
    db_objects_close(cursor);
    OK(db_log_verify(db, &broken, &err));
    assert_int_equal(broken, 0);
    db_case_close(db);
    fixture_shell(f,
                  "command -v sqlite3 >/dev/null || exit 0; sqlite3 $F/case \"SELECT object_id, "
                  "path, len FROM outputs; "
                  "SELECT command, status, ended IS NOT NULL FROM runs; SELECT kind, count(*) FROM "
                  "log WHERE run_id = 2 GROUP BY "
                  "kind\""
                  " | sed \"s#$F#F#\"",
                  got);
    if (got[0] != '\0')
        assert_string_equal(
            got, "1|F/out/jpg/0000000000001000.jpg|5000\n3|F/out/png/0000000000010000.png|1234\n"
                 "5|F/out/gif/0000000000020080.gif|50\n6|F/out/gif/0000000000020080-2.gif|60\n"
                 "7|F/out/pdf/0000000000030d40.pdf|100\n8|F/out/elf/00000000000ffdc0|576\n"
                 "scan|done|1\ncarve|done|1\nend|1\nnote|1\noutput|6\nstart|1\n");
}

static void several_images_have_folders(void **state)
{
    struct fixture *f = *state;
    enum exit_status status;
    struct err err = { 0 };
    char got[TEXT_MAX];

    fixture_case(f, 3, "done");
    assert_int_equal(FIXTURE_RUN(f, &command_carve, &status, &err, "--image", f->image, "--out",
                                 f->out, f->case_path),
                     ERR_INPUT);
    assert_non_null(strstr(err.text, "3 images"));
    OK(FIXTURE_RUN(f, &command_carve, &status, &err, "--types", "jpg", "--out", f->out,
                   f->case_path));
    tree_is(f, "./audit.txt ./image1/jpg/0000000000001000.jpg ./image3/jpg/0000000000001000.jpg "
               "./report.xml ");
    fixture_shell(f, "grep -c '^Opening target' $F/out/audit.txt", got);
    assert_string_equal(got, "2\n");
}

static void a_moved_image_is_named(void **state)
{
    struct fixture *f = *state;
    enum exit_status status;
    struct err err = { 0 };
    char got[TEXT_MAX], moved[128];

    fixture_case(f, 1, "done");
    snprintf(moved, sizeof moved, "%s/moved", f->folder);
    assert_int_equal(rename(f->image, moved), 0);
    assert_int_equal(FIXTURE_RUN(f, &command_carve, &status, &err, "--out", f->out, f->case_path),
                     ERR_INPUT);
    assert_non_null(strstr(err.text, f->image));
    assert_non_null(strstr(err.text, "--image"));
    assert_int_equal(access(f->out, F_OK), -1);
    OK(FIXTURE_RUN(f, &command_carve, &status, &err, "--image", moved, "--out", f->out,
                   f->case_path));
    fixture_shell(f, "head -c 5000 $F/moved >$F/short", got);
    snprintf(moved, sizeof moved, "%s/short", f->folder);
    assert_int_equal(FIXTURE_RUN(f, &command_carve, &status, &err, "--image", moved, "--out",
                                 "/nowhere", f->case_path),
                     ERR_INPUT);
    assert_non_null(strstr(err.text, "5000"));
    assert_non_null(strstr(err.text, "1048576"));
}

/* Folders that hold something, the image, the case: nothing is written and nothing is changed. */
static void wrong_folders_are_refused(void **state)
{
    static const char *const names[] = { "full", "case", "disk image.raw", "none/deep" };
    static const char *const words[] = { "not empty", "case", "evidence", "does not exist" };
    struct fixture *f = *state;
    enum exit_status status;
    struct err err = { 0 };
    char before[TEXT_MAX], after[TEXT_MAX], path[128];

    fixture_case(f, 1, "done");
    fixture_shell(f,
                  "mkdir $F/full && echo mine >$F/full/.hidden && touch $F/stdout $F/stderr && cd "
                  "$F && find . -type f ! -name "
                  "'std*' -exec sha256sum {} + | sort",
                  before);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", f->folder, names[i]);
        if (FIXTURE_RUN(f, &command_carve, &status, &err, "--out", path, f->case_path) != ERR_INPUT)
            fail_msg("--out %s: %s", path, err.text);
        if (strstr(err.text, words[i]) == NULL)
            fail_msg("--out %s: %s", path, err.text);
    }
    fixture_shell(f, "cd $F && find . -type f ! -name 'std*' -exec sha256sum {} + | sort", after);
    assert_string_equal(before, after);
    assert_int_equal(FIXTURE_RUN(f, &command_carve, &status, &err, f->case_path), ERR_ARG);
    assert_non_null(strstr(err.text, "--out"));
}

static void list_prints_a_table(void **state)
{
    struct fixture *f = *state;
    enum exit_status status;
    struct err err = { 0 };
    char got[TEXT_MAX];

    fixture_case(f, 1, "done");
    OK(FIXTURE_RUN(f, &command_list, &status, &err, f->case_path));
    fixture_shell(f, "cat $F/stderr $F/stdout", got);
    assert_string_equal(
        got,
        "1\tjpg\tcomplete\t4096\t5000\t4096+5000\t-\t-\tjpg/0000000000001000.jpg\n"
        "2\tjpg\tcomplete\t4200\t100\t4200+100\t-\t1\tjpg/0000000000001068.jpg\n"
        "3\tpng\tfragmented\t65536\t1234\t65536+1000,70000+234\t-\t-\tpng/0000000000010000.png\n"
        "4\tzip\ttruncated\t131072\t3000\t131072+3000\t-\t-\ttruncated/zip/0000000000020000.zip\n"
        "5\tgif\tcomplete\t131200\t50\t131200+50\t-\t4\tgif/0000000000020080.gif\n"
        "6\tgif\tfooter\t131200\t60\t131200+60\t-\t-\tgif/0000000000020080-2.gif\n"
        "7\tpdf\ttruncated\t200000\t100\t200000+100\t-\t-\tpdf/0000000000030d40.pdf\n"
        "8\telf\tcomplete\t1048000\t576\t1048000+576\t-\t-\telf/00000000000ffdc0\n");
    OK(FIXTURE_RUN(f, &command_list, &status, &err, "--types", "gif,pdf",
                   "--state=truncated,complete", f->case_path));
    fixture_shell(f, "cut -f1 $F/stdout | tr '\\n' ' '", got);
    assert_string_equal(got, "5 7 ");
    assert_int_equal(FIXTURE_RUN(f, &command_list, &status, &err, "--state=whole", f->case_path),
                     ERR_ARG);
    assert_non_null(strstr(err.text, "'whole'"));
    OK(FIXTURE_RUN(f, &command_list, &status, &err, "--json", "--types=png", f->case_path));
    fixture_shell(f, "cat $F/stdout", got);
    assert_string_equal(
        got, "[\n  {\"id\": 3, \"image\": 1, \"type\": \"png\", \"extension\": \"png\", "
             "\"media_type\": \"image/png\", \"pronom\": \"fmt/11 fmt/12 fmt/13 fmt/935\", "
             "\"state\": \"fragmented\", "
             "\"reason\": \"two \\u0001 & <pieces>\", \"validated\": true, \"offset\": 65536, "
             "\"length\": 1234, "
             "\"extents\": [{\"offset\": 65536, \"length\": 1000}, {\"offset\": 70000, \"length\": "
             "234}], "
             "\"sha256\": null, \"parent\": null, \"name\": \"png/0000000000010000.png\", "
             "\"known\": null, \"place\": null, \"seams\": [], \"facts\": {}}\n]\n");
}

static void list_tells_of_unfinished_scans(void **state)
{
    struct fixture *f = *state;
    enum exit_status status;
    struct err err = { 0 };
    char got[TEXT_MAX];

    fixture_case(f, 1, "interrupted");
    OK(FIXTURE_RUN(f, &command_list, &status, &err, f->case_path));
    fixture_shell(f, "sed \"s#$F#F#\" $F/stderr; wc -l <$F/stdout", got);
    assert_string_equal(got, "burin: list: the scan of F/disk image.raw is not finished "
                             "(interrupted); objects are known only below offset "
                             "1000000 of 1048576\n8\n");
    OK(FIXTURE_RUN(f, &command_list, &status, &err, "--quiet", f->case_path));
    fixture_shell(f, "cat $F/stderr", got);
    assert_string_equal(got, "");
}

/*
 * The same words on standard error, in audit.txt, in a report.xml that is still valid, and in the
 * JSON summary.
 */
static void carve_tells_of_unfinished_scans(void **state)
{
    struct fixture *f = *state;
    enum exit_status status;
    struct err err = { 0 };
    char got[TEXT_MAX];

    fixture_case(f, 2, "failed");
    OK(FIXTURE_RUN(f, &command_carve, &status, &err, "--json", "--out", f->out, f->case_path));
    assert_int_equal(status, EXIT_DONE);
    fixture_shell(
        f,
        "sed \"s#$F#F#\" $F/stderr | grep -c '^burin: carve: the scan of F/disk image.raw is not "
        "finished "
        "(failed); objects are known only below offset 1000000 of 1048576$'; "
        "grep -c '^Not all that could be found: the scan of .* is not finished (failed); ' "
        "$F/out/audit.txt; "
        "grep -o '<burin:unfinished image=\"[12]\">the scan of .* is not finished (failed); "
        "objects are known only below "
        "offset 1000000 of 1048576</burin:unfinished>' $F/out/report.xml | wc -l; "
        "xmllint --noout --nonet --schema tests/carver/report.xsd $F/out/report.xml 2>/dev/null && "
        "echo valid; "
        "python3 -c 'import json, sys; print(len(json.load(sys.stdin)[\"unfinished\"]))' "
        "<$F/stdout",
        got);
    assert_string_equal(got, "2\n2\n2\nvalid\n2\n");
}

static void carve_of_a_whole_scan_says_no_such_thing(void **state)
{
    struct fixture *f = *state;
    enum exit_status status;
    struct err err = { 0 };
    char got[TEXT_MAX];

    fixture_case(f, 1, "done");
    OK(FIXTURE_RUN(f, &command_carve, &status, &err, "--out", f->out, f->case_path));
    fixture_shell(f,
                  "grep -ciE 'unfinished|not finished|not all' $F/stderr $F/out/audit.txt "
                  "$F/out/report.xml || true",
                  got);
    assert_null(strstr(got, ":1"));
}

/* SQLite gives the files beside the case file its mode. */
static void the_case_is_its_owners_alone(void **state)
{
    struct fixture *f = *state;
    const struct db_image_part parts[] = { { f->image, UINT64_MAX, NULL } };
    const struct db_image image = { 0, f->image, "raw", FIXTURE_IMAGE, 512, parts, 1 };
    struct db_case *db = NULL;
    struct err err = { 0 };
    int64_t id;
    char got[TEXT_MAX];
    const mode_t before = umask(0);

    OK(db_case_create(f->case_path, false, &db, &err));
    OK(db_begin(db, &err));
    OK(db_image_add(db, &image, &id, &err));
    OK(db_commit(db, &err));
    fixture_shell(f, "cd $F && stat -c '%a %n' case*", got);
    umask(before);
    db_case_close(db);
    assert_string_equal(got, "600 case\n600 case-shm\n600 case-wal\n600 case.lock\n");
}

#define CARVE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CARVE_TEST(whole_top_level_objects_are_written),
        CARVE_TEST(options_add_and_take_away),
        CARVE_TEST(audit_is_in_scalpels_layout),
        CARVE_TEST(report_is_dfxml),
        CARVE_TEST(the_case_knows_what_was_written),
        CARVE_TEST(several_images_have_folders),
        CARVE_TEST(a_moved_image_is_named),
        CARVE_TEST(wrong_folders_are_refused),
        CARVE_TEST(the_case_is_its_owners_alone),
        CARVE_TEST(list_prints_a_table),
        CARVE_TEST(list_tells_of_unfinished_scans),
        CARVE_TEST(carve_tells_of_unfinished_scans),
        CARVE_TEST(carve_of_a_whole_scan_says_no_such_thing),
    };
    return cmocka_run_group_tests_name("carve", tests, NULL, NULL);
}
