/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/carve/test_carve_trouble.c - carve when the evidence cannot be read everywhere, the
 * disk runs full on the way, or a signal comes.
 *
 * Method: this program's own pread stands in front of the C library's, and knows the image by its
 * inode. Reading a certain offset fails, fills the disk, or raises a signal.
 */
#include "tests/carver/carve_fixture.h"

#include <errno.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "carver/cli/interrupt.h"

extern const struct command command_carve;

enum { TEXT_MAX = 65536 };

static struct {
    dev_t dev;        /* of the image */
    ino_t ino;        /* 0: no trouble */
    uint32_t at, len; /* image bytes that make trouble */
    enum { FAIL, FILL, SIGNAL } what;
    const char *filler; /* file that takes the rest of the disk */
} trouble;

static void trouble_fill(void)
{
    static const char zeros[4096];
    FILE *out = fopen(trouble.filler, "w");

    while (out != NULL && fwrite(zeros, 1, sizeof zeros, out) == sizeof zeros && fflush(out) == 0)
        continue;
    if (out != NULL)
        fclose(out);
}

/* Called by every read of a file in this program, with _FILE_OFFSET_BITS=64 under the name pread64.
 */
ssize_t pread(int fd, void *dst, size_t len, off_t offset)
{
    struct stat info;

    /* Blocks of the image's fingerprint are read before anything is written. */
    if (len != SAMPLE_PIECE && trouble.ino != 0 && fstat(fd, &info) == 0 &&
        info.st_ino == trouble.ino && info.st_dev == trouble.dev &&
        (uint64_t)offset < trouble.at + trouble.len && (uint64_t)offset + len > trouble.at) {
        if (trouble.what == FAIL) {
            errno = EIO;
            return -1;
        }
        trouble.ino = 0;
        if (trouble.what == FILL)
            trouble_fill();
        else
            raise(SIGINT);
    }
    return (ssize_t)syscall(SYS_pread64, fd, dst, len, offset);
}

/* What the compiler makes of it with FORTIFY_SOURCE. */
ssize_t __pread64_chk(int fd, void *dst, size_t len, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *dst, size_t len, off_t offset, size_t room)
{
    assert_true(len <= room);
    return pread(fd, dst, len, offset);
}

/* What the last call of syncfs does before it returns. */
static struct {
    const char *command; /* runs this */
    int error;           /* fails with it, unless it is 0 */
} at_sync;

int syncfs(int fd)
{
    (void)fd;
    if (at_sync.command != NULL && system(at_sync.command) != 0)
        at_sync.error = ECANCELED;
    errno = at_sync.error;
    return at_sync.error != 0 ? -1 : 0;
}

static void trouble_at(const struct fixture *f, uint32_t at, uint32_t len)
{
    struct stat info;

    assert_int_equal(stat(f->image, &info), 0);
    trouble.dev = info.st_dev;
    trouble.ino = info.st_ino;
    trouble.at = at;
    trouble.len = len;
}

static int teardown(void **state)
{
    trouble.ino = 0;
    at_sync.command = NULL;
    at_sync.error = 0;
    return fixture_teardown(state);
}

static void report_is_whole(const struct fixture *f, const char *folder)
{
    char command[512], got[TEXT_MAX];

    if (system("xmllint --version >/dev/null 2>&1") != 0)
        return;
    snprintf(command, sizeof command,
             "xmllint --noout --schema tests/carver/report.xsd $F/%s/report.xml 2>&1", folder);
    fixture_shell(f, command, got);
    assert_non_null(strstr(got, " validates"));
}

/* Sector 9 of the image lies in the jpg at 4096: zeros stand for it, everybody is told, and the
 * hash is not the object's. */
static void unreadable_bytes_are_zeros_and_told(void **state)
{
    struct fixture *f = *state;
    struct db_object_cursor *cursor;
    struct db_object object;
    struct db_case *db;
    enum exit_status status;
    struct err err = { 0 };
    char got[TEXT_MAX];
    uint64_t bad;
    bool found;

    fixture_case(f, 1, "done");
    trouble.what = FAIL;
    trouble_at(f, 4608, 512);
    OK(FIXTURE_RUN(f, &command_carve, &status, &err, "--quiet", "--out", f->out, f->case_path));
    trouble.ino = 0;
    assert_int_equal(status, EXIT_PARTLY);
    fixture_shell(f,
                  "cd $F; (tail -c +4097 disk*raw | head -c 512; head -c 512 /dev/zero; tail -c "
                  "+5121 disk*raw | "
                  "head -c 3976) 2>/dev/null | cmp - out/jpg/0000000000001000.jpg; cat stderr; cat "
                  "out/audit.txt | "
                  "awk '/ unreadable$/ { print $1, $9, $10, $11 }'; find out -type f | wc -l",
                  got);
    assert_string_equal(got, "burin: carve: object 1 at offset 4096: 512 of its 5000 bytes could "
                             "not be read; zeros stand "
                             "for them in jpg/0000000000001000.jpg\n"
                             "jpg/0000000000001000.jpg 512 bytes unreadable\n8\n");
    report_is_whole(f, "out");
    fixture_shell(f, "grep -o '<burin:unreadable_bytes>[0-9]*' $F/out/report.xml", got);
    assert_string_equal(got, "<burin:unreadable_bytes>512\n");

    OK(db_case_open(f->case_path, DB_READ, &db, &err));
    OK(db_bad_bytes(db, 1, 0, FIXTURE_IMAGE, &bad, &err));
    assert_int_equal(bad, 512);
    OK(db_objects_open(db, 0, &cursor, &err));
    OK(db_objects_next(cursor, &found, &object, &err));
    assert_int_equal(object.id, 1);
    assert_null(object.sha256);
    db_objects_close(cursor);
    db_case_close(db);
}

