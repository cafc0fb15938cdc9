/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/mam.c - compressed prefetch files of Windows 8.1 on.
 *
 *   "MAM" | 4, with 0x80 when a CRC follows | u32le length when uncompressed | [CRC] | LZ77 with
 * Huffman codes, in blocks of 64 KiB of output block: 512 lengths of codes, 4 bits each | codes in
 * 16-bit words, between them bytes that extend lengths
 *
 * Only the uncompressed length is known: the codes are followed to the code that ends the data. Of
 * what comes out the first bytes are kept, which must be those of a prefetch file of that very
 * length.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    MAM_HEAD = 8,
    MAM_CRC = 0x80,
    MAM_TABLE = 256, /* bytes */
    MAM_SYMBOLS = 512,
    MAM_LITERALS = 256,
    MAM_END = 256, /* the symbol; also a match of three bytes */
    MAM_CODE_MAX = 15,
    MAM_MATCH_MIN = 3,
    MAM_BLOCK = 65536,
    MAM_FIRST = 16, /* bytes of the output that are kept */
    MAM_OUT_MAX = 64 << 20,
};

/* Where the decoder is: two words are read ahead. */
struct mam_place {
    uint64_t at;
    uint32_t bits, out;
    int32_t extra;
};

struct mam_state {
    struct mam_place place;
    uint32_t block_end; /* output at which the next table stands */
    bool open;          /* the table of this block was read */
    uint16_t counts[MAM_CODE_MAX + 1];
    uint16_t symbols[MAM_SYMBOLS]; /* by length of code, then by number */
    uint8_t first[MAM_FIRST];
};

/* Reads a table of lengths, which must make a full set of codes, and the first two words. */
static enum step mam_table(struct sig_input *in, struct mam_state *state)
{
    uint8_t lengths[MAM_SYMBOLS];
    uint16_t next[MAM_CODE_MAX + 1];
    uint32_t room = 0;
    const uint8_t *p = sig_bytes(in, state->place.at, MAM_TABLE + 4);

    if (p == NULL)
        return STEP_WAIT;
    memset(state->counts, 0, sizeof state->counts);
    for (uint32_t i = 0; i < MAM_SYMBOLS; i++) {
        lengths[i] = (p[i / 2] >> (4 * (i & 1))) & 15;
        state->counts[lengths[i]]++;
    }
    state->counts[0] = 0;
    next[1] = 0;
    for (uint32_t i = 1; i <= MAM_CODE_MAX; i++) {
        room += (uint32_t)state->counts[i] << (MAM_CODE_MAX - i);
        if (i < MAM_CODE_MAX)
            next[i + 1] = (uint16_t)(next[i] + state->counts[i]);
    }
    if (room != 1u << MAM_CODE_MAX)
        return STEP_BAD;
    for (uint32_t i = 0; i < MAM_SYMBOLS; i++)
        if (lengths[i] != 0)
            state->symbols[next[lengths[i]]++] = (uint16_t)i;
    state->place.bits = (uint32_t)bytes_u16le(p + MAM_TABLE) << 16 | bytes_u16le(p + MAM_TABLE + 2);
    state->place.extra = 16;
    state->place.at += MAM_TABLE + 4;
    state->block_end = state->place.out + MAM_BLOCK;
    state->open = true;
    return STEP_DONE;
}

static enum step mam_drop(struct sig_input *in, struct mam_place *place, uint32_t count)
{
    place->bits = count == 32 ? 0 : place->bits << count;
    place->extra -= (int32_t)count;
    if (place->extra >= 0)
        return STEP_DONE;
    const uint8_t *p = sig_bytes(in, place->at, 2);
    if (p == NULL)
        return STEP_WAIT;
    place->bits |= (uint32_t)bytes_u16le(p) << -place->extra;
    place->extra += 16;
    place->at += 2;
    return STEP_DONE;
}

static enum step mam_symbol(struct sig_input *in, const struct mam_state *state,
                            struct mam_place *place, uint32_t *symbol)
{
    uint32_t code = 0, first = 0, index = 0;

    for (uint32_t len = 1; len <= MAM_CODE_MAX; len++) {
        code = code << 1 | (place->bits >> (32 - len) & 1);
        if (code - first < state->counts[len]) {
            *symbol = state->symbols[index + code - first];
            return mam_drop(in, place, len);
        }
        index += state->counts[len];
        first = (first + state->counts[len]) << 1;
    }
    return STEP_BAD;
}

