/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/compare.c - see compare.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "carver/audit/compare.h"
#include "carver/cli/interrupt.h"

enum { COMPARE_TEXT_MAX = 256 };

static enum err_code compare_add_part(void *arg, const struct db_part *part, struct err *err)
{
    return unread_add(&((struct compare_image *)arg)->looked_at, part->offset, part->len, err);
}

static enum err_code compare_add_chosen(void *arg, uint64_t offset, uint64_t len, struct err *err)
{
    struct compare_image *image = arg;

    image->some = true;
    return unread_add(&image->chosen, offset, len, err);
}

/* The image at the path among those that are known, or a new one; NULL: no memory. */
static struct compare_image *compare_image_at(struct compare *compare, const char *path)
{
    for (uint32_t i = 0; i < compare->image_count; i++)
        if (strcmp(compare->images[i].path, path) == 0)
            return &compare->images[i];
    if (compare->image_count == COMPARE_IMAGES_MAX)
        return NULL;
    struct compare_image *images =
        realloc(compare->images, (compare->image_count + 1u) * sizeof *compare->images);
    if (images == NULL)
        return NULL;
    compare->images = images;
    char *copy = strdup(path);
    if (copy == NULL)
        return NULL;
    struct compare_image *image = &images[compare->image_count++];
    *image = (struct compare_image){ .path = copy };
    return image;
}

static enum err_code compare_load_images(struct compare *compare, uint32_t which, struct err *err)
{
    struct db_image row;
    uint32_t count = 0;
    enum err_code rc = db_image_count(compare->db[which], &count, err);

    for (int64_t id = 1; rc == ERR_OK && id <= count; id++) {
        rc = db_image_get(compare->db[which], id, &row, err);
        if (rc != ERR_OK)
            break;
        struct compare_image *image = compare_image_at(compare, row.path);
        if (image == NULL)
            return ERR_NO_MEMORY(err, (compare->image_count + 1u) * sizeof *image);
        if (image->id[which] == 0) {
            image->id[which] = id;
            image->size = row.size;
        }
    }
    return rc;
}

/* A disk that is read under another name each time, such as a snapshot of it, is one. */
static void compare_join_images(struct compare *compare)
{
    struct compare_image *images = compare->images;

    if (compare->image_count != 2 || images[0].id[1] != 0 || images[1].id[0] != 0)
        return;
    images[0].id[1] = images[1].id[1];
    images[0].size = images[1].size;
    free(images[0].path);
    images[0].path = images[1].path;
    compare->image_count = 1;
}

/* What the latest scan has read of it. */
static enum err_code compare_load_read(struct compare *compare, struct compare_image *image,
                                       struct err *err)
{
    struct db_case *db = compare->db[1];
    bool scanned = false;
    struct db_run run;
    enum err_code rc = db_scan_exists(db, image->id[1], &scanned, err);

    if (rc != ERR_OK || !scanned)
        return rc;
    rc = db_run_latest(db, image->id[1], &run, err);
    if (rc != ERR_OK)
        return rc;
    const int64_t scan = run.resumes != 0 ? run.resumes : run.id;
    rc = db_parts_walk(db, scan, 0, compare_add_part, image, err);
    if (rc == ERR_OK)
        rc = db_scanned_walk(db, scan, compare_add_chosen, image, err);
    return rc == ERR_OK ? unread_load(db, image->id[1], scan, &image->bad, err) : rc;
}

enum err_code compare_open(struct db_case *old, struct db_case *now, struct compare *out,
                           struct err *err)
{
    enum err_code rc = ERR_OK;

    *out = (struct compare){ .db = { old, now } };
    if (old != NULL)
        rc = compare_load_images(out, 0, err);
    if (rc == ERR_OK)
        rc = compare_load_images(out, 1, err);
    if (rc == ERR_OK)
        compare_join_images(out);
    for (uint32_t i = 0; rc == ERR_OK && i < out->image_count; i++)
        if (out->images[i].id[1] != 0)
            rc = compare_load_read(out, &out->images[i], err);
    return rc;
}

