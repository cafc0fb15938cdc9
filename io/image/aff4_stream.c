/* SPDX-License-Identifier: Apache-2.0
 * io/image/aff4_stream.c - see aff4_stream.h. */
#include "io/image/aff4_stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

enum {
    STREAM_ENTRY_LEN = 12,
    STREAM_JOINED = 1024,        /* stored chunks that are told as one piece */
    STREAM_CHUNKS_MAX = 1 << 29, /* 4 GiB of tables */
    STREAM_GROWTH = 2, /* a packed chunk is at most so many times as long as what it makes */
};

static const struct {
    const char *iri; /* without http: or https: */
    enum io_piece_how how;
} stream_methods[] = {
    { "//code.google.com/p/snappy/", IO_PIECE_SNAPPY },
    { "//github.com/google/snappy", IO_PIECE_SNAPPY },
    { "//code.google.com/p/lz4/", IO_PIECE_LZ4 },
    { "//github.com/lz4/lz4", IO_PIECE_LZ4 },
    { "//tools.ietf.org/html/rfc1951", IO_PIECE_DEFLATE },
    { "//www.ietf.org/rfc/rfc1950.txt", IO_PIECE_ZLIB },
    { "//tools.ietf.org/html/rfc1950", IO_PIECE_ZLIB },
    { "//aff4.org/Schema#NullCompressor", IO_PIECE_STORED },
    { "//aff4.org/Schema#compression/stored", IO_PIECE_STORED },
};

static enum err_code stream_method(const struct aff4_volume *volume, const char *iri,
                                   struct aff4_stream *out, struct err *err)
{
    const char *method = io_aff4_text(volume, iri, "compressionMethod");
    const char *rest = method == NULL ? NULL : strstr(method, "//");

    out->how = IO_PIECE_STORED;
    if (method == NULL)
        return ERR_OK;
    for (uint32_t i = 0; rest != NULL && i < sizeof stream_methods / sizeof stream_methods[0];
         i++) {
        if (strcmp(rest, stream_methods[i].iri) != 0)
            continue;
        out->how = stream_methods[i].how;
        return ERR_OK;
    }
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: this AFF4 is packed by %s, which is not known here; export it as E01 or "
                     "raw with the tool that made it",
                     volume->zip.path, method);
}

static enum err_code stream_form(const struct aff4_volume *volume, const char *iri,
                                 struct aff4_stream *out, struct err *err)
{
    uint64_t chunk, count;

    if (!io_aff4_number(volume, iri, "size", &out->size) ||
        !io_aff4_number(volume, iri, "chunkSize", &chunk) ||
        !io_aff4_number(volume, iri, "chunksInSegment", &count) || chunk < AFF4_CHUNK_MIN ||
        chunk > AFF4_CHUNK_MAX || count == 0 || count > AFF4_BEVVY_MAX)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: this AFF4 is damaged: it does not say how long the stream %s and its "
                         "chunks are; copy it again from its source",
                         volume->zip.path, iri);
    out->chunk = (uint32_t)chunk;
    out->per_bevvy = (uint32_t)count;
    const uint64_t bevvies = out->size == 0 ? 0 : (out->size - 1) / (chunk * count) + 1;
    if (bevvies > volume->zip.count || out->size / chunk > STREAM_CHUNKS_MAX)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: this AFF4 is damaged: the stream %s would have %" PRIu64
                         " segments, and the file has %" PRIu32 "; copy it again from its source",
                         volume->zip.path, iri, bevvies, volume->zip.count);
    out->bevvy_count = (uint32_t)bevvies;
    out->file = volume->zip.file;
    return stream_method(volume, iri, out, err);
}

/* The entries of a bevvy's index, of which those that cannot be are left empty. */
static enum err_code stream_chunks(const struct aff4_stream *stream, struct aff4_bevvy *bevvy,
                                   const uint8_t *entries, uint64_t bevvy_len, struct err *err)
{
    bevvy->chunks = malloc(bevvy->count * sizeof *bevvy->chunks);
    if (bevvy->chunks == NULL)
        return ERR_NO_MEMORY(err, bevvy->count * sizeof *bevvy->chunks);
    for (uint32_t i = 0; i < bevvy->count; i++) {
        const uint64_t at = bytes_u64le(entries + (size_t)i * STREAM_ENTRY_LEN);
        const uint32_t len = bytes_u32le(entries + (size_t)i * STREAM_ENTRY_LEN + 8);
        const bool right = at <= UINT32_MAX && at <= bevvy_len && len <= bevvy_len - at &&
                           len <= stream->chunk * STREAM_GROWTH;

        bevvy->chunks[i] =
            right ? (struct aff4_chunk){ (uint32_t)at, len } : (struct aff4_chunk){ 0 };
    }
    return ERR_OK;
}

/* Reads a bevvy's index; wanted: its chunks. ERR_INPUT: it is damaged. */
static enum err_code stream_index(const struct aff4_volume *volume,
                                  const struct io_zip_member *member,
                                  const struct io_zip_member *index,
                                  const struct aff4_stream *stream, struct aff4_bevvy *bevvy,
                                  uint32_t wanted, struct err *err)
{
    uint8_t *entries = NULL;
    enum err_code rc = io_zip_place(&volume->zip, member, &bevvy->at, err);

    if (rc == ERR_OK)
        rc = io_zip_load(&volume->zip, index, &entries, err);
    if (rc == ERR_OK && entries != NULL) {
        const uint64_t count = index->len / STREAM_ENTRY_LEN;

        bevvy->count = count < wanted ? (uint32_t)count : wanted;
        if (bevvy->count > 0)
            rc = stream_chunks(stream, bevvy, entries, member->len, err);
    }
    free(entries);
    return rc;
}

