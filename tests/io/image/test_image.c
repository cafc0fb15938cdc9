/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_image.c - what an image is, and what is refused.
 *
 * Method: each refusal is asked for its code and for the word in its message that names the cause.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "tests/io/lib_io.h"

struct folder {
    char path[64];
};

static int make(void **state)
{
    struct folder *folder = malloc(sizeof *folder);

    test_make_folder(folder->path);
    *state = folder;
    return 0;
}

static int clean(void **state)
{
    test_remove_folder(((struct folder *)*state)->path);
    free(*state);
    return 0;
}

/* Valid until the next call. */
static const char *in_folder(void **state, const char *name)
{
    static char path[128];

    snprintf(path, sizeof path, "%s/%s", ((struct folder *)*state)->path, name);
    return path;
}

static void refused(const char *path, const char *word)
{
    struct io_image *image;
    struct err err = { 0 };

    assert_int_equal(io_image_open(path, NULL, &image, &err), ERR_INPUT);
    assert_null(image);
    if (strstr(err.text, word) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.text, word);
}

static void a_raw_file_is_its_bytes(void **state)
{
    const char *path = in_folder(state, "a.dd");
    uint8_t *bytes = test_bytes(70001, 1), got[70001];
    struct io_image *image;
    struct io_span span;
    struct err err = { 0 };

    test_write_file(path, bytes, 70001);
    assert_int_equal(io_image_open(path, NULL, &image, &err), ERR_OK);
    assert_int_equal(io_image_size(image), 70001);
    assert_int_equal(io_image_sector_size(image), 512);
    assert_string_equal(io_image_format(image), "raw");
    assert_int_equal(io_image_part_count(image), 1);
    assert_string_equal(io_image_part_path(image, 0), path);
    assert_null(io_image_part_path(image, 1));
    assert_int_equal(io_image_read_at(image, 0, got, 70001, &err), ERR_OK);
    assert_memory_equal(got, bytes, 70001);
    assert_int_equal(io_image_read_at(image, 69999, got, 2, &err), ERR_OK);
    assert_memory_equal(got, bytes + 69999, 2);
    assert_int_equal(io_image_read_at(image, 70001, got, 0, &err), ERR_OK);
    assert_int_equal(io_image_read_at(image, 70001, got, 1, &err), ERR_ARG);
    assert_int_equal(io_image_read_at(image, UINT64_MAX, got, 2, &err), ERR_ARG);
    assert_true(io_image_map(image, 1000, &span));
    assert_int_equal(span.fd_offset, 1000);
    assert_int_equal(span.len, 69001);
    assert_false(io_image_map(image, 70001, &span));
    io_image_close(image);
    free(bytes);
}

static void a_file_of_one_byte_is_an_image(void **state)
{
    struct io_image *image;
    struct err err = { 0 };
    uint8_t got = 0;

    test_write_file(in_folder(state, "one"), "Q", 1);
    assert_int_equal(io_image_open(in_folder(state, "one"), NULL, &image, &err), ERR_OK);
    assert_int_equal(io_image_size(image), 1);
    assert_int_equal(io_image_read_at(image, 0, &got, 1, &err), ERR_OK);
    assert_int_equal(got, 'Q');
    io_image_close(image);
}

static void what_is_no_image_is_refused(void **state)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    refused("-", "standard input");
    refused(in_folder(state, "missing"), "No such file");
    refused(in_folder(state, ""), "directory");
    test_write_file(in_folder(state, "empty"), "", 0);
    refused(in_folder(state, "empty"), "empty");
    assert_int_equal(mkfifo(in_folder(state, "pipe"), 0600), 0);
    refused(in_folder(state, "pipe"), "pipe");
    refused("/dev/zero", "character device");
    const int s = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(strlen(in_folder(state, "socket")) < sizeof address.sun_path);
    memcpy(address.sun_path, in_folder(state, "socket"), strlen(in_folder(state, "socket")) + 1);
    assert_int_equal(bind(s, (struct sockaddr *)&address, sizeof address), 0);
    refused(address.sun_path, "socket");
    close(s);
}

