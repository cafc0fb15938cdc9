/* SPDX-License-Identifier: Apache-2.0
 * io/image/aff4_stream.h - where the chunks of an image stream of AFF4 lie (io/ only).
 *
 * A stream is cut into chunks of one size, which are packed each by itself or stored where that
 * would not save anything. As many chunks as chunksInSegment says stand in one segment, a bevvy,
 * named by its number, and a second segment has an entry of 12 bytes for each: u64le offset in the
 * bevvy, u32le length. A chunk whose length is that of the unpacked one is stored. The entries stay
 * in memory, 8 bytes a chunk: 256 MiB for a TiB of chunks of 32 KiB. Source: AFF4 Standard 1.0a,
 * section 3.
 */
#ifndef BURIN_IO_IMAGE_AFF4_STREAM_H
#define BURIN_IO_IMAGE_AFF4_STREAM_H

#include "io/image/aff4_volume.h"

enum {
    AFF4_CHUNK_MIN = 512,
    AFF4_CHUNK_MAX = 16 << 20, /* bytes */
    AFF4_BEVVY_MAX = 1 << 24,  /* chunks */
};

struct aff4_chunk {
    uint32_t at, len; /* bytes, in the bevvy; len 0: nobody knows */
};

struct aff4_bevvy {
    uint64_t at;               /* place in the file */
    struct aff4_chunk *chunks; /* [count], owned */
    uint32_t count;            /* 0: it or its index is missing or damaged */
};

struct aff4_stream {
    uint64_t size;  /* bytes */
    uint32_t chunk; /* bytes */
    uint32_t per_bevvy;
    uint32_t file;              /* number of the part that has it */
    enum io_piece_how how;      /* of packed chunks; STORED: none is packed */
    struct aff4_bevvy *bevvies; /* [bevvy_count], owned */
    uint32_t bevvy_count;
    uint32_t damaged; /* bevvies that are missing, or damaged */
};

/*
 * Reads the tables of the image stream iri of a volume. *out, zeroed, is to be given to
 * io_aff4_stream_release, whatever is returned. A bevvy that is damaged is no error: its bytes are.
 * Errors  ERR_INPUT  what is said of the stream cannot be, or is not known here.
 *         ERR_ENV    no memory.
 */
ERR_MUST_CHECK enum err_code io_aff4_stream_open(const struct aff4_volume *volume, const char *iri,
                                                 struct aff4_stream *out, struct err *err);

/*
 * The piece that holds byte `offset` of the stream, which is any; piece->offset is a place in the
 * stream too. UNREAD: it is damaged, or lies behind the stream's end.
 */
void io_aff4_stream_find(const struct aff4_stream *stream, uint64_t offset, struct io_piece *piece);

void io_aff4_stream_release(struct aff4_stream *stream);

#endif
