/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/sevenzip.c - 7z archives.
 *
 *   "7z" bc af 27 1c | version 00 0x | CRC-32 of the next 20 bytes | u64le offset of the header,
 * behind these 32 bytes | u64le size | CRC-32 packed streams | the header, plain (01) or packed
 * (17) | nothing
 *
 * Both CRC-32s are checked, and the header has to say that the packed streams reach up to it. Bytes
 * put in or taken out move the header. What is replaced in place is noticed in the first stream
 * when that is LZMA2, whose chunks are walked; the names of the other methods are in the header,
 * which is nearly always packed itself.
 */
#include <isa-l/crc.h>

#include "base/bytes.h"
#include "signatures/archive/archive_facts.h"
#include "signatures/archive/lzma2.h"
#include "signatures/lib/crc32.h"

enum {
    SEVENZIP_HEAD = 32,
    SEVENZIP_LOOK = 64,       /* bytes of the header that are read */
    SEVENZIP_STREAMS_MAX = 4, /* sizes that fit there; with more streams they are not compared */
    SEVENZIP_HEADER = 0x01,
    SEVENZIP_MAIN_STREAMS = 0x04,
    SEVENZIP_PACK_INFO = 0x06,
    SEVENZIP_SIZES = 0x09,
    SEVENZIP_ENCODED = 0x17,
};

enum sevenzip_phase { SEVENZIP_START, SEVENZIP_IN_CHUNKS, SEVENZIP_IN_HEADER };

struct sevenzip_state {
    enum sevenzip_phase phase;
    uint64_t header, end; /* object offsets */
    uint64_t at;          /* how far the header's CRC is known */
    uint32_t crc, crc_told;
    uint32_t chunks;
    struct lzma2 lzma2;
};

/* A number whose first byte has as many leading ones as bytes follow. False: it is not all there.
 */
static bool sevenzip_number(const uint8_t *bytes, uint32_t len, uint32_t *at, uint64_t *value)
{
    *value = 0;
    if (*at >= len)
        return false;
    const uint8_t first = bytes[(*at)++];
    for (uint32_t i = 0; i < 8; i++) {
        if ((first & 0x80 >> i) == 0) {
            *value |= (uint64_t)(first & (0x7f >> i)) << 8 * i;
            return true;
        }
        if (*at >= len)
            return false;
        *value |= (uint64_t)bytes[(*at)++] << 8 * i;
    }
    return true;
}

/* Do the packed streams that the header begins with lie before it? */
static bool sevenzip_streams(const uint8_t *header, uint32_t len, uint64_t room)
{
    uint64_t from, count, size, sum;
    uint32_t at = 1;

    if (len < 2)
        return false;
    if (header[0] == SEVENZIP_HEADER) {
        if (header[1] != SEVENZIP_MAIN_STREAMS) /* only empty files, or properties of the archive */
            return true;
        at = 2;
    } else if (header[0] != SEVENZIP_ENCODED) {
        return false;
    }
    if (at >= len || header[at++] != SEVENZIP_PACK_INFO ||
        !sevenzip_number(header, len, &at, &from) || !sevenzip_number(header, len, &at, &count))
        return false;
    if (count > SEVENZIP_STREAMS_MAX || at >= len || header[at] != SEVENZIP_SIZES)
        return from <= room;
    sum = from;
    at++;
    for (uint64_t i = 0; i < count; i++) {
        if (!sevenzip_number(header, len, &at, &size))
            return false;
        sum = sig_add(sum, size);
    }
    return sum <= room;
}

/* The 32 bytes at the start. NULL: right. */
static const char *sevenzip_head(const uint8_t *head, struct sevenzip_state *state)
{
    const uint64_t offset = bytes_u64le(head + 12), size = bytes_u64le(head + 20);

    if (head[6] != 0 || crc32_gzip_refl(0, head + 12, 20) != bytes_u32le(head + 8))
        return "the CRC of the start header is wrong";
    if (offset >> 62 != 0 || size >> 62 != 0)
        return "invalid place of the header";
    state->header = SEVENZIP_HEAD + offset;
    state->end = state->header + size;
    state->at = state->header;
    state->crc_told = bytes_u32le(head + 28);
    return NULL;
}

