/* SPDX-License-Identifier: Apache-2.0
 * tests/base/test_jail.c - what a process has given up it cannot do any more.
 *
 * Method: a child gives it up and tries each thing; what it gets comes back in shared memory. The
 * errnos are those of landlock(7) (EACCES) and of the filters (EPERM). Arguments are such that
 * nothing happens to the machine where a wall is missing. By name it is said what this kernel
 * lacks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/jail.h"

enum { TRIES_MAX = 96, NAME_MAX_LEN = 32 };

struct
try {
    char name[NAME_MAX_LEN];
    int want, got; /* errno; 0: it works */
};
struct tries {
    uint32_t count;
    int failed; /* errno of a function of jail.h */
    struct try items[TRIES_MAX];
};

static char folder[] = "/tmp/burin-jail-XXXXXX";

#ifdef __x86_64__
static bool has_door; /* this kernel answers 32-bit calls: others end who asks */

/* getpid by the 32-bit door; negative: an errno */
static long ask_door(void)
{
    long result;

    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory", "r8", "r9", "r10", "r11");
    return result;
}

static bool look_for_door(void)
{
    int status = 0;
    const pid_t pid = fork();

    if (pid == 0) {
        signal(SIGSEGV, SIG_DFL);
        _exit(ask_door() < 0);
    }
    return waitpid(pid, &status, 0) == pid && status == 0;
}
#endif

static void tried(struct tries *tries, const char *name, int want, long result)
{
    struct try *one = &tries->items[tries->count++];

    snprintf(one->name, sizeof one->name, "%s", name);
    one->want = want;
    one->got = result < 0 ? errno : 0;
}

