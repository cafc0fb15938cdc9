/* SPDX-License-Identifier: Apache-2.0
 * io/image/e01_table.c - see e01_table.h.
 *
 * The body of a section "table" or "table2" is
 *     u32le number of entries | 4 bytes | u64le base | 4 bytes | u32le Adler-32 of these 20
 *     u32le: for each entry | u32le Adler-32 of the entries
 * An entry is the offset of a chunk from the base; its highest bit says that the chunk is packed. A
 * chunk ends where the next one begins, and the last one where the section "sectors" ends. Where a
 * chunk ends behind 2 GiB, all 32 bits of the following entries are an offset, and these chunks are
 * not packed: so EnCase 6.7 and later write files of more than 2 GiB.
 * Source: libewf, "Expert Witness Compression Format (EWF)", "Table section"; for 2 GiB its
 * libewf_chunk_table.c.
 */
#include "io/image/e01_table.h"

#include <inttypes.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/bytes.h"
#include "base/grow.h"
#include "io/image/file.h"

enum {
    E01_HEAD_LEN = 24,
    E01_AT_BASE = 8,
    E01_AT_SUM = 20,
    E01_ENTRY_LEN = 4,
    E01_SUM_LEN = 4,
};

#define E01_PACKED UINT32_C(0x80000000)
#define E01_OFFSET UINT32_C(0x7fffffff)

/* A table as it is read of a section. */
struct e01_load {
    uint64_t base;
    uint32_t count;
    uint8_t *entries; /* owned; NULL: damaged */
    bool counted;     /* count is sound */
};

static uint32_t e01_entry(const uint8_t *entries, uint32_t i)
{
    return bytes_u32le(entries + (size_t)i * E01_ENTRY_LEN);
}

static uint64_t e01_chunks_of_image(const struct e01_tables *tables)
{
    return (tables->size - 1) / tables->chunk_len + 1;
}

static enum err_code e01_too_many(const struct io_ewf_section *section, struct err *err)
{
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: is damaged: its tables have more chunks than the image, at byte %" PRIu64
                     " of the file; copy it again from its source",
                     section->path, section->at);
}

/* Reads a table, in front of which are so many chunks. What is damaged of it is no error. */
static enum err_code e01_load(const struct e01_tables *tables, uint64_t chunks,
                              const struct io_ewf_section *section, struct e01_load *load,
                              struct err *err)
{
    uint8_t head[E01_HEAD_LEN], sum[E01_SUM_LEN];

    *load = (struct e01_load){ 0 };
    if (section->end < section->at || section->end - section->at < E01_HEAD_LEN + E01_SUM_LEN ||
        io_file_pread(section->fd, section->at, head, sizeof head) != 0 ||
        libdeflate_adler32(1, head, E01_AT_SUM) != bytes_u32le(head + E01_AT_SUM))
        return ERR_OK;
    load->count = bytes_u32le(head);
    load->base = bytes_u64le(head + E01_AT_BASE);
    load->counted = true;
    const uint64_t len = (uint64_t)load->count * E01_ENTRY_LEN;
    if (chunks + load->count > e01_chunks_of_image(tables) + E01_SURPLUS_MAX)
        return e01_too_many(section, err);
    if (load->count == 0 || len > section->end - section->at - E01_HEAD_LEN - E01_SUM_LEN)
        return ERR_OK;
    load->entries = malloc(len);
    if (load->entries == NULL)
        return ERR_NO_MEMORY(err, len);
    if (io_file_pread(section->fd, section->at + E01_HEAD_LEN, load->entries, len) == 0 &&
        io_file_pread(section->fd, section->at + E01_HEAD_LEN + len, sum, sizeof sum) == 0 &&
        libdeflate_adler32(1, load->entries, len) == bytes_u32le(sum))
        return ERR_OK;
    free(load->entries);
    load->entries = NULL;
    return ERR_OK;
}

/* The first entry whose 32 bits are all an offset. */
static uint32_t e01_whole_from(const uint8_t *entries, uint32_t count)
{
    for (uint32_t i = 0; i + 1 < count; i++) {
        const uint32_t next = e01_entry(entries, i + 1);

        if ((next & E01_OFFSET) < (e01_entry(entries, i) & E01_OFFSET) && next > E01_OFFSET)
            return i + 1;
    }
    return count;
}

