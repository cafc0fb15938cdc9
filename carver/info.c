/* carver/info.c - `burin info`: what this build and this machine can do. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "carver/about.h"
#include "carver/args.h"
#include "carver/command.h"
#include "carver/json.h"
#include "carver/text.h"
#include "io/image.h"
#include "match/matcher.h"
#include "signatures/sig.h"

static const char info_options_text[] =
    "Version, build, compiler, libraries, devices and engines; or one table, separated by tabs, name\n"
    "first.\n"
    "\n"
    "Options:\n"
    "  --engines            matching engines: name, device, \"yes\" or why it does not run here, what\n"
    "  --devices            what they run on: name, model, count, features\n"
    "  --images             containers: name, \"yes\" or \"no\" (refused by name), how\n"
    "  --types              types: name, \"on\" or \"off\" by default, \"checker\" or \"rule\", extensions,\n"
    "                       what, headers (hexadecimal; ?? any byte, [HH/MM] under a mask, @N at byte N),\n"
    "                       \"anywhere\" or \"on sectors\", what a whole file proves, specification,\n"
    "                       names of types told apart\n"
    "  --json               the same as JSON\n"
    "  --help               this text\n";

enum info_table { INFO_ALL = 0, INFO_ENGINES, INFO_DEVICES, INFO_IMAGES, INFO_TYPES };
enum { INFO_OPTION = ARGS_LONG, INFO_JSON = ARGS_LONG + 16, INFO_CPU_TEXT = 512, INFO_HEADERS_MAX = 4096 };

static const struct args_option info_options[] = {
    { "engines", INFO_OPTION + INFO_ENGINES, NULL },
    { "devices", INFO_OPTION + INFO_DEVICES, NULL },
    { "images", INFO_OPTION + INFO_IMAGES, NULL },
    { "types", INFO_OPTION + INFO_TYPES, NULL },
    { "json", INFO_JSON, NULL },
    { 0 },
};

/* One row goes out as a line of a table or as a JSON object. */
struct info_row {
    struct json *json; /* NULL: a line */
    bool first;
};

static void info_row_begin(struct info_row *row, struct json *json)
{
    *row = (struct info_row){ .json = json, .first = true };
    if (json != NULL)
        json_open_object(json, NULL);
}

static void info_field(struct info_row *row, const char *key, const char *text)
{
    if (row->json != NULL) {
        json_string(row->json, key, text);
        return;
    }
    if (!row->first)
        putchar('\t');
    row->first = false;
    text_put(stdout, text);
}

static void info_row_end(struct info_row *row)
{
    if (row->json != NULL)
        json_close_object(row->json);
    else
        putchar('\n');
}

/* The model's name as the system gives it, or the architecture. */
static void info_cpu_name(char out[INFO_CPU_TEXT])
{
    FILE *in = fopen("/proc/cpuinfo", "re");
    struct utsname os;
    char line[INFO_CPU_TEXT];

    snprintf(out, INFO_CPU_TEXT, "%s", uname(&os) == 0 ? os.machine : "unknown");
    if (in == NULL)
        return;
    while (fgets(line, sizeof line, in) != NULL) {
        const char *colon = strchr(line, ':');

        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            snprintf(out, INFO_CPU_TEXT, "%s", colon + 1 + strspn(colon + 1, " \t"));
            out[strcspn(out, "\n")] = '\0';
            break;
        }
    }
    fclose(in);
}

/* Instruction sets that engines care about. */
static void info_cpu_features(char out[INFO_CPU_TEXT])
{
    out[0] = '\0';
#if defined(__x86_64__) || defined(__i386__)
    size_t at = 0;
#define INFO_FEATURE(name)                                                                                             \
    if (__builtin_cpu_supports(name))                                                                                  \
        at += (size_t)snprintf(out + at, INFO_CPU_TEXT - at, "%s" name, at == 0 ? "" : " ");
    INFO_FEATURE("sse2")
    INFO_FEATURE("ssse3")
    INFO_FEATURE("sse4.2")
    INFO_FEATURE("popcnt")
    INFO_FEATURE("pclmul")
    INFO_FEATURE("avx")
    INFO_FEATURE("avx2")
    INFO_FEATURE("bmi2")
    INFO_FEATURE("avx512f")
    INFO_FEATURE("avx512bw")
    INFO_FEATURE("avx512vl")
    INFO_FEATURE("avx512vbmi")
#undef INFO_FEATURE
#endif
    if (out[0] == '\0')
        snprintf(out, INFO_CPU_TEXT, "-");
}

static void info_engines(struct json *json)
{
    for (uint32_t i = 0; i < match_engine_count(); i++) {
        const struct match_engine_info engine = match_engine_get(i);
        struct info_row row;

        info_row_begin(&row, json);
        info_field(&row, "name", engine.name);
        info_field(&row, "device", engine.device);
        info_field(&row, "runs", engine.missing == NULL ? "yes" : engine.missing);
        info_field(&row, "what", engine.what);
        info_row_end(&row);
    }
}

static void info_gpu(struct json *json, uint32_t index)
{
    struct match_device_info device;
    char name[32], count[32], features[ERR_TEXT_MAX];
    struct info_row row;
    struct err err;

    if (match_device_get(index, &device, &err) != ERR_OK) {
        snprintf(features, sizeof features, "%s", err.text);
        snprintf(count, sizeof count, "0");
    } else {
        snprintf(features, sizeof features, "%" PRIu64 " of %" PRIu64 " MiB free, %u multiprocessors, compute %u.%u",
                 device.memory_free >> 20, device.memory >> 20, device.processors, device.version / 10,
                 device.version % 10);
        snprintf(count, sizeof count, "1");
    }
    snprintf(name, sizeof name, "cuda%u", index);
    info_row_begin(&row, json);
    info_field(&row, "name", name);
    info_field(&row, "model", device.name[0] == '\0' ? "-" : device.name);
    info_field(&row, "count", count);
    info_field(&row, "features", features);
    info_row_end(&row);
}