/* A device may do something when it is opened, so what is no image is not opened even for a moment.
 */
static void what_is_no_image_is_not_opened(void **state)
{
    struct inotify_event event;
    const int events = inotify_init1(IN_NONBLOCK);

    assert_true(events >= 0);
    assert_int_equal(mkfifo(in_folder(state, "pipe"), 0600), 0);
    assert_true(inotify_add_watch(events, in_folder(state, "pipe"), IN_OPEN) >= 0);
    refused(in_folder(state, "pipe"), "pipe");
    assert_int_equal(read(events, &event, sizeof event), -1);
    assert_int_equal(errno, EAGAIN);
    close(open(in_folder(state, "pipe"), O_RDONLY | O_NONBLOCK)); /* which is seen */
    assert_int_equal(read(events, &event, sizeof event), sizeof event);
    close(events);
}

/* Root may read everything, so a child asks as nobody. */
static void an_unreadable_file_is_refused(void **state)
{
    char path[128];
    int status;

    snprintf(path, sizeof path, "%s", in_folder(state, "secret"));
    test_write_file(path, "x", 1);
    assert_int_equal(chmod(path, 0), 0);
    assert_int_equal(chmod(in_folder(state, ""), 0755), 0);
    const pid_t child = fork();
    if (child == 0) {
        struct io_image *image;
        struct err err = { 0 };

        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(2);
        _exit(io_image_open(path, NULL, &image, &err) == ERR_INPUT &&
                      strstr(err.text, "Permission denied")
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* The heads and tails that name a container, from the formats' descriptions. */
static void a_container_nobody_reads_is_refused_by_name(void **state)
{
    static const struct {
        const char *name, *bytes;
        size_t len, from_end; /* from_end 0: at the distance at */
        size_t at;
    } rows[] = {
        { "QCOW", "QFI\xfb\0\0\0\1", 8, 0, 0 },
        { "Ex01", "EVF2\r\n\x81", 7, 0, 0 },
        { "L01", "LVF\t\r\n\xff", 7, 0, 0 },
        { "Lx01", "LEF2\r\n\x81", 7, 0, 0 },
        { "Parallels", "WithoutFreeSpace", 16, 0, 0 },
        { "Parallels", "WithouFreSpacExt", 16, 0, 0 },
        { "dmg", "koly\0\0\0\4\0\0\2", 11, 512, 0 },
        { "sparseimage", "sprs\0\0\0\3", 8, 0, 0 },
        { "AD1", "ADSEGMENTEDFILE", 15, 0, 0 },
        { "encrypted dmg", "encrcdsa", 8, 0, 0 },
        { "QED", "QED", 3, 0, 0 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t *bytes = calloc(1, 9000);
        char words[64];

        memcpy(bytes + (rows[i].from_end ? 9000 - rows[i].from_end : rows[i].at), rows[i].bytes,
               rows[i].len);
        test_write_file(in_folder(state, "container"), bytes, 9000);
        snprintf(words, sizeof words, "its container, %s,", rows[i].name);
        refused(in_folder(state, "container"), words);
        free(bytes);
    }
}

static void an_aff4_zip_is_named_and_what_is_no_zip_is_raw(void **state)
{
    static const char zip[] =
        "PK\3\4\24\0\0\0\0\0..........................a.txt..........PK\5\6....";
    static const char aff4[] =
        "PK\3\4\24\0\0\0\0\0..........................information.turtle......PK\5\6....";
    struct io_image *image;
    struct err err = { 0 };

    test_write_file(in_folder(state, "a.zip"), zip, sizeof zip);
    assert_int_equal(io_image_open(in_folder(state, "a.zip"), NULL, &image, &err), ERR_OK);
    assert_string_equal(io_image_format(image), "raw");
    io_image_close(image);
    test_write_file(in_folder(state, "a.aff4"), aff4, sizeof aff4);
    refused(in_folder(state, "a.aff4"), "no directory stands at its end");
}

static void opens_as(const char *path, const char *type, const char *format, uint64_t size)
{
    struct io_image *image;
    struct err err = { 0 };

    if (io_image_open(path, type, &image, &err) != ERR_OK)
        fail_msg("%s as %s: %s", path, type, err.text);
    assert_string_equal(io_image_format(image), format);
    assert_int_equal(io_image_size(image), size);
    io_image_close(image);
}

/* What the tools of each format wrote, as tests of the signatures have it. */
static void a_compressed_file_is_refused_by_name(void **state)
{
    static const struct {
        const char *sample, *words;
    } rows[] = {
        { "gzip/text.gz", "gzip, cannot be read here; unpack it: gzip -dc IMAGE > OUT" },
        { "bzip2/words.bz2", "bzip2, cannot be read here; unpack it: bzip2 -dc IMAGE > OUT" },
        { "bzip2/empty.bz2", "bzip2, cannot" },
        { "xz/words.xz", "xz, cannot be read here; unpack it: xz -dc IMAGE > OUT" },
        { "xz/empty.xz", "xz, cannot" },
        { "xz/blocks.xz", "xz, cannot" },
        { "zstd/words.zst", "zstd, cannot be read here; unpack it: zstd -dc IMAGE > OUT" },
        { "zstd/sized.zst", "zstd, cannot" },
        { "lz4/words.lz4", "lz4, cannot be read here; unpack it: lz4 -dc IMAGE > OUT" },
        { "lz4/sized.lz4", "lz4, cannot" },
        { "lz4/legacy.lz4", "lz4, cannot" },
        { "lzma/text.lzma",
          "lzma, cannot be read here; unpack it: xz -dc --format=lzma IMAGE > OUT" },
        { "lzma/sized.lzma", "lzma, cannot" },
        { "lzip/words.lz", "lzip, cannot be read here; unpack it: lzip -dc IMAGE > OUT" },
        { "lzip/empty.lz", "lzip, cannot" },
        { "compress/text.z", "compress, cannot be read here; unpack it: gzip -dc IMAGE > OUT" },
        { "compress/twelve.z", "compress, cannot" },
        { "zip/two.zip", "zip, cannot be read here; unpack it: unzip IMAGE" },
        { "sevenzip/copy.7z", "7z, cannot be read here; unpack it: 7z x IMAGE" },
        { "sevenzip/encrypted.7z", "7z, cannot" },
        { "sevenzip/lzma2.7z", "7z, cannot" },
        { "rar/version3.rar", "rar, cannot be read here; unpack it: unrar x IMAGE" },
        { "rar/version5.rar", "rar, cannot" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char path[128];

        snprintf(path, sizeof path, "tests/samples/%s", rows[i].sample);
        refused(path, rows[i].words);
    }
}

/* A disk may begin with the bytes of a magic; what a format does not allow behind them says so. */
static void what_only_begins_like_a_compressed_file_is_raw(void **state)
{
    static const struct {
        const char *sample;
        size_t at;
        uint8_t value; /* is put there */
    } rows[] = {
        { "gzip/text.gz", 2, 7 },       /* method: reserved */
        { "gzip/text.gz", 3, 0x20 },    /* a flag that there is not */
        { "bzip2/words.bz2", 3, '0' },  /* level */
        { "bzip2/words.bz2", 9, 0x58 }, /* magic of a block */
        { "xz/words.xz", 8, 0 },        /* CRC-32 of the flags */
        { "zstd/words.zst", 4, 0x08 },  /* a flag that there is not */
        { "lz4/words.lz4", 4, 0x80 },   /* version 2 */
        { "lz4/words.lz4", 5, 0x30 },   /* blocks of a size that there is not */
        { "lz4/legacy.lz4", 7, 0x80 },  /* a block of 2 GiB */
        { "lzma/text.lzma", 13, 1 },    /* the range coder begins with 0 */
        { "lzma/text.lzma", 4, 1 },     /* a dictionary of 16 MiB and some */
        { "lzip/words.lz", 5, 31 },     /* a dictionary of 2 GiB */
        { "compress/text.z", 2, 0x97 }, /* codes of 23 bits */
        { "compress/text.z", 4, 0xff }, /* the first code is not a byte */
        { "zip/two.zip", 4, 0xff },     /* version 25.5 */
        { "zip/two.zip", 8, 50 },       /* a method that there is not */
        { "zip/two.zip", 27, 0xff },    /* a name that is longer than the file */
        { "zip/two.zip", 32, 0 },       /* a name with a byte 0 */
        { "sevenzip/copy.7z", 8, 0 },   /* CRC-32 of the start header */
    };
    char path[128], copy[128];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t bytes[65536];
        struct io_image *image;
        struct err err = { 0 };

        snprintf(path, sizeof path, "tests/samples/%s", rows[i].sample);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        const size_t len = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        assert_true(len > rows[i].at && bytes[rows[i].at] != rows[i].value);
        bytes[rows[i].at] = rows[i].value;
        snprintf(copy, sizeof copy, "%s", in_folder(state, "copy"));
        test_write_file(copy, bytes, len);
        if (io_image_open(copy, NULL, &image, &err) != ERR_OK)
            fail_msg("%s with %02x at %zu: %s", rows[i].sample, rows[i].value, rows[i].at,
                     err.text);
        assert_string_equal(io_image_format(image), "raw");
        io_image_close(image);
    }
}

/* As 7z cuts its own archives: the first part has the header, whichever part is given. */
static void an_archive_in_parts(void **state)
{
    static const char parts[] = "its container, 7z, cannot be read here; join its parts (cat PARTS "
                                "> IMAGE), then unpack it: 7z x";
    uint8_t bytes[65536];
    FILE *file = fopen("tests/samples/sevenzip/copy.7z", "rb");

    assert_non_null(file);
    const size_t len = fread(bytes, 1, sizeof bytes, file), half = (len + 1) / 2;
    fclose(file);
    test_write_file(in_folder(state, "disk.7z.001"), bytes, half);
    test_write_file(in_folder(state, "disk.7z.002"), bytes + half, len - half);
    refused(in_folder(state, "disk.7z.001"), parts);
    refused(in_folder(state, "disk.7z.002"), parts);
    opens_as(in_folder(state, "disk.7z.002"), "raw", "split raw", len);
}

/* Frames that zstd and lz4 skip come first in what parallel and seekable writers make. */
static void skipped_frames_before_a_compressed_one(void **state)
{
    static const uint8_t zstd[] = { 0x50, 0x2a, 0x4d, 0x18, 4,    0, 0, 0, 9, 9,
                                    9,    9, /* 4 bytes are skipped */
                                    0x28, 0xb5, 0x2f, 0xfd, 0x24, 1, 9, 0, 0, 'x' };
    static const uint8_t lz4[] = { 0x5f, 0x2a, 0x4d, 0x18, 0,    0,    0,    0, /* 0 bytes are */
                                   0x04, 0x22, 0x4d, 0x18, 0x64, 0x40, 0xa7, 0, 0, 0, 0 };
    static const uint8_t none[] = { 0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 9, 9,
                                    9,    9,    1,    2,    3, 4, 5, 6, 7, 8 };

    test_write_file(in_folder(state, "zstd"), zstd, sizeof zstd);
    refused(in_folder(state, "zstd"), "zstd or lz4, cannot");
    test_write_file(in_folder(state, "lz4"), lz4, sizeof lz4);
    refused(in_folder(state, "lz4"), "zstd or lz4, cannot");
    test_write_file(in_folder(state, "none"), none, sizeof none);
    opens_as(in_folder(state, "none"), NULL, "raw", sizeof none);
}

static void refused_as(const char *path, const char *type, const char *word)
{
    struct io_image *image;
    struct err err = { 0 };

    assert_int_equal(io_image_open(path, type, &image, &err), ERR_INPUT);
    assert_null(image);
    if (strstr(err.text, word) == NULL)
        fail_msg("as %s: \"%s\" does not say \"%s\"", type, err.text, word);
}

static void what_is_asked_for_is_opened_whatever_the_content(void **state)
{
    static const char qcow[] =
        "QFI\xfb\0\0\0\1.........................................................";
    uint8_t *noise = test_bytes(8192, 4);
    struct io_image *image;
    struct err err = { 0 };

    test_write_file(in_folder(state, "disk"), qcow, sizeof qcow);
    test_write_file(in_folder(state, "noise.raw"), noise, 8192);
    refused(in_folder(state, "disk"), "--image-type raw");
    refused_as(in_folder(state, "disk"), "auto", "QCOW");
    opens_as(in_folder(state, "disk"), "raw", "raw", sizeof qcow);
    opens_as(in_folder(state, "disk"), "split raw", "raw", sizeof qcow); /* formats are types too */
    opens_as(in_folder(state, "disk"), "block device", "raw", sizeof qcow);
    /* And nothing is taken for raw bytes that was asked for as something else. */
    refused_as(in_folder(state, "noise.raw"), "ewf", "E01");
    refused_as(in_folder(state, "noise.raw"), "E01", "E01");
    refused_as(in_folder(state, "noise.raw"), "aff", "AFF");
    refused_as(in_folder(state, "noise.raw"), "vmdk", "libtsk cannot read");
    refused_as(in_folder(state, "noise.raw"), "vhd", "as a VHD does");
    assert_int_equal(io_image_open(in_folder(state, "noise.raw"), "qcow", &image, &err), ERR_ARG);
    assert_non_null(strstr(
        err.text,
        "qcow: there is no such type of image; there are auto, raw, nbd, ewf, aff, vmdk, vhd"));
    assert_null(image);
    free(noise);
}

/* A set of parts is what its first part says it is: a later one may begin with anything. */
static void parts_of_a_set_that_begin_like_a_container(void **state)
{
    static const char qcow[16] = "QFI\xfb\0\0\0\1", plain[16] = "nothing at all";

    test_write_file(in_folder(state, "raw.001"), plain, sizeof plain);
    test_write_file(in_folder(state, "raw.002"), qcow, sizeof qcow);
    opens_as(in_folder(state, "raw.001"), NULL, "split raw", 32);
    opens_as(in_folder(state, "raw.002"), NULL, "split raw", 32);
    test_write_file(in_folder(state, "cut.001"), qcow, sizeof qcow);
    test_write_file(in_folder(state, "cut.002"), plain, sizeof plain);
    refused(in_folder(state, "cut.001"),
            "QCOW, cannot be read here; join its parts (cat PARTS > IMAGE), then convert");
    refused(in_folder(state, "cut.002"),
            "QCOW, cannot be read here; join its parts (cat PARTS > IMAGE), then convert");
    opens_as(in_folder(state, "cut.001"), "raw", "split raw", 32);
    opens_as(in_folder(state, "cut.002"), "raw", "split raw", 32);
    test_write_file(in_folder(state, "aff.001"), "AFF10\r\n\0........", 16);
    test_write_file(in_folder(state, "aff.002"), plain, sizeof plain);
    refused(in_folder(state, "aff.002"), "the parts hold one AFF container; join them first");
}

static void a_part_is_known_by_inode(void **state)
{
    char path[128];
    struct io_image *image;
    struct err err = { 0 };

    snprintf(path, sizeof path, "%s", in_folder(state, "a.dd"));
    test_write_file(path, "abc", 3);
    test_write_file(in_folder(state, "other"), "abc", 3);
    assert_int_equal(io_image_open(path, NULL, &image, &err), ERR_OK);
    assert_true(io_image_is_part(image, path));
    assert_int_equal(link(path, in_folder(state, "hard")), 0);
    assert_true(io_image_is_part(image, in_folder(state, "hard")));
    assert_int_equal(symlink(path, in_folder(state, "soft")), 0);
    assert_true(io_image_is_part(image, in_folder(state, "soft")));
    assert_false(io_image_is_part(image, in_folder(state, "other")));
    assert_false(io_image_is_part(image, in_folder(state, "missing")));
    io_image_close(image);
}

static void opening_and_reading_leaves_the_times_alone(void **state)
{
    const char *path = in_folder(state, "old");
    const struct timespec old[2] = { { 1000000000, 0 }, { 1000000001, 0 } };
    struct stat before, after;
    struct io_image *image;
    struct err err = { 0 };
    uint8_t got[3];

    test_write_file(path, "abc", 3);
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(io_image_open(path, NULL, &image, &err), ERR_OK);
    assert_int_equal(io_image_read_at(image, 0, got, 3, &err), ERR_OK);
    io_image_close(image);
    assert_int_equal(stat(path, &after), 0);
    assert_memory_equal(&before.st_atim, &after.st_atim, sizeof before.st_atim);
    assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof before.st_mtim);
    assert_memory_equal(&before.st_ctim, &after.st_ctim, sizeof before.st_ctim);
}

static void memory_and_null_images(void **state)
{
    static const uint8_t bytes[] = "0123456789";
    struct io_image *image;
    struct io_span span;
    struct err err = { 0 };
    uint8_t got[4] = "....";

    (void)state;
    assert_int_equal(io_image_open_memory(bytes, 10, &image, &err), ERR_OK);
    assert_int_equal(io_image_read_at(image, 6, got, 4, &err), ERR_OK);
    assert_memory_equal(got, "6789", 4);
    assert_false(io_image_map(image, 0, &span));
    assert_false(io_image_is_part(image, "/dev/null"));
    io_image_close(image);
    assert_int_equal(io_image_open_null(UINT64_C(1) << 40, &image, &err), ERR_OK);
    assert_int_equal(io_image_size(image), UINT64_C(1) << 40);
    assert_int_equal(io_image_read_at(image, (UINT64_C(1) << 40) - 4, got, 4, &err), ERR_OK);
    assert_memory_equal(got, "6789", 4);
    io_image_close(image);
    assert_int_equal(io_image_open_null(0, &image, &err), ERR_INPUT);
    assert_int_equal(io_image_open_memory(bytes, 0, &image, &err), ERR_INPUT);
    io_image_close(NULL);
}

static void the_table_has_names_and_advice(void **state)
{
    bool raw = false, qcow = false;

    (void)state;
    for (uint32_t i = 0; i < io_container_count(); i++) {
        const struct io_container_info info = io_container_get(i);
        assert_true(strlen(info.name) > 0 && strlen(info.how) > 0);
        assert_int_equal(info.type != NULL, info.readable);
        raw |= strcmp(info.name, "raw") == 0 && info.readable && strcmp(info.type, "raw") == 0;
        qcow |= strcmp(info.name, "QCOW") == 0 && !info.readable;
    }
    assert_true(raw && qcow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_raw_file_is_its_bytes, make, clean),
        cmocka_unit_test_setup_teardown(a_file_of_one_byte_is_an_image, make, clean),
        cmocka_unit_test_setup_teardown(what_is_no_image_is_refused, make, clean),
        cmocka_unit_test_setup_teardown(what_is_no_image_is_not_opened, make, clean),
        cmocka_unit_test_setup_teardown(an_unreadable_file_is_refused, make, clean),
        cmocka_unit_test_setup_teardown(a_container_nobody_reads_is_refused_by_name, make, clean),
        cmocka_unit_test_setup_teardown(an_aff4_zip_is_named_and_what_is_no_zip_is_raw, make,
                                        clean),
        cmocka_unit_test_setup_teardown(a_compressed_file_is_refused_by_name, make, clean),
        cmocka_unit_test_setup_teardown(what_only_begins_like_a_compressed_file_is_raw, make,
                                        clean),
        cmocka_unit_test_setup_teardown(an_archive_in_parts, make, clean),
        cmocka_unit_test_setup_teardown(skipped_frames_before_a_compressed_one, make, clean),
        cmocka_unit_test_setup_teardown(what_is_asked_for_is_opened_whatever_the_content, make,
                                        clean),
        cmocka_unit_test_setup_teardown(parts_of_a_set_that_begin_like_a_container, make, clean),
        cmocka_unit_test_setup_teardown(a_part_is_known_by_inode, make, clean),
        cmocka_unit_test_setup_teardown(opening_and_reading_leaves_the_times_alone, make, clean),
        cmocka_unit_test(memory_and_null_images),
        cmocka_unit_test(the_table_has_names_and_advice),
    };
    return cmocka_run_group_tests_name("io image", tests, NULL, NULL);
}
