/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/bench_scan.c - `burin bench scan`: a whole scan beside the plain read of the same
 * file and beside the peers.
 *
 * Each program runs as a process of its own, in turn, so that start-up, case file and memory are
 * all counted, and so that a machine whose speed drifts does so for all of them. The limit is the
 * same file read by the same readers with nothing behind them; what matching costs is what the scan
 * for hits alone takes more than one that looks for nothing.
 */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "carver/bench/bench_scan.h"
#include "carver/cli/args.h"
#include "carver/cli/command.h"
#include "io/image.h"

enum {
    OPT_RUNS = ARGS_LONG,
    OPT_COLD,
    OPT_TYPES,
    OPT_DICTIONARY,
    OPT_HITS_ONLY,
    OPT_ENGINE,
    OPT_STRATEGY,
    OPT_DEVICES,
    OPT_THREADS,
    OPT_SEGMENT,
    OPT_IO,
    OPT_PEERS,
    OPT_WORK,
    OPT_JSON
};

static const struct args_option bench_scan_table[] = {
    { "runs", OPT_RUNS, "N" },
    { "cold", OPT_COLD, NULL },
    { "types", OPT_TYPES, "LIST" },
    { "dictionary", OPT_DICTIONARY, "FILE" },
    { "hits-only", OPT_HITS_ONLY, NULL },
    { "engine", OPT_ENGINE, "NAME" },
    { "strategy", OPT_STRATEGY, "NAME" },
    { "devices", OPT_DEVICES, "LIST" },
    { "threads", OPT_THREADS, "N" },
    { "segment", OPT_SEGMENT, "SIZE" },
    { "io", OPT_IO, "NAME" },
    { "peers", OPT_PEERS, NULL },
    { "work", OPT_WORK, "DIR" },
    { "json", OPT_JSON, NULL },
    { NULL, 0, NULL },
};

const char bench_scan_help[] =
    "Runs `burin scan` on IMAGE in turn with a plain read of IMAGE by the same readers and with\n"
    "`cat`, `dd` and, where installed, `fio`, several times round, and prints times and ratios as\n"
    "median and range; so are the scan for hits alone, the same on the CPU if an engine or\n"
    "devices are asked for, and one that looks for nothing.\n"
    "\n"
    "Options:\n"
    "  --runs N         rounds that count, 1 to 100 (default 5)\n"
    "  --cold           drop IMAGE from the page cache before each run\n"
    "  --types LIST     as in burin scan\n"
    "  --dictionary FILE  as in burin scan\n"
    "  --hits-only      leave out the whole scan, cat, dd and fio\n"
    "  --engine NAME    as in burin scan\n"
    "  --strategy NAME  as in burin scan\n"
    "  --devices LIST   as in burin scan\n"
    "  --threads N      as in burin scan\n"
    "  --segment SIZE   as in burin scan\n"
    "  --io NAME        as in burin scan\n"
    "  --peers          also time photorec, foremost and scalpel -p where installed\n"
    "  --work DIR       keep case files and the peers' output here while measuring\n"
    "                   (default: a new folder in TMPDIR or /tmp)\n" BENCH_COMMON_TEXT;

static void bench_scan_forward(struct bench_scan *b, const char *option, const char *value)
{
    b->forward[b->forward_count++] = option;
    b->forward[b->forward_count++] = value;
}

static enum err_code bench_scan_engine(struct bench_scan *b, int id, const char *value,
                                       struct err *err)
{
    if (b->engine_count + 2 > BENCH_SCAN_ENGINE)
        return ERR_RAISE(err, ERR_ARG, "too many options; give each once");
    b->engine[b->engine_count++] = id == OPT_ENGINE     ? "--engine"
                                   : id == OPT_STRATEGY ? "--strategy"
                                                        : "--devices";
    b->engine[b->engine_count++] = value;
    return ERR_OK;
}

static enum err_code bench_scan_options(struct bench_scan *b, int argc, char **argv,
                                        struct err *err)
{
    struct args args;
    const char *value = NULL;
    char **operands;
    int id, count;
    enum err_code rc;

