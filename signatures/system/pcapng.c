/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/pcapng.c - captured network traffic of the newer format.
 *
 *   blocks: u32 type | u32 length | content, padded to 4 bytes | u32 length again
 *
 * A section header block begins the file and says the byte order. Nothing says how many blocks
 * there are: the file ends where no block of a known type begins; a block whose two lengths differ
 * breaks it. Further sections belong to the same file.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    PCAPNG_HEAD = 8,
    PCAPNG_BLOCK_MIN = 12,
    PCAPNG_BLOCK_MAX = 256 << 20,
    PCAPNG_SECTION = 0x0a0d0d0a,
    PCAPNG_INTERFACE = 1,
    PCAPNG_PACKET = 2, /* obsolete */
    PCAPNG_ENHANCED = 6,
};

struct pcapng_state {
    uint64_t at; /* next block */
    bool big_endian;
    uint32_t interfaces; /* of this section */
};

static uint32_t pcapng_u32(const struct pcapng_state *state, const uint8_t *p)
{
    return state->big_endian ? bytes_u32be(p) : bytes_u32le(p);
}

static bool pcapng_known(uint32_t type)
{
    return (type >= 1 && type <= 10) || type == 0xbad || type == 0x40000bad ||
           (type >= 0x201 && type <= 0x20d) || type == 0x80000001;
}

/* What a block says of itself. p: its first 28 bytes or fewer, as many as it has. */
static bool pcapng_block_ok(struct pcapng_state *state, uint32_t type, uint32_t len,
                            const uint8_t *p)
{
    if (type == PCAPNG_INTERFACE) {
        state->interfaces++;
        return len >= 20 && pcapng_u32(state, p + 12) <= PCAPNG_BLOCK_MAX;
    }
    if (type != PCAPNG_ENHANCED && type != PCAPNG_PACKET)
        return true;
    const uint8_t *which = p + 8;
    const uint32_t interface = type == PCAPNG_ENHANCED ? pcapng_u32(state, which)
                               : state->big_endian     ? bytes_u16be(which)
                                                       : bytes_u16le(which);
    return len >= 32 && interface < state->interfaces && pcapng_u32(state, p + 20) <= len - 32;
}

/* *len: of the block; 0: none begins here. */
static enum step pcapng_block(struct sig_input *in, struct pcapng_state *state, uint32_t *len)
{
    const uint8_t *p = sig_bytes(in, state->at, PCAPNG_BLOCK_MIN);

    *len = 0;
    if (p == NULL)
        return in->wanted > in->limit && state->at > 0 ? STEP_DONE : STEP_WAIT;
    struct pcapng_state next = *state;
    const bool section = bytes_u32le(p) == PCAPNG_SECTION;
    if (section) {
        next.big_endian = bytes_u32be(p + 8) == 0x1a2b3c4d;
        next.interfaces = 0;
        if (!next.big_endian && bytes_u32le(p + 8) != 0x1a2b3c4d)
            return state->at == 0 ? STEP_BAD : STEP_DONE;
    }
    const uint32_t type = pcapng_u32(&next, p), size = pcapng_u32(&next, p + 4),
                   padded = (size + 3) & ~3u;
    if (!section && !pcapng_known(type))
        return STEP_DONE;
    if (size < PCAPNG_BLOCK_MIN || size > PCAPNG_BLOCK_MAX || (section && size < 28))
        return STEP_BAD;
    p = sig_bytes(in, state->at + padded - 4, 4);
    if (p == NULL)
        return STEP_WAIT;
    if (pcapng_u32(&next, p) != size)
        return STEP_BAD;
    p = sig_bytes(in, state->at,
                  size < 28 ? size
                            : 28); /* a section's version is in the header; later ones may differ */
    if (p == NULL)
        return STEP_WAIT;
    if (!pcapng_block_ok(&next, type, size, p))
        return STEP_BAD;
    if (section) /* not before all of it is there: a block that has to wait is read again */
        sig_claim(in, state->at);
    *state = next;
    *len = padded;
    return STEP_DONE;
}

static struct sig_result pcapng_check(struct sig_input *in, void *memory)
{
    struct pcapng_state *state = memory;
    uint32_t len = 0;

    do {
        if (sig_claims_full(in))
            return sig_again(in);
        const enum step step = pcapng_block(in, state, &len);

        if (step == STEP_WAIT && in->wanted > in->limit && state->at > 0)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "invalid block");
        state->at += len;
        sig_valid(in, state->at);
    } while (len > 0);
    return sig_complete(in, state->at, "every block has its length twice");
}

const struct sig sig_pcapng = {
    .name = "pcapng",
    .what = "captured network traffic, newer format",
    .proves = "blocks have their length twice and are of known types; packets name an interface "
              "that is there",
    .source = "IETF, draft-ietf-opsawg-pcapng, PCAP Now Generic, 3-4",
    .types = (const struct sig_type[]){ { "pcapng", "pcapng" }, { 0 } },
    .headers = { SIG_MASKED("\n\r\r\n\0\0\0\0\x4d\x3c\x2b\x1a\1\0",
                            "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff\xff\xff"),
                 SIG_MASKED("\n\r\r\n\0\0\0\0\x1a\x2b\x3c\x4d\0\1",
                            "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER | SIG_CLAIMS,
    .size_min = 28,
    .size_max = UINT64_C(1) << 40,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct pcapng_state),
    .check = pcapng_check,
};