/* Runs work in a child; afterwards all must be as wanted. */
static void in_child(void (*work)(struct tries *tries))
{
    struct tries *tries =
        mmap(NULL, sizeof *tries, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = 0, wrong = 0;

    assert_true(tries != MAP_FAILED);
    const pid_t pid = fork();
    if (pid == 0) {
        work(tries);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(tries->failed, 0);
    assert_true(tries->count > 0);
    for (uint32_t i = 0; i < tries->count; i++)
        if (tries->items[i].got != tries->items[i].want) {
            print_message("%s: %s instead of %s\n", tries->items[i].name,
                          strerror(tries->items[i].got), strerror(tries->items[i].want));
            wrong++;
        }
    assert_int_equal(wrong, 0);
    munmap(tries, sizeof *tries);
}

static int make_files(void **state)
{
    static const char *const names[] = { "in/file", "out/file", "out/read" };

    (void)state;
#ifdef __x86_64__
    has_door = look_for_door();
    if (!has_door)
        print_message("this kernel has no door for 32-bit calls\n");
#endif
    if (mkdtemp(folder) == NULL || chdir(folder) != 0 || mkdir("in", 0700) != 0 ||
        mkdir("out", 0700) != 0)
        return -1;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const int fd = open(names[i], O_WRONLY | O_CREAT, 0600);

        if (fd < 0 || write(fd, "x", 1) != 1 || close(fd) != 0)
            return -1;
    }
    return 0;
}

static int remove_files(void **state)
{
    char command[64];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return chdir("/") == 0 ? system(command) : -1;
}

static void calls_tried(struct tries *tries, int denied)
{
    static char *const words[] = { (char *)(uintptr_t) "true", NULL };

    tried(tries, "execve", denied, syscall(SYS_execve, "/bin/true", words, words));
    tried(tries, "execveat", denied, syscall(SYS_execveat, AT_FDCWD, "/bin/true", words, words, 0));
    tried(tries, "socket inet", denied, socket(AF_INET, SOCK_STREAM, 0));
    tried(tries, "socket inet6", denied, socket(AF_INET6, SOCK_DGRAM, 0));
    tried(tries, "socket netlink", denied, socket(AF_NETLINK, SOCK_RAW, 0));
    tried(tries, "socket packet", denied, socket(AF_PACKET, SOCK_RAW, 0));
    tried(tries, "socket unix", denied, socket(AF_UNIX, SOCK_STREAM, 0));
    tried(tries, "connect", denied, connect(-1, NULL, 0));
    tried(tries, "bind", denied, bind(-1, NULL, 0));
    tried(tries, "listen", denied, listen(-1, 1));
    tried(tries, "accept4", denied, accept4(-1, NULL, NULL, 0));
#if !JAIL_SANITIZED
    tried(tries, "ptrace", denied, ptrace(PTRACE_ATTACH, getppid(), NULL, NULL));
    tried(tries, "process_vm_readv", denied,
          syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0));
    tried(tries, "process_vm_writev", denied,
          syscall(SYS_process_vm_writev, getppid(), NULL, 0, NULL, 0, 0));
#endif
    tried(tries, "mount", denied, syscall(SYS_mount, "none", "/nowhere", "tmpfs", 0, NULL));
    tried(tries, "umount2", denied, syscall(SYS_umount2, "/nowhere", 0));
    tried(tries, "pivot_root", denied, syscall(SYS_pivot_root, "/nowhere", "/nowhere"));
    tried(tries, "chroot", denied, syscall(SYS_chroot, "/nowhere"));
    tried(tries, "fsopen", denied, syscall(430, "nofilesystem", 0));
    tried(tries, "unshare", denied, syscall(SYS_unshare, CLONE_NEWUSER));
    tried(tries, "setns", denied, syscall(SYS_setns, -1, 0));
    tried(tries, "clone newuser", denied,
          syscall(SYS_clone, CLONE_NEWUSER | CLONE_SIGHAND, NULL, NULL, NULL, 0));
    tried(tries, "bpf", denied, syscall(SYS_bpf, -1, NULL, 0));
    tried(tries, "perf_event_open", denied, syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
    tried(tries, "userfaultfd", denied, syscall(SYS_userfaultfd, -1));
    tried(tries, "io_uring_setup", denied, syscall(425, 0, NULL));
    tried(tries, "keyctl", denied, syscall(SYS_keyctl, -1, 0, 0, 0, 0));
    tried(tries, "add_key", denied, syscall(SYS_add_key, NULL, NULL, NULL, 0, 0));
    tried(tries, "request_key", denied, syscall(SYS_request_key, NULL, NULL, NULL, 0));
    tried(tries, "init_module", denied, syscall(SYS_init_module, NULL, 0, NULL));
    tried(tries, "finit_module", denied, syscall(SYS_finit_module, -1, NULL, 0));
    tried(tries, "delete_module", denied, syscall(SYS_delete_module, NULL, 0));
    tried(tries, "kexec_load", denied, syscall(SYS_kexec_load, 0, 0, NULL, UINT32_MAX));
    tried(tries, "reboot", denied, syscall(SYS_reboot, 0, 0, 0, NULL));
    tried(tries, "swapon", denied, syscall(SYS_swapon, "/nowhere", 0));
    tried(tries, "acct", denied, syscall(SYS_acct, "/nowhere/file"));
    tried(tries, "quotactl", denied, syscall(SYS_quotactl, -1, NULL, 0, NULL));
    tried(tries, "open_by_handle_at", denied, syscall(SYS_open_by_handle_at, -1, NULL, 0));
    tried(tries, "personality", denied, syscall(SYS_personality, 0xffffffff));
    tried(tries, "settimeofday", denied, syscall(SYS_settimeofday, (void *)1, NULL));
    tried(tries, "clock_settime", denied, syscall(SYS_clock_settime, -1, NULL));
    tried(tries, "sethostname", denied, syscall(SYS_sethostname, NULL, -1));
    tried(tries, "kcmp", denied, syscall(SYS_kcmp, -1, -1, 0, 0, 0));
    tried(tries, "pidfd_getfd", denied, syscall(438, -1, 0, 0));
    tried(tries, "chmod", denied, chmod("out/file", 0600));
    tried(tries, "chown", denied, chown("out/file", getuid(), getgid()));
    tried(tries, "utimensat", denied, utimensat(AT_FDCWD, "out/file", NULL, 0));
    tried(tries, "setxattr", denied, syscall(SYS_setxattr, "out/file", "user.x", "y", 1, 0));
    tried(tries, "mknod", denied, mknod("in/node", S_IFIFO | 0600, 0));
#if !JAIL_SANITIZED /* a reader may ask anything then */
    tried(tries, "ioctl TIOCSTI", denied, ioctl(STDIN_FILENO, TIOCSTI, "x"));
#endif
#ifdef __x86_64__
    tried(tries, "iopl", denied, syscall(SYS_iopl, 3));
    tried(tries, "ioperm", denied, syscall(SYS_ioperm, 0x80, 1, 0));
    tried(tries, "number of x32", denied, syscall(0x40000000 + SYS_getpid));
    if (has_door) {
        const long result = ask_door();

        errno = result < 0 ? (int)-result : 0;
        tried(tries, "int 0x80", denied, result < 0 ? -1 : 0);
    }
#endif
}

static void *a_thread(void *arg)
{
    tried(arg, "socket in a thread", EPERM, socket(AF_INET, SOCK_STREAM, 0));
    return NULL;
}

static void *a_thread_from_before(void *arg)
{
    int *const ends = arg;
    char byte;

    if (read(ends[0], &byte, 1) != 1)
        return NULL;
    return (void *)(intptr_t)(socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0);
}

static void work_program(struct tries *tries)
{
    pthread_t before, after;
    int ends[2], pair[2];
    void *got = NULL;

    tries->failed =
        pipe(ends) != 0 || pthread_create(&before, NULL, a_thread_from_before, ends) != 0;
    if (tries->failed == 0)
        tries->failed = jail_no_more_rights();
    if (tries->failed == 0)
        tries->failed = jail_calls(JAIL_CALLS_PROGRAM, 0);
    if (tries->failed != 0)
        return;
    calls_tried(tries, EPERM);
    tried(tries, "fchmod", EPERM, fchmod(STDIN_FILENO, 0600));
    tried(tries, "futimens", EPERM, futimens(STDIN_FILENO, NULL));
    tried(tries, "a thread", 0, pthread_create(&after, NULL, a_thread, tries) == 0 ? 0 : -1);
    pthread_join(after, NULL);
    tried(tries, "a pipe", 0, write(ends[1], "x", 1));
    pthread_join(before, &got);
    errno = (int)(intptr_t)got;
    tried(tries, "socket in a thread of before", EPERM, got == NULL ? 0 : -1);
    tried(tries, "a pair of sockets", 0, socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
    tried(tries, "write a file", 0, open("out/file", O_RDWR));
    const pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    tried(tries, "fork", 0, waitpid(pid, NULL, 0));
    tried(tries, "no_new_privs", 0, prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : -1);
}

static void the_program_denies_what_it_never_does(void **state)
{
    (void)state;
    in_child(work_program);
}

static void work_devices(struct tries *tries)
{
    tries->failed = jail_no_more_rights();
    if (tries->failed == 0)
        tries->failed = jail_calls(JAIL_CALLS_PROGRAM, JAIL_CALLS_LOCAL | JAIL_CALLS_MODES);
    tried(tries, "socket unix", 0, socket(AF_UNIX, SOCK_STREAM, 0));
    tried(tries, "socket inet", EPERM, socket(AF_INET, SOCK_STREAM, 0));
    tried(tries, "socket netlink", EPERM, socket(AF_NETLINK, SOCK_RAW, 0));
    tried(tries, "bind", EBADF, bind(-1, NULL, 0));
    const int fd = open("out/file", O_RDWR);
    tried(tries, "fchmod", 0, fchmod(fd, 0600));
    tried(tries, "chmod", EPERM, chmod("out/file", 0600));
}

static void local_sockets_are_for_devices(void **state)
{
    (void)state;
    in_child(work_devices);
}

/* The times of files that are open, and of no others: a path is a path wherever it lies in memory.
 */
static void work_times(struct tries *tries)
{
    const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = 86400 } };
    char *const path = mmap((void *)(1ULL << 45), 4096, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    const int fd = open("out/file", O_RDWR), other = open("out/read", O_RDONLY);
    struct stat info = { 0 };

    tries->failed = fd < 0 || other < 0 || (uintptr_t)path != 1ULL << 45;
    if (tries->failed != 0)
        return;
    memcpy(path, "out/file", sizeof "out/file");
    tries->failed = jail_no_more_rights();
    if (tries->failed == 0)
        tries->failed = jail_calls(JAIL_CALLS_PROGRAM, JAIL_CALLS_TIMES);
    tried(tries, "futimens", 0, futimens(fd, times));
    tried(tries, "fstat", 0, fstat(fd, &info) == 0 && info.st_mtim.tv_sec == 86400 ? 0 : -1);
    tried(tries, "utimensat", EPERM, utimensat(AT_FDCWD, "out/file", times, 0));
    tried(tries, "utimensat, lower half 0", EPERM, utimensat(AT_FDCWD, path, times, 0));
    tried(tries, "utimensat of a link", EPERM,
          utimensat(AT_FDCWD, "out/file", times, AT_SYMLINK_NOFOLLOW));
    tried(tries, "utimensat, empty path", EPERM, utimensat(other, "", times, 0x1000));
#ifdef __x86_64__
    tried(tries, "utimes", EPERM, syscall(SYS_utimes, "out/file", NULL));
    tried(tries, "utime", EPERM, syscall(SYS_utime, "out/file", NULL));
    tried(tries, "futimesat", EPERM, syscall(SYS_futimesat, AT_FDCWD, "out/file", NULL));
#endif
    tried(tries, "fchmod", EPERM, fchmod(fd, 0600));
}

static void times_are_those_of_open_files(void **state)
{
    (void)state;
    in_child(work_times);
}

static void work_reader(struct tries *tries)
{
    const struct rlimit limit = { 64, 64 };
    struct winsize size;
    int ends[2], pair[2];
    char byte;

    tries->failed = jail_no_more_rights();
    if (tries->failed == 0 && pipe(ends) != 0)
        tries->failed = errno;
    if (tries->failed == 0)
        tries->failed = jail_calls(JAIL_CALLS_READER, 0);
    if (tries->failed != 0)
        return;
    calls_tried(tries, EPERM);
    const int fd = open("out/read", O_RDONLY | O_CLOEXEC);
    tried(tries, "open", 0, fd);
    tried(tries, "read", 0, pread(fd, &byte, 1, 0));
    tried(tries, "write to a pipe", 0, write(ends[1], "x", 1));
    tried(tries, "memory", 0,
          mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
              ? -1
              : 0);
#if !JAIL_SANITIZED
    tried(tries, "unlink", EPERM, unlink("in/file"));
#endif
    tried(tries, "mkdir", EPERM, mkdir("in/folder", 0700));
    tried(tries, "rename", EPERM, rename("in/file", "in/other"));
    tried(tries, "symlink", EPERM, symlink("x", "in/link"));
    tried(tries, "truncate", EPERM, truncate("out/file", 0));
    tried(tries, "socketpair", EPERM, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    tried(tries, "fork", EPERM, syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0));
    tried(tries, "kill", EPERM, kill(getppid(), 0));
    tried(tries, "memfd", EPERM, memfd_create("x", 0));
#if !JAIL_SANITIZED
    tried(tries, "open for writing", EPERM, open("out/file", O_RDWR));
    tried(tries, "create", EPERM, open("in/new", O_RDONLY | O_CREAT, 0600));
    tried(tries, "code", EPERM,
          mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
              ? -1
              : 0);
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    tried(tries, "memory to code", EPERM, mprotect(memory, 4096, PROT_READ | PROT_EXEC));
    tried(tries, "tgkill", EPERM, syscall(SYS_tgkill, getppid(), getppid(), 0));
    tried(tries, "prctl", EPERM, prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
    tried(tries, "ioctl", EPERM, ioctl(STDIN_FILENO, TIOCGWINSZ, &size));
    tried(tries, "fcntl F_SETOWN", EPERM, fcntl(ends[0], F_SETOWN, getppid()));
    tried(tries, "setrlimit", EPERM, setrlimit(RLIMIT_NOFILE, &limit));
#else
    (void)limit;
    (void)size;
#endif
}

static void a_reader_reads(void **state)
{
    (void)state;
    in_child(work_reader);
}

#if !JAIL_SANITIZED /* there a decoder may do what a reader may */
static void work_decoder(struct tries *tries)
{
    int ends[2];
    char byte;

    tries->failed = jail_no_more_rights();
    if (tries->failed == 0 && pipe(ends) != 0)
        tries->failed = errno;
    const int fd = open("out/read", O_RDONLY | O_CLOEXEC);
    if (tries->failed == 0)
        tries->failed = jail_calls(JAIL_CALLS_DECODER, 0);
    if (tries->failed != 0)
        return;
    calls_tried(tries, EPERM);
    tried(tries, "write to a pipe", 0, write(ends[1], "x", 1));
    tried(tries, "read from it", 0, read(ends[0], &byte, 1));
    tried(tries, "memory", 0,
          mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
              ? -1
              : 0);
    tried(tries, "code", EPERM,
          mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
              ? -1
              : 0);
    tried(tries, "open", EPERM, open("out/read", O_RDONLY));
    tried(tries, "list", EPERM, open("out", O_RDONLY | O_DIRECTORY));
    tried(tries, "another place", EPERM, lseek(fd, 0, SEEK_SET));
    tried(tries, "stat", EPERM, access("out/read", R_OK));
    tried(tries, "unlink", EPERM, unlink("in/file"));
    tried(tries, "fork", EPERM, syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0));
    tried(tries, "kill", EPERM, kill(1, 0));
    tried(tries, "mprotect", EPERM, mprotect(ends, 4096, PROT_READ));
}

static void a_decoder_has_memory_and_pipes_alone(void **state)
{
    (void)state;
    in_child(work_decoder);
}
#endif

static void work_files(struct tries *tries)
{
    struct jail_rules rules = { .fd = -1 };

    tries->failed = jail_no_more_rights();
    if (tries->failed == 0)
        tries->failed = jail_rules_open(&rules, JAIL_ALL);
    jail_rules_allow(&rules, "in", JAIL_READ | JAIL_WRITE);
    jail_rules_allow(&rules, "out/read", JAIL_READ);
    jail_rules_allow(&rules, "nothing", JAIL_READ | JAIL_WRITE);
    if (tries->failed == 0)
        tries->failed = jail_rules_enforce(&rules);
    if (tries->failed != 0)
        return;
    const int denied = JAIL_SANITIZED ? 0 : EACCES;
    tried(tries, "read below", 0, open("in/file", O_RDONLY));
    tried(tries, "make below", 0, open("in/new", O_RDWR | O_CREAT | O_TRUNC, 0600));
    tried(tries, "rename below", 0, rename("in/new", "in/newer"));
    tried(tries, "unlink below", 0, unlink("in/newer"));
    tried(tries, "mkdir below", 0, mkdir("in/folder", 0700));
    tried(tries, "rmdir below", 0, rmdir("in/folder"));
    tried(tries, "link below", EACCES, symlink("x", "in/link"));
    tried(tries, "pipe below", EACCES, mkfifo("in/fifo", 0600));
    tried(tries, "read the file", 0, open("out/read", O_RDONLY));
    tried(tries, "write the file", EACCES, open("out/read", O_RDWR));
    tried(tries, "unlink the file", EACCES, unlink("out/read"));
    tried(tries, "read beside it", denied, open("out/file", O_RDONLY));
    tried(tries, "list beside it", denied, open("out", O_RDONLY | O_DIRECTORY));
    tried(tries, "write beside it", EACCES, open("out/file", O_WRONLY));
    tried(tries, "make beside it", EACCES, open("out/new", O_WRONLY | O_CREAT, 0600));
    tried(tries, "mkdir beside it", EACCES, mkdir("out/folder", 0700));
    tried(tries, "out of it", rules.version >= 2 ? EACCES : EXDEV, rename("in/file", "out/gone"));
    tried(tries, "a password", denied, open("/etc/shadow", O_RDONLY));
    if (rules.version >= 3)
        tried(tries, "cut it", EACCES, truncate("out/file", 0));
    if (rules.version >= 6)
        tried(tries, "a signal outside", EPERM, kill(getppid(), 0));
}

static void files_are_where_the_rules_say(void **state)
{
    (void)state;
    if (jail_landlock() == 0) {
        print_message("this kernel has no Landlock\n");
        skip();
    }
    print_message("Landlock %d\n", jail_landlock());
    in_child(work_files);
}

static void work_writing(struct tries *tries)
{
    struct jail_rules rules = { .fd = -1 };

    tries->failed = jail_no_more_rights();
    if (tries->failed == 0)
        tries->failed = jail_rules_open(&rules, JAIL_WRITING);
    jail_rules_allow(&rules, "in", JAIL_WRITE);
    if (tries->failed == 0)
        tries->failed = jail_rules_enforce(&rules);
    tried(tries, "read", 0, open("out/file", O_RDONLY));
    tried(tries, "write", EACCES, open("out/file", O_RDWR));
    tried(tries, "write below", 0, open("in/file", O_RDWR));
    /* A second set narrows the first. */
    if (tries->failed == 0)
        tries->failed = jail_rules_open(&rules, JAIL_WRITING);
    if (tries->failed == 0)
        tries->failed = jail_rules_enforce(&rules);
    tried(tries, "write below again", EACCES, open("in/file", O_RDWR));
}

static void rules_of_writing_leave_reading_alone(void **state)
{
    (void)state;
    if (jail_landlock() == 0) {
        print_message("this kernel has no Landlock\n");
        skip();
    }
    in_child(work_writing);
}

static void work_without(struct tries *tries)
{
    struct jail_rules rules = { .fd = -1 };

    setenv("BURIN_NO_LANDLOCK", "1", 1);
    tries->failed = jail_landlock();
    if (tries->failed == 0)
        tries->failed = jail_rules_open(&rules, JAIL_ALL);
    jail_rules_allow(&rules, "in", JAIL_READ);
    if (tries->failed == 0)
        tries->failed = jail_rules_enforce(&rules);
    tried(tries, "write", 0, open("out/file", O_RDWR));
}

static void without_landlock_nothing_is_an_error(void **state)
{
    (void)state;
    in_child(work_without);
}

static void work_capabilities(struct tries *tries)
{
    const uint64_t keep = UINT64_C(1) << JAIL_CAP_READ_SEARCH;
    char line[128] = "";

    tried(tries, "another owner", 0, chown("out/read", 12345, 12345));
    tried(tries, "read with them", 0, jail_access_without(keep, "out/read", R_OK) ? 0 : -1);
    errno = EACCES;
    tried(tries, "write without them", EACCES,
          jail_access_without(keep, "out/read", W_OK) ? 0 : -1);
    tries->failed = jail_capabilities_drop(keep);
    tried(tries, "read", 0, open("out/read", O_RDONLY));
    tried(tries, "write", EACCES, open("out/read", O_WRONLY));
    tried(tries, "give away", EPERM, chown("out/file", 12345, 12345));
    FILE *status = fopen("/proc/self/status", "re");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, "CapInh", 6) == 0 || strncmp(line, "CapAmb", 6) == 0)
            tried(tries, line, 0, strtoull(line + 7, NULL, 16) == 0 ? 0 : -1);
        else if (strncmp(line, "CapPrm", 6) == 0 || strncmp(line, "CapEff", 6) == 0 ||
                 strncmp(line, "CapBnd", 6) == 0)
            tried(tries, line, 0, strtoull(line + 7, NULL, 16) == keep ? 0 : -1);
    tried(tries, "five lines", 0, tries->count == 11 ? 0 : -1);
}

static void capabilities_are_dropped_for_ever(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        print_message("not root: no capabilities to drop\n");
        skip();
    }
    in_child(work_capabilities);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_denies_what_it_never_does),
        cmocka_unit_test(local_sockets_are_for_devices),
        cmocka_unit_test(times_are_those_of_open_files),
        cmocka_unit_test(a_reader_reads),
#if !JAIL_SANITIZED
        cmocka_unit_test(a_decoder_has_memory_and_pipes_alone),
#endif
        cmocka_unit_test(files_are_where_the_rules_say),
        cmocka_unit_test(rules_of_writing_leave_reading_alone),
        cmocka_unit_test(without_landlock_nothing_is_an_error),
        cmocka_unit_test(capabilities_are_dropped_for_ever),
    };

    return cmocka_run_group_tests(tests, make_files, remove_files);
}
