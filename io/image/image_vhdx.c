/* SPDX-License-Identifier: Apache-2.0
 * io/image/image_vhdx.c - Hyper-V disks (VHDX).
 *
 *   0        "vhdxfile"
 *   64 KiB   two headers of 4 KiB; the one that counts is sound and has the higher number
 *   192 KiB  two equal tables of regions of 64 KiB; the regions here are metadata and block table
 *
 * Headers, tables of regions and the log have checksums (CRC-32C). The metadata and the block table
 * have none: a changed entry is found out when it leads out of the file or to bytes that are used
 * already; one that says that a block is not stored, or another size of the disk, is not.
 *
 * Changes that were begun when the disk was last used stand in its log, and have to be made before
 * the tables are right: that is done in memory (vhdx_log.h). Blocks that lie behind the end of the
 * file, which such a log may name, are bad. Source: MS-VHDX, sections 2 and 3.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "io/image/crc32c.h"
#include "io/image/vhdx_log.h"

enum {
    VHDX_AT_HEADER = 64 << 10, /* the second one stands 64 KiB behind the first */
    VHDX_HEADER_LEN = 4096,
    VHDX_AT_SUM = 4,      /* u32le, of headers, tables of regions and entries of the log */
    VHDX_AT_NUMBER = 8,   /* u64le */
    VHDX_AT_LOG_ID = 48,  /* 16 bytes */
    VHDX_AT_VERSION = 66, /* u16le */
    VHDX_AT_LOG_LEN = 68, /* u32le, bytes */
    VHDX_AT_LOG = 72,     /* u64le, offset in the file */
    VHDX_AT_REGIONS = 192 << 10,
    VHDX_COPY = 64 << 10, /* bytes from a header or table to its copy */
    VHDX_REGIONS_LEN = 64 << 10,
    VHDX_REGIONS_MAX = 2047,
    VHDX_AT_REGION = 16, /* the first entry */
    VHDX_REGION_LEN = 32,
    VHDX_MIB = 1 << 20,
    VHDX_ENTRY_LEN = 8, /* of the block table */
    VHDX_REQUIRED = 1,  /* of a region */
};

enum vhdx_state { VHDX_ABSENT, VHDX_UNDEFINED, VHDX_ZERO, VHDX_UNMAPPED, VHDX_STORED = 6 };

/* GUIDs as they stand in the file. */
static const uint8_t vhdx_region_blocks[] = { 0x66, 0x77, 0xc2, 0x2d, 0x23, 0xf6, 0x00, 0x42,
                                              0x9d, 0x64, 0x11, 0x5e, 0x9b, 0xfd, 0x4a, 0x08 };
static const uint8_t vhdx_region_metadata[] = { 0x06, 0xa2, 0x7c, 0x8b, 0x90, 0x47, 0x9a, 0x4b,
                                                0xb8, 0xfe, 0x57, 0x5f, 0x05, 0x0f, 0x88, 0x6e };

struct vhdx_region {
    uint64_t at;
    uint32_t len; /* bytes; 0: not there */
};

struct vhdx {
    struct io_pieces *pieces;
    struct io_places places;
    struct io_piece_list list;
    uint8_t header[VHDX_HEADER_LEN];
    struct vhdx_region blocks, metadata;
    struct vhdx_disk disk;
    struct vhdx_log log;
    uint64_t stored; /* bytes of the file; places.file_size is what it had before a crash */
    uint32_t chunk;  /* blocks between two entries of sector bitmaps */
};

static enum err_code vhdx_damaged(const struct vhdx *vhdx, struct err *err, const char *what)
{
    return ERR_RAISE(err, ERR_INPUT, "%s: this VHDX is damaged: %s; copy it again from its source",
                     vhdx->places.path, what);
}

/* The CRC-32C of bytes that have their own at VHDX_AT_SUM, for which zeros count. */
static bool vhdx_sound(const uint8_t *bytes, size_t len, const char *magic)
{
    static const uint8_t none[4] = { 0 };
    uint32_t crc = io_crc32c(0, bytes, VHDX_AT_SUM);

    crc = io_crc32c(crc, none, sizeof none);
    crc = io_crc32c(crc, bytes + VHDX_AT_SUM + 4, len - VHDX_AT_SUM - 4);
    return memcmp(bytes, magic, 4) == 0 && crc == bytes_u32le(bytes + VHDX_AT_SUM);
}

