/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/papers/bench_pfac.c - `burin bench pfac`: the tables of a paper, its figures beside
 * ours. See bench_pfac.h. */
#include <stdio.h>
#include <string.h>

#include "carver/bench/papers/bench_pfac.h"
#include "carver/cli/args.h"

enum {
    OPT_TABLE = ARGS_LONG,
    OPT_SIZE,
    OPT_RUNS,
    OPT_STATES,
    OPT_LONGEST,
    OPT_DEVICE,
    OPT_JSON,

    PFAC_STATES_MIN =
        200000, /* patterns as a dictionary may have at most, each with a state or two of its own */
    PFAC_STATES_MAX = 10000000,
};

static const struct args_option bench_pfac_table[] = {
    { "table", OPT_TABLE, "3|4|5|large" },
    { "size", OPT_SIZE, "SIZE" },
    { "runs", OPT_RUNS, "N" },
    { "states", OPT_STATES, "N" },
    { "longest", OPT_LONGEST, NULL },
    { "device", OPT_DEVICE, "N" },
    { "json", OPT_JSON, NULL },
    { NULL, 0, NULL },
};

const char bench_pfac_help[] =
    "Makes the tables of the paper on PFAC with perfect hashing: space of its tables of\n"
    "transitions, and throughput on texts in a device's memory, the paper's figures beside.\n"
    "\n"
    "Options:\n"
    "  --table NAME     3 (space; needs no device), 4, 5, or large; may be given several times\n"
    "                   (default: all)\n"
    "  --size SIZE      bytes of each text at most\n"
    "  --states N       of the large dictionary (default 1000000)\n"
    "  --longest        report the longest match at each place alone\n"
    "  --device N       the device, counted from 0 (default 0)\n"
    "  --runs N         runs that count, 1 to 100 (default 5)\n" BENCH_COMMON_TEXT;

static const struct {
    const char *name;
    uint32_t table;
    bool device; /* needs one */
    enum err_code (*run)(const struct bench_pfac *bench, struct err *err);
} bench_pfac_tables[] = {
    { "3", BENCH_PFAC_SPACE, false, bench_pfac_space },
    { "4", BENCH_PFAC_ONE, true, bench_pfac_one },
    { "5", BENCH_PFAC_TWO, true, bench_pfac_two },
    { "large", BENCH_PFAC_LARGE, true, bench_pfac_large },
};

enum { BENCH_PFAC_TABLES = sizeof bench_pfac_tables / sizeof bench_pfac_tables[0] };

static enum err_code bench_pfac_option(struct bench_pfac_options *o, int id, const char *value,
                                       struct err *err)
{
    switch (id) {
    case OPT_TABLE:
        for (uint32_t i = 0; i < BENCH_PFAC_TABLES; i++)
            if (strcmp(value, bench_pfac_tables[i].name) == 0) {
                o->tables |= bench_pfac_tables[i].table;
                return ERR_OK;
            }
        return ERR_RAISE(err, ERR_ARG, "--table %s: 3, 4, 5 or large is allowed", value);
    case OPT_SIZE:
        return args_size("--size", value, BENCH_BLOCK, UINT32_C(1) << 30, &o->size, err);
    case OPT_RUNS:
        return args_count("--runs", value, 1, BENCH_RUNS_MAX, &o->runs, err);
    case OPT_STATES:
        return args_count("--states", value, PFAC_STATES_MIN, PFAC_STATES_MAX, &o->states, err);
    case OPT_DEVICE:
        return args_count("--device", value, 0, 15, &o->device, err);
    case OPT_LONGEST:
        o->longest = true;
        return ERR_OK;
    default:
        o->json = true;
        return ERR_OK;
    }
}

static enum err_code bench_pfac_read_options(struct bench_pfac_options *o, int argc, char **argv,
                                             struct err *err)
{
    struct args args;
    const char *value = NULL;
    char **operands = NULL;
    int id, count;
    enum err_code rc;

    *o = (struct bench_pfac_options){ .runs = 5, .states = 1000000 };
    args_begin(&args, "bench pfac", bench_pfac_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END) {
        rc = bench_pfac_option(o, id, value, err);
        if (rc != ERR_OK)
            return rc;
    }
    return rc == ERR_OK ? args_operands(&args, 0, 0, "nothing", &operands, &count, err) : rc;
}

/* All tables that there are, or those asked for; of all, those that need a device only where there
 * is one. */
static enum err_code bench_pfac_choose(struct bench_pfac_options *o, struct err *err)
{
    const char *missing = match_device_missing();

    for (uint32_t i = 0; i < BENCH_PFAC_TABLES && missing != NULL; i++)
        if (bench_pfac_tables[i].device && (o->tables & bench_pfac_tables[i].table) != 0)
            return ERR_RAISE(err, ERR_ENV, "table %s needs a device: %s", bench_pfac_tables[i].name,
                             missing);
    for (uint32_t i = 0; i < BENCH_PFAC_TABLES && o->tables == 0; i++)
        if (!bench_pfac_tables[i].device && missing != NULL) {
            fprintf(stderr, "burin: bench: table %s alone, for the others need a device: %s\n",
                    bench_pfac_tables[i].name, missing);
            o->tables = bench_pfac_tables[i].table;
        }
    if (o->tables == 0)
        o->tables = BENCH_PFAC_SPACE | BENCH_PFAC_ONE | BENCH_PFAC_TWO | BENCH_PFAC_LARGE;
    return ERR_OK;
}

static void bench_pfac_begin(const struct bench_pfac *bench)
{
    const struct bench_pfac_options *o = bench->options;
    struct match_device_info info = { .name = "no device" };

    if (match_device_missing() == NULL) {
        const enum err_code rc = match_device_get((uint32_t)o->device, &info, NULL);

        (void)rc; /* who needs it says so */
    }
    if (bench->json == NULL) {
        printf("%s; %u runs, median [least .. most]; %s\n", info.name, (unsigned)o->runs,
               o->longest ? "the longest match at each place, as PFAC's library" : "every match");
        return;
    }
    json_init(bench->json, stdout, 2);
    json_open_object(bench->json, NULL);
    json_string(bench->json, "device", info.name);
    json_uint(bench->json, "runs", o->runs);
    json_bool(bench->json, "longest", o->longest);
}

enum err_code bench_pfac(int argc, char **argv, struct json *json, struct err *err)
{
    struct bench_pfac_options options;
    struct bench_pfac bench = { .options = &options };
    enum err_code rc = bench_pfac_read_options(&options, argc, argv, err);

    if (rc == ERR_OK)
        rc = bench_pfac_choose(&options, err);
    if (rc != ERR_OK)
        return rc;
    bench.json = options.json ? json : NULL;
    bench_pfac_begin(&bench);
    for (uint32_t i = 0; rc == ERR_OK && i < BENCH_PFAC_TABLES; i++)
        if ((options.tables & bench_pfac_tables[i].table) != 0)
            rc = bench_pfac_tables[i].run(&bench, err);
    return rc;
}
