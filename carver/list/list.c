/*
 * carver/list/list.c - `burin list`: the objects of a case that were chosen. Here: options, and the
 * walks over the case.
 */
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>

#include "carver/case/confine.h"
#include "carver/case/object_names.h"
#include "carver/case/unfinished.h"
#include "carver/cli/args.h"
#include "carver/cli/command.h"
#include "carver/cli/interrupt.h"
#include "carver/cli/terminal.h"
#include "carver/list/list_digest.h"
#include "carver/list/list_print.h"
#include "carver/select/order.h"
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
    "  -q, --quiet          print no notice of an unfinished scan or an empty list\n"
    "  --json               print a JSON array, with image, extension, reason and place too\n"
    "  --digest             print one SHA-256 over all rows that scans stored, and nothing else: "
    "it is\n"
    "                       the same for the same images and signatures, however they were "
    "scanned\n" CONFINE_TEXT "  --help               print this text\n";

enum { LIST_OPTION_JSON = ARGS_LONG, LIST_DIGEST, LIST_NO_JAIL, LIST_COLOR };

static const struct args_option list_table[] = {
    SELECTION_OPTIONS,
    { "color", LIST_COLOR, "WHEN" },
    { "json", LIST_OPTION_JSON, NULL },
    { "digest", LIST_DIGEST, NULL },
    { "quiet", 'q', NULL },
    { "no-jail", LIST_NO_JAIL, NULL },
    { 0 },
};

struct list_options {
    struct selection selection;
    enum terminal_color color;
    bool json, digest, quiet, no_jail;
    const char *case_path;
};

static enum err_code list_take_option(struct list_options *out, int id, const char *value,
                                      struct err *err)
{
    if (selection_is(id))
        return selection_take(&out->selection, id, value, err);
    if (id == LIST_COLOR)
        return terminal_color_word(value, &out->color, err);
    if (id == LIST_OPTION_JSON)
        out->json = true;
    else if (id == LIST_DIGEST)
        out->digest = true;
    else if (id == LIST_NO_JAIL)
        out->no_jail = true;
    else
        out->quiet = true;
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
    if (rc == ERR_OK && out->digest &&
        (out->json || !out->selection.all || out->selection.sort_word != NULL ||
         out->selection.limit != UINT64_MAX || out->color != TERMINAL_COLOR_AUTO))
        rc = ERR_RAISE(err, ERR_ARG,
                       "--digest is of all rows: leave out --json, --color, and what chooses "
                       "objects, such as --types");
    if (rc == ERR_OK && out->json && out->color == TERMINAL_COLOR_ALWAYS)
        rc = ERR_RAISE(err, ERR_ARG, "--color always is of the table, which --json does not print");
    if (rc == ERR_OK)
        rc = args_operands(&args, 1, 1, "CASE", &operands, &count, err);
    if (rc == ERR_OK)
        rc = args_file("CASE", out->case_path = operands[0], err);
    return rc;
}

/* All of one list. */
struct list {
    struct list_options *options;
    struct db_case *db;
    struct list_print print;
    struct order order; /* where the order is not that of the case */
    uint64_t chosen;
};

/* An object of the walk, with its name: prints it, or keeps it for later. */
static enum err_code list_take(struct list *list, const struct db_object *object,
                               const struct object_path *path, struct err *err)
{
    char name[OBJECT_PATH_MAX];

    if (!selection_has(&list->options->selection, object))
        return ERR_OK;
    object_path_text(path, name);
    list->chosen++;
    return list->options->selection.sort != SELECTION_BY_OFFSET
               ? order_add(&list->order, object, name, err)
               : list_print_row(&list->print, object, name, err);
}

/* All objects in the order of the case: what is the name of one depends on those before it. */
static enum err_code list_walk(struct list *list, struct err *err)
{
    const struct selection *selection = &list->options->selection;
    const uint64_t enough = selection->sort == SELECTION_BY_OFFSET ? selection->limit : UINT64_MAX;
    struct db_object_cursor *cursor = NULL;
    struct object_names *names = NULL;
    struct object_path path;
    struct db_object object;
    bool found = false;
    enum err_code rc = db_objects_open(list->db, 0, &cursor, err);

