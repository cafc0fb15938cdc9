/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/number.c - see number.h. */
#include "signatures/lib/number.h"

#include "base/bytes.h"
#include "base/varint.h"

enum { NUMBER_BYTES_MAX = 10 };

enum step number_read(struct sig_input *in, uint64_t *at, uint64_t *value)
{
    uint8_t bytes[NUMBER_BYTES_MAX];
    const uint8_t *next = bytes;
    uint32_t len = 0;

    do {
        const uint8_t *byte = len < sizeof bytes ? sig_bytes(in, sig_add(*at, len), 1) : NULL;

        if (byte == NULL)
            return len < sizeof bytes ? STEP_WAIT : STEP_BAD;
        bytes[len] = byte[0];
    } while (bytes[len++] >= 0x80);
    if (!varint_get(&next, bytes + len, value))
        return STEP_BAD;
    *at += len;
    return STEP_DONE;
}

enum step number_field(struct sig_input *in, uint64_t *at, struct number_field *field)
{
    uint64_t from = *at, tag;
    enum step step = number_read(in, &from, &tag);

    if (step != STEP_DONE)
        return step;
    if (tag >> 32 != 0 || tag < 8)
        return STEP_BAD;
    field->number = (uint32_t)tag >> 3;
    field->kind = tag & 7;
    if (field->kind == NUMBER_FIXED32 || field->kind == NUMBER_FIXED64) {
        const bool wide = field->kind == NUMBER_FIXED64;
        const uint8_t *p = sig_bytes(in, from, wide ? 8 : 4);

        if (p == NULL)
            return STEP_WAIT;
        field->value = wide ? bytes_u64le(p) : bytes_u32le(p);
        from += wide ? 8 : 4;
    } else if (field->kind == NUMBER_VARINT || field->kind == NUMBER_BYTES) {
        step = number_read(in, &from, &field->value);
    } else {
        step = STEP_BAD;
    }
    if (step == STEP_DONE)
        *at = from;
    return step;
}
