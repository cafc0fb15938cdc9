/* SPDX-License-Identifier: Apache-2.0
 * db/images.c - the tables images, image_parts and image_samples. */
#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "db/bind.h"
#include "db/row.h"

static enum err_code images_add_part(struct db_case *db, int64_t image_id, uint32_t number,
                                     const struct db_image_part *part, struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_IMAGE_PART_ADD,
                                  "INSERT INTO image_parts VALUES (?, ?, ?, ?, ?)", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    bind_int(&bind, number);
    bind_text(&bind, "the path of an image's part", part->path, DB_NAME_MAX);
    if (part->size != UINT64_MAX)
        bind_size(&bind, "the size of an image's part", part->size);
    else
        bind_id_or_null(&bind, 0);
    bind_text_or_null(&bind, "the time of an image's part", part->modified, DB_WORD_MAX);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding a part of an image", err) : bind.rc;
}

static enum err_code images_add(struct db_case *db, const struct db_image *image, int64_t *id,
                                struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(
        db, DB_IMAGE_ADD,
        "INSERT INTO images (path, format, size, sector_size) VALUES (?, ?, ?, ?)", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_text(&bind, "the path of an image", image->path, DB_NAME_MAX);
    bind_text(&bind, "the format of an image", image->format, DB_WORD_MAX);
    bind_size(&bind, "the size of an image", image->size);
    bind_int(&bind, image->sector_size);
    rc = bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding an image", err) : bind.rc;
    *id = sqlite3_last_insert_rowid(db->sqlite);
    if (rc == ERR_OK && image->part_count > LIMIT_IMAGE_PARTS)
        rc = ERR_RAISE(err, ERR_FULL, "%s: %" PRIu32 " parts, and a case file holds at most %d",
                       image->path, image->part_count, LIMIT_IMAGE_PARTS);
    for (uint32_t i = 0; i < image->part_count && rc == ERR_OK; i++)
        rc = images_add_part(db, *id, i, &image->parts[i], err);
    return rc;
}

enum err_code db_image_add(struct db_case *db, const struct db_image *image, int64_t *id,
                           struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, images_add(db, image, id, err), err) : rc;
}

static enum err_code images_move(struct db_case *db, const struct db_image *image, struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc =
        db_prepare(db, DB_IMAGE_MOVE, "UPDATE images SET path = ? WHERE id = ?", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_text(&bind, "the path of an image", image->path, DB_NAME_MAX);
    bind_int(&bind, image->id);
    rc = bind.rc == ERR_OK ? db_run_to_end(db, stmt, "moving an image", err) : bind.rc;
    if (rc == ERR_OK)
        rc = db_prepare(db, DB_IMAGE_PARTS_DROP, "DELETE FROM image_parts WHERE image_id = ?",
                        &stmt, err);
    if (rc != ERR_OK)
        return rc;
    bind = bind_init(db, stmt, err);
    bind_int(&bind, image->id);
    rc = bind.rc == ERR_OK ? db_run_to_end(db, stmt, "moving an image", err) : bind.rc;
    for (uint32_t i = 0; i < image->part_count && rc == ERR_OK; i++)
        rc = images_add_part(db, image->id, i, &image->parts[i], err);
    return rc;
}

enum err_code db_image_move(struct db_case *db, const struct db_image *image, struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, images_move(db, image, err), err) : rc;
}

enum err_code db_image_count(struct db_case *db, uint32_t *count, struct err *err)
{
    sqlite3_stmt *stmt;
    bool found = false;
    enum err_code rc =
        db_prepare(db, DB_IMAGE_COUNT, "SELECT coalesce(sum(1), 0) FROM images", &stmt, err);

    *count = 0;
    if (rc == ERR_OK)
        rc = db_step(db, stmt, &found, "counting images", err);
    if (rc == ERR_OK && found) {
        struct row row = row_init(db, stmt, "images", err);

        *count = (uint32_t)row_int(&row, "count", 0, UINT32_MAX);
        rc = row.rc;
        sqlite3_reset(stmt);
    }
    return rc;
}

struct images_parts {
    struct db_image *image;
    struct db_image_part *parts; /* of image, with room for so many: most images are of one part */
    uint32_t room;
};

/* Twice the room, or for the first part. What was there before stays in the arena. */
static enum err_code images_room(struct images_parts *read, struct row *row)
{
    const uint32_t room = read->room == 0 ? 1 : 2 * read->room;
    struct db_image_part *parts = arena_alloc(&row->db->image_text, sizeof *parts * room);

    if (parts == NULL)
        return ERR_NO_MEMORY(row->err, sizeof *parts * room);
    if (read->room > 0)
        memcpy(parts, read->parts, sizeof *parts * read->room);
    read->parts = parts;
    read->room = room;
    return ERR_OK;
}

