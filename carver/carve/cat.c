/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/cat.c - `burin cat`: one object of a case to standard output.
 *
 * It is compared with the scan as carve does. A small object is read and compared before its first
 * byte is written; of a large one it is known at its end whether what was written is right, and the
 * exit status says so.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "carver/carve/extract.h"
#include "carver/case/carve_images.h"
#include "carver/case/confine.h"
#include "carver/case/evidence.h"
#include "carver/case/key_file.h"
#include "carver/cli/args.h"
#include "carver/cli/command.h"
#include "carver/cli/cpus.h"
#include "carver/cli/print_safe.h"
#include "carver/cli/terminal.h"
#include "db/case.h"

enum {
    CAT_HOLD = 16 << 20, /* bytes of an object that is compared before it is written */
    CAT_IMAGES_MAX = 64,
};

static const char cat_options_text[] =
    "Writes the bytes of the object with this number (the first column of burin list) to standard\n"
    "output, which is not to be a terminal. They are compared with the scan, as by burin carve: "
    "an\n"
    "object of up to 16 MiB whose bytes changed is not written at all; of a larger one it is said\n"
    "behind its last byte. The exit status is 1 then.\n"
    "\n"
    "Options:\n"
    "  --offset N           begin N bytes behind the beginning of the object\n"
    "  --length N           write at most N bytes; all of the object is read and compared\n"
    "  --image PATH         read the image here, if it was moved since the scan; for several "
    "images\n"
    "                       once for each, in the order of the case\n"
    "  -q, --quiet          print no notice of an object that cannot be compared\n" KEY_FILE_TEXT
        CONFINE_TEXT "  --help               print this text\n";

enum { CAT_OFFSET = ARGS_LONG, CAT_LENGTH, CAT_IMAGE, CAT_NO_JAIL };

static const struct args_option cat_table[] = {
    { "offset", CAT_OFFSET, "N" },
    { "length", CAT_LENGTH, "N" },
    { "image", CAT_IMAGE, "PATH" },
    { "quiet", 'q', NULL },
    { "no-jail", CAT_NO_JAIL, NULL },
    KEY_FILE_OPTION,
    { 0 },
};

struct cat_options {
    const char *case_path;
    const char *images[CAT_IMAGES_MAX];
    uint32_t image_count;
    uint64_t id, offset, length;
    bool quiet, no_jail;
};

/* All of one cat; released in one place. */
struct cat {
    struct cat_options options;
    struct db_case *db;
    struct db_object_cursor *cursor;
    struct carve_images images;
    struct confine confine;
    struct extract *extract;
    uint8_t *held; /* what is not written before it is compared; NULL: nothing is held */
    uint64_t at;   /* of the object, bytes that were read */
    uint64_t wrote;
};

static enum err_code cat_take_option(struct cat_options *out, int id, const char *value,
                                     struct err *err)
{
    switch (id) {
    case CAT_OFFSET:
        return args_size("--offset", value, 0, UINT64_MAX, &out->offset, err);
    case CAT_LENGTH:
        return args_size("--length", value, 0, UINT64_MAX, &out->length, err);
    case CAT_IMAGE:
        return args_more_files("--image", value, out->images, CAT_IMAGES_MAX, &out->image_count,
                               err);
    case KEY_FILE:
        return key_file_take(value, err);
    case CAT_NO_JAIL:
        out->no_jail = true;
        break;
    default:
        out->quiet = true;
        break;
    }
    return ERR_OK;
}

static enum err_code cat_read_options(int argc, char **argv, struct cat_options *out,
                                      struct err *err)
{
    struct args args;
    const char *value;
    char **operands;
    int id, count;
    enum err_code rc;

