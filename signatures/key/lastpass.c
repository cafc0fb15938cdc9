/* SPDX-License-Identifier: Apache-2.0
 * signatures/key/lastpass.c - vaults of LastPass, as its extensions keep them.
 *
 *   chunks: 4 capital letters or digits | u32be bytes | data; the first "LPAV", the version in
 * digits; the last "ENDM", 2 bytes, "OK"
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum { LASTPASS_CHUNK = 8, LASTPASS_BYTES_MAX = 64 << 20 };

struct lastpass_state {
    uint64_t at; /* the next chunk */
};

static struct sig_result lastpass_check(struct sig_input *in, void *memory)
{
    struct lastpass_state *state = memory;

    for (;;) {
        const uint8_t *p = sig_bytes(in, state->at, LASTPASS_CHUNK);

        if (p == NULL)
            return sig_short(in);
        const uint32_t bytes = bytes_u32be(p + 4);
        const bool last = memcmp(p, "ENDM", 4) == 0;
        for (uint32_t i = 0; i < 4; i++)
            if ((uint8_t)(p[i] - 'A') > 25 && (uint8_t)(p[i] - '0') > 9)
                return sig_breaks(in, "invalid chunk");
        if (bytes > LASTPASS_BYTES_MAX)
            return sig_breaks(in, "invalid length of a chunk");
        const uint64_t next = state->at + LASTPASS_CHUNK + bytes;
        p = sig_bytes(in, next - 1, 1);
        if (p == NULL)
            return sig_short(in);
        if (last) {
            p = sig_bytes(in, next - 2, 2);
            if (p == NULL)
                return sig_short(in);
            return bytes == 2 && memcmp(p, "OK", 2) == 0
                       ? sig_complete(in, next, "chunks lead to the last one")
                       : sig_breaks(in, "the last chunk does not say OK");
        }
        if (state->at > 0)
            sig_valid(in, next);
        state->at = next;
    }
}

const struct sig sig_lastpass = {
    .name = "lastpass",
    .what = "vault of LastPass",
    .proves = "chunks follow one another up to the last, which says OK; they are encrypted",
    .source = "LastPass, lastpass-cli 1.3, blob.c: blob_parse",
    .types = (const struct sig_type[]){ { "lastpass", "lpav" }, { 0 } },
    .headers = { SIG_MASKED("LPAV\0\0\0\0", "\xff\xff\xff\xff\xff\xff\xff\xf0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 2 * LASTPASS_CHUNK + 2,
    .size_max = 1 << 28,
    .state_size = sizeof(struct lastpass_state),
    .check = lastpass_check,
};
