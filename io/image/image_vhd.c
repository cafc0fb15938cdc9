/* SPDX-License-Identifier: Apache-2.0
 * io/image/image_vhd.c - Virtual PC and Hyper-V disks (VHD), fixed and growing.
 *
 * A footer of 512 bytes ends the file. A growing disk has a copy of it at the start, and a header
 * with the place of its block table: the sector of each block, u32be. A block begins with a bitmap
 * of its sectors, the first sector in the highest bit; what stands in a sector whose bit is clear
 * was never written by the disk, and reads as zeros.
 *
 * The block table stays in memory, 4 bytes for each block. Bitmaps are read when they are needed: a
 * disk of 2 TiB has a million of them, all over the file.
 *
 * Footer and header have checksums. Table and bitmaps have none: a changed entry is found out when
 * it leads out of the file or to bytes that are used already, a changed bit of a bitmap is not.
 * Source: Virtual Hard Disk Image Format Specification 1.0.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "io/image/file.h"
#include "io/image/image_pieces.h"

enum {
    VHD_FOOTER_LEN = 512,
    VHD_AT_VERSION = 12, /* u32be: major in the upper half */
    VHD_AT_HEADER = 16,  /* u64be, offset in the file */
    VHD_AT_SIZE = 48,    /* u64be, bytes of the disk now; those at its making stand at 40 */
    VHD_AT_TYPE = 60,    /* u32be */
    VHD_AT_SUM = 64,     /* u32be */
    VHD_TYPE_FIXED = 2,
    VHD_TYPE_GROWING = 3,
    VHD_TYPE_DIFFERENCING = 4,
    VHD_HEADER_LEN = 1024,
    VHD_AT_TABLE = 16,      /* u64be, offset in the file */
    VHD_AT_ENTRIES = 28,    /* u32be */
    VHD_AT_BLOCK = 32,      /* u32be, bytes */
    VHD_AT_HEADER_SUM = 36, /* u32be */
    VHD_ENTRY_LEN = 4,
    VHD_GIB_MAX = 2040,      /* of a disk; the format ends there */
    VHD_BLOCK_MIN = 1 << 16, /* bytes; the usual ones are 512 KiB and 2 MiB */
    VHD_LOOK = 512,          /* bytes of a bitmap read at a time: 2 MiB of the disk */
    VHD_FREE_MAX = 1 << 16,  /* blocks in one run that is not stored */
};

#define VHD_FREE UINT32_C(0xffffffff)

/* The table of pieces of a growing disk. */
struct vhd_table {
    uint64_t size;          /* bytes of the disk */
    uint32_t block, bitmap; /* bytes: of a block's data, and of the bitmap in front of it */
    uint32_t count;         /* blocks */
    uint32_t *sectors;      /* [count], owned */
    int fd;                 /* the image's */
    uint64_t file_size;     /* bytes */
    char path[LIMIT_PATH];
};

struct vhd {
    struct io_places places;
    uint8_t footer[VHD_FOOTER_LEN];
    uint64_t size, table;
    uint32_t type, entries, block;
    bool at_end; /* the footer is the one at the end */
    struct vhd_table *pieces;
};

static uint32_t vhd_sum(const uint8_t *bytes, size_t len, size_t sum_at)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < len; i++)
        sum += i >= sum_at && i < sum_at + 4 ? 0 : bytes[i];
    return ~sum;
}

static bool vhd_is_footer(const uint8_t *footer)
{
    return memcmp(footer, "conectix", 8) == 0 &&
           vhd_sum(footer, VHD_FOOTER_LEN, VHD_AT_SUM) == bytes_u32be(footer + VHD_AT_SUM);
}

/* The footer that counts: that at the end, or its copy where that is none. */
static enum err_code vhd_footer(struct vhd *vhd, const struct io_pieces *pieces, struct err *err)
{
    const char *path = vhd->places.path;
    const uint64_t size = vhd->places.file_size;

