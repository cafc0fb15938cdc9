/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/gallery.c - see gallery.h. */
#include <stdlib.h>
#include <string.h>

#include "carver/carve/extract.h"
#include "carver/cli/interrupt.h"
#include "carver/report/html/gallery.h"
#include "signatures/category.h"

static const struct {
    const char *type, *mime;
} gallery_types[] = {
    { "jpg", "image/jpeg" },  { "png", "image/png" }, { "gif", "image/gif" },
    { "webp", "image/webp" }, { "bmp", "image/bmp" },
};

const char *gallery_mime(const char *type, size_t len)
{
    for (size_t i = 0; i < sizeof gallery_types / sizeof gallery_types[0]; i++)
        if (strlen(gallery_types[i].type) == len && memcmp(gallery_types[i].type, type, len) == 0)
            return gallery_types[i].mime;
    return NULL;
}

/* Whether a browser can show the object as it is. */
static bool gallery_shows(const struct columns *columns, const struct columns_row *row,
                          uint64_t most)
{
    size_t len;
    const char *type = texts_text(&columns->texts, row->type, &len);

    return row->category == SIG_CATEGORY_PICTURES && row->len <= most && row->len > 0 &&
           (row->state == STATE_COMPLETE || row->state == STATE_FRAGMENTED) &&
           row->known != DB_KNOWN_BAD && gallery_mime(type, len) != NULL;
}

/* By size of what it is of, the largest first; then as on the page. */
struct gallery_choice {
    uint32_t row, source;
    uint64_t len;
};

