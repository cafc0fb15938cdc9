/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/carve.c - `burin carve`: the objects of a case as files.
 *
 * Here: options, checks before anything is written (is DIR new, not on the evidence, large enough),
 * the run in the case file, and what a person is told. The writing itself is carve_write.c.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "carver/carve/carve_write.h"
#include "carver/case/casefile.h"
#include "carver/case/confine.h"
#include "carver/case/evidence.h"
#include "carver/case/key_file.h"
#include "carver/case/run.h"
#include "carver/case/seal.h"
#include "carver/cli/about.h"
#include "carver/cli/args.h"
#include "carver/cli/command.h"
#include "carver/cli/cpus.h"
#include "carver/cli/json_write.h"
#include "carver/cli/print_safe.h"
#include "carver/cli/progress.h"

enum { CARVE_COMMAND_LINE_MAX = 16384, CARVE_IMAGES_MAX = 64 };

static const char carve_options_text[] =
    "Writes DIR/TYPE/OFFSET.EXT (offset as 16 hex digits; under DIR/imageN/ when the case has "
    "several\n"
    "images; in DIR/TYPE/0001/, /0002/, ... where an image has more than 1,000 of a type; with\n"
    "--truncated what is cut short in DIR/truncated/TYPE/),\n"
    "DIR/audit.txt and DIR/report.xml (DFXML).\n"
    "\n"
    "Options:\n"
    "  -o, --out DIR        write into this folder; it must be new or empty, and not on the "
    "evidence\n"
    "  --embedded           also write objects inside other objects (a thumbnail in a JPEG)\n"
    "  --truncated          also write objects that are broken or cut short, into DIR/truncated/\n"
    "  --likely             also write files that are likely in pieces, without proof, into "
    "DIR/likely\n"
    "  --part K/N           write part K (from 0 on) of N of these, by the numbers of the objects: "
    "each of\n"
    "                       several machines a part, with a copy of the case file and a DIR of its "
    "own\n"
    "  --image PATH         read the image here, if it was moved since the scan; for several "
    "images\n"
    "                       once for each, in the order of the case\n"
    "  --threads N          read, hash and write so many objects at a time (default: one for each\n"
    "                       CPU)\n" CASEFILE_WAIT_TEXT SEAL_TEXT KEY_FILE_TEXT CONFINE_TEXT
        PROGRESS_TEXT
    "  -q, --quiet          print no progress, no summary, and no notice of an unfinished scan\n"
    "  --json               print the summary as JSON on standard output\n"
    "  --help               print this text\n"
    "\n" SELECTION_TEXT;

enum {
    CARVE_EMBEDDED_TOO = ARGS_LONG,
    CARVE_TRUNCATED_TOO,
    CARVE_LIKELY_TOO,
    CARVE_IMAGE,
    CARVE_PART,
    CARVE_JSON,
    CARVE_WAIT,
    CARVE_THREADS,
    CARVE_NO_JAIL,
    CARVE_SIGN,
    CARVE_PROGRESS,
};

static const struct args_option carve_table[] = {
    { "out", 'o', "DIR" },
    SELECTION_OPTIONS,
    { "embedded", CARVE_EMBEDDED_TOO, NULL },
    { "truncated", CARVE_TRUNCATED_TOO, NULL },
    { "likely", CARVE_LIKELY_TOO, NULL },
    { "part", CARVE_PART, "K/N" },
    { "image", CARVE_IMAGE, "PATH" },
    KEY_FILE_OPTION,
    { "threads", CARVE_THREADS, "N" },
    { "wait", CARVE_WAIT, NULL },
    { "sign", CARVE_SIGN, "CMD" },
    { "progress", CARVE_PROGRESS, "HOW" },
    { "no-jail", CARVE_NO_JAIL, NULL },
    { "json", CARVE_JSON, NULL },
    { "quiet", 'q', NULL },
    { 0 },
};

struct carve_options {
    const char *out, *case_path;
    const char *images[CARVE_IMAGES_MAX];
    uint32_t image_count;
    uint32_t threads;
    bool wait, json, quiet, no_jail;
    enum progress_how progress;
    const char *sign; /* a command, or NULL */
    struct carve_choice choice;
};

/* All of one carve; released in one place. */
struct carve {
    struct carve_options options;
    struct db_case *db;
    struct carve_images images;
    struct confine confine;
    struct unfinished unfinished;
    struct outdir dir;
    struct seal_signer signer;
    struct progress progress;
    char command_line[CARVE_COMMAND_LINE_MAX];
    char started[ABOUT_TIME_MAX];
    char *case_full; /* absolute; malloc */
};

