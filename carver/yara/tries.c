/* SPDX-License-Identifier: Apache-2.0
 * carver/yara/tries.c - see tries.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "carver/carve/extract.h"
#include "carver/case/run.h"
#include "carver/cli/interrupt.h"
#include "carver/yara/tries.h"

enum { TRIES_TEXT_MAX = 256 };

struct tries {
    const struct tries_job *job;
    struct tries_totals *totals;
    struct extract *extract;
    int64_t run_id;
    uint32_t number; /* of the next row */
    uint32_t len;    /* bytes of the object that are in the rules' room */
    bool cut;        /* it has more */
};

static enum err_code tries_begin(struct tries *t, struct err *err)
{
    const struct tries_job *job = t->job;
    struct run_settings settings;
    const struct db_run run = { .command = job->command,
                                .command_line = job->command_line,
                                .options = settings.text };
    enum err_code rc = run_settings_open(&settings, err);

    if (rc != ERR_OK)
        return rc;
    json_open_array(&settings.json, "yara");
    for (uint32_t i = 0; i < job->rules->file_count; i++)
        json_string(&settings.json, NULL, job->rules->files[i].path);
    json_close_array(&settings.json);
    json_uint(&settings.json, "yara_time", job->rules->seconds);
    json_uint(&settings.json, "object_bytes", YARA_RULES_OBJECT_BYTES);
    rc = run_settings_close(&settings, err);
    return rc == ERR_OK ? run_begin_noted(job->db, &run, job->note, &t->run_id, err) : rc;
}

static enum err_code tries_end(struct tries *t, enum err_code how, const char *why, struct err *err)
{
    const struct tries_totals *totals = t->totals;
    struct db_case *db = t->job->db;
    char text[TRIES_TEXT_MAX];
    enum err_code rc = db_begin(db, err);

    snprintf(text, sizeof text,
             "rules of YARA were tried on %" PRIu64 " objects: %" PRIu64 " are met; %" PRIu64
             " objects are not decided, or not by all of their bytes",
             totals->objects, totals->met, totals->left);
    if (rc == ERR_OK)
        rc = db_log(db, t->run_id, "note", text, err);
    if (rc == ERR_OK)
        rc = db_run_finish(db, t->run_id, run_status(how), err);
    if (rc == ERR_OK)
        rc = db_log(db, t->run_id, how == ERR_OK ? "end" : run_status(how),
                    how == ERR_OK ? "done" : why, err);
    return rc == ERR_OK ? db_commit(db, err) : rc;
}

/* What is behind the first bytes is not read: ERR_FULL ends the reading. */
static enum err_code tries_piece(void *arg, const uint8_t *piece, size_t len, struct err *err)
{
    struct tries *t = arg;
    const uint32_t left = YARA_RULES_OBJECT_BYTES - t->len;
    const uint32_t some = len < left ? (uint32_t)len : left;

    memcpy(yara_rules_room(t->job->rules) + t->len, piece, some);
    t->len += some;
    t->cut = some < len;
    return t->cut ? ERR_RAISE(err, ERR_FULL, "the object has more bytes than are looked at")
                  : ERR_OK;
}

/* Where a byte of the object lies in the image. */
static uint64_t tries_place(const struct db_object *object, uint64_t at)
{
    for (uint32_t i = 0; i < object->extent_count; i++) {
        if (at < object->extents[i].len)
            return object->extents[i].offset + at;
        at -= object->extents[i].len;
    }
    return object->offset;
}

static enum err_code tries_row(struct tries *t, const struct db_object *object,
                               const struct yara_rules_match *match, const char *why,
                               struct err *err)
{
    static const struct yara_rules_match none;
    const struct yara_rules_match *from = match != NULL ? match : &none;
    const struct db_yara row = {
        .number = t->number,
        .object_id = object->id,
        .rule = from->rule,
        .space = from->space,
        .tags = from->tags,
        .string = from->string,
        .offset = from->string[0] != '\0' ? tries_place(object, from->offset) : object->offset,
        .why = why,
    };

    t->number++;
    return db_yara_add(t->job->db, t->run_id, &row, err);
}

