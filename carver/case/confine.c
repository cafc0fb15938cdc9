/* SPDX-License-Identifier: Apache-2.0
 * carver/case/confine.c - see confine.h. */
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "carver/case/confine.h"
#include "db/files.h"
#include "io/image.h"
#include "io/reach.h"

#define CAP(number) (UINT64_C(1) << (number))

/* What the C library and others read when they please, and what the program asks of the system. */
static const struct {
    const char *path;
    uint32_t access;
} confine_system[] = {
    { "/usr", JAIL_READ },
    { "/lib", JAIL_READ },
    { "/lib32", JAIL_READ },
    { "/lib64", JAIL_READ },
    { "/nix/store", JAIL_READ },
    { "/gnu/store", JAIL_READ },
    { "/etc/ld.so.cache", JAIL_READ },
    { "/etc/ld.so.preload", JAIL_READ },
    { "/etc/locale.alias", JAIL_READ },
    { "/etc/localtime", JAIL_READ },
    { "/etc/nsswitch.conf", JAIL_READ },
    { "/etc/passwd", JAIL_READ },
    { "/etc/group", JAIL_READ },
    { "/etc/ssl/openssl.cnf", JAIL_READ },
    { "/etc/pki/tls/openssl.cnf", JAIL_READ },
    { "/etc/crypto-policies", JAIL_READ },
    { "/sys", JAIL_READ },
    { "/proc/self", JAIL_READ },
    { "/proc/cpuinfo", JAIL_READ },
    { "/proc/meminfo", JAIL_READ },
    { "/proc/sys/vm", JAIL_READ },
    { "/proc/swaps", JAIL_READ },
    { "/dev/null", JAIL_READ | JAIL_UPDATE | JAIL_DEVICE },
    { "/dev/zero", JAIL_READ },
    { "/dev/random", JAIL_READ },
    { "/dev/urandom", JAIL_READ },
};

void confine_open(struct confine *confine, bool off, enum confine_about about)
{
    confine->off = off;
    confine->all = about == CONFINE_ALL;
    confine->rules = (struct jail_rules){ .fd = -1 };
    confine->keep = CAP(JAIL_CAP_READ_SEARCH);
    if (off)
        return;
    /* Where there is no Landlock, or it fails, the descriptor is -1, and the note says so. */
    (void)jail_rules_open(&confine->rules, confine->all ? JAIL_ALL : JAIL_WRITING);
    for (size_t i = 0; i < sizeof confine_system / sizeof confine_system[0]; i++)
        jail_rules_allow(&confine->rules, confine_system[i].path, confine_system[i].access);
    if (!confine->all)
        confine->keep |= CAP(JAIL_CAP_OVERRIDE) | CAP(JAIL_CAP_OWNER);
}

static void confine_keep(struct confine *confine, uint32_t capability, const char *why,
                         const char *path)
{
    if ((confine->keep & CAP(capability)) != 0 || (jail_capabilities() & CAP(capability)) == 0)
        return;
    confine->keep |= CAP(capability);
    const size_t used = strlen(confine->why_keep);
    snprintf(confine->why_keep + used, sizeof confine->why_keep - used, "%s%s %.60s",
             used == 0 ? "" : ", ", why, path);
}

void confine_reach(struct confine *confine, const char *const *paths, uint32_t count)
{
    /* Where there is no such process, the image says so when it is opened. */
    for (uint32_t i = 0; i < count; i++) {
        if (!confine->entered && io_reach_is_needed(paths[i]))
            (void)!io_reach_open(NULL);
        io_reach_allow(paths[i]);
    }
}

void confine_evidence(struct confine *confine, const char *path)
{
    struct stat st;

    confine->images = true;
    confine_reach(confine, &path, 1);
    if (confine->off)
        return;
    io_image_allow(&confine->rules, path);
    /* Only a file's owner, or that capability, may read it and leave the time of that alone. */
    if (stat(path, &st) == 0 && st.st_uid != geteuid())
        confine_keep(confine, JAIL_CAP_OWNER, "to leave the times alone of", path);
}

void confine_read(struct confine *confine, const char *path)
{
    if (!confine->off)
        jail_rules_allow(&confine->rules, path, JAIL_READ);
}

/* The capability to write where the file's mode does not let its user. */
static void confine_may_write(struct confine *confine, const char *path, int mode)
{
    if (access(path, F_OK) == 0 && !jail_access_without(CAP(JAIL_CAP_READ_SEARCH), path, mode))
        confine_keep(confine, JAIL_CAP_OVERRIDE, "to write", path);
}

static void confine_below(struct confine *confine, const char *folder)
{
    jail_rules_allow(&confine->rules, folder, JAIL_READ | JAIL_WRITE);
    confine_may_write(confine, folder, W_OK | X_OK);
}

void confine_case(struct confine *confine, const char *path)
{
    char absolute[PATH_MAX], name[DB_FILE_NAME_MAX];

    /* Opening it says what is wrong. */
    if (confine->off || db_file_absolute(path, absolute, NULL) != ERR_OK)
        return;
    for (int i = 0; i < DB_FILES_COUNT; i++) {
        db_file_name(absolute, (enum db_file)i, name);
        confine_may_write(confine, name, R_OK | W_OK);
    }
    db_files_shards(absolute, name); /* which may hold its hits */
    if (name[0] != '\0')
        confine_read(confine, name);
    *strrchr(absolute, '/') = '\0';
    const char *folder = absolute[0] != '\0' ? absolute : "/", *aside = getenv("TMPDIR");
    confine_below(confine, folder);
    if (access(folder, W_OK) != 0) { /* a case that is only read may have to be sorted */
        folder = aside != NULL ? aside : "/var/tmp";
        confine_below(confine, folder);
    }
    setenv("SQLITE_TMPDIR", folder, 1);
}

