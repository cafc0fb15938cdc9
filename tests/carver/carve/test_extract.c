/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/carve/test_extract.c - one object into one file; names out of a hostile case file;
 * disks and limits that are full.
 *
 * Contents are compared with the bytes of the image, hashes with sha256sum. Nothing may be left
 * behind by a failure.
 */
#include "tests/carver/carve_fixture.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "carver/carve/extract.h"
#include "carver/cli/interrupt.h"

struct extraction {
    struct fixture *f;
    struct io_image *image;
    struct outdir dir;
    struct extract *extract;
};

static void extraction_open(struct extraction *e, struct fixture *f)
{
    struct err err = { 0 };

    *e = (struct extraction){ .f = f };
    OK(io_image_open_memory(f->bytes, FIXTURE_IMAGE, &e->image, &err));
    OK(outdir_open(f->out, &e->dir, &err));
    OK(extract_open(&e->dir, true, NULL, NULL, &e->extract, &err));
}

static void extraction_close(struct extraction *e)
{
    extract_close(e->extract);
    outdir_close(&e->dir);
    io_image_close(e->image);
}

static enum err_code extraction_write(struct extraction *e, const char *type, const char *extension,
                                      const struct db_extent *extents, uint32_t count,
                                      struct extract_result *result, struct err *err)
{
    struct object_path path;
    const struct extract_object object = {
        .image = e->image, .extents = extents, .extent_count = count, .path = &path
    };

    object_path_make(&path, NULL, type, extension, count > 0 ? extents[0].offset : 0);
    return extract_write(e->extract, &object, result, err);
}

static void files_hold_the_extents_in_order(void **state)
{
    static const struct db_extent extents[] = {
        { 500, 3 }, { 100, 70000 }, { 1048575, 1 }, { 7, 0 }
    };
    struct extraction e;
    struct extract_result result;
    struct err err = { 0 };
    char got[65536];

    extraction_open(&e, *state);
    OK(extraction_write(&e, "jpg", "jpg", extents, 4, &result, &err));
    assert_string_equal(result.path, "jpg/00000000000001f4.jpg");
    assert_int_equal(result.len, 70004);
    assert_int_equal(result.bad_bytes, 0);
    fixture_shell(
        e.f,
        "cd $F; (tail -c +501 disk*raw | head -c 3; tail -c +101 disk*raw | head -c 70000; tail -c "
        "1 disk*raw) >want; "
        "cmp want out/jpg/00000000000001f4.jpg && sha256sum <want | cut -c1-64; find out -type f",
        got);
    assert_memory_equal(got, result.sha256, 64);
    assert_string_equal(got + 65, "out/jpg/00000000000001f4.jpg\n");
    extraction_close(&e);
}

