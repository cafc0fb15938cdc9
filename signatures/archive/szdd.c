/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/szdd.c - files packed by COMPRESS of MS-DOS: SZDD, whose names end in "_".
 *
 *   "SZDD\x88\xf0\x27\x33" | 'A' | last letter of the name | u32le unpacked bytes | groups: a byte
 * of flags, lowest first: 1, a byte as it is; 0, two bytes of a match: 12 bits of place, 4 of
 * length - 3
 *
 * The groups are walked until they make as many bytes as the header tells; matches are not copied.
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum { SZDD_HEAD = 14, SZDD_FLAGS = 8, SZDD_MATCH_MIN = 3, SZDD_SIZE_MAX = 1 << 28 };

struct szdd_state {
    uint64_t at; /* object offset of the next group; 0: not begun */
    uint64_t made;
};

static struct sig_result szdd_check(struct sig_input *in, void *memory)
{
    struct szdd_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, SZDD_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t size = bytes_u32le(p + 10);
    if (p[9] > 0x7e || (p[9] != 0 && p[9] < ' ') || size == 0 || size > SZDD_SIZE_MAX)
        return sig_reject("invalid name or length");
    if (state->at == 0)
        state->at = SZDD_HEAD;
    while (state->made < size) {
        uint64_t at = state->at + 1, made = state->made;

        p = sig_bytes(in, state->at, 1);
        if (p == NULL)
            return sig_short(in);
        const uint32_t flags = *p;
        for (uint32_t i = 0; i < SZDD_FLAGS && made < size; i++) {
            const uint32_t bytes = (flags >> i & 1) != 0 ? 1 : 2;

            p = sig_bytes(in, at, bytes);
            if (p == NULL)
                return sig_short(in);
            made += bytes == 1 ? 1 : (p[1] & 0xfu) + SZDD_MATCH_MIN;
            at += bytes;
        }
        state->at = at;
        state->made = made;
        sig_valid(in, at);
    }
    if (state->made > size)
        return sig_breaks(in, "the last match goes on behind the length");
    return sig_believe(in, state->at, "the groups unpack to the length in the header");
}

const struct sig sig_szdd = {
    .name = "szdd",
    .what = "file packed by COMPRESS of MS-DOS (SZDD)",
    .proves = "literals and matches make as many bytes as the header tells; they are not unpacked",
    .source = "S. Caie, libmspack, szddd.c and doc/szdd_kwaj_format.html",
    .types = (const struct sig_type[]){ { "szdd", "szdd" }, { 0 } },
    .headers = { SIG_PATTERN("SZDD\x88\xf0\x27\x33"
                             "A") },
    .size_min = SZDD_HEAD + 2,
    .size_max = UINT64_C(1) << 29,
    .state_size = sizeof(struct szdd_state),
    .check = szdd_check,
};
