/* SPDX-License-Identifier: Apache-2.0
 * base/jail.h - a process gives up the rights that it does not need, before it reads hostile bytes.
 *
 * The kernel offers three means, each of which may be missing: Landlock limits which files may be
 * used, seccomp limits which system calls, and capabilities may be dropped. The functions call the
 * kernel without a library. They return 0 or an errno; no function gives back a right that another
 * one gave up. Source: Linux, Documentation/userspace-api/landlock.rst and seccomp_filter.rst,
 * capabilities(7).
 *
 * Threads: Landlock rules and capabilities hold for the calling thread and for the threads and
 * processes that it starts later. So a program calls these functions before it starts its first
 * thread. The filter of system calls holds for all threads.
 */
#ifndef BURIN_BASE_JAIL_H
#define BURIN_BASE_JAIL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A build with sanitizers lets more through, because they need it: all files may be read, and the
 * sanitizers' reports may be written.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define JAIL_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define JAIL_SANITIZED 1
#endif
#endif
#ifndef JAIL_SANITIZED
#define JAIL_SANITIZED 0
#endif

/* What a rule allows to do with a file, or with everything below a folder. */
enum jail_access {
    JAIL_READ = 1,    /* read files and list folders */
    JAIL_LIST = 2,    /* list folders, but not read files */
    JAIL_WRITE = 4,   /* write, create and remove files and folders, and no other kinds of files */
    JAIL_UPDATE = 8,  /* write to files that exist */
    JAIL_DEVICE = 16, /* use ioctl on a device */
    JAIL_RUN = 32     /* run it as a program */
};

/*
 * Which kinds of access a set of rules limits; all other kinds stay as they were. JAIL_OTHER: all,
 * of a process that will run another program, which has no sanitizers.
 */
enum jail_about { JAIL_ALL, JAIL_WRITING, JAIL_OTHER };

struct jail_rules {
    int fd;           /* -1: there is no Landlock here */
    int version;      /* version of the kernel's Landlock; 0: there is none */
    uint64_t handled; /* the LANDLOCK_ACCESS_FS_* rights that the rules limit */
};

/*
 * The version of the kernel's Landlock. 0: the kernel has none, or the environment variable
 * BURIN_NO_LANDLOCK is set, which tests use.
 */
int jail_landlock(void);

/*
 * Begins a set of rules. Access that no rule allows will be denied. Returns 0 without Landlock too.
 */
int jail_rules_open(struct jail_rules *out, enum jail_about about);

/* Adds a rule; access is a set of JAIL_*. A path that does not exist is ignored. */
void jail_rules_allow(struct jail_rules *rules, const char *path, uint32_t access);

/*
 * Makes the rules hold from now on; this cannot be undone. jail_no_more_rights must have been
 * called. Releases rules.
 */
int jail_rules_enforce(struct jail_rules *rules);

/* Releases rules that were not enforced; a second time is a no-op. */
void jail_rules_close(struct jail_rules *rules);

/*
 * From now on no program that is run gains rights (no_new_privs), and the process leaves no core
 * dump.
 */
int jail_no_more_rights(void);

/* A set of system calls that stay allowed. */
enum jail_calls {
    JAIL_CALLS_PROGRAM, /* all but the calls that reading and writing files never needs */
    JAIL_CALLS_READER,  /* only calls that read: no opening for writing, no programs, no sending */
    JAIL_CALLS_DECODER, /* only memory, the clock, and what is open: reading and writing */
};
enum {
    /* With JAIL_CALLS_PROGRAM: also sockets of this machine (CUDA needs them) */
    JAIL_CALLS_LOCAL = 1,
    JAIL_CALLS_MODES = 2, /* with JAIL_CALLS_PROGRAM: also changing the mode of open files */
    /* With JAIL_CALLS_READER: also to speak through sockets that it has or is handed; it makes none
     * but pairs of its own */
    JAIL_CALLS_LINK = 4,
    /* With JAIL_CALLS_PROGRAM: also to run a program, and to take connections of a socket that it
     * has */
    JAIL_CALLS_SERVER = 8,
    /* With JAIL_CALLS_PROGRAM: also setting the times of open files. It takes no right to write:
     * of evidence that is open and belongs to this user, times could be set too. */
    JAIL_CALLS_TIMES = 16,
};

/*
 * Makes all system calls that are not in the set fail with EPERM. flags: a set of JAIL_CALLS_*.
 * Returns ENOSYS when there is no filter for this processor. jail_no_more_rights must have been
 * called.
 */
int jail_calls(enum jail_calls calls, uint32_t flags);

/* Bit numbers of capabilities: CAP_DAC_OVERRIDE and so on, see capabilities(7). */
enum { JAIL_CAP_OVERRIDE = 1, JAIL_CAP_READ_SEARCH = 2, JAIL_CAP_OWNER = 3 };

/* The capabilities that this thread may use (its permitted set), as bits. */
uint64_t jail_capabilities(void);

/*
 * Gives up all capabilities that are not in keep, for good: neither this thread nor a program that
 * it runs can get them again.
 */
int jail_capabilities_drop(uint64_t keep);

/*
 * Whether a process that has only these capabilities may use the folder or file at path as mode
 * (R_OK, W_OK, X_OK) says. False when the kernel cannot tell.
 */
bool jail_access_without(uint64_t capabilities, const char *path, int mode);

#endif
