/* carver/scan/scan_options.h - the command line of `burin scan`. */
#ifndef BURIN_CARVER_SCAN_SCAN_OPTIONS_H
#define BURIN_CARVER_SCAN_SCAN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/limits.h"
#include "carver/case/casefile.h"
#include "carver/case/confine.h"
#include "carver/cli/args.h"
#include "carver/known/known_scan.h"
#include "io/image.h"
#include "io/reader.h"
#include "match/matcher.h"
#include "signatures/conf.h"

/* How to go through an image: options that several commands have, with their --help. */
#define SCAN_HOW_TEXT                                                                              \
    "  --engine NAME        matching engine (see burin info --engines; default auto)\n"            \
    "  --devices LIST       GPUs to search on, 0,1,... or all (see burin info --devices; default " \
    "0);\n"                                                                                        \
    "                       without --engine, the engine is shift-and\n"                           \
    "  --strategy NAME      how segments go to a GPU: a (all buffers in flight), b (two, in "      \
    "turns) or\n"                                                                                  \
    "                       auto (what measured times and memory allow; the default)\n"            \
    "  --patience MS        the CPU searches so long before GPUs are started, and they are not "   \
    "if\n"                                                                                         \
    "                       little is left; 0: all waits for them (default 1000)\n"                \
    "  --threads N          matching threads (default: one for each CPU)\n"                        \
    "  --segment SIZE       bytes read and matched at a time, a power of two, 64K to 64M\n"        \
    "                       (default 1M)\n"                                                        \
    "  --io NAME            how to read: aio, cache or pread (default: the best that works)\n"     \
    "  --image-type TYPE    what the image is, whatever its content says: raw, ewf, aff, vmdk, "   \
    "vhd\n"                                                                                        \
    "                       (see burin info --images; default auto: what its content "             \
    "says)\n" CONFINE_TEXT

#define SCAN_OPTIONS_TEXT                                                                          \
    "Case file:\n"                                                                                 \
    "  --case FILE          write the case file here (default: IMAGE's name + .burin in the\n"     \
    "                       current directory; all images go into one case file)\n"                \
    "  --force              begin a new case file; one that is there gets another name beside "    \
    "it\n" CASEFILE_WAIT_TEXT "What to look for:\n"                                                \
    "  --types LIST         only these types, comma-separated (see burin info --types); \"all\"\n" \
    "                       adds those that are off by default\n"                                  \
    "  --dictionary FILE    use the header/footer rules of a scalpel or foremost configuration "   \
    "(-:\n"                                                                                        \
    "                       of standard input)\n"                                                  \
    "  --compat TOOL        with --dictionary: carve as scalpel or foremost does, quirks "         \
    "included\n"                                                                                   \
    "  --align BYTES        files begin at multiples of BYTES only (512, 4096, ...)\n"             \
    "  --range RANGE        only these bytes of the image: START:LENGTH, or START alone for all\n" \
    "                       from there\n"                                                          \
    "  --all-hits           record every footer, also those that can end nothing\n"                \
    "  --hits-only          record where headers and footers stand, and look for no files\n"       \
    "  --known SET          hash what is found, or the blocks of the image, and tell what SET "    \
    "knows\n"                                                                                      \
    "                       (see burin known; may be given several times)\n"                       \
    "  --known-step BYTES   blocks begin at multiples of BYTES (default: their length)\n"          \
    "How:\n" SCAN_HOW_TEXT "  -q, --quiet          no progress, no summary\n"                      \
    "  --json               the summary as JSON on standard output: an object, or for several\n"   \
    "                       images an array of them\n"                                             \
    "  --help               this text\n"                                                           \
    "\n"                                                                                           \
    "Sizes take K, M, G, T (powers of 1024).\n"

struct scan_search; /* scan_record.h */

