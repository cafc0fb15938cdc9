/* SPDX-License-Identifier: Apache-2.0
 * io/image/qcow2_header.c - see qcow2_header.h.
 *
 * A header may name other files: one that the disk is based on, and one that has its bytes. Such a
 * name may be any path, or a protocol with an address, and whoever made the image chose it: taken
 * as it is, it would bring any file of this machine into the evidence. So a name is a plain one, of
 * a file in the image's own folder, or the image is refused.
 */
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "io/image/qcow2_header.h"

enum {
    QCOW2_HEADER_LEN = 112, /* of version 3 with the field for the way of packing */
    QCOW2_V2_LEN = 72,
    QCOW2_V3_LEN = 104,
    QCOW2_AT_BACKING = 8,            /* u64be, offset in the file */
    QCOW2_AT_BACKING_LEN = 16,       /* u32be */
    QCOW2_AT_BITS = 20,              /* u32be */
    QCOW2_AT_SIZE = 24,              /* u64be */
    QCOW2_AT_CRYPT = 32,             /* u32be */
    QCOW2_AT_L1_ENTRIES = 36,        /* u32be */
    QCOW2_AT_L1 = 40,                /* u64be */
    QCOW2_AT_REFCOUNTS = 48,         /* u64be */
    QCOW2_AT_REFCOUNT_CLUSTERS = 56, /* u32be */
    QCOW2_AT_SNAPSHOT_COUNT = 60,    /* u32be */
    QCOW2_AT_SNAPSHOTS = 64,         /* u64be */
    QCOW2_AT_NEEDS = 72,             /* u64be, of version 3 */
    QCOW2_AT_LEN = 100,              /* u32be, of version 3 */
    QCOW2_AT_PACKED = 104,
    QCOW2_BITS_MIN = 9,
    QCOW2_BITS_MAX = 21,
    QCOW2_L1_MAX = 32 << 20, /* bytes; QEMU's limit too */
    QCOW2_NEEDS_DATA_FILE = 1 << 2,
    QCOW2_NEEDS_PACKED = 1 << 3,
    QCOW2_NEEDS_EXTENDED = 1 << 4,
    QCOW2_NEEDS_KNOWN = 0x1f, /* dirty and corrupt are two more */
    QCOW2_EXTENSIONS_MAX = 64,
};

#define QCOW2_EXTENSION_FORMAT UINT32_C(0xe2792aca) /* of the backing file */

static enum err_code qcow2_damaged(const char *path, const char *what, uint64_t value,
                                   struct err *err)
{
    return ERR_RAISE(err, ERR_INPUT, "%s: the header of this QCOW2 is damaged: %s %" PRIu64, path,
                     what, value);
}

static enum err_code qcow2_not_taken(const char *path, const char *what, struct err *err)
{
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: this QCOW2 %s; if you know where it comes from, convert it: qemu-img "
                     "convert -O raw IMAGE OUT",
                     path, what);
}

/* What only version 3 says. *len: of the header. */
static enum err_code qcow2_needs(const char *path, const uint8_t *head, struct qcow2_header *out,
                                 uint32_t *len, struct err *err)
{
    const uint64_t needs = bytes_u64be(head + QCOW2_AT_NEEDS);

    *len = bytes_u32be(head + QCOW2_AT_LEN);
    if (*len < QCOW2_V3_LEN || *len > UINT32_C(1) << out->cluster_bits || *len % 8 != 0)
        return qcow2_damaged(path, "its length:", *len, err);
    const uint8_t packed = *len > QCOW2_V3_LEN ? head[QCOW2_AT_PACKED] : 0;
    if ((needs & QCOW2_NEEDS_DATA_FILE) != 0)
        return qcow2_not_taken(path, "has its bytes in another file, which it names", err);
    if ((needs & QCOW2_NEEDS_EXTENDED) != 0)
        return qcow2_not_taken(path, "has parts of clusters (extended L2 entries)", err);
    if ((needs & ~(uint64_t)QCOW2_NEEDS_KNOWN) != 0)
        return qcow2_not_taken(path, "needs what is not known here", err);
    if (((needs & QCOW2_NEEDS_PACKED) != 0) != (packed != 0) || packed > 1)
        return qcow2_damaged(path, "the way of packing:", packed, err);
    out->packed = packed == 1 ? IO_PIECE_ZSTD : IO_PIECE_DEFLATE;
    return ERR_OK;
}

