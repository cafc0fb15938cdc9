/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_how.c - see scan_how.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "carver/case/casefile.h"
#include "carver/cli/cpus.h"
#include "carver/cli/devices.h"
#include "carver/cli/interrupt.h"
#include "carver/cli/print_safe.h"
#include "carver/scan/part.h"
#include "carver/scan/scan_how.h"
#include "carver/scan/scan_map.h"

enum {
    SCAN_SEGMENT = 512 << 10,      /* bytes; a ring of these stays in the processor's cache:
                                      docs/notebook/scan.md */
    SCAN_SEGMENT_DEVICE = 4 << 20, /* what is done once for each costs more: docs/notebook/gpu.md */
    SCAN_DEVICE_DELAY = 1000, /* milliseconds: the start and the end of a CUDA runtime take 300 */
    SCAN_RETRY_MAX = 1000,
    SCAN_DEVICE_DELAY_MAX = 1 << 30,
};

static enum err_code scan_how_strategy(const char *text, enum match_strategy *out, struct err *err)
{
    if (strcmp(text, "auto") == 0)
        *out = MATCH_STRATEGY_AUTO;
    else if (strcmp(text, "a") == 0)
        *out = MATCH_STRATEGY_A;
    else if (strcmp(text, "b") == 0)
        *out = MATCH_STRATEGY_B;
    else
        return ERR_RAISE(err, ERR_ARG, "--strategy %s: write a, b or auto", text);
    return ERR_OK;
}

static enum err_code scan_how_devices(struct scan_how *how, const char *text, struct err *err)
{
    how->device_auto = strcmp(text, "auto") == 0;
    how->devices = how->device_auto || strcmp(text, "none") == 0 ? NULL : text;
    how->device_mask = 0;
    return how->devices != NULL ? devices_read(text, &how->device_mask, err) : ERR_OK;
}

static enum err_code scan_how_segment(struct scan_how *how, const char *text, struct err *err)
{
    uint64_t value = 0;
    enum err_code rc =
        args_size("--segment", text, LIMIT_SEGMENT_MIN, LIMIT_SEGMENT_MAX, &value, err);

    how->segment_len = (uint32_t)value;
    how->has_segment = true;
    if (rc == ERR_OK && (value & (value - 1)) != 0)
        rc = ERR_RAISE(err, ERR_ARG, "--segment %s: write a power of two from 64K to 64M", text);
    return rc;
}

static enum err_code scan_how_part(const char *text, uint64_t *out, struct err *err)
{
    enum err_code rc = args_size("--part-size", text, PART_ALIGN, UINT64_C(1) << 60, out, err);

    if (rc == ERR_OK && *out % PART_ALIGN != 0)
        rc = ERR_RAISE(err, ERR_ARG, "--part-size %s: write a multiple of 4K", text);
    return rc;
}

struct scan_how scan_how_defaults(void)
{
    return (struct scan_how){ .threads = cpus_count(),
                              .segment_len = SCAN_SEGMENT,
                              .device_auto = true,
                              .device_delay = SCAN_DEVICE_DELAY };
}

static enum err_code scan_how_case_path(const char *value, char out[LIMIT_PATH], struct err *err)
{
    const enum err_code rc = args_file("--case", value, err);

    if (rc == ERR_OK && strlen(value) >= LIMIT_PATH)
        return ERR_RAISE(err, ERR_ARG, "--case: the name is longer than %d bytes", LIMIT_PATH - 1);
    if (rc == ERR_OK)
        memcpy(out, value, strlen(value) + 1);
    return rc;
}

enum err_code scan_how_take(struct scan_how *how, int id, const char *value, struct err *err)
{
    struct err why = { 0 };
    uint64_t count = 0;
    enum err_code rc = ERR_OK;

