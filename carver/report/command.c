/* SPDX-License-Identifier: Apache-2.0
 * carver/report/command.c - `burin report`: what a case file says, in the format of another tool.
 * Here: options, and where the report goes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>

#include "carver/case/carve_images.h"
#include "carver/case/confine.h"
#include "carver/case/key_file.h"
#include "carver/case/new_file.h"
#include "carver/case/unfinished.h"
#include "carver/cli/about.h"
#include "carver/cli/args.h"
#include "carver/cli/command.h"
#include "carver/cli/print_safe.h"
#include "carver/report/lib_turbojpeg.h"
#include "carver/report/report.h"
#include "carver/select/selection.h"
#include "db/case.h"

static const char command_text[] =
    "Writes what the case file says as a page for people or in the format of another tool, to\n"
    "standard output or a file. No object is written out; an image is read for the pictures and\n"
    "keywords of a page alone.\n"
    "\n"
    "Formats:\n"
    "  html                 one page with all of it, which needs no network and can be printed\n"
    "  csv                  a line for each object, for spreadsheets (RFC 4180)\n"
    "  json                 what burin list --json prints\n"
    "  dfxml                Digital Forensics XML, as burin carve writes it\n"
    "  photorec             the same with the names that PhotoRec gives, such as f0000046.bmp\n"
    "  bodyfile             for mactime of The Sleuth Kit: when objects say that they were made\n"
    "  timesketch           the same as events for Timesketch, for a file that ends with .jsonl\n"
    "  sha256sum            hashes, for sha256sum -c in a folder that burin carve made\n"
    "  case                 CASE/UCO 1.4.0 (JSON-LD), for exchange between laboratories\n"
    "  mapfile              a map of GNU ddrescue, of an image. + is what the latest scan has "
    "read, ?\n"
    "                       what it has not, and - * / what could not be read. + does not mean "
    "that\n"
    "                       the bytes were copied: do not let ddrescue go on with this map\n"
    "  sarif                SARIF 2.1.0, of what the last burin audit found\n"
    "\n" SELECTION_TEXT "\nOptions:\n"
    "  --format NAME        one of the formats above\n"
    "  -o, --out FILE       write to FILE, which must not exist (default: standard output)\n"
    "  --title TEXT         the heading of the page; html, as the next four\n"
    "  --examiner TEXT      who made it\n"
    "  --exhibit TEXT       what the disk is called in the case\n"
    "  --link DIR           link each object to its file in DIR, a folder of burin carve or burin\n"
    "                       mount, named as seen from the page; pictures are loaded from there\n"
    "  --thumbs N           show at most N pictures (default: 1000; 0: none, and no image is "
    "read)\n"
    "  --image PATH         html: read the image here, if it was moved since the scan; for "
    "several\n"
    "                       images once for each, in the order of the case.\n"
    "                       mapfile: the number of the image that is meant, from 1 on\n"
    "  -q, --quiet          print no notice of an unfinished scan or an empty "
    "report\n" KEY_FILE_TEXT CONFINE_TEXT "  --help               print this text\n";

enum {
    COMMAND_FORMAT = ARGS_LONG,
    COMMAND_IMAGE,
    COMMAND_TITLE,
    COMMAND_EXAMINER,
    COMMAND_EXHIBIT,
    COMMAND_LINK,
    COMMAND_THUMBS,
    COMMAND_NO_JAIL,
    COMMAND_LINE_MAX = 8192,
    COMMAND_IMAGES_MAX = 64,
    COMMAND_THUMBS_MAX = 20000,
    COMMAND_THUMBS_DEFAULT = 1000,
};

static const struct args_option command_table[] = {
    SELECTION_OPTIONS,
    { "format", COMMAND_FORMAT, "NAME" },
    { "out", 'o', "FILE" },
    { "title", COMMAND_TITLE, "TEXT" },
    { "examiner", COMMAND_EXAMINER, "TEXT" },
    { "exhibit", COMMAND_EXHIBIT, "TEXT" },
    { "link", COMMAND_LINK, "DIR" },
    { "thumbs", COMMAND_THUMBS, "N" },
    { "image", COMMAND_IMAGE, "PATH" },
    KEY_FILE_OPTION,
    { "quiet", 'q', NULL },
    { "no-jail", COMMAND_NO_JAIL, NULL },
    { 0 },
};

/* What a format is of. */
enum command_about { PAGE, OBJECTS, IMAGE, FINDINGS };

static const struct command_format {
    const char *name;
    enum command_about about;
    report_fn write;
} command_formats[] = {
#define FORMAT(name, about) { #name, about, report_##name },
#include "carver/report/formats.def"
#undef FORMAT
};
enum { COMMAND_FORMATS = sizeof command_formats / sizeof command_formats[0] };

struct command_options {
    const char *case_path, *out;
    const struct command_format *format;
    struct selection selection;
    const char *images[COMMAND_IMAGES_MAX]; /* as --image has them */
    uint32_t image_count;
    uint64_t image; /* of a format that is of one; 0: not said */
    const char *title, *examiner, *exhibit, *link;
    uint64_t thumbs; /* UINT64_MAX: not said */
    bool quiet, keyed, no_jail;
    char line[COMMAND_LINE_MAX];
};

