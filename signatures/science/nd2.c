/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/nd2.c - ND2: pictures of Nikon's microscopes.
 *
 *   chunks: u32le 0x0abeceda | u32le bytes of the name | u64le bytes of the data | name | data
 *
 * A chunk follows the one before, or begins at the next multiple of 4096. The map of all chunks is
 * the last; it ends with a mark and its own place.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum { ND2_CHUNK = 16, ND2_NAME = 32, ND2_ALIGN = 4096, ND2_LAST = 40, ND2_NAME_MAX = 1 << 16 };
#define ND2_MAGIC 0x0abecedau
#define ND2_SIZE_MAX (UINT64_C(1) << 44)

static const char nd2_first[] = "ND2 FILE SIGNATURE CHUNK NAME01!",
                  nd2_map[] = "ND2 FILEMAP SIGNATURE NAME 0001!",
                  nd2_last[] = "ND2 CHUNK MAP SIGNATURE 0000001!";

struct nd2_state {
    uint64_t at;
};

/* The map ends the file. */
static struct sig_result nd2_end(struct sig_input *in, uint64_t map, uint64_t end)
{
    const uint8_t *p = sig_bytes(in, end - ND2_LAST, ND2_LAST);

    if (p == NULL)
        return sig_short(in);
    if (memcmp(p, nd2_last, ND2_NAME) != 0 || bytes_u64le(p + ND2_NAME) != map)
        return sig_breaks(in, "the map of chunks does not end with its place");
    return sig_complete(in, end, "chunks lead to their map, which ends with its place");
}

static struct sig_result nd2_check(struct sig_input *in, void *memory)
{
    struct nd2_state *state = memory;

    for (;;) {
        const uint8_t *p = sig_bytes(in, state->at, ND2_CHUNK + ND2_NAME);

        if (p == NULL)
            return sig_short(in);
        if (bytes_u32le(p) != ND2_MAGIC && state->at % ND2_ALIGN != 0) {
            state->at += ND2_ALIGN - state->at % ND2_ALIGN;
            continue;
        }
        const uint64_t name = bytes_u32le(p + 4), data = bytes_u64le(p + 8);
        if (bytes_u32le(p) != ND2_MAGIC || name == 0 || name > ND2_NAME_MAX ||
            data > ND2_SIZE_MAX ||
            (state->at == 0 && memcmp(p + ND2_CHUNK, nd2_first, ND2_NAME) != 0))
            return sig_breaks(in, "invalid chunk");
        const uint64_t end = state->at + ND2_CHUNK + name + data;
        if (memcmp(p + ND2_CHUNK, nd2_map, ND2_NAME) == 0) {
            if (data < ND2_LAST)
                return sig_breaks(in, "the map of chunks is too short");
            return nd2_end(in, state->at, end);
        }
        sig_valid(in, state->at + ND2_CHUNK);
        state->at = end;
    }
}

const struct sig sig_nd2 = {
    .name = "nd2",
    .what = "ND2, pictures of Nikon's microscopes",
    .proves = "chunks follow one another up to their map, which tells its own place",
    .source = "T. Lambert, nd2: _parse/_chunk_decode.py, structures.py",
    .types = (const struct sig_type[]){ { "nd2", "nd2" }, { 0 } },
    .headers = { SIG_PATTERN("\xda\xce\xbe\x0a\x20\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 2 * (ND2_CHUNK + ND2_NAME) + ND2_LAST,
    .size_max = ND2_SIZE_MAX,
    .state_size = sizeof(struct nd2_state),
    .check = nd2_check,
};
