/* carver/scan/scan_record.c - see scan_record.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "carver/case/run.h"
#include "carver/case/sample.h"
#include "carver/cli/about.h"
#include "carver/cli/json.h"
#include "carver/cli/text.h"
#include "carver/scan/scan_cut.h"
#include "carver/scan/scan_record.h"

enum { SCAN_PATTERN_TEXT = 4 * 255 + 1 };

/* What the planner knows of a keyword: nothing but that its hits are to be recorded. */
static const struct sig scan_keyword = { .name = "keyword" };

static enum err_code scan_signatures_keywords(const struct keyword_set *keywords,
                                              struct scan_signatures *out, struct err *err)
{
    out->sigs = calloc(keywords->count, sizeof *out->sigs);
    if (out->sigs == NULL)
        return ERR_NO_MEMORY(err, keywords->count * sizeof *out->sigs);
    for (uint32_t i = 0; i < keywords->count; i++)
        out->sigs[i] = &scan_keyword;
    out->count = keywords->count;
    return ERR_OK;
}

enum err_code scan_signatures_open(const struct scan_options *options, struct scan_signatures *out,
                                   struct err *err)
{
    *out = (struct scan_signatures){ 0 };
    if (options->search != NULL)
        return scan_signatures_keywords(options->search->keywords, out, err);
    if (options->dictionary == NULL) {
        const enum err_code rc = types_select(options->types, &out->selection, err);

        out->sigs = out->selection.sigs;
        out->count = out->selection.count;
        return rc;
    }
    enum err_code rc = sig_conf_read(options->dictionary, options->compat, &out->conf, err);
    if (rc != ERR_OK)
        return rc;
    for (uint32_t i = 0; i < out->conf.warning_count && !options->quiet; i++)
        text_message(stderr, "burin: scan: %s:%u:%u: warning: %s",
                     sig_conf_name(options->dictionary), out->conf.warnings[i].line,
                     out->conf.warnings[i].column, out->conf.warnings[i].text);
    out->sigs = calloc(out->conf.rule_count, sizeof *out->sigs);
    if (out->sigs == NULL)
        return ERR_NO_MEMORY(err, out->conf.rule_count * sizeof *out->sigs);
    for (uint32_t i = 0; i < out->conf.rule_count; i++)
        out->sigs[i] = &out->conf.rules[i];
    out->count = out->conf.rule_count;
    return ERR_OK;
}

void scan_signatures_close(struct scan_signatures *signatures)
{
    if (signatures->sigs != NULL && signatures->sigs != signatures->selection.sigs)
        free(signatures->sigs);
    types_release(&signatures->selection);
    sig_conf_release(&signatures->conf);
    *signatures = (struct scan_signatures){ 0 };
}

/* The pattern as a configuration file would write it; wildcards as "?". */
static void scan_pattern_text(const struct sig_pattern *pattern, bool regex,
                              char out[SCAN_PATTERN_TEXT])
{
    size_t used = 0;

    for (uint32_t i = 0; i < pattern->len && used + 5 < SCAN_PATTERN_TEXT; i++) {
        const unsigned char c = (unsigned char)pattern->bytes[i];
        const unsigned char mask = pattern->mask == NULL ? 0xff : (unsigned char)pattern->mask[i];

        if (mask == 0)
            out[used++] = '?';
        else if (c > ' ' && c < 0x7f && (regex || (c != '\\' && c != '?')))
            out[used++] = (char)c;
        else
            used += (size_t)snprintf(out + used, SCAN_PATTERN_TEXT - used, "\\x%02x", c);
    }
    out[used] = '\0';
}

static enum err_code scan_record_signature(struct db_case *db, int64_t run, uint32_t number,
                                           const struct sig *sig,
                                           const struct scan_options *options, int64_t *id,
                                           struct err *err)
{
    char header[SCAN_PATTERN_TEXT], footer[SCAN_PATTERN_TEXT], origin[LIMIT_PATH + 16];

    scan_pattern_text(&sig->headers[0], (sig->flags & SIG_REGEX_HEADER) != 0, header);
    scan_pattern_text(&sig->footer, (sig->flags & SIG_REGEX_FOOTER) != 0, footer);
    if (sig->line != 0)
        snprintf(origin, sizeof origin, "%s:%u", sig_conf_name(options->dictionary), sig->line);
    else
        snprintf(origin, sizeof origin, "built-in");
    const struct db_signature row = { .run_id = run,
                                      .number = number,
                                      .name = sig->name,
                                      .kind = sig->check != NULL ? "validator" : "rule",
                                      .origin = origin,
                                      .header = header,
                                      .footer =
                                          sig->check == NULL && sig->footer.len > 0 ? footer : NULL,
                                      .size_max =
                                          sig->size_max > INT64_MAX ? INT64_MAX : sig->size_max };
    return db_signature_add(db, &row, id, err);
}