    switch (id) {
    case SCAN_OPT_CASE:
        return scan_how_case_path(value, how->case_path, err);
    case SCAN_OPT_RANGE:
        how->has_range = true;
        return args_range("--range", value, &how->range.offset, &how->range.len, err);
    case SCAN_OPT_ENGINE:
        how->engine = value;
        break;
    case SCAN_OPT_STRATEGY:
        return scan_how_strategy(value, &how->strategy, err);
    case SCAN_OPT_DEVICES:
        return scan_how_devices(how, value, err);
    case SCAN_OPT_DEVICE_DELAY:
        rc = args_count("--device-delay", value, 0, SCAN_DEVICE_DELAY_MAX, &count, err);
        how->device_delay = (uint32_t)count;
        return rc;
    case SCAN_OPT_THREADS:
        rc = args_count("--threads", value, 1, LIMIT_THREADS, &count, err);
        how->threads = (uint32_t)count;
        return rc;
    case SCAN_OPT_SEGMENT:
        return scan_how_segment(how, value, err);
    case SCAN_OPT_PART_SIZE:
        return scan_how_part(value, &how->part_len, err);
    case SCAN_OPT_PART_SEED:
        return args_count("--part-seed", value, 0, UINT32_MAX, &how->part_seed, err);
    case SCAN_OPT_PARTS_AT_ONCE:
        rc = args_count("--parts-at-once", value, 1, LIMIT_THREADS, &count, err);
        how->parts_at_once = (uint32_t)count;
        return rc;
    case SCAN_OPT_IO:
        how->io = value;
        break;
    case SCAN_OPT_IMAGE_TYPE:
        how->image_type = value;
        if (io_image_check_type(value, &why) != ERR_OK)
            rc = ERR_RAISE(err, ERR_ARG, "--image-type %s", why.text);
        return rc;
    case SCAN_OPT_SNAPSHOT:
        if (snprintf(how->snapshot, sizeof how->snapshot, "qcow2@%s", value) >=
                (int)sizeof how->snapshot ||
            value[0] == '\0')
            return ERR_RAISE(err, ERR_ARG, "--snapshot: write the id or name of a snapshot");
        break;
    case SCAN_OPT_RETRY_BAD:
        rc = args_count("--retry-bad", value, 0, SCAN_RETRY_MAX, &count, err);
        how->retry_bad = (uint32_t)count;
        return rc;
    case SCAN_OPT_MAX_READ:
        return args_size("--max-read", value, SCAN_MAX_READ_LEAST, INT64_MAX, &how->max_read, err);
    case SCAN_OPT_MAPFILE:
        how->mapfile = value;
        return args_file("--mapfile", value, err);
    case SCAN_OPT_QUIET:
        how->quiet = true;
        break;
    case SCAN_OPT_PROGRESS:
        return progress_word(value, &how->progress, err);
    case SCAN_OPT_JSON:
        how->json = true;
        break;
    case SCAN_OPT_WAIT:
        how->wait = true;
        break;
    case SCAN_OPT_SIGN:
        how->sign = value;
        return seal_check_command(value, err);
    case KEY_FILE:
        how->keyed = true;
        return key_file_take(value, err);
    case SCAN_OPT_NO_JAIL:
        how->no_jail = true;
        break;
    default:
        return ERR_RAISE(err, ERR_ARG, "unknown option");
    }
    return rc;
}

bool scan_how_usual_case(const char *image, char out[LIMIT_PATH])
{
    const char *slash = strrchr(image, '/');
    const char *name = slash != NULL ? slash + 1 : image;
    const int len = snprintf(out, LIMIT_PATH, "%s.burin", name);

    return name[0] != '\0' && len >= 0 && len < LIMIT_PATH;
}

static enum err_code scan_how_case(struct scan_how *how, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (int i = 0; rc == ERR_OK && i < how->image_count; i++)
        rc = args_file("IMAGE", how->images[i], err);
    if (rc != ERR_OK || how->case_path[0] != '\0')
        return rc;
    if (!scan_how_usual_case(how->images[0], how->case_path))
        return ERR_RAISE(err, ERR_ARG,
                         "%s: this name gives no name for a case file; use --case FILE",
                         how->images[0]);
    return ERR_OK;
}