static void an_empty_object_is_an_empty_file(void **state)
{
    struct extraction e;
    struct extract_result result;
    struct err err = { 0 };

    extraction_open(&e, *state);
    OK(extraction_write(&e, "x", "x", NULL, 0, &result, &err));
    assert_int_equal(result.len, 0);
    /* FIPS 180-4: SHA-256 of the empty message */
    assert_string_equal(result.sha256,
                        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    extraction_close(&e);
}

static void taken_names_get_numbers(void **state)
{
    static const struct db_extent extent = { 16, 8 };
    static const char *const want[] = { "gif/0000000000000010.gif", "gif/0000000000000010-2.gif",
                                        "gif/0000000000000010-3.gif" };
    struct extraction e;
    struct extract_result result;
    struct err err = { 0 };

    extraction_open(&e, *state);
    for (size_t i = 0; i < 3; i++) {
        OK(extraction_write(&e, "gif", "gif", &extent, 1, &result, &err));
        assert_string_equal(result.path, want[i]);
    }
    for (int i = 4; i <= EXTRACT_CLASH_MAX; i++)
        OK(extraction_write(&e, "gif", "gif", &extent, 1, &result, &err));
    assert_int_equal(extraction_write(&e, "gif", "gif", &extent, 1, &result, &err), ERR_FULL);
    extraction_close(&e);
}

/* Whatever a case file calls a type or an extension, the file lies two steps below the folder, and
 * both are plain names. */
static void hostile_names_stay_inside(void **state)
{
    static const char *const names[][3] = {
        { "../../etc", "x", "_._.._etc/0000000000000000.x" },
        { "..", "..", "_./0000000000000000._." },
        { ".", "/", "_/0000000000000000._" },
        { "", "", "unknown/0000000000000000" },
        { "/abs", "a/b", "_abs/0000000000000000.a_b" },
        { ".hidden", ".so", "_hidden/0000000000000000._so" },
        { "a\nb\x1b[2J", "\xff\xfe", "a_b__2J/0000000000000000.__" },
        { "audit.txt", "txt", "_udit.txt/0000000000000000.txt" },
        { "report.xml", "xml", "_eport.xml/0000000000000000.xml" },
        { "C:\\x", "e x", "C__x/0000000000000000.e_x" },
        { "tar.gz", "tar.gz", "tar.gz/0000000000000000.tar.gz" },
        { "x-y+z_1", "7z", "x-y+z_1/0000000000000000.7z" },
    };
    static const struct db_extent extent = { 0, 4 };
    struct extraction e;
    struct extract_result result;
    struct err err = { 0 };
    char longest[5000], got[65536];

    extraction_open(&e, *state);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        OK(extraction_write(&e, names[i][0], names[i][1], &extent, 1, &result, &err));
        assert_string_equal(result.path, names[i][2]);
    }
    memset(longest, 'n', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    OK(extraction_write(&e, longest, longest, &extent, 1, &result, &err));
    assert_int_equal(strlen(result.path), 63 + 1 + 16 + 1 + 63);
    fixture_shell(e.f,
                  "cd $F; find . -newer 'disk image.raw' -type f ! -path "
                  "'./out/*/0000000000000000*'; find out -type f | wc -l",
                  got);
    assert_string_equal(got, "13\n");
    extraction_close(&e);
}

/* Bytes that this process has handed to write(2) and its kin, as the kernel counts; 0: it does not.
 */
static uint64_t extraction_bytes_written(void)
{
    FILE *in = fopen("/proc/self/io", "r");
    unsigned long long bytes = 0;
    char line[128];

    while (in != NULL && fgets(line, sizeof line, in) != NULL)
        if (sscanf(line, "wchar: %llu", &bytes) == 1)
            break;
    if (in != NULL)
        fclose(in);
    return bytes;
}

/* Where nothing can be shared for the place alone, nothing is written to find that out. */
static void bytes_between_blocks_are_written_once(void **state)
{
    static const struct db_extent extents[] = { { 100, 300000 }, { 400101, 200000 } };
    _Atomic bool unshared = false;
    struct extraction e;
    struct extract_result result;
    struct object_path path;
    struct err err = { 0 };
    struct io_image *image;

    extraction_open(&e, *state);
    OK(io_image_open(e.f->image, NULL, &image, &err));
    const struct extract_object object = {
        .image = image, .extents = extents, .extent_count = 2, .path = &path, .unshared = &unshared
    };
    object_path_make(&path, NULL, "jpg", "jpg", 100);
    const uint64_t before = extraction_bytes_written();
    OK(extract_write(e.extract, &object, &result, &err));
    const uint64_t wrote = extraction_bytes_written() - before;
    assert_int_equal(result.len, 500000);
    assert_int_equal(result.shared, 0);
    assert_false(unshared); /* nobody asked the file system */
    if (before > 0)
        assert_in_range(wrote, 500000, 500000 + 65536);
    io_image_close(image);
    extraction_close(&e);
}

/* A link in the place of a folder or of the temporary file is not followed. */
static void links_are_not_followed(void **state)
{
    static const struct db_extent extent = { 32, 8 };
    struct extraction e;
    struct extract_result result;
    struct err err = { 0 };
    char got[65536];

    extraction_open(&e, *state);
    fixture_shell(e.f,
                  "cd $F; mkdir elsewhere; echo mine >elsewhere/file; ln -s ../elsewhere out/jpg; "
                  "mkdir out/png; "
                  "ln -s ../../elsewhere/file out/png/.0000000000000020.png.part; "
                  "mkdir out/gif; ln -s ../../elsewhere/file out/gif/0000000000000020.gif",
                  got);
    assert_int_equal(extraction_write(&e, "jpg", "jpg", &extent, 1, &result, &err), ERR_ENV);
    assert_int_equal(extraction_write(&e, "png", "png", &extent, 1, &result, &err), ERR_ENV);
    OK(extraction_write(&e, "gif", "gif", &extent, 1, &result, &err));
    assert_string_equal(result.path, "gif/0000000000000020-2.gif");
    fixture_shell(e.f, "cd $F; ls elsewhere; cat elsewhere/file", got);
    assert_string_equal(got, "file\nmine\n");
    extraction_close(&e);
}

enum { EXCHANGE_FILES = 4000 };

struct exchange {
    int folder;
    _Atomic bool stop;
};

/* Puts a link in the place of jpg and takes it away again, as fast as it can. */
static void *exchange_run(void *arg)
{
    struct exchange *x = arg;

    while (!x->stop)
        renameat2(x->folder, "jpg", x->folder, ".link", RENAME_EXCHANGE);
    return NULL;
}

/* Whatever becomes of the folder meanwhile, no file goes through a link. */
static void an_exchanged_folder_leads_nowhere(void **state)
{
    static const struct db_extent extents[] = { { 500, 3 } };
    struct exchange x = { .stop = false };
    struct extraction e;
    struct extract_result result;
    struct err err = { 0 };
    char got[65536];
    pthread_t thread;

    extraction_open(&e, *state);
    x.folder = e.dir.fd;
    fixture_shell(e.f, "cd $F && mkdir elsewhere && ln -s ../elsewhere out/.link && mkdir out/jpg",
                  got);
    assert_int_equal(pthread_create(&thread, NULL, exchange_run, &x), 0);
    for (int i = 0; i < EXCHANGE_FILES; i++) {
        const enum err_code rc =
            extraction_write(&e, "jpg", i % 2 == 0 ? "a" : "b", extents, 1, &result, &err);

        if (rc != ERR_OK && rc != ERR_ENV && rc != ERR_FULL)
            fail_msg("%s", err.text);
    }
    x.stop = true;
    pthread_join(thread, NULL);
    fixture_shell(e.f, "cd $F && ls -A elsewhere", got);
    assert_string_equal(got, "");
    extraction_close(&e);
}

/* A file system that somebody has mounted there is not the one that was asked for. */
static void a_mount_on_a_folder_is_refused(void **state)
{
    static const struct db_extent extents[] = { { 500, 3 } };
    struct extraction e;
    struct extract_result result;
    struct err err = { 0 };
    char path[160], got[65536];

    extraction_open(&e, *state);
    snprintf(path, sizeof path, "%s/jpg", e.f->out);
    assert_int_equal(mkdir(path, 0700), 0);
    if (mount("none", path, "tmpfs", 0, NULL) != 0) {
        print_message("skipped: no right to mount\n");
        extraction_close(&e);
        return;
    }
    const enum err_code rc = extraction_write(&e, "jpg", "a", extents, 1, &result, &err);
    fixture_shell(e.f, "cd $F && ls -A out/jpg; umount out/jpg", got);
    assert_string_equal(got, "");
    assert_int_equal(rc, ERR_ENV);
    assert_non_null(strstr(err.text, "jpg"));
    extraction_close(&e);
}

static void extents_outside_of_the_image_are_refused(void **state)
{
    static const struct db_extent bad[] = {
        { FIXTURE_IMAGE, 1 }, { 0, FIXTURE_IMAGE + 1 }, { UINT64_MAX, 1 },
        { 1, UINT64_MAX },    { INT64_MAX, INT64_MAX },
    };
    struct extraction e;
    struct extract_result result;
    struct err err = { 0 };
    char got[65536];

    extraction_open(&e, *state);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const struct db_extent extents[] = { { 0, 100 }, bad[i] };

        assert_int_equal(extraction_write(&e, "jpg", "jpg", extents, 2, &result, &err), ERR_INPUT);
    }
    fixture_shell(e.f, "find $F/out -type f | wc -l", got);
    assert_string_equal(got, "0\n");
    extraction_close(&e);
}

