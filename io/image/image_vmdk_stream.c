/* SPDX-License-Identifier: Apache-2.0
 * io/image/image_vmdk_stream.c - VMware disks in one packed file (streamOptimized), as OVF has
 * them.
 *
 * A header, a text, then grains in the order in which they were written: the sector of the disk,
 * the number of bytes, and the bytes (zlib). Behind them stand tables of grains, u32le sectors of
 * the file, a directory of the tables, and a copy of the header that says where the directory is.
 *
 * The sectors of all grains stay in memory, 4 bytes each. How long a grain is, and that it is the
 * one that is sought, is read with it. So an entry of a table that was changed is found out, and a
 * changed grain by its Adler-32. An entry that says that a grain is not stored is found out where
 * the file has its tables twice. Other VMDKs are read by libtsk: image_vmdk.c.
 * Source: VMware Virtual Disk Format 5.0, "Stream-Optimized Compressed Sparse Extents".
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "io/image/file.h"
#include "io/image/image_pieces.h"

enum {
    STREAM_HEADER_LEN = 512,
    STREAM_FOOTER = 1024,          /* bytes from its start to the end of the file */
    STREAM_AT_FLAGS = 8,           /* u32le */
    STREAM_AT_SIZE = 12,           /* u64le, sectors of the disk */
    STREAM_AT_GRAIN = 20,          /* u64le, sectors */
    STREAM_AT_DESCRIPTOR = 28,     /* u64le, sector */
    STREAM_AT_DESCRIPTOR_LEN = 36, /* u64le, sectors */
    STREAM_AT_ENTRIES = 44,        /* u32le, of a table */
    STREAM_AT_SECOND = 48,         /* u64le, sector of the second directory */
    STREAM_AT_DIRECTORY = 56,      /* u64le, sector */
    STREAM_AT_PACKED = 77,         /* u16le: 1 deflate */
    STREAM_ENTRIES = 512,
    STREAM_ENTRY_LEN = 4,
    STREAM_GRAIN_MIN = 8,             /* sectors */
    STREAM_GRAIN_MAX = 4096,          /* sectors */
    STREAM_GRAINS_MAX = 1 << 28,      /* of a disk: 16 TiB at the usual 64 KiB */
    STREAM_MARKER_LEN = 12,           /* u64le sector of the disk, u32le bytes */
    STREAM_DESCRIPTOR_MAX = 64 << 10, /* bytes */
    STREAM_RUN_MAX = 1 << 16,         /* grains in one run that is not stored */
    STREAM_PACKED = 3 << 16,          /* flags: grains are packed, and have markers */
    STREAM_TWICE = 1 << 1,            /* flags: there is a second directory */
    STREAM_ZERO = 1,                  /* an entry: a grain of zeros */
};

#define STREAM_AT_END UINT64_MAX

/* The table of pieces. */
struct stream_table {
    uint64_t file_size; /* bytes */
    uint32_t *sectors;  /* [grains], owned: of the file; 0 or STREAM_ZERO: not stored */
    uint32_t grains;
    uint32_t grain; /* bytes */
    int fd;         /* the image's */
};

struct stream {
    struct io_pieces *pieces;
    struct io_places places;
    uint8_t header[STREAM_HEADER_LEN];
    struct stream_table *table;
    uint64_t size;       /* bytes of the disk */
    uint64_t descriptor; /* sectors of the disk as the text says; 0: it does not */
    uint64_t second;     /* place of the second directory; 0: there is none */
    uint8_t entries[STREAM_ENTRIES * STREAM_ENTRY_LEN]; /* of the second table */
};

/* One sign of several is enough: libvmdk takes the packed bytes of a damaged one for the disk's. */
bool io_container_is_stream_vmdk(const struct io_probe *probe)
{
    return probe->head_len >= STREAM_HEADER_LEN &&
           ((bytes_u32le(probe->head + STREAM_AT_FLAGS) & STREAM_PACKED) != 0 ||
            bytes_u16le(probe->head + STREAM_AT_PACKED) != 0);
}

static enum err_code stream_damaged(const struct stream *stream, const char *what, uint64_t value,
                                    struct err *err)
{
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: this VMDK is damaged: %s %" PRIu64 "; copy it again from its source",
                     stream->places.path, what, value);
}

static void stream_release(void *arg)
{
    struct stream_table *table = arg;

    free(table->sectors);
    free(table);
}

static bool stream_is_stored(uint32_t sector)
{
    return sector > STREAM_ZERO;
}

