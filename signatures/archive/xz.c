/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/xz.c - xz: streams of blocks, whose LZMA2 chunks are walked; the index has to
 * name the blocks that were met.
 *
 *   header: fd "7zXZ" 00 | flags: 00, kind of check | CRC-32
 *   block:  size / 4 | flags | [packed size] | [plain size] | filters | zeros | CRC-32 | LZMA2
 *           chunks | zeros up to 4 | check
 *   index:  00 | blocks | (size, plain size) each | zeros up to 4 | CRC-32
 *   footer: CRC-32 | size of the index / 4 - 1 | flags | "YZ"
 *
 * Chunks hold up to 64 KiB of packed data, which only a thorough check unpacks, to compare the
 * check behind a block (CRC-32, CRC-64): else bytes replaced inside of a chunk are noticed only
 * when they are no packed data (zeros, text). Blocks with other checks or filters are open
 * (sig_open). The index is compared by sums and a hash, as its length has no bound. A stream right
 * behind another one belongs to the same file. So does one behind stream padding (zeros, a multiple
 * of 4), but not where it begins on a sector: there the zeros are the slack of the file before it.
 * Padding at the end of a file is not taken.
 *
 * The older .lzma ("LZMA alone") has 13 bytes of header without a magic number, and ends where its
 * data, unpacked with a dictionary of megabytes, say so. Such a file cannot be measured by a
 * validator of bounded memory, and is not looked for.
 */
#include <isa-l/crc.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "signatures/archive/lzma2.h"
#include "signatures/lib/crc32.h"
#include "signatures/lib/step.h"

enum {
    XZ_HEAD = 12,
    XZ_VLI_MAX = 9, /* bytes of a number */
    XZ_FILTER_LZMA2 = 0x21,
    XZ_CHECK_CRC32 = 1, /* kinds of check */
    XZ_CHECK_CRC64 = 4,
    XZ_CHECK_MAX = 64, /* bytes of one */
};

enum xz_phase {
    XZ_AT_STREAM,
    XZ_AT_BLOCK,
    XZ_IN_CHUNKS,
    XZ_IN_SIZED,
    XZ_AT_CHECK,
    XZ_IN_INDEX,
    XZ_AT_INDEX_CRC,
    XZ_AT_FOOTER,
    XZ_IN_PADDING
};

struct xz_sums {
    uint64_t count, sizes, plains, hash;
};

struct xz_state {
    enum xz_phase phase;
    uint64_t at;            /* object offset: what is before it has been walked */
    uint64_t whole;         /* end of the last whole stream; 0: none yet */
    uint64_t block;         /* of the block or the index being walked */
    uint64_t data;          /* of the packed data of the block */
    uint64_t packed, plain; /* as the block's header has them; UINT64_MAX: it does not */
    uint64_t unpacked;      /* of the chunks so far */
    uint64_t decoded;       /* bytes that were unpacked, of all blocks */
    uint32_t dictionary;    /* of the block, when LZMA2 is its only filter; 0: it is not */
    struct xz_sums blocks, index;
    uint64_t records, crc_at; /* of the index: still to be read; done */
    uint32_t crc;
    uint8_t flags, check_size;
    struct lzma2 lzma2; /* of the block being walked */
};

static void xz_sum(struct xz_sums *sums, uint64_t size, uint64_t plain)
{
    sums->count++;
    sums->sizes += size;
    sums->plains += plain;
    sums->hash = (sums->hash ^ size) * UINT64_C(0x9e3779b97f4a7c15);
    sums->hash = (sums->hash ^ sums->hash >> 29 ^ plain) * UINT64_C(0xbf58476d1ce4e5b9);
}

/* A number of 7 bits a byte; steps *at over it. False: it cannot be one. */
static bool xz_number(const uint8_t *bytes, uint32_t len, uint32_t *at, uint64_t *value)
{
    *value = 0;
    for (uint32_t i = 0; i < XZ_VLI_MAX && *at < len; i++) {
        const uint8_t byte = bytes[(*at)++];

        *value |= (uint64_t)(byte & 0x7f) << 7 * i;
        if ((byte & 0x80) == 0)
            return byte != 0 || i == 0;
    }
    return false;
}

static uint32_t xz_crc(const uint8_t *bytes, uint32_t len)
{
    return crc32_gzip_refl(0, bytes, len);
}

static enum step xz_stream(struct sig_input *in, struct xz_state *state, const char **why)
{
    static const uint8_t sizes[16] = { 0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64 };
    const uint8_t *head = sig_bytes(in, state->at, XZ_HEAD);