/* What the scan could not read is told again, also when it can be read now, and is not recorded
 * twice. */
static void bytes_known_to_be_bad_are_told_again(void **state)
{
    const struct db_bad_range bad = { 1, 4608, 512, EIO, "read", '-' };
    struct fixture *f = *state;
    struct db_totals totals;
    struct db_case *db;
    enum exit_status status;
    struct err err = { 0 };

    fixture_case(f, 1, "done");
    OK(db_case_open(f->case_path, DB_WRITE, &db, &err));
    OK(db_bad_range_add(db, 1, &bad, &err));
    db_case_close(db);
    OK(FIXTURE_RUN(f, &command_carve, &status, &err, "--quiet", "--out", f->out, f->case_path));
    assert_int_equal(status, EXIT_PARTLY);
    OK(db_case_open(f->case_path, DB_READ, &db, &err));
    OK(db_totals(db, 0, &totals, &err));
    assert_int_equal(totals.bad_ranges, 1);
    db_case_close(db);
}

/* An object that is larger than a file may be here is one failure among the rest. */
static void what_cannot_be_written_is_listed(void **state)
{
    const struct db_extent extent = { 300000, 600000 };
    const struct db_object object = {
        .id = 9,
        .image_id = 1,
        .signature_id = 1,
        .type = "jpg",
        .extension = "jpg",
        .state = "complete",
        .reason = "x",
        .validated = true,
        .offset = 300000,
        .len = 600000,
        .extents = &extent,
        .extent_count = 1,
        .name = "jpg/x",
    };
    struct fixture *f = *state;
    struct rlimit before, limit;
    struct db_case *db;
    enum exit_status status;
    struct err err = { 0 };
    char got[TEXT_MAX];

    signal(SIGXFSZ, SIG_IGN);
    fixture_case(f, 1, "done");
    OK(db_case_open(f->case_path, DB_WRITE, &db, &err));
    OK(db_begin(db, &err));
    fixture_object(db, &object);
    OK(db_commit(db, &err));
    db_case_close(db);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 590000; /* enough for the reserve and the case file */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const enum err_code rc =
        FIXTURE_RUN(f, &command_carve, &status, &err, "--quiet", "--out", f->out, f->case_path);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(rc, ERR_OK);
    assert_int_equal(status, EXIT_PARTLY);
    fixture_shell(f,
                  "sed \"s#$F#F#g\" $F/stderr; find $F/out -name '*0000*' | wc -l; grep 'not "
                  "written' $F/out/audit.txt",
                  got);
    assert_string_equal(got, "burin: carve: object 9 at offset 300000: not written: "
                             "F/out/jpg/.00000000000493e0.jpg.part: "
                             "cannot write: File too large\n6\n6 files, 7020 bytes; 0 with "
                             "unreadable bytes; 1 not written\n");
    report_is_whole(f, "out");
    fixture_shell(f, "grep -c '<error>' $F/out/report.xml", got);
    assert_string_equal(got, "1\n");
}

/* A case says that a carve is done when the disk has its files, and not before. */
static void a_carve_is_done_when_the_disk_has_it(void **state)
{
    struct fixture *f = *state;
    enum exit_status status;
    struct err err = { 0 };
    char got[TEXT_MAX];

    fixture_case(f, 1, "done");
    fixture_shell(f, "mkdir $F/at.sync", got);
    at_sync.command = "cp $F/case* $F/at.sync/ && cp -r $F/out $F/at.sync/";
    OK(FIXTURE_RUN(f, &command_carve, &status, &err, "--quiet", "--no-jail", "--out", f->out,
                   f->case_path));
    assert_int_equal(status, EXIT_DONE);
    fixture_shell(f,
                  "cd $F; for c in at.sync/case case; do sqlite3 $c \"SELECT status FROM runs "
                  "WHERE command = 'carve'\"; done; diff -r out at.sync/out; "
                  "sqlite3 case 'SELECT count(*) FROM outputs'; find out -name '*0000*' | wc -l",
                  got);
    assert_string_equal(got, "running\ndone\n6\n6\n");
}

