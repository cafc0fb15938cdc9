/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/gallery.c - see gallery.h. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "carver/carve/extract.h"
#include "carver/cli/interrupt.h"
#include "carver/report/html/gallery.h"
#include "carver/report/html/shrinker.h"
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

/* Whether a small picture can be made of the object, which may be cut short. */
static bool gallery_shrinks(const struct columns *columns, const struct columns_row *row)
{
    size_t len;
    const char *type = texts_text(&columns->texts, row->type, &len);

    return row->len <= SHRINK_FILE && row->len > 0 && row->known != DB_KNOWN_BAD && len == 3 &&
           memcmp(type, "jpg", len) == 0;
}

/* By size of what it is of, the largest first; then as on the page. */
struct gallery_choice {
    uint32_t row, source;
    bool shrink;
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
            choices[(*count)++] =
                (struct gallery_choice){ (uint32_t)i, inner[i] - 1, false, row->len };
        else if (gallery_shows(columns, row, GALLERY_ITSELF) || gallery_shrinks(columns, row))
            choices[(*count)++] =
                (struct gallery_choice){ (uint32_t)i, (uint32_t)i,
                                         !gallery_shows(columns, row, GALLERY_ITSELF), row->len };
    }
    qsort(choices, *count, sizeof *choices, gallery_order);
    free(ids);
    free(inner);
    free(child);
    return ERR_OK;
}

enum err_code gallery_piece(void *arg, const uint8_t *piece, size_t len, struct err *err)
{
    struct gallery_bytes *to = arg;

    if (len > to->room - to->len)
        return ERR_RAISE(err, ERR_INPUT, "the object is longer than its row says");
    memcpy(to->bytes + to->len, piece, len);
    to->len += len;
    return ERR_OK;
}

/* What pictures are read and made with. */
struct gallery_work {
    struct report *report;
    struct extract *extract;
    struct db_object_cursor *cursor;
    struct shrinker shrinker; /* without one: its file is NULL */
    uint64_t end;             /* of making small pictures */
};

/* Reads an object of at most out->room bytes; one that is not as it was scanned has none. */
static enum err_code gallery_read(struct gallery_work *work, int64_t id, struct gallery_bytes *out,
                                  struct err *err)
{
    const struct carve_images *images = work->report->images;
    struct extract_result result = { 0 };
    struct db_object object;
    bool found = false;
    enum err_code rc = db_objects_find(work->cursor, id, &found, &object, err);

    out->len = 0;
    if (rc != ERR_OK || !found || object.len == 0 || object.len > out->room ||
        object.image_id < 1 || object.image_id > images->count)
        return rc;
    const struct extract_object what = extract_object_of(images, &object);
    rc = extract_stream(work->extract, &what, gallery_piece, out, &result, err);
    if (rc == ERR_INPUT || (rc == ERR_OK && result.bad_bytes > 0)) {
        out->len = 0;
        rc = ERR_OK;
    }
    return rc;
}

static enum err_code gallery_keep(struct gallery *gallery, const struct gallery_item *item,
                                  const uint8_t *bytes, size_t len, struct err *err)
{
    uint8_t *copy = malloc(len);

    if (copy == NULL)
        return ERR_NO_MEMORY(err, len);
    memcpy(copy, bytes, len);
    gallery->items[gallery->count] = *item;
    gallery->items[gallery->count].bytes = copy;
    gallery->items[gallery->count++].len = len;
    return ERR_OK;
}

/* The picture of one choice, if there is one. room has GALLERY_INSIDE bytes. */
static enum err_code gallery_take(struct gallery *gallery, struct gallery_work *work,
                                  const struct gallery_choice *choice, int64_t id, uint8_t *room,
                                  struct err *err)
{
    struct gallery_item item = { .row = choice->row, .source = choice->source };
    struct gallery_bytes bytes = { .bytes = room, .room = GALLERY_INSIDE };

    if (choice->shrink) {
        if (work->shrinker.file == NULL)
            return ERR_OK;
        if (clock_now(CLOCK_MONOTONIC) >= work->end) {
            gallery->late++;
            return ERR_OK;
        }
        bytes = (struct gallery_bytes){ .bytes = work->shrinker.file, .room = SHRINK_FILE };
    }
    const enum err_code rc = gallery_read(work, id, &bytes, err);
    if (rc != ERR_OK || bytes.len == 0 || !choice->shrink)
        return rc == ERR_OK && bytes.len > 0
                   ? gallery_keep(gallery, &item, bytes.bytes, bytes.len, err)
                   : rc;
    const struct shrunk shrunk = shrinker_make(&work->shrinker, (uint32_t)bytes.len);
    item.made = true;
    item.damaged = shrunk.damaged != 0;
    return shrunk.len > 0 ? gallery_keep(gallery, &item, work->shrinker.small, shrunk.len, err)
                          : ERR_OK;
}

static enum err_code gallery_fill(struct gallery *gallery, const struct columns *columns,
                                  struct report *report, const struct gallery_choice *choices,
                                  size_t count, struct err *err)
{
    struct gallery_work work = {
        .report = report, .end = clock_now(CLOCK_MONOTONIC) + GALLERY_SECONDS * UINT64_C(1000000000)
    };
    uint8_t *room = malloc(GALLERY_INSIDE);
    uint64_t used = 0;
    enum err_code rc = db_objects_open_any(report->db, &work.cursor, err);

    gallery->items = calloc(report->thumbs + 1, sizeof *gallery->items);
    if (rc == ERR_OK && (gallery->items == NULL || room == NULL))
        rc = ERR_NO_MEMORY(err, report->thumbs * sizeof *gallery->items);
    if (rc == ERR_OK)
        rc = extract_open(NULL, false, NULL, NULL, &work.extract, err);
    if (rc == ERR_OK && shrinker_open(&work.shrinker, NULL) != ERR_OK)
        shrinker_close(&work.shrinker); /* a page without these is worth having */
    for (size_t i = 0;
         rc == ERR_OK && i < count && gallery->count < report->thumbs && used < GALLERY_BYTES;
         i++) {
        const size_t before = gallery->count;

        if (interrupt_requested())
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
        else
            rc = gallery_take(gallery, &work, &choices[i], columns->rows[choices[i].source].id,
                              room, err);
        used += gallery->count > before ? gallery->items[before].len : 0;
    }
    shrinker_close(&work.shrinker);
    extract_close(work.extract);
    db_objects_close(work.cursor);
    free(room);
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