/* The header that counts. */
static enum err_code vhdx_header(struct vhdx *vhdx, struct err *err)
{
    uint8_t header[VHDX_HEADER_LEN], magic[8];
    bool found = false;
    enum err_code rc = io_pieces_load(vhdx->pieces, 0, 0, magic, sizeof magic, "the start", err);

    if (rc == ERR_OK && memcmp(magic, "vhdxfile", sizeof magic) != 0)
        return ERR_RAISE(err, ERR_INPUT, "%s: does not begin as a VHDX does", vhdx->places.path);
    for (uint32_t i = 0; rc == ERR_OK && i < 2; i++) {
        rc = io_pieces_load(vhdx->pieces, 0, VHDX_AT_HEADER + i * VHDX_COPY, header, sizeof header,
                            "a header", err);
        if (rc != ERR_OK || !vhdx_sound(header, sizeof header, "head") ||
            (found &&
             bytes_u64le(header + VHDX_AT_NUMBER) <= bytes_u64le(vhdx->header + VHDX_AT_NUMBER)))
            continue;
        memcpy(vhdx->header, header, sizeof header);
        found = true;
    }
    if (rc == ERR_OK && !found)
        rc = vhdx_damaged(vhdx, err, "no header of it has its checksum");
    if (rc == ERR_OK && bytes_u16le(vhdx->header + VHDX_AT_VERSION) != 1)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: is a VHDX of version %u, which is not known",
                       vhdx->places.path, bytes_u16le(vhdx->header + VHDX_AT_VERSION));
    return rc;
}

/* Reads the log: what of it belongs to the disk's last use may not have been taken in. */
static enum err_code vhdx_log(struct vhdx *vhdx, struct err *err)
{
    static const uint8_t none[VHDX_ID_LEN] = { 0 };
    struct vhdx_log *log = &vhdx->log;
    enum err_code rc = ERR_OK;

    log->at = bytes_u64le(vhdx->header + VHDX_AT_LOG);
    log->len = bytes_u32le(vhdx->header + VHDX_AT_LOG_LEN);
    memcpy(log->id, vhdx->header + VHDX_AT_LOG_ID, VHDX_ID_LEN);
    if (log->len > 0)
        rc = io_places_add(&vhdx->places, log->at, log->len, "the log", err);
    if (rc != ERR_OK || log->len == 0 || memcmp(log->id, none, sizeof none) == 0)
        return rc;
    if (log->len % VHDX_MIB != 0 || log->len > VHDX_LOG_MAX)
        return vhdx_damaged(vhdx, err, "its log cannot be of the length that is said");
    rc = io_vhdx_log_read(vhdx->pieces, vhdx->places.path, vhdx->places.file_size, log, err);
    if (rc != ERR_OK || log->entries == 0)
        return rc;
    struct io_image *image = io_pieces_image(vhdx->pieces);
    snprintf(image->trouble, sizeof image->trouble,
             "this VHDX was not closed: %" PRIu32 " entries of its log were taken in, in memory%s",
             log->entries,
             log->incomplete ? "; one behind them was not written to its end, and is left out"
                             : "");
    vhdx->places.file_size = log->file_size > vhdx->stored ? log->file_size : vhdx->stored;
    io_pieces_change(vhdx->pieces, io_vhdx_log_make, log);
    return ERR_OK;
}