static enum err_code qcow2_fields(const char *path, const uint8_t *head, struct qcow2_header *out,
                                  struct err *err)
{
    out->version = bytes_u32be(head + 4);
    out->cluster_bits = bytes_u32be(head + QCOW2_AT_BITS);
    out->size = bytes_u64be(head + QCOW2_AT_SIZE);
    out->l1 = bytes_u64be(head + QCOW2_AT_L1);
    out->l1_entries = bytes_u32be(head + QCOW2_AT_L1_ENTRIES);
    out->refcounts = bytes_u64be(head + QCOW2_AT_REFCOUNTS);
    out->refcount_clusters = bytes_u32be(head + QCOW2_AT_REFCOUNT_CLUSTERS);
    out->snapshot_count = bytes_u32be(head + QCOW2_AT_SNAPSHOT_COUNT);
    out->snapshots = bytes_u64be(head + QCOW2_AT_SNAPSHOTS);
    out->packed = IO_PIECE_DEFLATE;
    if (memcmp(head, "QFI\xfb", 4) != 0)
        return ERR_RAISE(err, ERR_INPUT, "%s: does not begin as a QCOW2 does", path);
    if (out->version != 2 && out->version != 3)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: is a QCOW of version %" PRIu32
                         ", and versions 2 and 3 are read here; convert it: qemu-img convert -O "
                         "raw IMAGE OUT",
                         path, out->version);
    if (out->cluster_bits < QCOW2_BITS_MIN || out->cluster_bits > QCOW2_BITS_MAX)
        return qcow2_damaged(path, "bits of a cluster:", out->cluster_bits, err);
    if (bytes_u32be(head + QCOW2_AT_CRYPT) != 0)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: this QCOW2 is encrypted; decrypt it with its key: qemu-img convert "
                         "--object secret,... -O raw",
                         path);
    const uint64_t covers = UINT64_C(1) << (2 * out->cluster_bits - 3); /* by one L1 entry */
    if (out->size == 0 || out->size > INT64_MAX || out->l1_entries > QCOW2_L1_MAX / 8 ||
        (out->size - 1) / covers >= out->l1_entries)
        return qcow2_damaged(path, "bytes of the disk:", out->size, err);
    if (out->l1 % (UINT64_C(1) << out->cluster_bits) != 0)
        return qcow2_damaged(path, "place of the table of tables:", out->l1, err);
    return ERR_OK;
}

/* The format of the backing file, from the extensions of the header: "" when none says it. */
static enum err_code qcow2_format(const struct io_pieces *pieces, uint32_t file, uint32_t len,
                                  uint32_t cluster, char format[16], struct err *err)
{
    uint64_t at = len;

    format[0] = '\0';
    for (uint32_t i = 0; i < QCOW2_EXTENSIONS_MAX && at + 8 <= cluster; i++) {
        uint8_t head[8];
        const enum err_code rc =
            io_pieces_load(pieces, file, at, head, sizeof head, "an extension", err);

        if (rc != ERR_OK)
            return rc;
        const uint32_t type = bytes_u32be(head), body = bytes_u32be(head + 4);
        at += sizeof head;
        if (type == 0 || body > cluster - at)
            break;
        if (type == QCOW2_EXTENSION_FORMAT && body < 16) {
            format[body] = '\0';
            return io_pieces_load(pieces, file, at, (uint8_t *)format, body, "an extension", err);
        }
        at += (body + UINT64_C(7)) / 8 * 8;
    }
    return ERR_OK;
}

static enum err_code qcow2_backing(const struct io_pieces *pieces, uint32_t file, const char *path,
                                   const uint8_t *head, uint32_t len, struct qcow2_header *out,
                                   struct err *err)
{
    const uint64_t at = bytes_u64be(head + QCOW2_AT_BACKING);
    char format[16];

    out->backing_len = at == 0 ? 0 : bytes_u32be(head + QCOW2_AT_BACKING_LEN);
    if (out->backing_len == 0)
        return ERR_OK;
    if (out->backing_len > QCOW2_NAME_MAX)
        return qcow2_damaged(path, "bytes of the backing file's name:", out->backing_len, err);
    enum err_code rc = io_pieces_load(pieces, file, at, (uint8_t *)out->backing, out->backing_len,
                                      "the backing file's name", err);
    if (rc == ERR_OK)
        rc = qcow2_format(pieces, file, len, UINT32_C(1) << out->cluster_bits, format, err);
    if (rc != ERR_OK)
        return rc;
    if (strlen(out->backing) != out->backing_len || strpbrk(out->backing, "/:") != NULL ||
        strcmp(out->backing, ".") == 0 || strcmp(out->backing, "..") == 0)
        return qcow2_not_taken(path,
                               "is based on a file that it does not name plainly; only one in its "
                               "own folder is read",
                               err);
    out->backing_is_raw = strcmp(format, "raw") == 0;
    if (!out->backing_is_raw && strcmp(format, "qcow2") != 0)
        return qcow2_not_taken(path,
                               "is based on a file of which it does not say that it is raw or "
                               "qcow2",
                               err);
    return ERR_OK;
}

enum err_code io_qcow2_header(const struct io_pieces *pieces, uint32_t file, const char *path,
                              struct qcow2_header *out, struct err *err)
{
    uint8_t head[QCOW2_HEADER_LEN] = { 0 };
    uint32_t len = QCOW2_V2_LEN;

    *out = (struct qcow2_header){ 0 };
    enum err_code rc = io_pieces_load(pieces, file, 0, head, QCOW2_V2_LEN, "the header", err);
    if (rc == ERR_OK)
        rc = qcow2_fields(path, head, out, err);
    if (rc == ERR_OK && out->version == 3) {
        rc = io_pieces_load(pieces, file, 0, head, sizeof head, "the header", err);
        if (rc == ERR_OK)
            rc = qcow2_needs(path, head, out, &len, err);
    }
    return rc == ERR_OK ? qcow2_backing(pieces, file, path, head, len, out, err) : rc;
}