struct scan_options {
    char case_path[LIMIT_PATH];
    bool force, wait, all_hits, hits_only, quiet, json, no_jail;
    const char *types;      /* NULL: those on by default */
    const char *dictionary; /* NULL: built-in signatures */
    const char *engine, *io;
    const char *image_type; /* NULL: what the content of each image says */
    enum sig_compat compat;
    enum match_strategy strategy;
    const char *devices;  /* as given; NULL: the engine's default */
    uint32_t device_mask; /* what it means, as in match_options */
    uint32_t patience;    /* milliseconds before devices are started; 0: they are waited for */
    uint32_t align, threads, segment_len;
    const char *known[KNOWN_SETS_MAX];
    uint32_t known_count, known_step; /* step 0: the length of the blocks */
    bool has_range;
    struct io_range range;
    char **images;
    int image_count;
    const struct scan_search *search; /* NULL: a scan for files */
};

/* Ids and table entries of the options of SCAN_HOW_TEXT, and what else is the same for all commands
 * that read an image. */
enum {
    SCAN_OPT_CASE = ARGS_LONG,
    SCAN_OPT_RANGE,
    SCAN_OPT_ENGINE,
    SCAN_OPT_STRATEGY,
    SCAN_OPT_DEVICES,
    SCAN_OPT_PATIENCE,
    SCAN_OPT_THREADS,
    SCAN_OPT_SEGMENT,
    SCAN_OPT_IO,
    SCAN_OPT_IMAGE_TYPE,
    SCAN_OPT_JSON,
    SCAN_OPT_WAIT,
    SCAN_OPT_NO_JAIL,
    SCAN_OPT_OWN, /* the command's own ones from here on */
    SCAN_OPT_QUIET = 'q',
};
#define SCAN_COMMON_OPTIONS                                                                        \
    { "case", SCAN_OPT_CASE, "FILE" }, { "range", SCAN_OPT_RANGE, "START[:LENGTH]" },              \
        { "engine", SCAN_OPT_ENGINE, "NAME" }, { "strategy", SCAN_OPT_STRATEGY, "NAME" },          \
        { "devices", SCAN_OPT_DEVICES, "LIST" }, { "patience", SCAN_OPT_PATIENCE, "MS" },          \
        { "threads", SCAN_OPT_THREADS, "N" }, { "segment", SCAN_OPT_SEGMENT, "SIZE" },             \
        { "io", SCAN_OPT_IO, "NAME" }, { "image-type", SCAN_OPT_IMAGE_TYPE, "TYPE" },              \
        { "quiet", SCAN_OPT_QUIET, NULL }, { "wait", SCAN_OPT_WAIT, NULL },                        \
        { "no-jail", SCAN_OPT_NO_JAIL, NULL },                                                     \
    {                                                                                              \
        "json", SCAN_OPT_JSON, NULL                                                                \
    }

/* One CPU thread for each CPU, segments of the default size, nothing else chosen. */
struct scan_options scan_options_defaults(void);

/* An option of SCAN_COMMON_OPTIONS. */
ERR_MUST_CHECK enum err_code scan_options_common(struct scan_options *o, int id, const char *value,
                                                 struct err *err);

/* What follows from several options together: the engine, if it is to run on --devices. */
ERR_MUST_CHECK enum err_code scan_options_engine(struct scan_options *o, struct err *err);

/*
 * Gives up what the scan does not need; note: CONFINE_NOTE_MAX bytes, for the log. Then sees
 * whether the devices are there, which may start threads of their runtime. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code scan_options_confine(const struct scan_options *o, char *note,
                                                  struct err *err);

/*
 * The case file of --case, or images[0]'s name + .burin in the current directory. Also refuses what
 * is no image's name.
 */
ERR_MUST_CHECK enum err_code scan_options_case(struct scan_options *o, struct err *err);

/* argv[0] is the command's name. Strings point into argv. */
ERR_MUST_CHECK enum err_code scan_options_read(int argc, char **argv, struct scan_options *out,
                                               struct err *err);

/*
 * Opens each image once as the scan will, so that nothing is written for what cannot be done, and
 * refuses a case file that lies on the evidence.
 */
ERR_MUST_CHECK enum err_code scan_check_images(const struct scan_options *options, struct err *err);

/* The range of this image that is to be scanned. */
ERR_MUST_CHECK enum err_code scan_range(const struct scan_options *options,
                                        const struct io_image *image, const char *path,
                                        struct io_range *out, struct err *err);

#endif
