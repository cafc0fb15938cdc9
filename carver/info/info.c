/* SPDX-License-Identifier: Apache-2.0
 * carver/info/info.c - `burin info`: what this build and this machine can do, what an image is, and
 * what a case file holds.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "carver/case/confine.h"
#include "carver/case/key_file.h"
#include "carver/cli/about.h"
#include "carver/cli/args.h"
#include "carver/cli/command.h"
#include "carver/cli/print_safe.h"
#include "carver/info/info.h"
#include "db/files.h"
#include "io/image.h"
#include "match/matcher.h"
#include "signatures/sig.h"

static const char info_options_text[] =
    "Prints version, build, compiler, libraries, devices and engines; or one table, in columns "
    "separated\n"
    "by tabs, name first. With IMAGE: what it is, what its container says of it, and what it\n"
    "holds, a partition a line as mmls numbers them: slot, first and last sector, sectors, size,\n"
    "description, file system, its label, its size, bytes of its blocks, and why it cannot be\n"
    "read here. With CASE: its seal, its images, what their containers say of them, their\n"
    "hashes; where a scan was to leave out bytes in use, how many of each volume were scanned and\n"
    "left out; and what was found, by category and type.\n"
    "\n"
    "Options:\n"
    "  --engines            matching engines: name, device, \"yes\" or why it does not run here, "
    "purpose;\n"
    "                       behind an empty line and a heading those that reproduce published\n"
    "                       papers (JSON: \"part\", \"scan\" or \"paper\")\n"
    "  --devices            devices of engines: name, model, count, features\n"
    "  --images             containers: name, \"yes\" or \"no\" (refused by name), reader or "
    "advice, type\n"
    "                       (the word for scan --image-type, or \"-\")\n"
    "  --types              types: name, \"on\" or \"off\" by default, \"validator\" or \"rule\", "
    "extensions,\n"
    "                       description, headers (hexadecimal; ?? any byte, [HH/MM] under a mask, "
    "@N at\n"
    "                       byte N), \"anywhere\" or \"on sectors\", what a whole file proves,\n"
    "                       specification, names of all types of this reader, what it proves "
    "of\n"
    "                       a file in pieces (\"none\", \"places\", \"units\" or \"exact\"), "
    "categories\n"
    "  --image-type TYPE    read IMAGE as this type (see burin scan)\n"
    "  --json               print the same as JSON\n" KEY_FILE_TEXT CONFINE_TEXT
    "  --help               print this text\n";

enum info_table { INFO_ALL = 0, INFO_ENGINES, INFO_DEVICES, INFO_IMAGES, INFO_TYPES };
enum { INFO_OPTION = ARGS_LONG, INFO_JSON = ARGS_LONG + 16, INFO_NO_JAIL, INFO_IMAGE_TYPE };

static const struct args_option info_options[] = {
    { "engines", INFO_OPTION + INFO_ENGINES, NULL },
    { "devices", INFO_OPTION + INFO_DEVICES, NULL },
    { "images", INFO_OPTION + INFO_IMAGES, NULL },
    { "types", INFO_OPTION + INFO_TYPES, NULL },
    { "json", INFO_JSON, NULL },
    { "no-jail", INFO_NO_JAIL, NULL },
    { "image-type", INFO_IMAGE_TYPE, "TYPE" },
    KEY_FILE_OPTION,
    { 0 },
};

void info_row_begin(struct info_row *row, struct json *json)
{
    *row = (struct info_row){ .json = json, .first = true };
    if (json != NULL)
        json_open_object(json, NULL);
}

void info_field(struct info_row *row, const char *key, const char *text)
{
    if (row->json != NULL) {
        json_string(row->json, key, text);
        return;
    }
    if (!row->first)
        putchar('\t');
    row->first = false;
    print_safe(stdout, text);
}

void info_row_end(struct info_row *row)
{
    if (row->json != NULL)
        json_close_object(row->json);
    else
        putchar('\n');
}

/* One half of the engines; returns how many they are. */
static uint32_t info_engines_of(struct json *json, bool papers)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < match_engine_count(); i++) {
        const struct match_engine_info engine = match_engine_get(i);
        struct info_row row;

        if (engine.is_paper != papers)
            continue;
        count++;
        info_row_begin(&row, json);
        info_field(&row, "name", engine.name);
        info_field(&row, "device", engine.device);
        info_field(&row, "runs", engine.missing == NULL ? "yes" : engine.missing);
        info_field(&row, "what", engine.what);
        if (json != NULL)
            info_field(&row, "part", papers ? "paper" : "scan");
        info_row_end(&row);
    }
    return count;
}

