/* SPDX-License-Identifier: Apache-2.0
 * carver/list/list.c - `burin list`: the objects of a case that were chosen. Here: options, and
 * what is done with the case.
 */
#include <stdio.h>
#include <stdio_ext.h>

#include "carver/case/confine.h"
#include "carver/case/key_file.h"
#include "carver/case/unfinished.h"
#include "carver/cli/args.h"
#include "carver/cli/command.h"
#include "carver/cli/print_safe.h"
#include "carver/cli/terminal.h"
#include "carver/list/list_digest.h"
#include "carver/list/list_features.h"
#include "carver/list/list_found.h"
#include "carver/list/list_likely.h"
#include "carver/list/list_print.h"
#include "carver/list/list_yara.h"
#include "carver/select/chosen.h"
#include "carver/select/selection.h"
#include "db/case.h"

static const char list_options_text[] =
    "Prints one object a line, in columns separated by tabs: id, type, state, offset, length,\n"
    "extents (OFFSET+LENGTH, comma-joined), sha256 or \"-\", id of the parent or \"-\", name; "
    "with\n"
    "--known the word for it, and with --place the place, such as p2/ntfs:/path (deleted), or "
    "\"-\".\n"
    "On a terminal it is a table for people: the same with a heading, as far as it fits.\n"
    "\n" SELECTION_TEXT "\nOptions:\n"
    "  --color WHEN         colours in the table: auto (the default: on a terminal that has "
    "them),\n"
    "                       always (prints the table where there is no terminal, too) or never\n"
    "  --features           print what burin search --features found, and nothing else: how often, "
    "the\n"
    "                       name of the feature, and the value, which is read from the image\n"
    "  --found              print the hits of all searches of the case, and nothing else: offset, "
    "keyword,\n"
    "                       encoding, object or \"-\", context, match, which are read from the "
    "image\n"
    "  --image PATH         with --features and --found: read the image here, if it was moved; "
    "for\n"
    "                       several images once for each, in the order of the case\n"
    "  -q, --quiet          print no notice of an unfinished scan or an empty list\n"
    "  --likely             print the files that are likely in pieces, without proof, and no "
    "objects: hit,\n"
    "                       type, likely, offset, length, extents, chance that it is wrong, "
    "reason\n"
    "  --yara               print which objects meet which rules of burin search --yara, and "
    "nothing else:\n"
    "                       its columns, of all runs\n"
    "  --json               print a JSON array, with image, extension, reason, place and facts "
    "too\n"
    "  --digest             print one SHA-256 over all rows that scans stored, and nothing else: "
    "it is\n"
    "                       the same for the same images and signatures, however they were "
    "scanned\n" KEY_FILE_TEXT CONFINE_TEXT "  --help               print this text\n";

enum {
    LIST_OPTION_JSON = ARGS_LONG,
    LIST_DIGEST,
    LIST_FEATURES,
    LIST_FOUND,
    LIST_IMAGE,
    LIST_LIKELY,
    LIST_YARA,
    LIST_NO_JAIL,
    LIST_COLOR,
    LIST_IMAGES_MAX = 64,
};

static const struct args_option list_table[] = {
    SELECTION_OPTIONS,
    { "color", LIST_COLOR, "WHEN" },
    { "json", LIST_OPTION_JSON, NULL },
    { "digest", LIST_DIGEST, NULL },
    { "features", LIST_FEATURES, NULL },
    { "found", LIST_FOUND, NULL },
    { "image", LIST_IMAGE, "PATH" },
    KEY_FILE_OPTION,
    { "likely", LIST_LIKELY, NULL },
    { "yara", LIST_YARA, NULL },
    { "quiet", 'q', NULL },
    { "no-jail", LIST_NO_JAIL, NULL },
    { 0 },
};

struct list_options {
    struct selection selection;
    enum terminal_color color;
    bool json, digest, features, found, likely, yara, quiet, keyed, no_jail;
    const char *case_path;
    const char *images[LIST_IMAGES_MAX]; /* of features and found */
    uint32_t image_count;
};

