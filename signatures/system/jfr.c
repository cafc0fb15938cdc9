/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/jfr.c - recordings of Java's flight recorder.
 *
 *   chunks: "FLR\0" | u16be 2, 0 or 1 | u64be bytes | place of the constants | of the description |
 * nanoseconds of the start | duration | ticks of the start | ticks a second | u32be state | events
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum { JFR_HEAD = 68 };

#define JFR_CHUNK_MAX (UINT64_C(1) << 40)

struct jfr_state {
    uint64_t at;    /* the next chunk */
    uint64_t start; /* of the one before it */
};

static struct sig_result jfr_check(struct sig_input *in, void *memory)
{
    struct jfr_state *state = memory;

    while (state->at < in->limit) {
        const uint8_t *p = sig_bytes(in, state->at, JFR_HEAD);

        if (p == NULL)
            return sig_short(in);
        const uint64_t bytes = bytes_u64be(p + 8), constants = bytes_u64be(p + 16),
                       description = bytes_u64be(p + 24), start = bytes_u64be(p + 32);
        if (bytes_u32be(p) != 0x464c5200 || bytes_u16be(p + 4) < 1 || bytes_u16be(p + 4) > 2 ||
            bytes <= JFR_HEAD || bytes > JFR_CHUNK_MAX || constants >= bytes ||
            description < JFR_HEAD || description >= bytes || bytes_u64be(p + 56) == 0 ||
            start <= state->start)
            break;
        if (sig_bytes(in, state->at + bytes - 1, 1) == NULL) {
            sig_valid(in, state->at + JFR_HEAD);
            return sig_short(in);
        }
        state->at += bytes;
        state->start = start;
        sig_valid(in, state->at);
    }
    if (state->at == 0)
        return sig_reject("invalid lengths of a chunk");
    return sig_believe(in, state->at, "chunks follow one another, and no other does");
}

const struct sig sig_jfr = {
    .name = "jfr",
    .what = "recording of Java's flight recorder (JFR)",
    .proves = "constants and description of every chunk lie in it; it ends where no other follows",
    .source = "OpenJDK 17, jfr/recorder/repository/jfrChunkWriter.cpp",
    .types = (const struct sig_type[]){ { "jfr", "jfr" }, { 0 } },
    .headers = { SIG_MASKED("FLR\0\0\0\0", "\xff\xff\xff\xff\xff\xfc\xff") },
    .flags = SIG_SECTOR_ALIGNED | SIG_STREAM,
    .size_min = JFR_HEAD + 1,
    .size_max = UINT64_C(1) << 42,
    .state_size = sizeof(struct jfr_state),
    .check = jfr_check,
};