void confine_folder(struct confine *confine, const char *path)
{
    char above[PATH_MAX];

    if (confine->off || snprintf(above, sizeof above, "%s", path) >= (int)sizeof above)
        return;
    while (access(above, F_OK) != 0 && errno == ENOENT) {
        char *slash = strrchr(above, '/');

        if (slash == NULL) {
            snprintf(above, sizeof above, ".");
            break;
        }
        slash[slash == above] = '\0';
    }
    confine_below(confine, above);
}

void confine_devices(struct confine *confine)
{
    static const char *const nodes[] = { "/dev/nvidia*", "/dev/nvidia-caps/*" };
    static const char *const reads[] = {
        "/proc/driver/nvidia", "/proc/devices", "/proc/modules", "/proc/version", "/opt",
        "/etc/nvidia",         "/dev/shm"
    };
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char path[PATH_MAX];
    glob_t found;

    confine->calls |= JAIL_CALLS_LOCAL;
    if (confine->off)
        return;
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        if (glob(nodes[i], 0, NULL, &found) != 0)
            continue;
        for (size_t k = 0; k < found.gl_pathc; k++)
            jail_rules_allow(&confine->rules, found.gl_pathv[k],
                             JAIL_READ | JAIL_UPDATE | JAIL_DEVICE);
        globfree(&found);
    }
    for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++)
        jail_rules_allow(&confine->rules, reads[i], JAIL_READ);
    /* The driver names its threads there, and does not start where it cannot. */
    jail_rules_allow(&confine->rules, "/proc/self/task", JAIL_READ | JAIL_UPDATE);
    /* The shapes of kernels that were found best are kept there (match/offload/tune.h). */
    const int len = cache != NULL && cache[0] == '/'
                        ? snprintf(path, sizeof path, "%s/burin", cache)
                    : home != NULL ? snprintf(path, sizeof path, "%s/.cache/burin", home)
                                   : -1;
    if (len > 0 && (size_t)len < sizeof path) {
        (void)mkdir(path, 0700);
        jail_rules_allow(&confine->rules, path, JAIL_READ | JAIL_WRITE);
    }
}

static void confine_say(struct confine *confine, const char *what, int failed, const char *how)
{
    const size_t used = strlen(confine->note);

    snprintf(confine->note + used, sizeof confine->note - used, "%s%s%s%s",
             used == 0 ? "jail: " : "; ", what, failed != 0 ? " failed: " : how,
             failed != 0 ? strerror(failed) : "");
}

/* Rules that hold, and which. */
static void confine_files(struct confine *confine)
{
    char version[16];

    snprintf(version, sizeof version, " %d", confine->rules.version);
    if (confine->rules.version == 0)
        confine_say(confine, "no landlock in this kernel", 0, "");
    else if (confine->rules.fd < 0)
        confine_say(confine, "no landlock: its rules could not be made", 0, "");
    else
        confine_say(confine, "landlock", jail_rules_enforce(&confine->rules), version);
}

static void confine_rights(struct confine *confine)
{
    static const struct {
        uint32_t number;
        const char *name;
    } names[] = { { JAIL_CAP_READ_SEARCH, " CAP_DAC_READ_SEARCH" },
                  { JAIL_CAP_OVERRIDE, " CAP_DAC_OVERRIDE" },
                  { JAIL_CAP_OWNER, " CAP_FOWNER" } };
    const int failed = jail_capabilities_drop(confine->keep);
    const uint64_t left = jail_capabilities();
    char text[256] = "";

    for (size_t i = 0, used = 0; i < sizeof names / sizeof names[0]; i++, used = strlen(text))
        if ((left & CAP(names[i].number)) != 0)
            snprintf(text + used, sizeof text - used, "%s", names[i].name);
    if (left != 0 && confine->why_keep[0] != '\0')
        snprintf(text + strlen(text), sizeof text - strlen(text), " (%s)", confine->why_keep);
    confine_say(confine, "capabilities:", failed, left == 0 ? " none" : text);
}

/* Once: images that are open have their processes. */
static enum err_code confine_prepare(struct confine *confine, struct err *err)
{
    const bool needed = confine->images && !confine->prepared;

    confine->prepared = confine->images;
    return needed ? io_image_prepare(!confine->off, err) : ERR_OK;
}

/* What a case file will name has to be reached by a process that was made before. */
static void confine_narrow(struct confine *confine)
{
    if (!confine->entered && !confine->all)
        (void)!io_reach_open(NULL);
    io_reach_narrow(confine->all ? IO_REACH_NOTHING : IO_REACH_CASE);
}

enum err_code confine_enter(struct confine *confine, struct err *err)
{
    int failed;

    confine_narrow(confine);
    if (confine->off) {
        snprintf(confine->note, sizeof confine->note, "jail: off (--no-jail)");
        confine->entered = true;
        return confine_prepare(confine, err);
    }
    confine->note[0] = '\0';
    failed = jail_no_more_rights();
    confine_say(confine, "no_new_privs", failed, "");
    confine_files(confine);
    jail_rules_close(&confine->rules);
    confine_rights(confine);
    failed = confine->entered ? 0 : jail_calls(JAIL_CALLS_PROGRAM, confine->calls);
    confine_say(confine, "seccomp", failed, "");
    confine->entered = true;
    return confine_prepare(confine, err);
}
