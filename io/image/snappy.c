/* SPDX-License-Identifier: Apache-2.0
 * io/image/snappy.c - see snappy.h.
 *
 * The packed bytes begin with the number of bytes that they make. Elements follow: bytes as they
 * are, or a copy of bytes that were made before. The low two bits of an element's first byte say
 * which.
 */
#include "io/image/snappy.h"

#include <stdbool.h>
#include <string.h>

enum {
    SNAPPY_LITERAL, /* bytes as they are; all others are copies, by the bytes of their distance */
    SNAPPY_COPY_1,
    SNAPPY_COPY_2,
    SNAPPY_COPY_4,
    SNAPPY_SHORT = 60, /* a literal's length up to this one stands in its first byte */
    SNAPPY_WIDE = 16,  /* bytes copied at a time where there is room for all of them */
    SNAPPY_LEN_BYTES = 5,
};

struct snappy {
    const uint8_t *in, *in_end;
    uint8_t *out, *begin, *end;
};

/* The next count bytes as a number, little end first. */
static bool snappy_number(struct snappy *s, uint32_t count, uint32_t *value)
{
    if ((size_t)(s->in_end - s->in) < count)
        return false;
    *value = 0;
    for (uint32_t i = 0; i < count; i++)
        *value |= (uint32_t)*s->in++ << 8 * i;
    return true;
}

/* Seven bits a byte, the low ones first. */
static bool snappy_len(struct snappy *s, uint32_t *len)
{
    uint64_t value = 0;

    for (uint32_t i = 0; i < SNAPPY_LEN_BYTES && s->in < s->in_end; i++) {
        const uint8_t byte = *s->in++;

        value |= (uint64_t)(byte & 0x7f) << 7 * i;
        if (byte < 0x80) {
            *len = (uint32_t)value;
            return value <= UINT32_MAX;
        }
    }
    return false;
}

static bool snappy_literal(struct snappy *s, uint8_t tag)
{
    uint32_t len = tag >> 2;
    const size_t left = (size_t)(s->in_end - s->in), room = (size_t)(s->end - s->out);

    if (len < SNAPPY_WIDE && left >= SNAPPY_WIDE && room >= SNAPPY_WIDE) {
        memcpy(s->out, s->in, SNAPPY_WIDE);
        s->in += len + 1;
        s->out += len + 1;
        return true;
    }
    if (len >= SNAPPY_SHORT && !snappy_number(s, len - SNAPPY_SHORT + 1, &len))
        return false;
    const size_t bytes = (size_t)len + 1;
    if (bytes > (size_t)(s->in_end - s->in) || bytes > room)
        return false;
    memcpy(s->out, s->in, bytes);
    s->in += bytes;
    s->out += bytes;
    return true;
}

/* A copy that reaches into itself repeats its bytes. */
static bool snappy_copy(struct snappy *s, uint32_t distance, uint32_t len)
{
    const size_t room = (size_t)(s->end - s->out);
    const uint8_t *from = s->out - distance;

    if (distance == 0 || distance > (size_t)(s->out - s->begin) || len > room)
        return false;
    if (distance >= SNAPPY_WIDE && room >= (size_t)len + SNAPPY_WIDE) {
        for (uint32_t i = 0; i < len; i += SNAPPY_WIDE)
            memcpy(s->out + i, from + i, SNAPPY_WIDE);
    } else if (distance == 1) {
        memset(s->out, *from, len);
    } else {
        for (uint32_t i = 0; i < len; i++)
            s->out[i] = from[i];
    }
    s->out += len;
    return true;
}

static bool snappy_element(struct snappy *s)
{
    const uint8_t tag = *s->in++;
    uint32_t distance;

    switch (tag & 3) {
    case SNAPPY_LITERAL:
        return snappy_literal(s, tag);
    case SNAPPY_COPY_1:
        return snappy_number(s, 1, &distance) &&
               snappy_copy(s, (uint32_t)(tag >> 5) << 8 | distance, 4 + (tag >> 2 & 7));
    case SNAPPY_COPY_2:
        return snappy_number(s, 2, &distance) && snappy_copy(s, distance, 1 + (tag >> 2));
    default:
        return snappy_number(s, 4, &distance) && snappy_copy(s, distance, 1 + (tag >> 2));
    }
}

size_t io_snappy_unpack(const uint8_t *in, size_t len, uint8_t *out, size_t room)
{
    struct snappy s = { .in = in, .in_end = in + len, .out = out, .begin = out };
    uint32_t made = 0;

    if (!snappy_len(&s, &made) || made > room)
        return 0;
    s.end = out + made;
    while (s.in < s.in_end)
        if (!snappy_element(&s))
            return 0;
    return s.out == s.end ? made : 0;
}
