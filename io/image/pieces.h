/* SPDX-License-Identifier: Apache-2.0
 * io/image/pieces.h - where the bytes of an image lie in its container, and how (io/ and tests
 * only).
 *
 * The reader of a container says this once, when the image is opened. After that, image_pieces.c
 * reads the image for every container in the same way: stored pieces like a raw file, zeros without
 * a read, packed ones unpacked by the thread that reads them (decode.h).
 *
 * A table of pieces is a set of operations, so that a container whose own table is large need not
 * be turned into one struct for each of its blocks. struct io_piece_list is the plain form of a
 * table, for containers whose tables are small.
 *
 * These tables are made in the process of the program, not in one of its own. They are made by
 * small parsers of this tree, which check each number from the file before they use it, and are
 * fuzzed (tests/fuzz). The program has given up the right to open other files by
 * then (base/jail.h).
 */
#ifndef BURIN_IO_IMAGE_PIECES_H
#define BURIN_IO_IMAGE_PIECES_H

#include "io/image/bad_list.h"
#include "io/image/image_impl.h"

enum io_piece_how {
    IO_PIECE_STORED,  /* the bytes stand in the file as they are */
    IO_PIECE_ZERO,    /* the container does not store them: zeros */
    IO_PIECE_FILL,    /* likewise: one byte, again and again */
    IO_PIECE_UNREAD,  /* they were not read, or are not known: a bad range */
    IO_PIECE_DEFLATE, /* packed, RFC 1951 */
    IO_PIECE_ZLIB,    /* packed, RFC 1950 */
    IO_PIECE_ZSTD,    /* packed, RFC 8878: one frame */
    IO_PIECE_SUMMED,  /* the bytes, then their Adler-32, u32le: right as a whole, or not */
    IO_PIECE_SNAPPY,  /* packed, io/image/snappy.h */
    IO_PIECE_LZ4,     /* packed: one block of LZ4 */
};

struct io_piece {
    uint64_t offset, len; /* bytes of the image */
    uint64_t at;          /* bytes from the start of the file, STORED and packed */
    uint32_t file;        /* number of the part of the image that it is in, STORED and packed */
    enum io_piece_how how;
    enum io_bad_source source; /* UNREAD */
    /* Of a packed piece, bytes: in the file at most; unpacked; and of these, in front of the piece.
     */
    uint32_t stored_len, whole_len, skip;
    uint8_t fill; /* FILL: the byte */
};

static inline bool io_piece_is_packed(enum io_piece_how how)
{
    return how >= IO_PIECE_DEFLATE;
}

struct io_piece_ops {
    /*
     * Finds the piece that holds this byte of the image. Any number of threads at a time. A piece
     * that is found out only now not to be what it should be is UNREAD.
     * Error  ERR_IO  what the table says of this place cannot be read; then piece->offset and
     *        piece->len are the bytes of the image of which this is true.
     */
    enum err_code (*find)(const void *table, uint64_t offset, struct io_piece *piece,
                          struct err *err);
    /*
     * Another place where the bytes of this packed piece may be, which was found damaged: the
     * container has its table twice, and the two differ. False: there is none. May be NULL.
     */
    bool (*second)(const void *table, struct io_piece *piece);
    /*
     * Of an image with io_pieces_unit: how far from this byte on, in bytes of the image, packed
     * pieces are best read together. NULL: to its end.
     */
    uint64_t (*together)(const void *table, uint64_t offset);
    void (*release)(void *table); /* frees it too */
};

/* ---- the plain table ---- */

enum {
    IO_PIECES_MAX = 1 << 26,        /* of a list: 2 GiB of memory */
    IO_PIECES_TIB_MAX = 1024,       /* of an image: no disk is larger */
    IO_PIECE_PACKED_MAX = 64 << 20, /* bytes of a packed piece, in the file and unpacked */
};

struct io_piece_item;

struct io_piece_list {
    struct io_piece_item *items; /* owned, ascending, without a gap; their lengths follow */
    uint32_t count;
    size_t room;
    uint64_t size; /* bytes of the image so far */
};

/*
 * Adds a piece of len bytes at the end of the image; piece->offset is not looked at. It is joined
 * with the one before where it goes on with it. len 0 is a no-op.
 * Errors  ERR_INPUT  more than IO_PIECES_MAX pieces or IO_PIECES_TIB_MAX, or a packed piece beyond
 *                    IO_PIECE_PACKED_MAX.
 *         ERR_ENV    no memory.
 */
ERR_MUST_CHECK enum err_code io_piece_list_add(struct io_piece_list *list,
                                               const struct io_piece *piece, struct err *err);

/* The piece that holds a byte of the list. */
void io_piece_list_find(const struct io_piece_list *list, uint64_t offset, struct io_piece *piece);

/* The UNREAD pieces, as image_impl.h wants them. ERR_ENV: no memory. */
ERR_MUST_CHECK enum err_code io_piece_list_unread(const struct io_piece_list *list,
                                                  struct io_bad_list *out, struct err *err);

void io_piece_list_release(struct io_piece_list *list);

/* ---- places in a file: what is stored where ---- */

struct io_place {
    uint64_t at, len;
};

/*
 * The places of one file that its tables name. No two may overlap in a sound container, so a table
 * with a changed entry is found out when its bytes are another block's too.
 */
struct io_places {
    const char *path; /* the opener's */
    uint64_t file_size;
    struct io_place *items; /* owned */
    uint32_t count;
    size_t room;
};

/*
 * Adds a place; what: "the block" for messages.
 * Errors  ERR_INPUT  it is not inside the file.
 *         ERR_ENV    no memory.
 */
ERR_MUST_CHECK enum err_code io_places_add(struct io_places *places, uint64_t at, uint64_t len,
                                           const char *what, struct err *err);

/*
 * Adds the place of a packed piece that is stored in whole sectors: the next one may begin in its
 * last sector, and the file may end there.
 */
ERR_MUST_CHECK enum err_code io_places_add_packed(struct io_places *places,
                                                  const struct io_piece *piece, struct err *err);

/* ERR_INPUT when two places overlap. Sorts them. */
ERR_MUST_CHECK enum err_code io_places_check(struct io_places *places, struct err *err);

void io_places_release(struct io_places *places);

#endif
