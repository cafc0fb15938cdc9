/*
 * base/jail.h - a process gives up what it does not need, before it reads bytes that may mean harm.
 *
 * Three walls of the kernel, each of which may be missing: Landlock (which files), a filter of
 * system calls (seccomp) and capabilities. No library stands between. Functions return 0 or an
 * errno; none of them undoes what one before it did. Source: Linux,
 * Documentation/userspace-api/landlock.rst and seccomp_filter.rst, capabilities(7).
 *
 * Threads: rules of files and capabilities are the calling thread's and those of what it starts, so
 * all of this belongs before the first other thread. The filter of calls is put on all threads.
 */
#ifndef BURIN_BASE_JAIL_H
#define BURIN_BASE_JAIL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What the sanitizers need is let through in builds with them: all files may be read, and their
 * reports be written.
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

/* What may be done with a file, or with all that lies below a folder. */
enum jail_access {
    JAIL_READ = 1,   /* read files, list folders */
    JAIL_LIST = 2,   /* list folders alone */
    JAIL_WRITE = 4,  /* write, make and remove files and folders; nothing else is ever made */
    JAIL_UPDATE = 8, /* write what is there */
    JAIL_DEVICE = 16 /* ask a device for more than its bytes (ioctl) */
};

/* Which kinds of access a set of rules is about: all others stay as they were. */
enum jail_about { JAIL_ALL, JAIL_WRITING };

struct jail_rules {
    int fd;           /* -1: there is no Landlock here */
    int version;      /* of the kernel's Landlock; 0: none */
    uint64_t handled; /* rights */
};

/*
 * The version of the kernel's Landlock; 0 where it has none, or where the environment variable
 * BURIN_NO_LANDLOCK is set, which is there for tests.
 */
int jail_landlock(void);

/* Begins a set of rules: what no rule allows is denied. 0 without Landlock, too. */
int jail_rules_open(struct jail_rules *out, enum jail_about about);

/* Allows; access is a set of JAIL_*. A path that is not there needs no rule. */
void jail_rules_allow(struct jail_rules *rules, const char *path, uint32_t access);

/* From here on the rules hold, which is never undone. Needs jail_no_more_rights. Releases rules. */
int jail_rules_enforce(struct jail_rules *rules);

/* Releases rules that were not enforced; a second time is a no-op. */
void jail_rules_close(struct jail_rules *rules);

/* No program that is run from here on gives rights (no_new_privs), and no core is dumped. */
int jail_no_more_rights(void);

enum jail_calls {
    JAIL_CALLS_PROGRAM, /* all but those that a program that reads and writes files does not need */
    JAIL_CALLS_READER,  /* only those that read: open nothing for writing, run nothing, send nothing */
};
enum {
    JAIL_CALLS_LOCAL = 1, /* JAIL_CALLS_PROGRAM: sockets of this machine, which CUDA needs */
    JAIL_CALLS_MODES = 2, /* JAIL_CALLS_PROGRAM: modes of open files may be changed */
};

/*
 * Denies the calls that the set lacks, with EPERM. flags: a set of JAIL_CALLS_*. ENOSYS: no filters
 * for this processor. Needs jail_no_more_rights.
 */
int jail_calls(enum jail_calls calls, uint32_t flags);

/* Bit numbers, of capabilities(7). */
enum { JAIL_CAP_OVERRIDE = 1, JAIL_CAP_READ_SEARCH = 2, JAIL_CAP_OWNER = 3 };

/* The capabilities that this thread can use, as bits. */
uint64_t jail_capabilities(void);

/* Gives up all but keep, for ever: those in force, those that could be, and those handed on. */
int jail_capabilities_drop(uint64_t keep);

/*
 * Whether the folder or file at path may be used as mode (R_OK, W_OK, X_OK) says with these
 * capabilities alone. False where the kernel cannot say.
 */
bool jail_access_without(uint64_t capabilities, const char *path, int mode);

#endif
