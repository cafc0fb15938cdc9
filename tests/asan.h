/* SPDX-License-Identifier: Apache-2.0
 * tests/asan.h - less of the same under AddressSanitizer, where all takes many times as long, and
 * wherever nobody asks for all of it.
 *
 * For what differs in its seed or its length alone: rounds of random data, bytes behind a file, one
 * of so many bits. Each kind of case stays in all builds; BURIN_LONG=1 (./dev test long) is for
 * all.
 */
#ifndef BURIN_TESTS_ASAN_H
#define BURIN_TESTS_ASAN_H

#include <stdint.h>
#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
#define ASAN_OR_ALL(under_asan, all) (under_asan)
#else
#define ASAN_OR_ALL(under_asan, all) (all)
#endif

static inline uint32_t test_few_or_all(uint32_t few, uint32_t all)
{
    return getenv("BURIN_LONG") != NULL ? all : few;
}

/* Like ASAN_OR_ALL, when the program runs. */
#define FEW_OR_ALL(under_asan, few, all) test_few_or_all(ASAN_OR_ALL(under_asan, few), all)

#endif
