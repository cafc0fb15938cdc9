/* SPDX-License-Identifier: Apache-2.0
 * io/image/qcow2_snapshot.c - see qcow2_snapshot.h. */
#include "io/image/qcow2_snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/grow.h"

enum {
    SNAPSHOT_LEN = 40,          /* of an entry, in front of what has no fixed length */
    SNAPSHOT_AT_L1_ENTRIES = 8, /* u32be */
    SNAPSHOT_AT_ID_LEN = 12,    /* u16be */
    SNAPSHOT_AT_NAME_LEN = 14,  /* u16be */
    SNAPSHOT_AT_TIME = 16,      /* u32be, seconds since 1970 */
    SNAPSHOT_AT_EXTRA_LEN = 36, /* u32be */
    SNAPSHOT_EXTRA_AT_SIZE = 8, /* u64be, bytes of the disk */
    SNAPSHOT_EXTRA_LEN = 16,    /* of it that is looked at */
    SNAPSHOT_EXTRA_MAX = 1024,  /* QEMU's limit too */
    SNAPSHOT_L1_MAX = (32 << 20) / 8,
};

/* An entry of the table. */
struct snapshot {
    struct io_snapshot about;
    uint64_t l1;
    uint32_t l1_entries;
    bool has_plain_id; /* one that may stand in the name of a format */
};

/* Copies a text of the file; what is too long is cut, and a byte 0 ends it. */
static enum err_code snapshot_text(const struct io_pieces *pieces, uint64_t at, uint32_t len,
                                   char *out, size_t room, struct err *err)
{
    const size_t taken = len < room ? len : room - 1;

    memset(out, 0, room);
    return io_pieces_load(pieces, 0, at, (uint8_t *)out, taken, "the table of snapshots", err);
}

/* The entry at *at; *at: where the next one begins. */
static enum err_code snapshot_read(const struct io_pieces *pieces,
                                   const struct qcow2_header *header, uint64_t *at,
                                   struct snapshot *out, struct err *err)
{
    uint8_t entry[SNAPSHOT_LEN], extra[SNAPSHOT_EXTRA_LEN] = { 0 };
    struct tm tm;
    enum err_code rc =
        io_pieces_load(pieces, 0, *at, entry, sizeof entry, "the table of snapshots", err);

    *out = (struct snapshot){ 0 };
    if (rc != ERR_OK)
        return rc;
    const uint32_t id_len = bytes_u16be(entry + SNAPSHOT_AT_ID_LEN),
                   name_len = bytes_u16be(entry + SNAPSHOT_AT_NAME_LEN),
                   extra_len = bytes_u32be(entry + SNAPSHOT_AT_EXTRA_LEN);
    if (extra_len > SNAPSHOT_EXTRA_MAX)
        return ERR_RAISE(err, ERR_INPUT, "the table of snapshots is damaged at byte %" PRIu64, *at);
    rc = io_pieces_load(pieces, 0, *at + SNAPSHOT_LEN, extra,
                        extra_len < sizeof extra ? extra_len : sizeof extra,
                        "the table of snapshots", err);
    const uint64_t id_at = *at + SNAPSHOT_LEN + extra_len;
    if (rc == ERR_OK)
        rc = snapshot_text(pieces, id_at, id_len, out->about.id, sizeof out->about.id, err);
    if (rc == ERR_OK)
        rc = snapshot_text(pieces, id_at + id_len, name_len, out->about.name,
                           sizeof out->about.name, err);
    out->l1 = bytes_u64be(entry);
    out->l1_entries = bytes_u32be(entry + SNAPSHOT_AT_L1_ENTRIES);
    out->about.size =
        extra_len < SNAPSHOT_EXTRA_LEN ? header->size : bytes_u64be(extra + SNAPSHOT_EXTRA_AT_SIZE);
    out->has_plain_id = id_len > 0 && id_len < sizeof out->about.id &&
                        strspn(out->about.id, "0123456789abcdefghijklmnopqrstuvwxyz"
                                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == id_len;
    const time_t when = bytes_u32be(entry + SNAPSHOT_AT_TIME);
    if (when > 0 && gmtime_r(&when, &tm) != NULL)
        strftime(out->about.taken, sizeof out->about.taken, "%Y-%m-%dT%H:%M:%SZ", &tm);
    *at = (id_at + id_len + name_len + 7) / 8 * 8;
    return rc;
}

enum err_code io_qcow2_snapshots(struct io_pieces *pieces, const struct qcow2_header *header,
                                 struct err *err)
{
    struct io_image *image = io_pieces_image(pieces);
    const uint32_t most =
        header->snapshot_count < IO_SNAPSHOTS_MAX ? header->snapshot_count : IO_SNAPSHOTS_MAX;
    uint64_t at = header->snapshots;
    size_t room = 0;
    struct snapshot one;