static enum err_code command_find(const char *name, const struct command_format **out,
                                  struct err *err)
{
    char names[256] = "";

    for (size_t i = 0; i < COMMAND_FORMATS; i++) {
        const size_t used = strlen(names);

        if (name != NULL && strcmp(command_formats[i].name, name) == 0) {
            *out = &command_formats[i];
            return ERR_OK;
        }
        snprintf(names + used, sizeof names - used, "%s%s",
                 i == 0                     ? ""
                 : i == COMMAND_FORMATS - 1 ? " or "
                                            : ", ",
                 command_formats[i].name);
    }
    return ERR_RAISE(err, ERR_ARG, "--format %s: write %s", name == NULL ? "is missing" : name,
                     names);
}

static enum err_code command_take(struct command_options *out, int id, const char *value,
                                  struct err *err)
{
    if (selection_is(id))
        return selection_take(&out->selection, id, value, err);
    switch (id) {
    case COMMAND_FORMAT:
        return command_find(value, &out->format, err);
    case COMMAND_IMAGE:
        return args_more_files("--image", value, out->images, COMMAND_IMAGES_MAX, &out->image_count,
                               err);
    case COMMAND_TITLE:
        out->title = value;
        break;
    case COMMAND_EXAMINER:
        out->examiner = value;
        break;
    case COMMAND_EXHIBIT:
        out->exhibit = value;
        break;
    case COMMAND_LINK:
        out->link = value;
        return args_file("--link", value, err);
    case COMMAND_THUMBS:
        return args_count("--thumbs", value, 0, COMMAND_THUMBS_MAX, &out->thumbs, err);
    case KEY_FILE:
        out->keyed = true;
        return key_file_take(value, err);
    case COMMAND_NO_JAIL:
        out->no_jail = true;
        break;
    case 'o':
        out->out = value;
        return args_file("--out", value, err);
    default:
        out->quiet = true;
        break;
    }
    return ERR_OK;
}

/* Options that say something to some formats alone. */
static enum err_code command_check_format(struct command_options *o, struct err *err)
{
    const struct selection *selection = &o->selection;
    const bool page = o->format->about == PAGE, image = o->format->about == IMAGE;
    const bool chooses = page || o->format->about == OBJECTS;

    if (!page && (o->title != NULL || o->examiner != NULL || o->exhibit != NULL ||
                  o->link != NULL || o->thumbs != UINT64_MAX || o->keyed))
        return ERR_RAISE(
            err, ERR_ARG,
            "--title, --examiner, --exhibit, --link, --thumbs and --key-file are of --format html");
    if (!page && !image && o->image_count > 0)
        return ERR_RAISE(err, ERR_ARG,
                         "--image is of --format html and mapfile; of the others --where 'image_id "
                         "= N' chooses objects of an image");
    if (image && o->image_count > 1)
        return ERR_RAISE(err, ERR_ARG, "--image: a %s is of one image", o->format->name);
    if (!chooses &&
        (!selection->all || selection->sort_word != NULL || selection->limit != UINT64_MAX))
        return ERR_RAISE(err, ERR_ARG,
                         "--format %s is of %s: leave out what chooses objects, such as "
                         "--types",
                         o->format->name, image ? "an image" : "an audit");
    if (o->thumbs == UINT64_MAX)
        o->thumbs = COMMAND_THUMBS_DEFAULT;
    return image && o->image_count > 0
               ? args_count("--image", o->images[0], 1, UINT32_MAX, &o->image, err)
               : ERR_OK;
}

static enum err_code command_check(struct command_options *o, struct err *err)
{
    const enum err_code rc =
        o->format != NULL ? command_check_format(o, err) : command_find(NULL, &o->format, err);

    return rc == ERR_OK ? selection_check(&o->selection, err) : rc;
}

static enum err_code command_options(int argc, char **argv, struct command_options *out,
                                     struct err *err)
{
    struct args args;
    const char *value;
    char **operands;
    enum err_code rc;
    int id, count;

    *out = (struct command_options){ .selection = selection_all(), .thumbs = UINT64_MAX };
    args_quote(argc, argv, out->line, sizeof out->line);
    args_begin(&args, "report", command_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END)
        if ((rc = command_take(out, id, value, err)) != ERR_OK)
            break;
    if (rc == ERR_OK)
        rc = args_operands(&args, 1, 1, "CASE", &operands, &count, err);
    if (rc == ERR_OK)
        rc = args_file("CASE", out->case_path = operands[0], err);
    return rc == ERR_OK ? command_check(out, err) : rc;
}

/* All of one report; released in one place. */
struct command_work {
    struct command_options options;
    struct confine confine;
    struct db_case *db;
    struct unfinished unfinished;
    struct carve_images images;
    struct new_file file;
    char started[ABOUT_TIME_MAX];
};

/* Whether images are looked at: to read them, or to keep a new file away from them. */
static bool command_needs_images(const struct command_options *o)
{
    return o->out != NULL || (o->format->about == PAGE && o->thumbs > 0);
}

