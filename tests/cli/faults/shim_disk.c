/* SPDX-License-Identifier: Apache-2.0
 * tests/cli/faults/shim_disk.c - makes a file behave like a failing disk, for a program that
 * is started with LD_PRELOAD.
 *
 * SHIM_FILE is the file. SHIM_BAD is the number of a sector of it that cannot be read (EIO): a read
 * around the page cache fails when it touches the sector, any other one when it touches its page of
 * 4,096 bytes. SHIM_CAUSE is another errno for it, and SHIM_TIMES the number of reads that fail, if
 * it is not each. SHIM_GONE is the offset from which on the disk was taken away (ENODEV), and
 * SHIM_MUTE the one from which on a MiB of it does not answer: a read of it never ends, if it is of
 * SHIM_LARGE bytes or more. A descriptor of the program, SHIM_TELL, gets a byte when the first such
 * read has begun.
 *
 * SHIM_KILL is the number of a write to a file whose name ends in -wal, from 1 on: the program ends
 * before it, as if it were killed; each of many frames in one write counts. SHIM_STEP counts all
 * that is done to a file whose path begins with SHIM_NAME in the same way: writes, cuts, and each
 * name that is given, changed or removed. SHIM_HOST is the name of the host. SHIM_SLEPT is a
 * descriptor of the program that gets a line for each pause, with its seconds, and no pause is
 * made.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libaio.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { SECTOR = 512, PAGE = 4096, MIB = 1 << 20 };

/* Tells whoever started the program, and waits for ever. */
static void shim_wait(void)
{
    const char *tell = getenv("SHIM_TELL");

    if (tell != NULL && write(atoi(tell), "m", 1) < 0)
        abort();
    for (;;)
        pause();
}

static bool shim_is_disk(int fd)
{
    const char *path = getenv("SHIM_FILE");
    struct stat disk, st;

    return path != NULL && stat(path, &disk) == 0 && fstat(fd, &st) == 0 &&
           st.st_ino == disk.st_ino && st.st_dev == disk.st_dev;
}

/* The errno of a read of the bad sector; 0: it has failed often enough. */
static int shim_bad(void)
{
    static _Atomic long reads;
    const char *cause = getenv("SHIM_CAUSE"), *times = getenv("SHIM_TIMES");

    if (times != NULL && atomic_fetch_add(&reads, 1) >= atol(times))
        return 0;
    return cause != NULL ? atoi(cause) : EIO;
}

/* The errno of a read of these bytes, or 0. */
static int shim_cause(int fd, uint64_t offset, uint64_t len)
{
    const char *bad = getenv("SHIM_BAD"), *gone = getenv("SHIM_GONE"), *mute = getenv("SHIM_MUTE");
    const char *large = getenv("SHIM_LARGE");
    const uint64_t unit = (fcntl(fd, F_GETFL) & O_DIRECT) != 0 ? SECTOR : PAGE;

    if (!shim_is_disk(fd))
        return 0;
    const uint64_t silent = mute != NULL ? strtoull(mute, NULL, 10) : UINT64_MAX - MIB;
    while (offset + len > silent && offset < silent + MIB &&
           len >= (large != NULL ? strtoull(large, NULL, 10) : 0))
        shim_wait();
    if (gone != NULL && offset + len > strtoull(gone, NULL, 10))
        return ENODEV;
    const uint64_t start =
        bad != NULL ? strtoull(bad, NULL, 10) * SECTOR / unit * unit : UINT64_MAX;
    return bad != NULL && offset < start + unit && start < offset + len ? shim_bad() : 0;
}

/* With _FILE_OFFSET_BITS=64 this is pread64, and the next one preadv64v2. */
ssize_t pread(int fd, void *dst, size_t len, off_t offset)
{
    ssize_t (*const real)(int, void *, size_t, off_t) = dlsym(RTLD_NEXT, "pread64");
    const int cause = shim_cause(fd, (uint64_t)offset, len);

    if (cause == 0)
        return real(fd, dst, len, offset);
    errno = cause;
    return -1;
}

int gethostname(char *name, size_t len)
{
    int (*const real)(char *, size_t) = dlsym(RTLD_NEXT, "gethostname");
    const char *host = getenv("SHIM_HOST");

    if (host == NULL)
        return real(name, len);
    snprintf(name, len, "%s", host);
    return 0;
}