/* A file larger than one may be here is that object's failure alone. */
static void a_limit_on_file_size_fails_one_object(void **state)
{
    static const struct db_extent large = { 0, 600000 }, small = { 4096, 5000 };
    struct rlimit before, limit;
    struct extraction e;
    struct extract_result result;
    struct err err = { 0 };
    char got[65536];

    OK(interrupt_install(&err)); /* or SIGXFSZ would end this test */
    extraction_open(&e, *state);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 100000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const enum err_code rc = extraction_write(&e, "jpg", "jpg", &large, 1, &result, &err);
    struct err second = { 0 };
    const enum err_code next = extraction_write(&e, "jpg", "jpg", &small, 1, &result, &second);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(rc, ERR_FULL);
    assert_non_null(strstr(err.text, "File too large"));
    assert_int_equal(next, ERR_OK);
    fixture_shell(e.f, "cd $F/out; find . -type f", got);
    assert_string_equal(got, "./jpg/0000000000001000.jpg\n");
    extraction_close(&e);
}

/* On a full disk the present file goes, the finished ones stay, and the reports have their reserve.
 */
static void a_full_disk_leaves_whole_files_and_whole_reports(void **state)
{
    struct fixture *f = *state;
    struct extraction e;
    struct extract_result result;
    struct outdir_stream *report;
    struct err err = { 0 };
    char got[65536];

    assert_int_equal(mkdir(f->out, 0700), 0);
    if (mount("tmpfs", f->out, "tmpfs", 0, "size=1m") != 0)
        skip(); /* only root may */
    extraction_open(&e, f);
    OK(outdir_reserve(&e.dir, &err));
    OK(outdir_stream_open(&e.dir, "audit.txt", 0, &report, &err));
    enum err_code rc = ERR_OK;
    uint32_t written = 0;
    for (; rc == ERR_OK && written < 100; written += rc == ERR_OK) {
        const struct db_extent extent = { (uint64_t)written * 1000, 100000 };

        rc = extraction_write(&e, "jpg", "jpg", &extent, 1, &result, &err);
        fprintf(outdir_stream_file(report), "line %u\n", written);
    }
    assert_int_equal(rc, ERR_ENV);
    assert_non_null(strstr(err.text, "No space left on device"));
    assert_true(written >= 5 &&
                written <= 7); /* 1 MiB less the reserve of 256 KiB, in files of 100000 bytes */
    for (uint32_t i = 0; i < 6000; i++) /* far more than is free, less than the reserve */
        fprintf(outdir_stream_file(report), "a line of the end of the report %4u\n", i);
    err = (struct err){ 0 };
    OK(outdir_stream_close(report, &err));
    fixture_shell(
        f,
        "cd $F/out; ls -A . jpg | grep -c part; tail -n 1 audit.txt; cd jpg; for f in *; do "
        "tail -c +$((0x${f%.jpg} + 1)) \"$F/disk image.raw\" 2>/dev/null | head -c 100000 | cmp - "
        "$f; done",
        got);
    extraction_close(&e);
    umount(f->out);
    assert_string_equal(got, "0\na line of the end of the report 5999\n");
}

