/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/assemble_command.c - `burin assemble`: files in pieces of a case, put together
 * with more work than a scan takes for it.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/limits.h"
#include "carver/assemble/assemble.h"
#include "carver/case/carve_images.h"
#include "carver/case/casefile.h"
#include "carver/case/confine.h"
#include "carver/case/key_file.h"
#include "carver/case/run.h"
#include "carver/case/seal.h"
#include "carver/cli/args.h"
#include "carver/cli/command.h"
#include "carver/cli/cpus.h"
#include "carver/cli/interrupt.h"
#include "carver/cli/json_write.h"
#include "carver/cli/print_safe.h"

enum { ASSEMBLE_COMMAND_LINE = 16384, ASSEMBLE_IMAGES_MAX = 64, ASSEMBLE_EFFORT_MAX = 64 };

static const char assemble_options_text[] =
    "Looks for files that lie in several pieces, as burin scan does at its end, and adds what it "
    "finds to the\n"
    "case file. What was put together before stays. A file counts as \"fragmented\" only when each "
    "of its\n"
    "seams is proved; the table joins of the case file has the proofs.\n"
    "\n"
    "Options:\n"
    "  --effort N           try N times as many places as burin scan does, 1 to 64 (default: 4)\n"
    "  --image PATH         read the image here, if it was moved since the scan; for several "
    "images\n"
    "                       once for each, in the order of the case\n"
    "  --threads N          work on so many files at a time (default: one for each CPU); the "
    "result is\n"
    "                       the same\n" CASEFILE_WAIT_TEXT SEAL_TEXT KEY_FILE_TEXT CONFINE_TEXT
    "  -q, --quiet          print no summary\n"
    "  --json               print the summary as JSON on standard output\n"
    "  --help               print this text\n";

enum {
    ASSEMBLE_EFFORT = ARGS_LONG,
    ASSEMBLE_IMAGE,
    ASSEMBLE_THREADS,
    ASSEMBLE_WAIT,
    ASSEMBLE_SIGN,
    ASSEMBLE_NO_JAIL,
    ASSEMBLE_JSON,
};

static const struct args_option assemble_table[] = {
    { "effort", ASSEMBLE_EFFORT, "N" },
    { "image", ASSEMBLE_IMAGE, "PATH" },
    KEY_FILE_OPTION,
    { "threads", ASSEMBLE_THREADS, "N" },
    { "wait", ASSEMBLE_WAIT, NULL },
    { "sign", ASSEMBLE_SIGN, "CMD" },
    { "no-jail", ASSEMBLE_NO_JAIL, NULL },
    { "json", ASSEMBLE_JSON, NULL },
    { "quiet", 'q', NULL },
    { 0 },
};

/* All of one run of the command; released in one place. */
struct assemble_command {
    const char *case_path, *sign;
    const char *paths[ASSEMBLE_IMAGES_MAX];
    uint32_t path_count;
    uint64_t threads, effort;
    bool wait, json, quiet, no_jail;
    struct db_case *db;
    struct carve_images images;
    struct confine confine;
    struct seal_signer signer;
    struct assemble_totals totals;
    char command_line[ASSEMBLE_COMMAND_LINE];
};

static enum err_code assemble_take(struct assemble_command *o, int id, const char *value,
                                   struct err *err)
{
    switch (id) {
    case ASSEMBLE_EFFORT:
        return args_count("--effort", value, 1, ASSEMBLE_EFFORT_MAX, &o->effort, err);
    case ASSEMBLE_IMAGE:
        return args_more_files("--image", value, o->paths, ASSEMBLE_IMAGES_MAX, &o->path_count,
                               err);
    case ASSEMBLE_THREADS:
        return args_count("--threads", value, 1, LIMIT_THREADS, &o->threads, err);
    case ASSEMBLE_SIGN:
        o->sign = value;
        return seal_check_command(value, err);
    case ASSEMBLE_WAIT:
        o->wait = true;
        return ERR_OK;
    case KEY_FILE:
        return key_file_take(value, err);
    case ASSEMBLE_NO_JAIL:
        o->no_jail = true;
        return ERR_OK;
    case ASSEMBLE_JSON:
        o->json = true;
        return ERR_OK;
    default:
        o->quiet = true;
        return ERR_OK;
    }
}