    *out = (struct cat_options){ .length = UINT64_MAX };
    args_begin(&args, "cat", cat_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END)
        if ((rc = cat_take_option(out, id, value, err)) != ERR_OK)
            break;
    if (rc == ERR_OK)
        rc = args_operands(&args, 2, 2, "CASE ID", &operands, &count, err);
    if (rc == ERR_OK)
        rc = args_file("CASE", out->case_path = operands[0], err);
    if (rc == ERR_OK)
        rc = args_count("ID", operands[1], 1, INT64_MAX, &out->id, err);
    if (rc == ERR_OK && terminal_is(stdout))
        rc =
            ERR_RAISE(err, ERR_ARG,
                      "standard output is a terminal, which bytes of evidence can do harm to; send "
                      "them to a file or a program: burin cat CASE ID | xxd | less");
    return rc;
}

/* What is read: the case file names its images. */
static enum err_code cat_confine(struct cat *cat, struct err *err)
{
    const struct cat_options *o = &cat->options;

    confine_open(&cat->confine, o->no_jail, CONFINE_ALL);
    enum err_code rc = carve_images_confine(cat->db, o->images, o->image_count, &cat->confine, err);
    confine_case(&cat->confine, o->case_path);
    if (rc == ERR_OK)
        rc = confine_enter(&cat->confine, err);
    jail_rules_close(&cat->confine.rules);
    return rc;
}

/* What of the piece is asked for goes to standard output. main.c tells of a failure there. */
static void cat_write(struct cat *cat, const uint8_t *piece, size_t len, uint64_t at)
{
    const struct cat_options *o = &cat->options;
    const uint64_t skip = o->offset > at ? o->offset - at : 0;

    if (skip >= len || cat->wrote >= o->length)
        return;
    const uint64_t left = o->length - cat->wrote, have = len - skip;
    const size_t some = (size_t)(have < left ? have : left);
    cat->wrote += fwrite(piece + skip, 1, some, stdout);
}

static enum err_code cat_piece(void *arg, const uint8_t *piece, size_t len, struct err *err)
{
    struct cat *cat = arg;

    if (cat->held != NULL)
        memcpy(cat->held + cat->at, piece, len);
    else
        cat_write(cat, piece, len, cat->at);
    cat->at += len;
    return ferror(stdout) ? ERR_RAISE(err, ERR_FULL, "nobody reads standard output") : ERR_OK;
}

/* What became of the object. rc: of extract_stream, with *err. */
static enum err_code cat_settle(const struct cat *cat, const struct db_object *object,
                                const struct extract_result *result, enum err_code rc,
                                enum exit_status *status, struct err *err)
{
    if (rc == ERR_FULL && ferror(stdout)) /* whoever read it has enough; main.c tells of the rest */
        return ERR_OK;
    if (rc == ERR_INPUT) {
        print_safe_line(stderr, "burin: cat: object %" PRId64 " at offset %" PRIu64 ": %s: %s",
                        object->id, object->offset,
                        cat->wrote > 0 ? "what was written is not what was scanned" : "not written",
                        err->text);
        *status = EXIT_PARTLY;
        return ERR_OK;
    }
    if (rc == ERR_OK && result->bad_bytes > 0) {
        print_safe_line(stderr,
                        "burin: cat: object %" PRId64 " at offset %" PRIu64 ": %" PRIu64
                        " of its %" PRIu64 " bytes could not be read; zeros stand for them",
                        object->id, object->offset, result->bad_bytes, object->len);
        *status = EXIT_PARTLY;
    }
    if (rc == ERR_OK && !cat->options.quiet && !object->has_crc64 && object->sha256 == NULL)
        print_safe_line(stderr,
                        "burin: cat: object %" PRId64
                        " was scanned without a checksum; a change since the scan cannot be seen",
                        object->id);
    return rc;
}

/* A pipe goes nowhere by itself. */
static enum err_code cat_refuse_evidence(const struct io_image *image, struct err *err)
{
    struct stat info;

