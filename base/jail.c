/* SPDX-License-Identifier: Apache-2.0
 * base/jail.c - see jail.h: rules of files, and capabilities. The numbers stand here and not in a
 * header, because headers of a distribution know less than its kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/jail.h"

/* Rights of Landlock: bits 0 to 12 since version 1. */
#define RIGHT(bit) (UINT64_C(1) << (bit))
#define RIGHT_RUN RIGHT(0)
#define RIGHT_WRITE_FILE RIGHT(1)
#define RIGHT_READ_FILE RIGHT(2)
#define RIGHT_READ_DIR RIGHT(3)
#define RIGHT_REMOVE (RIGHT(4) | RIGHT(5))
#define RIGHT_MAKE_DIR RIGHT(7)
#define RIGHT_MAKE_REG RIGHT(8)
#define RIGHT_OTHERS (RIGHT_RUN | RIGHT(6) | RIGHT(9) | RIGHT(10) | RIGHT(11) | RIGHT(12))
#define RIGHT_REFER RIGHT(13)     /* version 2 */
#define RIGHT_TRUNCATE RIGHT(14)  /* version 3 */
#define RIGHT_IOCTL_DEV RIGHT(15) /* version 5 */
#define RIGHTS_OF_FILES                                                                            \
    (RIGHT_RUN | RIGHT_WRITE_FILE | RIGHT_READ_FILE | RIGHT_TRUNCATE | RIGHT_IOCTL_DEV)
#define RIGHTS_OF_WRITING                                                                          \
    (RIGHT_WRITE_FILE | RIGHT_REMOVE | RIGHT_MAKE_DIR | RIGHT_MAKE_REG | RIGHT_OTHERS |            \
     RIGHT_REFER | RIGHT_TRUNCATE)

enum {
    RULESET_VERSION = 1, /* flag: tell the version */
    RULE_PATH = 1,
    NET_TCP = 3,       /* bind and connect; version 4 */
    SCOPE_OUTSIDE = 3, /* no abstract sockets and no signals to what is outside; version 6 */
    CAPABILITIES = 64, /* of a mask; those that the kernel has not are refused one by one */
    CAPABILITY_WORDS = 2,
};

struct jail_ruleset_attr {
    uint64_t fs, net, scoped;
};
struct jail_path_attr {
    uint64_t access;
    int32_t fd;
} __attribute__((packed));

int jail_landlock(void)
{
    if (getenv("BURIN_NO_LANDLOCK") != NULL)
        return 0;
    const long version = syscall(SYS_landlock_create_ruleset, NULL, 0, RULESET_VERSION);
    return version < 0 ? 0 : (int)version;
}

/* Where the sanitizers' reports go: the folder of log_path of their options. */
static void jail_allow_reports(struct jail_rules *rules)
{
    static const char *const options[] = { "ASAN_OPTIONS", "TSAN_OPTIONS" };
    static const char key[] = "log_path=";
    char folder[4096];

    jail_rules_allow(rules, "/", JAIL_READ);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const char *value = getenv(options[i]);
        const char *path = value == NULL ? NULL : strstr(value, key);

        if (path == NULL ||
            snprintf(folder, sizeof folder, "%s", path + sizeof key - 1) >= (int)sizeof folder)
            continue;
        folder[strcspn(folder, ":")] = '\0';
        char *slash = strrchr(folder, '/');
        if (slash != NULL)
            *slash = '\0';
        jail_rules_allow(rules, folder, JAIL_WRITE);
    }
}

int jail_rules_open(struct jail_rules *out, enum jail_about about)
{
    *out = (struct jail_rules){ .fd = -1, .version = jail_landlock() };
    if (out->version == 0)
        return 0;
    struct jail_ruleset_attr attr = { .fs = RIGHTS_OF_WRITING };
    if (about != JAIL_WRITING) {
        attr.fs |= RIGHT_READ_FILE | RIGHT_READ_DIR | RIGHT_IOCTL_DEV;
        attr.net = out->version >= 4 ? NET_TCP : 0;
        attr.scoped = out->version >= 6 ? SCOPE_OUTSIDE : 0;
    }
    if (out->version < 5)
        attr.fs &= ~RIGHT_IOCTL_DEV;
    if (out->version < 3)
        attr.fs &= ~RIGHT_TRUNCATE;
    if (out->version < 2)
        attr.fs &= ~RIGHT_REFER;
    out->handled = attr.fs;
    out->fd = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
    if (out->fd < 0)
        return errno;
    if (JAIL_SANITIZED && about != JAIL_OTHER)
        jail_allow_reports(out);
    return 0;
}

