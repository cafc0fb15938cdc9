/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/case/test_evidence.c - which outputs are on the evidence.
 *
 * The devices are made up: a sysfs of our own in a folder, laid out as Linux does
 * (Documentation/ABI/testing/sysfs-block, sysfs-dev). The evidence is a plain file, which a loop
 * device stands on.
 */
#include "tests/carver/carve_fixture.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "carver/case/evidence.h"
#include "carver/case/evidence_system.h"

/* What stands in the folder of the fixture is asked as the kernel's tables are. */
struct system {
    const struct fixture *f;
    char sysfs[128], mountinfo[128];
    struct evidence_system tables;
    struct io_image *image;
};

/* The folders that the made-up table of mounts names, and where they lie. */
static const struct {
    const char *path;
    struct evidence_place place;
} places[] = {
    { "/ev/plain", { 0, 0, "" } },    { "/ev/upper on it", { 1, 0, "" } },
    { "/ev/lower\n", { 20, 0, "" } }, { "/ev/circle", { 12, 0, "" } },
    { "/ev/memory", { 13, 0, "" } },
};

static bool place_of(const char *path, struct evidence_place *out)
{
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (strcmp(places[i].path, path) == 0) {
            *out = places[i].place;
            out->dev = i == 1 ? makedev(7, 0) : i == 2 ? makedev(8, 17) : out->dev;
            return true;
        }
    return false;
}

/*
 * A loop device 7:0 over the image of the fixture, with a partition; a volume 253:0 on it; a disk
 * 8:16 with nothing of it; nbd, which tells nothing; a volume 253:7 on the disk and nbd; disks in
 * memory; a loop device over a file that cannot be found, and one over a file on the evidence.
 */
static void make_sysfs(const struct fixture *f)
{
    char got[65536];

    fixture_shell(
        f,
        "mkdir -p $F/sys/dev/block $F/sys/devices && cd $F/sys/devices && "
        "mkdir -p loop0/loop loop0/loop0p1 loop0/slaves dm-0/slaves sdb/sdb1 sdb/device sdb/slaves "
        "nbd0/slaves "
        "dm-7/slaves "
        "ram0 zram0 zram1 loop1/loop loop2/loop && "
        "echo 7:0 >loop0/dev && echo 259:1 >loop0/loop0p1/dev && echo 1 >loop0/loop0p1/partition "
        "&& "
        "echo \"$F/disk image.raw\" >loop0/loop/backing_file && "
        "echo 253:0 >dm-0/dev && ln -s ../../loop0/loop0p1 dm-0/slaves/loop0p1 && "
        "echo 8:16 >sdb/dev && echo 8:17 >sdb/sdb1/dev && echo 1 >sdb/sdb1/partition && "
        "echo 43:0 >nbd0/dev && "
        "echo 253:7 >dm-7/dev && ln -s ../../nbd0 dm-7/slaves/nbd0 && ln -s ../../sdb "
        "dm-7/slaves/sdb && "
        "echo 1:0 >ram0/dev && echo 252:0 >zram0/dev && echo none >zram0/backing_dev && echo 0 "
        ">zram0/mm_stat && "
        "echo 252:1 >zram1/dev && echo /dev/loop0 >zram1/backing_dev && echo 0 >zram1/mm_stat && "
        "echo 7:1 >loop1/dev && echo '/gone/file (deleted)' >loop1/loop/backing_file && "
        "echo 7:2 >loop2/dev && echo '/ev/upper on it' >loop2/loop/backing_file && "
        "for d in 7:0=loop0 259:1=loop0/loop0p1 253:0=dm-0 8:16=sdb 8:17=sdb/sdb1 43:0=nbd0 "
        "253:7=dm-7 1:0=ram0 "
        "252:0=zram0 252:1=zram1 7:1=loop1 7:2=loop2; do "
        "ln -s ../../devices/${d#*=} ../dev/block/${d%=*}; done && "
        /*
         * btrfs: of two devices with the evidence second, of one that is apart, of one that sysfs
         * does not have
         */
        "mkdir -p ../fs/btrfs/two/devices ../fs/btrfs/apart/devices ../fs/btrfs/lost/devices && "
        "ln -s ../../../../devices/sdb/sdb1 ../fs/btrfs/two/devices/sdb1 && "
        "ln -s ../../../../devices/dm-0 ../fs/btrfs/two/devices/dm-0 && "
        "ln -s ../../../../devices/sdb/sdb1 ../fs/btrfs/apart/devices/sdb1 && "
        "ln -s ../../../../devices/sdc ../fs/btrfs/lost/devices/sdc",
        got);
}

