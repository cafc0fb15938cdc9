/* carver/list.c - `burin list`: the recoverable objects of a case, one a line, in the order of
 * their offsets. */
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>

#include "carver/case/confine.h"
#include "carver/case/known_word.h"
#include "carver/case/object_names.h"
#include "carver/case/unfinished.h"
#include "carver/cli/args.h"
#include "carver/cli/command.h"
#include "carver/cli/interrupt.h"
#include "carver/cli/json_write.h"
#include "carver/cli/print_number.h"
#include "carver/cli/print_place.h"
#include "carver/cli/print_safe.h"
#include "carver/list_digest.h"
#include "carver/select/selection.h"
#include "db/case.h"

static const char list_options_text[] =
    "Prints one object a line, sorted by offset, in columns separated by tabs: id, type, state, "
    "offset,\n"
    "length, extents (OFFSET+LENGTH, comma-joined), sha256 or \"-\", id of the parent or \"-\", "
    "name.\n"
    "\n"
    "Options:\n"
    "  -t, --types LIST     list these types only, comma-separated: names, groups or extensions, "
    "as for\n"
    "                       burin scan, and those of the rules in this case\n"
    "  --state LIST         list these states only: complete, footer, truncated, fragmented\n"
    "  --known LIST         list only objects that sets of known files call so: good, bad, known,\n"
    "                       unknown, unchecked; the word follows the name\n"
    "  --place              print, in a last column, what file systems say of the place where the "
    "object\n"
    "                       begins, such as p2/ntfs:/path (deleted), or \"-\"\n"
    "  -q, --quiet          print no notice of an unfinished scan or an empty list\n"
    "  --json               print a JSON array, with image, extension and reason too\n"
    "  --digest             print one SHA-256 over all rows that scans stored, and nothing else: "
    "it is\n"
    "                       the same for the same images and signatures, however they were "
    "scanned\n" CONFINE_TEXT "  --help               print this text\n";

enum { LIST_JSON = ARGS_LONG, LIST_STATE, LIST_KNOWN, LIST_DIGEST, LIST_NO_JAIL, LIST_PLACE };

static const struct args_option list_table[] = {
    { "types", 't', "LIST" },
    { "state", LIST_STATE, "LIST" },
    { "known", LIST_KNOWN, "LIST" },
    { "json", LIST_JSON, NULL },
    { "digest", LIST_DIGEST, NULL },
    { "quiet", 'q', NULL },
    { "no-jail", LIST_NO_JAIL, NULL },
    { "place", LIST_PLACE, NULL },
    { 0 },
};

struct list_options {
    struct selection selection;
    bool json, digest, quiet, no_jail, place;
    const char *case_path;
};

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
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END) {
        if (id == 't')
            out->selection.types = value;
        else if (id == LIST_STATE)
            out->selection.states = value;
        else if (id == LIST_KNOWN)
            out->selection.known = value;
        else if (id == LIST_JSON)
            out->json = true;
        else if (id == LIST_DIGEST)
            out->digest = true;
        else if (id == LIST_NO_JAIL)
            out->no_jail = true;
        else if (id == LIST_PLACE)
            out->place = true;
        else
            out->quiet = true;
    }
    if (rc == ERR_OK)
        rc = selection_check(&out->selection, err);
    if (rc == ERR_OK && out->digest &&
        (out->json || out->selection.types != NULL || out->selection.states != NULL ||
         out->selection.known != NULL))
        rc = ERR_RAISE(err, ERR_ARG,
                       "--digest is of all rows: leave out --json, --types, --state and --known");
    if (rc == ERR_OK)
        rc = args_operands(&args, 1, 1, "CASE", &operands, &count, err);
    if (rc == ERR_OK)
        rc = args_file("CASE", out->case_path = operands[0], err);
    return rc;
}

/* The place of an object, while it is there to be printed. */
struct list_place {
    struct json *json; /* NULL: a column */
    bool any;
};

static enum err_code list_put_place(void *arg, const struct db_found_in *place, struct err *err)
{
    struct list_place *list = arg;

    (void)err;
    list->any = true;
    if (list->json == NULL) {
        print_place(stdout, place->slot, place->file_system, place->path, place->kind);
        return ERR_OK;
    }
    json_open_object(list->json, "place");
    json_string(list->json, "kind", place->kind);
    json_uint(list->json, "partition", place->slot);
    json_string(list->json, "file_system", place->file_system);
    json_string(list->json, "path", place->path);
    json_uint(list->json, "inode", place->inode);
    json_uint(list->json, "file_offset", place->file_offset);
    json_close_object(list->json);
    return ERR_OK;
}

