/* carver/scan/scan_options.c - see scan_options.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/case/casefile.h"
#include "carver/cli/cpus.h"
#include "carver/cli/devices.h"
#include "carver/scan/scan_options.h"
#include "match/matcher.h"

enum {
    SCAN_SEGMENT = 1 << 20, /* bytes; a ring of these stays in the processor's cache:
                               docs/notebook/scan.md */
    SCAN_PATIENCE = 1000,   /* milliseconds: the start and the end of a CUDA runtime take 300 */
    SCAN_PATIENCE_MAX = 1 << 30,
};

enum {
    OPT_FORCE = SCAN_OPT_OWN,
    OPT_TYPES,
    OPT_DICTIONARY,
    OPT_COMPAT,
    OPT_ALIGN,
    OPT_ALL_HITS,
    OPT_HITS_ONLY,
    OPT_KNOWN,
    OPT_KNOWN_STEP,
};

static const struct args_option scan_options_table[] = {
    SCAN_COMMON_OPTIONS,
    { "force", OPT_FORCE, NULL },
    { "types", OPT_TYPES, "LIST" },
    { "dictionary", OPT_DICTIONARY, "FILE" },
    { "compat", OPT_COMPAT, "TOOL" },
    { "align", OPT_ALIGN, "BYTES" },
    { "all-hits", OPT_ALL_HITS, NULL },
    { "hits-only", OPT_HITS_ONLY, NULL },
    { "known", OPT_KNOWN, "SET" },
    { "known-step", OPT_KNOWN_STEP, "BYTES" },
    { NULL, 0, NULL },
};

static enum err_code scan_options_number(const char *option, const char *text, uint64_t min,
                                         uint64_t max, uint32_t *out, struct err *err)
{
    uint64_t value = 0;
    const enum err_code rc = args_size(option, text, min, max, &value, err);

    *out = (uint32_t)value;
    return rc;
}

static enum err_code scan_options_compat(const char *text, enum sig_compat *out, struct err *err)
{
    if (strcmp(text, "scalpel") == 0)
        *out = SIG_COMPAT_SCALPEL;
    else if (strcmp(text, "foremost") == 0)
        *out = SIG_COMPAT_FOREMOST;
    else
        return ERR_RAISE(err, ERR_ARG, "--compat %s: scalpel or foremost is allowed", text);
    return ERR_OK;
}

static enum err_code scan_options_strategy(const char *text, enum match_strategy *out,
                                           struct err *err)
{
    if (strcmp(text, "auto") == 0)
        *out = MATCH_STRATEGY_AUTO;
    else if (strcmp(text, "a") == 0)
        *out = MATCH_STRATEGY_A;
    else if (strcmp(text, "b") == 0)
        *out = MATCH_STRATEGY_B;
    else
        return ERR_RAISE(err, ERR_ARG, "--strategy %s: a, b or auto is allowed", text);
    return ERR_OK;
}

static enum err_code scan_options_segment(const char *text, uint32_t *out, struct err *err)
{
    enum err_code rc =
        scan_options_number("--segment", text, LIMIT_SEGMENT_MIN, LIMIT_SEGMENT_MAX, out, err);

    if (rc == ERR_OK && (*out & (*out - 1)) != 0)
        rc = ERR_RAISE(err, ERR_ARG, "--segment %s: a power of two from 64K to 64M is allowed",
                       text);
    return rc;
}

struct scan_options scan_options_defaults(void)
{
    return (struct scan_options){
        .align = 1, .threads = cpus_count(), .segment_len = SCAN_SEGMENT, .patience = SCAN_PATIENCE
    };
}

static enum err_code scan_options_case_path(const char *value, char out[LIMIT_PATH],
                                            struct err *err)
{
    const enum err_code rc = args_file("--case", value, err);

    if (rc == ERR_OK && strlen(value) >= LIMIT_PATH)
        return ERR_RAISE(err, ERR_ARG, "--case: the name is longer than %d bytes", LIMIT_PATH - 1);
    if (rc == ERR_OK)
        memcpy(out, value, strlen(value) + 1);
    return rc;
}

enum err_code scan_options_common(struct scan_options *o, int id, const char *value,
                                  struct err *err)
{
    struct err why = { 0 };
    uint64_t count = 0;
    enum err_code rc = ERR_OK;

