/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/beam.c - programs compiled for Erlang and Elixir.
 *
 *   "FOR1" | u32be bytes behind it | "BEAM" | chunks: 4 letters | u32be bytes | data, up to 4
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/chars.h"
#include "signatures/sig.h"

enum { BEAM_HEAD = 12, BEAM_CHUNK = 8 };

struct beam_state {
    uint64_t at; /* the next chunk; 0: not begun */
    bool code;
};

static struct sig_result beam_check(struct sig_input *in, void *memory)
{
    struct beam_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, BEAM_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t end = 8 + (uint64_t)bytes_u32be(p + 4);
    if (state->at == 0)
        state->at = BEAM_HEAD;
    while (state->at < end) {
        p = sig_bytes(in, state->at, BEAM_CHUNK);
        if (p == NULL)
            return sig_short(in);
        for (uint32_t i = 0; i < 4; i++)
            if (!chars_is_letter(p[i]) && !chars_is_digit(p[i]))
                return sig_breaks(in, "invalid chunk");
        state->code |= memcmp(p, "Code", 4) == 0;
        const uint64_t next =
            state->at + BEAM_CHUNK + (((uint64_t)bytes_u32be(p + 4) + 3) & ~UINT64_C(3));
        if (next > end)
            return sig_breaks(in, "a chunk is longer than the file");
        if (sig_bytes(in, next - 1, 1) == NULL)
            return sig_short(in);
        state->at = next;
        sig_valid(in, state->at);
    }
    if (state->at != end || !state->code)
        return sig_reject("there is no code");
    return sig_complete(in, end, "chunks fill the form");
}

const struct sig sig_beam = {
    .name = "beam",
    .what = "program compiled for Erlang or Elixir",
    .proves = "chunks fill the form, one of them has code; it is not read",
    .source =
        "Erlang/OTP 25, lib/compiler: beam_asm; B. Gustavsson, A guide to the BEAM file format",
    .types = (const struct sig_type[]){ { "beam", "beam" }, { 0 } },
    .headers = { SIG_MASKED("FOR1????BEAM", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = BEAM_HEAD + BEAM_CHUNK,
    .size_max = 1 << 28,
    .state_size = sizeof(struct beam_state),
    .check = beam_check,
};
