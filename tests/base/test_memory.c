/* SPDX-License-Identifier: Apache-2.0
 * tests/base/test_memory.c - how much memory is left, of folders as the kernel shows them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"

#define MIB (UINT64_C(1) << 20)

struct fixture {
    char folder[64], proc[80], groups[80];
};

static void put(const char *folder, const char *name, const char *text)
{
    char path[160];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    char path[160];

    snprintf(f->folder, sizeof f->folder, "/tmp/test_memory_XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->proc, sizeof f->proc, "%s/proc", f->folder);
    snprintf(f->groups, sizeof f->groups, "%s/groups", f->folder);
    const char *const folders[] = { "proc", "proc/self", "groups", "groups/a", "groups/a/b" };
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", f->folder, folders[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    char command[160];

    snprintf(command, sizeof command, "rm -r %s", f->folder);
    assert_int_equal(system(command), 0);
    free(f);
    return 0;
}

static void the_least_of_all_limits_counts(void **state)
{
    struct fixture *f = *state;

    assert_true(memory_left(f->proc, f->groups) == UINT64_MAX); /* nothing says */
    put(f->proc, "meminfo", "MemTotal:  9000000 kB\nMemAvailable:    1024 kB\nSwapFree: 2048 kB\n");
    assert_true(memory_left(f->proc, f->groups) == 3 * MIB);
    put(f->proc, "self/cgroup", "1:cpu:/\n0::/a/b\n");
    assert_true(memory_left(f->proc, f->groups) == 3 * MIB);
    put(f->groups, "a/b/memory.max", "max\n");
    put(f->groups, "a/b/memory.current", "1048576\n");
    assert_true(memory_left(f->proc, f->groups) == 3 * MIB);
    put(f->groups, "a/memory.max", "4194304\n");
    put(f->groups, "a/memory.current", "3145728\n");
    assert_true(memory_left(f->proc, f->groups) == MIB);
    put(f->groups, "a/memory.stat", "anon 5\ninactive_file 1048576\nfile 9\n");
    assert_true(memory_left(f->proc, f->groups) == 2 * MIB);
    put(f->groups, "a/b/memory.max", "1048576\n");
    assert_true(memory_left(f->proc, f->groups) == 0);
    put(f->groups, "a/b/memory.max", "junk\n");
    assert_true(memory_left(f->proc, f->groups) == 2 * MIB);
}

static void the_limit_of_address_space_counts(void **state)
{
    struct fixture *f = *state;
    const rlim_t most = (rlim_t)1 << 46; /* more than sanitizers take */
    const struct rlimit limit = { .rlim_cur = most, .rlim_max = most };
    int status = 0;

    put(f->proc, "self/statm", "256 10 10 1 0 10 0\n");
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
        const int set = setrlimit(RLIMIT_AS, &limit);

        _exit(set == 0 && memory_left(f->proc, f->groups) == most - 256 * page ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void this_machine_has_some(void **state)
{
    (void)state;
    assert_true(memory_left("/proc", "/sys/fs/cgroup") > MIB);
}

/* So does a heap give them, when others have written there: what was given back is given again. */
static void what_is_sparse_is_zero(void **state)
{
    static const uint8_t zeros[4096];

    (void)state;
    for (int round = 0; round < 3; round++) {
        uint8_t *bytes = memory_sparse(3 * MIB);

        assert_non_null(bytes);
        assert_int_equal((uintptr_t)bytes % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < 3 * MIB; i += sizeof zeros)
            assert_memory_equal(bytes + i, zeros, sizeof zeros);
        memset(bytes, 0xa5, 3 * MIB);
        memory_sparse_free(bytes, 3 * MIB);
    }
    memory_sparse_free(NULL, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_least_of_all_limits_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_limit_of_address_space_counts, set_up, tear_down),
        cmocka_unit_test(this_machine_has_some),
        cmocka_unit_test(what_is_sparse_is_zero),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
