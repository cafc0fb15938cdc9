/* SPDX-License-Identifier: Apache-2.0
 * base/jail_calls.c - filters of system calls, as programs of the kernel's packet filter (BPF).
 *
 * A filter sees the number of a call and its arguments, but no memory behind them. What it denies
 * fails with EPERM, so that a library that asks goes another way; clone3, whose arguments lie in
 * memory, fails with ENOSYS, and the C library takes clone. Source: seccomp(2).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/jail.h"

#if defined(__x86_64__)
#define CALLS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CALLS_ARCH AUDIT_ARCH_AARCH64
#endif

#ifndef CALLS_ARCH

int jail_calls(enum jail_calls calls, uint32_t flags)
{
    (void)calls;
    (void)flags;
    return ENOSYS;
}

#else

enum {
    CALLS_MAX = 1024,              /* instructions */
    CALLS_X32 = 0x40000000,        /* a bit of numbers of x86-64's second set of calls */
    CALLS_NAMESPACES = 0x7e020000, /* CLONE_NEW* but CLONE_NEWTIME, which clone cannot ask for */
    CALLS_WRITES = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND,
};
#define CALLS_DENY (SECCOMP_RET_ERRNO | EPERM)
#define CALLS_UNKNOWN (SECCOMP_RET_ERRNO | ENOSYS)
/* Where an argument's lower half lies, on little-endian processors. All tests are of ints. */
#define CALLS_ARGUMENT(number) ((uint32_t)(offsetof(struct seccomp_data, args) + 8 * (number)))

/* Numbers that older headers lack are the same on all processors. */
enum {
    CALLS_IO_URING_SETUP = 425,
    CALLS_OPEN_TREE = 428,
    CALLS_MOVE_MOUNT = 429,
    CALLS_FSOPEN = 430,
    CALLS_FSCONFIG = 431,
    CALLS_FSMOUNT = 432,
    CALLS_FSPICK = 433,
    CALLS_PIDFD_GETFD = 438,
    CALLS_MOUNT_SETATTR = 442,
    CALLS_QUOTACTL_FD = 443,
    CALLS_FCHMODAT2 = 452,
    CALLS_SETXATTRAT = 463,
    CALLS_REMOVEXATTRAT = 466,
    CALLS_OPEN_TREE_ATTR = 467,
    CALLS_FILE_SETATTR = 469,
};

struct calls_program {
    struct sock_filter code[CALLS_MAX];
    uint32_t len;
};

static void calls_put(struct calls_program *program, uint32_t code, uint32_t value,
                      uint32_t if_true, uint32_t if_false)
{
    if (program->len < CALLS_MAX)
        program->code[program->len++] =
            (struct sock_filter){ (uint16_t)code, (uint8_t)if_true, (uint8_t)if_false, value };
}

