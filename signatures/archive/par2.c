/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/par2.c - PAR2: packets that repair other files.
 *
 *   "PAR2\0PKT" | u64le bytes of the packet | MD5 of all behind it | set | kind | body
 *
 * Packets of one set follow one another. Nothing counts them: the file ends where none follows.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum { PAR2_HEAD = 64, PAR2_SET = 32, PAR2_KIND = 48, PAR2_ID = 16 };

struct par2_state {
    uint64_t at;
    uint8_t set[PAR2_ID];
};

/* Clients may add kinds of their own; those of the specification begin in this way. */
static bool par2_kind(const uint8_t *kind)
{
    for (uint32_t i = 0; i < PAR2_ID; i++)
        if (kind[i] != 0 && (kind[i] < ' ' || kind[i] > '~'))
            return false;
    return kind[0] != 0;
}

static struct sig_result par2_check(struct sig_input *in, void *memory)
{
    struct par2_state *state = memory;

    for (;;) {
        const uint8_t *p = sig_bytes(in, state->at, PAR2_HEAD);

        if (p == NULL && (state->at == 0 || in->wanted <= in->limit))
            return sig_short(in);
        if (p == NULL || memcmp(p, "PAR2\0PKT", 8) != 0 ||
            (state->at > 0 && memcmp(p + PAR2_SET, state->set, PAR2_ID) != 0))
            return state->at == 0 ? sig_reject("no packet")
                                  : sig_believe(in, state->at, "packets of one set");
        const uint64_t length = bytes_u64le(p + 8);
        if (length < PAR2_HEAD || length % 4 != 0 || length > in->sig->size_max ||
            !par2_kind(p + PAR2_KIND))
            return state->at == 0 ? sig_reject("invalid length or kind of a packet")
                                  : sig_breaks(in, "invalid length or kind of a packet");
        memcpy(state->set, p + PAR2_SET, PAR2_ID);
        p = sig_bytes(in, state->at + length - 1, 1);
        if (p == NULL) {
            sig_valid(in, state->at + PAR2_HEAD);
            return sig_short(in);
        }
        state->at += length;
        sig_valid(in, state->at);
    }
}

const struct sig sig_par2 = {
    .name = "par2",
    .what = "PAR2, packets that repair other files",
    .proves = "packets of one set follow one another; their MD5 are not computed",
    .source = "Parity Volume Set Specification 2.0 (M. Nahas and others, 2003)",
    .types = (const struct sig_type[]){ { "par2", "par2" }, { 0 } },
    .headers = { SIG_MASKED("PAR2\0PKT\0\0\0\0\0\0\0\0",
                            "\xff\xff\xff\xff\xff\xff\xff\xff\3\0\0\0\0\xff\xff\xff") },
    .flags = SIG_STREAM,
    .size_min = PAR2_HEAD,
    .size_max = UINT64_C(1) << 40, /* policy: packets have no count */
    .state_size = sizeof(struct par2_state),
    .check = par2_check,
};