    args_begin(&args, "bench scan", bench_scan_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END) {
        if (id == OPT_RUNS)
            rc = args_count("--runs", value, 1, BENCH_RUNS_MAX, &b->runs, err);
        else if (id == OPT_COLD)
            b->cold = true;
        else if (id == OPT_PEERS)
            b->peers = true;
        else if (id == OPT_JSON)
            b->json = true;
        else if (id == OPT_WORK)
            b->work = value;
        else if (id == OPT_TYPES)
            bench_scan_forward(b, "--types", value);
        else if (id == OPT_DICTIONARY)
            bench_scan_forward(b, "--dictionary", b->dictionary = value);
        else if (id == OPT_HITS_ONLY)
            b->hits_only = true;
        else if (id == OPT_ENGINE || id == OPT_STRATEGY || id == OPT_DEVICES)
            rc = bench_scan_engine(b, id, value, err);
        else if (id == OPT_THREADS)
            bench_scan_forward(b, "--threads", b->threads = value);
        else if (id == OPT_SEGMENT)
            bench_scan_forward(b, "--segment", b->segment = value);
        else if (id == OPT_IO)
            bench_scan_forward(b, "--io", b->io = value);
        if (rc == ERR_OK && b->forward_count > BENCH_SCAN_FORWARD)
            rc = ERR_RAISE(err, ERR_ARG, "too many options; give each once");
        if (rc != ERR_OK)
            return rc;
    }
    if (rc == ERR_OK)
        rc = args_operands(&args, 1, 1, "IMAGE", &operands, &count, err);
    if (rc == ERR_OK)
        rc = args_file("IMAGE", b->image = operands[0], err);
    if (rc == ERR_OK && b->dictionary != NULL) /* it is read in every round */
        rc = args_file("--dictionary", b->dictionary, err);
    return rc;
}

static struct bench_row *bench_scan_row(struct bench_scan *b, const char *name,
                                        const char *const *words)
{
    struct bench_row *row = &b->rows[b->row_count++];

    row->name = name;
    for (uint32_t i = 0; words[i] != NULL && i + 1 < BENCH_WORDS_MAX; i++)
        row->words[i] = words[i];
    return row;
}

/* A row for `burin SCAN... OPTIONS IMAGE`; engine: with the engine's options too. */
static struct bench_row *bench_scan_own(struct bench_scan *b, const char *name,
                                        const char *const *scan, bool engine, bool hits_only)
{
    const char *words[BENCH_WORDS_MAX] = { b->self };
    uint32_t w = 1;

    while (*scan != NULL)
        words[w++] = *scan++;
    words[w++] = "--quiet";
    words[w++] = "--force";
    words[w++] = "--case";
    words[w++] = b->case_path;
    if (hits_only)
        words[w++] = "--hits-only";
    for (uint32_t i = 0; i < b->forward_count; i++)
        words[w++] = b->forward[i];
    for (uint32_t i = 0; engine && i < b->engine_count; i++)
        words[w++] = b->engine[i];
    words[w] = b->image;
    return bench_scan_row(b, name, words);
}

static struct bench_row *bench_scan_raw_row(struct bench_scan *b)
{
    const char *words[BENCH_WORDS_MAX] = { b->self, "bench", "read" };
    uint32_t w = 3;

    if (b->threads != NULL) {
        words[w++] = "--threads";
        words[w++] = b->threads;
    }
    if (b->segment != NULL) {
        words[w++] = "--segment";
        words[w++] = b->segment;
    }
    if (b->io != NULL) {
        words[w++] = "--io";
        words[w++] = b->io;
    }
    words[w] = b->image;
    return bench_scan_row(b, "raw read", words);
}

/* What all that is done with hits costs is the difference of "burin scan" and "hits only", and what
 * matching costs that to "no matching". */
static void bench_scan_own_rows(struct bench_scan *b)
{
    static const char *const scan[] = { "scan", NULL }, *const nothing[] = { "bench", "null",
                                                                             NULL };

    if (!b->hits_only)
        bench_scan_own(b, "burin scan", scan, true, false);
    b->raw = bench_scan_raw_row(b);
    bench_scan_own(b, "hits only", scan, true, true);
    if (b->engine_count > 0)
        bench_scan_own(b, "hits, auto", scan, false, true);
    b->nothing = bench_scan_own(b, "no matching", nothing, true, true);
    b->own_count = b->row_count;
    for (uint32_t i = 0; i < b->own_count; i++)
        b->rows[i].errors = b->errors;
    if (!b->hits_only)
        bench_yard_add(&b->yard, b->image, b->cold, b->rows, &b->row_count);
}

static void bench_scan_peer_rows(struct bench_scan *b)
{
    static const char all[] = "partition_none,options,keep_corrupted_file_no,fileopt,"
                              "everything,enable,wholespace,search";

    bench_scan_row(
        b, "photorec",
        (const char *const[]){ "photorec", "/d", b->photorec_dir, "/cmd", b->image, all, NULL });
    bench_scan_row(b, "foremost",
                   (const char *const[]){ "foremost", "-Q", "-t", "all", "-o", b->foremost_dir,
                                          "-i", b->image, NULL });
    if (b->dictionary != NULL)
        bench_scan_row(b, "scalpel -p",
                       (const char *const[]){ "scalpel", "-p", "-c", b->dictionary, "-o",
                                              b->scalpel_dir, b->image, NULL });
}