static int gallery_order(const void *a, const void *b)
{
    const struct gallery_choice *x = a, *y = b;

    if (x->len != y->len)
        return x->len > y->len ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* The rows by their ids, to find parents. */
struct gallery_id {
    int64_t id;
    uint32_t row;
};

static int gallery_id_order(const void *a, const void *b)
{
    const struct gallery_id *x = a, *y = b;

    return x->id < y->id ? -1 : x->id > y->id;
}

/*
 * Of each picture that lies in no other picture: the largest one inside of it that can be shown, or
 * itself. choices has room for all rows; the count of those that are chosen.
 */
static enum err_code gallery_choose(struct gallery *gallery, const struct columns *columns,
                                    struct gallery_choice *choices, size_t *count, struct err *err)
{
    struct gallery_id *ids = malloc((columns->count + 1) * sizeof *ids);
    uint32_t *inner = calloc(columns->count + 1, sizeof *inner); /* row + 1 of what is inside */
    bool *child = calloc(columns->count + 1, sizeof *child);

    if (ids == NULL || inner == NULL || child == NULL) {
        free(ids);
        free(inner);
        free(child);
        return ERR_NO_MEMORY(err, columns->count * sizeof *ids);
    }
    for (size_t i = 0; i < columns->count; i++)
        ids[i] = (struct gallery_id){ columns->rows[i].id, (uint32_t)i };
    qsort(ids, columns->count, sizeof *ids, gallery_id_order);
    for (size_t i = 0; i < columns->count; i++) {
        const struct columns_row *row = &columns->rows[i];
        const struct gallery_id want = { row->parent, 0 };
        const struct gallery_id *parent =
            want.id != 0 ? bsearch(&want, ids, columns->count, sizeof *ids, gallery_id_order)
                         : NULL;

        if (parent == NULL || row->category != SIG_CATEGORY_PICTURES ||
            columns->rows[parent->row].category != SIG_CATEGORY_PICTURES)
            continue;
        child[i] = true;
        uint32_t *best = &inner[parent->row];
        if (gallery_shows(columns, row, GALLERY_INSIDE) &&
            (*best == 0 || columns->rows[*best - 1].len < row->len))
            *best = (uint32_t)i + 1;
    }
    *count = 0;
    for (size_t i = 0; i < columns->count; i++) {
        const struct columns_row *row = &columns->rows[i];
        const bool bad = row->known == DB_KNOWN_BAD;

        if (row->category != SIG_CATEGORY_PICTURES || child[i])
            continue;
        gallery->pictures++;
        gallery->hidden += bad;
        if (!bad && inner[i] != 0)
            choices[(*count)++] = (struct gallery_choice){ (uint32_t)i, inner[i] - 1, row->len };
        else if (gallery_shows(columns, row, GALLERY_ITSELF))
            choices[(*count)++] = (struct gallery_choice){ (uint32_t)i, (uint32_t)i, row->len };
    }
    qsort(choices, *count, sizeof *choices, gallery_order);
    free(ids);
    free(inner);
    free(child);
    return ERR_OK;
}

/* Bytes of one object while they come. */
struct gallery_bytes {
    uint8_t *bytes;
    size_t len, room;
};

static enum err_code gallery_piece(void *arg, const uint8_t *piece, size_t len, struct err *err)
{
    struct gallery_bytes *to = arg;

    if (len > to->room - to->len)
        return ERR_RAISE(err, ERR_INPUT, "the object is longer than its row says");
    memcpy(to->bytes + to->len, piece, len);
    to->len += len;
    return ERR_OK;
}

/* Reads an object; one that is not as it was scanned has no bytes. */
static enum err_code gallery_read(struct report *report, struct extract *extract,
                                  struct db_object_cursor *cursor, int64_t id,
                                  struct gallery_bytes *out, struct err *err)
{
    const struct carve_images *images = report->images;
    struct extract_result result = { 0 };
    struct db_object object;
    bool found = false;
    enum err_code rc = db_objects_find(cursor, id, &found, &object, err);

    *out = (struct gallery_bytes){ 0 };
    if (rc != ERR_OK || !found || object.len == 0 || object.len > GALLERY_INSIDE ||
        object.image_id < 1 || object.image_id > images->count)
        return rc;
    out->bytes = malloc(object.len);
    if (out->bytes == NULL)
        return ERR_NO_MEMORY(err, object.len);
    out->room = object.len;
    const struct extract_object what = { .image = images->items[object.image_id - 1],
                                         .extents = object.extents,
                                         .extent_count = object.extent_count,
                                         .unread = &images->unread[object.image_id - 1],
                                         .has_crc64 = object.has_crc64,
                                         .crc64 = object.crc64,
                                         .sha256 = object.sha256 };
    rc = extract_stream(extract, &what, gallery_piece, out, &result, err);
    if (rc == ERR_INPUT || (rc == ERR_OK && result.bad_bytes > 0)) {
        free(out->bytes);
        *out = (struct gallery_bytes){ 0 };
        rc = ERR_OK;
    }
    return rc;
}

static enum err_code gallery_fill(struct gallery *gallery, const struct columns *columns,
                                  struct report *report, const struct gallery_choice *choices,
                                  size_t count, struct err *err)
{
    struct db_object_cursor *cursor = NULL;
    struct extract *extract = NULL;
    uint64_t used = 0;
    enum err_code rc = db_objects_open_any(report->db, &cursor, err);

    gallery->items = calloc(report->thumbs + 1, sizeof *gallery->items);
    if (rc == ERR_OK && gallery->items == NULL)
        rc = ERR_NO_MEMORY(err, report->thumbs * sizeof *gallery->items);
    if (rc == ERR_OK)
        rc = extract_open(NULL, false, NULL, NULL, &extract, err);
    for (size_t i = 0; rc == ERR_OK && gallery->items != NULL && i < count &&
                       gallery->count < report->thumbs && used < GALLERY_BYTES;
         i++) {
        struct gallery_bytes bytes;

        if (interrupt_requested()) {
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
            break;
        }
        rc =
            gallery_read(report, extract, cursor, columns->rows[choices[i].source].id, &bytes, err);
        if (rc != ERR_OK || bytes.bytes == NULL)
            continue;
        used += bytes.len;
        gallery->items[gallery->count++] =
            (struct gallery_item){ choices[i].row, choices[i].source, bytes.bytes, bytes.len };
    }
    extract_close(extract);
    db_objects_close(cursor);
    return rc;
}

enum err_code gallery_open(struct gallery *gallery, const struct columns *columns,
                           struct report *report, struct err *err)
{
    struct gallery_choice *choices = calloc(columns->count + 1, sizeof *choices);
    size_t count = 0;

    *gallery = (struct gallery){ 0 };
    if (choices == NULL)
        return ERR_NO_MEMORY(err, columns->count * sizeof *choices);
    enum err_code rc = gallery_choose(gallery, columns, choices, &count, err);
    if (report->thumbs == 0)
        gallery->why = "Pictures were left out on request.";
    else if (report->images->count == 0)
        gallery->why = "The image could not be read when this page was made.";
    else if (rc == ERR_OK)
        rc = gallery_fill(gallery, columns, report, choices, count, err);
    free(choices);
    return rc;
}

void gallery_close(struct gallery *gallery)
{
    for (size_t i = 0; gallery->items != NULL && i < gallery->count; i++)
        free(gallery->items[i].bytes);
    free(gallery->items);
    *gallery = (struct gallery){ 0 };
}
