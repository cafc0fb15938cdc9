/* SPDX-License-Identifier: Apache-2.0
 * carver/verify/verify.c - `burin verify`: see verify.h. */
#include "carver/verify/verify.h"
#include "carver/case/key_file.h"
#include "carver/cli/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/case/confine.h"
#include "carver/cli/args.h"
#include "carver/cli/command.h"
#include "carver/cli/print_safe.h"
#include "db/files.h"

static const char verify_options_text[] =
    "CASE: reads the whole case file and checks its pages, its tables, the chain of hashes of its "
    "log,\n"
    "and its seal, which tells whether a row was changed. Then, of each image that is there, the "
    "fingerprint\n"
    "and some objects, against what was scanned; and the hashes that scan --hash has taken, "
    "against those\n"
    "that the image's container has. Prints the number and the hash of the last entry of the log. "
    "Note\n"
    "both: as long as this entry has this hash, nothing up to it was changed.\n"
    "\n"
    "IMAGE: reads the whole image and compares its hashes with those that its container has "
    "(E01,\n"
    "AFF4), and each chunk of an AFF4 with the hash that it has of it.\n"
    "\n"
    "Exit status 1: a check failed.\n"
    "\n"
    "Options:\n"
    "  --image PATH         an image of the case file is at PATH now (repeatable: one for each "
    "image, in\n"
    "                       their order)\n"
    "  --image-type TYPE    read IMAGE as this type (see scan)\n"
    "  --tree               read all of each image, and name the MiB that are not as scan --hash "
    "tree has them\n"
    "  --json               print the answer as JSON\n" PROGRESS_TEXT
    "  -q, --quiet          print no progress\n" KEY_FILE_TEXT CONFINE_TEXT
    "  --help               print this text\n";

enum {
    VERIFY_JSON = ARGS_LONG,
    VERIFY_NO_JAIL,
    VERIFY_IMAGE,
    VERIFY_TYPE,
    VERIFY_PROGRESS,
    VERIFY_TREE
};

static const struct args_option verify_table[] = { { "json", VERIFY_JSON, NULL },
                                                   { "no-jail", VERIFY_NO_JAIL, NULL },
                                                   { "image", VERIFY_IMAGE, "PATH" },
                                                   KEY_FILE_OPTION,
                                                   { "image-type", VERIFY_TYPE, "TYPE" },
                                                   { "tree", VERIFY_TREE, NULL },
                                                   { "progress", VERIFY_PROGRESS, "HOW" },
                                                   { "quiet", 'q', NULL },
                                                   { 0 } };

static enum err_code verify_take(struct verify *out, int id, const char *value, struct err *err)
{
    struct err why = { 0 };

    switch (id) {
    case VERIFY_JSON:
        out->as_json = true;
        break;
    case KEY_FILE:
        out->keyed = true;
        return key_file_take(value, err);
    case VERIFY_NO_JAIL:
        out->no_jail = true;
        break;
    case VERIFY_IMAGE:
        return args_more_files("--image", value, out->images, VERIFY_IMAGES_MAX, &out->image_count,
                               err);
    case VERIFY_TYPE:
        out->image_type = value;
        return io_image_check_type(value, &why) == ERR_OK
                   ? ERR_OK
                   : ERR_RAISE(err, ERR_ARG, "--image-type %s", why.text);
    case VERIFY_TREE:
        out->tree = true;
        break;
    case VERIFY_PROGRESS:
        return progress_word(value, &out->progress, err);
    default:
        out->quiet = true;
        break;
    }
    return ERR_OK;
}

static enum err_code verify_read_options(int argc, char **argv, struct verify *out, struct err *err)
{
    struct args args;
    const char *value;
    char **operands;
    enum err_code rc;
    int id, count;

    args_begin(&args, "verify", verify_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END)
        if ((rc = verify_take(out, id, value, err)) != ERR_OK)
            return rc;
    if (rc == ERR_OK)
        rc = args_operands(&args, 1, 1, "CASE or IMAGE", &operands, &count, err);
    if (rc == ERR_OK)
        rc = args_file("CASE or IMAGE", out->path = operands[0], err);
    return rc;
}

void verify_say(const struct verify *verify, const char *format, ...)
{
    char line[2 * PATH_MAX];
    va_list args;

    if (verify->as_json)
        return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    print_safe(stdout, line);
    putchar('\n');
}

static enum err_code verify_run(int argc, char **argv, enum exit_status *status, struct err *err)
{
    struct verify verify = { 0 };
    char *answer = NULL; /* nothing of it goes out before all of it is there */
    size_t len = 0;
    FILE *out = NULL;
    enum err_code rc = verify_read_options(argc, argv, &verify, err);

    if (rc != ERR_OK)
        return rc;
    if (verify.as_json) {
        out = open_memstream(&answer, &len);
        if (out == NULL)
            return ERR_NO_MEMORY(err, VERIFY_IMAGES_MAX);
        json_init(&verify.json, out, 1);
        json_open_object(&verify.json, NULL);
    }
    if (!io_image_is_address(verify.path) && db_file_is_case(verify.path))
        rc = verify_case(&verify, err);
    else
        rc = verify.keyed ? ERR_RAISE(err, ERR_ARG,
                                      "--key-file: a LUKS image has no hash of what is in it; give "
                                      "the case file")
                          : verify_image(&verify, err);
    if (verify.as_json) {
        json_close_object(&verify.json);
        json_end(&verify.json);
        fclose(out);
        if (rc == ERR_OK)
            fwrite(answer, 1, len, stdout);
        free(answer);
    }
    if (rc == ERR_OK && verify.failed)
        *status = EXIT_PARTLY;
    return rc;
}

const struct command command_verify = {
    .name = "verify",
    .arguments = "[options] CASE | IMAGE",
    .what = "check a case file and its images, or an image against its own hashes",
    .options = verify_options_text,
    .run = verify_run,
};