static int bench_scan_remove(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    return where->level > 0 ? remove(path) : 0;
}

/* Empties the work folder, so that no program finds the output of the run before, and brings the
 * page cache into the asked state. */
static enum err_code bench_scan_prepare(void *arg, struct err *err)
{
    struct bench_scan *b = arg;
    nftw(b->dir, bench_scan_remove, 16, FTW_DEPTH | FTW_PHYS);
    return bench_yard_cache(b->image, b->cold, err);
}

static enum err_code bench_scan_work_dir(struct bench_scan *b, struct err *err)
{
    const char *parent = b->work != NULL ? b->work : getenv("TMPDIR");
    struct io_image *image = NULL;
    struct stat info;
    enum err_code rc;

    if (parent == NULL || parent[0] == '\0')
        parent = "/tmp";
    if (snprintf(b->dir, sizeof b->dir, "%s/burin-bench-XXXXXX", parent) >= (int)sizeof b->dir ||
        mkdtemp(b->dir) == NULL)
        return ERR_RAISE(err, ERR_ENV, "%s: cannot make a folder in it: %s", parent,
                         strerror(errno));
    snprintf(b->case_path, sizeof b->case_path, "%s/bench.burin", b->dir);
    snprintf(b->errors, sizeof b->errors, "%s/errors", b->dir);
    snprintf(b->foremost_dir, sizeof b->foremost_dir, "%s/foremost", b->dir);
    snprintf(b->scalpel_dir, sizeof b->scalpel_dir, "%s/scalpel", b->dir);
    snprintf(b->photorec_dir, sizeof b->photorec_dir, "%s/photorec", b->dir);
    const ssize_t len = readlink("/proc/self/exe", b->self, sizeof b->self - 1);
    if (len < 0)
        return ERR_RAISE(err, ERR_ENV, "/proc/self/exe: %s", strerror(errno));
    b->self[len] = '\0';
    rc = io_image_open(b->image, NULL, &image,
                       err); /* refuses what no scan can read, and what never ends */
    io_image_close(image);
    if (rc == ERR_OK && stat(b->image, &info) != 0)
        return ERR_RAISE(err, ERR_INPUT, "%s: %s", b->image, strerror(errno));
    if (rc == ERR_OK)
        b->bytes = (uint64_t)info.st_size;
    return rc;
}

/* One of our own programs failed: its status is ours, and so is the first line that it said. */
static enum err_code bench_scan_failed(const struct bench_row *row, struct err *err)
{
    const enum err_code code = row->status == EXIT_USAGE   ? ERR_ARG
                               : row->status == EXIT_INPUT ? ERR_INPUT
                                                           : ERR_ENV;
    FILE *file = fopen(row->errors, "re");
    char line[ERR_TEXT_MAX] = "";

    if (file != NULL) {
        if (fgets(line, sizeof line, file) != NULL)
            line[strcspn(line, "\n")] = '\0';
        fclose(file);
    }
    return ERR_RAISE(err, code, "%s ended with status %d: %s", row->name, row->status,
                     line[0] != '\0' ? line : "it did not say why; run it by hand");
}

enum err_code bench_scan(int argc, char **argv, struct json *json, struct err *err)
{
    struct bench_scan *b = calloc(1, sizeof *b);

    if (b == NULL)
        return ERR_NO_MEMORY(err, sizeof *b);
    b->runs = 5;
    enum err_code rc = bench_scan_options(b, argc, argv, err);
    if (rc == ERR_OK)
        rc = bench_scan_work_dir(b, err);
    if (rc == ERR_OK && b->json)
        bench_scan_json_head(b, json);
    if (rc == ERR_OK) {
        bench_scan_own_rows(b);
        if (b->peers)
            bench_scan_peer_rows(b);
        rc = bench_rounds(b->rows, b->row_count, (uint32_t)b->runs, bench_scan_prepare, b, err);
    }
    for (uint32_t i = 0; rc == ERR_OK && i < b->own_count; i++)
        if (b->rows[i].missing || b->rows[i].status != 0)
            rc = bench_scan_failed(&b->rows[i], err);
    if (rc == ERR_OK && b->json)
        bench_scan_json(b, json);
    else if (rc == ERR_OK)
        bench_scan_print(b);
    if (b->dir[0] != '\0') {
        nftw(b->dir, bench_scan_remove, 16, FTW_DEPTH | FTW_PHYS);
        rmdir(b->dir);
    }
    free(b);
    return rc;
}
