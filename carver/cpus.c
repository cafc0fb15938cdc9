/* carver/cpus.c - see cpus.h. */
#include <sched.h>

#include "base/limits.h"
#include "carver/cpus.h"

uint32_t cpus_count(void)
{
    cpu_set_t set;
    const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;

    return count < 1 ? 1 : count > LIMIT_THREADS ? LIMIT_THREADS : (uint32_t)count;
}