/* Where a change of the log may be: in the tables of regions, and in regions that are read. */
static bool vhdx_is_table(const struct vhdx *vhdx, const struct vhdx_change *change)
{
    const struct vhdx_region tables[] = { { VHDX_AT_REGIONS, 2 * VHDX_COPY },
                                          vhdx->blocks,
                                          vhdx->metadata };

    for (uint32_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (change->at >= tables[i].at && change->at - tables[i].at <= tables[i].len &&
            change->len <= tables[i].len - (change->at - tables[i].at))
            return true;
    return false;
}

/* Data are not written by way of the log; if they were, they would be the old ones. */
static enum err_code vhdx_check_log(struct vhdx *vhdx, struct err *err)
{
    for (uint32_t i = 0; i < vhdx->log.count; i++)
        if (!vhdx_is_table(vhdx, &vhdx->log.items[i]))
            return ERR_RAISE(err, ERR_INPUT,
                             "%s: this VHDX was not closed, and its log changes byte %" PRIu64
                             ", where no table is; have that done in a copy of it (qemu-img check "
                             "-r all COPY) and give that",
                             vhdx->places.path, vhdx->log.items[i].at);
    return ERR_OK;
}

static enum err_code vhdx_region(struct vhdx *vhdx, const uint8_t *entry, struct err *err)
{
    struct vhdx_region *region = NULL;

    if (memcmp(entry, vhdx_region_blocks, VHDX_ID_LEN) == 0)
        region = &vhdx->blocks;
    else if (memcmp(entry, vhdx_region_metadata, VHDX_ID_LEN) == 0)
        region = &vhdx->metadata;
    else if ((bytes_u32le(entry + 28) & VHDX_REQUIRED) != 0)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: this VHDX has a region that is not known; convert it: qemu-img "
                         "convert -O raw IMAGE OUT",
                         vhdx->places.path);
    if (region == NULL)
        return ERR_OK;
    if (region->len != 0)
        return vhdx_damaged(vhdx, err, "it has two regions of one kind");
    region->at = bytes_u64le(entry + 16);
    region->len = bytes_u32le(entry + 24);
    if (region->at % VHDX_MIB != 0 || region->len == 0)
        return vhdx_damaged(vhdx, err, "a region does not begin where one may");
    return io_places_add(&vhdx->places, region->at, region->len, "a region", err);
}

static enum err_code vhdx_regions(struct vhdx *vhdx, struct err *err)
{
    uint8_t table[VHDX_REGIONS_LEN];
    bool sound = false;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && !sound && i < 2; i++) {
        rc = io_pieces_load(vhdx->pieces, 0, VHDX_AT_REGIONS + i * VHDX_COPY, table, sizeof table,
                            "a table of regions", err);
        sound = rc == ERR_OK && vhdx_sound(table, sizeof table, "regi");
    }
    if (rc == ERR_OK && !sound)
        return vhdx_damaged(vhdx, err, "no table of regions has its checksum");
    const uint32_t count = rc == ERR_OK ? bytes_u32le(table + 8) : 0;
    if (count > VHDX_REGIONS_MAX)
        return vhdx_damaged(vhdx, err, "it has more regions than it may");
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        rc = vhdx_region(vhdx, table + VHDX_AT_REGION + (size_t)i * VHDX_REGION_LEN, err);
    if (rc == ERR_OK && (vhdx->blocks.len == 0 || vhdx->metadata.len < VHDX_METADATA_LEN))
        rc = vhdx_damaged(vhdx, err, "its metadata or its block table is missing");
    return rc;
}

/* One entry of the block table, as a piece at the end of the list. */
static enum err_code vhdx_block(void *arg, uint64_t number, const uint8_t *bytes, struct err *err)
{
    struct vhdx *vhdx = arg;
    const uint64_t entry = bytes_u64le(bytes), left = vhdx->disk.size - vhdx->list.size;
    const enum vhdx_state state = (enum vhdx_state)(entry & 7);
    struct io_piece piece = { .len = left < vhdx->disk.block ? left : vhdx->disk.block,
                              .how = IO_PIECE_ZERO };
    enum err_code rc = ERR_OK;

