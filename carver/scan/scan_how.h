/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_how.h - how to go through an image: what all commands that scan ask for alike,
 * as options and as data.
 *
 * Errors of options are ERR_ARG. Strings point into argv.
 */
#ifndef BURIN_CARVER_SCAN_SCAN_HOW_H
#define BURIN_CARVER_SCAN_SCAN_HOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/limits.h"
#include "carver/case/confine.h"
#include "carver/case/key_file.h"
#include "carver/case/seal.h"
#include "carver/cli/args.h"
#include "carver/cli/progress.h"
#include "io/image.h"
#include "io/reader.h"
#include "match/matcher.h"

/* The --help of these options. */
#define SCAN_HOW_TEXT                                                                              \
    "  --engine NAME        use this matching engine (see burin info --engines; default auto)\n"   \
    "  --devices LIST       search on these GPUs: 0,1,... or all (see burin info --devices); "     \
    "auto, the\n"                                                                                  \
    "                       default: on the first one, where that ends the search earlier; "       \
    "none:\n"                                                                                      \
    "                       on the CPU\n"                                                          \
    "  --strategy NAME      how segments go to a GPU: a (all buffers in flight), b (two, in "      \
    "turns) or\n"                                                                                  \
    "                       auto (chosen by measured times and free memory; the default)\n"        \
    "  --device-delay MS    milliseconds that the CPU searches before GPUs are started; they are " \
    "not\n"                                                                                        \
    "                       started for a small rest; 0: wait for the GPUs first (default "        \
    "1000).\n"                                                                                     \
    "                       The older name, --patience, works too\n"                               \
    "  --threads N          number of matching threads (default: one for each CPU); for an "       \
    "image in\n"                                                                                   \
    "                       memory no more scan than there are CPUs, unless --part-size or\n"      \
    "                       --parts-at-once is given\n"                                            \
    "  --segment SIZE       bytes read and matched at a time, a power of two from 64K to 64M\n"    \
    "                       (default 512K, with a GPU that is named 4M)\n"                         \
    "  --part-size SIZE     bytes of the parts that threads scan apart, a multiple of 4K "         \
    "(default "                                                                                    \
    "8M to\n"                                                                                      \
    "                       64M, by the image's size)\n"                                           \
    "  --part-seed N        make parts of any length up to --part-size, from this number\n"        \
    "  --parts-at-once N    parts that are read at a time; 1: one, in the order of the image "     \
    "(default:\n"                                                                                  \
    "                       as many as pay on this storage)\n"                                     \
    "  --io NAME            how to read: aio, cache or pread (default: the best that works)\n"     \
    "  --mapfile FILE       a map of GNU ddrescue: what it does not call read was never on the "   \
    "image, and\n"                                                                                 \
    "                       is neither read nor searched\n"                                        \
    "  --max-read RATE      read at most so many bytes of an image a second: 50M, 1G (default: "   \
    "no "                                                                                          \
    "limit)\n"                                                                                     \
    "  --retry-bad N        try what cannot be read N times more, in single sectors, when what "   \
    "lies\n"                                                                                       \
    "                       around it has been read (default 0)\n"                                 \
    "  --image-type TYPE    read the image as this type: raw, nbd, ewf, aff, aff4, vmdk, vhd, "    \
    "vhdx,\n"                                                                                      \
    "                       vdi, qcow2, qed, parallels, cloop, dmg or luks (default auto: as its " \
    "content\n"                                                                                    \
    "                       shows; see burin info --images)\n"                                     \
    "  --snapshot NAME      of qcow2 images, read the snapshot of this id or name (see burin "     \
    "info IMAGE)\n" KEY_FILE_TEXT CONFINE_TEXT

enum { SCAN_MAX_READ_LEAST = 1 << 20 /* bytes a second: a wait for one piece stays short */ };

struct scan_how {
    char case_path[LIMIT_PATH];
    bool wait, quiet, json, no_jail, keyed;
    enum progress_how progress;
    const char *sign; /* a command that signs the seal, or NULL */
    const char *engine, *io;
    const char *mapfile;    /* of the one image; NULL: none */
    const char *image_type; /* NULL: what the content of each image says */
    char snapshot[320];     /* "qcow2@NAME", which image_type is then; "": none */
    enum match_strategy strategy;
    const char *devices;    /* those that are named; NULL: none is */
    bool device_auto;       /* the first device, where that makes the search end earlier */
    uint32_t device_mask;   /* what it means, as in match_options */
    uint32_t device_delay;  /* milliseconds before devices are started; 0: they are waited for */
    uint32_t threads;       /* 1..LIMIT_THREADS */
    uint32_t segment_len;   /* bytes, a power of two, LIMIT_SEGMENT_MIN..LIMIT_SEGMENT_MAX */
    bool has_segment;       /* it is not what suits the engine, but what was asked for */
    uint64_t part_len;      /* bytes of a part, a multiple of PART_ALIGN; 0: as it suits */
    uint64_t part_seed;     /* not 0: parts have any length up to part_len, made from this number */
    uint64_t max_read;      /* bytes of an image that are read in a second at most; 0: no limit */
    uint32_t retry_bad;     /* times that what cannot be read is tried again */
    uint32_t parts_at_once; /* parts that are read at a time; 0: as many as pay */
    bool has_range;
    struct io_range range; /* bytes of each image; it may end behind an image's end */
    char **images;         /* paths */
    int image_count;
};

