/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/bacula.c - volumes of Bacula and Bareos.
 *
 *   blocks: u32be CRC-32 of what follows | u32be bytes of the block | u32be number | "BB02" | u32be
 * session, time | records
 *
 * The numbers of blocks count up from 0. The volume ends where no block follows.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/crc32.h"
#include "signatures/sig.h"

enum { BACULA_HEAD = 24, BACULA_BLOCK_MAX = 4 << 20 };

struct bacula_state {
    uint64_t block; /* where the block begins */
    uint64_t at;    /* summed up to here; 0: the block is new */
    uint32_t number, crc;
};

static struct sig_result bacula_check(struct sig_input *in, void *memory)
{
    struct bacula_state *state = memory;

    for (;;) {
        const uint8_t *p = sig_bytes(in, state->block, BACULA_HEAD);

        if (p == NULL && (state->block == 0 || in->wanted <= in->limit))
            return sig_short(in);
        const bool block =
            p != NULL && memcmp(p + 12, "BB02", 4) == 0 && bytes_u32be(p + 4) >= BACULA_HEAD &&
            bytes_u32be(p + 4) <= BACULA_BLOCK_MAX && bytes_u32be(p + 8) == state->number;
        if (!block && state->block == 0)
            return sig_reject("invalid block");
        if (!block)
            return sig_complete(in, state->block, "every block has its CRC");
        const uint32_t crc = bytes_u32be(p);
        const uint64_t end = state->block + bytes_u32be(p + 4);
        if (state->at == 0) {
            state->at = state->block + 4;
            state->crc = 0;
        }
        if (crc32_add(in, &state->at, end, &state->crc) == STEP_WAIT)
            return sig_short(in);
        /* A volume may have been written without CRCs. */
        if (state->crc != crc && crc != 0)
            return sig_breaks(in, "wrong CRC of a block");
        state->block = end;
        state->at = 0;
        state->number++;
        sig_valid(in, end);
    }
}

const struct sig sig_bacula = {
    .name = "bacula",
    .what = "volume of Bacula",
    .proves = "the CRC-32 of every block, whose numbers count up",
    .source = "Bacula Developers Guide: Storage Media Output Format, BB02; Bareos, block.h",
    .types = (const struct sig_type[]){ { "bacula", "bac" }, { 0 } },
    .headers = { SIG_PATTERN_AT(8, "\0\0\0\0BB02") },
    .flags = SIG_STREAM | SIG_SECTOR_ALIGNED,
    .size_min = BACULA_HEAD,
    .size_max = UINT64_C(1) << 44,
    .state_size = sizeof(struct bacula_state),
    .check = bacula_check,
};