static void what_does_not_reach_the_disk_is_no_success(void **state)
{
    struct fixture *f = *state;
    enum exit_status status;
    struct err err = { 0 };
    char got[TEXT_MAX];

    fixture_case(f, 1, "done");
    at_sync.error = EIO;
    assert_int_equal(
        FIXTURE_RUN(f, &command_carve, &status, &err, "--quiet", "--out", f->out, f->case_path),
        ERR_ENV);
    assert_non_null(strstr(err.text, "did not reach the disk: Input/output error"));
    fixture_shell(f, "sqlite3 $F/case \"SELECT status FROM runs WHERE command = 'carve'\"", got);
    assert_string_equal(got, "failed\n");
}

/* Somebody else takes the rest of the disk when the object at 65536 is read. */
static void a_disk_that_runs_full_on_the_way(void **state)
{
    struct fixture *f = *state;
    enum exit_status status;
    struct err err = { 0 };
    char small[128], filler[256], out[256], got[TEXT_MAX];

    snprintf(small, sizeof small, "%s/small", f->folder);
    snprintf(filler, sizeof filler, "%s/filler", small);
    snprintf(out, sizeof out, "%s/out", small);
    fixture_case(f, 1, "done");
    assert_int_equal(mkdir(small, 0700), 0);
    if (mount("tmpfs", small, "tmpfs", 0, "size=1m") != 0)
        skip(); /* only root may */
    trouble.what = FILL;
    trouble.filler = filler;
    trouble_at(f, 65536, 1);
    const enum err_code rc = FIXTURE_RUN(f, &command_carve, &status, &err, "--quiet", "--threads",
                                         "1", "--out", out, f->case_path);
    fixture_shell(f,
                  "cd $F/small/out; find . -type f | sort; sed -n 's/^Status: .*No space.*/full/p; "
                  "s/^Completed.*/end/p; "
                  "/^jpg/s/ .*//p; /^png/p' audit.txt; rm ../filler; cp audit.txt report.xml $F",
                  got);
    char *kept = strdup(got);
    umount(small);
    assert_int_equal(rc, ERR_ENV);
    assert_non_null(strstr(err.text, "No space left on device"));
    assert_non_null(strstr(err.text, "1 whole files"));
    assert_string_equal(kept, "./audit.txt\n./jpg/0000000000001000.jpg\n./report.xml\njpg/"
                              "0000000000001000.jpg\nfull\nend\n");
    free(kept);
    report_is_whole(f, ".");
    fixture_shell(f,
                  "command -v sqlite3 >/dev/null || exit 0; sqlite3 $F/case \"SELECT status FROM "
                  "runs WHERE command = 'carve'; "
                  "SELECT count(*) FROM outputs\"",
                  got);
    if (got[0] != '\0')
        assert_string_equal(got, "failed\n1\n");
}

/* Comes last: the flag of a signal stays. */
static void a_signal_on_the_way(void **state)
{
    struct fixture *f = *state;
    enum exit_status status;
    struct err err = { 0 };
    char got[TEXT_MAX];

    OK(interrupt_install(&err));
    fixture_case(f, 1, "done");
    trouble.what = SIGNAL;
    trouble_at(f, 131200, 1);
    assert_int_equal(FIXTURE_RUN(f, &command_carve, &status, &err, "--quiet", "--threads", "1",
                                 "--out", f->out, f->case_path),
                     ERR_INTERRUPTED);
    fixture_shell(f, "cd $F/out; find . -type f | sort; grep -c '^Status: interrupted' audit.txt",
                  got);
    assert_string_equal(got, "./audit.txt\n./gif/0000000000020080.gif\n./jpg/0000000000001000.jpg\n"
                             "./png/0000000000010000.png\n./report.xml\n1\n");
    report_is_whole(f, "out");
    fixture_shell(f,
                  "command -v sqlite3 >/dev/null || exit 0; sqlite3 $F/case \"SELECT status FROM "
                  "runs WHERE command = 'carve'\"",
                  got);
    if (got[0] != '\0')
        assert_string_equal(got, "interrupted\n");
    /* And before anything is written: no folder is left. */
    fixture_shell(f, "rm -r $F/out", got);
    raise(SIGTERM);
    assert_int_equal(FIXTURE_RUN(f, &command_carve, &status, &err, "--out", f->out, f->case_path),
                     ERR_INTERRUPTED);
    assert_int_equal(access(f->out, F_OK), -1);
}

#define TROUBLE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TROUBLE_TEST(unreadable_bytes_are_zeros_and_told),
        TROUBLE_TEST(bytes_known_to_be_bad_are_told_again),
        TROUBLE_TEST(what_cannot_be_written_is_listed),
        TROUBLE_TEST(a_carve_is_done_when_the_disk_has_it),
        TROUBLE_TEST(what_does_not_reach_the_disk_is_no_success),
        TROUBLE_TEST(a_disk_that_runs_full_on_the_way),
        TROUBLE_TEST(a_signal_on_the_way),
    };
    return cmocka_run_group_tests_name("carve in trouble", tests, NULL, NULL);
}
