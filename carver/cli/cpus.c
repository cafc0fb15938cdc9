/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/cpus.c - see cpus.h. */
#include <sched.h>
#include <stdlib.h>

#include "base/limits.h"
#include "carver/cli/cpus.h"

uint32_t cpus_count(void)
{
    cpu_set_t set;
    const char *forced = getenv("BURIN_CPUS");
    const unsigned long number = forced != NULL ? strtoul(forced, NULL, 10) : 0;

    if (number >= 1 && number <= LIMIT_THREADS)
        return (uint32_t)number;
    const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;

    return count < 1 ? 1 : count > LIMIT_THREADS ? LIMIT_THREADS : (uint32_t)count;
}
