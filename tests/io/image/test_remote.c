/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_remote.c - whatever happens in the process that reads an image, the program
 * goes on.
 *
 * Method: containers of this test's own, which crash, hang, lie or try what they may not, run in
 * such processes as libraries do. Bytes of their images tell their offset.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/io/lib_io.h"

#include "base/jail.h"
#include "io/image/image_impl.h"
#include "io/image/remote.h"
#include "io/image/server.h"

enum {
    FAKE_UNIT = 4096,
    FAKE_LEN = 3 << 20,
    FAKE_BAD = (1 << 20) + 5 * FAKE_UNIT, /* the place that does harm */
};

static char folder[64];
static char path[96], other[96];

static uint8_t byte_at(uint64_t offset)
{
    return (uint8_t)(offset * 31 + (offset >> 12));
}

static enum err_code fake_read(struct io_image *image, uint64_t offset, uint8_t *dst, size_t len,
                               struct io_failure *failure, struct err *err)
{
    (void)image;
    (void)failure;
    (void)err;
    for (size_t i = 0; i < len; i++)
        dst[i] = byte_at(offset + i);
    return ERR_OK;
}

static bool fake_hits(uint64_t offset, size_t len)
{
    return offset <= FAKE_BAD && FAKE_BAD < offset + len;
}

/* As a library would, and not as cmocka has it. */
static void crash(void)
{
    signal(SIGILL, SIG_DFL);
    __builtin_trap();
}

static enum err_code crash_read(struct io_image *image, uint64_t offset, uint8_t *dst, size_t len,
                                struct io_failure *failure, struct err *err)
{
    if (fake_hits(offset, len))
        crash();
    return fake_read(image, offset, dst, len, failure, err);
}

static enum err_code always_read(struct io_image *image, uint64_t offset, uint8_t *dst, size_t len,
                                 struct io_failure *failure, struct err *err)
{
    (void)image;
    (void)offset;
    (void)dst;
    (void)len;
    (void)failure;
    (void)err;
    _exit(7);
}

static enum err_code spin_read(struct io_image *image, uint64_t offset, uint8_t *dst, size_t len,
                               struct io_failure *failure, struct err *err)
{
    for (volatile uint32_t turns = 0; fake_hits(offset, len);)
        turns = turns + 1;
    return fake_read(image, offset, dst, len, failure, err);
}

/* The number of its process in the first bytes. */
static enum err_code number_read(struct io_image *image, uint64_t offset, uint8_t *dst, size_t len,
                                 struct io_failure *failure, struct err *err)
{
    const int32_t pid = getpid();
    const enum err_code rc = fake_read(image, offset, dst, len, failure, err);

    if (offset == 0 && len >= sizeof pid)
        memcpy(dst, &pid, sizeof pid);
    return rc;
}

/* What a place tries, and its errno: the bytes of the place. */
enum {
    TRY_OTHER,
    TRY_WRITE,
    TRY_RUN,
    TRY_SOCKET,
    TRY_TRACE,
    TRY_FORK,
    TRY_KILL,
    TRY_UNLINK,
    TRY_FILES,
    TRY_MEMORY
};
static const int try_want[] = { EACCES, EPERM, EPERM, EPERM, EPERM,
                                EPERM,  EPERM, EPERM, EBADF, ENOMEM };

static long try_this(uint64_t what)
{
    static char *const none[] = { NULL };

    switch (what) {
    case TRY_OTHER:
        return open("/etc/passwd", O_RDONLY);
    case TRY_WRITE:
        return open(path, O_RDWR);
    case TRY_RUN:
        return syscall(SYS_execve, "/bin/true", none, none);
    case TRY_SOCKET:
        return socket(AF_INET, SOCK_STREAM, 0);
    case TRY_TRACE:
        return syscall(SYS_ptrace, PTRACE_ATTACH, getppid(), NULL, NULL);
    case TRY_FORK:
        return syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
    case TRY_KILL:
        return kill(getppid(), 0);
    case TRY_UNLINK:
        return unlinkat(AT_FDCWD, other, 0);
    case TRY_FILES: /* of the program: the one that the test holds open */
        return lseek(200, 0, SEEK_CUR);
    default:
        return mmap(NULL, (size_t)3 << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                    0) == MAP_FAILED
                   ? -1
                   : 0;
    }
}