static enum err_code scan_record_keyword(struct db_case *db, int64_t run, uint32_t number,
                                         const struct keyword *keyword, int64_t *id,
                                         struct err *err)
{
    const struct sig_pattern pattern = { .bytes = (const char *)keyword->bytes,
                                         .mask = (const char *)keyword->mask,
                                         .len = keyword->len };
    char header[SCAN_PATTERN_TEXT], origin[KEYWORD_ENCODING_NAME + 16];

    scan_pattern_text(&pattern, false, header);
    snprintf(origin, sizeof origin, "keyword %s", keyword->encoding);
    const struct db_signature row = { .run_id = run,
                                      .number = number,
                                      .name = keyword->text,
                                      .kind = "rule",
                                      .origin = origin,
                                      .header = header,
                                      .size_max = keyword->len };
    return db_signature_add(db, &row, id, err);
}

/* The settings that decide what is found, and those that do not, apart: a reader may compare the
 * first between runs. */
static void scan_record_settings(const struct scan_options *o, struct json *json)
{
    static const char *const compat[] = { "none", "scalpel", "foremost" };
    static const char *const strategies[] = { "auto", "a", "b" };

    json_string(json, "types", o->types);
    json_string(json, "dictionary", o->dictionary);
    json_string(json, "compat", compat[o->compat]);
    json_uint(json, "align", o->align);
    json_bool(json, "all_hits", o->all_hits);
    json_bool(json, "hits_only", o->hits_only);
    json_string(json, "image_type", o->image_type);
    if (o->has_range) {
        json_uint(json, "range_start", o->range.offset);
        json_uint(json, "range_length", o->range.len);
    }
    json_open_array(json, "known");
    for (uint32_t i = 0; i < o->known_count; i++)
        json_string(json, NULL, o->known[i]);
    json_close_array(json);
    json_uint(json, "known_step", o->known_step);
    json_open_object(json, "work");
    json_uint(json, "threads", o->threads);
    json_uint(json, "segment", o->segment_len);
    json_string(json, "io", o->io);
    json_string(json, "engine", o->engine);
    json_string(json, "strategy", strategies[o->strategy]);
    json_string(json, "devices", o->devices);
    json_uint(json, "patience", o->patience);
    json_close_object(json);
}

const char *scan_command_name(const struct scan_options *options)
{
    return options->search != NULL ? "search" : "scan";
}

/* The image at path in the case file; *id stays 0 where it is not there. */
static enum err_code scan_find_image(struct db_case *db, const char *path, uint64_t size,
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
                " when the case file was written: it is another image; choose another --case",
                path, size, row.size);
        *id = i;
    }
    return rc;
}

/* Paths are recorded absolute, so that the case file can be used from another folder. *out: to be
 * freed. */
static enum err_code scan_describe_part(const char *path, struct db_image_part *out,
                                        struct err *err)
{
    char modified[SAMPLE_TIME_MAX];

    *out = (struct db_image_part){ .path = realpath(path, NULL), .size = UINT64_MAX };
    if (out->path == NULL || !sample_part(out->path, &out->size, modified))
        return ERR_RAISE(err, ERR_INPUT, "%s: cannot be found again: %s", path, strerror(errno));
    out->modified = modified[0] != '\0' ? strdup(modified) : NULL;
    return modified[0] == '\0' || out->modified != NULL ? ERR_OK
                                                        : ERR_NO_MEMORY(err, sizeof modified);
}

/* The image and its fingerprint; one that the case file has already keeps its first fingerprint. */
static enum err_code scan_record_image(struct db_case *db, struct io_image *image, int64_t *id,
                                       struct err *err)
{
    const uint32_t count = io_image_part_count(image);
    struct db_image_part *parts = calloc(count + 1u, sizeof *parts);
    enum err_code rc = ERR_OK;

