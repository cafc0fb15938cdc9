/* carver/bench/bench.c - `burin bench`: speed against the limits of the same machine in the same
 * run. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "carver/bench/bench.h"
#include "carver/cli/command.h"
#include "carver/cli/near.h"
#include "carver/cli/stop.h"

extern char **environ;

static int bench_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

struct bench_figure bench_figure(const double *values, uint32_t count)
{
    double sorted[BENCH_RUNS_MAX];

    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, bench_compare);
    const double middle =
        count % 2 != 0 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
    return (struct bench_figure){ .median = middle, .min = sorted[0], .max = sorted[count - 1] };
}

void bench_figure_json(struct json *json, const char *key, struct bench_figure figure)
{
    json_open_object(json, key);
    json_double(json, "median", figure.median);
    json_double(json, "min", figure.min);
    json_double(json, "max", figure.max);
    json_close_object(json);
}

double bench_now(void)
{
    return (double)clock_now(CLOCK_MONOTONIC) / 1e9;
}

static double bench_seconds(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

/* Runs the row's program once and waits for it. Counted runs are noted in the row. */
static enum err_code bench_once(struct bench_row *row, bool counted, struct err *err)
{
    posix_spawn_file_actions_t files;
    struct rusage used;
    pid_t child;
    int status = 0;

    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, row->errors != NULL ? row->errors : "/dev/null",
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const double begin = bench_now();
    const int failed = posix_spawnp(&child, row->words[0], &files, NULL,
                                    (char *const *)(uintptr_t)row->words, environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed != 0) {
        row->missing = true;
        return ERR_OK;
    }
    while (wait4(child, &status, 0, &used) < 0)
        if (errno != EINTR)
            return ERR_RAISE(err, ERR_ENV, "%s: cannot wait for it: %s", row->name,
                             strerror(errno));
    row->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (!counted)
        return ERR_OK;
    row->wall[row->runs] = bench_now() - begin;
    row->cpu[row->runs] = bench_seconds(&used.ru_utime) + bench_seconds(&used.ru_stime);
    row->runs++;
    if (used.ru_maxrss > row->peak_kib)
        row->peak_kib = used.ru_maxrss;
    return ERR_OK;
}

enum err_code bench_stopped(struct err *err)
{
    return stop_requested() ? ERR_RAISE(err, ERR_INTERRUPTED, "stopped on request") : ERR_OK;
}

enum err_code bench_rounds(struct bench_row *rows, uint32_t count, uint32_t runs,
                           enum err_code (*prepare)(void *arg, struct err *err), void *arg,
                           struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t round = 0; round <= runs; round++)
        for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
            if (rows[i].missing)
                continue;
            rc = prepare(arg, err);
            if (rc == ERR_OK)
                rc = bench_stopped(err);
            if (rc == ERR_OK)
                rc = bench_once(&rows[i], round > 0, err);
            if (rc == ERR_OK) /* which may be why it failed */
                rc = bench_stopped(err);
            if (rc == ERR_OK && rows[i].errors != NULL && rows[i].status != 0)
                return ERR_OK;
        }
    return rc;
}

/* Closes what the kind has begun. What came of a benchmark that did not get to its end is there, up
 * to a member that says why. */
static void bench_end_json(struct json *json, enum err_code rc, const struct err *err)
{
    if (json->depth == 0)
        return;
    json_close_to(json, 1);
    if (rc == ERR_INTERRUPTED)
        json_bool(json, "interrupted", true);
    else if (rc != ERR_OK)
        json_string(json, "error", err->text);
    json_close_to(json, 0);
    json_end(json);
}

static enum err_code bench_run(int argc, char **argv, enum exit_status *status, struct err *err)
{
    static const struct bench_kind kinds[] = {
        { "scan", bench_scan },   { "read", bench_read }, { "null", bench_null },
        { "match", bench_match }, { "cuda", bench_cuda }, { "pfac", bench_pfac },
        { "bloom", bench_bloom }, { "rk", bench_rk },
    };

    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    const char *names[KINDS], *near;

    (void)status;
    for (size_t i = 0; argc > 1 && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(argv[1], kinds[i].name) == 0) {
            struct json json = { 0 };
            const enum err_code rc = kinds[i].run(argc - 1, argv + 1, &json, err);

            bench_end_json(&json, rc, err);
            return rc;
        }
    for (size_t i = 0; i < KINDS; i++)
        names[i] = kinds[i].name;
    near = argc > 1 ? near_best(argv[1], strlen(argv[1]), names, KINDS) : NULL;
    if (near != NULL)
        return ERR_RAISE(err, ERR_ARG, "%s: did you mean %s? see burin bench --help", argv[1],
                         near);
    return ERR_RAISE(
        err, ERR_ARG,
        "%s: scan, read, null, match, cuda, pfac, bloom or rk is allowed; see burin bench --help",
        argc > 1 ? argv[1] : "nothing to measure");
}

