/* SPDX-License-Identifier: Apache-2.0
 * io/image/decode.c - see decode.h. */
#include "io/image/decode.h"

#include <inttypes.h>
#include <libdeflate.h>
#include <lz4.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/bytes.h"
#include "io/image/file.h"
#include "io/image/snappy.h"

enum {
    DECODER_SUM_LEN = 4,
    DECODER_ZEROS_MAX = 256, /* packed bytes; a MiB of zeros has about a thousand */
};

struct io_decoder {
    struct libdeflate_decompressor *deflate; /* NULL: not needed yet; so is zstd */
    ZSTD_DCtx *zstd;
    uint8_t *in, *out; /* owned */
    size_t in_room, out_room;
    size_t len;  /* bytes that out holds, unpacked of one piece; 0: none */
    uint64_t at; /* of that piece in its file */
    uint32_t file;
    uint8_t zeros[DECODER_ZEROS_MAX]; /* packed bytes that gave zeros */
    uint32_t zeros_len, zeros_made;   /* bytes of them; of zeros. 0: none */
    enum io_piece_how zeros_how;
};

static void decoder_close(struct io_decoder *decoder)
{
    if (decoder == NULL)
        return;
    libdeflate_free_decompressor(decoder->deflate);
    ZSTD_freeDCtx(decoder->zstd);
    free(decoder->in);
    free(decoder->out);
    free(decoder);
}

/* Where a thread looks first: so it finds again what it had, as a rule. */
static uint32_t decoder_start(void)
{
    return (uint32_t)(((uint64_t)pthread_self() * UINT64_C(0x9e3779b97f4a7c15)) >> 56) %
           IO_DECODERS;
}

static struct io_decoder *decoder_take(struct io_decoders *decoders, uint32_t start)
{
    for (uint32_t i = 0; i < IO_DECODERS; i++) {
        _Atomic(struct io_decoder *) *slot = &decoders->slots[(start + i) % IO_DECODERS];

        if (atomic_load_explicit(slot, memory_order_relaxed) == NULL)
            continue;
        struct io_decoder *decoder = atomic_exchange(slot, NULL);
        if (decoder != NULL)
            return decoder;
    }
    return calloc(1, sizeof(struct io_decoder));
}

static void decoder_give(struct io_decoders *decoders, uint32_t start, struct io_decoder *decoder)
{
    for (uint32_t i = 0; i < IO_DECODERS; i++) {
        struct io_decoder *none = NULL;

        if (atomic_compare_exchange_strong(&decoders->slots[(start + i) % IO_DECODERS], &none,
                                           decoder))
            return;
    }
    decoder_close(decoder);
}

static bool decoder_room(uint8_t **bytes, size_t *room, size_t len)
{
    if (*room >= len)
        return true;
    free(*bytes);
    *bytes = malloc(len);
    *room = *bytes == NULL ? 0 : len;
    return *bytes != NULL;
}

/* Makes what unpacking this kind of piece needs, and room for len packed bytes. */
static bool decoder_ready(struct io_decoder *decoder, const struct io_piece *piece, size_t len)
{
    if (!decoder_room(&decoder->in, &decoder->in_room, len))
        return false;
    if (piece->how == IO_PIECE_ZSTD && decoder->zstd == NULL) {
        decoder->zstd = ZSTD_createDCtx();
        return decoder->zstd != NULL;
    }
    /* Pieces with a sum and deflated ones come together. */
    const bool inflates = piece->how == IO_PIECE_DEFLATE || piece->how == IO_PIECE_ZLIB ||
                          piece->how == IO_PIECE_SUMMED;
    if (inflates && decoder->deflate == NULL)
        decoder->deflate = libdeflate_alloc_decompressor();
    return !inflates || decoder->deflate != NULL;
}

static bool decoder_sum_is_right(const uint8_t *in, size_t len)
{
    return libdeflate_adler32(1, in, len) == bytes_u32le(in + len);
}

/*
 * Bytes with their Adler-32. Other bytes may follow it in the file, and the last piece of an image
 * may be as short as the image.
 */