    if (size < VHD_FOOTER_LEN)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: the header of the VHD cannot be read; the file is cut short", path);
    enum err_code rc = io_pieces_load(pieces, 0, size - VHD_FOOTER_LEN, vhd->footer, VHD_FOOTER_LEN,
                                      "the footer", err);
    vhd->at_end = rc == ERR_OK && vhd_is_footer(vhd->footer);
    if (vhd->at_end)
        return ERR_OK;
    const bool damaged = rc != ERR_OK || memcmp(vhd->footer, "conectix", 8) == 0;
    rc = io_pieces_load(pieces, 0, 0, vhd->footer, VHD_FOOTER_LEN, "the copy of the footer", err);
    if (rc != ERR_OK)
        return rc;
    if (vhd_is_footer(vhd->footer) && bytes_u32be(vhd->footer + VHD_AT_TYPE) != VHD_TYPE_FIXED)
        return ERR_OK;
    if (damaged || memcmp(vhd->footer, "conectix", 8) == 0)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: this VHD is damaged: no footer of it has its checksum; copy it again "
                         "from its source",
                         path);
    return ERR_RAISE(err, ERR_INPUT, "%s: neither begins nor ends as a VHD does", path);
}

static enum err_code vhd_check_footer(struct vhd *vhd, struct err *err)
{
    const char *path = vhd->places.path;
    const uint32_t version = bytes_u32be(vhd->footer + VHD_AT_VERSION);

    vhd->type = bytes_u32be(vhd->footer + VHD_AT_TYPE);
    vhd->size = bytes_u64be(vhd->footer + VHD_AT_SIZE);
    if (vhd->type == VHD_TYPE_DIFFERENCING)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: is a differencing VHD, which holds only what has changed since its "
                         "parent; join the two: qemu-img convert -O raw IMAGE OUT",
                         path);
    if (version >> 16 != 1 || (vhd->type != VHD_TYPE_FIXED && vhd->type != VHD_TYPE_GROWING))
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: is a VHD of a kind that is not known: type %" PRIu32
                         ", version 0x%" PRIx32 "; convert it: qemu-img convert -O raw IMAGE OUT",
                         path, vhd->type, version);
    return ERR_OK;
}

static enum err_code vhd_check_room(const struct vhd *vhd, uint64_t room, struct err *err)
{
    const uint64_t most = (uint64_t)VHD_GIB_MAX << 30;

    if (vhd->type == VHD_TYPE_GROWING && room > most)
        room = most;
    if (vhd->size <= room)
        return ERR_OK;
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: this VHD is damaged: its footer says %" PRIu64
                     " bytes, and it has room for %" PRIu64,
                     vhd->places.path, vhd->size, room);
}

static enum err_code vhd_header(struct vhd *vhd, const struct io_pieces *pieces, struct err *err)
{
    const uint64_t at = bytes_u64be(vhd->footer + VHD_AT_HEADER);
    uint8_t header[VHD_HEADER_LEN];
    enum err_code rc = io_pieces_load(pieces, 0, at, header, sizeof header, "the header", err);

    if (rc != ERR_OK)
        return rc;
    vhd->table = bytes_u64be(header + VHD_AT_TABLE);
    vhd->entries = bytes_u32be(header + VHD_AT_ENTRIES);
    vhd->block = bytes_u32be(header + VHD_AT_BLOCK);
    if (memcmp(header, "cxsparse", 8) != 0 || vhd_sum(header, sizeof header, VHD_AT_HEADER_SUM) !=
                                                  bytes_u32be(header + VHD_AT_HEADER_SUM))
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: this VHD is damaged: its header at byte %" PRIu64
                         " does not have its checksum; copy it again from its source",
                         vhd->places.path, at);
    if (vhd->block < VHD_BLOCK_MIN || (vhd->block & (vhd->block - 1)) != 0)
        return ERR_RAISE(err, ERR_INPUT, "%s: this VHD has blocks of %" PRIu32 " bytes",
                         vhd->places.path, vhd->block);
    rc = io_places_add(&vhd->places, 0, VHD_FOOTER_LEN, "the copy of the footer", err);
    if (rc == ERR_OK)
        rc = io_places_add(&vhd->places, at, sizeof header, "the header", err);
    if (rc == ERR_OK && vhd->at_end)
        rc = io_places_add(&vhd->places, vhd->places.file_size - VHD_FOOTER_LEN, VHD_FOOTER_LEN,
                           "the footer", err);
    return rc == ERR_OK ? vhd_check_room(vhd, (uint64_t)vhd->entries * vhd->block, err) : rc;
}