static enum err_code assemble_read_options(int argc, char **argv, struct assemble_command *o,
                                           struct err *err)
{
    struct args args;
    const char *value;
    char **operands;
    int id, count;
    enum err_code rc;

    args_begin(&args, "assemble", assemble_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END)
        if ((rc = assemble_take(o, id, value, err)) != ERR_OK)
            break;
    if (rc == ERR_OK)
        rc = args_operands(&args, 1, 1, "CASE", &operands, &count, err);
    if (rc == ERR_OK)
        rc = args_file("CASE", o->case_path = operands[0], err);
    return rc;
}

/* The rights that are left: to write the case file, and, when the images are known, to read. */
static enum err_code assemble_confine(struct assemble_command *o, enum confine_about about,
                                      struct err *err)
{
    enum err_code rc = ERR_OK;

    confine_open(&o->confine, o->no_jail, about);
    confine_reach(&o->confine, o->paths, o->path_count);
    if (about == CONFINE_ALL)
        rc = carve_images_confine(o->db, o->paths, o->path_count, &o->confine, err);
    confine_case(&o->confine, o->case_path);
    if (rc == ERR_OK)
        rc = confine_enter(&o->confine, err);
    if (about == CONFINE_ALL)
        jail_rules_close(&o->confine.rules);
    return rc;
}

static enum err_code assemble_begin(struct assemble_command *o, int64_t *run_id, struct err *err)
{
    struct run_settings settings;
    const struct db_run run = { .command = "assemble",
                                .command_line = o->command_line,
                                .options = settings.text };
    enum err_code rc = run_settings_open(&settings, err);

    if (rc != ERR_OK)
        return rc;
    json_uint(&settings.json, "effort", o->effort);
    json_uint(&settings.json, "threads", o->threads);
    rc = run_settings_close(&settings, err);
    return rc == ERR_OK ? run_begin_noted(o->db, &run, o->confine.note, run_id, err) : rc;
}

/* One image: all that is found in it is stored, or nothing. */
static enum err_code assemble_one(struct assemble_command *o, uint32_t index, int64_t run_id,
                                  struct err *err)
{
    struct io_image *image = o->images.items[index];
    struct io_fsmap *map = NULL;
    struct assemble_totals totals;
    enum err_code rc = io_fsmap_open(image, interrupt_requested, NULL, &map, err);
    const struct assemble_image job = { .db = o->db,
                                        .image = image,
                                        .map = map,
                                        .unread = &o->images.unread[index],
                                        .image_id = (int64_t)index + 1,
                                        .run_id = run_id,
                                        .threads = (uint32_t)o->threads,
                                        .effort = (uint32_t)o->effort,
                                        .stop = interrupt_requested };

    if (rc == ERR_OK)
        rc = db_begin(o->db, err);
    if (rc == ERR_OK && io_fsmap_note(map)[0] != '\0')
        rc = db_log(o->db, run_id, "note", io_fsmap_note(map), err);
    if (rc == ERR_OK)
        rc = assemble_image(&job, &totals, err);
    if (rc == ERR_OK)
        rc = assemble_log(o->db, run_id, &totals, err);
    if (rc == ERR_OK)
        rc = db_commit(o->db, err);
    if (rc == ERR_OK) {
        o->totals.assembled += totals.assembled;
        o->totals.likely += totals.likely;
        o->totals.claims += totals.claims;
        o->totals.work += totals.work;
        o->totals.more |= totals.more;
    } else
        db_rollback(o->db);
    io_fsmap_close(map);
    return rc;
}

