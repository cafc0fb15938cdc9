/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/bench.c - `burin bench`: speed against the limits of the same machine in the same
 * run. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "carver/bench/bench.h"
#include "carver/cli/advice.h"
#include "carver/cli/command.h"
#include "carver/cli/interrupt.h"
#include "carver/cli/near.h"

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
    return interrupt_requested() ? ERR_RAISE(err, ERR_INTERRUPTED, "stopped on request") : ERR_OK;
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

enum bench_part { BENCH_MACHINE, BENCH_PAPER };

struct bench_kind {
    const char *name, *arguments, *what, *help;
    enum bench_part part;
    enum err_code (*run)(int argc, char **argv, struct json *json, struct err *err);
};

static const struct bench_kind bench_kinds[] = {
#define BENCH(name, part, arguments, what)                                                         \
    { #name, arguments, what, bench_##name##_help, BENCH_##part, bench_##name },
#include "carver/bench/bench.def"
#undef BENCH
};

enum { BENCH_KINDS = sizeof bench_kinds / sizeof bench_kinds[0] };

#ifdef BURIN_PAPERS
#define BENCH_LEFT_OUT ""
#else
#define BENCH_LEFT_OUT "; this build is without those that reproduce papers (-DBURIN_PAPERS=OFF)"
#endif

/* The kind that the word names, or an error that says which there are. */
static enum err_code bench_find(const char *word, const struct bench_kind **out, struct err *err)
{
    const char *names[BENCH_KINDS], *near = NULL;
    char all[ERR_TEXT_MAX] = "";
    size_t used = 0;

    for (size_t i = 0; i < BENCH_KINDS; i++) {
        const char *before = i == 0 ? "" : i == BENCH_KINDS - 1 ? " or " : ", ";

        names[i] = bench_kinds[i].name;
        if (word != NULL && strcmp(word, names[i]) == 0) {
            *out = &bench_kinds[i];
            return ERR_OK;
        }
        if (used < sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", before, names[i]);
    }
    if (word == NULL)
        return ERR_RAISE(err, ERR_ARG, "nothing to measure: %s is allowed; see burin bench --help",
                         all);
    near = near_best(word, strlen(word), names, BENCH_KINDS);
    if (near != NULL)
        return ERR_RAISE(err, ERR_ARG, "%s: did you mean %s? see burin bench --help", word, near);
    return ERR_RAISE(err, ERR_ARG, "%s: %s is allowed" BENCH_LEFT_OUT "; see burin bench --help",
                     word, all);
}

static enum err_code bench_run(int argc, char **argv, enum exit_status *status, struct err *err)
{
    const struct bench_kind *kind = NULL;
    struct json json = { 0 };
    enum err_code rc = bench_find(argc > 1 ? argv[1] : NULL, &kind, err);

    (void)status;
    if (rc != ERR_OK)
        return rc;
    rc = kind->run(argc - 1, argv + 1, &json, err);
    bench_end_json(&json, rc, err);
    if (rc != ERR_OK)
        advice_append(err, kind->help);
    return rc;
}

static const char bench_arguments[] = "KIND [options] [IMAGE]";
static const char bench_what[] = "measure speed against the limits of this machine";

static void bench_list(enum bench_part part)
{
    for (size_t i = 0; i < BENCH_KINDS; i++)
        if (bench_kinds[i].part == part)
            printf("  %-10s %s\n", bench_kinds[i].name, bench_kinds[i].what);
}

/* The text of the kind that is named, or all kinds. */
static enum err_code bench_help(int argc, char **argv, struct err *err)
{
    const struct bench_kind *kind = NULL;

    if (argc > 1 && argv[1][0] != '-') {
        const enum err_code rc = bench_find(argv[1], &kind, err);

        if (rc == ERR_OK)
            printf("Usage: burin bench %s %s\n\nmeasure %s\n\n%s", kind->name, kind->arguments,
                   kind->what, kind->help);
        return rc;
    }
    printf("Usage: burin bench %s\n\n%s\n\nKinds:\n", bench_arguments, bench_what);
    bench_list(BENCH_MACHINE);
#ifdef BURIN_PAPERS
    printf("Kinds that reproduce published papers:\n");
    bench_list(BENCH_PAPER);
#else
    printf("Kinds that reproduce published papers: none in this build (-DBURIN_PAPERS=OFF)\n");
#endif
    printf("\nEach has options of its own: burin bench KIND --help. All but null "
           "have\n" BENCH_COMMON_TEXT);
    return ERR_OK;
}

const struct command command_bench = {
    .name = "bench",
    .arguments = bench_arguments,
    .what = bench_what,
    .help = bench_help,
    .run = bench_run,
};
