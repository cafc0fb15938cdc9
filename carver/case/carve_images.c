/* SPDX-License-Identifier: Apache-2.0
 * carver/case/carve_images.c - see carve_images.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/case/carve_images.h"
#include "carver/case/sample.h"

enum err_code carve_images_confine(struct db_case *db, const char *const *paths,
                                   uint32_t path_count, struct confine *confine, struct err *err)
{
    uint32_t count = 0;
    enum err_code rc = db_image_count(db, &count, err);

    for (uint32_t i = 0; i < path_count; i++)
        confine_evidence(confine, paths[i]);
    for (uint32_t i = 0; rc == ERR_OK && path_count == 0 && i < count; i++) {
        struct db_image image;

        rc = db_image_get(db, (int64_t)i + 1, &image, err);
        if (rc == ERR_OK)
            confine_evidence(confine, image.path);
    }
    return rc;
}

enum err_code carve_images_open_as(const struct db_image *image, const char *path, bool elsewhere,
                                   struct io_image **out, struct err *err)
{
    const bool known = io_image_check_type(image->format, NULL) == ERR_OK;
    enum err_code rc = io_image_open(path, known ? image->format : NULL, out, err);

    struct io_image *other = NULL;

    if (!elsewhere || !known ||
        (rc == ERR_OK ? io_image_size(*out) == image->size : rc != ERR_INPUT))
        return rc;
    struct err why = { 0 };
    const enum err_code otherwise = io_image_open(path, NULL, &other, &why);
    /* What is encrypted is another image than what is in it: it lacks its key. */
    if (rc != ERR_OK && otherwise == ERR_OK && io_image_luks(other) != 0) {
        io_image_close(other);
        return rc;
    }
    io_image_close(*out);
    *out = other;
    if (otherwise != ERR_OK && err != NULL)
        *err = why;
    return otherwise;
}

/* Is it the image that was scanned? */
static enum err_code carve_images_compare(struct db_case *db, uint32_t index,
                                          const struct db_image *image, bool elsewhere,
                                          struct carve_images *out, struct err *err)
{
    const char *path = out->paths[index];
    struct sample_answer answer;
    char **note = &out->notes[index];
    enum err_code rc = sample_compare(db, image->id, out->items[index], &answer, err);

    if (rc != ERR_OK)
        return rc;
    if (answer.blocks == 0 && !elsewhere)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: the case file has no fingerprint of this image, because an older "
                         "burin wrote it; if the image is the right one, name it with --image "
                         "PATH",
                         path);
    if (answer.blocks > 0 && answer.changed == answer.blocks)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: not the image that was scanned: all %" PRIu32
                         " blocks of its fingerprint differ; --image PATH names another one",
                         path, answer.blocks);
    out->changed[index] = answer.changed > 0;
    if (answer.changed > 0 &&
        asprintf(note,
                 "%s changed since it was scanned: %" PRIu32 " of %" PRIu32
                 " blocks of its fingerprint differ, the first at offset %" PRIu64,
                 path, answer.changed, answer.blocks, answer.first) < 0) {
        *note = NULL;
        return ERR_NO_MEMORY(err, strlen(path));
    }
    if (answer.changed == 0 && answer.blocks > 0 && !elsewhere)
        *note = sample_note_time(image, answer.blocks);
    return ERR_OK;
}

static enum err_code carve_images_load_unread(struct db_case *db, uint32_t index,
                                              struct carve_images *out, struct err *err)
{
    const int64_t id = (int64_t)index + 1;
    struct db_run run = { 0 };
    bool scanned = false;
    enum err_code rc = db_scan_exists(db, id, &scanned, err);

    if (rc == ERR_OK && scanned)
        rc = db_run_latest(db, id, &run, err);
    return rc == ERR_OK && scanned ? unread_load(db, id, run.resumes != 0 ? run.resumes : run.id,
                                                 &out->unread[index], err)
                                   : rc;
}

static enum err_code carve_images_open_one(struct db_case *db, uint32_t index, const char *path,
                                           struct carve_images *out, struct err *err)
{
    struct db_image image;
    enum err_code rc = db_image_get(db, (int64_t)index + 1, &image, err);

    if (rc != ERR_OK)
        return rc;
    out->paths[index] = strdup(path != NULL ? path : image.path);
    if (out->paths[index] == NULL)
        return ERR_NO_MEMORY(err, strlen(image.path));
    rc = carve_images_open_as(&image, out->paths[index], path != NULL, &out->items[index], err);
    if (rc != ERR_OK && path == NULL)
        err_while(err, "opening image %" PRIu32 " of the case; --image PATH says where it is now",
                  index + 1);
    if (rc == ERR_OK && io_image_size(out->items[index]) != image.size)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: has %" PRIu64 " bytes, but had %" PRIu64
                       " when it was scanned: not the same image; --image PATH names "
                       "another one",
                       out->paths[index], io_image_size(out->items[index]), image.size);
    if (rc == ERR_OK)
        rc = carve_images_compare(db, index, &image, path != NULL, out, err);
    return rc == ERR_OK ? carve_images_load_unread(db, index, out, err) : rc;
}

enum err_code carve_images_open(struct db_case *db, const char *const *paths, uint32_t path_count,
                                struct carve_images *out, struct err *err)
{
    uint32_t count = 0;
    enum err_code rc = db_image_count(db, &count, err);

    *out = (struct carve_images){ 0 };
    if (rc != ERR_OK)
        return rc;
    if (path_count != 0 && path_count != count)
        return ERR_RAISE(err, ERR_INPUT,
                         "--image is given %" PRIu32 " times, but the case has %" PRIu32
                         " images: name all, in order",
                         path_count, count);
    out->items = calloc((size_t)count + 1, sizeof *out->items);
    out->paths = calloc((size_t)count + 1, sizeof *out->paths);
    out->notes = calloc((size_t)count + 1, sizeof *out->notes);
    out->changed = calloc((size_t)count + 1, sizeof *out->changed);
    out->unread = calloc((size_t)count + 1, sizeof *out->unread);
    out->count = count;
    if (out->items == NULL || out->paths == NULL || out->notes == NULL || out->changed == NULL ||
        out->unread == NULL) {
        carve_images_close(out);
        return ERR_NO_MEMORY(err, count * sizeof *out->items);
    }
    for (uint32_t i = 0; i < count && rc == ERR_OK; i++)
        rc = carve_images_open_one(db, i, path_count != 0 ? paths[i] : NULL, out, err);
    if (rc != ERR_OK)
        carve_images_close(out);
    return rc;
}

void carve_images_close(struct carve_images *images)
{
    for (uint32_t i = 0; i < images->count; i++) {
        if (images->items != NULL)
            io_image_close(images->items[i]);
        if (images->paths != NULL)
            free(images->paths[i]);
        if (images->notes != NULL)
            free(images->notes[i]);
        if (images->unread != NULL)
            unread_release(&images->unread[i]);
    }
    free(images->items);
    free(images->paths);
    free(images->notes);
    free(images->changed);
    free(images->unread);
    *images = (struct carve_images){ 0 };
}