static void a_report_larger_than_the_disk_says_so(void **state)
{
    struct fixture *f = *state;
    struct outdir_stream *report;
    struct outdir dir;
    struct err err = { 0 };

    assert_int_equal(mkdir(f->out, 0700), 0);
    if (mount("tmpfs", f->out, "tmpfs", 0, "size=512k") != 0)
        skip();
    OK(outdir_open(f->out, &dir, &err));
    OK(outdir_reserve(&dir, &err));
    OK(outdir_stream_open(&dir, "audit.txt", 0, &report, &err));
    for (uint32_t i = 0; i < 100000; i++)
        fputs("0123456789\n", outdir_stream_file(report));
    const enum err_code rc = outdir_stream_close(report, &err);
    outdir_close(&dir);
    umount(f->out);
    assert_int_equal(rc, ERR_ENV);
    assert_non_null(strstr(err.text, "No space left on device"));
    assert_non_null(strstr(err.text, "audit.txt"));
}

static void disk_is_full(void *arg)
{
    ++*(int *)arg;
}

/* What a report has set aside nobody else can take, and it gives back what it does not need. */
static void room_set_aside_for_a_report_is_its_own(void **state)
{
    struct fixture *f = *state;
    struct outdir_stream *report;
    struct outdir dir;
    struct err err = { 0 };
    char got[65536];
    int full = 0;

    assert_int_equal(mkdir(f->out, 0700), 0);
    if (mount("tmpfs", f->out, "tmpfs", 0, "size=1m") != 0)
        skip();
    OK(outdir_open(f->out, &dir, &err));
    dir.full = disk_is_full;
    dir.full_arg = &full;
    OK(outdir_stream_open(&dir, "audit.txt", 400000, &report, &err));
    for (uint32_t i = 0; i < 20000; i++)
        fputs("0123456789\n", outdir_stream_file(report)); /* 220,000 bytes; 400,000 behind them */
    OK(outdir_stream_flush(report, false, &err));
    assert_int_equal(full, 0);
    fixture_shell(f, "! head -c 2M /dev/zero 2>/dev/null >$F/out/filler", got);
    fixture_shell(f, "stat -c %s $F/out/filler", got);
    assert_in_range(atoi(got), 300000, 1048576 - 620000);
    for (uint32_t i = 0; i < 36000; i++)
        fputs("0123456789\n", outdir_stream_file(report)); /* 396,000 bytes more */
    const enum err_code rc = outdir_stream_close(report, &err);
    outdir_close(&dir);
    fixture_shell(f, "stat -c '%s %b %B' $F/out/audit.txt", got);
    umount(f->out);
    if (rc != ERR_OK)
        fail_msg("%s", err.text);
    assert_true(full > 0);
    assert_int_equal(atoi(got), 616000);
    assert_in_range(atoi(strchr(got, ' ')), 1204, 1208); /* of 512 bytes */
}