    if (parts == NULL)
        return ERR_NO_MEMORY(err, count * sizeof *parts);
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        rc = scan_describe_part(io_image_part_path(image, i), &parts[i], err);
    const struct db_image row = { .path = count > 0 && parts[0].path != NULL ? parts[0].path : "",
                                  .format = io_image_format(image),
                                  .size = io_image_size(image),
                                  .sector_size = io_image_sector_size(image),
                                  .parts = parts,
                                  .part_count = count };
    *id = 0;
    if (rc == ERR_OK)
        rc = scan_find_image(db, row.path, row.size, id, err);
    if (rc == ERR_OK && *id == 0) {
        rc = db_image_add(db, &row, id, err);
        if (rc == ERR_OK)
            rc = sample_record(db, *id, image, err);
    }
    for (uint32_t i = 0; i < count; i++) {
        free((char *)(uintptr_t)parts[i].path);
        free((char *)(uintptr_t)parts[i].modified);
    }
    free(parts);
    return rc;
}

/* An image is scanned once for a case: rows of two scans of it would say everything twice. */
static enum err_code scan_refuse_again(struct db_case *db, const struct scan_options *options,
                                       const char *path, struct err *err)
{
    struct io_image *image = NULL;
    bool scanned = false;
    char *absolute = NULL;
    int64_t id = 0;
    enum err_code rc = io_image_open(path, options->image_type, &image, err);

    if (rc == ERR_OK) {
        absolute = realpath(io_image_part_path(image, 0), NULL);
        rc = absolute != NULL ? scan_find_image(db, absolute, io_image_size(image), &id, err)
                              : ERR_RAISE(err, ERR_INPUT, "%s: cannot be found again: %s", path,
                                          strerror(errno));
    }
    if (rc == ERR_OK && id != 0)
        rc = db_scan_exists(db, id, &scanned, err);
    if (rc == ERR_OK && scanned)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s exists and has a scan of %s already; use --force to move it aside, or "
                       "--case to name "
                       "another",
                       options->case_path, path);
    free(absolute);
    io_image_close(image);
    return rc;
}

/* Says where the case file is that had been there. */
static enum err_code scan_tell_kept(struct db_case *db, const struct scan_options *options,
                                    const char *kept, struct err *err)
{
    char text[DB_KEPT_MAX + 64];

    snprintf(text, sizeof text, "the case file that was there is now %s", kept);
    if (!options->quiet)
        text_message(stderr, "burin: %s: %s", scan_command_name(options), text);
    return db_log(db, 0, "note", text, err);
}

enum err_code scan_case_open(const struct scan_options *options, struct db_lock **lock,
                             struct db_case **out, struct err *err)
{
    struct db_case *db = NULL;
    char kept[DB_KEPT_MAX] = "";
    enum err_code rc;

    *out = NULL;
    if (access(db_lock_path(*lock), F_OK) != 0 || options->force) {
        rc = db_case_create_locked(*lock, options->force, kept, out, err);
        if (rc == ERR_OK)
            *lock = NULL;
        return rc == ERR_OK && kept[0] != '\0' ? scan_tell_kept(*out, options, kept, err) : rc;
    }
    rc = db_case_open_locked(*lock, &db, err);
    if (rc == ERR_OK) {
        *lock = NULL;
        casefile_tell_log(scan_command_name(options), options->case_path, db);
    }
    for (int i = 0; rc == ERR_OK && options->search == NULL && i < options->image_count; i++)
        rc = scan_refuse_again(db, options, options->images[i], err);
    if (rc == ERR_OK)
        *out = db;
    else
        db_case_close(db);
    return rc;
}

static enum err_code scan_record_run(struct db_case *db, const struct scan_options *options,
                                     const char *command_line, struct scan_ids *ids,
                                     struct err *err)
{
    char started[ABOUT_TIME_MAX];
    struct run_settings settings;
    const struct db_run run = { .image_id = ids->image,
                                .command = scan_command_name(options),
                                .command_line = command_line,
                                .options = settings.text,
                                .engine = options->engine != NULL ? options->engine : "auto",
                                .started = started };
    enum err_code rc = run_settings_open(&settings, err);

    if (rc != ERR_OK)
        return rc;
    about_now(started);
    scan_record_settings(options, &settings.json);
    rc = run_settings_close(&settings, err);
    return rc == ERR_OK ? run_begin(db, &run, &ids->run, err) : rc;
}