static size_t decoder_summed(const struct io_piece *piece, const uint8_t *in, uint8_t *dst)
{
    size_t len = piece->stored_len < DECODER_SUM_LEN ? 0 : piece->stored_len - DECODER_SUM_LEN;

    if (len > piece->whole_len)
        len = piece->whole_len;
    if (len < piece->skip + piece->len)
        return 0;
    if (!decoder_sum_is_right(in, len)) {
        len = (size_t)(piece->skip + piece->len);
        if (!decoder_sum_is_right(in, len))
            return 0;
    }
    memcpy(dst, in, len);
    return len;
}

/* Inflates; what the packed bytes of the last piece of zeros gave, the same ones give again. */
static size_t decoder_inflate(struct io_decoder *decoder, const struct io_piece *piece,
                              const uint8_t *in, uint8_t *dst)
{
    const bool few = piece->stored_len > 0 && piece->stored_len <= DECODER_ZEROS_MAX;
    enum libdeflate_result result;
    size_t used = 0, made = 0;

    if (few && piece->stored_len == decoder->zeros_len && piece->how == decoder->zeros_how &&
        decoder->zeros_made <= piece->whole_len &&
        memcmp(in, decoder->zeros, decoder->zeros_len) == 0) {
        memset(dst, 0, decoder->zeros_made);
        return decoder->zeros_made;
    }
    if (piece->how == IO_PIECE_ZLIB)
        result = libdeflate_zlib_decompress_ex(decoder->deflate, in, piece->stored_len, dst,
                                               piece->whole_len, &used, &made);
    else
        result = libdeflate_deflate_decompress_ex(decoder->deflate, in, piece->stored_len, dst,
                                                  piece->whole_len, &used, &made);
    if (result != LIBDEFLATE_SUCCESS)
        return 0;
    if (few && made > 0 && dst[0] == 0 && memcmp(dst, dst + 1, made - 1) == 0) {
        memcpy(decoder->zeros, in, piece->stored_len);
        decoder->zeros_len = piece->stored_len;
        decoder->zeros_made = (uint32_t)made;
        decoder->zeros_how = piece->how;
    }
    return made;
}

/*
 * Unpacks a block of LZ4. One of Python's library begins with the number of bytes that it makes,
 * u32le, which no other one has.
 */
static size_t decoder_lz4(const struct io_piece *piece, const uint8_t *in, uint8_t *dst)
{
    enum { LEN = 4 };
    const int room = (int)piece->whole_len, len = (int)piece->stored_len;
    int made = LZ4_decompress_safe((const char *)in, (char *)dst, len, room);

    if (made != room && len > LEN && bytes_u32le(in) == piece->whole_len)
        made = LZ4_decompress_safe((const char *)in + LEN, (char *)dst, len - LEN, room);
    return made > 0 ? (size_t)made : 0;
}

/*
 * Unpacks all of the piece and says how many bytes that made: whole_len and no more, and less only
 * where the image ends before; 0: it is damaged. What follows in the file is no matter: pieces are
 * stored in whole sectors.
 */
static size_t decoder_unpack(struct io_decoder *decoder, const struct io_piece *piece,
                             const uint8_t *in, uint8_t *dst)
{
    size_t made;

    if (piece->how == IO_PIECE_ZSTD) {
        const size_t used = ZSTD_findFrameCompressedSize(in, piece->stored_len);
        if (ZSTD_isError(used))
            return 0;
        made = ZSTD_decompressDCtx(decoder->zstd, dst, piece->whole_len, in, used);
        if (ZSTD_isError(made))
            return 0;
    } else if (piece->how == IO_PIECE_SUMMED) {
        made = decoder_summed(piece, in, dst);
    } else if (piece->how == IO_PIECE_SNAPPY) {
        made = io_snappy_unpack(in, piece->stored_len, dst, piece->whole_len);
    } else if (piece->how == IO_PIECE_LZ4) {
        made = decoder_lz4(piece, in, dst);
    } else {
        made = decoder_inflate(decoder, piece, in, dst);
    }
    return made >= piece->skip + piece->len ? made : 0;
}