    *why = "invalid header of a stream";
    if (head == NULL)
        return STEP_WAIT;
    if (memcmp(head, "\xfd\x37zXZ\0\0", 7) != 0 || head[7] > 15 ||
        xz_crc(head + 6, 2) != bytes_u32le(head + 8))
        return STEP_BAD;
    state->flags = head[7];
    state->check_size = sizes[head[7]];
    state->blocks = (struct xz_sums){ 0 };
    state->index = (struct xz_sums){ 0 };
    if (state->at > 0)
        sig_claim(in, state->at);
    state->at += XZ_HEAD;
    state->phase = XZ_AT_BLOCK;
    sig_valid(in, state->at);
    return STEP_DONE;
}

/* The dictionary that a property byte of LZMA2 stands for. */
static uint32_t xz_dictionary(uint8_t byte)
{
    return byte == 40 ? UINT32_MAX : (2u | (byte & 1u)) << (byte / 2 + 11);
}

/* The filters of a block, up to the padding. *lzma2: the last one is LZMA2, with properties that
 * can be. *dictionary: as in the state. */
static bool xz_filters(const uint8_t *head, uint32_t len, uint32_t *at, bool *lzma2,
                       uint32_t *dictionary)
{
    *lzma2 = false;
    *dictionary = 0;
    for (uint32_t i = 0; i <= (head[1] & 3u); i++) {
        uint64_t id, size;

        if (!xz_number(head, len, at, &id) || !xz_number(head, len, at, &size) || size > len - *at)
            return false;
        *lzma2 = id == XZ_FILTER_LZMA2;
        if (*lzma2 && (i != (head[1] & 3u) || size != 1 || head[*at] > 40))
            return false;
        if (*lzma2 && i == 0)
            *dictionary = xz_dictionary(head[*at]);
        *at += (uint32_t)size;
    }
    return true;
}

/* A block's header, or the beginning of the index. */
static enum step xz_block(struct sig_input *in, struct xz_state *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, state->at, 1);
    uint32_t at = 2;
    bool lzma2;

    *why = "invalid header of a block";
    if (head == NULL)
        return STEP_WAIT;
    state->block = state->at;
    if (head[0] == 0) {
        state->phase = XZ_IN_INDEX;
        state->records = UINT64_MAX;
        state->crc_at = state->at;
        state->crc = 0;
        return STEP_DONE;
    }
    const uint32_t size = (head[0] + 1u) * 4, len = size - 4;
    if ((head = sig_bytes(in, state->at, size)) == NULL)
        return STEP_WAIT;
    state->packed = state->plain = UINT64_MAX;
    if (xz_crc(head, len) != bytes_u32le(head + len) || (head[1] & 0x3c) != 0 ||
        ((head[1] & 0x40) && (!xz_number(head, len, &at, &state->packed) || state->packed == 0)) ||
        ((head[1] & 0x80) && !xz_number(head, len, &at, &state->plain)) ||
        !xz_filters(head, len, &at, &lzma2, &state->dictionary))
        return STEP_BAD;
    while (at < len)
        if (head[at++] != 0)
            return STEP_BAD;
    if (!lzma2 && (state->packed == UINT64_MAX || state->plain == UINT64_MAX)) {
        *why = "a block has an unknown filter and no sizes";
        return STEP_BAD;
    }
    state->at += size;
    state->data = state->at;
    state->unpacked = 0;
    state->lzma2 = (struct lzma2){ .at = state->at };
    state->phase = lzma2 ? XZ_IN_CHUNKS : XZ_IN_SIZED;
    sig_valid(in, state->at);
    return STEP_DONE;
}

/* One chunk, or the mark behind the last one; check, index and footer follow at the least. */
static enum step xz_chunk(struct sig_input *in, struct xz_state *state, const char **why)
{
    const enum lzma2_step step = lzma2_chunk(in, &state->lzma2);

    *why = step == LZMA2_LOW ? "the data here do not look compressed"
                             : "a valid chunk must follow here, and "
                               "none does";
    if (step == LZMA2_WAIT)
        return STEP_WAIT;
    if (step == LZMA2_LOW || step == LZMA2_BAD)
        return STEP_BAD;
    state->at = state->lzma2.at;
    state->unpacked = state->lzma2.plain;
    if (step == LZMA2_END)
        state->phase = XZ_AT_CHECK;
    else
        sig_valid(in, state->at);
    return STEP_DONE;
}