static enum err_code images_read_part(void *arg, struct row *row)
{
    struct images_parts *read = arg;
    struct db_image *image = read->image;

    row->id = image->id;
    row_int(row, "number", image->part_count, image->part_count);
    if (image->part_count == LIMIT_IMAGE_PARTS)
        row_damaged(row, "number", "too many parts");
    struct db_image_part part = { .path =
                                      row_copy(row, "path", DB_NAME_MAX, &row->db->image_text) };

    part.size = row_size_or_null(row, "size");
    part.modified = row_copy_or_null(row, "modified", DB_WORD_MAX, &row->db->image_text);
    if (row->rc == ERR_OK && image->part_count == read->room)
        row->rc = images_room(read, row);
    if (row->rc == ERR_OK)
        read->parts[image->part_count++] = part;
    return row->rc;
}

static enum err_code images_get_parts(struct db_case *db, struct db_image *out, struct err *err)
{
    struct images_parts read = { .image = out };
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(
        db, DB_IMAGE_PARTS,
        "SELECT number, path, size, modified FROM image_parts WHERE image_id = ? ORDER BY number",
        &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, out->id);
    rc = row_each(&bind, "image_parts", "reading the parts of an image", images_read_part, &read);
    out->parts = read.parts;
    return rc;
}

enum err_code db_image_get(struct db_case *db, int64_t id, struct db_image *out, struct err *err)
{
    sqlite3_stmt *stmt;
    bool found = false;
    enum err_code rc = db_prepare(
        db, DB_IMAGE_GET, "SELECT id, path, format, size, sector_size FROM images WHERE id = ?",
        &stmt, err);

    *out = (struct db_image){ 0 };
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, id);
    rc = bind.rc == ERR_OK ? db_step(db, stmt, &found, "reading an image", err) : bind.rc;
    if (rc == ERR_OK && !found)
        return ERR_RAISE(err, ERR_INPUT, "%s: the case file has no image %" PRId64, db->path, id);
    if (rc != ERR_OK)
        return rc;

    const size_t cap = db->image_text.cap;
    arena_release(&db->image_text);
    arena_init(&db->image_text, cap);
    struct row row = row_init(db, stmt, "images", err);
    out->id = row_id(&row, "id");
    out->path = row_copy(&row, "path", DB_NAME_MAX, &db->image_text);
    out->format = row_copy(&row, "format", DB_WORD_MAX, &db->image_text);
    out->size = row_size(&row, "size");
    out->sector_size = (uint32_t)row_int(&row, "sector_size", 0, UINT32_MAX);
    rc = row.rc;
    sqlite3_reset(stmt);
    return rc == ERR_OK ? images_get_parts(db, out, err) : rc;
}

static enum err_code images_add_sample(struct db_case *db, int64_t image_id,
                                       const struct db_sample *sample, struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(
        db, DB_SAMPLE_ADD, "INSERT OR REPLACE INTO image_samples VALUES (?, ?, ?, ?)", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    bind_size(&bind, "the offset of a sample", sample->offset);
    bind_size(&bind, "the length of a sample", sample->len);
    bind_sha256(&bind, "the sha256 of a sample", sample->sha256);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding a sample of an image", err)
                             : bind.rc;
}

enum err_code db_image_samples_add(struct db_case *db, int64_t image_id,
                                   const struct db_sample *samples, uint32_t count, struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    if (rc != ERR_OK)
        return rc;
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        rc = images_add_sample(db, image_id, &samples[i], err);
    return db_atom_end(db, own, rc, err);
}

struct images_samples {
    db_sample_fn each;
    void *arg;
};

static enum err_code images_read_sample(void *arg, struct row *row)
{
    const struct images_samples *walk = arg;
    struct db_sample sample = { 0 };

    sample.offset = row_size(row, "offset");
    sample.len = row_size(row, "len");
    const char *sha256 = row_text(row, "sha256", DB_SHA256_HEX);

    if (row->rc == ERR_OK && !row_is_sha256(sha256))
        row_damaged(row, "sha256", "not 64 hex digits");
    if (row->rc == ERR_OK)
        memcpy(sample.sha256, sha256, sizeof sample.sha256);
    return row->rc == ERR_OK ? walk->each(walk->arg, &sample, row->err) : row->rc;
}

enum err_code db_image_samples(struct db_case *db, int64_t image_id, db_sample_fn each, void *arg,
                               struct err *err)
{
    struct images_samples walk = { each, arg };
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(
        db, DB_SAMPLES,
        "SELECT offset, len, sha256 FROM image_samples WHERE image_id = ? ORDER BY offset", &stmt,
        err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    return row_each(&bind, "image_samples", "reading the samples of an image", images_read_sample,
                    &walk);
}