    switch (id) {
    case SCAN_OPT_CASE:
        return scan_options_case_path(value, o->case_path, err);
    case SCAN_OPT_RANGE:
        o->has_range = true;
        return args_range("--range", value, &o->range.offset, &o->range.len, err);
    case SCAN_OPT_ENGINE:
        o->engine = value;
        break;
    case SCAN_OPT_STRATEGY:
        return scan_options_strategy(value, &o->strategy, err);
    case SCAN_OPT_DEVICES:
        o->devices = value;
        return devices_read(value, &o->device_mask, err);
    case SCAN_OPT_PATIENCE:
        rc = args_count("--patience", value, 0, SCAN_PATIENCE_MAX, &count, err);
        o->patience = (uint32_t)count;
        return rc;
    case SCAN_OPT_THREADS:
        rc = args_count("--threads", value, 1, LIMIT_THREADS, &count, err);
        o->threads = (uint32_t)count;
        return rc;
    case SCAN_OPT_SEGMENT:
        return scan_options_segment(value, &o->segment_len, err);
    case SCAN_OPT_IO:
        o->io = value;
        break;
    case SCAN_OPT_IMAGE_TYPE:
        o->image_type = value;
        if (io_image_check_type(value, &why) != ERR_OK)
            rc = ERR_RAISE(err, ERR_ARG, "--image-type %s", why.text);
        return rc;
    case SCAN_OPT_QUIET:
        o->quiet = true;
        break;
    case SCAN_OPT_JSON:
        o->json = true;
        break;
    case SCAN_OPT_WAIT:
        o->wait = true;
        break;
    case SCAN_OPT_NO_JAIL:
        o->no_jail = true;
        break;
    default:
        return ERR_RAISE(err, ERR_ARG, "unknown option");
    }
    return rc;
}

static enum err_code scan_options_take(struct scan_options *o, int id, const char *value,
                                       struct err *err)
{
    switch (id) {
    case OPT_FORCE:
        o->force = true;
        return ERR_OK;
    case OPT_TYPES:
        o->types = value;
        return ERR_OK;
    case OPT_DICTIONARY:
        o->dictionary = value;
        return value[0] != '\0' ? ERR_OK : args_file("--dictionary", value, err);
    case OPT_COMPAT:
        return scan_options_compat(value, &o->compat, err);
    case OPT_ALIGN:
        return scan_options_number("--align", value, 1, 1 << 30, &o->align, err);
    case OPT_KNOWN:
        if (o->known_count == KNOWN_SETS_MAX)
            return ERR_RAISE(
                err, ERR_ARG,
                "--known: at most %d sets are allowed; burin known add makes one of several",
                KNOWN_SETS_MAX);
        o->known[o->known_count++] = value;
        return args_file("--known", value, err);
    case OPT_KNOWN_STEP:
        return scan_options_number("--known-step", value, KNOWN_BLOCK_MIN, KNOWN_BLOCK_MAX,
                                   &o->known_step, err);
    case OPT_HITS_ONLY:
        o->hits_only = true;
        return ERR_OK;
    case OPT_ALL_HITS:
        o->all_hits = true;
        return ERR_OK;
    default:
        return scan_options_common(o, id, value, err);
    }
}

enum err_code scan_options_case(struct scan_options *o, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (int i = 0; rc == ERR_OK && i < o->image_count; i++)
        rc = args_file("IMAGE", o->images[i], err);
    if (rc != ERR_OK || o->case_path[0] != '\0')
        return rc;
    const char *slash = strrchr(o->images[0], '/');
    const char *name = slash != NULL ? slash + 1 : o->images[0];
    const int len = snprintf(o->case_path, sizeof o->case_path, "%s.burin", name);

    if (name[0] == '\0' || len < 0 || (size_t)len >= sizeof o->case_path)
        return ERR_RAISE(err, ERR_ARG,
                         "%s: no name for a case file can be made of this; use --case FILE",
                         o->images[0]);
    return ERR_OK;
}

enum err_code scan_options_read(int argc, char **argv, struct scan_options *out, struct err *err)
{
    struct args args;
    const char *value = NULL;
    int id = ARGS_END;
    enum err_code rc;

    *out = scan_options_defaults();
    args_begin(&args, "scan", scan_options_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END) {
        rc = scan_options_take(out, id, value, err);
        if (rc != ERR_OK)
            return rc;
    }
    if (rc == ERR_OK)
        rc = args_operands(&args, 1, LIMIT_IMAGE_PARTS, "IMAGE...", &out->images, &out->image_count,
                           err);
    if (rc == ERR_OK && out->compat != SIG_COMPAT_NONE && out->dictionary == NULL)
        rc = ERR_RAISE(
            err, ERR_ARG,
            "--compat goes with --dictionary FILE: a compatible scan uses that file's rules alone");
    if (rc == ERR_OK && out->types != NULL && out->dictionary != NULL)
        rc = ERR_RAISE(err, ERR_ARG,
                       "--types chooses among the built-in types; with --dictionary the file's "
                       "rules are the choice");
    if (rc == ERR_OK && out->known_step != 0 && out->known_count == 0)
        rc = ERR_RAISE(err, ERR_ARG,
                       "--known-step %" PRIu32
                       ": steps are those between blocks, and no --known names a set of blocks",
                       out->known_step);
    if (rc == ERR_OK)
        rc = scan_options_case(out, err);
    if (rc == ERR_OK)
        rc = scan_options_engine(out, err);
    return rc;
}