    if (most == 0)
        return ERR_OK;
    for (uint32_t i = 0; i < most; i++) {
        if (snapshot_read(pieces, header, &at, &one, NULL) != ERR_OK) {
            snprintf(image->trouble, sizeof image->trouble,
                     "the table of snapshots of this QCOW2 is damaged: %" PRIu32 " of %" PRIu32
                     " are known",
                     i, header->snapshot_count);
            return ERR_OK;
        }
        if (grow_items(&image->snapshots, image->snapshot_count, &room, sizeof *image->snapshots,
                       err) != ERR_OK)
            return ERR_ENV;
        image->snapshots[image->snapshot_count++] = one.about;
    }
    return ERR_OK;
}

/* Finds the snapshot with this id or, where none has it, the first with this name. */
static enum err_code snapshot_find(const struct io_pieces *pieces, const char *path,
                                   const struct qcow2_header *header, const char *which,
                                   struct snapshot *out, struct err *err)
{
    uint64_t at = header->snapshots;
    bool found = false;

    for (uint32_t i = 0; i < header->snapshot_count && i < IO_SNAPSHOTS_MAX; i++) {
        struct snapshot one;
        const enum err_code rc = snapshot_read(pieces, header, &at, &one, err);

        if (rc != ERR_OK)
            return rc;
        const bool is_id = strcmp(one.about.id, which) == 0;
        if (is_id || (!found && strcmp(one.about.name, which) == 0)) {
            *out = one;
            found = true;
        }
        if (is_id)
            break;
    }
    return found ? ERR_OK
                 : ERR_RAISE(err, ERR_INPUT,
                             "%s: has no snapshot of this id or name: %s; burin info lists those "
                             "that it has",
                             path, which);
}

enum err_code io_qcow2_snapshot(struct io_pieces *pieces, const char *which,
                                struct qcow2_header *header, struct err *err)
{
    struct io_image *image = io_pieces_image(pieces);
    const char *path = io_image_part_path(image, 0);
    struct snapshot one = { 0 };
    const enum err_code rc = snapshot_find(pieces, path, header, which, &one, err);
    const uint64_t covers = UINT64_C(1) << (2 * header->cluster_bits - 3); /* by one L1 entry */

    if (rc != ERR_OK)
        return rc;
    if (!one.has_plain_id || one.about.size == 0 || one.about.size > INT64_MAX ||
        one.l1_entries > SNAPSHOT_L1_MAX || (one.about.size - 1) / covers >= one.l1_entries ||
        one.l1 % (UINT64_C(1) << header->cluster_bits) != 0)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: this QCOW2 is damaged: what it says of its snapshot %s cannot be; "
                         "copy it again from its source",
                         path, which);
    header->l1 = one.l1;
    header->l1_entries = one.l1_entries;
    header->size = one.about.size;
    snprintf(image->state, sizeof image->state, "%s@%s", image->format, one.about.id);
    image->format = image->state;
    return ERR_OK;
}