/* Mounts 1 to 20, in an order that no prefix of a path explains. */
static const char mounts[] =
    "1 0 0:40 / /ev rw - tmpfs none rw\n"
    "2 1 0:41 / /ev/My\\040Passport rw,relatime shared:7 master:1 - btrfs /dev/sdb1 rw,subvol=/\n"
    "3 1 0:42 / /ev/tab\\011line\\012back\\134040 rw - btrfs /dev/sdb1 rw\n"
    "4 1 0:43 / /ev/lost rw - btrfs /dev/sdb1 rw\n"
    "5 1 0:44 / /ev/o1 rw - overlay overlay "
    "rw,lowerdir=/ev/plain,upperdir=/ev/upper\\040on\\040it,workdir=/ev/memory\n"
    "6 1 0:44 / /ev/o2 rw - overlay overlay "
    "rw,lowerdir=/ev/upper\\040on\\040it,upperdir=/ev/memory,workdir=/ev/memory\n"
    "7 1 0:44 / /ev/o3 rw - overlay overlay "
    "rw,upperdir=/ev/memory,workdir=/ev/upper\\040on\\040it\n"
    "8 1 0:44 / /ev/o4 rw - overlay overlay rw,upperdir=/ev/lower\\012,workdir=/ev/lower\\012\n"
    "9 1 0:44 / /ev/o5 rw - overlay overlay rw,upperdir=/not/in/this/container,workdir=/ev/memory\n"
    "10 1 0:44 / /ev/o6 rw - overlay overlay rw,upperdir=up,workdir=work\n"
    "11 1 0:44 / /ev/o7 ro - overlay overlay ro,lowerdir=/a:/b\n"
    "12 1 0:44 / /ev/circle rw - overlay overlay rw,upperdir=/ev/circle,workdir=/ev/circle\n"
    "13 1 0:45 / /ev/memory rw - tmpfs  rw,size=1k\n"
    "14 1 0:46 / /ev/nfs rw - nfs4 host:/ rw\n"
    "15 1 0:47 / /ev/zfs rw - zfs tank/home rw\n"
    "16 1 0:48 / /ev/fuse rw - fuse.mergerfs a:b rw\n"
    "17 1 0:49 / /ev/ecrypt rw - ecryptfs /ev/upper\\040on\\040it rw\n"
    "18 1 0:50 / /ev/cut rw -\n"
    "118 1 0:50 / /ev/other rw - tmpfs none rw\n";

static void open_system(struct system *s, const struct fixture *f)
{
    struct err err = { 0 };

    make_sysfs(f);
    s->f = f;
    snprintf(s->sysfs, sizeof s->sysfs, "%s/sys", f->folder);
    snprintf(s->mountinfo, sizeof s->mountinfo, "%s/mountinfo", f->folder);
    assert_int_equal(fixture_write(s->mountinfo, (const uint8_t *)mounts, sizeof mounts - 1), 0);
    s->tables = (struct evidence_system){ s->sysfs, s->mountinfo, place_of };
    OK(io_image_open(f->image, NULL, &s->image, &err));
}

static void what_stands_on_the_evidence_is_found(void **state)
{
    static const struct {
        unsigned major, minor;
        enum evidence_answer want;
    } rows[] = {
        { 7, 0, EVIDENCE_ON_IT },     { 259, 1, EVIDENCE_ON_IT },
        { 253, 0, EVIDENCE_ON_IT },   { 8, 16, EVIDENCE_APART },
        { 8, 17, EVIDENCE_APART },    { 9, 9, EVIDENCE_UNKNOWN },   /* not in sysfs */
        { 43, 0, EVIDENCE_UNKNOWN },  { 253, 7, EVIDENCE_UNKNOWN }, /* nbd, and a volume with it */
        { 1, 0, EVIDENCE_APART },     { 252, 0, EVIDENCE_APART },
        { 252, 1, EVIDENCE_UNKNOWN }, { 7, 1, EVIDENCE_UNKNOWN },
        { 7, 2, EVIDENCE_ON_IT },
    };
    struct system s;

    open_system(&s, *state);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (evidence_of_device(&s.tables, s.image, makedev(rows[i].major, rows[i].minor), 0) !=
            rows[i].want)
            fail_msg("%u:%u", rows[i].major, rows[i].minor);
    assert_true(evidence_has_device(&s.tables, s.image)); /* loop0 */
    io_image_close(s.image);
}