static uint64_t jail_rights(uint32_t access)
{
    uint64_t rights = 0;

    if (access & (JAIL_READ | JAIL_LIST))
        rights |= RIGHT_READ_DIR;
    if (access & JAIL_READ)
        rights |= RIGHT_READ_FILE;
    if (access & JAIL_WRITE)
        rights |= RIGHT_REMOVE | RIGHT_MAKE_DIR | RIGHT_MAKE_REG;
    if (access & (JAIL_WRITE | JAIL_UPDATE))
        rights |= RIGHT_WRITE_FILE | RIGHT_TRUNCATE;
    if (access & JAIL_RUN)
        rights |= RIGHT_RUN;
    if (access & JAIL_DEVICE)
        rights |= RIGHT_IOCTL_DEV;
    return rights;
}

void jail_rules_allow(struct jail_rules *rules, const char *path, uint32_t access)
{
    struct stat st;

    if (rules->fd < 0)
        return;
    struct jail_path_attr attr = { .access = jail_rights(access) & rules->handled,
                                   .fd = open(path, O_PATH | O_CLOEXEC) };
    if (attr.fd < 0)
        return;
    if (fstat(attr.fd, &st) == 0 && !S_ISDIR(st.st_mode))
        attr.access &= RIGHTS_OF_FILES;
    /* A rule that cannot be added allows nothing. */
    if (attr.access != 0)
        (void)syscall(SYS_landlock_add_rule, rules->fd, RULE_PATH, &attr, 0);
    close(attr.fd);
}

void jail_rules_close(struct jail_rules *rules)
{
    if (rules->fd >= 0)
        close(rules->fd);
    rules->fd = -1;
}

int jail_rules_enforce(struct jail_rules *rules)
{
    if (rules->fd < 0)
        return 0;
    const int failed = syscall(SYS_landlock_restrict_self, rules->fd, 0) != 0 ? errno : 0;
    jail_rules_close(rules);
    return failed;
}

int jail_no_more_rights(void)
{
    const struct rlimit core = { 0, 0 };

    if (setrlimit(RLIMIT_CORE, &core) != 0)
        return errno;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ? errno : 0;
}

static int jail_capabilities_get(struct __user_cap_data_struct data[CAPABILITY_WORDS])
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };

    memset(data, 0, CAPABILITY_WORDS * sizeof *data);
    return syscall(SYS_capget, &header, data) != 0 ? errno : 0;
}

static int jail_capabilities_set(const struct __user_cap_data_struct data[CAPABILITY_WORDS])
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };

    return syscall(SYS_capset, &header, data) != 0 ? errno : 0;
}

uint64_t jail_capabilities(void)
{
    struct __user_cap_data_struct data[CAPABILITY_WORDS];

    return jail_capabilities_get(data) != 0 ? 0
                                            : data[0].permitted | (uint64_t)data[1].permitted << 32;
}

int jail_capabilities_drop(uint64_t keep)
{
    struct __user_cap_data_struct data[CAPABILITY_WORDS];
    const uint64_t kept = jail_capabilities() & keep;

    /*
     * The order counts: to drop from the bounding set is a capability itself. Errors: no such
     * number, or no right to.
     */
    for (unsigned long i = 0; i < CAPABILITIES; i++)
        if ((kept >> i & 1) == 0)
            (void)prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    memset(data, 0, sizeof data);
    data[0].permitted = data[0].effective = (uint32_t)kept;
    data[1].permitted = data[1].effective = (uint32_t)(kept >> 32);
    return jail_capabilities_set(data);
}

bool jail_access_without(uint64_t capabilities, const char *path, int mode)
{
    struct __user_cap_data_struct before[CAPABILITY_WORDS], now[CAPABILITY_WORDS];

    if (jail_capabilities_get(before) != 0)
        return false;
    memcpy(now, before, sizeof now);
    now[0].effective &= (uint32_t)capabilities;
    now[1].effective &= (uint32_t)(capabilities >> 32);
    if (jail_capabilities_set(now) != 0)
        return false;
    const bool may =
        syscall(SYS_faccessat2, AT_FDCWD, path, mode, AT_EACCESS) == 0 ||
        (errno != EACCES && errno != ENOSYS); /* whatever else it is, no capability helps */
    (void)jail_capabilities_set(before);
    return may;
}
