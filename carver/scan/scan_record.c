/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_record.c - see scan_record.h. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/case/run.h"
#include "carver/cli/json_write.h"
#include "carver/scan/image_hash.h"
#include "carver/scan/scan_case.h"
#include "carver/scan/scan_fingerprint.h"
#include "carver/scan/scan_record.h"
#include "carver/scan/shards.h"
#include "signatures/fact.h"

enum { SCAN_RECORD_TEXT = LIMIT_PATH + 128, SCAN_RECORD_KINDS = 64 };

static enum err_code scan_record_signature(struct db_case *db, const struct scan_job *job,
                                           uint32_t number, struct scan_ids *ids, struct err *err)
{
    struct scan_name name;

    job->name(job->arg, number, &name);
    const struct db_signature row = { .run_id = ids->run,
                                      .number = number,
                                      .name = name.name,
                                      .kind = name.kind,
                                      .origin = name.origin,
                                      .header = name.header,
                                      .footer = name.has_footer ? name.footer : NULL,
                                      .size_max =
                                          name.size_max > INT64_MAX ? INT64_MAX : name.size_max };
    return db_signature_add(db, &row, &ids->signatures[number], err);
}

/* The kinds of hashes, as --hash takes them; null: none. */
static void scan_record_hash(const struct scan_job *job, struct json *json)
{
    char text[SCAN_RECORD_KINDS];
    int len = 0;

    for (int i = 0; i <= DIGEST_KINDS + 1; i++)
        if ((job->hash_kinds >> i & 1) != 0)
            len += snprintf(text + len, sizeof text - (size_t)len, "%s%s", len > 0 ? "," : "",
                            1 << i == IMAGE_HASH_STORED ? "stored"
                            : 1 << i == IMAGE_HASH_TREE ? "tree"
                                                        : midstate_name((enum digest_kind)i));
    json_string(json, "hash", len > 0 ? text : NULL);
}

/* The settings that decide what is found, and those that do not, apart: a reader may compare the
 * first between runs. */
static void scan_record_settings(const struct scan_job *job, const struct scan_pick *pick,
                                 const struct scan_map *map, const char *fingerprint,
                                 struct json *json)
{
    static const char *const compat[] = { "none", "scalpel", "foremost" };
    static const char *const strategies[] = { "auto", "a", "b" };
    const struct scan_how *how = job->how;

    json_string(json, "types", job->types);
    json_string(json, "dictionary", job->dictionary);
    json_string(json, "signatures_sha256", fingerprint);
    json_string(json, "compat", compat[job->plan.compat]);
    json_uint(json, "align", job->plan.align);
    json_bool(json, "all_hits", job->plan.all_hits);
    json_bool(json, "hits_only", job->plan.hits_only);
    json_bool(json, "assemble", job->assemble);
    json_string(json, "image_type", how->image_type);
    if (how->has_range) {
        json_uint(json, "range_start", how->range.offset);
        json_uint(json, "range_length", how->range.len);
    }
    json_bool(json, "unallocated", job->pick.unallocated);
    json_bool(json, "slack", job->pick.slack);
    json_open_array(json, "partition");
    for (uint32_t i = 0; i < job->pick.partition_count; i++)
        json_uint(json, NULL, job->pick.partitions[i]);
    json_close_array(json);
    json_string(json, "selection_sha256", pick->some ? pick->sha256 : NULL);
    json_string(json, "mapfile_sha256", map->sha256[0] != '\0' ? map->sha256 : NULL);
    json_open_array(json, "known");
    for (uint32_t i = 0; i < job->known_count; i++)
        json_string(json, NULL, job->known[i]);
    json_close_array(json);
    json_uint(json, "known_step", job->known_step);
    scan_record_hash(job, json);
    json_open_object(json, "work");
    json_uint(json, "threads", how->threads);
    json_uint(json, "segment", how->segment_len);
    json_uint(json, "parts_at_once", how->parts_at_once);
    json_uint(json, "retry_bad", how->retry_bad);
    json_uint(json, "max_read", how->max_read);
    json_string(json, "io", how->io);
    json_string(json, "engine", scan_how_engine_name(how));
    json_string(json, "strategy", strategies[how->strategy]);
    json_string(json, "devices", how->device_auto ? "auto" : how->devices);
    json_uint(json, "device_delay", how->device_delay);
    json_close_object(json);
}