static enum err_code scan_how_engine(struct scan_how *how, struct err *err)
{
    const bool chosen = how->engine != NULL && strcmp(how->engine, "auto") != 0;
    struct match_engine_info engine;

    how->device_auto = how->device_auto && !chosen && match_device_absent() == NULL;
    if (!chosen && how->devices == NULL && !how->device_auto)
        return ERR_OK;
    if (!chosen)
        how->engine = match_device_engine();
    if (!match_engine_look(how->engine, &engine))
        return ERR_RAISE(err, ERR_ARG, "--engine %s: unknown engine; see burin info --engines",
                         how->engine);
    if (how->devices != NULL && strcmp(engine.device, "CPU") == 0)
        return ERR_RAISE(
            err, ERR_ARG,
            "--devices %s: engine %s runs on the CPU; choose one that runs on a GPU, such as %s",
            how->devices, how->engine, match_device_engine());
    if (engine.missing != NULL && !chosen)
        return ERR_RAISE(err, ERR_ENV, "--devices %s: %s; leave --devices out to search on the CPU",
                         how->devices, engine.missing);
    if (engine.missing != NULL)
        return ERR_RAISE(err, ERR_ENV,
                         "--engine %s does not run here: %s; see burin info --engines", how->engine,
                         engine.missing);
    return ERR_OK;
}

enum err_code scan_how_complete(struct scan_how *how, struct err *err)
{
    const enum err_code rc = scan_how_case(how, err);

    if (rc == ERR_OK && how->snapshot[0] != '\0') {
        if (how->image_type != NULL)
            return ERR_RAISE(err, ERR_ARG,
                             "--snapshot and --image-type: give one of them; --snapshot %s stands "
                             "for --image-type %s",
                             how->snapshot + strlen("qcow2@"), how->snapshot);
        how->image_type = how->snapshot;
    }
    if (rc == ERR_OK && how->keyed) {
        if (how->image_type != NULL && strcmp(how->image_type, KEY_FILE_TYPE) != 0)
            return ERR_RAISE(err, ERR_ARG,
                             "--key-file is for images of the type " KEY_FILE_TYPE
                             ": leave out --snapshot and --image-type %s",
                             how->image_type);
        if (how->mapfile != NULL)
            return ERR_RAISE(err, ERR_ARG,
                             "--mapfile %s: a map is of the encrypted bytes, and with --key-file "
                             "others are scanned; leave one of the two out",
                             how->mapfile);
        how->image_type = KEY_FILE_TYPE;
    }
    if (rc == ERR_OK && how->mapfile != NULL && how->image_count != 1)
        return ERR_RAISE(err, ERR_ARG,
                         "--mapfile %s: a map is of one image, and %d are named; scan them one "
                         "after the other",
                         how->mapfile, how->image_count);
    if (rc != ERR_OK)
        return rc;
    const enum err_code chosen = scan_how_engine(how, err);
    if (!how->has_segment && !how->device_auto && scan_how_on_device(how))
        how->segment_len = SCAN_SEGMENT_DEVICE;
    return chosen;
}

void scan_how_set(const struct scan_how *how, struct io_image *image)
{
    io_image_retry_bad(image, how->retry_bad);
    io_image_max_read(image, how->max_read, interrupt_requested);
}

const char *scan_how_engine_name(const struct scan_how *how)
{
    return how->engine != NULL && !how->device_auto ? how->engine : "auto";
}

bool scan_how_on_device(const struct scan_how *how)
{
    struct match_engine_info engine;

    return how->devices != NULL || how->device_auto ||
           (how->engine != NULL && match_engine_look(how->engine, &engine) &&
            strcmp(engine.device, "CPU") != 0);
}