/* Unpacks the data of a block, and compares the check that stands at `check`. */
static enum step xz_unpack(struct sig_input *in, struct xz_state *state, uint64_t check)
{
    const uint8_t kind = state->flags;
    const bool known = kind == XZ_CHECK_CRC32 || kind == XZ_CHECK_CRC64;
    const uint8_t *told = known ? sig_bytes(in, check, state->check_size) : NULL;
    uint8_t bytes[XZ_CHECK_MAX];
    struct lzma2_sums sums = { 0 };
    enum lzma2_unpacked unpacked = LZMA2_UNKNOWN;

    if (known && told == NULL)
        return STEP_WAIT;
    if (known)
        memcpy(bytes, told, state->check_size);
    /* A few bytes can stand for gigabytes: blocks are left out that come too soon behind such. */
    if (known && state->dictionary != 0 && state->decoded / SIG_UNPACK_RATE < state->at)
        unpacked =
            lzma2_unpack(in, state->data, state->at, state->dictionary, state->unpacked, &sums);
    state->decoded += sums.plain;
    if (unpacked == LZMA2_UNKNOWN) {
        sig_open(in, state->data, check + state->check_size);
        return STEP_DONE;
    }
    if (unpacked == LZMA2_WRONG || sums.plain != state->unpacked ||
        (kind == XZ_CHECK_CRC32 ? bytes_u32le(bytes) != sums.crc32
                                : bytes_u64le(bytes) != sums.crc64))
        return STEP_BAD;
    sig_sure(in, check + state->check_size);
    return STEP_DONE;
}

/* Padding and check behind the data of a block. */
static enum step xz_block_end(struct sig_input *in, struct xz_state *state, const char **why)
{
    const uint32_t pad = (uint32_t) - (state->at - state->data) & 3;
    const uint8_t *bytes = sig_bytes(in, state->at, 3);

    *why = "the end of a block contradicts its header";
    if (bytes == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < pad; i++)
        if (bytes[i] != 0)
            return STEP_BAD;
    if ((state->packed != UINT64_MAX && state->packed != state->at - state->data) ||
        (state->plain != UINT64_MAX && state->plain != state->unpacked))
        return STEP_BAD;
    const enum step step = in->thorough ? xz_unpack(in, state, state->at + pad) : STEP_DONE;
    if (step != STEP_DONE) {
        *why = "the check of a block is wrong";
        return step;
    }
    xz_sum(&state->blocks, state->at - state->block + state->check_size, state->unpacked);
    state->at += pad + state->check_size;
    state->phase = XZ_AT_BLOCK;
    return STEP_DONE;
}

/* One record of the index, or how many there are, or the padding behind the last one. */
static enum step xz_index(struct sig_input *in, struct xz_state *state, const char **why)
{
    enum { LOOK = 2 * XZ_VLI_MAX, LEAST = 4 + XZ_HEAD };
    /* Its CRC and the footer follow the padding: so many bytes there are at least, and at most as
     * many as two numbers may have. */
    const uint64_t left = in->limit - state->at;
    const uint32_t look = left > LOOK ? LOOK : left > LEAST ? (uint32_t)left : LEAST;
    const uint8_t *bytes = sig_bytes(in, state->at, look);
    uint64_t size = 0, plain = 0;
    uint32_t at = 0;

    *why = "the index contradicts the blocks";
    if (bytes == NULL)
        return STEP_WAIT;
    if (state->records == UINT64_MAX) {
        at = 1;
        if (!xz_number(bytes, look, &at, &state->records) || state->records != state->blocks.count)
            return STEP_BAD;
    } else if (state->records > 0) {
        if (!xz_number(bytes, look, &at, &size) || !xz_number(bytes, look, &at, &plain))
            return STEP_BAD;
        xz_sum(&state->index, size, plain);
        state->records--;
    } else {
        for (; ((state->at + at - state->block) & 3) != 0; at++)
            if (bytes[at] != 0)
                return STEP_BAD;
        if (memcmp(&state->index, &state->blocks, sizeof state->index) != 0)
            return STEP_BAD;
        state->phase = XZ_AT_INDEX_CRC;
    }
    state->at += at;
    return STEP_DONE;
}

