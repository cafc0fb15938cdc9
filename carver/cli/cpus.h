/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/cpus.h - how many threads are worth starting. */
#ifndef BURIN_CARVER_CLI_CPUS_H
#define BURIN_CARVER_CLI_CPUS_H

#include <stdint.h>

/*
 * Processors that this process may run on (taskset, cpusets), 1..LIMIT_THREADS. The environment
 * variable BURIN_CPUS says otherwise, so that tests can go every way that depends on it, on any
 * machine.
 */
uint32_t cpus_count(void);

#endif
