/*
 * carver/bench_scan.c - `burin bench scan`: a whole scan beside the plain read of the same file and beside the peers.
 *
 * Each program runs as a process of its own, in turn, so that start-up, case file and memory are all counted, and so that a machine
 * whose speed drifts does so for all of them. The limit is the same file read by the same reader with nothing behind it.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "carver/args.h"
#include "carver/bench.h"
#include "carver/json.h"

enum {
    OPT_RUNS = ARGS_LONG,
    OPT_COLD,
    OPT_TYPES,
    OPT_DICTIONARY,
    OPT_ENGINE,
    OPT_THREADS,
    OPT_SEGMENT,
    OPT_IO,
    OPT_PEERS,
    OPT_WORK,
    OPT_JSON
};

static const struct args_option bench_scan_table[] = {
    { "runs", OPT_RUNS, "N" },          { "cold", OPT_COLD, NULL },
    { "types", OPT_TYPES, "LIST" },     { "dictionary", OPT_DICTIONARY, "FILE" },
    { "engine", OPT_ENGINE, "NAME" },   { "threads", OPT_THREADS, "N" },
    { "segment", OPT_SEGMENT, "SIZE" }, { "io", OPT_IO, "NAME" },
    { "peers", OPT_PEERS, NULL },       { "work", OPT_WORK, "DIR" },
    { "json", OPT_JSON, NULL },         { NULL, 0, NULL },
};

struct bench_scan {
    uint64_t runs;
    bool cold, peers, json;
    const char *work, *dictionary;
    const char *forward[BENCH_WORDS_MAX]; /* options handed on to burin scan */
    uint32_t forward_count;
    const char *io, *segment;
    const char *image;
    uint64_t bytes;
    char self[LIMIT_PATH];
    char dir[LIMIT_PATH - 64], case_path[LIMIT_PATH], foremost_dir[LIMIT_PATH], scalpel_dir[LIMIT_PATH],
        photorec_dir[LIMIT_PATH];
    struct bench_row rows[BENCH_ROWS_MAX];
    uint32_t row_count;
};

static void bench_scan_forward(struct bench_scan *b, const char *option, const char *value)
{
    b->forward[b->forward_count++] = option;
    b->forward[b->forward_count++] = value;
}

static enum err_code bench_scan_options(struct bench_scan *b, int argc, char **argv, struct err *err)
{
    struct args args;
    const char *value = NULL;
    char **operands;
    int id, count;
    enum err_code rc;

    args_begin(&args, "bench", bench_scan_table, argc, argv);
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
        else if (id == OPT_TYPES && b->forward_count + 2 < BENCH_WORDS_MAX / 2)
            bench_scan_forward(b, "--types", value);
        else if (id == OPT_DICTIONARY)
            b->dictionary = value;
        else if (id == OPT_ENGINE)
            bench_scan_forward(b, "--engine", value);
        else if (id == OPT_THREADS)
            bench_scan_forward(b, "--threads", value);
        else if (id == OPT_SEGMENT)
            b->segment = value;
        else if (id == OPT_IO)
            b->io = value;
        if (rc != ERR_OK || b->forward_count + 8 > BENCH_WORDS_MAX)
            return rc != ERR_OK ? rc : ERR_RAISE(err, ERR_ARG, "too many options; give each once");
    }
    if (rc == ERR_OK)
        rc = args_operands(&args, 1, 1, "IMAGE", &operands, &count, err);
    if (rc == ERR_OK)
        b->image = operands[0];
    return rc;
}

static struct bench_row *bench_scan_row(struct bench_scan *b, const char *name, const char *const *words)
{
    struct bench_row *row = &b->rows[b->row_count++];

    row->name = name;
    for (uint32_t i = 0; words[i] != NULL && i + 1 < BENCH_WORDS_MAX; i++)
        row->words[i] = words[i];
    return row;
}