/* Puts a table behind the others; its entries are taken. */
static enum err_code e01_push(struct e01_tables *tables, const struct io_ewf_section *section,
                              uint32_t file, struct e01_load *load, struct err *err)
{
    const enum err_code rc =
        grow_items(&tables->items, tables->count, &tables->room, sizeof *tables->items, err);

    if (rc != ERR_OK)
        return rc;
    tables->items[tables->count++] = (struct e01_table){
        .first = tables->chunks,
        .base = load->base,
        .sectors = tables->sectors,
        .end = tables->end,
        .entries = load->entries,
        .count = load->count,
        .whole = load->entries == NULL ? 0 : e01_whole_from(load->entries, load->count),
        .file = file,
        .fd = section->fd,
    };
    tables->chunks += load->count;
    load->entries = NULL;
    return ERR_OK;
}

static enum err_code e01_table(struct e01_tables *tables, const struct io_ewf_section *section,
                               uint32_t file, struct err *err)
{
    struct e01_load load;
    enum err_code rc = e01_load(tables, tables->chunks, section, &load, err);

    if (rc == ERR_OK && load.counted && load.count == 0)
        return ERR_OK;
    tables->damaged = (struct e01_damaged){
        .is = load.entries == NULL, .counted = load.counted, .at = section->at, .count = load.count
    };
    tables->fresh = load.entries != NULL;
    if (rc == ERR_OK && load.entries != NULL)
        rc = e01_push(tables, section, file, &load, err);
    free(load.entries);
    return rc;
}

/* The copy of the last table that is sound: is it the same? */
static void e01_compare(struct e01_tables *tables, const struct io_ewf_section *section,
                        const struct e01_load *load)
{
    struct e01_table *table = &tables->items[tables->count - 1];

    if (load->entries == NULL || load->count != table->count || table->whole < table->count ||
        (load->base == table->base &&
         memcmp(load->entries, table->entries, (size_t)load->count * E01_ENTRY_LEN) == 0))
        return;
    table->second = section->at + E01_HEAD_LEN;
    table->base_also = load->base;
}

/* Neither the table nor its copy is sound. */
static enum err_code e01_give_up(struct e01_tables *tables, const struct io_ewf_section *section,
                                 uint32_t file, struct err *err)
{
    struct e01_load none = { .count = tables->damaged.count };

    if (!tables->damaged.counted)
        return ERR_RAISE(
            err, ERR_INPUT,
            "%s: the table of chunks at %" PRIu64
            " of this E01 file and its copy are damaged; copy it again from its source",
            section->path, tables->damaged.at);
    tables->damaged.is = false;
    return e01_push(tables, section, file, &none, err);
}

static enum err_code e01_table2(struct e01_tables *tables, const struct io_ewf_section *section,
                                uint32_t file, struct err *err)
{
    /* The chunks of the copy are those of its table. */
    const uint64_t chunks = tables->fresh ? tables->items[tables->count - 1].first : tables->chunks;
    struct e01_load load;
    enum err_code rc = e01_load(tables, chunks, section, &load, err);

    if (rc == ERR_OK && tables->fresh) {
        e01_compare(tables, section, &load);
    } else if (rc == ERR_OK && load.entries != NULL) {
        tables->repaired++;
        tables->repaired_at = tables->damaged.at;
        tables->damaged.is = false;
        rc = e01_push(tables, section, file, &load, err);
    } else if (rc == ERR_OK && tables->damaged.is) {
        if (!tables->damaged.counted) {
            tables->damaged.counted = load.counted;
            tables->damaged.count = load.count;
        }
        rc = e01_give_up(tables, section, file, err);
    }
    free(load.entries);
    tables->fresh = false;
    return rc;
}

enum err_code io_e01_take(struct e01_tables *tables, const struct io_ewf_section *section,
                          uint32_t file, struct err *err)
{
    const bool table = strcmp(section->type, "table") == 0,
               copy = strcmp(section->type, "table2") == 0;
    enum err_code rc = ERR_OK;

    if (tables->damaged.is && !copy)
        rc = e01_give_up(tables, section, file, err);
    if (rc == ERR_OK && (table || copy)) {
        if (tables->chunk_len == 0)
            return ERR_RAISE(err, ERR_INPUT,
                             "%s: is damaged: nothing in front of its first table says how long "
                             "its chunks are; copy it again from its source",
                             section->path);
        if (tables->end == 0)
            return ERR_RAISE(err, ERR_INPUT,
                             "%s: there are no chunks in front of the table at %" PRIu64
                             ", as in images of EnCase 1; export it: ewfexport -f raw IMAGE",
                             section->path, section->at);
        return table ? e01_table(tables, section, file, err)
                     : e01_table2(tables, section, file, err);
    }
    tables->fresh = false;
    if (strcmp(section->type, "sectors") == 0) {
        tables->sectors = section->at;
        tables->end = section->end;
    } else if (strcmp(section->type, "next") == 0) {
        tables->end = 0; /* chunks lie in the file of their table */
    }
    return rc;
}

