/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/triage_options.c - the options of `burin triage`; see triage.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "carver/case/casefile.h"
#include "carver/case/key_file.h"
#include "carver/cli/args.h"
#include "carver/triage/triage.h"

enum { TRIAGE_SECONDS = 60, TRIAGE_HOURS_MAX = 168, TRIAGE_SWEEPS_MAX = 64 };
#define TRIAGE_SECOND UINT64_C(1000000000)

const char triage_options_text[] =
    "Says what is on a disk, from a sample of it: what was met is proved, with its offset; of what "
    "was\n"
    "not met the most that there can be is told. One image: what is asked for first, a line each; "
    "several:\n"
    "a line each, the worst first. The words: red (a block of a set of known bad files), amber "
    "(keys,\n"
    "keywords, blocks of other sets, encrypted volumes and what looks like them), clear to a "
    "bound,\n"
    "unknown.\n"
    "\n"
    "What to look for, beside the headers of all types:\n"
    "  --known SET          blocks of this set of hashes, made by burin known build --block\n"
    "                       (repeatable)\n"
    "  --known-step BYTES   look at a block every BYTES of the image (default: the length of the "
    "blocks)\n"
    "  --keywords FILE      words of this file, one a line (repeatable; -: standard input)\n"
    "  --features LIST      ready features, comma-separated: email, url, phone, card, iban, ip, "
    "btc, "
    "key, or\n"
    "                       all\n"
    "  -i, --ignore-case    take small and capital letters for the same, in all alphabets\n"
    "  --encoding LIST      search for words in these encodings, comma-separated (default\n"
    "                       utf-8,utf-16le; iconv -l lists all)\n"
    "How much:\n"
    "  --time TIME          at most so long for each image: 60s, 5m, 1h (default 60s; with "
    "--sweeps: no\n"
    "                       limit)\n"
    "  --target SIZE        stop as soon as no more than SIZE can be unseen (default 20M)\n"
    "  --confidence N       with N percent confidence, 50 to 99 (default 99)\n"
    "  --sweeps N           exactly N sweeps, or the whole image: the same seed then gives the "
    "same answer\n"
    "                       on any machine\n"
    "  --seed N             which places are looked at (default: another one each time; it is "
    "told)\n"
    "  --unit SIZE          bytes of a place: 4K, 8K, 16K, 32K or 64K (default 4K; 64K on disks "
    "that seek,\n"
    "                       and for images that are packed)\n"
    "  --then scan          go on with burin scan, in the same case file\n"
    "Output:\n"
    "  --case FILE          record what is met in this case file; it may be that of a scan "
    "(default:\n"
    "                       name of the first IMAGE + .burin in the current "
    "directory)\n" CASEFILE_WAIT_TEXT SEAL_TEXT PROGRESS_TEXT
    "  -q, --quiet          print no progress and no sweeps\n"
    "  --json               print JSON: an object, or an array where several images are named\n"
    "  --help               print this text\n"
    "How:\n"
    "  --engine NAME        use this matching engine (see burin info --engines; default auto)\n"
    "  --threads N          number of threads that look at what was read (default: one for each "
    "CPU)\n"
    "  --io NAME            how to read: aio, cache or pread (default: the best that works)\n"
    "  --mapfile FILE       a map of GNU ddrescue: what it does not call read was never on the "
    "image\n"
    "  --max-read RATE      read at most so many bytes of an image a second: 50M, 1G (default: no "
    "limit)\n"
    "  --image-type TYPE    read the image as this type (see burin scan)\n" KEY_FILE_TEXT
        CONFINE_TEXT "\n"
    "Sizes take K, M, G, T (powers of 1024).\n";

enum {
    TRIAGE_KNOWN = SCAN_OPT_OWN,
    TRIAGE_KNOWN_STEP,
    TRIAGE_KEYWORDS,
    TRIAGE_FEATURES,
    TRIAGE_ENCODING,
    TRIAGE_TIME,
    TRIAGE_TARGET,
    TRIAGE_CONFIDENCE,
    TRIAGE_SWEEPS,
    TRIAGE_SEED,
    TRIAGE_UNIT,
    TRIAGE_THEN,
};