    if (number % (vhdx->chunk + 1) == vhdx->chunk)
        return ERR_OK; /* a bitmap of sectors: of disks with a parent */
    if (state == VHDX_STORED) {
        piece.how = IO_PIECE_STORED;
        piece.at = entry / VHDX_MIB * VHDX_MIB;
        /* The last one is whole too, though the disk may end inside of it. */
        rc = io_places_add(&vhdx->places, piece.at, vhdx->disk.block, "a block", err);
    } else if (state > VHDX_UNMAPPED) {
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: this VHDX is damaged: block %" PRIu64 " has the state %d",
                       vhdx->places.path, number, (int)state);
    }
    if (rc == ERR_OK && (entry >> 3 & 0x1ffff) != 0)
        rc = vhdx_damaged(vhdx, err, "its block table has bits that have no meaning");
    if (rc != ERR_OK || piece.how == IO_PIECE_ZERO ||
        (piece.at <= vhdx->stored && piece.len <= vhdx->stored - piece.at))
        return rc == ERR_OK ? io_piece_list_add(&vhdx->list, &piece, err) : rc;
    struct io_piece lost = { .len = piece.len, .how = IO_PIECE_UNREAD, .source = IO_BAD_CHECKSUM };
    piece.len = piece.at < vhdx->stored ? vhdx->stored - piece.at : 0;
    lost.len -= piece.len;
    rc = io_piece_list_add(&vhdx->list, &piece, err);
    return rc == ERR_OK ? io_piece_list_add(&vhdx->list, &lost, err) : rc;
}

static enum err_code vhdx_blocks(struct vhdx *vhdx, struct err *err)
{
    vhdx->chunk = (uint32_t)(((uint64_t)vhdx->disk.sector << 23) / vhdx->disk.block);
    const uint64_t blocks = (vhdx->disk.size - 1) / vhdx->disk.block + 1;
    const uint64_t entries = blocks + (blocks - 1) / vhdx->chunk;

    if (entries > vhdx->blocks.len / VHDX_ENTRY_LEN)
        return vhdx_damaged(vhdx, err, "its block table is too short for its size");
    /* Headers and tables of regions stand in the first MiB. */
    enum err_code rc =
        io_places_add(&vhdx->places, 0, VHDX_AT_REGIONS + 2 * VHDX_COPY, "the header", err);
    if (rc == ERR_OK)
        rc = io_pieces_each(vhdx->pieces, 0, vhdx->blocks.at, entries, VHDX_ENTRY_LEN,
                            "the block table", vhdx_block, vhdx, err);
    if (rc == ERR_OK)
        rc = io_places_check(&vhdx->places, err);
    if (rc == ERR_OK)
        rc = io_pieces_list(vhdx->pieces, &vhdx->list, err);
    return rc;
}

static enum err_code vhdx_read(struct vhdx *vhdx, const char *path, struct err *err)
{
    enum err_code rc = io_pieces_add_file(vhdx->pieces, path, &vhdx->stored, err);

    vhdx->places.file_size = vhdx->stored;
    if (rc == ERR_OK)
        rc = vhdx_header(vhdx, err);
    if (rc == ERR_OK)
        rc = vhdx_log(vhdx, err);
    if (rc == ERR_OK)
        rc = vhdx_regions(vhdx, err);
    if (rc == ERR_OK)
        rc = vhdx_check_log(vhdx, err);
    if (rc == ERR_OK)
        rc = io_vhdx_metadata(vhdx->pieces, path, vhdx->metadata.at, vhdx->metadata.len,
                              &vhdx->disk, err);
    if (rc == ERR_OK)
        rc = vhdx_blocks(vhdx, err);
    if (rc == ERR_OK)
        io_pieces_sector_size(vhdx->pieces, vhdx->disk.sector);
    return rc;
}

enum err_code io_image_vhdx_open(const struct io_container *container, const char *path,
                                 struct io_image **out, struct err *err)
{
    struct vhdx vhdx = { .places = { .path = path } };
    enum err_code rc = io_pieces_begin(container, &vhdx.pieces, err);

    if (rc == ERR_OK)
        rc = vhdx_read(&vhdx, path, err);
    if (vhdx.pieces != NULL)
        io_pieces_change(vhdx.pieces, NULL, NULL);
    io_vhdx_log_release(&vhdx.log);
    io_piece_list_release(&vhdx.list);
    io_places_release(&vhdx.places);
    return io_pieces_finish(vhdx.pieces, rc, out, err);
}