/* Walks the first stream while it is LZMA2. False: *out is the result. */
static bool sevenzip_chunks(struct sig_input *in, struct sevenzip_state *state,
                            struct sig_result *out)
{
    while (state->lzma2.at < state->header) {
        const enum lzma2_step step = lzma2_chunk(in, &state->lzma2);

        if (step == LZMA2_END || (step == LZMA2_BAD && state->chunks == 0) ||
            state->lzma2.at > state->header)
            break;
        if (step == LZMA2_WAIT) {
            if (in->wanted > in->limit)
                sig_valid(in, in->limit);
            *out = sig_short(in);
            return false;
        }
        if (step != LZMA2_CHUNK && state->chunks > 0) {
            *out = sig_breaks(in, "a valid LZMA2 chunk must follow here, and none does");
            return false;
        }
        if (step != LZMA2_CHUNK)
            break;
        state->chunks++;
        sig_valid(in, state->lzma2.at);
    }
    state->phase = SEVENZIP_IN_HEADER;
    return true;
}

static struct sig_result sevenzip_header(struct sig_input *in, struct sevenzip_state *state)
{
    const uint64_t size = state->end - state->header;
    const uint32_t look = size < SEVENZIP_LOOK ? (uint32_t)size : SEVENZIP_LOOK;

    if (size == 0)
        return state->crc_told == 0 && state->header == SEVENZIP_HEAD
                   ? sig_complete(in, state->end, "an empty archive")
                   : sig_reject("the archive has no header");
    const uint8_t *bytes = sig_bytes(in, state->header, look);
    if (bytes == NULL)
        return sig_short(in);
    if (!sevenzip_streams(bytes, look, state->header - SEVENZIP_HEAD))
        return sig_breaks(in, "there is no header where the start header points");
    if (crc32_add(in, &state->at, state->end, &state->crc) == STEP_WAIT)
        return sig_short(in);
    return state->crc == state->crc_told ? sig_complete(in, state->end,
                                                        "the CRC of the header "
                                                        "is right")
                                         : sig_breaks(in, "the CRC of the header is wrong");
}

static struct sig_result sevenzip_check(struct sig_input *in, void *memory)
{
    struct sevenzip_state *state = memory;
    struct sig_result out;

    if (state->phase == SEVENZIP_START) {
        const uint8_t *head = sig_bytes(in, 0, SEVENZIP_HEAD);

        if (head == NULL)
            return sig_short(in);
        const char *why = sevenzip_head(head, state);
        if (why != NULL)
            return sig_reject(why);
        state->lzma2.at = SEVENZIP_HEAD;
        state->phase = SEVENZIP_IN_CHUNKS;
    }
    if (state->phase == SEVENZIP_IN_CHUNKS && !sevenzip_chunks(in, state, &out))
        return out;
    return sevenzip_header(in, state);
}

const struct sig sig_sevenzip = {
    .name = "7z",
    .what = "7z archive",
    .proves = "both headers have their CRCs; LZMA2 chunks of the first stream lead to its end",
    .source = "7-Zip 22.01, DOC/7zFormat.txt; LZMA2 chunks after XZ Utils, lzma2_decoder.c",
    .types = (const struct sig_type[]){ { "7z", "7z" }, { 0 } },
    .headers = { SIG_PATTERN("7z\xbc\xaf\x27\x1c\0") },
    .flags = SIG_CONTAINER,
    .size_min = SEVENZIP_HEAD,
    .size_max = UINT64_C(1) << 40,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct sevenzip_state),
    .check = sevenzip_check,
    .facts = sevenzip_facts,
};