static const struct args_option triage_table[] = {
    { "case", SCAN_OPT_CASE, "FILE" },
    { "engine", SCAN_OPT_ENGINE, "NAME" },
    { "threads", SCAN_OPT_THREADS, "N" },
    { "io", SCAN_OPT_IO, "NAME" },
    { "image-type", SCAN_OPT_IMAGE_TYPE, "TYPE" },
    KEY_FILE_OPTION,
    { "mapfile", SCAN_OPT_MAPFILE, "FILE" },
    { "max-read", SCAN_OPT_MAX_READ, "RATE" },
    { "quiet", SCAN_OPT_QUIET, NULL },
    { "wait", SCAN_OPT_WAIT, NULL },
    { "progress", SCAN_OPT_PROGRESS, "HOW" },
    { "sign", SCAN_OPT_SIGN, "CMD" },
    { "no-jail", SCAN_OPT_NO_JAIL, NULL },
    { "json", SCAN_OPT_JSON, NULL },
    { "known", TRIAGE_KNOWN, "SET" },
    { "known-step", TRIAGE_KNOWN_STEP, "BYTES" },
    { "keywords", TRIAGE_KEYWORDS, "FILE" },
    { "features", TRIAGE_FEATURES, "LIST" },
    { "ignore-case", 'i', NULL },
    { "encoding", TRIAGE_ENCODING, "LIST" },
    { "time", TRIAGE_TIME, "TIME" },
    { "target", TRIAGE_TARGET, "SIZE" },
    { "confidence", TRIAGE_CONFIDENCE, "N" },
    { "sweeps", TRIAGE_SWEEPS, "N" },
    { "seed", TRIAGE_SEED, "N" },
    { "unit", TRIAGE_UNIT, "SIZE" },
    { "then", TRIAGE_THEN, "scan" },
    { 0 },
};

static enum err_code triage_unit(const char *text, uint32_t *out, struct err *err)
{
    uint64_t value = 0;
    const enum err_code rc = args_size("--unit", text, UNIT_LEAST, UNIT_MOST, &value, err);

    *out = (uint32_t)value;
    if (rc == ERR_OK && (value & (value - 1)) != 0)
        return ERR_RAISE(err, ERR_ARG, "--unit %s: write 4K, 8K, 16K, 32K or 64K", text);
    return rc;
}

static enum err_code triage_known(struct triage_options *o, const char *value, struct err *err)
{
    if (o->known_count == KNOWN_SETS_MAX)
        return ERR_RAISE(err, ERR_ARG, "--known %s: %d sets at most", value, KNOWN_SETS_MAX);
    o->known[o->known_count++] = value;
    return args_file("--known", value, err);
}

static enum err_code triage_keywords(struct triage_options *o, const char *value, struct err *err)
{
    for (uint32_t i = 0; strcmp(value, "-") == 0 && i < o->keyword_file_count; i++)
        if (strcmp(o->keyword_files[i], "-") == 0)
            return ERR_RAISE(
                err, ERR_ARG,
                "--keywords - is given twice, and standard input can be read only once");
    if (o->keyword_file_count == TRIAGE_KEYWORD_FILES_MAX)
        return ERR_RAISE(err, ERR_ARG, "--keywords %s: %d files at most", value,
                         TRIAGE_KEYWORD_FILES_MAX);
    o->keyword_files[o->keyword_file_count++] = value;
    return ERR_OK;
}

/* Whole numbers. */
static enum err_code triage_count(struct triage_options *o, int id, const char *value,
                                  struct err *err)
{
    uint64_t count = 0;
    enum err_code rc;

