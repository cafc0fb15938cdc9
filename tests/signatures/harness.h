/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/harness.h - runs a validator on bytes in memory.
 *
 * Goal: a verdict that does not depend on how the bytes were cut. Method: every run is repeated
 * with the bytes becoming visible in steps of several sizes, and all must agree. Each view is a
 * fresh heap block freed at the next call, so that a validator that keeps a pointer over a sig_
 * call is found by ASan and valgrind.
 */
#ifndef BURIN_TESTS_SIGNATURES_HARNESS_H
#define BURIN_TESTS_SIGNATURES_HARNESS_H

#include <stddef.h>
#include <stdint.h>

#include "signatures/fact.h"
#include "signatures/sig.h"

struct harness_verdict {
    struct sig_result result;
    const struct sig_type *type;
    uint64_t claims; /* order-free sum of the claimed offsets */
    uint32_t claim_count;
    uint64_t sure; /* sig_input.sure, open, open_count */
    struct sig_range open[SIG_OPEN_MAX];
    uint32_t open_count;
    uint64_t views; /* times that bytes were asked for: the work done, measured without a clock */
};

/* Where the validator of a run gets its bytes: the first `front` of `bytes`. */
struct harness_source {
    struct sig_source source; /* first: the validator's view of this */
    const uint8_t *bytes;
    uint64_t front; /* bytes visible so far */
    uint32_t span;  /* most bytes handed out at a time, unless more are wanted; 0: all there are */
    uint8_t *copy;  /* the last view */
    uint64_t views;
};

/* A run of a validator that the caller takes forward. */
struct harness {
    struct harness_source source;
    struct sig_input in;
    void *state; /* sig_state_size(sig, true) bytes */
    struct harness_verdict out;
};

/* Begins with no byte visible; harness_end frees what it holds. */
void harness_begin(struct harness *run, const struct sig *sig, const uint8_t *bytes, size_t len);
/*
 * Calls the validator until it has a verdict or asks for more than the first `front` bytes.
 * Returns true with a verdict in run->out.
 */
bool harness_go(struct harness *run, uint64_t front);
void harness_end(struct harness *run);

/* Checks the object at bytes[0] thoroughly (sig_input.thorough), with all bytes visible at once. */
struct harness_verdict harness_run_thorough(const struct sig *sig, const uint8_t *bytes,
                                            size_t len);

/*
 * Checks the object at bytes[0] with all bytes visible at once (step 0) or step more bytes each
 * time it asks for more. The visible stretch handed out at a time is at most span bytes (0: all of
 * it).
 */
struct harness_verdict harness_run(const struct sig *sig, const uint8_t *bytes, size_t len,
                                   size_t step, uint32_t span);

/* Likewise, all at once, as one of several objects that unpack the same bytes: see sig_unpacked. */
struct harness_verdict harness_run_shared(const struct sig *sig, const uint8_t *bytes, size_t len,
                                          uint32_t sharers);

/*
 * The facts of the object at bytes[0], as one of this type; NULL: the first of the signature. The
 * caller frees them. Aborts when they are not what fact.h says.
 */
struct sig_facts *harness_facts(const struct sig *sig, const struct sig_type *type,
                                const uint8_t *bytes, size_t len);

/* Aborts when the two verdicts on one object differ. step: how b came about, for the message. */
void harness_compare(const struct sig *sig, const struct harness_verdict *a,
                     const struct harness_verdict *b, size_t step);

/* harness_run in several ways (all at once; bytes one by one near the start; steps of 1, 7, 512,
 * 4096 … bytes), thorough or not; aborts when they differ. Returns the verdict of the check
 * that is not thorough. */
struct harness_verdict harness_check(const struct sig *sig, const uint8_t *bytes, size_t len);

/* True when one of the signature's headers stands at bytes[0] (at its own offset). */
int harness_header_matches(const struct sig *sig, const uint8_t *bytes, size_t len);

/* The built-in signature of this name; aborts when there is none. */
const struct sig *harness_sig(const char *name);

#endif