static enum err_code stream_find(const void *arg, uint64_t offset, struct io_piece *piece,
                                 struct err *err)
{
    const struct stream_table *table = arg;
    const uint32_t first = (uint32_t)(offset / table->grain);
    const uint64_t at = (uint64_t)table->sectors[first] * LIMIT_SECTOR;
    uint8_t marker[STREAM_MARKER_LEN];
    uint32_t last = first + 1;

    *piece = (struct io_piece){ .offset = (uint64_t)first * table->grain,
                                .len = table->grain,
                                .how = IO_PIECE_ZERO };
    if (!stream_is_stored(table->sectors[first])) {
        while (last < table->grains && last - first < STREAM_RUN_MAX &&
               !stream_is_stored(table->sectors[last]))
            last++;
        piece->len = (uint64_t)(last - first) * table->grain;
        return ERR_OK;
    }
    const int cause = io_file_pread(table->fd, at, marker, sizeof marker);
    if (cause != 0)
        return io_file_result(table->fd, "a grain", table->file_size, at, sizeof marker, cause,
                              err);
    const uint32_t len = bytes_u32le(marker + 8);
    piece->how = IO_PIECE_UNREAD;
    piece->source = IO_BAD_CHECKSUM;
    if (bytes_u64le(marker) != piece->offset / LIMIT_SECTOR || len == 0 || len > 2 * table->grain ||
        len > table->file_size - at - sizeof marker)
        return ERR_OK; /* it is another one, or none */
    piece->how = IO_PIECE_ZLIB;
    piece->at = at + sizeof marker;
    piece->stored_len = len;
    piece->whole_len = table->grain;
    return ERR_OK;
}

/* Loads a header, that at the start or its copy. */
static enum err_code stream_load_header(struct stream *stream, uint64_t at, struct err *err)
{
    const enum err_code rc =
        io_pieces_load(stream->pieces, 0, at, stream->header, STREAM_HEADER_LEN, "the header", err);

    if (rc == ERR_OK && memcmp(stream->header, "KDMV", 4) != 0)
        return stream_damaged(stream, "no header at byte", at, err);
    return rc;
}

/* The sectors that the first extent of the text has: "RW 6144 SPARSE ...". 0: there is none. */
static uint64_t stream_text_sectors(const char *text)
{
    static const char *const access[] = { "\nRW ", "\nRDONLY " };

    for (uint32_t i = 0; i < sizeof access / sizeof access[0]; i++) {
        const char *line = strstr(text, access[i]);
        if (line != NULL)
            return strtoull(line + strlen(access[i]), NULL, 10);
    }
    return 0;
}

/* What the text inside of the file says. */
static enum err_code stream_text(struct stream *stream, struct err *err)
{
    static const char key[] = "parentCID=";
    const uint64_t sector = bytes_u64le(stream->header + STREAM_AT_DESCRIPTOR),
                   sectors = bytes_u64le(stream->header + STREAM_AT_DESCRIPTOR_LEN);
    char *text;
    enum err_code rc;

    if (sector == 0 || sectors == 0)
        return ERR_OK;
    if (sectors > STREAM_DESCRIPTOR_MAX / LIMIT_SECTOR || sector > INT64_MAX / LIMIT_SECTOR)
        return stream_damaged(stream, "sectors of its descriptor:", sectors, err);
    text = calloc(1, (size_t)sectors * LIMIT_SECTOR + 1);
    if (text == NULL)
        return ERR_NO_MEMORY(err, sectors * LIMIT_SECTOR);
    rc = io_places_add(&stream->places, sector * LIMIT_SECTOR, sectors * LIMIT_SECTOR,
                       "the descriptor", err);
    if (rc == ERR_OK)
        rc = io_pieces_load(stream->pieces, 0, sector * LIMIT_SECTOR, (uint8_t *)text,
                            (size_t)sectors * LIMIT_SECTOR, "the descriptor", err);
    if (rc == ERR_OK)
        stream->descriptor = stream_text_sectors(text);
    const char *parent = rc == ERR_OK ? strstr(text, key) : NULL;
    if (parent != NULL && strncasecmp(parent + sizeof key - 1, "ffffffff", 8) != 0)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: is a VMDK snapshot, which holds only what has changed since its "
                       "parent; join the two: qemu-img convert -O raw IMAGE OUT",
                       stream->places.path);
    free(text);
    return rc;
}

static enum err_code stream_grain(void *arg, uint64_t number, const uint8_t *bytes, struct err *err)
{
    struct stream *stream = arg;
    const uint32_t sector = bytes_u32le(bytes);