    switch (id) {
    case TRIAGE_KNOWN_STEP:
        rc = args_count("--known-step", value, 1, KNOWN_BLOCK_MAX, &count, err);
        o->known_step = (uint32_t)count;
        return rc;
    case TRIAGE_CONFIDENCE:
        rc = args_count("--confidence", value, 50, 99, &count, err);
        o->confidence = (double)count / 100;
        return rc;
    case TRIAGE_SWEEPS:
        rc = args_count("--sweeps", value, 1, TRIAGE_SWEEPS_MAX, &count, err);
        o->sweeps = (uint32_t)count;
        return rc;
    default:
        o->has_seed = true;
        return args_count("--seed", value, 0, UINT32_MAX, &o->seed, err);
    }
}

static enum err_code triage_take(struct triage_options *o, int id, const char *value,
                                 struct err *err)
{
    switch (id) {
    case TRIAGE_KNOWN:
        return triage_known(o, value, err);
    case TRIAGE_KEYWORDS:
        return triage_keywords(o, value, err);
    case TRIAGE_FEATURES:
        return feature_packs_parse(value, &o->features, err);
    case 'i':
        o->ignore_case = true;
        return ERR_OK;
    case TRIAGE_ENCODING:
        o->encodings = value;
        return ERR_OK;
    case TRIAGE_TIME:
        return args_time("--time", value, TRIAGE_HOURS_MAX, &o->time_ns, err);
    case TRIAGE_TARGET:
        return args_size("--target", value, UNIT_LEAST, INT64_MAX, &o->target, err);
    case TRIAGE_UNIT:
        return triage_unit(value, &o->unit, err);
    case TRIAGE_THEN:
        o->then_scan = true;
        return strcmp(value, "scan") == 0
                   ? ERR_OK
                   : ERR_RAISE(err, ERR_ARG, "--then %s: write --then scan", value);
    case TRIAGE_KNOWN_STEP:
    case TRIAGE_CONFIDENCE:
    case TRIAGE_SWEEPS:
    case TRIAGE_SEED:
        return triage_count(o, id, value, err);
    default:
        return scan_how_take(&o->how, id, value, err);
    }
}

/* What follows from the options together. */
static enum err_code triage_complete(struct triage_options *o, struct err *err)
{
    struct match_engine_info engine;
    uint32_t seed = 0;

    if (o->how.engine != NULL && match_engine_look(o->how.engine, &engine) &&
        (engine.threads_itself || strcmp(engine.device, "CPU") != 0))
        return ERR_RAISE(
            err, ERR_ARG,
            "--engine %s: it is for long stretches, and a sample has short ones; leave "
            "it out",
            o->how.engine);
    enum err_code rc = scan_how_complete(&o->how, err);
    if (rc == ERR_OK && o->known_step != 0 && o->known_count == 0)
        return ERR_RAISE(err, ERR_ARG, "--known-step: no --known names a set");
    if (rc == ERR_OK && o->sweeps == 0 && o->time_ns == 0)
        o->time_ns = TRIAGE_SECONDS * TRIAGE_SECOND;
    if (rc == ERR_OK && !o->has_seed && getrandom(&seed, sizeof seed, 0) != sizeof seed)
        return ERR_RAISE(err, ERR_ENV, "no random numbers: %s; give a --seed", strerror(errno));
    if (!o->has_seed)
        o->seed = seed;
    return rc;
}

enum err_code triage_options_read(int argc, char **argv, struct triage_options *out,
                                  struct err *err)
{
    struct args args;
    const char *value = "";
    int id = ARGS_END;
    enum err_code rc;

    *out = (struct triage_options){ .how = scan_how_defaults(),
                                    .target = UINT64_C(20) << 20,
                                    .confidence = 0.99,
                                    .encodings = "utf-8,utf-16le" };
    out->how.device_auto = false;
    args_begin(&args, "triage", triage_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END)
        if ((rc = triage_take(out, id, value, err)) != ERR_OK)
            return rc;
    if (rc == ERR_OK)
        rc =
            args_operands(&args, 1, argc, "IMAGE...", &out->how.images, &out->how.image_count, err);
    return rc == ERR_OK ? triage_complete(out, err) : rc;
}
