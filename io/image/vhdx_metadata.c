/* SPDX-License-Identifier: Apache-2.0
 * io/image/vhdx_metadata.c - see vhdx_metadata.h.
 *
 * A table of items of 32 bytes: GUID, u32le place in the metadata, u32le length, u32le flags. The
 * items stand behind it. Source: MS-VHDX, section 2.6.
 */
#include "io/image/vhdx_metadata.h"

#include <string.h>

#include "base/bytes.h"

enum {
    VHDX_AT_ITEMS = 10, /* u16le: their number */
    VHDX_ITEMS_MAX = 2047,
    VHDX_ITEM_LEN = 32,         /* of an entry; the table begins with as many bytes */
    VHDX_BLOCK_MIN = 1 << 20,   /* bytes */
    VHDX_BLOCK_MAX = 256 << 20, /* bytes */
    VHDX_TIB_MAX = 64,          /* of a disk */
    VHDX_HAS_PARENT = 2,
    VHDX_ITEM_REQUIRED = 4,
};

enum metadata_item {
    VHDX_PARAMETERS,
    VHDX_SIZE,
    VHDX_SECTOR,
    VHDX_PHYSICAL,
    VHDX_PAGE83,
    VHDX_ITEMS
};

static const struct {
    uint8_t id[VHDX_ID_LEN];
    uint32_t len; /* bytes */
    const char *name;
} metadata_items[VHDX_ITEMS] = {
    [VHDX_PARAMETERS] = { { 0x37, 0x67, 0xa1, 0xca, 0x36, 0xfa, 0x43, 0x4d, 0xb3, 0xb6, 0x33, 0xf0,
                            0xaa, 0x44, 0xe7, 0x6b },
                          8,
                          "the file parameters" },
    [VHDX_SIZE] = { { 0x24, 0x42, 0xa5, 0x2f, 0x1b, 0xcd, 0x76, 0x48, 0xb2, 0x11, 0x5d, 0xbe, 0xd8,
                      0x3b, 0xf4, 0xb8 },
                    8,
                    "the size of the disk" },
    [VHDX_SECTOR] = { { 0x1d, 0xbf, 0x41, 0x81, 0x6f, 0xa9, 0x09, 0x47, 0xba, 0x47, 0xf2, 0x33,
                        0xa8, 0xfa, 0xab, 0x5f },
                      4,
                      "the size of a sector" },
    [VHDX_PHYSICAL] = { { 0xc7, 0x48, 0xa3, 0xcd, 0x5d, 0x44, 0x71, 0x44, 0x9c, 0xc9, 0xe9, 0x88,
                          0x52, 0x51, 0xc5, 0x56 },
                        4,
                        "the size of a physical sector" },
    [VHDX_PAGE83] = { { 0xab, 0x12, 0xca, 0xbe, 0xe6, 0xb2, 0x23, 0x45, 0x93, 0xef, 0xc3, 0x09,
                        0xe0, 0x00, 0xc7, 0x46 },
                      16,
                      "the name of the disk" },
};

struct metadata {
    const struct io_pieces *pieces;
    struct io_places places; /* of the items */
    uint64_t at;
    uint32_t len;               /* bytes */
    uint64_t items[VHDX_ITEMS]; /* places in the file; 0: not there */
};

static enum err_code metadata_damaged(const struct metadata *m, const char *what, struct err *err)
{
    return ERR_RAISE(err, ERR_INPUT, "%s: this VHDX is damaged: %s; copy it again from its source",
                     m->places.path, what);
}

static enum err_code metadata_item(struct metadata *m, const uint8_t *entry, struct err *err)
{
    const uint32_t at = bytes_u32le(entry + 16), len = bytes_u32le(entry + 20);

    for (uint32_t i = 0; i < VHDX_ITEMS; i++) {
        if (memcmp(entry, metadata_items[i].id, VHDX_ID_LEN) != 0)
            continue;
        if (m->items[i] != 0 || len != metadata_items[i].len || at < VHDX_METADATA_LEN ||
            at > m->len || len > m->len - at)
            return metadata_damaged(m, metadata_items[i].name, err);
        m->items[i] = m->at + at;
        return io_places_add(&m->places, m->items[i], len, metadata_items[i].name, err);
    }
    if ((bytes_u32le(entry + 24) & VHDX_ITEM_REQUIRED) == 0)
        return ERR_OK;
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: this VHDX needs more than is known here, or is one that holds only what "
                     "has changed since its parent; convert it: qemu-img convert -O raw IMAGE OUT",
                     m->places.path);
}

static enum err_code metadata_load(struct metadata *m, struct err *err)
{
    uint8_t table[VHDX_METADATA_LEN];
    enum err_code rc =
        io_pieces_load(m->pieces, 0, m->at, table, sizeof table, "the metadata", err);

    if (rc != ERR_OK)
        return rc;
    const uint32_t count = bytes_u16le(table + VHDX_AT_ITEMS);
    if (memcmp(table, "metadata", 8) != 0 || count > VHDX_ITEMS_MAX)
        return metadata_damaged(m, "its metadata does not begin as metadata does", err);
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        rc = metadata_item(m, table + (size_t)(i + 1) * VHDX_ITEM_LEN, err);
    if (rc == ERR_OK)
        rc = io_places_check(&m->places, err);
    for (uint32_t i = 0; rc == ERR_OK && i < VHDX_PHYSICAL; i++)
        if (m->items[i] == 0)
            rc = metadata_damaged(m, metadata_items[i].name, err);
    return rc;
}

static enum err_code metadata_values(struct metadata *m, struct vhdx_disk *out, struct err *err)
{
    uint8_t values[VHDX_PHYSICAL][8] = { { 0 } };
    enum err_code rc = metadata_load(m, err);

    for (uint32_t i = 0; rc == ERR_OK && i < VHDX_PHYSICAL; i++)
        rc = io_pieces_load(m->pieces, 0, m->items[i], values[i], metadata_items[i].len,
                            metadata_items[i].name, err);
    if (rc != ERR_OK)
        return rc;
    out->block = bytes_u32le(values[VHDX_PARAMETERS]);
    out->size = bytes_u64le(values[VHDX_SIZE]);
    out->sector = bytes_u32le(values[VHDX_SECTOR]);
    if ((bytes_u32le(values[VHDX_PARAMETERS] + 4) & VHDX_HAS_PARENT) != 0)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: is a differencing VHDX, which holds only what has changed since its "
                         "parent; join the two with Hyper-V: Merge-VHD",
                         m->places.path);
    if (out->block < VHDX_BLOCK_MIN || out->block > VHDX_BLOCK_MAX ||
        (out->block & (out->block - 1)) != 0)
        return metadata_damaged(m, "its blocks cannot have the size that is said", err);
    if (out->sector != 512 && out->sector != 4096)
        return metadata_damaged(m, "its sectors cannot have the size that is said", err);
    if (out->size == 0 || out->size % out->sector != 0 || out->size > (uint64_t)VHDX_TIB_MAX << 40)
        return metadata_damaged(m, "it cannot have the size that is said", err);
    return ERR_OK;
}

enum err_code io_vhdx_metadata(const struct io_pieces *pieces, const char *path, uint64_t at,
                               uint32_t len, struct vhdx_disk *out, struct err *err)
{
    struct metadata m = {
        .pieces = pieces, .places = { .path = path, .file_size = at + len }, .at = at, .len = len
    };
    const enum err_code rc = metadata_values(&m, out, err);

    io_places_release(&m.places);
    return rc;
}