/* A length of 15 or more: a byte; when that is full, two bytes; when these are zero, four. */
static enum step mam_length(struct sig_input *in, struct mam_place *place, uint32_t *len)
{
    const uint8_t *p = sig_bytes(in, place->at, 1);

    if (p == NULL)
        return STEP_WAIT;
    *len = 15 + p[0];
    place->at++;
    if (p[0] != 255)
        return STEP_DONE;
    p = sig_bytes(in, place->at, 2);
    if (p == NULL)
        return STEP_WAIT;
    *len = bytes_u16le(p);
    place->at += 2;
    if (*len == 0) {
        p = sig_bytes(in, place->at, 4);
        if (p == NULL)
            return STEP_WAIT;
        *len = bytes_u32le(p);
        place->at += 4;
    }
    return *len >= 15 && *len < MAM_OUT_MAX ? STEP_DONE : STEP_BAD;
}

/* One literal or match; the state changes only when all of it is there. */
static enum step mam_code(struct sig_input *in, struct mam_state *state, uint32_t length)
{
    struct mam_place place = state->place;
    uint32_t symbol, back = 0;
    enum step step = mam_symbol(in, state, &place, &symbol);

    if (step != STEP_DONE)
        return step;
    if (symbol < MAM_LITERALS) {
        if (place.out < MAM_FIRST)
            state->first[place.out] = (uint8_t)symbol;
        place.out++;
        state->place = place;
        return STEP_DONE;
    }
    uint32_t len = symbol & 15;
    const uint32_t bits = (symbol - MAM_LITERALS) >> 4;
    if (len == 15)
        step = mam_length(in, &place, &len);
    if (step == STEP_DONE) {
        back = (UINT32_C(1) << bits) + (bits == 0 ? 0 : place.bits >> (32 - bits));
        step = mam_drop(in, &place, bits);
    }
    if (step != STEP_DONE)
        return step;
    len += MAM_MATCH_MIN;
    if (back > place.out || len > length - place.out)
        return STEP_BAD;
    for (uint32_t i = place.out; i < MAM_FIRST && i < place.out + len; i++)
        state->first[i] = state->first[i - back];
    place.out += len;
    state->place = place;
    return STEP_DONE;
}

/* Behind the last byte of the output stands the code that ends the data. */
static enum step mam_end(struct sig_input *in, struct mam_state *state)
{
    struct mam_place place = state->place;
    uint32_t symbol;
    const enum step step = mam_symbol(in, state, &place, &symbol);

    if (step == STEP_DONE && symbol == MAM_END)
        state->place = place;
    return step;
}

static struct sig_result mam_check(struct sig_input *in, void *memory)
{
    struct mam_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, MAM_HEAD);
    enum step step = STEP_DONE;

    if (p == NULL)
        return sig_short(in);
    const uint32_t length = bytes_u32le(p + 4);
    if (length < MAM_FIRST || length > MAM_OUT_MAX)
        return sig_reject("invalid length");
    if (state->place.at == 0)
        state->place.at = MAM_HEAD + ((p[3] & MAM_CRC) != 0 ? 4 : 0);
    while (step == STEP_DONE && state->place.out < length) {
        if (!state->open || state->place.out >= state->block_end)
            step = mam_table(in, state);
        if (step == STEP_DONE)
            step = mam_code(in, state, length);
        if (state->place.out >= MAM_FIRST &&
            (memcmp(state->first + 4, "SCCA", 4) != 0 || bytes_u32le(state->first + 12) != length))
            return sig_reject("the unpacked data are not a prefetch file");
        if (state->place.out > 4 * MAM_FIRST)
            sig_valid(in, state->place.at);
    }
    if (step == STEP_DONE)
        step = mam_end(in, state);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "invalid codes");
    return sig_complete(in, state->place.at, "the codes give the length in the header");
}

const struct sig sig_mam = {
    .name = "mam",
    .what = "Windows prefetch file, compressed",
    .proves =
        "codes make exactly the length that the header says, and a prefetch file's first bytes",
    .source = "Microsoft, MS-XCA, 2.1-2.2; libscca documentation, 5",
    .types = (const struct sig_type[]){ { "pf", "pf" }, { 0 } },
    .headers = { SIG_MASKED("MAM\x04\0\0\0\0", "\xff\xff\xff\x7f\0\0\0\xf8") },
    .size_min = MAM_HEAD + MAM_TABLE + 4,
    .size_max = 64 << 20,
    .state_size = sizeof(struct mam_state),
    .check = mam_check,
};