/* Ids and table entries of the options of SCAN_HOW_TEXT, and what else is the same for all commands
 * that read an image. */
enum {
    SCAN_OPT_CASE = ARGS_LONG,
    SCAN_OPT_RANGE,
    SCAN_OPT_ENGINE,
    SCAN_OPT_STRATEGY,
    SCAN_OPT_DEVICES,
    SCAN_OPT_DEVICE_DELAY,
    SCAN_OPT_THREADS,
    SCAN_OPT_SEGMENT,
    SCAN_OPT_PART_SIZE,
    SCAN_OPT_PART_SEED,
    SCAN_OPT_PARTS_AT_ONCE,
    SCAN_OPT_IO,
    SCAN_OPT_IMAGE_TYPE,
    SCAN_OPT_SNAPSHOT,
    SCAN_OPT_MAPFILE,
    SCAN_OPT_RETRY_BAD,
    SCAN_OPT_MAX_READ,
    SCAN_OPT_JSON,
    SCAN_OPT_WAIT,
    SCAN_OPT_SIGN,
    SCAN_OPT_NO_JAIL,
    SCAN_OPT_PROGRESS,
    SCAN_OPT_OWN, /* the command's own ones from here on */
    SCAN_OPT_QUIET = 'q',
};
#define SCAN_COMMON_OPTIONS                                                                        \
    { "case", SCAN_OPT_CASE, "FILE" }, { "range", SCAN_OPT_RANGE, "START[:LENGTH]" },              \
        { "engine", SCAN_OPT_ENGINE, "NAME" }, { "strategy", SCAN_OPT_STRATEGY, "NAME" },          \
        { "devices", SCAN_OPT_DEVICES, "LIST" }, { "device-delay", SCAN_OPT_DEVICE_DELAY, "MS" },  \
        { "patience", SCAN_OPT_DEVICE_DELAY, "MS" }, { "threads", SCAN_OPT_THREADS, "N" },         \
        { "segment", SCAN_OPT_SEGMENT, "SIZE" }, { "part-size", SCAN_OPT_PART_SIZE, "SIZE" },      \
        { "part-seed", SCAN_OPT_PART_SEED, "N" },                                                  \
        { "parts-at-once", SCAN_OPT_PARTS_AT_ONCE, "N" }, { "io", SCAN_OPT_IO, "NAME" },           \
        { "image-type", SCAN_OPT_IMAGE_TYPE, "TYPE" }, KEY_FILE_OPTION,                            \
        { "snapshot", SCAN_OPT_SNAPSHOT, "NAME" }, { "mapfile", SCAN_OPT_MAPFILE, "FILE" },        \
        { "quiet", SCAN_OPT_QUIET, NULL }, { "max-read", SCAN_OPT_MAX_READ, "RATE" },              \
        { "retry-bad", SCAN_OPT_RETRY_BAD, "N" }, { "wait", SCAN_OPT_WAIT, NULL },                 \
        { "progress", SCAN_OPT_PROGRESS, "HOW" }, { "sign", SCAN_OPT_SIGN, "CMD" },                \
        { "no-jail", SCAN_OPT_NO_JAIL, NULL },                                                     \
    {                                                                                              \
        "json", SCAN_OPT_JSON, NULL                                                                \
    }

/* One CPU thread for each CPU, segments of the default size, nothing else chosen. */
struct scan_how scan_how_defaults(void);

/* Takes an option of SCAN_COMMON_OPTIONS. */
ERR_MUST_CHECK enum err_code scan_how_take(struct scan_how *how, int id, const char *value,
                                           struct err *err);

/* The case file of an image where no other is named: its name, and .burin. False: there is none. */
bool scan_how_usual_case(const char *image, char out[LIMIT_PATH]);

/*
 * Completes the options once all of them and the images have been taken: the case file, where
 * --case does not name it, is images[0]'s name + .burin in the current directory; the engine is one
 * for devices, where --devices is given, or there may be a device, and --engine is not.
 * Errors: ERR_ARG also for what is no image's name; ERR_ENV for an engine that cannot run here.
 */
ERR_MUST_CHECK enum err_code scan_how_complete(struct scan_how *how, struct err *err);

/* Prepares an image that was opened for being read as the options say. */
void scan_how_set(const struct scan_how *how, struct io_image *image);

/* The engine that was asked for: "auto", if none was. */
const char *scan_how_engine_name(const struct scan_how *how);

/* Whether a device is to search, or may. */
bool scan_how_on_device(const struct scan_how *how);

/*
 * Opens each image once as the scan will, and reads its map, so that nothing is written for what
 * cannot be done, and refuses a case file that lies on the evidence. Errors: ERR_INPUT, and those
 * of image and reader.
 */
ERR_MUST_CHECK enum err_code scan_how_check_images(const struct scan_how *how, struct err *err);

/* The range of this image that is to be scanned. Errors: ERR_INPUT when it begins behind its end.
 */
ERR_MUST_CHECK enum err_code scan_how_range(const struct scan_how *how,
                                            const struct io_image *image, const char *path,
                                            struct io_range *out, struct err *err);

#endif
