/* SPDX-License-Identifier: Apache-2.0
 * tests/asan.h - less of the same under AddressSanitizer, where all takes many times as long.
 *
 * For what differs in its seed or its length alone: rounds of random data, bytes behind a file, one
 * of so many bits. The release build runs all of them; each kind of case stays in both builds.
 */
#ifndef BURIN_TESTS_ASAN_H
#define BURIN_TESTS_ASAN_H

#ifdef __SANITIZE_ADDRESS__
#define ASAN_OR_ALL(under_asan, all) (under_asan)
#else
#define ASAN_OR_ALL(under_asan, all) (all)
#endif

#endif
