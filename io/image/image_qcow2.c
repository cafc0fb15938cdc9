/* SPDX-License-Identifier: Apache-2.0
 * io/image/image_qcow2.c - QEMU disks (qcow2), versions 2 and 3.
 *
 * The file is cut into clusters. A table of tables (L1) names tables of clusters (L2), one entry of
 * 8 bytes for each. What a table does not name lies in the file that this one is based on, or is
 * zeros. Packed clusters lie one behind the other, begin anywhere, and name whole sectors.
 *
 * Older states of the disk, snapshots, have each an L1 of their own (qcow2_snapshot.h).
 *
 * A chain of files is read when all stand in the image's folder; each is a part of the image.
 *
 * Nothing here has a checksum. A changed entry is found out when it has bits that no entry has,
 * when it leads out of the file, to no beginning of a cluster, or to bytes that are used already.
 * An entry whose bit for zeros is changed is not found out. Of packed clusters, deflate finds out
 * most changes, zstd as many. Source: QEMU, docs/interop/qcow2.txt.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "io/image/qcow2_snapshot.h"

enum {
    QCOW2_CHAIN_MAX = 16, /* files that are based on one another */
    QCOW2_ENTRY_LEN = 8,
};

#define QCOW2_COPIED (UINT64_C(1) << 63)
#define QCOW2_PACKED (UINT64_C(1) << 62)
#define QCOW2_ZERO UINT64_C(1)
#define QCOW2_PLACE UINT64_C(0x00fffffffffffe00)

/* One file of a chain. */
struct qcow2 {
    struct io_pieces *pieces;
    const char *path;
    uint32_t file;
    struct qcow2_header header;
    uint64_t cluster; /* bytes */
    struct io_places places;
    struct io_piece_list below; /* of the file that this one is based on */
    struct io_piece_list list;
};

static enum err_code qcow2_entry_damaged(const struct qcow2 *q, const char *what, uint64_t entry,
                                         struct err *err)
{
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: this QCOW2 is damaged: %s of byte %" PRIu64 " of the disk is 0x%" PRIx64
                     "; copy it again from its source",
                     q->path, what, q->list.size, entry);
}

/* The next len bytes are those of the file below, or zeros. */
static enum err_code qcow2_below(struct qcow2 *q, uint64_t len, struct err *err)
{
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && len > 0) {
        struct io_piece piece = { .len = len, .how = IO_PIECE_ZERO };

        if (q->list.size < q->below.size) {
            io_piece_list_find(&q->below, q->list.size, &piece);
            const uint64_t into = q->list.size - piece.offset;
            piece.len -= into;
            piece.at += piece.how == IO_PIECE_STORED ? into : 0;
            piece.skip += io_piece_is_packed(piece.how) ? (uint32_t)into : 0;
            piece.len = piece.len < len ? piece.len : len;
        }
        len -= piece.len;
        rc = io_piece_list_add(&q->list, &piece, err);
    }
    return rc;
}

static enum err_code qcow2_packed(struct qcow2 *q, uint64_t entry, uint64_t len, struct err *err)
{
    const uint32_t bits = q->header.cluster_bits - 8, at_bits = 62 - bits;
    const uint64_t at = entry & ((UINT64_C(1) << at_bits) - 1), size = q->places.file_size;
    const uint64_t sectors = (entry >> at_bits & ((UINT64_C(1) << bits) - 1)) + 1;
    struct io_piece piece = { .how = q->header.packed,
                              .len = len,
                              .at = at,
                              .file = q->file,
                              .stored_len = (uint32_t)(sectors * LIMIT_SECTOR - at % LIMIT_SECTOR),
                              .whole_len = (uint32_t)q->cluster };

    if ((entry & QCOW2_COPIED) != 0)
        return qcow2_entry_damaged(q, "the packed cluster", entry, err);
    enum err_code rc = io_places_add_packed(&q->places, &piece, err);
    if (rc == ERR_OK && piece.stored_len > size - at)
        piece.stored_len = (uint32_t)(size - at);
    return rc == ERR_OK ? io_piece_list_add(&q->list, &piece, err) : rc;
}

/* An entry of an L2 table: a cluster. */
static enum err_code qcow2_cluster(void *arg, uint64_t number, const uint8_t *bytes,
                                   struct err *err)
{
    struct qcow2 *q = arg;
    const uint64_t entry = bytes_u64be(bytes), left = q->header.size - q->list.size;
    const uint64_t len = left < q->cluster ? left : q->cluster, at = entry & QCOW2_PLACE;
    struct io_piece piece = { .len = len, .how = IO_PIECE_STORED, .at = at, .file = q->file };