/* Opens a reader as the scan will, to learn whether it can. */
static enum err_code scan_how_check_reader(const struct scan_how *how, struct io_image *image,
                                           struct err *err)
{
    const struct io_reader_options read = { .segment_len = how->segment_len,
                                            .depth = 1,
                                            .backend = how->io };
    struct io_reader *reader = NULL;
    const enum err_code rc = io_reader_open(image, &read, &reader, err);

    io_reader_close(reader);
    return rc;
}

/* An image of the command line is scanned once, whichever of its parts or links name it. */
static enum err_code scan_how_check_once(const struct scan_how *how, const struct io_image *image,
                                         int at, struct err *err)
{
    for (int i = 0; i < at; i++)
        if (io_image_is_part(image, how->images[i]))
            return ERR_RAISE(err, ERR_INPUT,
                             "%s: the same image as %s, which is already named; name it once",
                             how->images[at], how->images[i]);
    return ERR_OK;
}

/* Reads the map; or, where none is named, tells of one that may be. */
static enum err_code scan_how_check_map(const struct scan_how *how, struct io_image *image,
                                        const char *path, struct err *err)
{
    char beside[LIMIT_PATH];
    struct scan_map map;

    if (how->mapfile != NULL)
        return scan_map_apply(how->mapfile, image, &map, err);
    if (scan_map_beside(path, image, beside, sizeof beside))
        print_safe_line(stderr,
                        "burin: %s: %s is a map of GNU ddrescue, and is not used; if it is that of "
                        "the image, --mapfile keeps zeros that stand for bad sectors from being "
                        "taken for data",
                        path, beside);
    return ERR_OK;
}

/* Encrypted bytes are scanned as they are, which is seldom meant. */
static void scan_how_tell_locked(const struct scan_how *how, struct io_image *image,
                                 const char *path)
{
    const uint32_t version = how->image_type == NULL ? io_image_luks(image) : 0;

    if (version == 1)
        print_safe_line(stderr,
                        "burin: %s: is encrypted (LUKS1), and its bytes are scanned as they are; "
                        "--key-file FILE has burin read what is in it",
                        path);
    else if (version != 0)
        print_safe_line(stderr,
                        "burin: %s: is encrypted (LUKS%" PRIu32
                        "), and its bytes are scanned as they are; for what is in it: cryptsetup "
                        "open --readonly IMAGE NAME, and scan /dev/mapper/NAME",
                        path, version);
}

enum err_code scan_how_check_images(const struct scan_how *how, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (int i = 0; rc == ERR_OK && i < how->image_count; i++) {
        struct io_image *image = NULL;
        struct io_range range;

        rc = io_image_open(how->images[i], how->image_type, &image, err);
        if (rc == ERR_OK)
            rc = scan_how_check_once(how, image, i, err);
        if (rc == ERR_OK)
            rc = scan_how_range(how, image, how->images[i], &range, err);
        if (rc == ERR_OK)
            rc = scan_how_check_map(how, image, how->images[i], err);
        if (rc == ERR_OK)
            scan_how_tell_locked(how, image, how->images[i]);
        if (rc == ERR_OK)
            rc = scan_how_check_reader(how, image, err);
        if (rc == ERR_OK)
            rc = casefile_refuse_evidence(image, how->case_path, err);
        io_image_close(image);
    }
    return rc;
}

enum err_code scan_how_range(const struct scan_how *how, const struct io_image *image,
                             const char *path, struct io_range *out, struct err *err)
{
    const uint64_t size = io_image_size(image);

    *out = (struct io_range){ 0, size };
    if (!how->has_range)
        return ERR_OK;
    if (how->range.offset >= size)
        return ERR_RAISE(err, ERR_INPUT, "--range starts at %" PRIu64 ", but %s ends at %" PRIu64,
                         how->range.offset, path, size);
    out->offset = how->range.offset;
    out->len = how->range.len < size - out->offset ? how->range.len : size - out->offset;
    return ERR_OK;
}