    if (stream->second != 0 &&
        memcmp(bytes, stream->entries + number * STREAM_ENTRY_LEN, STREAM_ENTRY_LEN) != 0)
        return stream_damaged(stream, "its two tables differ, for grain", stream->table->grains,
                              err);
    if (stream->table->grains == STREAM_GRAINS_MAX ||
        (uint64_t)stream->table->grains * stream->table->grain >= stream->size)
        return ERR_OK; /* the last table reaches behind the end of the disk */
    stream->table->sectors[stream->table->grains++] = sector;
    if (!stream_is_stored(sector))
        return ERR_OK;
    return io_places_add(&stream->places, (uint64_t)sector * LIMIT_SECTOR, STREAM_MARKER_LEN + 1,
                         "a grain", err);
}

/* *at: the place that an entry of the second directory names. */
static enum err_code stream_second(const struct stream *stream, uint64_t number, uint64_t *at,
                                   struct err *err)
{
    uint8_t entry[STREAM_ENTRY_LEN];
    const enum err_code rc =
        io_pieces_load(stream->pieces, 0, stream->second + number * STREAM_ENTRY_LEN, entry,
                       sizeof entry, "the second directory", err);

    if (rc == ERR_OK)
        *at = (uint64_t)bytes_u32le(entry) * LIMIT_SECTOR;
    return rc;
}

/* An entry of the directory: where a table is. It comes by twice. */
static enum err_code stream_place(void *arg, uint64_t number, const uint8_t *bytes, struct err *err)
{
    struct stream *stream = arg;
    const uint64_t at = (uint64_t)bytes_u32le(bytes) * LIMIT_SECTOR;
    uint64_t second = at;
    enum err_code rc = ERR_OK;

    if (stream->second != 0)
        rc = stream_second(stream, number, &second, err);
    if (rc == ERR_OK && (at == 0) != (second == 0))
        rc = stream_damaged(stream, "its two directories differ, for table", number, err);
    if (rc != ERR_OK || at == 0)
        return rc;
    return io_places_add(&stream->places, at, STREAM_ENTRIES * STREAM_ENTRY_LEN, "a table", err);
}

static enum err_code stream_entries(void *arg, uint64_t number, const uint8_t *bytes,
                                    struct err *err)
{
    struct stream *stream = arg;
    const uint64_t at = (uint64_t)bytes_u32le(bytes) * LIMIT_SECTOR;
    const uint64_t grains = (stream->size - 1) / stream->table->grain + 1;
    const uint64_t end = (number + 1) * STREAM_ENTRIES;
    uint64_t second = 0;
    enum err_code rc = ERR_OK;

    if (at == 0) {
        stream->table->grains = (uint32_t)(end < grains ? end : grains);
        return ERR_OK;
    }
    if (stream->second != 0)
        rc = stream_second(stream, number, &second, err);
    if (rc == ERR_OK && stream->second != 0)
        rc = io_pieces_load(stream->pieces, 0, second, stream->entries, sizeof stream->entries,
                            "the second table", err);
    if (rc != ERR_OK)
        return rc;
    return io_pieces_each(stream->pieces, 0, at, STREAM_ENTRIES, STREAM_ENTRY_LEN, "a table",
                          stream_grain, stream, err);
}

static enum err_code stream_tables(struct stream *stream, uint64_t at, uint64_t entries,
                                   struct err *err)
{
    enum err_code rc = io_places_add(&stream->places, 0, STREAM_HEADER_LEN, "the header", err);

    if (rc == ERR_OK)
        rc = io_places_add(&stream->places, at, entries * STREAM_ENTRY_LEN, "the directory", err);
    if (rc == ERR_OK)
        rc = io_pieces_each(stream->pieces, 0, at, entries, STREAM_ENTRY_LEN, "the directory",
                            stream_place, stream, err);
    /* Before they are read: a table that is named a million times would take long. */
    if (rc == ERR_OK)
        rc = io_places_check(&stream->places, err);
    if (rc == ERR_OK)
        rc = io_pieces_each(stream->pieces, 0, at, entries, STREAM_ENTRY_LEN, "the directory",
                            stream_entries, stream, err);
    return rc == ERR_OK ? io_places_check(&stream->places, err) : rc;
}