    (void)number;
    if (len == 0)
        return ERR_OK; /* the table reaches behind the end of the disk */
    if ((entry & QCOW2_PACKED) != 0)
        return qcow2_packed(q, entry, len, err);
    if ((entry & ~(QCOW2_COPIED | QCOW2_PLACE | QCOW2_ZERO)) != 0 || at % q->cluster != 0 ||
        ((entry & QCOW2_ZERO) != 0 && q->header.version < 3))
        return qcow2_entry_damaged(q, "the cluster", entry, err);
    if (at == 0 && (entry & QCOW2_ZERO) == 0) {
        if (entry != 0)
            return qcow2_entry_damaged(q, "the cluster", entry, err);
        return qcow2_below(q, len, err);
    }
    if ((entry & QCOW2_ZERO) != 0) {
        piece.how = IO_PIECE_ZERO;
        return io_piece_list_add(&q->list, &piece, err);
    }
    const enum err_code rc = io_places_add(&q->places, at, len, "a cluster", err);
    return rc == ERR_OK ? io_piece_list_add(&q->list, &piece, err) : rc;
}

/* An entry of the L1 table: the place of a table of clusters. */
static enum err_code qcow2_table_place(void *arg, uint64_t number, const uint8_t *bytes,
                                       struct err *err)
{
    struct qcow2 *q = arg;
    const uint64_t entry = bytes_u64be(bytes), at = entry & QCOW2_PLACE;

    if ((entry & ~(QCOW2_COPIED | QCOW2_PLACE)) != 0 || at % q->cluster != 0 ||
        (at == 0 && entry != 0))
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: this QCOW2 is damaged: table %" PRIu64 " is said to be 0x%" PRIx64
                         "; copy it again from its source",
                         q->path, number, entry);
    return at == 0 ? ERR_OK : io_places_add(&q->places, at, q->cluster, "a table", err);
}

/* The same entry, once it is known that no table is named twice: its clusters. */
static enum err_code qcow2_table(void *arg, uint64_t number, const uint8_t *bytes, struct err *err)
{
    struct qcow2 *q = arg;
    const uint64_t at = bytes_u64be(bytes) & QCOW2_PLACE;
    const uint64_t entries = q->cluster / QCOW2_ENTRY_LEN;
    const uint64_t left = q->header.size - q->list.size, covers = entries * q->cluster;

    (void)number;
    if (at == 0)
        return qcow2_below(q, left < covers ? left : covers, err);
    return io_pieces_each(q->pieces, q->file, at, entries, QCOW2_ENTRY_LEN, "a table",
                          qcow2_cluster, q, err);
}

/*
 * The place of a block of refcounts, so that a cluster cannot lie there. What they count is of no
 * matter to who only reads.
 */
static enum err_code qcow2_refcounts(void *arg, uint64_t number, const uint8_t *bytes,
                                     struct err *err)
{
    struct qcow2 *q = arg;
    const uint64_t at = bytes_u64be(bytes) & ~UINT64_C(511);

    (void)number;
    return at == 0 ? ERR_OK
                   : io_places_add(&q->places, at, q->cluster, "a block of refcounts", err);
}

static enum err_code qcow2_tables(struct qcow2 *q, struct err *err)
{
    const struct qcow2_header *h = &q->header;
    const uint64_t counts = (uint64_t)h->refcount_clusters << h->cluster_bits;
    enum err_code rc = io_places_add(&q->places, 0, LIMIT_SECTOR, "the header", err);

    if (rc == ERR_OK)
        rc = io_places_add(&q->places, h->l1, (uint64_t)h->l1_entries * QCOW2_ENTRY_LEN,
                           "the table of tables", err);
    if (rc == ERR_OK)
        rc = io_places_add(&q->places, h->refcounts, counts, "the table of refcounts", err);
    if (rc == ERR_OK)
        rc = io_pieces_each(q->pieces, q->file, h->refcounts, counts / QCOW2_ENTRY_LEN,
                            QCOW2_ENTRY_LEN, "the table of refcounts", qcow2_refcounts, q, err);
    if (rc == ERR_OK)
        rc = io_pieces_each(q->pieces, q->file, h->l1, h->l1_entries, QCOW2_ENTRY_LEN,
                            "the table of tables", qcow2_table_place, q, err);
    /* Before they are read: a few tables that are named a million times would take hours. */
    if (rc == ERR_OK)
        rc = io_places_check(&q->places, err);
    if (rc == ERR_OK)
        rc = io_pieces_each(q->pieces, q->file, h->l1, h->l1_entries, QCOW2_ENTRY_LEN,
                            "the table of tables", qcow2_table, q, err);
    return rc == ERR_OK ? io_places_check(&q->places, err) : rc;
}

