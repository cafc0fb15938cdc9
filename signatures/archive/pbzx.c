/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/pbzx.c - PBZX: what Apple's installers and updates are packed in.
 *
 *   "pbzx" | u64be bytes of a piece, unpacked | pieces: u64be bytes unpacked | u64be bytes packed |
 * as many: a file of xz, or where both are alike plain bytes
 *
 * A piece that unpacks to less than the others is the last one.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum { PBZX_HEAD = 12, PBZX_PIECE = 16, PBZX_XZ_MIN = 32 };

struct pbzx_state {
    uint64_t at; /* the next piece; 0: not begun */
};

static struct sig_result pbzx_check(struct sig_input *in, void *memory)
{
    struct pbzx_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, PBZX_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t whole = bytes_u64be(p + 4);
    if (whole < 4096 || whole > UINT64_C(1) << 32)
        return sig_reject("invalid size of pieces");
    if (state->at == 0)
        state->at = PBZX_HEAD;
    for (;;) {
        if (state->at > PBZX_HEAD && state->at == in->limit)
            return sig_believe(in, state->at, "pieces up to the end of the image");
        p = sig_bytes(in, state->at, PBZX_PIECE + 6);
        if (p == NULL)
            return sig_short(in);
        const uint64_t gives = bytes_u64be(p), len = bytes_u64be(p + 8);
        const bool plain = gives == len;
        if (gives == 0 || gives > whole || len == 0 || len > gives + PBZX_XZ_MIN * 4 ||
            (!plain &&
             (len < PBZX_XZ_MIN || memcmp(p + PBZX_PIECE, "\xfd\x37\x7a\x58\x5a\0", 6) != 0)))
            return state->at == PBZX_HEAD ? sig_reject("invalid piece")
                                          : sig_believe(in, state->at, "no other piece follows");
        const uint64_t next = state->at + PBZX_PIECE + len;
        p = sig_bytes(in, next - 2, 2);
        if (p == NULL)
            return sig_short(in);
        if (!plain && memcmp(p, "YZ", 2) != 0)
            return sig_breaks(in, "a piece does not end as xz does");
        state->at = next;
        sig_valid(in, next);
        if (gives < whole)
            return sig_complete(in, next, "pieces lead to the last, which is shorter");
    }
}

const struct sig sig_pbzx = {
    .name = "pbzx",
    .what = "PBZX, pieces of xz in Apple's installers and updates",
    .proves = "pieces begin and end as xz does, up to a shorter one; they are not unpacked",
    .source = "N. Rosenstein, pbzx 1.0.2, pbzx.c",
    .types = (const struct sig_type[]){ { "pbzx", "pbzx" }, { 0 } },
    .headers = { SIG_PATTERN("pbzx\0\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = PBZX_HEAD + PBZX_PIECE + 1,
    .size_max = UINT64_C(1) << 40,
    .state_size = sizeof(struct pbzx_state),
    .check = pbzx_check,
};