    return fstat(STDOUT_FILENO, &info) == 0 && (S_ISREG(info.st_mode) || S_ISBLK(info.st_mode))
               ? evidence_refuse_output(image, "/dev/stdout", "the object", err)
               : ERR_OK;
}

static enum err_code cat_object(struct cat *cat, const struct db_object *object,
                                enum exit_status *status, struct err *err)
{
    struct carve_images *images = &cat->images;
    struct extract_result result = { 0 };

    if (object->image_id < 1 || object->image_id > images->count)
        return ERR_RAISE(err, ERR_INPUT,
                         "the case file is damaged: object %" PRId64 " lies in image %" PRId64
                         ", which is not there",
                         object->id, object->image_id);
    const int64_t image = object->image_id - 1;
    const struct extract_object what = extract_object_of(images, object);
    enum err_code rc = cat_refuse_evidence(what.image, err);
    if (rc != ERR_OK)
        return rc;
    if (images->notes[image] != NULL && !cat->options.quiet)
        print_safe_line(stderr, "burin: cat: %s", images->notes[image]);
    if (object->len > 0 && object->len <= CAT_HOLD) {
        cat->held = malloc(object->len);
        rc = cat->held != NULL ? ERR_OK : ERR_NO_MEMORY(err, object->len);
    }
    if (rc == ERR_OK)
        rc = extract_open(NULL, cpus_count() > 1, NULL, NULL, &cat->extract, err);
    if (rc != ERR_OK)
        return rc;
    rc = extract_stream(cat->extract, &what, cat_piece, cat, &result, err);
    if (rc == ERR_OK && cat->held != NULL)
        cat_write(cat, cat->held, (size_t)cat->at, 0);
    return cat_settle(cat, object, &result, rc, status, err);
}

static enum err_code cat_find(struct cat *cat, struct db_object *object, struct err *err)
{
    const struct cat_options *o = &cat->options;
    bool found = false;
    enum err_code rc = db_objects_open_any(cat->db, &cat->cursor, err);

    if (rc == ERR_OK)
        rc = db_objects_find(cat->cursor, (int64_t)o->id, &found, object, err);
    if (rc == ERR_OK && !found)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: no object has the number %" PRIu64 "; burin list has their numbers",
                       o->case_path, o->id);
    if (rc == ERR_OK && o->offset > object->len)
        rc = ERR_RAISE(err, ERR_ARG, "--offset %" PRIu64 ": the object has %" PRIu64 " bytes",
                       o->offset, object->len);
    return rc;
}

static enum err_code cat_run(int argc, char **argv, enum exit_status *status, struct err *err)
{
    struct cat cat = { 0 };
    struct cat_options *o = &cat.options;
    struct db_object object;
    enum err_code rc = cat_read_options(argc, argv, o, err);

    if (rc == ERR_OK) {
        /* Before the case file is opened, which may mean harm itself. */
        confine_open(&cat.confine, o->no_jail, CONFINE_WRITING);
        confine_reach(&cat.confine, o->images, o->image_count);
        confine_case(&cat.confine, o->case_path);
        rc = confine_enter(&cat.confine, err);
    }
    if (rc == ERR_OK)
        rc = db_case_open(o->case_path, DB_READ, &cat.db, err);
    if (rc == ERR_OK)
        rc = cat_find(&cat, &object, err);
    if (rc == ERR_OK)
        rc = cat_confine(&cat, err);
    if (rc == ERR_OK)
        rc = carve_images_open(cat.db, o->images, o->image_count, &cat.images, err);
    if (rc == ERR_OK)
        rc = cat_object(&cat, &object, status, err);
    free(cat.held);
    extract_close(cat.extract);
    carve_images_close(&cat.images);
    db_objects_close(cat.cursor);
    db_case_close(cat.db);
    return rc;
}

const struct command command_cat = {
    .name = "cat",
    .arguments = "[options] CASE ID",
    .what = "write one object of a case file to standard output",
    .options = cat_options_text,
    .run = cat_run,
};
