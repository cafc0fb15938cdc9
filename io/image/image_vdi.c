/* SPDX-License-Identifier: Apache-2.0
 * io/image/image_vdi.c - VirtualBox disks.
 *
 * A header of 456 bytes, a map of u32le block numbers, and blocks. A number counts blocks from the
 * start of the data; two numbers stand for blocks that are not stored. Nothing here has a checksum:
 * a map with a changed entry is found out when the entry leads out of the file or to another
 * block's bytes, and only then. Source: VirtualBox, VDICore.h; QEMU, block/vdi.c.
 */
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "io/image/image_pieces.h"

enum {
    VDI_HEADER_LEN = 456,
    VDI_AT_MAGIC = 64,   /* u32le */
    VDI_AT_VERSION = 68, /* u32le: major in the upper half */
    VDI_AT_TYPE = 76,    /* u32le */
    VDI_AT_MAP = 340,    /* u32le, offset in the file */
    VDI_AT_DATA = 344,   /* u32le, offset in the file */
    VDI_AT_SECTOR = 360, /* u32le, bytes */
    VDI_AT_SIZE = 368,   /* u64le, bytes of the disk */
    VDI_AT_BLOCK = 376,  /* u32le, bytes */
    VDI_AT_EXTRA = 380,  /* u32le, bytes in front of each block */
    VDI_AT_COUNT = 384,  /* u32le, blocks of the disk */
    VDI_AT_STORED = 388, /* u32le, blocks that are stored */
    VDI_AT_LINK = 424,   /* 16 bytes: of the disk before it, of a snapshot */
    VDI_AT_PARENT = 440, /* 16 bytes */
    VDI_ID_LEN = 16,
    VDI_TYPE_GROWING = 1,
    VDI_TYPE_FIXED = 2,
    VDI_TYPE_UNDO = 3,
    VDI_TYPE_DIFFERENCING = 4,
    VDI_ENTRY_LEN = 4,
    VDI_BLOCK_MIN = 4096,
    VDI_BLOCK_MAX = 256 << 20,
};

#define VDI_MAGIC UINT32_C(0xbeda107f)
#define VDI_ENTRY_FREE UINT32_C(0xffffffff) /* never written */
#define VDI_ENTRY_ZERO UINT32_C(0xfffffffe) /* given back */

struct vdi {
    struct io_places places;
    struct io_piece_list list;
    uint64_t size, map, data;      /* bytes */
    uint32_t block;                /* bytes */
    uint32_t count, stored, found; /* blocks: of the disk, stored as the header and the map say */
};

static enum err_code vdi_damaged(const struct vdi *vdi, const char *what, uint64_t value,
                                 struct err *err)
{
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: the header of this VDI is damaged, or of a version that is not known: %s "
                     "%" PRIu64,
                     vdi->places.path, what, value);
}

static enum err_code vdi_header(struct vdi *vdi, const uint8_t *head, struct err *err)
{
    static const uint8_t none[VDI_ID_LEN] = { 0 };
    const uint32_t type = bytes_u32le(head + VDI_AT_TYPE);
    const uint32_t sector = bytes_u32le(head + VDI_AT_SECTOR);

    vdi->map = bytes_u32le(head + VDI_AT_MAP);
    vdi->data = bytes_u32le(head + VDI_AT_DATA);
    vdi->size = bytes_u64le(head + VDI_AT_SIZE);
    vdi->block = bytes_u32le(head + VDI_AT_BLOCK);
    vdi->count = bytes_u32le(head + VDI_AT_COUNT);
    vdi->stored = bytes_u32le(head + VDI_AT_STORED);
    if (bytes_u32le(head + VDI_AT_MAGIC) != VDI_MAGIC)
        return ERR_RAISE(err, ERR_INPUT, "%s: does not begin as a VDI does", vdi->places.path);
    if (bytes_u32le(head + VDI_AT_VERSION) >> 16 != 1)
        return vdi_damaged(vdi, "version", bytes_u32le(head + VDI_AT_VERSION), err);
    if (type == VDI_TYPE_UNDO || type == VDI_TYPE_DIFFERENCING ||
        memcmp(head + VDI_AT_LINK, none, sizeof none) != 0 ||
        memcmp(head + VDI_AT_PARENT, none, sizeof none) != 0)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: is a VDI snapshot, which holds only what has changed since its "
                         "parent; join them with VirtualBox: VBoxManage clonemedium IMAGE OUT",
                         vdi->places.path);
    if (type != VDI_TYPE_GROWING && type != VDI_TYPE_FIXED)
        return vdi_damaged(vdi, "type", type, err);
    if (sector != LIMIT_SECTOR)
        return vdi_damaged(vdi, "bytes of a sector:", sector, err);
    if (vdi->block < VDI_BLOCK_MIN || vdi->block > VDI_BLOCK_MAX ||
        (vdi->block & (vdi->block - 1)) != 0)
        return vdi_damaged(vdi, "bytes of a block:", vdi->block, err);
    if (bytes_u32le(head + VDI_AT_EXTRA) != 0)
        return vdi_damaged(vdi, "bytes in front of a block:", bytes_u32le(head + VDI_AT_EXTRA),
                           err);
    if (vdi->map % LIMIT_SECTOR != 0 || vdi->data % LIMIT_SECTOR != 0)
        return vdi_damaged(vdi, "place of the map or the data:", vdi->map, err);
    if (vdi->size == 0 || (vdi->size - 1) / vdi->block + 1 != vdi->count)
        return vdi_damaged(vdi, "bytes of the disk:", vdi->size, err);
    return ERR_OK;
}