static void info_devices(struct json *json)
{
    char name[INFO_CPU_TEXT], features[INFO_CPU_TEXT], cpus[32];
    struct info_row row;

    info_cpu_name(name);
    info_cpu_features(features);
    snprintf(cpus, sizeof cpus, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    info_row_begin(&row, json);
    info_field(&row, "name", "cpu");
    info_field(&row, "model", name);
    info_field(&row, "count", cpus);
    info_field(&row, "features", features);
    info_row_end(&row);
    for (uint32_t i = 0; i < match_device_count(); i++)
        info_gpu(json, i);
    if (match_device_missing() != NULL) {
        char model[INFO_CPU_TEXT];

        snprintf(model, sizeof model, "none: %s", match_device_missing());
        info_row_begin(&row, json);
        info_field(&row, "name", "cuda");
        info_field(&row, "model", model);
        info_field(&row, "count", "0");
        info_field(&row, "features", "-");
        info_row_end(&row);
    }
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
        info_row_end(&row);
    }
}

/* The extensions, or the names, of all types of a signature, each once, with commas between. */
static void info_type_words(const struct sig *sig, bool names, char *out, size_t size)
{
    size_t at = 0;

    out[0] = '\0';
    for (uint32_t i = 0; i < SIG_TYPES_MAX && sig->types[i].name != NULL; i++) {
        const char *word = names ? sig->types[i].name : sig->types[i].extension;
        bool seen = word[0] == '\0';

        for (uint32_t k = 0; k < i && !seen; k++)
            seen = strcmp(names ? sig->types[k].name : sig->types[k].extension, word) == 0;
        if (!seen && at < size)
            at += (size_t)snprintf(out + at, size - at, "%s%s", at == 0 ? "" : ",", word);
    }
    if (at == 0)
        snprintf(out, size, "-");
}

/* One header in hexadecimal: ?? for any byte, [HH/MM] for one that counts under a mask. */
static size_t info_header(const struct sig_pattern *header, char *out, size_t size)
{
    size_t at = 0;

    for (uint32_t i = 0; i < header->len && at < size; i++) {
        const uint8_t byte = (uint8_t)header->bytes[i], mask = header->mask == NULL ? 0xff : (uint8_t)header->mask[i];

        if (mask == 0)
            at += (size_t)snprintf(out + at, size - at, "??");
        else if (mask != 0xff)
            at += (size_t)snprintf(out + at, size - at, "[%02x/%02x]", byte, mask);
        else
            at += (size_t)snprintf(out + at, size - at, "%02x", byte);
    }
    if (header->at != 0 && at < size)
        at += (size_t)snprintf(out + at, size - at, "@%" PRIu32, header->at);
    return at < size ? at : size - 1;
}

static void info_headers(const struct sig *sig, char *out, size_t size)
{
    size_t at = 0;

    out[0] = '\0';
    for (uint32_t i = 0; i < SIG_HEADERS_MAX && sig->headers[i].len != 0 && at + 1 < size; i++) {
        if (i > 0)
            out[at++] = ',';
        at += info_header(&sig->headers[i], out + at, size - at);
    }
}

static void info_types(struct json *json)
{
    static const char *const where[] = { "anywhere", "on sectors" };
    char extensions[SIG_TYPES_MAX * SIG_NAME_MAX], names[SIG_TYPES_MAX * SIG_NAME_MAX], headers[INFO_HEADERS_MAX];
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);

    for (uint32_t i = 0; i < count; i++) {
        struct info_row row;

        info_type_words(all[i], false, extensions, sizeof extensions);
        info_type_words(all[i], true, names, sizeof names);
        info_row_begin(&row, json);
        info_field(&row, "name", all[i]->name);
        info_field(&row, "default", all[i]->flags & SIG_OFF ? "off" : "on");
        info_field(&row, "how", all[i]->check != NULL ? "checker" : "rule");
        info_field(&row, "extensions", extensions);
        info_field(&row, "what", all[i]->what);
        info_headers(all[i], headers, sizeof headers);
        info_field(&row, "headers", headers);
        info_field(&row, "where", where[(all[i]->flags & SIG_GRID) != 0]);
        info_field(&row, "proves", all[i]->proves != NULL ? all[i]->proves : "-");
        info_field(&row, "source", all[i]->source != NULL ? all[i]->source : "-");
        info_field(&row, "types", names);
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

    printf("version\t%s\nbuild\t%s\ncompiler\t%s\n", about_version(), about_build(), about_compiler());
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

static enum err_code info_run(int argc, char **argv, enum exit_status *status, struct err *err)
{
    enum info_table table = INFO_ALL;
    struct json json;
    struct args args;
    const char *value;
    char **operands;
    bool as_json = false;
    enum err_code rc;
    int id, count;

    (void)status;
    args_begin(&args, "info", info_options, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END) {
        if (id == INFO_JSON)
            as_json = true;
        else if (table != INFO_ALL)
            return ERR_RAISE(err, ERR_ARG, "one table at a time: --engines, --devices, --images or --types");
        else
            table = (enum info_table)(id - INFO_OPTION);
    }
    if (rc == ERR_OK)
        rc = args_operands(&args, 0, 0, "", &operands, &count, err);
    if (rc != ERR_OK)
        return rc;
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
    .arguments = "[options]",
    .what = "say what this build and this machine can do",
    .options = info_options_text,
    .run = info_run,
};
