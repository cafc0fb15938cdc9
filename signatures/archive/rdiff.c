/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/rdiff.c - deltas of librsync, as rdiff-backup, Duplicity and Dropbox keep
 * them.
 *
 *   "rs" 02 36 | commands: 00 the end | 01 to 40: as many plain bytes | 41 to 44: u8, u16, u32, u64
 * plain bytes | 45 to 54: a copy: place in 1, 2, 4, 8 bytes, then bytes in 1, 2, 4, 8; all
 * big-endian
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    RDIFF_MAGIC = 4,
    RDIFF_SHORT = 0x40,
    RDIFF_PLAIN = 0x41,
    RDIFF_COPY = 0x45,
    RDIFF_LAST = 0x54,
};

struct rdiff_state {
    uint64_t at; /* the next command; 0: not begun */
    uint32_t commands;
};

static struct sig_result rdiff_check(struct sig_input *in, void *memory)
{
    struct rdiff_state *state = memory;

    if (state->at == 0)
        state->at = RDIFF_MAGIC;
    for (;;) {
        const uint8_t *p = sig_bytes(in, state->at, 1);
        uint64_t bytes = 0;

        if (p == NULL)
            return sig_short(in);
        const uint8_t op = p[0];
        if (op == 0 && state->commands > 0)
            return sig_complete(in, state->at + 1, "commands lead to the end");
        if (op == 0 || op > RDIFF_LAST)
            return sig_breaks(in, "invalid command");
        if (op <= RDIFF_SHORT) {
            bytes = op;
        } else if (op < RDIFF_COPY) {
            const uint32_t width = 1u << (op - RDIFF_PLAIN);

            p = sig_bytes(in, state->at + 1, width);
            if (p == NULL)
                return sig_short(in);
            for (uint32_t i = 0; i < width; i++)
                bytes = bytes << 8 | p[i];
            bytes = sig_add(bytes, width);
        } else {
            bytes = (1u << (op - RDIFF_COPY) / 4) + (1u << (op - RDIFF_COPY) % 4);
        }
        const uint64_t next = sig_add(state->at + 1, bytes);
        if (sig_bytes(in, next - 1, 1) == NULL)
            return sig_short(in);
        state->at = next;
        state->commands++;
        if (next > 64)
            sig_valid(in, next);
    }
}

const struct sig sig_rdiff = {
    .name = "rdiff",
    .what = "delta of librsync (rdiff-backup, Duplicity)",
    .proves = "commands lead to the one that ends the file",
    .source = "librsync 2.3, doc/format.md; src/prototab.c",
    .types = (const struct sig_type[]){ { "rdiff", "rdiff" }, { 0 } },
    .headers = { SIG_PATTERN("rs\x02\x36") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = RDIFF_MAGIC + 2,
    .size_max = UINT64_C(1) << 40,
    .state_size = sizeof(struct rdiff_state),
    .check = rdiff_check,
};