static enum err_code try_read(struct io_image *image, uint64_t offset, uint8_t *dst, size_t len,
                              struct io_failure *failure, struct err *err)
{
    (void)image;
    (void)failure;
    (void)err;
    const int32_t got = try_this(offset / LIMIT_SECTOR) < 0 ? errno : 0;
    memset(dst, 0, len);
    memcpy(dst, &got, len < sizeof got ? len : sizeof got);
    return ERR_OK;
}

static void fake_close(struct io_image *image)
{
    io_image_release(image);
    free(image);
}

/* The fakes, by the lines of the table. */
enum {
    GOOD,
    CRASH,
    ALWAYS,
    SPIN,
    NUMBER,
    TRY,
    AT_OPEN,
    AT_OPEN_SAYS,
    NO_SIZE,
    SECTOR_1,
    UNREAD_OUT,
    UNREAD_BACK,
    FAKES
};

static enum err_code fake_open(const struct io_container *container, const char *name,
                               struct io_image **out, struct err *err)
{
    static const struct io_image_ops ops[FAKES] = {
        [GOOD] = { .read_at = fake_read, .close = fake_close },
        [CRASH] = { .read_at = crash_read, .close = fake_close },
        [ALWAYS] = { .read_at = always_read, .close = fake_close },
        [SPIN] = { .read_at = spin_read, .close = fake_close },
        [NUMBER] = { .read_at = number_read, .close = fake_close },
        [TRY] = { .read_at = try_read, .close = fake_close },
    };
    const int which = container->name[0] - 'a';
    struct io_image *image = calloc(1, sizeof *image);
    struct io_bad_range range = { 4096, 4096, 0, IO_BAD_ACQUISITION, IO_STATUS_BAD };
    struct stat st;

    if (which == AT_OPEN)
        crash();
    if (which == AT_OPEN_SAYS)
        return ERR_RAISE(err, ERR_INPUT, "%s: is a fake", name);
    image->ops = &ops[which <= TRY ? which : GOOD];
    image->format = "fake";
    image->size = which == NO_SIZE ? 0 : FAKE_LEN;
    image->sector_size = which == SECTOR_1 ? 1 : 512;
    image->salvage_unit = FAKE_UNIT;
    if (which == UNREAD_OUT)
        range.offset = FAKE_LEN;
    if (which == UNREAD_OUT || which == UNREAD_BACK)
        io_bad_list_add(&image->unread, &range);
    range.offset = 0;
    if (which == UNREAD_BACK)
        io_bad_list_add(&image->unread, &range);
    *out = image;
    return stat(name, &st) == 0 ? io_image_add_part(image, name, &st, err)
                                : ERR_RAISE(err, ERR_INPUT, "no file");
}

static const struct io_container fakes[FAKES] = {
    { .name = "a", .open = fake_open }, { .name = "b", .open = fake_open },
    { .name = "c", .open = fake_open }, { .name = "d", .open = fake_open },
    { .name = "e", .open = fake_open }, { .name = "f", .open = fake_open },
    { .name = "g", .open = fake_open }, { .name = "h", .open = fake_open },
    { .name = "i", .open = fake_open }, { .name = "j", .open = fake_open },
    { .name = "k", .open = fake_open }, { .name = "l", .open = fake_open },
};

static void prepare(bool jail)
{
    struct err err = { 0 };
    const struct io_server_world world = {
        .table = fakes, .table_count = FAKES, .jail = jail, .seconds = 1
    };

    assert_int_equal(io_server_prepare(&world, &err), ERR_OK);
}

static struct io_image *opened(int which)
{
    struct io_image *image = NULL;
    struct err err = { 0 };

    if (io_remote_open(&fakes[which], path, &image, &err) != ERR_OK)
        fail_msg("%s", err.text);
    return image;
}

