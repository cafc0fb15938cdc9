/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/snappy.c - Snappy's framed form (.sz), whose elements are followed without
 * unpacking them.
 *
 *   ff 06 00 00 "sNaPpY" | chunks: kind | u24le size | 00: CRC-32C, packed data | 01: CRC-32C,
 * plain data | 80-fe: to be skipped packed data: plain size, 7 bits a byte | elements: literals, or
 * copies of 2, 3, 5 bytes
 *
 * There is no end mark: the file ends behind the last chunk of data. Elements have to give the
 * plain size exactly where the chunk ends, and plain data their CRC-32C, so that a chunk which
 * stands behind the end by accident is not taken.
 */
#include <isa-l/crc.h>
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/snappy_element.h"
#include "signatures/sig.h"

enum {
    SNAPPY_HEAD = 10,
    SNAPPY_CHUNK_HEAD = 4,
    SNAPPY_SUM = 4,
    SNAPPY_PLAIN_MAX = 65536,
    SNAPPY_PACKED_MAX = 76490,
    SNAPPY_VIEW = 32 << 10,
    SNAPPY_ELEMENT_MAX = 5, /* bytes of one, but for literals */
    SNAPPY_KIND_PACKED = 0,
    SNAPPY_KIND_PLAIN = 1,
    SNAPPY_KIND_SKIPPED = 0x80, /* and those above … */
    SNAPPY_KIND_START = 0xff,   /* … but for this one */
};

struct snappy_state {
    uint64_t at; /* object offset of the next chunk, or of the next element in one; 0: not begun */
    uint64_t whole; /* end of the last chunk of data; 0: none yet */
    uint64_t chunk_end;
    uint64_t plain, made; /* of the chunk: bytes it gives; those that its elements gave so far */
    bool inside;
};

/* As enum step, and: no chunk begins here, or it does not fit into the image. */
enum snappy_step { SNAPPY_DONE, SNAPPY_WAIT, SNAPPY_BAD, SNAPPY_NONE };

static enum snappy_step snappy_elements(struct sig_input *in, struct snappy_state *state)
{
    while (state->at < state->chunk_end) {
        const uint64_t left = state->chunk_end - state->at;
        const uint32_t len = left < SNAPPY_VIEW ? (uint32_t)left : SNAPPY_VIEW;
        const uint8_t *bytes = sig_bytes(in, state->at, len);
        uint64_t at = 0;

        if (bytes == NULL)
            return SNAPPY_WAIT;
        while (at < len && (len - at >= SNAPPY_ELEMENT_MAX || len == left)) {
            const uint64_t element =
                snappy_element(bytes + at, left - at, state->plain, &state->made);
            if (element == 0 || element > left - at)
                return SNAPPY_BAD;
            at += element;
        }
        state->at += at;
    }
    if (state->made != state->plain)
        return SNAPPY_BAD;
    state->inside = false;
    state->whole = state->chunk_end;
    sig_valid(in, state->whole);
    return SNAPPY_DONE;
}

/* A chunk of packed data: its plain size, which the elements follow. */
static enum snappy_step snappy_packed(struct sig_input *in, struct snappy_state *state,
                                      uint32_t size)
{
    const uint64_t data = state->at + SNAPPY_CHUNK_HEAD + SNAPPY_SUM;
    const uint32_t most = size - SNAPPY_SUM < 3 ? size - SNAPPY_SUM : 3;
    const uint8_t *bytes =
        size <= SNAPPY_SUM || size > SNAPPY_PACKED_MAX ? NULL : sig_bytes(in, data, most);
    uint32_t plain = 0, i = 0;

    if (size <= SNAPPY_SUM || size > SNAPPY_PACKED_MAX)
        return SNAPPY_NONE;
    if (bytes == NULL)
        return SNAPPY_WAIT;
    do {
        plain |= (bytes[i] & 0x7fu) << 7 * i;
    } while ((bytes[i++] & 0x80) != 0 && i < most);
    if (plain > SNAPPY_PLAIN_MAX || (bytes[i - 1] & 0x80) != 0)
        return SNAPPY_BAD;
    state->chunk_end = state->at + SNAPPY_CHUNK_HEAD + size;
    state->at = data + i;
    state->plain = plain;
    state->made = 0;
    state->inside = true;
    return SNAPPY_DONE;
}

