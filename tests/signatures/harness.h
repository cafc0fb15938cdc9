/*
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

#include "signatures/sig.h"

struct harness_verdict {
    struct sig_result result;
    const struct sig_type *type;
    uint64_t claims; /* order-free sum of the claimed offsets */
    uint32_t claim_count;
    uint64_t views; /* times that bytes were asked for: the work done, measured without a clock */
};

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

/* harness_run in several ways (all at once; bytes one by one near the start; steps of 1, 7, 512,
 * 4096 … bytes); aborts when they differ. */
struct harness_verdict harness_check(const struct sig *sig, const uint8_t *bytes, size_t len);

/* True when one of the signature's headers stands at bytes[0] (at its own offset). */
int harness_header_matches(const struct sig *sig, const uint8_t *bytes, size_t len);

/* The built-in signature of this name; aborts when there is none. */
const struct sig *harness_sig(const char *name);

#endif