static enum err_code assemble_end(struct assemble_command *o, int64_t run_id, enum err_code how,
                                  const char *why, struct err *err)
{
    const char *status = run_status(how);
    enum err_code rc = db_begin(o->db, err);

    if (rc == ERR_OK)
        rc = db_run_finish(o->db, run_id, status, err);
    if (rc == ERR_OK)
        rc = db_log(o->db, run_id, how == ERR_OK ? "end" : status, how == ERR_OK ? "done" : why,
                    err);
    return rc == ERR_OK ? db_commit(o->db, err) : rc;
}

static void assemble_summary(const struct assemble_command *o)
{
    struct json json;

    if (o->json) {
        json_init(&json, stdout, 1);
        json_open_object(&json, NULL);
        json_string(&json, "case", o->case_path);
        json_uint(&json, "assembled", o->totals.assembled);
        json_uint(&json, "likely", o->totals.likely);
        json_uint(&json, "layouts", o->totals.claims);
        json_uint(&json, "work", o->totals.work);
        json_bool(&json, "some_left_out", o->totals.more);
        json_close_object(&json);
        json_end(&json);
    } else if (!o->quiet)
        print_safe_line(
            stderr, "%s: %" PRIu64 " more file%s put together from pieces, and %" PRIu64 " likely",
            o->case_path, o->totals.assembled, plural_s(o->totals.assembled), o->totals.likely);
}

static enum err_code assemble_work(struct assemble_command *o, struct err *err)
{
    struct err late = { 0 };
    int64_t run_id = 0;
    enum err_code rc = assemble_begin(o, &run_id, err);

    if (rc != ERR_OK)
        return rc;
    for (uint32_t i = 0; rc == ERR_OK && i < o->images.count; i++)
        rc = assemble_one(o, i, run_id, err);
    interrupt_hold();
    enum err_code late_rc = assemble_end(o, run_id, rc, err->text, &late);
    interrupt_release();
    if (late_rc == ERR_OK)
        late_rc = seal_case(o->db, o->case_path, NULL, &o->signer, &late);
    if (rc == ERR_OK) {
        rc = late_rc;
        *err = late_rc != ERR_OK ? late : *err;
    }
    if (rc == ERR_OK)
        assemble_summary(o);
    if (rc == ERR_OK && !o->quiet && !o->json)
        rc = casefile_tell_last(o->case_path, o->db, err);
    return rc;
}

static enum err_code assemble_run(int argc, char **argv, enum exit_status *status, struct err *err)
{
    struct assemble_command o = { .threads = cpus_count(), .effort = 4 };
    enum err_code rc;

    (void)status;
    args_quote(argc, argv, o.command_line, sizeof o.command_line);
    rc = assemble_read_options(argc, argv, &o, err);
    if (rc == ERR_OK)
        rc = seal_signer_open(o.sign, o.case_path, &o.signer, err);
    if (rc == ERR_OK)
        rc = assemble_confine(&o, CONFINE_WRITING, err);
    if (rc == ERR_OK)
        rc = casefile_open("assemble", o.case_path, o.wait, &o.db, err);
    if (rc == ERR_OK)
        rc = assemble_confine(&o, CONFINE_ALL, err);
    if (rc == ERR_OK)
        rc = carve_images_open(o.db, o.paths, o.path_count, &o.images, err);
    for (uint32_t i = 0; rc == ERR_OK && i < o.images.count; i++)
        rc = casefile_refuse_evidence(o.images.items[i], o.case_path, err);
    if (rc == ERR_OK)
        rc = assemble_work(&o, err);
    carve_images_close(&o.images);
    db_case_close(o.db);
    seal_signer_close(&o.signer);
    return rc;
}

const struct command command_assemble = {
    .name = "assemble",
    .arguments = "[options] CASE",
    .what = "put files that lie in pieces together",
    .options = assemble_options_text,
    .run = assemble_run,
};