void compare_close(struct compare *compare)
{
    for (uint32_t i = 0; i < compare->image_count; i++) {
        free(compare->images[i].path);
        unread_release(&compare->images[i].bad);
        unread_release(&compare->images[i].looked_at);
        unread_release(&compare->images[i].chosen);
    }
    for (uint32_t i = 0; i < compare->type_count; i++)
        free(compare->types[i]);
    free(compare->types);
    free(compare->images);
    diff_side_release(&compare->sides[0]);
    diff_side_release(&compare->sides[1]);
    *compare = (struct compare){ 0 };
}

uint32_t compare_image_number(const struct compare *compare, uint32_t which, int64_t id)
{
    uint32_t number = 0;

    while (number < compare->image_count && compare->images[number].id[which] != id)
        number++;
    return number;
}

/* Types are few. */
static enum err_code compare_type(struct compare *compare, const char *type, uint32_t *out,
                                  struct err *err)
{
    for (*out = 0; *out < compare->type_count; ++*out)
        if (strcmp(compare->types[*out], type) == 0)
            return ERR_OK;
    const enum err_code rc = grow_items(&compare->types, compare->type_count, &compare->type_room,
                                        sizeof *compare->types, err);

    if (rc != ERR_OK)
        return rc;
    compare->types[compare->type_count] = strdup(type);
    if (compare->types[compare->type_count] == NULL)
        return ERR_NO_MEMORY(err, strlen(type));
    compare->type_count++;
    return ERR_OK;
}

/* The same content gives the same text, in any case file. */
static void compare_content(const struct db_object *object, uint8_t key[DIFF_KEY_LEN])
{
    char text[COMPARE_TEXT_MAX];

    if (object->sha256 != NULL)
        snprintf(text, sizeof text, "%.64s %s", object->type, object->sha256);
    else
        snprintf(text, sizeof text, "%.64s %" PRIu64 " %d %" PRIx64, object->type, object->len,
                 object->has_crc64, object->has_crc64 ? object->crc64 : 0);
    diff_key(text, strlen(text), key);
}

static enum err_code compare_load_objects(struct compare *compare, uint32_t which, struct err *err)
{
    struct db_object_cursor *cursor = NULL;
    struct db_object object;
    bool found = true;
    enum err_code rc = db_objects_open(compare->db[which], 0, &cursor, err);

    while (rc == ERR_OK && (rc = db_objects_next(cursor, &found, &object, err)) == ERR_OK &&
           found) {
        struct diff_item item = { .image = compare_image_number(compare, which, object.image_id),
                                  .offset = object.offset,
                                  .len = object.len,
                                  .id = object.id };

        compare_content(&object, item.key);
        rc = compare_type(compare, object.type, &item.type, err);
        if (rc == ERR_OK)
            rc = diff_add(&compare->sides[which], &item, err);
        if (rc == ERR_OK && interrupt_requested())
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "stopped on request while runs were compared");
    }
    db_objects_close(cursor);
    return rc;
}

enum err_code compare_objects(struct compare *compare, struct err *err)
{
    enum err_code rc = compare->db[0] != NULL ? compare_load_objects(compare, 0, err) : ERR_OK;

    if (rc == ERR_OK)
        rc = compare_load_objects(compare, 1, err);
    if (rc == ERR_OK)
        diff_sides(&compare->sides[0], &compare->sides[1], compare_was_read, compare);
    return rc;
}

bool compare_was_read(void *arg, const struct diff_item *item)
{
    const struct compare *compare = arg;

    if (item->image >= compare->image_count)
        return false;
    const struct compare_image *image = &compare->images[item->image];
    const uint64_t len = item->len > 0 ? item->len : 1;
    uint64_t at;

    /* A thing counts where it begins; its bytes may lie anywhere. */
    if (!unread_first(&image->looked_at, item->offset, 1, &at) ||
        (image->some && !unread_first(&image->chosen, item->offset, 1, &at)))
        return item->offset >= image->size && image->id[1] != 0; /* the image is shorter now */
    return unread_bytes(&image->bad, item->offset, len) == 0;
}

void compare_bytes(const struct compare *compare, uint64_t *read, uint64_t *unreadable)
{
    *read = *unreadable = 0;
    for (uint32_t i = 0; i < compare->image_count; i++) {
        *read += unread_bytes(&compare->images[i].looked_at, 0, INT64_MAX);
        *unreadable += unread_bytes(&compare->images[i].bad, 0, INT64_MAX);
    }
}