static void bench_scan_own_rows(struct bench_scan *b)
{
    const char *scan[BENCH_WORDS_MAX] = { b->self, "scan", "--quiet", "--force", "--case", b->case_path };
    const char *read[BENCH_WORDS_MAX] = { b->self, "bench", "read" };
    uint32_t s = 6, r = 3;

    for (uint32_t i = 0; i < b->forward_count; i++)
        scan[s++] = b->forward[i];
    if (b->dictionary != NULL) {
        scan[s++] = "--dictionary";
        scan[s++] = b->dictionary;
    }
    if (b->segment != NULL) {
        scan[s++] = read[r++] = "--segment";
        scan[s++] = read[r++] = b->segment;
    }
    if (b->io != NULL) {
        scan[s++] = read[r++] = "--io";
        scan[s++] = read[r++] = b->io;
    }
    scan[s] = read[r] = b->image;
    bench_scan_row(b, "burin scan", scan);
    bench_scan_row(b, "raw read", read);
    bench_scan_row(b, "cat", (const char *const[]){ "cat", b->image, NULL });
    scan[s++] = "--hits-only"; /* what all that is done with the hits costs is the difference to this */
    scan[s] = b->image;
    bench_scan_row(b, "hits only", scan);
    scan[1] = "bench"; /* the same with no pattern: what matching costs is the difference of these two */
    memmove(scan + 3, scan + 2, (s - 1) * sizeof *scan);
    scan[2] = "null";
    bench_scan_row(b, "no matching", scan);
}

static void bench_scan_peer_rows(struct bench_scan *b)
{
    bench_scan_row(b, "photorec",
                   (const char *const[]){
                       "photorec", "/d", b->photorec_dir, "/cmd", b->image,
                       "partition_none,options,keep_corrupted_file_no,fileopt,everything,enable,wholespace,search",
                       NULL });
    bench_scan_row(b, "foremost",
                   (const char *const[]){ "foremost", "-Q", "-t", "all", "-o", b->foremost_dir, "-i", b->image, NULL });
    if (b->dictionary != NULL)
        bench_scan_row(
            b, "scalpel -p",
            (const char *const[]){ "scalpel", "-p", "-c", b->dictionary, "-o", b->scalpel_dir, b->image, NULL });
}

static int bench_scan_remove(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    return where->level > 0 ? remove(path) : 0;
}

/* Empties the work folder, so that no program finds the output of the run before, and brings the page cache into the asked state. */
static enum err_code bench_scan_prepare(void *arg, struct err *err)
{
    struct bench_scan *b = arg;
    const int fd = open(b->image, O_RDONLY | O_CLOEXEC);

    nftw(b->dir, bench_scan_remove, 16, FTW_DEPTH | FTW_PHYS);
    if (fd < 0)
        return ERR_RAISE(err, ERR_INPUT, "%s: %s", b->image, strerror(errno));
    int failed = 0;
    if (b->cold) {
        failed = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    } else {
        static char sink[1 << 20]; /* reading it is what warms the cache; what is read does not matter */

        for (ssize_t got = 1; got > 0;)
            got = read(fd, sink, sizeof sink);
    }
    close(fd);
    return failed == 0
               ? ERR_OK
               : ERR_RAISE(err, ERR_ENV, "%s: cannot drop it from the page cache: %s", b->image, strerror(failed));
}

static enum err_code bench_scan_work_dir(struct bench_scan *b, struct err *err)
{
    const char *parent = b->work != NULL ? b->work : getenv("TMPDIR");
    struct stat info;

    if (parent == NULL || parent[0] == '\0')
        parent = "/tmp";
    if (snprintf(b->dir, sizeof b->dir, "%s/burin-bench-XXXXXX", parent) >= (int)sizeof b->dir ||
        mkdtemp(b->dir) == NULL)
        return ERR_RAISE(err, ERR_ENV, "%s: cannot make a folder in it: %s", parent, strerror(errno));
    snprintf(b->case_path, sizeof b->case_path, "%s/bench.burin", b->dir);
    snprintf(b->foremost_dir, sizeof b->foremost_dir, "%s/foremost", b->dir);
    snprintf(b->scalpel_dir, sizeof b->scalpel_dir, "%s/scalpel", b->dir);
    snprintf(b->photorec_dir, sizeof b->photorec_dir, "%s/photorec", b->dir);
    const ssize_t len = readlink("/proc/self/exe", b->self, sizeof b->self - 1);
    if (len < 0)
        return ERR_RAISE(err, ERR_ENV, "/proc/self/exe: %s", strerror(errno));
    b->self[len] = '\0';
    if (stat(b->image, &info) != 0)
        return ERR_RAISE(err, ERR_INPUT, "%s: %s", b->image, strerror(errno));
    b->bytes = (uint64_t)info.st_size;
    return ERR_OK;
}