static void calls_load(struct calls_program *program, uint32_t offset)
{
    calls_put(program, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
}

/* The call of this number ends so. */
static void calls_number(struct calls_program *program, long number, uint32_t answer)
{
    calls_put(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
    calls_put(program, BPF_RET | BPF_K, answer, 0, 0);
}

/* It ends so if its argument passes the test: BPF_JEQ, is value; BPF_JSET, has a bit of value. */
static void calls_argument(struct calls_program *program, long number, uint32_t argument,
                           uint32_t test, uint32_t value, uint32_t answer)
{
    calls_put(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 4);
    calls_load(program, CALLS_ARGUMENT(argument));
    calls_put(program, BPF_JMP | test | BPF_K, value, 0, 1);
    calls_put(program, BPF_RET | BPF_K, answer, 0, 0);
    calls_load(program, offsetof(struct seccomp_data, nr));
}

/* It ends so if its argument, a pointer, is NULL: both halves of it. */
static void calls_null(struct calls_program *program, long number, uint32_t argument,
                       uint32_t answer)
{
    calls_put(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 6);
    calls_load(program, CALLS_ARGUMENT(argument));
    calls_put(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3);
    calls_load(program, CALLS_ARGUMENT(argument) + 4);
    calls_put(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
    calls_put(program, BPF_RET | BPF_K, answer, 0, 0);
    calls_load(program, offsetof(struct seccomp_data, nr));
}

/* Calls of another processor's set have other numbers. */
static void calls_begin(struct calls_program *program)
{
    calls_load(program, offsetof(struct seccomp_data, arch));
    calls_put(program, BPF_JMP | BPF_JEQ | BPF_K, CALLS_ARCH, 1, 0);
    calls_put(program, BPF_RET | BPF_K, CALLS_DENY, 0, 0);
    calls_load(program, offsetof(struct seccomp_data, nr));
    calls_put(program, BPF_JMP | BPF_JGE | BPF_K, CALLS_X32, 0, 1);
    calls_put(program, BPF_RET | BPF_K, CALLS_DENY, 0, 0);
    calls_number(program, SYS_clone3, CALLS_UNKNOWN);
}

static void calls_of_program(struct calls_program *program, uint32_t flags)
{
    /* clang-format off */
    static const long denied[] = {
#ifdef __x86_64__
        SYS_kexec_file_load, SYS_iopl, SYS_ioperm, SYS_modify_ldt, SYS_uselib, SYS_create_module,
        SYS__sysctl, SYS_chmod, SYS_chown, SYS_lchown, SYS_mknod, SYS_utime, SYS_utimes,
        SYS_futimesat,
#endif
#if !JAIL_SANITIZED /* the search for leaks stops its own threads so */
        SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev,
#endif
        /* other programs, and other processes' memory */
        SYS_execveat, SYS_kcmp, CALLS_PIDFD_GETFD, SYS_process_madvise,
        /* file systems */
        SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, SYS_unshare,
        CALLS_OPEN_TREE, CALLS_MOVE_MOUNT, CALLS_FSOPEN, CALLS_FSCONFIG, CALLS_FSMOUNT,
        CALLS_FSPICK, CALLS_MOUNT_SETATTR, CALLS_OPEN_TREE_ATTR, SYS_quotactl, CALLS_QUOTACTL_FD,
        SYS_swapon, SYS_swapoff, SYS_open_by_handle_at, SYS_name_to_handle_at, SYS_mknodat,
        SYS_fanotify_init,
        /* what files say of themselves, which Landlock does not guard */
        SYS_fchmodat, SYS_fchownat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr,
        SYS_lremovexattr, SYS_fremovexattr, CALLS_FCHMODAT2, CALLS_SETXATTRAT,
        CALLS_REMOVEXATTRAT, CALLS_FILE_SETATTR,
        /* the kernel */
        SYS_bpf, SYS_perf_event_open, SYS_init_module, SYS_finit_module, SYS_delete_module,
        SYS_kexec_load, SYS_reboot, SYS_userfaultfd, CALLS_IO_URING_SETUP, SYS_syslog, SYS_acct,
        SYS_lookup_dcookie,
        /* keys, clocks, names, processors */
        SYS_keyctl, SYS_add_key, SYS_request_key, SYS_settimeofday, SYS_clock_settime,
        SYS_clock_adjtime, SYS_adjtimex, SYS_sethostname, SYS_setdomainname, SYS_vhangup,
        SYS_migrate_pages, SYS_move_pages, SYS_personality,
    };
    /* clang-format on */
    /* Where there are none but local ones, they may be used. */
    static const long sockets[] = { SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4 };

    for (size_t i = 0; i < sizeof denied / sizeof denied[0]; i++)
        calls_number(program, denied[i], CALLS_DENY);
    if ((flags & JAIL_CALLS_MODES) == 0) {
        calls_number(program, SYS_fchmod, CALLS_DENY);
        calls_number(program, SYS_fchown, CALLS_DENY);
    }
    if (flags & JAIL_CALLS_TIMES) /* futimens: without a path it is about an open file */
        calls_null(program, SYS_utimensat, 1, SECCOMP_RET_ALLOW);
    calls_number(program, SYS_utimensat, CALLS_DENY);
    if (flags & JAIL_CALLS_LOCAL)
        calls_argument(program, SYS_socket, 0, BPF_JEQ, AF_UNIX, SECCOMP_RET_ALLOW);
    if ((flags & JAIL_CALLS_SERVER) == 0)
        calls_number(program, SYS_execve, CALLS_DENY);
    for (size_t i = 0; i < sizeof sockets / sizeof sockets[0] && (flags & JAIL_CALLS_LOCAL) == 0;
         i++)
        if ((flags & JAIL_CALLS_SERVER) == 0 ||
            (sockets[i] != SYS_accept && sockets[i] != SYS_accept4))
            calls_number(program, sockets[i], CALLS_DENY);
    calls_number(program, SYS_socket, CALLS_DENY);
    calls_argument(program, SYS_clone, 0, BPF_JSET, CALLS_NAMESPACES, CALLS_DENY);
    /* Keys typed into the terminal, and its text copied. */
    calls_argument(program, SYS_ioctl, 1, BPF_JEQ, TIOCSTI, CALLS_DENY);
    calls_argument(program, SYS_ioctl, 1, BPF_JEQ, TIOCLINUX, CALLS_DENY);
    calls_put(program, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

static void calls_of_reader(struct calls_program *program, uint32_t flags)
{
    /* clang-format off */
    static const long allowed[] = {
#ifdef __x86_64__
        SYS_access, SYS_stat, SYS_lstat, SYS_readlink, SYS_poll, SYS_time,
#endif
#if JAIL_SANITIZED /* for their reports, and the thread that they start in each process */
        SYS_mmap, SYS_mprotect, SYS_fcntl, SYS_prlimit64, SYS_tgkill, SYS_prctl, SYS_ioctl,
        SYS_sched_getaffinity, SYS_unlinkat, SYS_rseq, SYS_set_robust_list, SYS_nanosleep,
#ifdef __x86_64__
        SYS_open, SYS_unlink,
#endif
#endif
        /* files, by name and by descriptor */
        SYS_openat, SYS_close, SYS_read, SYS_readv, SYS_pread64, SYS_preadv, SYS_lseek, SYS_fstat,
        SYS_newfstatat, SYS_statx, SYS_getdents64, SYS_readlinkat, SYS_faccessat, SYS_fstatfs,
        SYS_statfs, SYS_fadvise64, SYS_flock, SYS_getcwd, SYS_dup,
        /* answers: the files that are open for writing are pipes */
        SYS_write, SYS_writev, SYS_ppoll,
        /* memory; mmap and mprotect below */
        SYS_munmap, SYS_mremap, SYS_brk, SYS_madvise,
        /* this process */
        SYS_futex, SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_getrandom,
        SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack,
        SYS_restart_syscall, SYS_sched_yield, SYS_getpid, SYS_gettid, SYS_getuid, SYS_geteuid,
        SYS_getgid, SYS_getegid, SYS_uname, SYS_sysinfo, SYS_exit, SYS_exit_group,
        SYS_clock_nanosleep, /* who may read so much in a second and no more waits */
    };
    /* clang-format on */
    static const long links[] = { SYS_sendto,  SYS_recvfrom,   SYS_sendmsg,
                                  SYS_recvmsg, SYS_setsockopt, SYS_getsockopt };
    static const uint32_t file_commands[] = { F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC };
    static const uint32_t device_questions[] = { (uint32_t)BLKGETSIZE64, (uint32_t)BLKSSZGET };

    if (!JAIL_SANITIZED)
        calls_argument(program, SYS_openat, 2, BPF_JSET, CALLS_WRITES, CALLS_DENY);
    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++)
        calls_number(program, allowed[i], SECCOMP_RET_ALLOW);
    for (size_t i = 0; i < sizeof links / sizeof links[0] && (flags & JAIL_CALLS_LINK) != 0; i++)
        calls_number(program, links[i], SECCOMP_RET_ALLOW);
    /* What is sent through a pair of another type may be addressed to any socket of the machine. */
    if (flags & JAIL_CALLS_LINK)
        calls_argument(program, SYS_socketpair, 1, BPF_JEQ, SOCK_SEQPACKET | SOCK_CLOEXEC,
                       SECCOMP_RET_ALLOW);
    for (size_t i = 0; i < sizeof file_commands / sizeof file_commands[0]; i++)
        calls_argument(program, SYS_fcntl, 1, BPF_JEQ, file_commands[i], SECCOMP_RET_ALLOW);
    for (size_t i = 0; i < sizeof device_questions / sizeof device_questions[0]; i++)
        calls_argument(program, SYS_ioctl, 1, BPF_JEQ, device_questions[i], SECCOMP_RET_ALLOW);
    /* Memory that is code cannot be made. */
    calls_argument(program, SYS_mmap, 2, BPF_JSET, PROT_EXEC, CALLS_DENY);
    calls_number(program, SYS_mmap, SECCOMP_RET_ALLOW);
    calls_argument(program, SYS_mprotect, 2, BPF_JSET, PROT_EXEC, CALLS_DENY);
    calls_number(program, SYS_mprotect, SECCOMP_RET_ALLOW);
    /* Limits may be asked for, and not set. */
    calls_argument(program, SYS_prlimit64, 2, BPF_JSET, UINT32_MAX, CALLS_DENY);
    calls_number(program, SYS_prlimit64, SECCOMP_RET_ALLOW);
    calls_put(program, BPF_RET | BPF_K, CALLS_DENY, 0, 0);
}

static void calls_of_decoder(struct calls_program *program)
{
    static const long allowed[] = { SYS_read,         SYS_write,        SYS_munmap,
                                    SYS_mremap,       SYS_madvise,      SYS_brk,
                                    SYS_futex,        SYS_getrandom,    SYS_exit_group,
                                    SYS_rt_sigreturn, SYS_clock_gettime };

    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++)
        calls_number(program, allowed[i], SECCOMP_RET_ALLOW);
    calls_argument(program, SYS_mmap, 2, BPF_JSET, PROT_EXEC, CALLS_DENY);
    calls_number(program, SYS_mmap, SECCOMP_RET_ALLOW);
    calls_put(program, BPF_RET | BPF_K, CALLS_DENY, 0, 0);
}

int jail_calls(enum jail_calls calls, uint32_t flags)
{
    struct calls_program program = { .len = 0 };

    calls_begin(&program);
    if (calls == JAIL_CALLS_PROGRAM)
        calls_of_program(&program, flags);
    else if (calls == JAIL_CALLS_READER || JAIL_SANITIZED) /* they need more */
        calls_of_reader(&program, flags);
    else
        calls_of_decoder(&program);
    const struct sock_fprog filter = { .len = (uint16_t)program.len, .filter = program.code };
    if (program.len == CALLS_MAX) /* its end may be missing */
        return E2BIG;
    const long failed =
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
    if (failed > 0) /* the thread that could not be brought under it */
        return ESRCH;
    return failed != 0 ? errno : 0;
}

#endif
