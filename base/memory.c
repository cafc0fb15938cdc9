/* SPDX-License-Identifier: Apache-2.0
 * base/memory.c - see memory.h. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"

enum {
    MEMORY_LINE = 256,
    MEMORY_KIB = 1024,
    MEMORY_STEP = 32 << 20, /* bytes; a heap of glibc has at most 64 MiB */
    MEMORY_APART = 4 << 20, /* bytes of what is no part of a heap */
};

static uint64_t memory_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The number behind a name at the start of a line of the file; false where there is none. name "":
 * at the start of the first line. */
static bool memory_read(const char *folder, const char *file, const char *name, uint64_t *out)
{
    char path[PATH_MAX], line[MEMORY_LINE], *end;
    const size_t len = strlen(name);
    bool found = false;

    if (snprintf(path, sizeof path, "%s/%s", folder, file) >= (int)sizeof path)
        return false;
    FILE *in = fopen(path, "re");
    if (in == NULL)
        return false;
    while (!found && fgets(line, sizeof line, in) != NULL) {
        if (strncmp(line, name, len) == 0) {
            errno = 0;
            *out = strtoull(line + len, &end, 10);
            found = end != line + len && errno == 0;
        }
        if (len == 0)
            break;
    }
    fclose(in);
    return found;
}

/* Free, or taken from caches; and in swap. */
static uint64_t memory_machine(const char *proc)
{
    uint64_t available, swap = 0;

    if (!memory_read(proc, "meminfo", "MemAvailable:", &available))
        return UINT64_MAX;
    (void)memory_read(proc, "meminfo", "SwapFree:", &swap);
    return (available + swap) * MEMORY_KIB;
}

/* What one group leaves; its caches of files give way. */
static uint64_t memory_group(const char *folder)
{
    uint64_t most, used, files = 0;

    if (!memory_read(folder, "memory.max", "", &most) || /* "max": none */
        !memory_read(folder, "memory.current", "", &used))
        return UINT64_MAX;
    (void)memory_read(folder, "memory.stat", "inactive_file ", &files);
    used = used > files ? used - files : 0;
    return most > used ? most - used : 0;
}

/* The limits of the program's group, and of all that it lies in. */
static uint64_t memory_groups(const char *proc, const char *groups)
{
    char path[PATH_MAX], line[PATH_MAX], folder[2 * PATH_MAX];
    uint64_t left = UINT64_MAX;
    FILE *in = NULL;

    if (snprintf(path, sizeof path, "%s/self/cgroup", proc) < (int)sizeof path)
        in = fopen(path, "re");
    path[0] = '\0';
    while (in != NULL && path[0] == '\0' && fgets(line, sizeof line, in) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "0::/", 4) == 0)
            snprintf(path, sizeof path, "%s", line + 3);
    }
    if (in != NULL)
        fclose(in);
    while (path[0] == '/') {
        snprintf(folder, sizeof folder, "%s%s", groups, path);
        left = memory_least(left, memory_group(folder));
        *strrchr(path, '/') = '\0';
    }
    return memory_least(left, memory_group(groups));
}

/* What the limit of address space leaves. */
static uint64_t memory_space(const char *proc)
{
    struct rlimit limit;
    uint64_t pages;

    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        !memory_read(proc, "self/statm", "", &pages))
        return UINT64_MAX;
    const uint64_t used = pages * (uint64_t)sysconf(_SC_PAGESIZE);
    return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

void memory_in_large_steps(void)
{
    mallopt(M_TOP_PAD, MEMORY_STEP);
    mallopt(M_MMAP_THRESHOLD, MEMORY_APART); /* the first call ends its growth by itself */
}

/* AddressSanitizer knows the ends of what calloc gives, and who forgot it. */
#ifdef __SANITIZE_ADDRESS__
void *memory_sparse(size_t size)
{
    return calloc(1, size);
}

void memory_sparse_free(void *memory, size_t size)
{
    (void)size;
    free(memory);
}
#else
void *memory_sparse(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

void memory_sparse_free(void *memory, size_t size)
{
    if (memory != NULL)
        munmap(memory, size);
}
#endif

uint64_t memory_left(const char *proc, const char *groups)
{
    return memory_least(memory_machine(proc),
                        memory_least(memory_groups(proc, groups), memory_space(proc)));
}
