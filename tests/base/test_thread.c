/* SPDX-License-Identifier: Apache-2.0
 * tests/base/test_thread.c - a thread runs once, has a name, and takes no signal. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/jail.h"
#include "base/thread.h"
#include "tests/match/match_test.h"

struct seen {
    int runs;
    pthread_t id;
    sigset_t blocked;
    char name[16];
};

static void look(void *arg)
{
    struct seen *seen = arg;

    seen->runs++;
    seen->id = pthread_self();
    pthread_sigmask(SIG_SETMASK, NULL, &seen->blocked);
    prctl(PR_GET_NAME, seen->name, 0, 0, 0);
}

/* What a child process exits with. */
static int child(int (*work)(void))
{
    int status = 0;
    const pid_t pid = fork();

    if (pid == 0)
        _exit(work());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* No address space is left for the thread's stack. */
static int start_without_memory(void)
{
    const struct rlimit none = { 0, 0 };
    struct thread thread;
    struct err err = { 0 };
    struct seen seen = { 0 };

    setrlimit(RLIMIT_AS, &none);
    if (thread_start(&thread, "looker", look, &seen, &err) != ERR_ENV || thread.started)
        return 1;
    thread_join(&thread);
    return strcmp(err.text, "the thread 'looker' cannot be started: Resource temporarily "
                            "unavailable; end other programs, or allow more threads "
                            "(ulimit -u)") == 0 &&
                   err.code == ERR_ENV && seen.runs == 0
               ? 0
               : 2;
}

/* The first test: the C library keeps the stacks of threads that have ended. */
static void the_system_may_have_no_more_threads(void **state)
{
    (void)state;
    if (JAIL_SANITIZED)
        skip();
    assert_int_equal(child(start_without_memory), 0);
}

static void a_thread_runs_once(void **state)
{
    struct thread thread = { 0 };
    struct seen seen = { 0 };

    (void)state;
    thread_join(&thread); /* none was started */
    TEST_OK(thread_start(&thread, "looker", look, &seen, &test_err));
    assert_true(thread.started);
    thread_join(&thread);
    assert_false(thread.started);
    thread_join(&thread);
    assert_int_equal(seen.runs, 1);
    assert_false(pthread_equal(seen.id, pthread_self()));
    assert_string_equal(seen.name, "burin-looker");
    TEST_OK(thread_start(&thread, "whose name is long", look, &seen, &test_err));
    thread_join(&thread);
    assert_string_equal(seen.name, "burin-whose nam");
}

static void it_takes_no_signal_but_its_own_faults(void **state)
{
    sigset_t before, after;
    struct thread thread;
    struct seen seen = { 0 };

    (void)state;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    TEST_OK(thread_start(&thread, "looker", look, &seen, &test_err));
    thread_join(&thread);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int number = 1; number < 32; number++) {
        const bool fault = number == SIGSEGV || number == SIGBUS || number == SIGFPE ||
                           number == SIGILL || number == SIGABRT || number == SIGTRAP ||
                           number == SIGSYS;

        if (number != SIGKILL && number != SIGSTOP)
            assert_int_equal(sigismember(&seen.blocked, number), !fault);
        assert_int_equal(sigismember(&after, number), sigismember(&before, number));
    }
}

static int start_in_jail(void)
{
    struct jail_rules rules = { .fd = -1 };
    struct thread thread;
    struct seen seen = { 0 };

    if (jail_no_more_rights() != 0 || jail_rules_open(&rules, JAIL_ALL) != 0 ||
        jail_rules_enforce(&rules) != 0 || jail_calls(JAIL_CALLS_PROGRAM, 0) != 0)
        return 1;
    if (thread_start(&thread, "looker", look, &seen, NULL) != ERR_OK)
        return 2;
    thread_join(&thread);
    return strcmp(seen.name, "burin-looker") == 0 ? 0 : 3;
}

static void it_has_its_name_in_the_jail_as_well(void **state)
{
    (void)state;
    assert_int_equal(child(start_in_jail), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_system_may_have_no_more_threads),
        cmocka_unit_test(a_thread_runs_once),
        cmocka_unit_test(it_takes_no_signal_but_its_own_faults),
        cmocka_unit_test(it_has_its_name_in_the_jail_as_well),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