static void info_engines(struct json *json)
{
    info_engines_of(json, false);
    if (json == NULL)
        printf("\nengines that reproduce published papers\n");
    if (info_engines_of(json, true) == 0 && json == NULL)
        printf("none: this build is without them (-DBURIN_PAPERS=OFF)\n");
}

static void info_images(struct json *json)
{
    for (uint32_t i = 0; i < io_container_count(); i++) {
        const struct io_container_info container = io_container_get(i);
        struct info_row row;

        info_row_begin(&row, json);
        info_field(&row, "name", container.name);
        info_field(&row, "readable", container.readable ? "yes" : "no");
        info_field(&row, "how", container.how);
        info_field(&row, "type", container.type == NULL ? "-" : container.type);
        info_row_end(&row);
    }
}

static void (*const info_tables[])(struct json *json) = {
    [INFO_ENGINES] = info_engines,
    [INFO_DEVICES] = info_devices,
    [INFO_IMAGES] = info_images,
    [INFO_TYPES] = info_types,
};
static const char *const info_names[] = {
    [INFO_ENGINES] = "engines",
    [INFO_DEVICES] = "devices",
    [INFO_IMAGES] = "images",
    [INFO_TYPES] = "types",
};

static void info_all(void)
{
    struct library libraries[ABOUT_LIBRARIES_MAX];
    const uint32_t count = about_libraries(libraries);

    printf("version\t%s\nbuild\t%s\ncompiler\t%s\n", about_version(), about_build(),
           about_compiler());
    for (uint32_t i = 0; i < count; i++)
        printf("library\t%s %s\n", libraries[i].name, libraries[i].version);
    printf("\ndevices\n");
    info_devices(NULL);
    printf("\nengines\n");
    info_engines(NULL);
    uint32_t types = 0, readable = 0;
    sig_builtin(&types);
    for (uint32_t i = 0; i < io_container_count(); i++)
        readable += io_container_get(i).readable;
    printf("\n%u types (--types), %u image formats (--images)\n", types, readable);
}

static void info_all_json(struct json *json)
{
    struct library libraries[ABOUT_LIBRARIES_MAX];
    const uint32_t count = about_libraries(libraries);

    json_open_object(json, NULL);
    json_string(json, "version", about_version());
    json_string(json, "build", about_build());
    json_string(json, "compiler", about_compiler());
    json_open_object(json, "libraries");
    for (uint32_t i = 0; i < count; i++)
        json_string(json, libraries[i].name, libraries[i].version);
    json_close_object(json);
    for (enum info_table table = INFO_ENGINES; table <= INFO_TYPES; table++) {
        json_open_array(json, info_names[table]);
        info_tables[table](json);
        json_close_array(json);
    }
    json_close_object(json);
    json_end(json);
}

struct info_options {
    enum info_table table;
    bool json, no_jail;
    const char *key_file;
    const char *image, *image_type; /* image NULL: of this build */
    bool is_case;                   /* image is a case file */
};

static enum err_code info_take_key(struct info_options *out, struct err *err)
{
    if (out->image_type != NULL && strcmp(out->image_type, KEY_FILE_TYPE) != 0)
        return ERR_RAISE(err, ERR_ARG,
                         "--key-file is for images of the type " KEY_FILE_TYPE
                         ": leave out --image-type %s",
                         out->image_type);
    out->image_type = KEY_FILE_TYPE;
    return key_file_take(out->key_file, err);
}