/* Stores what was found out of an object; partly says why not all of it was looked at, or is "". */
static enum err_code tries_store(struct tries *t, const struct db_object *object,
                                 const struct yara_rules_verdict *verdict, const char *partly,
                                 struct err *err)
{
    char more[YARA_RULES_WHY_MAX] = "";
    const char *const whys[] = { partly, verdict->why, more };
    bool left = false;
    enum err_code rc = db_begin(t->job->db, err);

    if (verdict->left_out > 0)
        snprintf(more, sizeof more, "it meets %" PRIu64 " more rules, which are not told",
                 verdict->left_out);
    for (uint32_t i = 0; rc == ERR_OK && i < verdict->count; i++)
        rc = tries_row(t, object, &verdict->matches[i], "", err);
    for (uint32_t i = 0; rc == ERR_OK && i < sizeof whys / sizeof whys[0]; i++)
        if (whys[i][0] != '\0') {
            left = true;
            rc = tries_row(t, object, NULL, whys[i], err);
        }
    t->totals->met += verdict->count;
    t->totals->left += left;
    return rc == ERR_OK ? db_commit(t->job->db, err) : rc;
}

static enum err_code tries_object(struct tries *t, const struct db_object *object, struct err *err)
{
    const struct carve_images *images = t->job->images;
    struct yara_rules_verdict verdict = { .count = 0 };
    struct extract_result result = { 0 };
    char partly[TRIES_TEXT_MAX] = "";

    if (object->image_id < 1 || object->image_id > images->count ||
        (t->job->wants != NULL && !t->job->wants(t->job->arg, object->id)))
        return ERR_OK;
    const struct extract_object what = extract_object_of(images, object);
    t->len = 0;
    t->cut = false;
    enum err_code rc =
        object->len > 0 ? extract_stream(t->extract, &what, tries_piece, t, &result, err) : ERR_OK;
    t->totals->objects++;
    if (rc == ERR_INPUT)
        snprintf(verdict.why, sizeof verdict.why, "its bytes are not those that were scanned");
    else if (rc != ERR_OK && !t->cut)
        return rc;
    else
        yara_rules_try(t->job->rules, t->len, &verdict);
    if (interrupt_requested())
        return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
    if (result.bad_bytes > 0)
        snprintf(partly, sizeof partly,
                 "zeros stood in for %" PRIu64 " of its bytes, which cannot be read",
                 result.bad_bytes);
    else if (t->cut)
        snprintf(partly, sizeof partly, "its first %" PRIu32 " of %" PRIu64 " bytes were looked at",
                 t->len, object->len);
    return verdict.count > 0 || verdict.why[0] != '\0' || partly[0] != '\0'
               ? tries_store(t, object, &verdict, partly, err)
               : ERR_OK;
}

static enum err_code tries_objects(struct tries *t, struct err *err)
{
    struct db_object_cursor *cursor = NULL;
    struct db_object object;
    bool found = true;
    enum err_code rc = extract_open(NULL, false, NULL, NULL, &t->extract, err);

    if (rc == ERR_OK)
        rc = db_objects_open(t->job->db, 0, &cursor, err);
    while (rc == ERR_OK && found) {
        rc = db_objects_next(cursor, &found, &object, err);
        if (rc == ERR_OK && found)
            rc = tries_object(t, &object, err);
    }
    db_objects_close(cursor);
    extract_close(t->extract);
    return rc;
}

enum err_code tries_run(const struct tries_job *job, struct tries_totals *totals, int64_t *run_id,
                        struct err *err)
{
    struct tries t = { .job = job, .totals = totals };
    struct err late = { 0 };

    *totals = (struct tries_totals){ 0 };
    enum err_code rc = tries_begin(&t, err);
    *run_id = t.run_id;
    if (rc != ERR_OK)
        return rc;
    rc = tries_objects(&t, err);
    db_rollback(job->db);
    interrupt_hold();
    const enum err_code late_rc = tries_end(&t, rc, rc == ERR_OK ? "" : err->text, &late);
    interrupt_release();
    if (rc == ERR_OK && late_rc != ERR_OK) {
        rc = late_rc;
        *err = late;
    }
    return rc;
}
