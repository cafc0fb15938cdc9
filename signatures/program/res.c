/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/res.c - res: resources of a Windows program before it is linked.
 *
 *   32 bytes of an empty entry | entries, each up to 4: u32le bytes of data | bytes of the head |
 * kind, name: ffff and a u16le, or UTF-16 and a NUL | up to 4 | u32le version | flags | language |
 * version | characteristics | data
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum { RES_EMPTY = 32, RES_ENTRY = 12, RES_HEAD_MAX = 2048 };

struct res_state {
    uint64_t at; /* the next entry; 0: not begun */
};

static struct sig_result res_check(struct sig_input *in, void *memory)
{
    struct res_state *state = memory;

    if (state->at == 0)
        state->at = RES_EMPTY;
    while (state->at < in->limit) {
        const uint8_t *p = sig_bytes(in, state->at, RES_ENTRY);

        if (p == NULL)
            return sig_short(in);
        const uint64_t data = bytes_u32le(p), head = bytes_u32le(p + 4);
        const uint32_t kind = bytes_u32le(p + 8);
        /* an entry has a kind: a number, or a letter that begins its name */
        if (head < RES_EMPTY || head > RES_HEAD_MAX || head % 4 != 0 || kind == 0 ||
            ((kind & 0xffff) == 0xffff ? kind >> 16 == 0 || kind >> 16 > 1024
                                       : (kind & 0xffff) > 0x7e))
            break;
        const uint64_t end = state->at + head + data, up = (end + 3) & ~UINT64_C(3),
                       next = up <= in->limit ? up : end;
        if (sig_bytes(in, next - 1, 1) == NULL)
            return sig_short(in);
        state->at = next;
        sig_valid(in, state->at);
    }
    if (state->at == RES_EMPTY)
        return sig_reject("there is no entry");
    return sig_believe(in, state->at, "entries follow one another, and no other does");
}

const struct sig sig_res = {
    .name = "res",
    .what = "resources of a Windows program before it is linked (res)",
    .proves = "entries have a kind and their lengths; it ends where no other follows",
    .source = "Microsoft, Resource file formats: RESOURCEHEADER",
    .types = (const struct sig_type[]){ { "res", "res" }, { 0 } },
    .headers = { SIG_PATTERN(
        "\0\0\0\0\x20\0\0\0\xff\xff\0\0\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = RES_EMPTY + 32,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct res_state),
    .check = res_check,
};