static enum err_code vhd_entry(void *arg, uint64_t number, const uint8_t *bytes, struct err *err)
{
    struct vhd *vhd = arg;
    struct vhd_table *table = vhd->pieces;
    const uint32_t sector = bytes_u32be(bytes);

    table->sectors[number] = sector;
    if (sector == VHD_FREE)
        return ERR_OK;
    /* The last one is whole too, though the disk may end inside of it. */
    return io_places_add(&vhd->places, (uint64_t)sector * LIMIT_SECTOR,
                         table->bitmap + table->block, "a block", err);
}

static void vhd_release(void *arg)
{
    struct vhd_table *table = arg;

    free(table->sectors);
    free(table);
}

/* Blocks from the one at offset on that are not stored. */
static void vhd_free_run(const struct vhd_table *table, uint64_t offset, struct io_piece *piece)
{
    const uint32_t first = (uint32_t)(offset / table->block);
    uint32_t i = first + 1;

    while (i < table->count && i - first < VHD_FREE_MAX && table->sectors[i] == VHD_FREE)
        i++;
    *piece = (struct io_piece){ .offset = (uint64_t)first * table->block,
                                .len = (uint64_t)(i - first) * table->block,
                                .how = IO_PIECE_ZERO };
}

/* How many bits from bit `at` on are as that one is, of a bitmap of so many bits. */
static uint32_t vhd_same_bits(const uint8_t *bits, uint32_t at, uint32_t count)
{
    const bool set = (bits[at / 8] >> (7 - at % 8) & 1) != 0;
    const uint8_t all = set ? 0xff : 0;
    uint32_t i = at;

    while (i < count) {
        if (i % 8 == 0 && bits[i / 8] == all)
            i += 8;
        else if (((bits[i / 8] >> (7 - i % 8) & 1) != 0) == set)
            i++;
        else
            break;
    }
    return i - at;
}

static enum err_code vhd_find(const void *arg, uint64_t offset, struct io_piece *piece,
                              struct err *err)
{
    const struct vhd_table *table = arg;
    const uint64_t block = offset / table->block, start = block * table->block;
    const uint32_t first = (uint32_t)((offset - start) / LIMIT_SECTOR);
    const uint64_t at = (uint64_t)table->sectors[block] * LIMIT_SECTOR;
    uint8_t bits[VHD_LOOK];

    if (table->sectors[block] == VHD_FREE) {
        vhd_free_run(table, offset, piece);
        return ERR_OK;
    }
    const uint32_t skip = first / (8 * VHD_LOOK) * VHD_LOOK, left = table->bitmap - skip;
    const uint32_t len = left < VHD_LOOK ? left : VHD_LOOK;
    const uint32_t sectors = table->block / LIMIT_SECTOR - skip * 8;
    const int cause = io_file_pread(table->fd, at + skip, bits, len);
    *piece = (struct io_piece){ .offset = start, .len = table->block };
    if (cause != 0)
        return io_file_result(table->fd, table->path, table->file_size, at + skip, len, cause, err);
    const uint32_t bit = first - skip * 8;
    const uint32_t same = vhd_same_bits(bits, bit, sectors < len * 8 ? sectors : len * 8);
    piece->offset = start + (uint64_t)first * LIMIT_SECTOR;
    piece->len = (uint64_t)same * LIMIT_SECTOR;
    piece->at = at + table->bitmap + (uint64_t)first * LIMIT_SECTOR;
    piece->how = (bits[bit / 8] >> (7 - bit % 8) & 1) != 0 ? IO_PIECE_STORED : IO_PIECE_ZERO;
    return ERR_OK;
}

