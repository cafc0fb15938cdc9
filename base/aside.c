/* base/aside.c - see aside.h. */
#include "base/aside.h"

#include <pthread.h>
#include <sched.h>

enum { ASIDE_TURNS = 8 }; /* a move costs some ten microseconds */

void aside_init(struct aside *aside)
{
    atomic_init(&aside->other, -1);
    atomic_init(&aside->own, -1);
    aside->turns = 0;
}

void aside_here(struct aside *aside)
{
    atomic_store_explicit(&aside->other, sched_getcpu(), memory_order_relaxed);
}

/* To take a processor from those that a thread may use moves it at once, if it is there. */
void aside_leave(int cpu)
{
    cpu_set_t all, others;

    if (cpu < 0 || sched_getcpu() != cpu)
        return;
    if (pthread_getaffinity_np(pthread_self(), sizeof all, &all) != 0)
        return; /* more processors than fit: one will be idle */
    others = all;
    CPU_CLR((size_t)cpu, &others);
    if (CPU_COUNT(&others) > 0 && pthread_setaffinity_np(pthread_self(), sizeof others, &others) == 0)
        (void)pthread_setaffinity_np(pthread_self(), sizeof all, &all);
}

void aside_step(struct aside *aside)
{
    const int cpu = sched_getcpu();

    atomic_store_explicit(&aside->own, cpu, memory_order_relaxed);
    if (cpu < 0 || cpu != atomic_load_explicit(&aside->other, memory_order_relaxed)) {
        aside->turns = 0;
    } else if (++aside->turns >= ASIDE_TURNS) {
        aside->turns = 0;
        aside_leave(cpu);
    }
}
