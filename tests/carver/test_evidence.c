/*
 * tests/carver/test_evidence.c - which outputs are on the evidence.
 *
 * The devices are made up: a sysfs of our own in a folder, laid out as Linux does (Documentation/ABI/testing/sysfs-block, sysfs-dev).
 * The evidence is a plain file, which a loop device stands on.
 */
#include "tests/carver/carve_fixture.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "carver/evidence.h"

/* A loop device 7:0 over the image of the fixture; a volume 253:0 on it; a disk 8:16 with nothing of it. */
static void make_sysfs(const struct fixture *f)
{
    char got[65536];

    fixture_shell(
        f,
        "cd $F && mkdir -p sys/dev/block sys/devices/loop0/loop sys/devices/loop0/loop0p1 sys/devices/dm-0/slaves "
        "sys/devices/sdb/sdb1 && "
        "echo 7:0 >sys/devices/loop0/dev && echo 259:1 >sys/devices/loop0/loop0p1/dev && "
        "echo 1 >sys/devices/loop0/loop0p1/partition && echo \"$F/disk image.raw\" "
        ">sys/devices/loop0/loop/backing_file && "
        "echo 253:0 >sys/devices/dm-0/dev && ln -s ../../loop0/loop0p1 sys/devices/dm-0/slaves/loop0p1 && "
        "echo 8:16 >sys/devices/sdb/dev && echo 8:17 >sys/devices/sdb/sdb1/dev && echo 1 "
        ">sys/devices/sdb/sdb1/partition && "
        "for d in 7:0=loop0 259:1=loop0/loop0p1 253:0=dm-0 8:16=sdb 8:17=sdb/sdb1; do "
        "ln -s ../../devices/${d#*=} sys/dev/block/${d%=*}; done",
        got);
}

static void what_stands_on_the_evidence_is_found(void **state)
{
    static const struct {
        unsigned major, minor;
        bool want;
    } rows[] = {
        { 7, 0, true }, { 259, 1, true }, { 253, 0, true }, { 8, 16, false }, { 8, 17, false }, { 9, 9, false }
    };
    struct fixture *f = *state;
    struct io_image *image;
    struct err err = { 0 };
    char sysfs[128];

    make_sysfs(f);
    snprintf(sysfs, sizeof sysfs, "%s/sys", f->folder);
    OK(io_image_open(f->image, &image, &err));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (evidence_holds_device(sysfs, image, makedev(rows[i].major, rows[i].minor)) != rows[i].want)
            fail_msg("%u:%u", rows[i].major, rows[i].minor);
    io_image_close(image);
}

/* Links that lead in a circle end. */
static void circles_end(void **state)
{
    struct fixture *f = *state;
    struct io_image *image;
    struct err err = { 0 };
    char sysfs[128], got[65536];

    make_sysfs(f);
    fixture_shell(f,
                  "cd $F/sys/devices && mkdir sdb/slaves dm-1 dm-1/slaves && echo 253:1 >dm-1/dev && ln -s ../../dm-1 "
                  "sdb/slaves/dm-1 "
                  "&& ln -s ../../sdb dm-1/slaves/sdb && ln -s ../../devices/dm-1 ../dev/block/253:1",
                  got);
    snprintf(sysfs, sizeof sysfs, "%s/sys", f->folder);
    OK(io_image_open(f->image, &image, &err));
    assert_false(evidence_holds_device(sysfs, image, makedev(8, 17)));
    io_image_close(image);
}

static void outputs(void **state)
{
    struct fixture *f = *state;
    struct io_image *image;
    struct err err = { 0 };
    char path[3][128];

    OK(io_image_open(f->image, &image, &err));
    snprintf(path[0], sizeof path[0], "%s/second name", f->folder);
    snprintf(path[1], sizeof path[1], "%s/link", f->folder);
    snprintf(path[2], sizeof path[2], "%s/none/at/all", f->folder);
    assert_int_equal(link(f->image, path[0]), 0);
    assert_int_equal(symlink(f->image, path[1]), 0);
    assert_int_equal(evidence_refuse_output(image, f->image, "x", &err), ERR_INPUT);
    assert_int_equal(evidence_refuse_output(image, path[0], "x", &err), ERR_INPUT);
    assert_int_equal(evidence_refuse_output(image, path[1], "the case file", &err), ERR_INPUT);
    assert_non_null(strstr(err.text, "the case file"));
    OK(evidence_refuse_output(image, f->out, "x", &err));
    OK(evidence_refuse_output(image, path[2], "x", &err));
    OK(evidence_refuse_output(image, "relative", "x", &err));
    io_image_close(image);
}

#define EVIDENCE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EVIDENCE_TEST(what_stands_on_the_evidence_is_found),
        EVIDENCE_TEST(circles_end),
        EVIDENCE_TEST(outputs),
    };
    return cmocka_run_group_tests_name("evidence", tests, NULL, NULL);
}