/* One bevvy. What is missing or damaged of it leaves it empty. */
static enum err_code stream_bevvy(const struct aff4_volume *volume, const char *iri,
                                  struct aff4_stream *stream, uint32_t number, uint32_t wanted,
                                  struct err *err)
{
    struct aff4_bevvy *bevvy = &stream->bevvies[number];
    char name[32];
    enum err_code rc = ERR_INPUT;

    snprintf(name, sizeof name, "/%08" PRIu32, number);
    const struct io_zip_member *member = io_aff4_segment(volume, iri, name);
    snprintf(name, sizeof name, "/%08" PRIu32 ".index", number);
    const struct io_zip_member *index = io_aff4_segment(volume, iri, name);
    if (member != NULL && member->method != 0)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: the data of this AFF4 are packed by ZIP, which is not known here; "
                         "export it as E01 or raw with the tool that made it",
                         volume->zip.path);
    if (member != NULL && index != NULL && index->len % STREAM_ENTRY_LEN == 0)
        rc = stream_index(volume, member, index, stream, bevvy, wanted, err);
    stream->damaged += bevvy->count < wanted;
    return rc == ERR_INPUT ? ERR_OK : rc;
}

enum err_code io_aff4_stream_open(const struct aff4_volume *volume, const char *iri,
                                  struct aff4_stream *out, struct err *err)
{
    enum err_code rc = stream_form(volume, iri, out, err);

    if (rc != ERR_OK || out->bevvy_count == 0)
        return rc;
    out->bevvies = calloc(out->bevvy_count, sizeof *out->bevvies);
    if (out->bevvies == NULL)
        return ERR_NO_MEMORY(err, out->bevvy_count * sizeof *out->bevvies);
    const uint64_t chunks = (out->size - 1) / out->chunk + 1;
    for (uint32_t i = 0; rc == ERR_OK && i < out->bevvy_count; i++) {
        const uint64_t left = chunks - (uint64_t)i * out->per_bevvy;

        rc = stream_bevvy(volume, iri, out, i,
                          left < out->per_bevvy ? (uint32_t)left : out->per_bevvy, err);
    }
    return rc;
}

/* The entry of a chunk; NULL: nobody knows where it is. */
static const struct aff4_chunk *stream_chunk(const struct aff4_stream *stream, uint64_t number)
{
    const struct aff4_bevvy *bevvy = &stream->bevvies[number / stream->per_bevvy];
    const uint32_t i = (uint32_t)(number % stream->per_bevvy);

    return i < bevvy->count && bevvy->chunks[i].len > 0 ? &bevvy->chunks[i] : NULL;
}

/* Stored chunks that lie one behind the other are one piece. */
static void stream_join(const struct aff4_stream *stream, uint64_t number,
                        const struct aff4_chunk *chunk, struct io_piece *piece)
{
    const struct aff4_chunk *last = chunk, *next;

    for (uint32_t i = 1; i < STREAM_JOINED && piece->offset + piece->len < stream->size; i++) {
        if ((number + i) % stream->per_bevvy == 0)
            break;
        next = stream_chunk(stream, number + i);
        if (next == NULL || next->len != stream->chunk || next->at != last->at + last->len)
            break;
        const uint64_t left = stream->size - (piece->offset + piece->len);
        piece->len += left < stream->chunk ? left : stream->chunk;
        last = next;
    }
}

void io_aff4_stream_find(const struct aff4_stream *stream, uint64_t offset, struct io_piece *piece)
{
    const uint64_t number = offset / stream->chunk, begin = number * stream->chunk;

    *piece = (struct io_piece){ .offset = offset,
                                .len = UINT64_MAX - offset,
                                .how = IO_PIECE_UNREAD,
                                .source = IO_BAD_CHECKSUM };
    if (offset >= stream->size)
        return;
    const uint64_t left = stream->size - begin;
    const struct aff4_chunk *chunk = stream_chunk(stream, number);
    piece->offset = begin;
    piece->len = left < stream->chunk ? left : stream->chunk;
    if (chunk == NULL)
        return;
    const bool stored = chunk->len == stream->chunk || stream->how == IO_PIECE_STORED;
    if (stored && chunk->len < piece->len)
        return;
    piece->how = stored ? IO_PIECE_STORED : stream->how;
    piece->file = stream->file;
    piece->at = stream->bevvies[number / stream->per_bevvy].at + chunk->at;
    piece->stored_len = chunk->len;
    piece->whole_len = stream->chunk;
    if (stored)
        stream_join(stream, number, chunk, piece);
}

void io_aff4_stream_release(struct aff4_stream *stream)
{
    for (uint32_t i = 0; stream->bevvies != NULL && i < stream->bevvy_count; i++)
        free(stream->bevvies[i].chunks);
    free(stream->bevvies);
    stream->bevvies = NULL;
    stream->bevvy_count = 0;
}