/* Rights are given up before the case file is opened, which may mean harm itself. It names the
 * images. */
static enum err_code command_confine(struct command_work *work, struct err *err)
{
    struct command_options *o = &work->options;
    const bool page = o->format->about == PAGE, images = command_needs_images(o);

    confine_open(&work->confine, o->no_jail, images ? CONFINE_WRITING : CONFINE_ALL);
    confine_case(&work->confine, o->case_path);
    if (o->out != NULL)
        confine_folder(&work->confine, o->out);
    enum err_code rc = confine_enter(&work->confine, err);
    if (rc == ERR_OK)
        rc = db_case_open(o->case_path, DB_READ, &work->db, err);
    if (rc != ERR_OK || !images)
        return rc;
    confine_open(&work->confine, o->no_jail, CONFINE_ALL);
    confine_case(&work->confine, o->case_path);
    if (o->out != NULL)
        confine_folder(&work->confine, o->out);
    rc = carve_images_confine(work->db, o->images, page ? o->image_count : 0, &work->confine, err);
    if (rc == ERR_OK)
        rc = confine_enter(&work->confine, err);
    jail_rules_close(&work->confine.rules);
    return rc;
}

/* What makes small pictures of large ones has to be here before rights are given up. A page without
 * them is worth having. */
static void command_load(const struct command_options *o)
{
    struct lib_turbojpeg jpeg;
    struct err why = { 0 };

    if (o->format->about == PAGE && o->thumbs > 0 && lib_turbojpeg_open(&jpeg, &why) != ERR_OK &&
        !o->quiet)
        print_safe_line(stderr, "burin: report: without small pictures of large files: %s",
                        why.text);
}

/* A page without pictures is worth having. */
static void command_images(struct command_work *work)
{
    const struct command_options *o = &work->options;
    struct err why = { 0 };

    if (o->format->about != PAGE || o->thumbs == 0)
        return;
    if (carve_images_open(work->db, o->images, o->image_count, &work->images, &why) != ERR_OK &&
        !o->quiet)
        print_safe_line(stderr, "burin: report: without pictures: %s", why.text);
}

static enum err_code command_open(struct command_work *work, struct err *err)
{
    struct command_options *o = &work->options;
    enum err_code rc = selection_read(&o->selection, err);

    if (rc == ERR_OK) {
        command_load(o);
        rc = command_confine(work, err);
    }
    if (rc == ERR_OK && o->out != NULL)
        rc = new_file_open(work->db, o->out, "the report", &work->file, err);
    if (rc == ERR_OK)
        rc = selection_open(&o->selection, work->db, err);
    if (rc == ERR_OK)
        command_images(work);
    /* Before the walk: a scan may be going on, and what is told must be in the report. */
    return rc == ERR_OK ? unfinished_find(work->db, &work->unfinished, err) : rc;
}

static void command_tell(const struct command_work *work, const struct report *report)
{
    const struct command_options *o = &work->options;

    if (o->quiet)
        return;
    if ((o->format->about == PAGE || o->format->about == OBJECTS) && report->chosen == 0)
        selection_tell_none(&o->selection, "report", o->case_path);
    if (report->left_out > 0)
        print_safe_line(stderr, "burin: report: left out: %" PRIu64 " object%s %s",
                        report->left_out, plural_s(report->left_out), report->why);
    unfinished_tell(&work->unfinished, "report");
}

static enum err_code command_write(struct command_work *work, struct err *err)
{
    struct command_options *o = &work->options;
    struct report report = { .out = work->file.stream != NULL ? work->file.stream : stdout,
                             .db = work->db,
                             .case_path = o->case_path,
                             .command_line = o->line,
                             .started = work->started,
                             .selection = &o->selection,
                             .unfinished = &work->unfinished,
                             .image = o->image,
                             .title = o->title,
                             .examiner = o->examiner,
                             .exhibit = o->exhibit,
                             .link = o->link,
                             .thumbs = o->thumbs,
                             .images = &work->images };

    (void)__fsetlocking(report.out, FSETLOCKING_BYCALLER); /* no other thread prints */
    enum err_code rc = o->format->write(&report, err);
    if (rc == ERR_OK && work->file.stream != NULL)
        rc = new_file_keep(&work->file, err);
    if (rc == ERR_OK)
        command_tell(work, &report);
    return rc;
}

static enum err_code command_run(int argc, char **argv, enum exit_status *status, struct err *err)
{
    struct command_work work = { 0 };
    enum err_code rc = command_options(argc, argv, &work.options, err);

    (void)status;
    about_now(work.started);
    if (rc == ERR_OK)
        rc = command_open(&work, err);
    if (rc == ERR_OK)
        rc = command_write(&work, err);
    new_file_drop(&work.file);
    carve_images_close(&work.images);
    unfinished_release(&work.unfinished);
    selection_close(&work.options.selection);
    db_case_close(work.db);
    return rc;
}

const struct command command_report = {
    .name = "report",
    .arguments = "--format NAME [options] CASE",
    .what = "write what a case file says, as a page or in the format of another tool",
    .options = command_text,
    .run = command_run,
};
