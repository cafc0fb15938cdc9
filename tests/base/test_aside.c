/* tests/base/test_aside.c - a thread leaves the processor of the other one, and may be anywhere afterwards. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/aside.h"

enum { TURNS = 100, TRIES = 50 };

static cpu_set_t allowed(void)
{
    cpu_set_t set;

    assert_int_equal(pthread_getaffinity_np(pthread_self(), sizeof set, &set), 0);
    return set;
}

/* The kernel may move the thread, too, so one move of many tries is enough. */
static void it_leaves_and_keeps_its_rights(void **state)
{
    const cpu_set_t before = allowed();
    struct aside aside;
    uint32_t left = 0, moved = 0;

    (void)state;
    aside_init(&aside);
    for (uint32_t i = 0; i < TURNS; i++) /* nobody is known to be anywhere */
        aside_step(&aside);
    for (uint32_t try = 0; try < TRIES; try++) {
        const int cpu = sched_getcpu();

        aside_here(&aside);
        for (uint32_t i = 0; i < TURNS && sched_getcpu() == cpu; i++)
            aside_step(&aside);
        left += sched_getcpu() != cpu;
        const int here = sched_getcpu();
        aside_leave(here);
        moved += sched_getcpu() != here;
        aside_leave(-1);
    }
    const cpu_set_t after = allowed();
    assert_true(CPU_EQUAL(&before, &after));
    assert_true((left > 0 && moved > 0) || CPU_COUNT(&before) == 1);
}

static void with_one_processor_it_stays(void **state)
{
    const cpu_set_t before = allowed();
    struct aside aside;
    cpu_set_t one;

    (void)state;
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &before))
            CPU_SET(cpu, &one);
    assert_int_equal(pthread_setaffinity_np(pthread_self(), sizeof one, &one), 0);
    aside_init(&aside);
    aside_here(&aside);
    for (uint32_t i = 0; i < TURNS; i++)
        aside_step(&aside);
    const cpu_set_t after = allowed();
    assert_true(CPU_EQUAL(&one, &after));
    assert_int_equal(pthread_setaffinity_np(pthread_self(), sizeof before, &before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_leaves_and_keeps_its_rights),
        cmocka_unit_test(with_one_processor_it_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