    if (rc == ERR_OK)
        rc = object_names_open(list->db, &names, err);
    while (rc == ERR_OK && list->chosen < enough &&
           (rc = db_objects_next(cursor, &found, &object, err)) == ERR_OK && found) {
        if (interrupt_requested())
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
        else
            rc = object_names_next(names, &object, &path, err);
        if (rc != ERR_OK || ferror(stdout)) /* main.c tells of the latter */
            break;
        rc = list_take(list, &object, &path, err);
    }
    object_names_close(names);
    db_objects_close(cursor);
    return rc;
}

/* Those that were kept, in their order. */
static enum err_code list_ordered(struct list *list, struct err *err)
{
    struct db_object_cursor *cursor = NULL;
    enum err_code rc = db_objects_open_any(list->db, &cursor, err);

    order_settle(&list->order, &list->options->selection);
    for (size_t i = 0; rc == ERR_OK && i < list->order.count && !ferror(stdout); i++) {
        const struct order_item *item = &list->order.items[i];
        struct db_object object;
        bool found = false;

        if (interrupt_requested())
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
        else
            rc = db_objects_find(cursor, item->id, &found, &object, err);
        if (rc == ERR_OK && found)
            rc = list_print_row(&list->print, &object, item->name, err);
    }
    db_objects_close(cursor);
    return rc;
}

static enum err_code list_objects(struct db_case *db, struct list_options *options, struct err *err)
{
    const bool table =
        !options->json && (terminal_is(stdout) || options->color == TERMINAL_COLOR_ALWAYS);
    struct list list = { .options = options,
                         .db = db,
                         .print = { .form = options->json ? LIST_JSON
                                            : table       ? LIST_TABLE
                                                          : LIST_LINES,
                                    .known = options->selection.known != NULL,
                                    .place = options->selection.places != NULL } };
    enum err_code rc;

    (void)__fsetlocking(stdout, FSETLOCKING_BYCALLER); /* no other thread prints */
    order_init(&list.order);
    rc = list_print_open(&list.print, db, terminal_columns(stdout),
                         terminal_has_color(options->color, stdout), err);
    if (rc == ERR_OK)
        rc = list_walk(&list, err);
    if (rc == ERR_OK && options->selection.sort != SELECTION_BY_OFFSET)
        rc = list_ordered(&list, err);
    if (rc == ERR_OK)
        list_print_end(&list.print);
    if (rc == ERR_OK && list.chosen == 0 && !options->quiet)
        selection_tell_none(&options->selection, "list", options->case_path);
    list_print_close(&list.print);
    order_close(&list.order);
    return rc;
}

static enum err_code list_run(int argc, char **argv, enum exit_status *status, struct err *err)
{
    struct list_options options;
    struct unfinished unfinished = { 0 };
    struct confine confine = { 0 };
    struct db_case *db = NULL;

    (void)status;
    enum err_code rc = list_read_options(argc, argv, &options, err);
    if (rc == ERR_OK)
        rc = selection_read(&options.selection, err);
    if (rc == ERR_OK) {
        confine_open(&confine, options.no_jail, CONFINE_ALL);
        confine_case(&confine, options.case_path);
        rc = confine_enter(&confine, err);
    }
    if (rc == ERR_OK)
        rc = db_case_open(options.case_path, DB_READ, &db, err);
    if (rc == ERR_OK)
        rc = selection_open(&options.selection, db, err);
    /* Before the walk: a scan may be going on, and what is told must be in the list. */
    if (rc == ERR_OK && !options.quiet)
        rc = unfinished_find(db, &unfinished, err);
    if (rc == ERR_OK)
        rc = options.digest ? list_digest(db, err) : list_objects(db, &options, err);
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
