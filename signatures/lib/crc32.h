/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/crc32.h - the CRC-32 of bytes of an object, which a validator is given piece by
 * piece.
 *
 * It is that of ISO 3309 and ITU-T V.42, as gzip, PNG, ZIP and most others have it: the polynomial
 * 0x04c11db7, least significant bit first, inverted before and behind.
 */
#ifndef BURIN_SIGNATURES_LIB_CRC32_H
#define BURIN_SIGNATURES_LIB_CRC32_H

#include "signatures/lib/step.h"
#include "signatures/sig.h"

/*
 * Adds the bytes at object offsets *at .. to to *crc, which is that of the bytes before them: 0 for
 * none. Moves *at behind what was added; the validator keeps both between calls. Never STEP_BAD.
 */
enum step crc32_add(struct sig_input *in, uint64_t *at, uint64_t to, uint32_t *crc);

#endif
