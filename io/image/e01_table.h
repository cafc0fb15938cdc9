/* SPDX-License-Identifier: Apache-2.0
 * io/image/e01_table.h - where the chunks of an E01 image lie: its tables (io/ and tests only).
 *
 * A file has sections "sectors", which hold the chunks, and behind each a "table" that says where
 * they begin, and a copy of it, "table2". The tables stay in memory as they stand in the file, 4
 * bytes a chunk: 128 MiB for a TiB of chunks of 32 KiB.
 */
#ifndef BURIN_IO_IMAGE_E01_TABLE_H
#define BURIN_IO_IMAGE_E01_TABLE_H

#include "io/image/ewf_segments.h"
#include "io/image/pieces.h"

enum {
    E01_CHUNK_MAX = 16 << 20,  /* bytes */
    E01_CHUNKS_MAX = 1 << 29,  /* of an image: 2 GiB of tables; 16 TiB at the usual 32 KiB */
    E01_SURPLUS_MAX = 1 << 20, /* chunks behind the end of the image, which are left out */
};

/* One table. */
struct e01_table {
    uint64_t first;             /* number of its first chunk in the image */
    uint64_t base;              /* bytes; offsets of the table count from here */
    uint64_t sectors, end;      /* place of the section that has the chunks */
    uint64_t second, base_also; /* place of the entries of the copy, where they differ; else 0 */
    uint8_t *entries;           /* [count], u32le, owned; NULL: damaged, and so is the copy */
    uint32_t count;
    uint32_t whole; /* from this entry on all 32 bits are an offset, and chunks are not packed */
    uint32_t file;  /* number of the part */
    int fd;         /* the image's */
};

/* A table that was found damaged; its copy may come. */
struct e01_damaged {
    bool is, counted;
    uint64_t at;
    uint32_t count; /* chunks, where counted */
};

struct e01_tables {
    struct e01_table *items; /* owned, ascending */
    uint32_t count;
    size_t room;
    uint64_t chunks;    /* of all tables */
    uint64_t size;      /* of the image, bytes */
    uint32_t chunk_len; /* bytes; 0: not known yet */
    /* While the sections are read: */
    uint64_t sectors, end; /* of the section before, of this file; end 0: none */
    bool fresh;            /* the last section was a table that is sound */
    struct e01_damaged damaged;
    uint32_t repaired;    /* tables whose copy was taken */
    uint64_t repaired_at; /* place of the last one */
};

/* A piece of the image; tables is a struct e01_tables. As io_piece_ops want them. */
enum err_code io_e01_find(const void *tables, uint64_t offset, struct io_piece *piece,
                          struct err *err);
bool io_e01_second(const void *tables, struct io_piece *piece);

/*
 * Takes a section of part `file` into account: every section of the image comes by in its order.
 * Errors  ERR_INPUT  a table and its copy are damaged so that the number of its chunks is not
 *                    known; a table without chunks in front of it; more chunks than an image has.
 *         ERR_ENV    no memory.
 */
ERR_MUST_CHECK enum err_code io_e01_take(struct e01_tables *tables,
                                         const struct io_ewf_section *section, uint32_t file,
                                         struct err *err);

void io_e01_tables_release(struct e01_tables *tables);

#endif
