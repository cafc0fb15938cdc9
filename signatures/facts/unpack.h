/* SPDX-License-Identifier: Apache-2.0
 * signatures/facts/unpack.h - inflates a little of an object for its facts. */
#ifndef BURIN_SIGNATURES_FACTS_UNPACK_H
#define BURIN_SIGNATURES_FACTS_UNPACK_H

#include "signatures/facts/tell.h"

enum unpack_form { UNPACK_DEFLATE, UNPACK_ZLIB };

enum { UNPACK_MOST = 40 << 10 /* bytes that one call gives, at most */ };

/*
 * Inflates the len bytes at object offset at, 48 KiB of them at most. *got becomes the number of
 * bytes that came out, UNPACK_MOST at most; they stand in facts->scratch until the next call. NULL:
 * none, or the budget is used up.
 */
const uint8_t *unpack_inflate(struct sig_facts *facts, enum unpack_form form, uint64_t at,
                              uint64_t len, uint32_t *got);

#endif