/*
 * Reads pieces[count], which lie one behind the other, and unpacks them to dst. *made: bytes that
 * the last one gave.
 */
static enum err_code decoder_read(struct io_decoder *decoder, const struct io_decode_file *file,
                                  const struct io_piece *pieces, uint32_t count, uint8_t *dst,
                                  size_t *made, struct io_failure *failure, struct err *err)
{
    const uint64_t at = pieces[0].at;
    const size_t len = (size_t)(pieces[count - 1].at - at) + pieces[count - 1].stored_len;

    failure->unit = UINT32_MAX; /* whole or not at all */
    if (!decoder_ready(decoder, &pieces[0], len))
        return ERR_NO_MEMORY(err, len);
    failure->cause = io_file_pread(file->fd, at, decoder->in, len);
    if (failure->cause != 0)
        return io_file_result(file->fd, file->path, file->size, at, len, failure->cause, err);
    for (uint32_t i = 0; i < count; i++) {
        const struct io_piece *piece = &pieces[i];

        *made = decoder_unpack(decoder, piece, decoder->in + (piece->at - at), dst);
        dst += piece->whole_len;
        if (*made > 0)
            continue;
        failure->source = IO_BAD_CHECKSUM;
        return ERR_RAISE(err, ERR_IO,
                         "%s: the packed bytes %" PRIu64 "+%" PRIu32 " are damaged: bytes %" PRIu64
                         "+%" PRIu64 " of the image",
                         file->path, piece->at, piece->stored_len, piece->offset, piece->len);
    }
    return ERR_OK;
}

/* Unpacks the piece to be kept, unless it is there. */
static enum err_code decoder_keep(struct io_decoder *decoder, const struct io_decode_file *file,
                                  const struct io_piece *piece, struct io_failure *failure,
                                  struct err *err)
{
    if (decoder->len >= piece->skip + piece->len && decoder->at == piece->at &&
        decoder->file == piece->file)
        return ERR_OK;
    decoder->len = 0;
    decoder->at = piece->at;
    decoder->file = piece->file;
    if (!decoder_room(&decoder->out, &decoder->out_room, piece->whole_len))
        return ERR_NO_MEMORY(err, piece->whole_len);
    size_t made = 0;
    const enum err_code rc =
        decoder_read(decoder, file, piece, 1, decoder->out, &made, failure, err);
    decoder->len = made;
    return rc;
}

enum err_code io_decode(struct io_decoders *decoders, const struct io_decode_file *file,
                        const struct io_piece *piece, uint64_t into, uint8_t *dst, size_t len,
                        struct io_failure *failure, struct err *err)
{
    const uint32_t start = decoder_start();
    const uint64_t from = piece->skip + into;
    struct io_decoder *decoder = decoder_take(decoders, start);
    enum err_code rc;
    size_t made;

    if (decoder == NULL)
        return ERR_NO_MEMORY(err, sizeof *decoder);
    if (from == 0 && len == piece->whole_len) {
        rc = decoder_read(decoder, file, piece, 1, dst, &made, failure, err);
    } else {
        rc = decoder_keep(decoder, file, piece, failure, err);
        if (rc == ERR_OK)
            memcpy(dst, decoder->out + from, len);
    }
    decoder_give(decoders, start, decoder);
    return rc;
}

enum err_code io_decode_run(struct io_decoders *decoders, const struct io_decode_file *file,
                            const struct io_piece *pieces, uint32_t count, uint8_t *dst,
                            struct io_failure *failure, struct err *err)
{
    const uint32_t start = decoder_start();
    struct io_decoder *decoder = decoder_take(decoders, start);
    size_t made;

    if (decoder == NULL)
        return ERR_NO_MEMORY(err, sizeof *decoder);
    const enum err_code rc = decoder_read(decoder, file, pieces, count, dst, &made, failure, err);
    decoder_give(decoders, start, decoder);
    return rc;
}

void io_decoders_release(struct io_decoders *decoders)
{
    for (uint32_t i = 0; i < IO_DECODERS; i++)
        decoder_close(atomic_load(&decoders->slots[i]));
}
