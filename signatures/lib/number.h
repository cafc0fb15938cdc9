/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/number.h - numbers of varying length in an object: those of Protocol Buffers,
 * LevelDB and Avro (base/varint.h).
 */
#ifndef BURIN_SIGNATURES_LIB_NUMBER_H
#define BURIN_SIGNATURES_LIB_NUMBER_H

#include "signatures/lib/step.h"
#include "signatures/sig.h"

/*
 * Reads the number at object offset *at, which moves behind it. STEP_BAD: it has more than 64 bits.
 * Without STEP_DONE *at stays where it was.
 */
enum step number_read(struct sig_input *in, uint64_t *at, uint64_t *value);

/* A field of a message of Protocol Buffers: its number, kind and value. */
struct number_field {
    uint32_t number, kind;
    uint64_t value; /* of a kind with a length: its bytes, which begin at the offset behind it */
};

enum { NUMBER_VARINT = 0, NUMBER_FIXED64 = 1, NUMBER_BYTES = 2, NUMBER_FIXED32 = 5 };

/*
 * Reads the field at object offset *at, which moves to its bytes, or behind its number. STEP_BAD:
 * none begins there.
 */
enum step number_field(struct sig_input *in, uint64_t *at, struct number_field *field);

#endif