static enum err_code carve_take_option(struct carve_options *out, int id, const char *value,
                                       struct err *err)
{
    if (selection_is(id))
        return selection_take(&out->choice.selection, id, value, err);
    switch (id) {
    case 'o':
        out->out = value;
        return args_file("--out", value, err);
    case CARVE_EMBEDDED_TOO:
        out->choice.embedded = true;
        break;
    case CARVE_TRUNCATED_TOO:
        out->choice.truncated = true;
        break;
    case CARVE_LIKELY_TOO:
        out->choice.likely = true;
        break;
    case CARVE_PART:
        return args_part("--part", value, CARVE_CHOICE_PARTS_MAX, &out->choice.part_number,
                         &out->choice.part_count, err);
    case CARVE_IMAGE:
        return args_more_files("--image", value, out->images, CARVE_IMAGES_MAX, &out->image_count,
                               err);
    case CARVE_THREADS: {
        uint64_t count = 0;
        const enum err_code rc = args_count("--threads", value, 1, LIMIT_THREADS, &count, err);

        out->threads = (uint32_t)count;
        return rc;
    }
    case CARVE_WAIT:
        out->wait = true;
        break;
    case CARVE_SIGN:
        out->sign = value;
        return seal_check_command(value, err);
    case CARVE_PROGRESS:
        return progress_word(value, &out->progress, err);
    case KEY_FILE:
        return key_file_take(value, err);
    case CARVE_NO_JAIL:
        out->no_jail = true;
        break;
    case CARVE_JSON:
        out->json = true;
        break;
    default:
        out->quiet = true;
        break;
    }
    return ERR_OK;
}

static enum err_code carve_read_options(int argc, char **argv, struct carve_options *out,
                                        struct err *err)
{
    struct args args;
    const char *value;
    char **operands;
    int id, count;
    enum err_code rc;

    *out = (struct carve_options){ .choice = { .selection = selection_all() },
                                   .threads = cpus_count() };
    args_begin(&args, "carve", carve_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END)
        if ((rc = carve_take_option(out, id, value, err)) != ERR_OK)
            break;
    if (rc == ERR_OK)
        rc = carve_choice_check(&out->choice, err);
    if (rc == ERR_OK)
        rc = args_operands(&args, 1, 1, "CASE", &operands, &count, err);
    if (rc == ERR_OK && out->out == NULL)
        rc = ERR_RAISE(err, ERR_ARG, "--out DIR is missing: name a folder to write into");
    if (rc == ERR_OK)
        rc = args_file("CASE", out->case_path = operands[0], err);
    return rc;
}

/* Promises before the first byte is written. */
static enum err_code carve_check_places(const struct carve *carve, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < carve->images.count && rc == ERR_OK; i++) {
        rc = evidence_refuse_output(carve->images.items[i], carve->options.out, "the carved files",
                                    err);
        if (rc == ERR_OK)
            rc = casefile_refuse_evidence(carve->images.items[i], carve->options.case_path, err);
    }
    return rc;
}

static enum err_code carve_check_space(struct carve *carve, struct carve_needs *needs,
                                       struct err *err)
{
    enum err_code rc =
        carve_write_needs(carve->db, &carve->options.choice, carve->options.threads, needs, err);

    if (rc == ERR_OK) {
        const uint64_t reports = needs->report_bytes + 2 * needs->ahead;
        const uint64_t bytes =
            needs->bytes > UINT64_MAX - reports ? UINT64_MAX : needs->bytes + reports;

        rc = outdir_need(&carve->dir, bytes, needs->files, err);
    }
    return rc;
}

static enum err_code carve_begin_run(struct carve *carve, int64_t *run_id, struct err *err)
{
    const struct carve_options *options = &carve->options;
    struct run_settings settings;
    const struct db_run run = { .command = "carve",
                                .command_line = carve->command_line,
                                .options = settings.text,
                                .started = carve->started };
    enum err_code rc = run_settings_open(&settings, err);

    if (rc != ERR_OK)
        return rc;
    json_string(&settings.json, "out", options->out);
    json_bool(&settings.json, "embedded", options->choice.embedded);
    json_bool(&settings.json, "truncated", options->choice.truncated);
    json_bool(&settings.json, "likely", options->choice.likely);
    if (options->choice.part_count > 0) {
        json_uint(&settings.json, "part", options->choice.part_number);
        json_uint(&settings.json, "parts", options->choice.part_count);
    }
    selection_json(&options->choice.selection, &settings.json);
    rc = run_settings_close(&settings, err);
    return rc == ERR_OK ? run_begin_noted(carve->db, &run, carve->confine.note, run_id, err) : rc;
}