static enum err_code info_read_options(int argc, char **argv, struct info_options *out,
                                       struct err *err)
{
    struct args args;
    const char *value;
    char **operands;
    enum err_code rc;
    int id, count = 0;

    *out = (struct info_options){ .table = INFO_ALL };
    args_begin(&args, "info", info_options, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END) {
        if (id == INFO_JSON)
            out->json = true;
        else if (id == INFO_NO_JAIL)
            out->no_jail = true;
        else if (id == INFO_IMAGE_TYPE)
            out->image_type = value;
        else if (id == KEY_FILE)
            out->key_file = value;
        else if (out->table != INFO_ALL)
            return ERR_RAISE(err, ERR_ARG,
                             "one table at a time: --engines, --devices, --images or --types");
        else
            out->table = (enum info_table)(id - INFO_OPTION);
    }
    if (rc == ERR_OK && out->key_file != NULL)
        rc = info_take_key(out, err);
    if (rc == ERR_OK)
        rc = args_operands(&args, 0, 1, "IMAGE or CASE", &operands, &count, err);
    if (rc == ERR_OK && count == 1) {
        out->image = operands[0];
        rc = args_file("IMAGE", out->image, err);
        if (rc == ERR_OK && !io_image_is_address(out->image) && access(out->image, F_OK) != 0)
            rc = ERR_RAISE(err, ERR_INPUT, "%s: %s; check the path of the image or the case file",
                           out->image, strerror(errno));
        out->is_case = rc == ERR_OK && out->image_type == NULL &&
                       !io_image_is_address(out->image) && db_file_is_case(out->image);
    }
    if (rc == ERR_OK && count == 1 && out->table != INFO_ALL)
        rc = ERR_RAISE(err, ERR_ARG, "a table of this build has no IMAGE: give one of the two");
    struct err why = { 0 };
    if (rc == ERR_OK && out->image_type != NULL &&
        io_image_check_type(out->image_type, &why) != ERR_OK)
        rc = ERR_RAISE(err, ERR_ARG, "--image-type %s", why.text);
    if (rc == ERR_OK && count == 0 && out->image_type != NULL)
        rc = ERR_RAISE(err, ERR_ARG, "--image-type %s: no IMAGE is given", out->image_type);
    return rc;
}

static enum err_code info_confine(const struct info_options *options, struct err *err)
{
    struct confine confine = { 0 };

    if (options->image == NULL && options->table == INFO_ALL)
        io_libraries_load();
    confine_open(&confine, options->no_jail, CONFINE_ALL);
    if (options->is_case)
        confine_case(&confine, options->image);
    else if (options->image != NULL)
        confine_evidence(&confine, options->image);
    else
        confine_devices(&confine);
    return confine_enter(&confine, err);
}

static enum err_code info_run(int argc, char **argv, enum exit_status *status, struct err *err)
{
    struct info_options options;
    struct json json;
    enum err_code rc = info_read_options(argc, argv, &options, err);
    const enum info_table table = options.table;
    const bool as_json = options.json;

    (void)status;
    if (rc == ERR_OK)
        rc = info_confine(&options, err);
    if (rc != ERR_OK)
        return rc;
    if (options.is_case)
        return info_case(options.image, as_json, err);
    if (options.image != NULL)
        return info_image(options.image, options.image_type, as_json, err);
    json_init(&json, stdout, table == INFO_ALL ? 2 : 1);
    if (table == INFO_ALL && as_json) {
        info_all_json(&json);
    } else if (table == INFO_ALL) {
        info_all();
    } else if (as_json) {
        json_open_array(&json, NULL);
        info_tables[table](&json);
        json_close_array(&json);
        json_end(&json);
    } else {
        info_tables[table](NULL);
    }
    return ERR_OK;
}

const struct command command_info = {
    .name = "info",
    .arguments = "[options] [IMAGE|CASE]",
    .what = "show what this build and this machine can do, or what an image or a case is",
    .options = info_options_text,
    .run = info_run,
};