static enum snappy_step snappy_plain(struct sig_input *in, struct snappy_state *state,
                                     uint32_t size)
{
    const uint64_t at = state->at + SNAPPY_CHUNK_HEAD;

    if (size <= SNAPPY_SUM || size - SNAPPY_SUM > SNAPPY_PLAIN_MAX)
        return SNAPPY_NONE;
    const uint8_t *bytes = sig_bytes(in, at, SNAPPY_SUM);
    if (bytes == NULL)
        return SNAPPY_WAIT;
    const uint32_t told = bytes_u32le(bytes), len = size - SNAPPY_SUM;
    if ((bytes = sig_bytes(in, at + SNAPPY_SUM, len)) == NULL)
        return SNAPPY_WAIT;
    const uint32_t crc =
        ~crc32_iscsi((uint8_t *)(uintptr_t)bytes, (int)len, UINT32_MAX); /* ISA-L only reads it */
    if ((crc >> 15 | crc << 17) + UINT32_C(0xa282ead8) != told)
        return SNAPPY_BAD;
    state->at += SNAPPY_CHUNK_HEAD + size;
    state->whole = state->at;
    sig_valid(in, state->whole);
    return SNAPPY_DONE;
}

static enum snappy_step snappy_chunk(struct sig_input *in, struct snappy_state *state)
{
    const uint8_t *head = sig_bytes(in, state->at, SNAPPY_CHUNK_HEAD);

    if (head == NULL)
        return state->at <= in->limit && in->wanted > in->limit ? SNAPPY_NONE : SNAPPY_WAIT;
    const uint32_t kind = head[0], size = bytes_u32le(head) >> 8;
    if (kind == SNAPPY_KIND_PACKED)
        return snappy_packed(in, state, size);
    if (kind == SNAPPY_KIND_PLAIN)
        return snappy_plain(in, state, size);
    if (kind == SNAPPY_KIND_START) { /* files may be put behind each other */
        const uint8_t *magic =
            size != SNAPPY_HEAD - SNAPPY_CHUNK_HEAD ? NULL : sig_bytes(in, state->at, SNAPPY_HEAD);

        if (size != SNAPPY_HEAD - SNAPPY_CHUNK_HEAD)
            return SNAPPY_NONE;
        if (magic == NULL)
            return in->wanted > in->limit ? SNAPPY_NONE : SNAPPY_WAIT;
        if (memcmp(magic + SNAPPY_CHUNK_HEAD, "sNaPpY", 6) != 0)
            return SNAPPY_NONE;
        if (state->at > 0)
            sig_claim(in, state->at);
    } else if (kind < SNAPPY_KIND_SKIPPED || state->at + SNAPPY_CHUNK_HEAD + size > in->limit) {
        return SNAPPY_NONE;
    }
    state->at += SNAPPY_CHUNK_HEAD + size;
    return SNAPPY_DONE;
}

static struct sig_result snappy_check(struct sig_input *in, void *memory)
{
    struct snappy_state *state = memory;

    for (;;) {
        if (sig_claims_full(in))
            return sig_again(in);
        const enum snappy_step step =
            state->inside ? snappy_elements(in, state) : snappy_chunk(in, state);
        if (step == SNAPPY_DONE)
            continue;
        if (step == SNAPPY_WAIT && in->wanted > in->limit && state->whole > 0)
            sig_valid(in, in->limit);
        if (step == SNAPPY_WAIT)
            return sig_short(in);
        if (step == SNAPPY_BAD)
            return sig_breaks(in, "wrong elements or wrong checksum of a chunk");
        return state->whole > 0 ? sig_complete(in, state->whole,
                                               "the chunks follow one another, and no other "
                                               "follows")
                                : sig_reject("there is no chunk of data");
    }
}

const struct sig sig_snappy = {
    .name = "sz",
    .what = "Snappy file (framed)",
    .proves = "elements give each chunk's size at its end; plain chunks have their CRC-32C",
    .source = "Google, snappy 1.1: framing_format.txt, format_description.txt",
    .types = (const struct sig_type[]){ { "sz", "sz" }, { 0 } },
    .headers = { SIG_PATTERN("\xff\x06\0\0sNaPpY") },
    .flags = SIG_CLAIMS,
    .size_min = SNAPPY_HEAD + SNAPPY_CHUNK_HEAD + SNAPPY_SUM + 1,
    .size_max = UINT64_C(1) << 40,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct snappy_state),
    .check = snappy_check,
};
