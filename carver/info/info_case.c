/* SPDX-License-Identifier: Apache-2.0
 * carver/info/info_case.c - `burin info CASE`: the images of a case file, what their containers say
 * of them and their hashes; and, where a scan left out some of their bytes, the volumes: how much
 * of each was scanned, and why no more was left out; then what was found, by category and type.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "carver/case/overview.h"
#include "carver/cli/print_safe.h"
#include "carver/cli/terminal.h"
#include "carver/info/info.h"
#include "db/case.h"

struct info_case {
    struct json *json; /* NULL: lines */
    bool volumes;      /* the heading of their lines is there */
};

static void info_case_json(struct json *json, int64_t image_id, const struct db_volume *volume)
{
    json_open_object(json, NULL);
    json_int(json, "image", image_id);
    json_uint(json, "number", volume->slot);
    json_string(json, "kind", volume->kind);
    json_uint(json, "offset", volume->offset);
    json_uint(json, "length", volume->len);
    json_uint(json, "scanned", volume->scanned);
    json_string(json, "description", volume->description);
    json_string(json, "content", volume->content);
    json_string(json, "label", volume->label);
    json_string(json, "why", volume->why);
    json_close_object(json);
}

/* There are some only where a scan left out some of their bytes. */
static enum err_code info_case_volume(void *arg, int64_t image_id, const struct db_volume *volume,
                                      struct err *err)
{
    struct info_case *info = arg;

    (void)err;
    if (info->json != NULL) {
        info_case_json(info->json, image_id, volume);
        return ERR_OK;
    }
    if (!info->volumes)
        printf("\nslot\timage\tkind\toffset\tlength\tscanned\tleft out\tdescription\tcontent\t"
               "label\tnote\n");
    info->volumes = true;
    const bool logical = strcmp(volume->kind, "logical") == 0; /* counted where it lies */
    printf("%03" PRIu32 "\t%" PRId64, volume->slot, image_id);
    info_text(volume->kind);
    printf("\t%" PRIu64 "\t%" PRIu64, volume->offset, volume->len);
    if (logical)
        printf("\t-\t-");
    else
        printf("\t%" PRIu64 "\t%" PRIu64, volume->scanned,
               volume->len > volume->scanned ? volume->len - volume->scanned : 0);
    info_text(volume->description);
    info_text(volume->content);
    info_text(volume->label);
    info_text(volume->why);
    putchar('\n');
    return ERR_OK;
}

static enum err_code info_case_fact(void *arg, const char *name, const char *value, struct err *err)
{
    const struct info_case *info = arg;

    (void)err;
    info_fact(info->json, name, value);
    return ERR_OK;
}

static enum err_code info_case_hash(void *arg, const struct db_image_hash *hash, struct err *err)
{
    const struct info_case *info = arg;
    struct json *json = info->json;

    (void)err;
    if (json == NULL) {
        print_safe(stdout, hash->kind);
        fputs(" of the scan\t", stdout);
        print_safe(stdout, hash->digest);
        printf("%s\n", hash->filled > 0 ? " (zeros stand for what could not be read)" : "");
        return ERR_OK;
    }
    json_open_object(json, NULL);
    json_string(json, "kind", hash->kind);
    json_string(json, "digest", hash->digest);
    json_uint(json, "filled", hash->filled);
    json_close_object(json);
    return ERR_OK;
}

static void info_case_image_line(int64_t id, const struct db_image *image)
{
    printf("image %" PRId64 "\t", id);
    print_safe(stdout, image->format);
    printf("\t%" PRIu64 "\t", image->size);
    print_safe(stdout, image->path);
    putchar('\n');
}

/* What stands before the facts of an image. */
static void info_case_image_json(struct json *json, int64_t id, const struct db_image *image,
                                 const struct db_totals *totals)
{
    json_open_object(json, NULL);
    json_int(json, "number", id);
    json_string(json, "image", image->path);
    json_string(json, "format", image->format);
    json_uint(json, "size", image->size);
    json_uint(json, "sector_size", image->sector_size);
    json_uint(json, "parts", image->part_count);
    json_uint(json, "hits", totals->hits);
    json_uint(json, "objects", totals->objects);
    json_uint(json, "bad_bytes", totals->bad_bytes);
    json_open_object(json, "container");
}

static enum err_code info_case_image(struct db_case *db, int64_t id, struct info_case *info,
                                     struct err *err)
{
    struct db_totals totals;
    struct db_image image;
    enum err_code rc = db_totals(db, id, &totals, err);

    if (rc == ERR_OK)
        rc = db_image_get(db, id, &image, err);
    if (rc != ERR_OK)
        return rc;
    if (info->json != NULL)
        info_case_image_json(info->json, id, &image, &totals);
    else
        info_case_image_line(id, &image);
    rc = db_image_facts(db, id, info_case_fact, info, err);
    if (info->json != NULL) {
        json_close_object(info->json);
        json_open_array(info->json, "hashes");
    }
    if (rc == ERR_OK)
        rc = db_image_hashes(db, id, info_case_hash, info, err);
    if (info->json != NULL) {
        json_close_array(info->json);
        json_close_object(info->json);
    }
    return rc;
}

static enum err_code info_case_images(struct db_case *db, struct info_case *info, struct err *err)
{
    uint32_t count = 0;
    enum err_code rc = db_image_count(db, &count, err);

    for (int64_t i = 1; rc == ERR_OK && i <= count; i++)
        rc = info_case_image(db, i, info, err);
    return rc;
}

/* The case file, and its seal. */
static void info_case_head(const char *path, const struct db_log_entry *seal, struct json *json)
{
    const char *hash = seal->id != 0 ? seal->hash : "none";

    if (json == NULL) {
        printf("case\t");
        print_safe(stdout, path);
        printf("\nseal\t");
        print_safe(stdout, hash);
        putchar('\n');
        return;
    }
    json_open_object(json, NULL);
    json_string(json, "case", path);
    json_string(json, "seal", hash);
    json_open_array(json, "images");
}

/* What there is by category and type. */
static enum err_code info_case_overview(struct db_case *db, const struct info_case *info,
                                        struct err *err)
{
    struct overview overview;
    enum err_code rc = overview_open(db, 0, &overview, err);

    if (rc != ERR_OK)
        return rc;
    if (info->json != NULL) {
        json_close_array(info->json);
        overview_json(&overview, info->json, "objects");
    } else if (overview.count > 0) {
        putchar('\n');
        rc = overview_print(&overview, stdout, terminal_columns(stdout), UINT32_MAX - 1, err);
    }
    overview_close(&overview);
    return rc;
}

enum err_code info_case(const char *path, bool as_json, struct err *err)
{
    struct db_case *db = NULL;
    struct json json = { 0 };
    struct info_case info = { .json = as_json ? &json : NULL };
    struct db_log_entry seal;
    enum err_code rc = db_case_open(path, DB_READ, &db, err);

    if (rc == ERR_OK)
        rc = db_log_find(db, "seal", &seal, err);
    if (rc != ERR_OK) {
        db_case_close(db);
        return rc;
    }
    if (as_json)
        json_init(&json, stdout, 2);
    info_case_head(path, &seal, info.json);
    rc = info_case_images(db, &info, err);
    if (as_json) {
        json_close_array(&json);
        json_open_array(&json, "volumes");
    }
    if (rc == ERR_OK)
        rc = db_volumes_walk(db, info_case_volume, &info, err);
    if (rc == ERR_OK)
        rc = info_case_overview(db, &info, err);
    if (rc == ERR_OK && as_json) {
        json_close_object(&json);
        json_end(&json);
    }
    db_case_close(db);
    return rc;
}