const struct command command_bench = {
    .name = "bench",
    .arguments = "scan|read|null|match|cuda|pfac|bloom|rk [options] [IMAGE]",
    .what = "measure speed against the limits of this machine",
    .options =
        "bench scan runs `burin scan` on IMAGE in turn with a plain read of IMAGE by the same\n"
        "reader and with `cat`, several times round, and prints times and ratios as median and\n"
        "range; so are the scan for hits alone, the same on the CPU if an engine or devices are\n"
        "asked for, and one that looks for nothing. bench read is that plain read, bench null "
        "that\n"
        "scan for nothing (options as in burin scan), once.\n"
        "  --runs N         rounds that count, 1 to 100 (default 5; match, cuda: 7)\n"
        "  --cold           drop IMAGE from the page cache before each run\n"
        "  --types LIST     as in burin scan\n"
        "  --dictionary FILE  as in burin scan\n"
        "  --hits-only      leave out the whole scan and cat\n"
        "  --engine NAME    as in burin scan\n"
        "  --strategy NAME  as in burin scan\n"
        "  --devices LIST   as in burin scan\n"
        "  --threads N      as in burin scan\n"
        "  --segment SIZE   as in burin scan\n"
        "  --io NAME        as in burin scan\n"
        "  --peers          also time photorec, foremost and scalpel -p where installed\n"
        "  --work DIR       keep case files and the peers' output here while measuring\n"
        "                   (default: a new folder in TMPDIR or /tmp)\n"
        "bench match runs matching engines on data in memory, in turn with a plain read of it and\n"
        "with Hyperscan or Vectorscan where installed; all must find the same. Options that take "
        "a\n"
        "NAME may be given several times.\n"
        "  --dictionary NAME  burin, scalpel, snort, keywords:N, keywords:Ni (any case),\n"
        "                   random:N:LEN, or a file: *.conf rules, keywords a line, or lines of\n"
        "                   s or i, a tab and hexadecimal (default: scalpel's rules where\n"
        "                   installed, burin, keywords:2000i)\n"
        "  --data NAME      disk, text, random, zeros, adversarial (beginnings of patterns),\n"
        "                   near-misses (patterns with one byte wrong), or FILE[:LEN] (default "
        "disk)\n"
        "  --size SIZE      bytes of data that is made (default 128M)\n"
        "  --engines LIST   engines, comma-separated; auto for the one that is chosen\n"
        "                   (default: all that run here but naive)\n"
        "  --threads LIST   numbers of threads, comma-separated (default 1)\n"
        "  --segment SIZE   bytes that an engine is given at a time (default 1M)\n"
        "  --ignore-case    keywords of a file in any case\n"
        "  --run-time MS    slow engines scan only as much as they can in this time (default 300)\n"
        "  --clock NAME     wall, or cpu: CPU time of the slowest thread, for a machine that\n"
        "                   others use too (default wall)\n"
        "  --check          no figures that count: everything once, compared with naive\n"
        "  --sweep          time a byte against number and length of patterns\n"
        "  --peer [NAME=]PATH  a library to compare with (default libhs.so.5 where installed)\n"
        "  --peer-avx2      each of them once more, compiled for AVX2\n"
        "  --no-peers       none of them\n"
        "bench cuda runs the engines of GPUs on data in a device's memory, each beside a kernel "
        "that\n"
        "reads the same and does nothing else. Options as in bench match: --dictionary, "
        "--ignore-case,\n"
        "--engines, --runs, --data (made for disk) and --size (default 1G). Then segments go from\n"
        "pinned memory to the device and their hits back, under each strategy, beside plain "
        "copies.\n"
        "  --devices LIST   devices that segments go round, as in burin scan (default 0)\n"
        "  --segment LIST   bytes of a segment (default 1M,4M,16M,64M)\n"
        "  --total SIZE     bytes that go through in a run (default 4G)\n"
        "  --no-host        only what is in the device's memory\n"
        "  --no-resident    only what goes through it\n"
        "  --tune           look for the fastest number of threads and words for each, and "
        "remember it\n"
        "                   in ~/.cache/burin/tune, where scans with the same dictionary find it\n"
        "  --paper NAME     instead the tables of a paper, with its sizes: zha-sahni or tran\n"
        "  --threads N      CPU threads for data and comparison (default: all)\n"
        "bench pfac makes the tables of the paper on PFAC with perfect hashing: space of its "
        "tables of\n"
        "transitions, and throughput on texts in a device's memory, the paper's figures beside.\n"
        "  --table NAME     3 (space; needs no device), 4, 5, or large (default: all)\n"
        "  --size SIZE      bytes of each text at most\n"
        "  --states N       of the large dictionary (default 1000000)\n"
        "  --longest        report the longest match at each place alone\n"
        "  --device N       the device, counted from 0 (default 0)\n"
        "  --runs N         runs that count (default 5)\n"
        "bench bloom fills Bloom filters with keys and asks them, by one thread, by OpenMP and on "
        "a GPU; all\n"
        "must make the same bits.\n"
        "  --keys N         keys of 16 bytes (default 10000000)\n"
        "  --rate P         wanted rate of false positives (default 0.0001)\n"
        "  --thesis N       words with 500 hashes each, at rate 1/N (default 100000; 0: none)\n"
        "  --thesis-serial N  that the serial form inserts of them (default 100000)\n"
        "  --no-device      not on a GPU\n"
        "  --threads N, --runs N  (default: all, and 5)\n"
        "bench rk makes tables 2 and 3 of the paper on Rabin-Karp by prefix sums, the paper's "
        "figures beside:\n"
        "1 to 256 patterns of 10, 20 and 30 letters of two in a text of such letters.\n"
        "  --size SIZE      bytes of the text (default 128M, the paper's)\n"
        "  --engines LIST   comma-separated (default: all forms of rk and of match-str)\n"
        "  --run-time MS    on the CPU, slow forms search only as much as they can in this time\n"
        "                   (default 300)\n"
        "  --threads N, --device N, --runs N  (default: all, 0 and 5)\n"
        "All:\n"
        "  --json           the figures as JSON; interrupted, those that there are, and "
        "\"interrupted\": true\n"
        "  --help           this text\n",
    .run = bench_run,
};