/* Whether the images are read, and not the case file alone. */
static bool list_reads(const struct list_options *options)
{
    return options->features || options->found;
}

static enum err_code list_take_option(struct list_options *out, int id, const char *value,
                                      struct err *err)
{
    if (selection_is(id))
        return selection_take(&out->selection, id, value, err);
    if (id == LIST_COLOR)
        return terminal_color_word(value, &out->color, err);
    out->keyed |= id == KEY_FILE;
    if (id == KEY_FILE)
        return key_file_take(value, err);
    if (id == LIST_OPTION_JSON)
        out->json = true;
    else if (id == LIST_DIGEST)
        out->digest = true;
    else if (id == LIST_FEATURES)
        out->features = true;
    else if (id == LIST_FOUND)
        out->found = true;
    else if (id == LIST_IMAGE)
        return args_more_files("--image", value, out->images, LIST_IMAGES_MAX, &out->image_count,
                               err);
    else if (id == LIST_LIKELY)
        out->likely = true;
    else if (id == LIST_YARA)
        out->yara = true;
    else if (id == LIST_NO_JAIL)
        out->no_jail = true;
    else
        out->quiet = true;
    return ERR_OK;
}

/* Some things are printed that have nothing to do with chosen objects. */
static enum err_code list_check(const struct list_options *out, struct err *err)
{
    const bool chosen = !out->selection.all || out->selection.sort_word != NULL ||
                        out->selection.limit != UINT64_MAX || out->color != TERMINAL_COLOR_AUTO;

    const uint32_t lists =
        (uint32_t)out->digest + out->features + out->found + out->likely + out->yara;

    if (lists > 1 || (out->digest && out->json))
        return ERR_RAISE(err, ERR_ARG,
                         "--digest, --features, --found, --likely and --yara print one thing each: "
                         "leave out all but one, and --json with --digest");
    if (lists == 1 && chosen)
        return ERR_RAISE(
            err, ERR_ARG,
            "--digest, --features, --found, --likely and --yara list no objects: leave "
            "out --color, and what chooses objects, such as --types");
    if (!list_reads(out) && (out->image_count > 0 || out->keyed))
        return ERR_RAISE(err, ERR_ARG,
                         "--image and --key-file are of --features and --found, which read the "
                         "image");
    if (out->json && out->color == TERMINAL_COLOR_ALWAYS)
        return ERR_RAISE(err, ERR_ARG,
                         "--color always is of the table, which --json does not print");
    return ERR_OK;
}

static enum err_code list_read_options(int argc, char **argv, struct list_options *out,
                                       struct err *err)
{
    struct args args;
    const char *value;
    char **operands;
    enum err_code rc;
    int id, count;

    *out = (struct list_options){ .selection = selection_all() };
    args_begin(&args, "list", list_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END)
        if ((rc = list_take_option(out, id, value, err)) != ERR_OK)
            break;
    if (rc == ERR_OK)
        rc = selection_check(&out->selection, err);
    if (rc == ERR_OK)
        rc = list_check(out, err);
    if (rc == ERR_OK)
        rc = args_operands(&args, 1, 1, "CASE", &operands, &count, err);
    if (rc == ERR_OK)
        rc = args_file("CASE", out->case_path = operands[0], err);
    return rc;
}

static enum err_code list_row(void *arg, const struct db_object *object, const char *name,
                              struct err *err)
{
    return list_print_row(arg, object, name, err);
}

static enum err_code list_objects(struct db_case *db, struct list_options *options, struct err *err)
{
    const bool table =
        !options->json && (terminal_is(stdout) || options->color == TERMINAL_COLOR_ALWAYS);
    struct list_print print = { .form = options->json ? LIST_JSON
                                        : table       ? LIST_TABLE
                                                      : LIST_LINES,
                                .known = options->selection.known != NULL,
                                .place = options->selection.places != NULL };
    uint64_t chosen = 0;

