/* SPDX-License-Identifier: Apache-2.0
 * io/image/server_jail.c - the walls around a process that reads an image: see server.h. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/jail.h"
#include "io/image.h"
#include "io/image/server.h"

enum {
    JAIL_MEMORY = 2047 << 20, /* bytes that it may allocate */
    JAIL_DATA_FIELD = 5,      /* of /proc/self/statm, counted from 0: pages of data */
    JAIL_FILES = 8192,        /* open at a time: twice the parts that an image may have */
    JAIL_NEIGHBOURS =
        4096, /* files of a folder that may be parts by any name; beyond, by their name alone */
};

/* The folder of path, and where its name begins. */
static const char *jail_folder(const char *path, char folder[LIMIT_PATH])
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;

    if (slash == NULL)
        snprintf(folder, LIMIT_PATH, ".");
    else
        snprintf(folder, LIMIT_PATH, "%.*s", (int)(slash == path ? 1 : slash - path), path);
    return name;
}

void io_image_allow(struct jail_rules *rules, const char *path)
{
    char folder[LIMIT_PATH], file[LIMIT_PATH + 256];
    struct stat st;
    uint32_t others = 0;

    if (io_image_is_address(path) || (stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
        return; /* no file, or no image */
    jail_rules_allow(rules, path, JAIL_READ | JAIL_DEVICE);
    if (strlen(path) >= LIMIT_PATH || (stat(path, &st) == 0 && S_ISBLK(st.st_mode)))
        return;
    const char *name = jail_folder(path, folder), *dot = strrchr(name, '.');
    const size_t stem = dot == NULL ? strlen(name) : (size_t)(dot - name);
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return;
    jail_rules_allow(rules, folder, JAIL_LIST);
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (strncmp(entry->d_name, name, stem) != 0 && ++others > JAIL_NEIGHBOURS)
            continue;
        snprintf(file, sizeof file, "%s/%s", folder, entry->d_name);
        if (stat(file, &st) == 0 && (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode)))
            jail_rules_allow(rules, file, JAIL_READ | JAIL_DEVICE);
    }
    closedir(entries);
}

/*
 * Memory that this process has for data already; 0 where the system does not say. A sanitizer's
 * share is many terabytes.
 */
static uint64_t jail_memory_now(void)
{
    FILE *in = fopen("/proc/self/statm", "re");
    char line[256] = "";
    const char *field = line;

    if (in == NULL)
        return 0;
    if (fgets(line, sizeof line, in) == NULL)
        line[0] = '\0';
    fclose(in);
    for (uint32_t i = 0; i < JAIL_DATA_FIELD && field != NULL; i++) {
        field = strchr(field, ' ');
        field = field == NULL ? NULL : field + 1;
    }
    return field == NULL ? 0 : strtoull(field, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void jail_limits(uint64_t seconds)
{
    const rlim_t most = jail_memory_now() + JAIL_MEMORY;
    const struct rlimit memory = { most, most }, none = { 0, 0 };
    /* The soft limit ends it by SIGXCPU, which says why; of two equal ones, some kernels look at
     * the hard one first and send SIGKILL. */
    const struct rlimit cpu = { seconds, seconds + 1 };
    struct rlimit files;

    setrlimit(RLIMIT_DATA, &memory);
    setrlimit(RLIMIT_CORE, &none);
    if (!JAIL_SANITIZED) /* their reports are files */
        setrlimit(RLIMIT_FSIZE, &none);
    if (seconds > 0)
        setrlimit(RLIMIT_CPU, &cpu);
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max = files.rlim_max < JAIL_FILES ? files.rlim_max : JAIL_FILES;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

void io_server_confine(const char *path, uint64_t seconds, bool jail, bool link)
{
    const uint64_t read = UINT64_C(1) << JAIL_CAP_READ_SEARCH;
    struct jail_rules rules;

    jail_limits(seconds);
    if (jail && jail_no_more_rights() == 0) {
        if (jail_rules_open(&rules, JAIL_ALL) == 0) {
            io_image_allow(&rules, path);
            (void)jail_rules_enforce(&rules);
        }
        (void)jail_capabilities_drop(jail_access_without(0, path, R_OK) ? 0 : read);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* with the starter, whatever it does then */
    if (jail)
        (void)jail_calls(JAIL_CALLS_READER, link ? JAIL_CALLS_LINK : 0);
}
