/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/lzma2_unpack.c - unpacks LZMA2 data; see lzma2.h. */
#include <isa-l/crc.h>
#include <lzma.h>
#include <stdlib.h>

#include "signatures/archive/lzma2.h"
#include "signatures/crc64.h"

enum { UNPACK_OUT = 64 * 1024 };

/* What the decoder has put out. */
static void unpack_sum(struct lzma2_sums *sums, const uint8_t *out, size_t len)
{
    sums->crc32 = crc32_gzip_refl(sums->crc32, out, len);
    sums->crc64 = crc64_add(sums->crc64, out, len);
    sums->plain += len;
}

/* Feeds [from, to), and sums up what comes out, which may be `most` bytes. */
static enum lzma2_unpacked unpack_all(struct sig_input *in, lzma_stream *stream, uint64_t from,
                                      uint64_t to, uint64_t most, struct lzma2_sums *sums)
{
    uint8_t *out = malloc(UNPACK_OUT);
    lzma_ret ret = LZMA_OK;

    if (out == NULL)
        return LZMA2_UNKNOWN;
    for (uint64_t at = from; at < to && ret == LZMA_OK;) {
        uint32_t len;
        const uint8_t *bytes = sig_span_to(in, at, to, &len);

        if (bytes == NULL)
            break;
        at += len;
        stream->next_in = bytes;
        stream->avail_in = len;
        do {
            stream->next_out = out;
            stream->avail_out = UNPACK_OUT;
            ret = lzma_code(stream, LZMA_RUN);
            unpack_sum(sums, out, UNPACK_OUT - stream->avail_out);
        } while (ret == LZMA_OK && stream->avail_out == 0 && sums->plain <= most);
        if (sums->plain > most || (ret == LZMA_STREAM_END && (at < to || stream->avail_in > 0)))
            ret = LZMA_DATA_ERROR;
    }
    free(out);
    return ret == LZMA_STREAM_END  ? LZMA2_RIGHT
           : ret == LZMA_MEM_ERROR ? LZMA2_UNKNOWN
                                   : LZMA2_WRONG;
}

enum lzma2_unpacked lzma2_unpack(struct sig_input *in, uint64_t from, uint64_t to,
                                 uint32_t dictionary, uint64_t plain, struct lzma2_sums *sums)
{
    lzma_stream stream = LZMA_STREAM_INIT;
    lzma_options_lzma options = { .dict_size = dictionary };
    lzma_filter filters[2] = { { .id = LZMA_FILTER_LZMA2, .options = &options },
                               { .id = LZMA_VLI_UNKNOWN } };

    *sums = (struct lzma2_sums){ 0 };
    /* Nothing lies farther back than the beginning. */
    if (options.dict_size > plain)
        options.dict_size = plain > LZMA_DICT_SIZE_MIN ? (uint32_t)plain : LZMA_DICT_SIZE_MIN;
    if (options.dict_size > LZMA2_DICTIONARY_MAX || plain > LZMA2_PLAIN_MAX ||
        lzma_raw_decoder(&stream, filters) != LZMA_OK)
        return LZMA2_UNKNOWN;
    const enum lzma2_unpacked unpacked = unpack_all(in, &stream, from, to, plain, sums);
    lzma_end(&stream);
    in->unpacked_aside += LZMA2_SLOW * sums->plain;
    return unpacked;
}