static enum step xz_index_crc(struct sig_input *in, struct xz_state *state, const char **why)
{
    if (crc32_add(in, &state->crc_at, state->at, &state->crc) == STEP_WAIT)
        return STEP_WAIT;
    const uint8_t *stored = sig_bytes(in, state->at, 4);
    *why = "the CRC of the index is wrong";
    if (stored == NULL)
        return STEP_WAIT;
    if (bytes_u32le(stored) != state->crc)
        return STEP_BAD;
    state->at += 4;
    state->phase = XZ_AT_FOOTER;
    return STEP_DONE;
}

static enum step xz_footer(struct sig_input *in, struct xz_state *state, const char **why)
{
    const uint8_t *foot = sig_bytes(in, state->at, XZ_HEAD);

    *why = "the footer contradicts the header or the index";
    if (foot == NULL)
        return STEP_WAIT;
    if (xz_crc(foot + 4, 6) != bytes_u32le(foot) ||
        (bytes_u32le(foot + 4) + UINT64_C(1)) * 4 != state->at - state->block || foot[8] != 0 ||
        foot[9] != state->flags || foot[10] != 'Y' || foot[11] != 'Z')
        return STEP_BAD;
    state->at += XZ_HEAD;
    state->whole = state->at;
    state->phase = XZ_IN_PADDING;
    sig_valid(in, state->at);
    return STEP_DONE;
}

/* Steps over stream padding; a stream on a sector behind some is another file. */
static enum step xz_padding(struct sig_input *in, struct xz_state *state, const char **why)
{
    static const uint8_t zeros[4];
    const uint8_t *bytes = sig_bytes(in, state->at, 4);

    *why = "a valid stream must follow the padding, and none does";
    if (bytes == NULL)
        return STEP_WAIT;
    if (memcmp(bytes, zeros, 4) != 0) {
        state->phase = XZ_AT_STREAM;
        return STEP_DONE;
    }
    state->at += 4;
    return (in->start + state->at) % LIMIT_SECTOR == 0 ? STEP_BAD : STEP_DONE;
}

static enum step xz_step(struct sig_input *in, struct xz_state *state, const char **why)
{
    switch (state->phase) {
    case XZ_AT_STREAM:
        return xz_stream(in, state, why);
    case XZ_AT_BLOCK:
        return xz_block(in, state, why);
    case XZ_IN_CHUNKS:
        return xz_chunk(in, state, why);
    case XZ_IN_SIZED: /* filters that are not known: only the sizes in the header tell */
        state->at = sig_add(state->at, state->packed);
        state->dictionary = 0;
        state->unpacked = state->plain;
        state->phase = XZ_AT_CHECK;
        return STEP_DONE;
    case XZ_AT_CHECK:
        return xz_block_end(in, state, why);
    case XZ_IN_INDEX:
        return xz_index(in, state, why);
    case XZ_AT_INDEX_CRC:
        return xz_index_crc(in, state, why);
    case XZ_AT_FOOTER:
        return xz_footer(in, state, why);
    default:
        return xz_padding(in, state, why);
    }
}

static struct sig_result xz_check(struct sig_input *in, void *memory)
{
    struct xz_state *state = memory;
    const char *why = "";

    for (;;) {
        if (state->phase == XZ_AT_STREAM && sig_claims_full(in))
            return sig_again(in);
        const enum step step = xz_step(in, state, &why);
        if (step == STEP_DONE)
            continue;
        if (step == STEP_WAIT && in->wanted <= in->limit)
            return sig_short(in);
        if (state->whole > 0)
            return sig_complete(in, state->whole, "the index names every block");
        if (in->valid <= XZ_HEAD) /* a header alone is none */
            return sig_reject(why);
        if (step == STEP_WAIT)
            sig_valid(in, in->limit);
        return step == STEP_BAD ? sig_breaks(in, why) : sig_short(in);
    }
}

const struct sig sig_xz = {
    .name = "xz",
    .what = "xz file",
    .proves = "blocks and LZMA2 chunks lead to the index, which names every block and has its "
              "CRC-32; the footer agrees",
    .source =
        "The .xz File Format 1.2.1, sections 2-4; LZMA2 chunks after XZ Utils, lzma2_decoder.c",
    .types = (const struct sig_type[]){ { "xz", "xz" }, { 0 } },
    .headers = { SIG_MASKED("\xfd\x37zXZ\0\0\0", "\xff\xff\xff\xff\xff\xff\xff\xf0") },
    .flags = SIG_CLAIMS,
    .size_min = 32,
    .size_max = UINT64_C(1) << 40,
    .seam = SIG_SEAM_EXACT,
    .state_size = sizeof(struct xz_state),
    .check = xz_check,
};