static enum err_code scan_record_run(struct db_case *db, const struct scan_job *job,
                                     const struct scan_pick *pick, const struct scan_map *map,
                                     const struct scan_resume *resume, struct scan_ids *ids,
                                     struct err *err)
{
    char fingerprint[SCAN_FINGERPRINT_TEXT];
    struct run_settings settings;
    const struct db_run run = { .image_id = ids->image,
                                .command = job->shards != NULL ? job->made_by : job->command,
                                .command_line = job->command_line,
                                .options = settings.text,
                                .engine = scan_how_engine_name(job->how),
                                .position = resume->position,
                                .resumes = resume->scan };
    enum err_code rc = scan_fingerprint(job->plan.sigs, job->plan.sig_count, fingerprint, err);

    if (rc == ERR_OK)
        rc = run_settings_open(&settings, err);
    if (rc != ERR_OK)
        return rc;
    scan_record_settings(job, pick, map, fingerprint, &settings.json);
    rc = run_settings_close(&settings, err);
    if (rc == ERR_OK && resume->what == SCAN_RESUME_GO_ON)
        rc = scan_resume_same(db, resume, job, settings.text, err);
    if (rc == ERR_OK)
        rc = run_begin(db, &run, &ids->run, err);
    ids->scan = resume->scan != 0 ? resume->scan : ids->run;
    return rc;
}

static enum err_code scan_record_map(struct db_case *db, const struct scan_job *job,
                                     const struct scan_map *map, int64_t run_id, struct err *err)
{
    char text[SCAN_RECORD_TEXT];

    snprintf(text, sizeof text,
             "map %s (sha256 %s): %" PRIu64 " bytes in %" PRIu32
             " ranges were not read from the disk; zeros stand for them",
             job->how->mapfile, map->sha256, map->bytes, map->ranges);
    return db_log(db, run_id, "note", text, err);
}

/* What their objects are, as db/linked_kinds.c reads it. */
static void scan_record_kinds(const struct scan_job *job, struct pack *out)
{
    const struct patterns *patterns = job->plan.patterns;

    for (uint32_t i = 0; i < patterns->count; i++) {
        pack_number(out, patterns->uses[i].sig);
        pack_number(out, patterns->uses[i].at);
    }
    pack_number(out, job->plan.sig_count);
    for (uint32_t i = 0; i < job->plan.sig_count; i++) {
        const struct sig *sig = job->plan.sigs[i];
        uint32_t count = 0;

        while (sig->types != NULL && sig->types[count].name != NULL)
            count++;
        pack_number(out, (sig->flags & SIG_CONTAINER) != 0);
        pack_number(out, count);
        for (uint32_t k = 0; k < count; k++) {
            pack_text(out, sig->types[k].name);
            pack_text(out, sig->types[k].extension);
        }
    }
    pack_number(out, SIG_FACT_KEYS);
    for (int i = 0; i < SIG_FACT_KEYS; i++)
        pack_text(out, sig_fact_word((enum sig_fact_key)i));
}

/* Hits and objects stay in the shards: which signature each of their patterns belongs to. */
static enum err_code scan_record_link(struct db_case *db, const struct scan_job *job,
                                      const struct scan_ids *ids, struct err *err)
{
    const struct patterns *patterns = job->plan.patterns;
    const char *folder = shards_folder(job->shards);
    char absolute[PATH_MAX];
    struct pack uses = { 0 };
    enum err_code rc = ERR_OK;

    pack_number(&uses, patterns->count);
    for (uint32_t i = 0; i < patterns->count; i++)
        pack_number(&uses, 2 * (uint64_t)patterns->uses[i].row + patterns->uses[i].footer);
    scan_record_kinds(job, &uses);
    if (uses.failed)
        rc = ERR_NO_MEMORY(err, uses.len);
    else if (realpath(folder, absolute) == NULL)
        rc = ERR_RAISE(err, ERR_ENV, "%s: %s", folder, strerror(errno));
    if (rc == ERR_OK)
        rc = db_link_begin(db,
                           &(struct db_link){ .run_id = ids->run,
                                              .image_id = ids->image,
                                              .folder = absolute,
                                              .patterns = uses.bytes,
                                              .len = uses.len },
                           err);
    pack_release(&uses);
    return rc;
}

