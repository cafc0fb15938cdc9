/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/lit.c - Microsoft Reader books: lit.
 *
 *   "ITOLITLS" | 1 | u32le length of the header | pieces | length of the second header | class id |
 * pieces: u64le place, u64le length piece 0: FE 01 00 00 | 0 | u64le size of the file pieces 1 and
 * 2, the directory and its index: "IFCM" | 1 | chunk size | ... | 24 chunks; then the chunks:
 * "AOLL", "AOLI"
 *
 * The content behind is compressed and encrypted and not looked at.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    LIT_HEAD = 40,
    LIT_PIECE = 16,
    LIT_PIECES = 5,
    LIT_LIST_HEAD = 32,
};

struct lit_state {
    uint32_t piece, next; /* of the directory: chunk to look at */
};

/* The chunks of piece 1 or 2. NULL in *why: right. False: bytes are missing. */
static bool lit_chunks(struct sig_input *in, struct lit_state *state, uint64_t at, uint64_t len,
                       const char **why)
{
    const uint8_t *head = sig_bytes(in, at, LIT_LIST_HEAD);

    if (head == NULL)
        return false;
    const uint64_t size = bytes_u32le(head + 8), chunks = bytes_u32le(head + 24);
    *why = "invalid directory";
    if (memcmp(head, "IFCM\x01\0\0\0", 8) != 0 || size < 256 ||
        LIT_LIST_HEAD + size * chunks != len)
        return true;
    for (; state->next < chunks; state->next++) {
        const uint8_t *chunk = sig_bytes(in, at + LIT_LIST_HEAD + state->next * size, 4);

        if (chunk == NULL)
            return false;
        if (memcmp(chunk, "AOLL", 4) != 0 && memcmp(chunk, "AOLI", 4) != 0)
            return true;
    }
    *why = NULL;
    return true;
}

static struct sig_result lit_check(struct sig_input *in, void *memory)
{
    struct lit_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, LIT_HEAD + LIT_PIECES * LIT_PIECE);
    uint64_t places[LIT_PIECES], lens[LIT_PIECES];

    if (head == NULL)
        return sig_short(in);
    for (uint32_t i = 0; i < LIT_PIECES; i++) {
        places[i] = bytes_u64le(head + LIT_HEAD + i * LIT_PIECE);
        lens[i] = bytes_u64le(head + LIT_HEAD + i * LIT_PIECE + 8);
    }
    head = sig_bytes(in, places[0], 24);
    if (head == NULL)
        return sig_short(in);
    const uint64_t size = bytes_u64le(head + 8);
    if (bytes_u32le(head) != 0x1fe || lens[0] != 24)
        return sig_reject("the header does not give the size of the file");
    for (uint32_t i = 1; i < LIT_PIECES; i++)
        if (places[i] < LIT_HEAD || lens[i] > size || places[i] > size - lens[i])
            return sig_reject("the pieces are not in their places");
    for (; state->piece < 2; state->piece++) {
        const char *why;

        if (!lit_chunks(in, state, places[state->piece + 1], lens[state->piece + 1], &why))
            return sig_short(in);
        if (why != NULL)
            return sig_breaks(in, why);
        sig_valid(in, places[state->piece + 1] + lens[state->piece + 1]);
        state->next = 0;
    }
    return sig_believe(in, size, "the directory is whole, and the header gives the size");
}

const struct sig sig_lit = {
    .name = "lit",
    .what = "Microsoft Reader book",
    .proves =
        "pieces in place, every chunk of the directory is valid; content is encrypted and not read",
    .source = "Matthew T. Russotto, Microsoft Reader (.LIT) format",
    .types = (const struct sig_type[]){ { "lit", "lit" }, { 0 } },
    .headers = { SIG_PATTERN("ITOLITLS\x01\0\0\0\x28\0\0\0\x05\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = LIT_HEAD + LIT_PIECES * LIT_PIECE,
    .size_max = UINT64_C(1) << 31,
    .state_size = sizeof(struct lit_state),
    .check = lit_check,
};