/* The table of mounts is asked by the number of the mount. */
static void mounts_are_followed(void **state)
{
    static const struct {
        struct evidence_place place;
        enum evidence_answer want;
        const char *type;
    } rows[] = {
        { { 1, 0, "" }, EVIDENCE_APART, "tmpfs" },
        { { 2, 0, "two" }, EVIDENCE_ON_IT, "btrfs" }, /* the second device of raid1 */
        { { 3, 0, "two" }, EVIDENCE_ON_IT, "btrfs" },
        { { 2, 0, "apart" }, EVIDENCE_APART, "btrfs" },
        { { 3, 0, "apart" }, EVIDENCE_APART, "btrfs" },
        { { 4, 0, "lost" }, EVIDENCE_UNKNOWN, "btrfs" },
        { { 4, 0, "not in sysfs" }, EVIDENCE_UNKNOWN, "btrfs" },
        { { 4, 0, "" }, EVIDENCE_UNKNOWN, "btrfs" },
        { { 5, 0, "" }, EVIDENCE_ON_IT, "overlay" },
        { { 6, 0, "" }, EVIDENCE_APART, "overlay" }, /* it is only read */
        { { 7, 0, "" }, EVIDENCE_ON_IT, "overlay" },
        { { 8, 0, "" }, EVIDENCE_APART, "overlay" },
        { { 9, 0, "" }, EVIDENCE_UNKNOWN, "overlay" },
        { { 10, 0, "" }, EVIDENCE_UNKNOWN, "overlay" },
        { { 11, 0, "" }, EVIDENCE_APART, "overlay" },
        { { 12, 0, "" }, EVIDENCE_UNKNOWN, "overlay" },
        { { 13, 0, "" }, EVIDENCE_APART, "tmpfs" }, /* its source is "" */
        { { 14, 0, "" }, EVIDENCE_APART, "nfs4" },
        { { 15, 0, "" }, EVIDENCE_UNKNOWN, "zfs" },
        { { 16, 0, "" }, EVIDENCE_UNKNOWN, "fuse.mergerfs" },
        { { 17, 0, "" }, EVIDENCE_ON_IT, "ecryptfs" },
        { { 18, 0, "" }, EVIDENCE_UNKNOWN, "" },
        { { 99, 0, "" }, EVIDENCE_UNKNOWN, "" },
        { { 0, 0, "" }, EVIDENCE_UNKNOWN, "" },
    };
    char type[EVIDENCE_TYPE_TEXT];
    struct system s;

    open_system(&s, *state);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const enum evidence_answer got =
            evidence_of_place(&s.tables, s.image, &rows[i].place, 0, type);

        if (got != rows[i].want || strcmp(type, rows[i].type) != 0)
            fail_msg("row %zu, mount %llu: %d, \"%s\"", i, (unsigned long long)rows[i].place.mount,
                     got, type);
    }
    io_image_close(s.image);
}

/*
 * A file without a loop device over it: where it is not known where something is written, it is not
 * the evidence.
 */
static void a_file_alone_is_no_device(void **state)
{
    const struct fixture *f = *state;
    struct system s;
    char got[65536];

    open_system(&s, f);
    fixture_shell(f, "echo /other/file >$F/sys/devices/loop0/loop/backing_file", got);
    assert_false(evidence_has_device(&s.tables, s.image));
    s.tables.sysfs = "/nowhere";
    assert_false(evidence_has_device(&s.tables, s.image));
    io_image_close(s.image);
}

/* The name of a loop device's file may hold line feeds. */
static void the_whole_name_of_a_file_counts(void **state)
{
    const struct fixture *f = *state;
    struct err err = { 0 };
    struct system s;
    char got[65536], path[128];

    open_system(&s, f);
    io_image_close(s.image);
    snprintf(path, sizeof path, "%s/two\nlines", f->folder);
    assert_int_equal(rename(f->image, path), 0);
    fixture_shell(f, "printf '%s/two\\nlines\\n' \"$F\" >$F/sys/devices/loop0/loop/backing_file",
                  got);
    OK(io_image_open(path, NULL, &s.image, &err));
    assert_int_equal(evidence_of_device(&s.tables, s.image, makedev(7, 0), 0), EVIDENCE_ON_IT);
    io_image_close(s.image);
}

/* Links that lead in a circle end, without an answer. */
static void circles_end(void **state)
{
    struct fixture *f = *state;
    char got[65536];
    struct system s;

    open_system(&s, f);
    fixture_shell(
        f,
        "cd $F/sys/devices && mkdir dm-1 dm-1/slaves && echo 253:1 >dm-1/dev && ln -s ../../dm-1 "
        "sdb/slaves/dm-1 "
        "&& ln -s ../../sdb dm-1/slaves/sdb && ln -s ../../devices/dm-1 ../dev/block/253:1",
        got);
    assert_int_equal(evidence_of_device(&s.tables, s.image, makedev(8, 17), 0), EVIDENCE_UNKNOWN);
    io_image_close(s.image);
}

/* The kernel of this machine: a folder lies on a mount that its table has. */
static void the_kernel_is_asked(void **state)
{
    struct fixture *f = *state;
    struct evidence_place place;
    struct stat info;
    char command[160], got[65536];

    assert_true(evidence_place(f->folder, &place));
    assert_int_equal(stat(f->folder, &info), 0);
    assert_int_equal(place.dev, info.st_dev);
    assert_true(place.mount != 0);
    snprintf(command, sizeof command, "grep -c '^%llu ' /proc/self/mountinfo",
             (unsigned long long)place.mount);
    fixture_shell(f, command, got);
    assert_string_equal(got, "1\n");
    assert_false(evidence_place("/nowhere/at/all", &place));
}

static void outputs(void **state)
{
    struct fixture *f = *state;
    struct io_image *image;
    struct err err = { 0 };
    char path[3][128];

    OK(io_image_open(f->image, NULL, &image, &err));
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
        EVIDENCE_TEST(mounts_are_followed),
        EVIDENCE_TEST(a_file_alone_is_no_device),
        EVIDENCE_TEST(the_whole_name_of_a_file_counts),
        EVIDENCE_TEST(circles_end),
        EVIDENCE_TEST(the_kernel_is_asked),
        EVIDENCE_TEST(outputs),
    };
    return cmocka_run_group_tests_name("evidence", tests, NULL, NULL);
}