unsigned sleep(unsigned seconds)
{
    unsigned (*const real)(unsigned) = dlsym(RTLD_NEXT, "sleep");
    const char *slept = getenv("SHIM_SLEPT");

    if (slept == NULL)
        return real(seconds);
    if (dprintf(atoi(slept), "%u\n", seconds) < 0)
        abort();
    return 0;
}

/* What the compiler makes of it with FORTIFY_SOURCE, which it checks. */
ssize_t __pread64_chk(int fd, void *dst, size_t len, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *dst, size_t len, off_t offset, size_t room)
{
    if (len > room)
        abort();
    return pread(fd, dst, len, offset);
}

/* Nothing is in the page cache. */
ssize_t preadv2(int fd, const struct iovec *to, int count, off_t offset, int flags)
{
    (void)fd, (void)to, (void)count, (void)offset, (void)flags;
    errno = EAGAIN;
    return -1;
}

int io_getevents(io_context_t context, long min, long max, struct io_event *events,
                 struct timespec *timeout)
{
    int (*const real)(io_context_t, long, long, struct io_event *, struct timespec *) =
        dlsym(RTLD_NEXT, "io_getevents");
    const int count = real(context, min, max, events, timeout);

    for (int i = 0; i < count; i++) {
        const struct iocb *iocb = events[i].obj;
        const int cause =
            shim_cause(iocb->aio_fildes, (uint64_t)iocb->u.c.offset, iocb->u.c.nbytes);

        if (cause != 0)
            events[i].res = (unsigned long)-cause;
    }
    return count;
}

/*
 * How many bytes of this write get to the file: fewer than len, and the program ends then. Frames
 * of a -wal file go to it many at a time; each counts as two writes, of its head and of its page,
 * as SQLite writes them.
 */
static size_t shim_before_end(int fd, size_t len)
{
    enum { HEAD = 24, FRAME = HEAD + 4096 };
    static _Atomic long writes;
    const char *kill = getenv("SHIM_KILL");
    const long count = len < FRAME ? 1 : 2 * (long)(len / FRAME);
    char link[64], name[4096];

    if (kill == NULL)
        return len;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t name_len = readlink(link, name, sizeof name - 1);
    if (name_len <= 4 || memcmp(name + name_len - 4, "-wal", 4) != 0)
        return len;
    const long before = atomic_fetch_add(&writes, count), left = atol(kill) - 1 - before;
    if (left >= count)
        return len;
    return left > 0 ? (size_t)(left / 2 * FRAME + left % 2 * HEAD) : 0;
}

/* Ends the program before a step that is done to the file of this path. */
static void shim_step(const char *path)
{
    static _Atomic long steps;
    const char *step = getenv("SHIM_STEP"), *name = getenv("SHIM_NAME");

    if (step != NULL && name != NULL && strncmp(path, name, strlen(name)) == 0 &&
        atomic_fetch_add(&steps, 1) + 1 >= atol(step))
        _exit(137);
}

static void shim_step_fd(int fd)
{
    char link[64], path[4096];

    if (getenv("SHIM_STEP") == NULL)
        return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t len = readlink(link, path, sizeof path - 1);
    path[len > 0 ? len : 0] = '\0';
    shim_step(path);
}

ssize_t pwrite64(int fd, const void *bytes, size_t len, off_t offset)
{
    ssize_t (*real)(int, const void *, size_t, off_t) =
        (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite64");

    const size_t most = shim_before_end(fd, len);
    if (most < len) {
        (void)!real(fd, bytes, most, offset);
        _exit(137);
    }
    shim_step_fd(fd);
    return real(fd, bytes, len, offset);
}

int ftruncate64(int fd, off_t len)
{
    int (*const real)(int, off_t) = dlsym(RTLD_NEXT, "ftruncate64");

    shim_step_fd(fd);
    return real(fd, len);
}

int unlink(const char *path)
{
    int (*const real)(const char *) = dlsym(RTLD_NEXT, "unlink");

    shim_step(path);
    return real(path);
}

int link(const char *from, const char *to)
{
    int (*const real)(const char *, const char *) = dlsym(RTLD_NEXT, "link");

    shim_step(from);
    return real(from, to);
}

int rename(const char *from, const char *to)
{
    int (*const real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");

    shim_step(from);
    return real(from, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    int (*const real)(int, const char *, int, const char *, unsigned) =
        dlsym(RTLD_NEXT, "renameat2");

    shim_step(from);
    return real(from_folder, from, to_folder, to, flags);
}