/* Adds the rows that the first run of a scan adds. */
static enum err_code scan_record_new(struct db_case *db, const struct scan_job *job,
                                     const struct scan_pick *pick, const struct scan_map *map,
                                     struct known_scan *known, struct scan_ids *ids,
                                     struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < job->row_count; i++)
        rc = scan_record_signature(db, job, i, ids, err);
    if (rc == ERR_OK && job->link)
        rc = scan_record_link(db, job, ids, err);
    if (rc == ERR_OK)
        rc = scan_pick_record(pick, db, ids->run, err);
    if (rc == ERR_OK && map->sha256[0] != '\0')
        rc = scan_record_map(db, job, map, ids->run, err);
    return rc == ERR_OK ? known_scan_record(known, db, ids->run, err) : rc;
}

/* Notes where it goes on, and what changed. */
static enum err_code scan_record_resumed(struct db_case *db, const struct scan_job *job,
                                         const struct scan_resume *resume, struct io_image *image,
                                         struct scan_ids *ids, struct err *err)
{
    char text[SCAN_RECORD_TEXT];
    enum err_code rc = db_signature_ids(db, resume->scan, ids->signatures, job->row_count, err);

    snprintf(text, sizeof text,
             "goes on with the scan that run %" PRId64 " began, at offset %" PRIu64, resume->scan,
             resume->position);
    if (rc == ERR_OK)
        rc = db_log(db, ids->run, "resume", text, err);
    if (rc == ERR_OK && resume->moved) {
        rc = scan_case_move(db, image, ids->image, err);
        snprintf(text, sizeof text, "image %" PRId64 " is now %s", ids->image,
                 io_image_part_path(image, 0));
        if (rc == ERR_OK)
            rc = db_log(db, ids->run, "note", text, err);
    }
    return rc == ERR_OK && resume->note != NULL ? db_log(db, ids->run, "note", resume->note, err)
                                                : rc;
}

static enum err_code scan_record_rows(struct db_case *db, struct scan_opened *opened,
                                      const struct scan_job *job, const struct scan_pick *pick,
                                      const struct scan_resume *resume, const char *jail,
                                      struct known_scan *known, struct scan_ids *ids,
                                      struct err *err)
{
    const struct scan_map *map = &opened->map;
    const bool goes_on = resume->what == SCAN_RESUME_GO_ON;
    enum err_code rc = db_begin(db, err);

    if (rc != ERR_OK)
        return rc;
    ids->image = resume->image;
    if (!goes_on)
        rc = scan_case_image(db, opened->image, &opened->sample, &ids->image, err);
    if (rc == ERR_OK)
        rc = scan_record_run(db, job, pick, map, resume, ids, err);
    if (rc == ERR_OK)
        rc = db_log(db, ids->run, "note", jail, err);
    if (rc == ERR_OK && job->note != NULL)
        rc = db_log(db, ids->run, "note", job->note, err);
    if (rc == ERR_OK)
        rc = goes_on ? scan_record_resumed(db, job, resume, opened->image, ids, err)
                     : scan_record_new(db, job, pick, map, known, ids, err);
    if (rc == ERR_OK)
        rc = db_hit_last_id(db, &ids->before, err);
    if (rc != ERR_OK) {
        db_rollback(db);
        return rc;
    }
    return db_commit(db, err);
}

enum err_code scan_record_begin(struct db_case *db, struct scan_opened *opened, const char *path,
                                const struct scan_job *job, const struct scan_pick *pick,
                                const struct scan_resume *resume, const char *jail,
                                struct known_scan *known, struct scan_ids *ids, struct err *err)
{
    const uint32_t count = job->row_count;

    ids->signatures = calloc(count + 1u, sizeof *ids->signatures);
    if (ids->signatures == NULL)
        return ERR_NO_MEMORY(err, count * sizeof *ids->signatures);
    const enum err_code rc = scan_record_rows(db, opened, job, pick, resume, jail, known, ids, err);
    if (rc != ERR_OK)
        err_while(err, "recording the scan of %s", path);
    return rc;
}