/* The header that has the place of the directory, checked. */
static enum err_code stream_load(struct stream *stream, struct err *err)
{
    static const struct io_piece_ops ops = { .find = stream_find, .release = stream_release };
    const uint8_t *h = stream->header;
    const uint64_t sectors = bytes_u64le(h + STREAM_AT_SIZE),
                   grain = bytes_u64le(h + STREAM_AT_GRAIN);
    const uint64_t directory = bytes_u64le(h + STREAM_AT_DIRECTORY);
    const uint64_t second = bytes_u64le(h + STREAM_AT_SECOND);

    if ((bytes_u32le(h + STREAM_AT_FLAGS) & STREAM_PACKED) != STREAM_PACKED ||
        bytes_u16le(h + STREAM_AT_PACKED) != 1)
        return stream_damaged(stream, "the way of packing:", bytes_u16le(h + STREAM_AT_PACKED),
                              err);
    if (grain < STREAM_GRAIN_MIN || grain > STREAM_GRAIN_MAX || (grain & (grain - 1)) != 0)
        return stream_damaged(stream, "sectors of a grain:", grain, err);
    if (bytes_u32le(h + STREAM_AT_ENTRIES) != STREAM_ENTRIES)
        return stream_damaged(stream, "entries of a table:", bytes_u32le(h + STREAM_AT_ENTRIES),
                              err);
    if (sectors == 0 || (sectors - 1) / grain >= STREAM_GRAINS_MAX)
        return stream_damaged(stream, "sectors of the disk:", sectors, err);
    if (stream->descriptor != 0 && (stream->descriptor - 1) / grain != (sectors - 1) / grain)
        return stream_damaged(stream,
                              "sectors of the disk, of which its text says others:", sectors, err);
    if (directory == 0 || directory > INT64_MAX / LIMIT_SECTOR)
        return stream_damaged(stream, "sector of the directory:", directory, err);
    const uint64_t grains = (sectors - 1) / grain + 1;
    const uint64_t entries = (grains - 1) / STREAM_ENTRIES + 1;
    struct stream_table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return ERR_NO_MEMORY(err, sizeof *table);
    if ((bytes_u32le(h + STREAM_AT_FLAGS) & STREAM_TWICE) != 0 &&
        second <= INT64_MAX / LIMIT_SECTOR)
        stream->second = second * LIMIT_SECTOR;
    stream->size = sectors * LIMIT_SECTOR;
    stream->table = table;
    io_pieces_table(stream->pieces, &ops, table, stream->size);
    table->grain = (uint32_t)grain * LIMIT_SECTOR;
    table->fd = io_pieces_fd(stream->pieces, 0);
    table->file_size = stream->places.file_size;
    /* Pages of it that no table fills cost nothing. */
    table->sectors = calloc(grains, sizeof *table->sectors);
    if (table->sectors == NULL)
        return ERR_NO_MEMORY(err, grains * sizeof *table->sectors);
    return stream_tables(stream, directory * LIMIT_SECTOR, entries, err);
}

static enum err_code stream_read(struct stream *stream, const char *path, struct err *err)
{
    uint8_t first[STREAM_HEADER_LEN];
    enum err_code rc = io_pieces_add_file(stream->pieces, path, &stream->places.file_size, err);

    if (rc == ERR_OK)
        rc = stream_load_header(stream, 0, err);
    if (rc == ERR_OK)
        rc = stream_text(stream, err);
    if (rc == ERR_OK && bytes_u64le(stream->header + STREAM_AT_DIRECTORY) == STREAM_AT_END) {
        memcpy(first, stream->header, sizeof first);
        if (stream->places.file_size < STREAM_HEADER_LEN + STREAM_FOOTER)
            return stream_damaged(stream, "cut short, to bytes:", stream->places.file_size, err);
        rc = stream_load_header(stream, stream->places.file_size - STREAM_FOOTER, err);
        if (rc == ERR_OK && memcmp(first, stream->header, STREAM_AT_DIRECTORY) != 0)
            rc = stream_damaged(stream, "the copy of its header is another one, at byte",
                                stream->places.file_size - STREAM_FOOTER, err);
    }
    return rc == ERR_OK ? stream_load(stream, err) : rc;
}

enum err_code io_image_vmdk_stream_open(const struct io_container *container, const char *path,
                                        struct io_image **out, struct err *err)
{
    struct stream stream = { .places = { .path = path } };
    enum err_code rc = io_pieces_begin(container, &stream.pieces, err);

    if (rc == ERR_OK)
        rc = stream_read(&stream, path, err);
    io_places_release(&stream.places);
    return io_pieces_finish(stream.pieces, rc, out, err);
}
