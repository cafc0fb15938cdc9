/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/sample.h - the well-formed files in tests/samples/FAMILY, for tests that every
 * format has to stand.
 *
 * FILE.fields beside FILE says, a line each:
 *
 * - sig NAME: the signature that reads it
 * - type NAME: what it must be called
 * - end open: nothing in the format says that more should follow: a file that was cut may be whole
 * - joins: another file of the type behind it makes one file (concatenated streams)
 * - end zeros: the end can only be told alone or where zeros are behind it
 * - end unknown: the end can never be told: such a file is never whole
 * - field OFFSET LEN WORDS...: bytes that the validator looks at: with any of them changed it is
 * not the same whole file; at least one, but for a signature without a header
 */
#ifndef BURIN_TESTS_SIGNATURES_SAMPLE_H
#define BURIN_TESTS_SIGNATURES_SAMPLE_H

#include "tests/asan.h"
#include "tests/signatures/harness.h"

enum { SAMPLE_BEHIND = ASAN_OR_ALL(1 << 18, 1 << 20), SAMPLE_PATH = 512 };

struct sample {
    char path[SAMPLE_PATH], type[64];
    const struct sig *sig;
    bool end_open, end_zeros, end_unknown, joins;
    uint8_t *bytes; /* len of the file, then room for SAMPLE_BEHIND + len more */
    size_t len;
    struct {
        size_t at, len;
    } fields[256];
    uint32_t field_count;
};

/*
 * Calls one(sample, context) for each sample of each family; with the name of a family in the
 * environment variable FAMILY for that one alone. Fails the test when a family has none. Returns
 * the number of samples.
 */
uint32_t samples_each(void (*one)(struct sample *sample, void *context), void *context);

/* The next byte of a fixed random sequence; *seed is not 0. */
uint8_t sample_random(uint64_t *seed);

#endif