enum err_code scan_options_engine(struct scan_options *o, struct err *err)
{
    const bool chosen = o->engine != NULL && strcmp(o->engine, "auto") != 0;
    struct match_engine_info engine;

    if (!chosen && o->devices == NULL)
        return ERR_OK;
    if (!chosen)
        o->engine = match_device_engine();
    if (!match_engine_look(o->engine, &engine))
        return ERR_RAISE(err, ERR_ARG,
                         "--engine %s: there is no such engine; see burin info --engines",
                         o->engine);
    if (o->devices != NULL && strcmp(engine.device, "CPU") == 0)
        return ERR_RAISE(
            err, ERR_ARG,
            "--devices %s: engine %s runs on the CPU; choose one that runs on a GPU, %s say",
            o->devices, o->engine, match_device_engine());
    if (engine.missing != NULL && !chosen)
        return ERR_RAISE(err, ERR_ENV, "--devices %s: %s; leave --devices out to search on the CPU",
                         o->devices, engine.missing);
    if (engine.missing != NULL)
        return ERR_RAISE(err, ERR_ENV,
                         "--engine %s does not run here: %s; see burin info --engines", o->engine,
                         engine.missing);
    return ERR_OK;
}

static bool scan_options_on_device(const struct scan_options *o)
{
    struct match_engine_info engine;

    return o->devices != NULL || (o->engine != NULL && match_engine_look(o->engine, &engine) &&
                                  strcmp(engine.device, "CPU") != 0);
}

enum err_code scan_options_confine(const struct scan_options *o, char *note, struct err *err)
{
    struct confine confine = { 0 };

    confine_open(&confine, o->no_jail, CONFINE_ALL);
    for (int i = 0; i < o->image_count; i++)
        confine_evidence(&confine, o->images[i]);
    for (uint32_t i = 0; i < o->known_count; i++)
        confine_read(&confine, o->known[i]);
    confine_case(&confine, o->case_path);
    if (scan_options_on_device(o))
        confine_devices(&confine);
    const enum err_code rc = confine_enter(&confine, err);
    memcpy(note, confine.note, sizeof confine.note);
    return rc == ERR_OK && o->devices != NULL ? devices_check(o->devices, o->device_mask, err) : rc;
}

/* Opens a reader as the scan will, to learn whether it can. */
static enum err_code scan_check_reader(const struct scan_options *options, struct io_image *image,
                                       struct err *err)
{
    const struct io_reader_options read = { .segment_len = options->segment_len,
                                            .depth = 1,
                                            .backend = options->io };
    struct io_reader *reader = NULL;
    const enum err_code rc = io_reader_open(image, &read, &reader, err);

    io_reader_close(reader);
    return rc;
}

/* An image of the command line is scanned once, whichever of its parts or links name it. */
static enum err_code scan_check_once(const struct scan_options *options,
                                     const struct io_image *image, int at, struct err *err)
{
    for (int i = 0; i < at; i++)
        if (io_image_is_part(image, options->images[i]))
            return ERR_RAISE(err, ERR_INPUT,
                             "%s: the same image as %s, which is named before it; name it once",
                             options->images[at], options->images[i]);
    return ERR_OK;
}

enum err_code scan_check_images(const struct scan_options *options, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (int i = 0; rc == ERR_OK && i < options->image_count; i++) {
        struct io_image *image = NULL;
        struct io_range range;

        rc = io_image_open(options->images[i], options->image_type, &image, err);
        if (rc == ERR_OK)
            rc = scan_check_once(options, image, i, err);
        if (rc == ERR_OK)
            rc = scan_range(options, image, options->images[i], &range, err);
        if (rc == ERR_OK)
            rc = scan_check_reader(options, image, err);
        if (rc == ERR_OK)
            rc = casefile_refuse_evidence(image, options->case_path, err);
        io_image_close(image);
    }
    return rc;
}

enum err_code scan_range(const struct scan_options *options, const struct io_image *image,
                         const char *path, struct io_range *out, struct err *err)
{
    const uint64_t size = io_image_size(image);

    *out = (struct io_range){ 0, size };
    if (!options->has_range)
        return ERR_OK;
    if (options->range.offset >= size)
        return ERR_RAISE(err, ERR_INPUT, "--range starts at %" PRIu64 ", but %s ends at %" PRIu64,
                         options->range.offset, path, size);
    out->offset = options->range.offset;
    out->len = options->range.len < size - out->offset ? options->range.len : size - out->offset;
    return ERR_OK;
}