    (void)__fsetlocking(stdout, FSETLOCKING_BYCALLER); /* no other thread prints */
    enum err_code rc = list_print_open(&print, db, stdout, terminal_columns(stdout),
                                       terminal_has_color(options->color, stdout), err);
    if (rc == ERR_OK) /* main.c tells where standard output failed */
        rc = chosen_walk(db, &options->selection, stdout, list_row, &print, &chosen, err);
    if (rc == ERR_OK)
        list_print_end(&print);
    if (rc == ERR_OK && chosen == 0 && !options->quiet)
        selection_tell_none(&options->selection, "list", options->case_path);
    list_print_close(&print);
    return rc;
}

static enum err_code list_searched(struct db_case *db, const struct list_options *options,
                                   struct err *err)
{
    struct carve_images images = { 0 };
    uint64_t count = 0;
    enum err_code rc = carve_images_open(db, options->images, options->image_count, &images, err);

    if (rc == ERR_OK)
        rc = options->found ? list_found(db, &images, stdout, options->json, &count, err)
                            : list_features(db, &images, stdout, options->json, &count, err);
    if (rc == ERR_OK && count == 0 && !options->quiet)
        print_safe_line(stderr,
                        options->found ? "burin: list: no search found anything in %s"
                                       : "burin: list: %s has no features; burin search --features "
                                         "finds them",
                        options->case_path);
    carve_images_close(&images);
    return rc;
}

static enum err_code list_all_yara(struct db_case *db, const struct list_options *options,
                                   struct err *err)
{
    uint64_t count = 0;
    const enum err_code rc = list_yara(db, 0, stdout, options->json, &count, err);

    if (rc == ERR_OK && count == 0 && !options->quiet)
        print_safe_line(stderr,
                        "burin: list: %s has no object that meets a rule of YARA; burin search "
                        "--yara tries them",
                        options->case_path);
    return rc;
}

/* The case file says where the images are, which are read for what searches found alone. */
static enum err_code list_open(const struct list_options *options, struct db_case **db,
                               struct err *err)
{
    struct confine confine = { 0 };

    confine_open(&confine, options->no_jail, list_reads(options) ? CONFINE_WRITING : CONFINE_ALL);
    confine_case(&confine, options->case_path);
    enum err_code rc = confine_enter(&confine, err);
    if (rc == ERR_OK)
        rc = db_case_open(options->case_path, DB_READ, db, err);
    if (rc != ERR_OK || !list_reads(options))
        return rc;
    confine_open(&confine, options->no_jail, CONFINE_ALL);
    confine_case(&confine, options->case_path);
    rc = carve_images_confine(*db, options->images, options->image_count, &confine, err);
    if (rc == ERR_OK)
        rc = confine_enter(&confine, err);
    jail_rules_close(&confine.rules);
    return rc;
}

static enum err_code list_run(int argc, char **argv, enum exit_status *status, struct err *err)
{
    struct list_options options;
    struct unfinished unfinished = { 0 };
    struct db_case *db = NULL;

    (void)status;
    enum err_code rc = list_read_options(argc, argv, &options, err);
    if (rc == ERR_OK)
        rc = selection_read(&options.selection, err);
    if (rc == ERR_OK)
        rc = list_open(&options, &db, err);
    if (rc == ERR_OK)
        rc = selection_open(&options.selection, db, err);
    /* Before the walk: a scan may be going on, and what is told must be in the list. */
    if (rc == ERR_OK && !options.quiet && !list_reads(&options))
        rc = unfinished_find(db, &unfinished, err);
    if (rc == ERR_OK)
        rc = options.digest         ? list_digest(db, err)
             : list_reads(&options) ? list_searched(db, &options, err)
             : options.yara         ? list_all_yara(db, &options, err)
             : options.likely       ? list_likely(db, stdout, options.json, err)
                                    : list_objects(db, &options, err);
    if (rc == ERR_OK)
        unfinished_tell(&unfinished, "list");
    unfinished_release(&unfinished);
    selection_close(&options.selection);
    db_case_close(db);
    return rc;
}

const struct command command_list = {
    .name = "list",
    .arguments = "[options] CASE",
    .what = "print the recoverable objects of a case file",
    .options = list_options_text,
    .run = list_run,
};