static void carve_tell(void *arg, const struct written_object *written)
{
    const struct db_object *object = written->object;
    struct carve *carve = arg;

    progress_clear(&carve->progress);
    if (written->error != NULL)
        print_safe_line(stderr,
                        "burin: carve: object %" PRId64 " at offset %" PRIu64 ": not written: %s",
                        object->id, object->offset, written->error);
    else
        print_safe_line(stderr,
                        "burin: carve: object %" PRId64 " at offset %" PRIu64 ": %" PRIu64
                        " of its %" PRIu64 " bytes could not be read; zeros stand for them in %s",
                        object->id, object->offset, written->bad_bytes, object->len, written->path);
}

static void carve_summary(const struct carve *carve, const struct written_totals *totals)
{
    struct json json;
    char bytes[32], broken[CUT_SHORT_TEXT];

    if (carve->options.json) {
        json_init(&json, stdout, 1);
        json_open_object(&json, NULL);
        json_string(&json, "out", carve->dir.path);
        json_uint(&json, "files", totals->files);
        json_uint(&json, "bytes", totals->bytes);
        json_uint(&json, "not_written", totals->failed);
        json_uint(&json, "with_unreadable_bytes", totals->unreadable);
        json_uint(&json, "left_out_embedded", totals->embedded);
        json_uint(&json, "left_out_truncated", cut_short_sum(&totals->truncated));
        json_uint(&json, "left_out_by_option", totals->other);
        json_open_array(&json, "unfinished");
        for (uint32_t i = 0; i < carve->unfinished.count; i++)
            json_string(&json, NULL, carve->unfinished.items[i].text);
        json_close_array(&json);
        json_close_object(&json);
        json_end(&json);
    } else if (!carve->options.quiet) {
        progress_bytes(totals->bytes, bytes);
        if (totals->files + totals->failed == 0)
            selection_tell_none(&carve->options.choice.selection, "carve",
                                carve->options.case_path);
        print_safe_line(stderr, "%" PRIu64 " file%s, %s, in %s", totals->files,
                        plural_s(totals->files), bytes, carve->options.out);
        if (totals->uncompared > 0)
            fprintf(stderr,
                    "scanned without a checksum: %" PRIu64
                    " file%s; a change since the scan cannot be seen\n",
                    totals->uncompared, plural_s(totals->uncompared));
        if (totals->embedded > 0)
            fprintf(stderr,
                    "left out: %" PRIu64 " object%s inside other objects (see --embedded)\n",
                    totals->embedded, plural_s(totals->embedded));
        cut_short_text(&totals->truncated, broken);
        if (broken[0] != '\0')
            fprintf(stderr, "left out: %s, broken or cut short (see --truncated)\n", broken);
        if (totals->other > 0)
            fprintf(stderr, "left out: %" PRIu64 " object%s that were not chosen\n", totals->other,
                    plural_s(totals->other));
    }
}

/* What the fingerprints say of the images. */
static enum err_code carve_tell_changes(struct carve *carve, int64_t run_id, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < carve->images.count; i++) {
        const char *note = carve->images.notes[i];

        if (note == NULL)
            continue;
        print_safe_line(stderr, "burin: carve: %s; objects whose bytes changed are not written",
                        note);
        rc = db_log(carve->db, run_id, "note", note, err);
    }
    return rc;
}

/* What has happened to the processes that read the images. */
static enum err_code carve_tell_trouble(struct carve *carve, int64_t run_id, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < carve->images.count; i++) {
        const char *trouble = io_image_trouble(carve->images.items[i]);

        if (trouble[0] == '\0')
            continue;
        print_safe_line(stderr, "burin: carve: %s: %s", carve->images.paths[i], trouble);
        rc = db_log(carve->db, run_id, "note", trouble, err);
    }
    return rc;
}

static enum err_code carve_files(struct carve *carve, const struct carve_needs *needs,
                                 enum exit_status *status, struct err *err)
{
    struct written_totals totals = { 0 };
    const struct written_run run = { .command_line = carve->command_line,
                                     .folder = carve->dir.path,
                                     .case_path = carve->case_full,
                                     .started = carve->started,
                                     .images = (const char *const *)carve->images.paths,
                                     .image_count = carve->images.count,
                                     .unfinished = &carve->unfinished };
    struct carve_write_options options = { .db = carve->db,
                                           .images = &carve->images,
                                           .choice = &carve->options.choice,
                                           .dir = &carve->dir,
                                           .ahead = needs->ahead,
                                           .threads = carve->options.threads,
                                           .run = &run,
                                           .progress = &carve->progress,
                                           .tell = carve_tell,
                                           .tell_arg = carve };
    enum err_code rc = carve_begin_run(carve, &options.run_id, err);