static bool vdi_is_stored(uint32_t entry)
{
    return entry != VDI_ENTRY_FREE && entry != VDI_ENTRY_ZERO;
}

/* One entry of the map, as a piece at the end of the list. */
static enum err_code vdi_block(void *arg, uint64_t number, const uint8_t *bytes, struct err *err)
{
    struct vdi *vdi = arg;
    const uint32_t entry = bytes_u32le(bytes);
    const uint64_t left = vdi->size - vdi->list.size;
    struct io_piece piece = { .len = left < vdi->block ? left : vdi->block, .how = IO_PIECE_ZERO };

    (void)number;
    if (vdi_is_stored(entry)) {
        vdi->found++;
        piece.how = IO_PIECE_STORED;
        /* The last one is whole too, though the disk may end inside of it. */
        piece.at = vdi->data + (uint64_t)entry * vdi->block;
        const enum err_code rc = io_places_add(&vdi->places, piece.at, vdi->block, "a block", err);
        if (rc != ERR_OK)
            return rc;
    }
    return io_piece_list_add(&vdi->list, &piece, err);
}

static enum err_code vdi_blocks(struct vdi *vdi, const struct io_pieces *pieces, struct err *err)
{
    enum err_code rc = io_places_add(&vdi->places, 0, VDI_HEADER_LEN, "the header", err);

    if (rc == ERR_OK)
        rc = io_places_add(&vdi->places, vdi->map, (uint64_t)vdi->count * VDI_ENTRY_LEN, "the map",
                           err);
    if (rc == ERR_OK)
        rc = io_pieces_each(pieces, 0, vdi->map, vdi->count, VDI_ENTRY_LEN, "the map", vdi_block,
                            vdi, err);
    if (rc == ERR_OK && vdi->found != vdi->stored)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: is damaged: its header says %" PRIu32
                       " stored blocks, and its map %" PRIu32
                       "; to read it as the map says: qemu-img convert -f vdi -O raw IMAGE OUT",
                       vdi->places.path, vdi->stored, vdi->found);
    return rc == ERR_OK ? io_places_check(&vdi->places, err) : rc;
}

static enum err_code vdi_read(struct io_pieces *pieces, const char *path, struct err *err)
{
    struct vdi vdi = { .places = { .path = path } };
    uint8_t head[VDI_HEADER_LEN];
    enum err_code rc = io_pieces_add_file(pieces, path, &vdi.places.file_size, err);

    if (rc == ERR_OK)
        rc = io_pieces_load(pieces, 0, 0, head, sizeof head, "the header", err);
    if (rc == ERR_OK)
        rc = vdi_header(&vdi, head, err);
    if (rc == ERR_OK)
        rc = vdi_blocks(&vdi, pieces, err);
    if (rc == ERR_OK)
        rc = io_pieces_list(pieces, &vdi.list, err);
    io_piece_list_release(&vdi.list);
    io_places_release(&vdi.places);
    return rc;
}

enum err_code io_image_vdi_open(const struct io_container *container, const char *path,
                                struct io_image **out, struct err *err)
{
    struct io_pieces *pieces;
    enum err_code rc = io_pieces_begin(container, &pieces, err);

    if (rc == ERR_OK)
        rc = vdi_read(pieces, path, err);
    return io_pieces_finish(pieces, rc, out, err);
}
