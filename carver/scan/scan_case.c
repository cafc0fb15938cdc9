/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_case.c - see scan_case.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "carver/case/casefile.h"
#include "carver/cli/print_safe.h"
#include "carver/scan/scan_case.h"

/* The image at path in the case file; *id stays 0 where it is not there. */
static enum err_code scan_case_find_path(struct db_case *db, const char *path, uint64_t size,
                                         int64_t *id, struct err *err)
{
    struct db_image row;
    uint32_t count;
    enum err_code rc = db_image_count(db, &count, err);

    for (int64_t i = 1; rc == ERR_OK && i <= count && *id == 0; i++) {
        rc = db_image_get(db, i, &row, err);
        if (rc != ERR_OK || strcmp(row.path, path) != 0)
            continue;
        if (row.size != size)
            return ERR_RAISE(
                err, ERR_INPUT,
                "%s has %" PRIu64 " bytes, and had %" PRIu64
                " when the case file was written: it is another image; name another --case",
                path, size, row.size);
        *id = i;
    }
    return rc;
}

enum err_code scan_case_find(struct db_case *db, struct io_image *image, const char *path,
                             int64_t *id, struct err *err)
{
    char *absolute = io_image_absolute(io_image_part_path(image, 0));

    *id = 0;
    if (absolute == NULL)
        return ERR_RAISE(err, ERR_INPUT, "%s: cannot be found again: %s", path, strerror(errno));
    const enum err_code rc = scan_case_find_path(db, absolute, io_image_size(image), id, err);
    free(absolute);
    return rc;
}

/* Paths are recorded absolute, so that the case file can be used from another folder. *out: to be
 * freed. */
static enum err_code scan_case_part(const struct io_image *image, const char *path,
                                    struct db_image_part *out, struct err *err)
{
    char modified[SAMPLE_TIME_MAX];

    *out = (struct db_image_part){ .path = io_image_absolute(path), .size = io_image_size(image) };
    if (out->path != NULL && io_image_is_address(path)) /* it says nothing of its files */
        return ERR_OK;
    if (out->path == NULL || !sample_part(out->path, &out->size, modified))
        return ERR_RAISE(err, ERR_INPUT, "%s: cannot be found again: %s", path, strerror(errno));
    out->modified = modified[0] != '\0' ? strdup(modified) : NULL;
    return modified[0] == '\0' || out->modified != NULL ? ERR_OK
                                                        : ERR_NO_MEMORY(err, sizeof modified);
}

/* The row of an image, of which scan_case_free_row frees the parts. */
static enum err_code scan_case_row(struct io_image *image, struct db_image *out, struct err *err)
{
    const uint32_t count = io_image_part_count(image);
    struct db_image_part *parts = calloc(count + 1u, sizeof *parts);
    enum err_code rc = ERR_OK;

    *out = (struct db_image){ .parts = parts };
    if (parts == NULL)
        return ERR_NO_MEMORY(err, count * sizeof *parts);
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        rc = scan_case_part(image, io_image_part_path(image, i), &parts[i], err);
    *out = (struct db_image){ .path = count > 0 && parts[0].path != NULL ? parts[0].path : "",
                              .format = io_image_format(image),
                              .size = io_image_size(image),
                              .sector_size = io_image_sector_size(image),
                              .parts = parts,
                              .part_count = count };
    return rc;
}

static void scan_case_free_row(struct db_image *row)
{
    for (uint32_t i = 0; row->parts != NULL && i < row->part_count; i++) {
        free((char *)(uintptr_t)row->parts[i].path);
        free((char *)(uintptr_t)row->parts[i].modified);
    }
    free((struct db_image_part *)(uintptr_t)row->parts);
}

/* What the container says of itself. */
static enum err_code scan_case_facts(struct db_case *db, int64_t id, const struct io_image *image,
                                     struct err *err)
{
    struct io_fact fact;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && io_image_fact(image, i, &fact); i++)
        rc = db_image_fact_add(db, id, fact.name, fact.value, err);
    return rc;
}

enum err_code scan_case_image(struct db_case *db, struct io_image *image, struct sample *sample,
                              int64_t *id, struct err *err)
{
    struct db_image row;
    enum err_code rc = scan_case_row(image, &row, err);

    *id = 0;
    if (rc == ERR_OK)
        rc = scan_case_find_path(db, row.path, row.size, id, err);
    if (rc == ERR_OK && *id == 0) {
        rc = db_image_add(db, &row, id, err);
        if (rc == ERR_OK)
            rc = scan_case_facts(db, *id, image, err);
        if (rc == ERR_OK)
            rc = sample_take(image, sample, err);
        if (rc == ERR_OK)
            rc = sample_record(db, *id, sample, err);
    }
    scan_case_free_row(&row);
    return rc;
}

enum err_code scan_case_move(struct db_case *db, struct io_image *image, int64_t id,
                             struct err *err)
{
    struct db_image row;
    enum err_code rc = scan_case_row(image, &row, err);

    row.id = id;
    if (rc == ERR_OK)
        rc = db_image_move(db, &row, err);
    scan_case_free_row(&row);
    return rc;
}

/* An image is scanned once for a case: rows of two scans of it would say everything twice. */
static enum err_code scan_case_refuse_again(struct db_case *db, const struct scan_job *job,
                                            const char *path, struct err *err)
{
    struct io_image *image = NULL;
    bool scanned = false;
    int64_t id = 0;
    enum err_code rc = io_image_open(path, job->how->image_type, &image, err);

    if (rc == ERR_OK)
        rc = scan_case_find(db, image, path, &id, err);
    if (rc == ERR_OK && id != 0)
        rc = db_scan_exists(db, id, &scanned, err);
    if (rc == ERR_OK && scanned)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s exists and has a scan of %s already; use --resume to go on with it, "
                       "--force to move the case file aside, or --case to name another",
                       job->how->case_path, path);
    io_image_close(image);
    return rc;
}

/* Says where the case file is that had been there. */
static enum err_code scan_case_tell_kept(struct db_case *db, const struct scan_job *job,
                                         const char *kept, struct err *err)
{
    char text[DB_KEPT_MAX + 64];

    snprintf(text, sizeof text, "the existing case file is now named %s", kept);
    if (!job->how->quiet)
        print_safe_line(stderr, "burin: %s: %s", job->command, text);
    return db_log(db, 0, "note", text, err);
}

enum err_code scan_case_open(const struct scan_job *job, struct db_lock **lock,
                             struct db_case **out, struct err *err)
{
    struct db_case *db = NULL;
    char kept[DB_KEPT_MAX] = "";
    enum err_code rc;

    *out = NULL;
    if (access(db_lock_path(*lock), F_OK) != 0 || job->force) {
        rc = db_case_create_locked(*lock, job->force, kept, out, err);
        if (rc == ERR_OK)
            *lock = NULL;
        return rc == ERR_OK && kept[0] != '\0' ? scan_case_tell_kept(*out, job, kept, err) : rc;
    }
    rc = db_case_open_locked(*lock, &db, err);
    if (rc == ERR_OK) {
        *lock = NULL;
        casefile_tell_log(job->command, job->how->case_path, db);
    }
    for (int i = 0; rc == ERR_OK && job->once && !job->resume && i < job->how->image_count; i++)
        rc = scan_case_refuse_again(db, job, job->how->images[i], err);
    if (rc == ERR_OK)
        *out = db;
    else
        db_case_close(db);
    return rc;
}