    if (rc != ERR_OK)
        return rc;
    rc = carve_tell_changes(carve, options.run_id, err);
    if (rc != ERR_OK)
        return rc;
    if (!carve->options.quiet)
        unfinished_tell(&carve->unfinished, "carve");
    progress_start(&carve->progress, "carve", needs->bytes,
                   progress_unless_quiet(carve->options.progress, carve->options.quiet));
    rc = carve_write(&options, &totals, err);
    progress_end(&carve->progress);
    if (rc == ERR_OK)
        rc = carve_tell_trouble(carve, options.run_id, err);
    if (totals.failed != 0 || totals.unreadable != 0)
        *status = EXIT_PARTLY;
    if (rc == ERR_OK)
        carve_summary(carve, &totals);
    if (rc != ERR_OK)
        db_rollback(carve->db);
    const enum err_code late = seal_case(carve->db, carve->options.case_path, NULL, &carve->signer,
                                         rc == ERR_OK ? err : NULL);

    rc = rc == ERR_OK ? late : rc;
    if (rc == ERR_OK && !carve->options.quiet && !carve->options.json)
        rc = casefile_tell_last(carve->options.case_path, carve->db, err);
    else if (rc != ERR_OK)
        err_while(err, "carving; %" PRIu64 " whole files are in %s, and audit.txt lists them",
                  totals.files, carve->dir.path);
    return rc;
}

/* What is written: known before the case file is opened, which may mean harm itself. */
static enum err_code carve_confine_outputs(struct carve *carve, const char *out, struct err *err)
{
    confine_open(&carve->confine, carve->options.no_jail, CONFINE_WRITING);
    confine_reach(&carve->confine, carve->options.images, carve->options.image_count);
    confine_case(&carve->confine, carve->options.case_path);
    confine_folder(&carve->confine, out);
    return confine_enter(&carve->confine, err);
}

/* And what is read: the case file names its images. */
static enum err_code carve_confine(struct carve *carve, struct err *err)
{
    const struct carve_options *o = &carve->options;

    confine_open(&carve->confine, o->no_jail, CONFINE_ALL);
    enum err_code rc =
        carve_images_confine(carve->db, o->images, o->image_count, &carve->confine, err);
    confine_case(&carve->confine, o->case_path);
    confine_folder(&carve->confine, o->out);
    if (rc == ERR_OK)
        rc = confine_enter(&carve->confine, err);
    jail_rules_close(&carve->confine.rules);
    return rc;
}

static enum err_code carve_run(int argc, char **argv, enum exit_status *status, struct err *err)
{
    struct carve carve = { .dir = { .fd = -1 }, .confine = { .calls = JAIL_CALLS_TIMES } };
    struct carve_options *o = &carve.options;
    struct carve_needs needs;

    args_quote(argc, argv, carve.command_line, sizeof carve.command_line);
    about_now(carve.started);
    enum err_code rc = carve_read_options(argc, argv, o, err);
    if (rc == ERR_OK)
        rc = selection_read(&o->choice.selection, err);
    if (rc == ERR_OK)
        rc = seal_signer_open(o->sign, o->case_path, &carve.signer, err);
    if (rc == ERR_OK)
        rc = carve_confine_outputs(&carve, o->out, err);
    if (rc == ERR_OK)
        rc = casefile_open("carve", o->case_path, o->wait, &carve.db, err);
    if (rc == ERR_OK)
        rc = carve_choice_open(&o->choice, carve.db, err);
    if (rc == ERR_OK)
        rc = carve_confine(&carve, err);
    if (rc == ERR_OK)
        rc = carve_images_open(carve.db, o->images, o->image_count, &carve.images, err);
    if (rc == ERR_OK)
        rc = carve_check_places(&carve, err);
    if (rc == ERR_OK) {
        carve.case_full = realpath(o->case_path, NULL);
        if (carve.case_full == NULL)
            rc = ERR_NO_MEMORY(err, PATH_MAX);
    }
    if (rc == ERR_OK)
        rc = unfinished_find(carve.db, &carve.unfinished, err);
    if (rc == ERR_OK)
        rc = outdir_open(o->out, &carve.dir, err);
    if (rc == ERR_OK)
        rc = carve_check_space(&carve, &needs, err);
    if (rc == ERR_OK)
        rc = carve_confine_outputs(&carve, carve.dir.path, err); /* the folder stays */
    if (rc == ERR_OK)
        rc = carve_files(&carve, &needs, status, err);
    outdir_close(&carve.dir);
    unfinished_release(&carve.unfinished);
    free(carve.case_full);
    carve_images_close(&carve.images);
    carve_choice_close(&o->choice);
    db_case_close(carve.db);
    seal_signer_close(&carve.signer);
    return rc;
}

const struct command command_carve = {
    .name = "carve",
    .arguments = "--out DIR [options] CASE",
    .what = "write the objects of a case file out as files",
    .options = carve_options_text,
    .run = carve_run,
};