static enum err_code qcow2_layer(struct io_pieces *pieces, const char *path, uint32_t depth,
                                 const char *state, struct io_piece_list *out, struct err *err);

/* Finds the file below, in the folder of this one: a file, no link to one elsewhere. */
static enum err_code qcow2_find_below(const struct qcow2 *q, char path[LIMIT_PATH], struct err *err)
{
    const char *slash = strrchr(q->path, '/');
    const int folder = slash == NULL ? 0 : (int)(slash + 1 - q->path);
    const int used = snprintf(path, LIMIT_PATH, "%.*s%s", folder, q->path, q->header.backing);
    struct stat st;

    if (used < 0 || used >= LIMIT_PATH)
        return ERR_RAISE(err, ERR_INPUT, "%s: the name of the file that it is based on is too long",
                         q->path);
    if (lstat(path, &st) != 0)
        return ERR_RAISE(err, ERR_INPUT, "%s: %s is based on this file, which is missing: %s", path,
                         q->path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: %s is based on this, which is no file; put the file itself there",
                         path, q->path);
    if (io_pieces_has(q->pieces, path))
        return ERR_RAISE(err, ERR_INPUT, "%s: the files of this QCOW2 are based on one another",
                         path);
    return ERR_OK;
}

static enum err_code qcow2_load_below(struct qcow2 *q, uint32_t depth, struct err *err)
{
    struct io_piece piece = { .how = IO_PIECE_STORED, .file = q->file + 1 };
    char path[LIMIT_PATH];
    enum err_code rc = qcow2_find_below(q, path, err);

    if (rc != ERR_OK)
        return rc;
    if (!q->header.backing_is_raw)
        return qcow2_layer(q->pieces, path, depth + 1, NULL, &q->below, err);
    rc = io_pieces_add_file(q->pieces, path, &piece.len, err);
    return rc == ERR_OK ? io_piece_list_add(&q->below, &piece, err) : rc;
}

/* The pieces of a file and of those that it is based on; state: its snapshot, NULL: as it is now.
 */
static enum err_code qcow2_layer(struct io_pieces *pieces, const char *path, uint32_t depth,
                                 const char *state, struct io_piece_list *out, struct err *err)
{
    struct qcow2 q = { .pieces = pieces, .path = path, .file = depth, .places = { .path = path } };

    if (depth == QCOW2_CHAIN_MAX)
        return ERR_RAISE(err, ERR_INPUT, "%s: more than %d files are based on one another", path,
                         QCOW2_CHAIN_MAX);
    enum err_code rc = io_pieces_add_file(pieces, path, &q.places.file_size, err);
    if (rc == ERR_OK)
        rc = io_qcow2_header(pieces, q.file, path, &q.header, err);
    if (rc == ERR_OK && depth == 0)
        rc = io_qcow2_snapshots(pieces, &q.header, err);
    if (rc == ERR_OK && state != NULL)
        rc = io_qcow2_snapshot(pieces, state, &q.header, err);
    if (rc == ERR_OK)
        q.cluster = UINT64_C(1) << q.header.cluster_bits;
    if (rc == ERR_OK && q.header.backing_len > 0)
        rc = qcow2_load_below(&q, depth, err);
    if (rc == ERR_OK)
        rc = qcow2_tables(&q, err);
    *out = q.list;
    io_piece_list_release(&q.below);
    io_places_release(&q.places);
    return rc;
}

enum err_code io_image_qcow2_open(const struct io_container *container, const char *path,
                                  struct io_image **out, struct err *err)
{
    struct io_piece_list list = { 0 };
    struct io_pieces *pieces;
    enum err_code rc = io_pieces_begin(container, &pieces, err);

    if (rc == ERR_OK)
        rc = qcow2_layer(pieces, path, 0, container->state, &list, err);
    if (rc == ERR_OK)
        rc = io_pieces_list(pieces, &list, err);
    io_piece_list_release(&list);
    return io_pieces_finish(pieces, rc, out, err);
}