static enum err_code list_place(struct db_case *db, int64_t id, struct json *json, struct err *err)
{
    struct list_place list = { .json = json };

    if (json == NULL)
        putchar('\t');
    const enum err_code rc = db_found_in_of(db, id, list_put_place, &list, err);
    if (!list.any && json == NULL)
        putchar('-');
    else if (!list.any)
        json_null(json, "place");
    return rc;
}

static void list_line(const struct db_object *object, const char *name, bool known)
{
    FILE *const out = stdout;

    print_int(out, object->id);
    putc('\t', out);
    print_safe(out, object->type);
    putc('\t', out);
    print_safe(out, object->state);
    putc('\t', out);
    print_uint(out, object->offset);
    putc('\t', out);
    print_uint(out, object->len);
    for (uint32_t i = 0; i < object->extent_count; i++) {
        putc(i == 0 ? '\t' : ',', out);
        print_uint(out, object->extents[i].offset);
        putc('+', out);
        print_uint(out, object->extents[i].len);
    }
    putc('\t', out);
    fputs(object->sha256 != NULL ? object->sha256 : "-", out);
    putc('\t', out);
    if (object->parent_id != 0)
        print_int(out, object->parent_id);
    else
        putc('-', out);
    putc('\t', out);
    fputs(name, out);
    if (known) {
        putc('\t', out);
        fputs(known_word(object->known), out);
    }
}

static void list_json(struct json *json, const struct db_object *object, const char *name)
{
    json_open_object(json, NULL);
    json_int(json, "id", object->id);
    json_int(json, "image", object->image_id);
    json_string(json, "type", object->type);
    json_string(json, "extension", object->extension);
    json_string(json, "state", object->state);
    json_string(json, "reason", object->reason);
    json_bool(json, "validated", object->validated);
    json_uint(json, "offset", object->offset);
    json_uint(json, "length", object->len);
    json_open_array(json, "extents");
    for (uint32_t i = 0; i < object->extent_count; i++) {
        json_open_object(json, NULL);
        json_uint(json, "offset", object->extents[i].offset);
        json_uint(json, "length", object->extents[i].len);
        json_close_object(json);
    }
    json_close_array(json);
    json_string(json, "sha256", object->sha256);
    if (object->parent_id != 0)
        json_int(json, "parent", object->parent_id);
    else
        json_null(json, "parent");
    json_string(json, "name", name);
    json_string(json, "known",
                object->known != DB_KNOWN_UNCHECKED ? known_word(object->known) : NULL);
}

static enum err_code list_objects(struct db_case *db, struct list_options *options, struct err *err)
{
    struct db_object_cursor *cursor = NULL;
    struct object_names *names = NULL;
    struct object_path path;
    struct db_object object;
    struct json json;
    char name[OBJECT_PATH_MAX];
    bool found = false, any = false;
    enum err_code rc = db_objects_open(db, 0, &cursor, err);

    if (rc == ERR_OK)
        rc = object_names_open(db, &names, err);
    (void)__fsetlocking(stdout, FSETLOCKING_BYCALLER); /* no other thread prints */
    json_init(&json, stdout, 1);
    if (options->json)
        json_open_array(&json, NULL);
    while (rc == ERR_OK && (rc = db_objects_next(cursor, &found, &object, err)) == ERR_OK &&
           found) {
        if (interrupt_requested())
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
        else
            rc = object_names_next(names, &object, &path, err);
        if (rc != ERR_OK || ferror(stdout)) /* main.c tells of the latter */
            break;
        if (!selection_has(&options->selection, &object))
            continue;
        object_path_text(&path, name);
        if (options->json)
            list_json(&json, &object, name);
        else
            list_line(&object, name, options->selection.known != NULL);
        if (options->json || options->place)
            rc = list_place(db, object.id, options->json ? &json : NULL, err);
        if (options->json)
            json_close_object(&json);
        else
            putc('\n', stdout);
        any = true;
    }
    if (options->json && rc == ERR_OK) {
        json_close_array(&json);
        json_end(&json);
    }
    if (rc == ERR_OK && !any && !options->quiet)
        selection_tell_none(&options->selection, "list", options->case_path);
    object_names_close(names);
    db_objects_close(cursor);
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
