/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_resume.c - see scan_resume.h. */
#include "carver/scan/scan_resume.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/case/sample.h"
#include "carver/cli/about.h"
#include "carver/scan/scan_case.h"

/* Settings that are compared otherwise, or change nothing; and those that are compared last, for
 * its value tells people nothing. */
#define RESUME_FREE "\"work\", \"known\", \"dictionary\", \"image_type\""
#define RESUME_LAST "\"signatures_sha256\", \"selection_sha256\", \"mapfile_sha256\""

enum { RESUME_NAME_MAX = DB_SETTING_MAX + 8 };

/* An image under this name that the case does not have, with the content of one that it has: to
 * scan it again would say everything twice. */
static enum err_code resume_check_moved(struct db_case *db, struct io_image *image,
                                        const char *path, struct err *err)
{
    struct db_image row;
    uint32_t count = 0;
    enum err_code rc = db_image_count(db, &count, err);

    for (int64_t i = 1; rc == ERR_OK && i <= count; i++) {
        struct sample_answer answer;

        rc = db_image_get(db, i, &row, err);
        if (rc != ERR_OK || row.size != io_image_size(image))
            continue;
        rc = sample_compare(db, i, image, &answer, err);
        if (rc == ERR_OK && answer.blocks > 0 && answer.changed == 0)
            rc = ERR_RAISE(err, ERR_INPUT,
                           "%s: image %" PRId64
                           " of the case file, %s, has the same content; if it was moved, name "
                           "its new place with --image PATH",
                           path, i, row.path);
    }
    return rc;
}

/* Which image of the case it is; 0: none. */
static enum err_code resume_find(struct db_case *db, const struct scan_job *job,
                                 struct io_image *image, const char *path, uint32_t index,
                                 int64_t *id, struct err *err)
{
    uint32_t count = 0;
    enum err_code rc = ERR_OK;

    if (!job->moved) {
        rc = scan_case_find(db, image, path, id, err);
        return rc == ERR_OK && *id == 0 ? resume_check_moved(db, image, path, err) : rc;
    }
    rc = db_image_count(db, &count, err);
    if (rc == ERR_OK && index >= count)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "--image %s: the case file has only %" PRIu32
                       " images; name one that it does not have without --image",
                       path, count);
    *id = (int64_t)index + 1;
    return rc;
}

/* Is it the image that was scanned? */
static enum err_code resume_same_image(struct db_case *db, const struct scan_job *job,
                                       struct io_image *image, const char *path,
                                       struct scan_resume *out, struct err *err)
{
    struct sample_answer answer;
    struct db_image row;
    enum err_code rc = db_image_get(db, out->image, &row, err);

    if (rc != ERR_OK)
        return rc;
    if (row.size != io_image_size(image))
        return ERR_RAISE(err, ERR_INPUT,
                         "%s has %" PRIu64
                         " bytes, and the image whose scan was stopped had %" PRIu64
                         ": it is another image; --image PATH says where that one is now",
                         path, io_image_size(image), row.size);
    if (strcmp(row.format, io_image_format(image)) != 0)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s is read as %s, and was read as %s when its scan was stopped; "
                         "--image-type says as what",
                         path, io_image_format(image), row.format);
    rc = sample_compare(db, out->image, image, &answer, err);
    if (rc == ERR_OK && answer.changed > 0)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: not the image whose scan was stopped, or it was changed since: %" PRIu32
                       " of %" PRIu32
                       " blocks of its fingerprint differ, the first at offset %" PRIu64
                       "; begin anew with --force",
                       path, answer.changed, answer.blocks, answer.first);
    out->moved = job->moved && strcmp(row.path, path) != 0;
    out->note = rc == ERR_OK ? sample_note_time(&row, answer.blocks) : NULL;
    return rc;
}

/* The words for a setting: the option that sets it. */
static void resume_name(const char *setting, char out[RESUME_NAME_MAX])
{
    if (strncmp(setting, "range_", 6) == 0)
        snprintf(out, RESUME_NAME_MAX, "--range");

    else
        snprintf(out, RESUME_NAME_MAX, "--%s", setting);
    for (char *at = strchr(out, '_'); at != NULL; at = strchr(at, '_'))
        *at = '-';
}

enum err_code scan_resume_same(struct db_case *db, const struct scan_resume *resume,
                               const struct scan_job *job, const char *options, struct err *err)
{
    char differs[3][DB_SETTING_MAX], name[RESUME_NAME_MAX];
    bool found = false;
    enum err_code rc = db_run_compare(db, resume->scan, options,
                                      "[" RESUME_FREE ", " RESUME_LAST "]", &found, differs, err);

    if (rc == ERR_OK && found) {
        resume_name(differs[0], name);
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: %s: the scan was begun with %s, and this command says %s; give the "
                         "same options, or begin anew with --force",
                         job->how->case_path, name, differs[1], differs[2]);
    }
    if (rc == ERR_OK)
        rc = db_run_compare(db, resume->scan, options, "[" RESUME_FREE "]", &found, differs, err);
    if (rc == ERR_OK && found && strcmp(differs[0], "selection_sha256") == 0)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: the file systems of the image now say of other bytes that they are in "
                       "use than when the scan was begun; begin anew with --force",
                       job->how->case_path);
    else if (rc == ERR_OK && found && strcmp(differs[0], "mapfile_sha256") == 0)
        rc =
            ERR_RAISE(err, ERR_INPUT,
                      "%s: the scan was begun with another --mapfile, or with none, or its content "
                      "was another; give the same map, or begin anew with --force",
                      job->how->case_path);
    else if (rc == ERR_OK && found)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: the scan was begun with other signatures or rules; give the same "
                       "--dictionary, with the same content, or begin anew with --force",
                       job->how->case_path);
    return rc;
}