/* A growing disk. */
static enum err_code vhd_grow(struct vhd *vhd, struct io_pieces *pieces, struct err *err)
{
    static const struct io_piece_ops ops = { .find = vhd_find, .release = vhd_release };
    const uint32_t bits = vhd->block / LIMIT_SECTOR;
    const uint32_t count = (uint32_t)((vhd->size + vhd->block - 1) / vhd->block);
    struct vhd_table *table;
    enum err_code rc = io_places_add(
        &vhd->places, vhd->table, (uint64_t)vhd->entries * VHD_ENTRY_LEN, "the block table", err);

    if (rc != ERR_OK)
        return rc;
    table = calloc(1, sizeof *table);
    if (table == NULL)
        return ERR_NO_MEMORY(err, sizeof *table);
    io_pieces_table(pieces, &ops, table, vhd->size);
    vhd->pieces = table;
    table->size = vhd->size;
    table->block = vhd->block;
    table->bitmap = (bits / 8 + LIMIT_SECTOR - 1) / LIMIT_SECTOR * LIMIT_SECTOR;
    table->count = count;
    table->fd = io_pieces_fd(pieces, 0);
    table->file_size = vhd->places.file_size;
    memcpy(table->path, vhd->places.path, strnlen(vhd->places.path, sizeof table->path - 1));
    table->sectors = malloc((size_t)count * sizeof *table->sectors + 1);
    if (table->sectors == NULL)
        return ERR_NO_MEMORY(err, count * sizeof *table->sectors);
    rc = io_pieces_each(pieces, 0, vhd->table, count, VHD_ENTRY_LEN, "the block table", vhd_entry,
                        vhd, err);
    return rc == ERR_OK ? io_places_check(&vhd->places, err) : rc;
}

/* A fixed disk is its bytes, in front of the footer. */
static enum err_code vhd_fixed(const struct vhd *vhd, struct io_pieces *pieces, struct err *err)
{
    const struct io_piece piece = { .len = vhd->size, .how = IO_PIECE_STORED };
    struct io_piece_list list = { 0 };
    enum err_code rc = vhd_check_room(vhd, vhd->places.file_size - VHD_FOOTER_LEN, err);

    if (rc == ERR_OK)
        rc = io_piece_list_add(&list, &piece, err);
    if (rc == ERR_OK)
        rc = io_pieces_list(pieces, &list, err);
    io_piece_list_release(&list);
    return rc;
}

static enum err_code vhd_read(struct io_pieces *pieces, const char *path, struct err *err)
{
    struct vhd vhd = { .places = { .path = path } };
    enum err_code rc = io_pieces_add_file(pieces, path, &vhd.places.file_size, err);

    if (rc == ERR_OK)
        rc = vhd_footer(&vhd, pieces, err);
    if (rc == ERR_OK)
        rc = vhd_check_footer(&vhd, err);
    if (rc == ERR_OK && vhd.type == VHD_TYPE_FIXED)
        rc = vhd_fixed(&vhd, pieces, err);
    else if (rc == ERR_OK)
        rc = vhd_header(&vhd, pieces, err);
    if (rc == ERR_OK && vhd.type == VHD_TYPE_GROWING)
        rc = vhd_grow(&vhd, pieces, err);
    io_places_release(&vhd.places);
    return rc;
}

enum err_code io_image_vhd_open(const struct io_container *container, const char *path,
                                struct io_image **out, struct err *err)
{
    struct io_pieces *pieces;
    enum err_code rc = io_pieces_begin(container, &pieces, err);

    if (rc == ERR_OK)
        rc = vhd_read(pieces, path, err);
    return io_pieces_finish(pieces, rc, out, err);
}