static void space_is_checked(void **state)
{
    struct fixture *f = *state;
    struct outdir dir;
    struct err err = { 0 };

    assert_int_equal(mkdir(f->out, 0700), 0);
    if (mount("tmpfs", f->out, "tmpfs", 0, "size=1m,nr_inodes=100") != 0)
        skip();
    OK(outdir_open(f->out, &dir, &err));
    const enum err_code fits = outdir_need(&dir, 500000, 10, &err);
    const enum err_code bytes = outdir_need(&dir, 1000000, 1, &err);
    struct err files_err = { 0 };
    const enum err_code files = outdir_need(&dir, 0, 92, &files_err);
    struct err wrap_err = { 0 };
    const enum err_code wrap = outdir_need(&dir, UINT64_MAX, 1, &wrap_err);
    outdir_close(&dir);
    umount(f->out);
    assert_int_equal(fits, ERR_OK);
    assert_int_equal(bytes, ERR_ENV);
    assert_non_null(strstr(err.text, "1048576")); /* available */
    assert_non_null(
        strstr(err.text, "1266240")); /* needed: 1000000, a block of 4096, 256 KiB of reserve */
    assert_int_equal(files, ERR_ENV);
    assert_non_null(strstr(files_err.text, "100 are needed"));
    assert_int_equal(wrap, ERR_ENV);
}

static void folders_are_new_or_empty(void **state)
{
    struct fixture *f = *state;
    struct outdir dir;
    struct err err = { 0 };

    OK(outdir_open(f->out, &dir, &err));
    outdir_close(&dir);
    assert_int_equal(access(f->out, F_OK), -1); /* made for nothing */
    assert_int_equal(mkdir(f->out, 0700), 0);
    OK(outdir_open(f->out, &dir, &err));
    outdir_close(&dir);
    assert_int_equal(access(f->out, F_OK), 0); /* was there before */
    assert_int_equal(outdir_open(f->folder, &dir, &err), ERR_INPUT);
    assert_non_null(strstr(err.text, "not empty"));
    assert_int_equal(outdir_open(f->image, &dir, &err), ERR_INPUT);
    assert_int_equal(outdir_open("/dev/null/x", &dir, &err), ERR_INPUT);
}

/* Comes last: the flag of a signal stays. */
static void a_signal_stops_between_reads(void **state)
{
    static const struct db_extent extent = { 0, 100000 };
    struct extraction e;
    struct extract_result result;
    struct err err = { 0 };
    char got[65536];

    OK(interrupt_install(&err));
    assert_false(interrupt_requested());
    extraction_open(&e, *state);
    raise(SIGTERM);
    assert_true(interrupt_requested());
    assert_int_equal(extraction_write(&e, "jpg", "jpg", &extent, 1, &result, &err),
                     ERR_INTERRUPTED);
    fixture_shell(e.f, "find $F/out -type f | wc -l", got);
    assert_string_equal(got, "0\n");
    extraction_close(&e);
}

#define EXTRACT_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXTRACT_TEST(files_hold_the_extents_in_order),
        EXTRACT_TEST(an_empty_object_is_an_empty_file),
        EXTRACT_TEST(taken_names_get_numbers),
        EXTRACT_TEST(hostile_names_stay_inside),
        EXTRACT_TEST(bytes_between_blocks_are_written_once),
        EXTRACT_TEST(links_are_not_followed),
        EXTRACT_TEST(an_exchanged_folder_leads_nowhere),
        EXTRACT_TEST(a_mount_on_a_folder_is_refused),
        EXTRACT_TEST(extents_outside_of_the_image_are_refused),
        EXTRACT_TEST(a_limit_on_file_size_fails_one_object),
        EXTRACT_TEST(a_full_disk_leaves_whole_files_and_whole_reports),
        EXTRACT_TEST(a_report_larger_than_the_disk_says_so),
        EXTRACT_TEST(room_set_aside_for_a_report_is_its_own),
        EXTRACT_TEST(space_is_checked),
        EXTRACT_TEST(folders_are_new_or_empty),
        EXTRACT_TEST(a_signal_stops_between_reads),
    };
    return cmocka_run_group_tests_name("extract", tests, NULL, NULL);
}