static enum err_code resume_same_program(const struct scan_job *job, const struct db_run *run,
                                         struct err *err)
{
    if (strcmp(run->version, about_version()) == 0 && strcmp(run->build, about_build()) == 0)
        return ERR_OK;
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: the scan was begun by burin %s (%s), and this is burin %s (%s), which "
                     "may find other files; go on with that one, or begin anew with --force",
                     job->how->case_path, run->version, run->build, about_version(), about_build());
}

static enum err_code resume_add_part(void *arg, const struct db_part *part, struct err *err)
{
    struct scan_resume *resume = arg;

    if (!part->has_crc64)
        return ERR_OK;
    if (resume->from.part_count == resume->part_room) {
        const uint32_t room = 2 * resume->part_room + 64;
        struct sums_chain_part *parts = realloc(resume->from.parts, room * sizeof *parts);

        if (parts == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *parts);
        resume->from.parts = parts;
        resume->part_room = room;
    }
    resume->from.parts[resume->from.part_count++] =
        (struct sums_chain_part){ part->offset, part->crc64 };
    return ERR_OK;
}

static enum err_code resume_add_bad(void *arg, const struct db_bad_range *range, struct err *err)
{
    struct scan_resume *resume = arg;

    if (resume->from.bad_count == resume->bad_room) {
        const uint32_t room = 2 * resume->bad_room + 64;
        struct io_range *bad = realloc(resume->from.bad, room * sizeof *bad);

        if (bad == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *bad);
        resume->from.bad = bad;
        resume->bad_room = room;
    }
    resume->from.bad[resume->from.bad_count++] = (struct io_range){ range->offset, range->len };
    return ERR_OK;
}

/* Loads what the scan needs to go on. */
static enum err_code resume_load(struct db_case *db, const struct scan_job *job,
                                 const struct scan_pick *pick, struct scan_resume *out,
                                 struct err *err)
{
    bool has = false;
    enum err_code rc =
        db_state_get(db, out->scan, &out->position, &out->from.state, &out->from.len, err);
    if (rc == ERR_OK && out->from.state == NULL) {
        out->position = scan_pick_begin(pick);
        rc = db_scan_has_rows(db, out->scan, &has, err);
        if (rc == ERR_OK && has)
            rc = ERR_RAISE(err, ERR_INPUT,
                           "%s: it does not say what its scan needs to go on; begin anew with "
                           "--force",
                           job->how->case_path);
    }
    if (rc == ERR_OK && out->from.state != NULL)
        rc = db_parts_walk(db, out->scan, scan_pick_range_at(pick, out->position), resume_add_part,
                           out, err);
    if (rc == ERR_OK && out->from.state != NULL && job->hash_kinds != 0)
        rc = db_bad_ranges_walk(db, out->image, out->scan, resume_add_bad, out, err);
    if (rc == ERR_OK && out->from.state != NULL && (job->hash_kinds & IMAGE_HASH_TREE) != 0)
        rc =
            db_leaves_get(db, out->image, out->scan, &out->from.leaves, &out->from.leaf_count, err);
    return rc;
}

enum err_code scan_resume_look(struct db_case *db, const struct scan_job *job,
                               struct io_image *image, const char *path, uint32_t index,
                               const struct scan_pick *pick, struct known_scan *known,
                               struct scan_resume *out, struct err *err)
{
    struct db_run run;
    bool scanned = false;
    enum err_code rc = ERR_OK;

    *out = (struct scan_resume){ .what = SCAN_RESUME_BEGIN };
    if (!job->resume)
        return ERR_OK;
    rc = resume_find(db, job, image, path, index, &out->image, err);
    if (rc == ERR_OK && out->image != 0)
        rc = db_scan_exists(db, out->image, &scanned, err);
    if (rc == ERR_OK && out->image != 0)
        rc = resume_same_image(db, job, image, path, out, err);
    if (rc != ERR_OK || !scanned)
        return rc;
    rc = db_run_latest(db, out->image, &run, err);
    if (rc != ERR_OK)
        return rc;
    out->what = strcmp(run.status, "done") == 0 ? SCAN_RESUME_DONE : SCAN_RESUME_GO_ON;
    out->scan = run.resumes != 0 ? run.resumes : run.id;
    if (out->what == SCAN_RESUME_DONE)
        return ERR_OK;
    rc = resume_same_program(job, &run, err);
    if (rc == ERR_OK)
        rc = resume_load(db, job, pick, out, err);
    return rc == ERR_OK ? known_scan_find(known, db, out->scan, err) : rc;
}

void scan_resume_release(struct scan_resume *resume)
{
    free(resume->from.state);
    free(resume->from.parts);
    free(resume->from.bad);
    free(resume->from.leaves);
    free(resume->note);
    *resume = (struct scan_resume){ 0 };
}
