/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/rex.c - REX2: loops of sound, cut in slices (Propellerhead).
 *
 *   "CAT " | u32be bytes that follow | "REX2" | chunks: name | u32be length | data, even. "HEAD"
 * comes first.
 */
#include "base/bytes.h"
#include "signatures/lib/chars.h"
#include "signatures/sig.h"

enum { REX_HEAD = 12, REX_CHUNK = 8 };

struct rex_state {
    uint64_t at; /* the next chunk; 0: not begun */
};

static struct sig_result rex_check(struct sig_input *in, void *memory)
{
    struct rex_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, REX_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t end = 8 + (uint64_t)bytes_u32be(p + 4);
    if (state->at == 0)
        state->at = REX_HEAD;
    while (state->at < end) {
        p = sig_bytes(in, state->at, REX_CHUNK);
        if (p == NULL)
            return sig_short(in);
        const uint64_t len = bytes_u32be(p + 4);
        if (!text_is_printable(p, 4) || len > end - state->at - REX_CHUNK)
            return sig_breaks(in, "invalid chunk");
        state->at += REX_CHUNK + len + len % 2;
        sig_valid(in, state->at < in->limit ? state->at : in->limit);
    }
    return sig_believe(in, end, "the chunks end with the list");
}

const struct sig sig_rex = {
    .name = "rx2",
    .what = "REX2, a loop of sound in slices",
    .proves = "chunks fill the list; the sound is not read",
    .source =
        "Electronic Arts, EA IFF 85: CAT; Propellerhead, REX2 (chunks HEAD, CREI, GLOB, SDAT)",
    .types = (const struct sig_type[]){ { "rx2", "rx2" }, { 0 } },
    .headers = { SIG_MASKED("CAT \0\0\0\0REX2HEAD",
                            "\xff\xff\xff\xff\xf0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = REX_HEAD + 2 * REX_CHUNK,
    .size_max = 1 << 28,
    .state_size = sizeof(struct rex_state),
    .check = rex_check,
};