/* Ratios are taken run by run, so that a slow moment of the machine weighs on both sides. */
static struct bench_figure bench_scan_ratio(const struct bench_row *row, const struct bench_row *base)
{
    double ratios[BENCH_RUNS_MAX];

    for (uint32_t i = 0; i < row->runs; i++)
        ratios[i] = row->wall[i] / base->wall[i];
    return bench_figure(ratios, row->runs);
}

static void bench_scan_print(const struct bench_scan *b)
{
    printf("%s: %" PRIu64 " bytes, %s page cache, %" PRIu64 " runs; median [least .. most]\n", b->image, b->bytes,
           b->cold ? "cold" : "warm", b->runs);
    printf("%-12s %28s %8s %24s %24s %8s %10s\n", "", "seconds", "GB/s", "/ raw read", "/ cat", "CPU s", "peak MiB");
    for (uint32_t i = 0; i < b->row_count; i++) {
        const struct bench_row *row = &b->rows[i];

        if (row->missing || row->runs == 0) {
            printf("%-12s not installed\n", row->name);
            continue;
        }
        const struct bench_figure wall = bench_figure(row->wall, row->runs), cpu = bench_figure(row->cpu, row->runs);
        const struct bench_figure raw = bench_scan_ratio(row, &b->rows[1]), cat = bench_scan_ratio(row, &b->rows[2]);

        printf("%-12s %8.3f [%7.3f .. %7.3f] %8.2f %8.2f [%5.2f .. %5.2f] %8.2f [%5.2f .. %5.2f] %8.2f %10.1f%s\n",
               row->name, wall.median, wall.min, wall.max, (double)b->bytes / wall.median / 1e9, raw.median, raw.min,
               raw.max, cat.median, cat.min, cat.max, cpu.median, (double)row->peak_kib / 1024,
               row->status == 0 ? "" : "  (exit status not 0)");
    }
}

static void bench_scan_json(const struct bench_scan *b)
{
    struct json json;

    json_init(&json, stdout, 3);
    json_open_object(&json, NULL);
    json_string(&json, "image", b->image);
    json_uint(&json, "bytes", b->bytes);
    json_string(&json, "cache", b->cold ? "cold" : "warm");
    json_uint(&json, "runs", b->runs);
    json_open_array(&json, "rows");
    for (uint32_t i = 0; i < b->row_count; i++) {
        const struct bench_row *row = &b->rows[i];

        if (row->missing || row->runs == 0)
            continue;
        json_open_object(&json, NULL);
        json_string(&json, "name", row->name);
        bench_figure_json(&json, "wall_seconds", bench_figure(row->wall, row->runs));
        bench_figure_json(&json, "cpu_seconds", bench_figure(row->cpu, row->runs));
        bench_figure_json(&json, "ratio_raw_read", bench_scan_ratio(row, &b->rows[1]));
        bench_figure_json(&json, "ratio_cat", bench_scan_ratio(row, &b->rows[2]));
        json_int(&json, "peak_kib", row->peak_kib);
        json_int(&json, "exit_status", row->status);
        json_close_object(&json);
    }
    json_close_array(&json);
    json_close_object(&json);
    json_end(&json);
}

enum err_code bench_scan(int argc, char **argv, struct err *err)
{
    struct bench_scan *b = calloc(1, sizeof *b);

    if (b == NULL)
        return ERR_NO_MEMORY(err, sizeof *b);
    b->runs = 5;
    enum err_code rc = bench_scan_options(b, argc, argv, err);
    if (rc == ERR_OK)
        rc = bench_scan_work_dir(b, err);
    if (rc == ERR_OK) {
        bench_scan_own_rows(b);
        if (b->peers)
            bench_scan_peer_rows(b);
        rc = bench_rounds(b->rows, b->row_count, (uint32_t)b->runs, bench_scan_prepare, b, err);
    }
    for (uint32_t i = 0; rc == ERR_OK && i < 3; i++)
        if (b->rows[i].missing || b->rows[i].status != 0)
            rc = ERR_RAISE(err, ERR_ENV, "%s ended with status %d; run it by hand to see why", b->rows[i].name,
                           b->rows[i].status);
    if (rc == ERR_OK && b->json)
        bench_scan_json(b);
    else if (rc == ERR_OK)
        bench_scan_print(b);
    if (b->dir[0] != '\0') {
        nftw(b->dir, bench_scan_remove, 16, FTW_DEPTH | FTW_PHYS);
        rmdir(b->dir);
    }
    free(b);
    return rc;
}
