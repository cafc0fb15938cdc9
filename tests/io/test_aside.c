/* tests/io/test_aside.c - a thread leaves the processor of the other one, and may be anywhere afterwards. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "io/aside.h"

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
    struct io_aside aside;
    uint32_t left = 0;

    (void)state;
    io_aside_init(&aside);
    for (uint32_t i = 0; i < TURNS; i++) /* nobody is known to be anywhere */
        io_aside_step(&aside);
    for (uint32_t try = 0; try < TRIES; try++) {
        const int cpu = sched_getcpu();

        io_aside_here(&aside);
        for (uint32_t i = 0; i < TURNS && sched_getcpu() == cpu; i++)
            io_aside_step(&aside);
        left += sched_getcpu() != cpu;
    }
    const cpu_set_t after = allowed();
    assert_true(CPU_EQUAL(&before, &after));
    assert_true(left > 0 || CPU_COUNT(&before) == 1);
}

static void with_one_processor_it_stays(void **state)
{
    const cpu_set_t before = allowed();
    struct io_aside aside;
    cpu_set_t one;

    (void)state;
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &before))
            CPU_SET(cpu, &one);
    assert_int_equal(pthread_setaffinity_np(pthread_self(), sizeof one, &one), 0);
    io_aside_init(&aside);
    io_aside_here(&aside);
    for (uint32_t i = 0; i < TURNS; i++)
        io_aside_step(&aside);
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