enum err_code scan_record_begin(struct db_case *db, struct io_image *image, const char *path,
                                const struct scan_options *options,
                                const struct scan_signatures *signatures, const char *command_line,
                                const char *jail, struct scan_ids *ids, struct err *err)
{
    ids->signatures = calloc(signatures->count + 1u, sizeof *ids->signatures);
    if (ids->signatures == NULL)
        return ERR_NO_MEMORY(err, signatures->count * sizeof *ids->signatures);
    enum err_code rc = db_begin(db, err);
    if (rc == ERR_OK)
        rc = scan_record_image(db, image, &ids->image, err);
    if (rc == ERR_OK)
        rc = scan_record_run(db, options, command_line, ids, err);
    if (rc == ERR_OK)
        rc = db_log(db, ids->run, "note", jail, err);
    for (uint32_t i = 0; rc == ERR_OK && i < signatures->count; i++)
        rc = options->search != NULL
                 ? scan_record_keyword(db, ids->run, i, &options->search->keywords->items[i],
                                       &ids->signatures[i], err)
                 : scan_record_signature(db, ids->run, i, signatures->sigs[i], options,
                                         &ids->signatures[i], err);
    if (rc == ERR_OK)
        rc = db_hit_last_id(db, &ids->before, err);
    if (rc == ERR_OK)
        rc = db_commit(db, err);
    if (rc != ERR_OK)
        err_while(err, "recording the scan of %s", path);
    return rc;
}

static void scan_print_json(const struct db_totals *rows, const char *path,
                            const struct scan_options *options,
                            const struct pipeline_totals *totals, struct json *json)
{
    if (options->image_count > 1 && json->depth == 0)
        json_open_array(json, NULL);
    json_open_object(json, NULL);
    json_string(json, "image", path);
    json_string(json, "case", options->case_path);
    json_uint(json, "bytes", totals->bytes);
    json_uint(json, "hits", totals->recorded.hits);
    json_uint(json, "objects", rows->objects);
    json_uint(json, "complete", rows->complete);
    json_uint(json, "footer", rows->footer);
    json_uint(json, "truncated", rows->truncated);
    json_uint(json, "embedded", rows->embedded);
    json_uint(json, "headers_checked", totals->plan.headers);
    json_uint(json, "headers_rejected", totals->plan.rejected);
    scan_cut_json(&totals->plan, json);
    json_uint(json, "bad_bytes", totals->recorded.bad_bytes);
    json_uint(json, "bytes_read_again", totals->reread);
    if (options->known_count > 0) {
        json_open_object(json, "known");
        json_uint(json, "good", totals->known.good);
        json_uint(json, "bad", totals->known.bad);
        json_uint(json, "known", totals->known.listed);
        json_uint(json, "unknown", totals->known.unknown);
        json_uint(json, "unchecked", totals->known.skipped);
        json_uint(json, "blocks", totals->known.blocks);
        json_uint(json, "block_runs", totals->known.runs);
        json_close_object(json);
    }
    json_string(json, "engine", totals->engine);
    json_string(json, "engine_why", totals->engine_why);
    json_string(json, "reader", totals->reader);
    json_close_object(json);
    if (options->image_count == 1)
        json_end(json);
}

void scan_print_end(struct json *json)
{
    if (json->depth == 0)
        return;
    json_close_array(json);
    json_end(json);
}

enum err_code scan_print(struct db_case *db, int64_t image_id, const char *path,
                         const struct scan_options *options, const struct pipeline_totals *totals,
                         struct json *json, struct err *err)
{
    struct db_totals rows;

    if (options->quiet &&
        !options->json) /* to count millions of rows would take longer than all else here */
        return ERR_OK;
    const enum err_code rc = db_totals(db, image_id, &rows, err);
    if (rc != ERR_OK)
        return rc;
    if (options->json)
        scan_print_json(&rows, path, options, totals, json);
    else if (!options->quiet)
        text_message(stderr,
                     "%s: %" PRIu64 " hit%s, %" PRIu64 " object%s (%" PRIu64 " complete, %" PRIu64
                     " by footer, %" PRIu64 " truncated; %" PRIu64
                     " inside others) in %s, by engine %s",
                     path, totals->recorded.hits, text_s(totals->recorded.hits), rows.objects,
                     text_s(rows.objects), rows.complete, rows.footer, rows.truncated,
                     rows.embedded, options->case_path, totals->engine);
    if (options->known_count > 0 && !options->json && !options->quiet)
        text_message(stderr,
                     "%s: %" PRIu64 " object%s known to be bad, %" PRIu64 " good, %" PRIu64
                     " known, %" PRIu64 " unknown; %" PRIu64 " known block%s in %" PRIu64 " run%s",
                     path, totals->known.bad, text_s(totals->known.bad), totals->known.good,
                     totals->known.listed, totals->known.unknown, totals->known.blocks,
                     text_s(totals->known.blocks), totals->known.runs, text_s(totals->known.runs));
    return ERR_OK;
}