static int make_files(void **state)
{
    (void)state;
    test_make_folder(folder);
    snprintf(path, sizeof path, "%s/fake", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    test_write_file(path, "fake", 4);
    test_write_file(other, "other", 5);
    prepare(true);
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    test_remove_folder(folder);
    return 0;
}

struct bad {
    struct io_bad_range items[64];
    uint32_t count;
};

static void collect(void *arg, const struct io_bad_range *range)
{
    struct bad *bad = arg;

    assert_true(bad->count < 64);
    bad->items[bad->count++] = *range;
}

/* Reads all of it: one bad range [start, start + len), and the right bytes everywhere else. */
static void salvaged(struct io_image *image, uint64_t start, uint64_t len)
{
    uint8_t *bytes = malloc(FAKE_LEN);
    struct bad bad = { .count = 0 };
    struct err err = { 0 };

    assert_int_equal(io_salvage_read(image, 0, bytes, FAKE_LEN, collect, &bad, &err), ERR_OK);
    assert_int_equal(bad.count, len == 0 ? 0 : 1);
    if (len > 0) {
        assert_int_equal(bad.items[0].offset, start);
        assert_int_equal(bad.items[0].len, len);
        assert_int_equal(bad.items[0].cause, EIO);
        assert_int_equal(bad.items[0].source, IO_BAD_READ);
    }
    for (uint64_t i = 0; i < FAKE_LEN; i++) {
        const bool is_bad = i >= start && i < start + len;
        if (bytes[i] != (is_bad ? 0 : byte_at(i)))
            fail_msg("byte %lu", (unsigned long)i);
    }
    free(bytes);
}

static void what_reads_well_is_read(void **state)
{
    (void)state;
    struct io_image *image = opened(GOOD);
    assert_int_equal(io_image_size(image), FAKE_LEN);
    assert_int_equal(io_image_part_count(image), 1);
    assert_string_equal(io_image_part_path(image, 0), path);
    salvaged(image, 0, 0);
    assert_string_equal(io_image_trouble(image), "");
    io_image_close(image);
}

static void a_crash_costs_one_place(void **state)
{
    (void)state;
    struct io_image *image = opened(CRASH);
    salvaged(image, FAKE_BAD, FAKE_UNIT);
    assert_non_null(strstr(io_image_trouble(image), "ended"));
    io_image_close(image);
}

static void a_loop_costs_its_request(void **state)
{
    (void)state;
    struct io_image *image = opened(SPIN);
    struct io_failure failure;
    struct err err = { 0 };
    uint8_t bytes[FAKE_UNIT];

    assert_int_equal(io_image_try_read(image, FAKE_BAD, bytes, sizeof bytes, false, &failure, &err),
                     ERR_IO);
    assert_int_equal(failure.unit, UINT32_MAX);
    assert_non_null(strstr(err.text, "more than 1 seconds"));
    assert_int_equal(io_image_read_at(image, 0, bytes, sizeof bytes, &err), ERR_OK);
    assert_int_equal(bytes[1], byte_at(1));
    io_image_close(image);
}

static void deaths_have_an_end(void **state)
{
    (void)state;
    struct io_image *image = opened(ALWAYS);
    uint8_t *bytes = malloc(FAKE_LEN);
    struct bad bad = { .count = 0 };
    struct err err = { 0 };

    assert_int_equal(io_salvage_read(image, 0, bytes, FAKE_LEN, collect, &bad, &err), ERR_ENV);
    assert_non_null(strstr(err.text, "cannot be read any more"));
    assert_non_null(strstr(err.text, "100 times"));
    assert_non_null(strstr(err.text, "status 7"));
    free(bytes);
    io_image_close(image);
}

static void one_that_is_killed_is_started_again(void **state)
{
    (void)state;
    struct io_image *image = opened(NUMBER);
    struct err err = { 0 };
    uint8_t bytes[FAKE_UNIT];
    int32_t first, second;

    assert_int_equal(io_image_read_at(image, 0, bytes, sizeof bytes, &err), ERR_OK);
    memcpy(&first, bytes, sizeof first);
    assert_int_equal(kill(first, SIGKILL), 0);
    assert_int_equal(io_image_read_at(image, FAKE_BAD, bytes, sizeof bytes, &err), ERR_OK);
    assert_int_equal(bytes[7], byte_at(FAKE_BAD + 7));
    assert_int_equal(io_image_read_at(image, 0, bytes, sizeof bytes, &err), ERR_OK);
    memcpy(&second, bytes, sizeof second);
    assert_int_not_equal(first, second);
    assert_non_null(strstr(io_image_trouble(image), "signal 9"));
    io_image_close(image);
    errno = 0;
    assert_int_equal(kill(second, 0), -1); /* it went with the image */
    assert_int_equal(errno, ESRCH);
}

static void refused(int which, const char *why)
{
    struct io_image *image = NULL;
    struct err err = { 0 };

    assert_int_equal(io_remote_open(&fakes[which], path, &image, &err), ERR_INPUT);
    if (strstr(err.text, why) == NULL)
        fail_msg("no '%s' in: %s", why, err.text);
}

static void what_cannot_be_is_not_believed(void **state)
{
    (void)state;
    refused(AT_OPEN, "ended over it");
    refused(AT_OPEN_SAYS, "is a fake");
    refused(NO_SIZE, "what cannot be");
    refused(SECTOR_1, "what cannot be");
    refused(UNREAD_OUT, "list of what was not read");
    refused(UNREAD_BACK, "list of what was not read");
}

static void status_has(pid_t pid, const char *name, uint64_t want)
{
    char file[64], line[256];

    snprintf(file, sizeof file, "/proc/%d/status", (int)pid);
    FILE *in = fopen(file, "re");
    assert_non_null(in);
    while (fgets(line, sizeof line, in) != NULL)
        if (strncmp(line, name, strlen(name)) == 0) {
            assert_int_equal(strtoull(line + strlen(name), NULL, 16), want);
            fclose(in);
            return;
        }
    fail_msg("%s: no %s", file, name);
}

static void it_may_do_nothing_but_read(void **state)
{
    (void)state;
    const int held = open(other, O_RDONLY);
    assert_int_equal(dup2(held, 200), 200);
    struct io_image *image = opened(TRY), *number = opened(NUMBER);
    struct err err = { 0 };
    int32_t got, wrong = 0, pid;

    for (uint64_t i = 0; i < sizeof try_want / sizeof try_want[0]; i++) {
        if (JAIL_SANITIZED && (i == TRY_WRITE || i == TRY_OTHER || i == TRY_UNLINK))
            continue;
        if (i == TRY_OTHER && jail_landlock() == 0) {
            print_message("this kernel has no Landlock\n");
            continue;
        }
        assert_int_equal(
            io_image_read_at(image, i * LIMIT_SECTOR, (uint8_t *)&got, sizeof got, &err), ERR_OK);
        if (got != try_want[i]) {
            print_message("try %d: %s instead of %s\n", (int)i, strerror(got),
                          strerror(try_want[i]));
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(io_image_read_at(number, 0, (uint8_t *)&pid, sizeof pid, &err), ERR_OK);
    status_has(pid, "NoNewPrivs:", 1);
    status_has(pid, "Seccomp:", 2);
    status_has(pid, "CapEff:", 0);
    status_has(pid, "CapPrm:", 0);
    io_image_close(image);
    io_image_close(number);
    close(200);
    close(held);
}

static void without_a_jail_it_is_a_process_all_the_same(void **state)
{
    (void)state;
    prepare(false);
    struct io_image *image = opened(NUMBER), *crash = opened(CRASH);
    struct err err = { 0 };
    int32_t pid;

    assert_int_equal(io_image_read_at(image, 0, (uint8_t *)&pid, sizeof pid, &err), ERR_OK);
    assert_int_not_equal(pid, getpid());
    status_has(pid, "Seccomp:", 0);
    salvaged(crash, FAKE_BAD, FAKE_UNIT);
    io_image_close(image);
    io_image_close(crash);
    prepare(true);
}

/* A fork of the program has no say in the program's processes. */
static void a_fork_has_its_own(void **state)
{
    (void)state;
    struct io_image *image = opened(GOOD);
    int status = 0;
    const pid_t pid = fork();

    if (pid == 0) {
        struct io_image *own = NULL;
        struct err err = { 0 };
        uint8_t byte = 0;

        _exit(io_remote_open(&fakes[GOOD], path, &own, &err) == ERR_OK &&
                      io_image_read_at(own, FAKE_BAD, &byte, 1, &err) == ERR_OK &&
                      byte == byte_at(FAKE_BAD)
                  ? 0
                  : 1);
    }
    salvaged(image, 0, 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    io_image_close(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_reads_well_is_read),
        cmocka_unit_test(a_crash_costs_one_place),
        cmocka_unit_test(a_loop_costs_its_request),
        cmocka_unit_test(deaths_have_an_end),
        cmocka_unit_test(one_that_is_killed_is_started_again),
        cmocka_unit_test(what_cannot_be_is_not_believed),
        cmocka_unit_test(it_may_do_nothing_but_read),
        cmocka_unit_test(without_a_jail_it_is_a_process_all_the_same),
        cmocka_unit_test(a_fork_has_its_own),
    };

    return cmocka_run_group_tests(tests, make_files, remove_files);
}