static bool e01_begins_by(const void *table, uint64_t chunk)
{
    return ((const struct e01_table *)table)->first <= chunk;
}

/* The table that has a chunk; chunk < tables->chunks. */
static const struct e01_table *e01_table_of(const struct e01_tables *tables, uint64_t chunk)
{
    return &tables->items[bisect_last(tables->items, tables->count, sizeof *tables->items,
                                      e01_begins_by, chunk)];
}

/* Where an entry says that its chunk begins; whole: all its bits are an offset. */
static uint64_t e01_begin(uint64_t base, uint32_t entry, bool whole)
{
    return base + (whole ? entry : entry & E01_OFFSET);
}

/* The chunk of these bytes of the file; one that cannot lie there is UNREAD. */
static void e01_piece(const struct e01_tables *tables, const struct e01_table *table, bool packed,
                      uint64_t begin, uint64_t end, struct io_piece *piece)
{
    const uint32_t most = 2 * tables->chunk_len + LIMIT_SECTOR;

    piece->how = IO_PIECE_UNREAD;
    piece->source = IO_BAD_CHECKSUM;
    if (begin < table->sectors || end > table->end || end <= begin)
        return;
    piece->how = packed ? IO_PIECE_ZLIB : IO_PIECE_SUMMED;
    piece->at = begin;
    piece->file = table->file;
    piece->stored_len = end - begin < most ? (uint32_t)(end - begin) : most;
    piece->whole_len = tables->chunk_len;
}

enum err_code io_e01_find(const void *arg, uint64_t offset, struct io_piece *piece, struct err *err)
{
    const struct e01_tables *tables = arg;
    const uint64_t chunk = offset / tables->chunk_len;

    (void)err;
    *piece = (struct io_piece){ .offset = chunk * tables->chunk_len,
                                .len = tables->chunk_len,
                                .how = IO_PIECE_UNREAD,
                                .source = IO_BAD_ACQUISITION };
    if (chunk >= tables->chunks) { /* no table has it */
        piece->len = tables->size - piece->offset;
        return ERR_OK;
    }
    const struct e01_table *table = e01_table_of(tables, chunk);
    const uint32_t i = (uint32_t)(chunk - table->first);
    const bool last = i + 1 == table->count;
    if (table->entries == NULL) {
        piece->source = IO_BAD_CHECKSUM;
        piece->len = (uint64_t)(table->count - i) * tables->chunk_len;
        return ERR_OK;
    }
    const uint32_t entry = e01_entry(table->entries, i);
    const bool whole = i >= table->whole;
    e01_piece(
        tables, table, !whole && (entry & E01_PACKED) != 0, e01_begin(table->base, entry, whole),
        last ? table->end
             : e01_begin(table->base, e01_entry(table->entries, i + 1), i + 1 >= table->whole),
        piece);
    return ERR_OK;
}

bool io_e01_second(const void *arg, struct io_piece *piece)
{
    const struct e01_tables *tables = arg;
    const uint64_t chunk = piece->offset / tables->chunk_len;
    const struct e01_table *table = e01_table_of(tables, chunk);
    const uint32_t i = (uint32_t)(chunk - table->first);
    const bool last = i + 1 == table->count;
    uint8_t pair[2 * E01_ENTRY_LEN] = { 0 };

    if (table->second == 0 || io_file_pread(table->fd, table->second + (uint64_t)i * E01_ENTRY_LEN,
                                            pair, last ? E01_ENTRY_LEN : sizeof pair) != 0)
        return false;
    const uint32_t entry = e01_entry(pair, 0);
    e01_piece(tables, table, (entry & E01_PACKED) != 0, e01_begin(table->base_also, entry, false),
              last ? table->end : e01_begin(table->base_also, e01_entry(pair, 1), false), piece);
    return io_piece_is_packed(piece->how);
}

void io_e01_tables_release(struct e01_tables *tables)
{
    for (uint32_t i = 0; i < tables->count; i++)
        free(tables->items[i].entries);
    free(tables->items);
    *tables = (struct e01_tables){ 0 };
}
