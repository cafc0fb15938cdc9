/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/gather.c - all that a page tells, before its first byte is written. */
#include <stdlib.h>
#include <string.h>

#include "carver/report/html/html.h"

enum { GATHER_TEXT_MAX = 64 << 20 };

static enum err_code gather_copy(struct html *html, const char *text, const char **out,
                                 struct err *err)
{
    *out = arena_copy(&html->text, text, strlen(text));
    return *out != NULL ? ERR_OK : ERR_NO_MEMORY(err, strlen(text));
}

static enum err_code gather_part(void *arg, const struct db_part *part, struct err *err)
{
    struct html_image *image = arg;

    (void)err;
    image->read += part->len;
    map_add(&image->map, MAP_READ, part->offset, part->len);
    return ERR_OK;
}

static enum err_code gather_bad(void *arg, const struct db_bad_range *range, struct err *err)
{
    struct html_image *image = arg;

    (void)err;
    image->bad += range->len;
    map_add(&image->map, MAP_BAD, range->offset, range->len);
    return ERR_OK;
}

static enum err_code gather_scan(struct html *html, struct html_image *image, struct err *err)
{
    struct db_case *db = html->report->db;
    const int64_t id = image->image.id;
    struct db_run run;
    bool scanned = false;
    enum err_code rc = db_scan_exists(db, id, &scanned, err);

    if (rc != ERR_OK || !scanned)
        return rc;
    rc = db_run_latest(db, id, &run, err);
    const int64_t scan = rc == ERR_OK && run.resumes != 0 ? run.resumes : run.id;
    if (rc == ERR_OK) {
        image->done = strcmp(run.status, "done") == 0;
        rc = gather_copy(html, run.started, &image->scanned, err);
    }
    if (rc == ERR_OK)
        rc = db_parts_walk(db, scan, 0, gather_part, image, err);
    return rc == ERR_OK ? db_bad_ranges_walk(db, id, scan, gather_bad, image, err) : rc;
}

/* The strongest hash that was taken of all of the image. */
struct gather_hash {
    struct html *html;
    struct html_image *image;
};

static enum err_code gather_hash(void *arg, const struct db_image_hash *hash, struct err *err)
{
    const struct gather_hash *gather = arg;
    struct html_image *image = gather->image;
    enum err_code rc;

    if (hash->filled != 0 ||
        (image->hash_kind != NULL && strcmp(image->hash_kind, hash->kind) > 0 &&
         strcmp(hash->kind, "sha256") != 0))
        return ERR_OK;
    rc = gather_copy(gather->html, hash->kind, &image->hash_kind, err);
    return rc == ERR_OK ? gather_copy(gather->html, hash->digest, &image->hash, err) : rc;
}

static enum err_code gather_image(struct html *html, struct html_image *image, int64_t id,
                                  struct err *err)
{
    struct gather_hash hash = { html, image };
    enum err_code rc = db_image_get(html->report->db, id, &image->image, err);

    if (rc != ERR_OK)
        return rc;
    image->image.parts = NULL;
    rc = gather_copy(html, image->image.path, &image->image.path, err);
    if (rc == ERR_OK)
        rc = gather_copy(html, image->image.format, &image->image.format, err);
    if (rc == ERR_OK)
        rc = map_open(&image->map, image->image.size, err);
    if (rc == ERR_OK)
        rc = db_image_hashes(html->report->db, id, gather_hash, &hash, err);
    return rc == ERR_OK ? gather_scan(html, image, err) : rc;
}

static enum err_code gather_images(struct html *html, struct err *err)
{
    enum err_code rc = db_image_count(html->report->db, &html->image_all, err);
    const uint32_t most = html->image_all < HTML_IMAGES ? html->image_all : HTML_IMAGES;

    if (rc == ERR_OK) {
        html->images = calloc(most + 1u, sizeof *html->images);
        rc = html->images != NULL ? ERR_OK : ERR_NO_MEMORY(err, most * sizeof *html->images);
    }
    for (uint32_t i = 0; rc == ERR_OK && html->images != NULL && i < most; i++) {
        html->image_count++;
        rc = gather_image(html, &html->images[i], (int64_t)i + 1, err);
    }
    return rc;
}

static enum err_code gather_object(void *arg, const struct report_object *report, struct err *err)
{
    const struct db_object *object = report->object;
    struct html *html = arg;
    const enum err_code rc = columns_add(&html->columns, report, err);

    if (rc != ERR_OK)
        return rc;
    const struct columns_row *row = &html->columns.rows[html->columns.count - 1];
    html->states[row->state]++;
    html->places[row->place]++;
    html->known[row->known]++;
    html->categories[row->category]++;
    html->category_bytes[row->category] += row->len;
    html->dated += row->dated != 0;
    html->located += row->located;
    if (row->parent != 0) {
        html->inside++;
        return ERR_OK;
    }
    html->bytes += row->len;
    if (object->image_id < 1 || object->image_id > html->image_count)
        return ERR_OK;
    struct html_image *image = &html->images[object->image_id - 1];
    image->objects++;
    image->found += row->len;
    for (uint32_t i = 0; i < object->extent_count; i++)
        map_add(&image->map, row->category, object->extents[i].offset, object->extents[i].len);
    return ERR_OK;
}

static enum err_code gather_triage(void *arg, const struct db_triage_run *run, struct err *err)
{
    struct html *html = arg;

    (void)run;
    (void)err;
    html->triages++;
    return ERR_OK;
}

enum err_code html_gather(struct html *html, struct err *err)
{
    arena_init(&html->text, GATHER_TEXT_MAX);
    enum err_code rc = gather_images(html, err);
    if (rc == ERR_OK)
        rc = report_objects(html->report, gather_object, html, err);
    if (rc == ERR_OK)
        rc = db_triage_runs_walk(html->report->db, gather_triage, html, err);
    for (uint32_t i = 0; rc == ERR_OK && i < html->image_count; i++)
        map_settle(&html->images[i].map);
    return rc;
}
